/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer with a stated maximum. */
#ifndef JR_BASE_BUF_H
#define JR_BASE_BUF_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/error.h"

struct jr_arena;

/** p is NUL-terminated whenever it is not NULL. A failed append sets `failed` and keeps what was
 * there; further appends do nothing, so a writer may check once, at the end. */
struct jr_buf {
    char *p;
    size_t n;
    size_t cap;
    size_t max;            /* most bytes it may hold */
    enum jr_status failed; /* JR_OK, JR_NOMEM or JR_LIMIT, sticky */
    bool cuts;             /* what there is no room for is left out, and no failure */
};

/* The maximum of a buffer that is made of texts which were bounded as they were read: objects,
 * names in them, flags. A second bound would only refuse what the first one took. */
#define JR_BUF_BY_INPUT (SIZE_MAX / 2)

/** Starts an empty buffer of at most max bytes. Nothing is allocated yet. */
void jr_buf_init(struct jr_buf *b, size_t max);
/** Frees; safe on a zeroed buffer and twice. */
void jr_buf_done(struct jr_buf *b);
/** Empties it, keeps the memory, clears `failed`. */
void jr_buf_reset(struct jr_buf *b);
enum jr_status jr_buf_reserve(struct jr_buf *b, size_t extra);
enum jr_status jr_buf_add(struct jr_buf *b, struct jr_str s);
static inline enum jr_status jr_buf_addc(struct jr_buf *b, char c)
{
    if (b->failed != JR_OK || b->n + 1 >= b->cap)
        return jr_buf_add(b, (struct jr_str){ &c, 1 });
    b->p[b->n++] = c;
    b->p[b->n] = '\0';
    return JR_OK;
}
enum jr_status jr_buf_adds(struct jr_buf *b, const char *s);
enum jr_status jr_buf_addf(struct jr_buf *b, const char *fmt, ...) JR_PRINTF(2, 3);
enum jr_status jr_buf_vaddf(struct jr_buf *b, const char *fmt, va_list ap) JR_PRINTF(2, 0);
enum jr_status jr_buf_add_i64(struct jr_buf *b, int64_t v);
/** Drops the first k bytes. */
void jr_buf_consume(struct jr_buf *b, size_t k);
/** Writes what the buffer has, which may be nothing, to f, and flushes f. False: it can't be
 * written; errno says why. */
bool jr_buf_print(const struct jr_buf *b, FILE *f);
/** Moves the memory out (caller frees, NUL-terminated, never NULL on JR_OK) and leaves the buffer
 * empty. Fails with b->failed if an append had failed. */
enum jr_status jr_buf_take(struct jr_buf *b, char **ret, size_t *ret_n) JR_MUST_USE;

static inline struct jr_str jr_buf_str(const struct jr_buf *b)
{
    return (struct jr_str){ b->p, b->n };
}

#define JR_BUF JR_CLEANUP(jr_buf_done) struct jr_buf

/** Returns a formatted text in the arena, NUL-terminated behind its length. "%.*s" keeps a NUL and
 * what is behind it. Without memory *failed is set, and the text is "". */
struct jr_str jr_format(struct jr_arena *a, enum jr_status *failed, const char *fmt, ...)
    JR_PRINTF(3, 4);
/** Formats into the arena of owner_, a struct jr_errlist or jr_warnings, whose `failed` says if
 * memory is wanting. */
#define JR_FORMAT(owner_, ...) jr_format((owner_)->arena, &(owner_)->failed, __VA_ARGS__)

/** As jr_buf_done, of a secret. What was left behind where it grew is not wiped: jr_buf_reserve
 * keeps it from growing. */
void jr_buf_wipe(struct jr_buf *b);
#define JR_SECRET_BUF JR_CLEANUP(jr_buf_wipe) struct jr_buf

#endif
