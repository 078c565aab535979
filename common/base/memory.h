/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for programs that end where there is none, because a restart is their recovery: the
 * controller, the CLI, the devcluster. Nothing here gives NULL. What serves requests (the webhook)
 * and the libraries under it report JR_NOMEM instead. */
#ifndef JR_BASE_MEMORY_H
#define JR_BASE_MEMORY_H

#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/loop.h"
#include "common/base/map.h"
#include "common/base/vec.h"

/** Ends the process: a line on standard error that says why, exit code 1, no handlers. Allocates
 * nothing. */
_Noreturn void jr_end_process(const char *why);
/** The same for want of memory. */
_Noreturn void jr_out_of_memory(void);

/** Goes on unless st is JR_NOMEM; st is returned. */
static inline enum jr_status jr_need(enum jr_status st)
{
    if (st == JR_NOMEM)
        jr_out_of_memory();
    return st;
}

/** For what can fail by JR_NOMEM and nothing else. */
static inline void jr_must(enum jr_status st)
{
    if (st != JR_OK)
        jr_out_of_memory();
}

/** p, which is NULL only without memory. */
static inline void *jr_must_have(void *p)
{
    if (p == NULL)
        jr_out_of_memory();
    return p;
}

/** Zeroed; freed by free(). */
static inline void *jr_xcalloc(size_t n, size_t size)
{
    return jr_must_have(calloc(n == 0 ? 1 : n, size));
}

/** A copy that ends in a NUL; freed by free(). */
char *jr_xstrndup(struct jr_str s);

/** The same of a C string; NULL of NULL. */
static inline char *jr_xstrdup(const char *s)
{
    return s == NULL ? NULL : jr_xstrndup(jr_str(s));
}

/** As asprintf; freed by free(). Nothing that is secret: it may be left on the stack. */
char *jr_xasprintf(const char *fmt, ...) JR_PRINTF(1, 2);

/** As jr_vec_room. */
static inline void *jr_xvec_room(void *v, size_t n, size_t *cap, size_t size)
{
    return jr_must_have(jr_vec_room(v, n, cap, size));
}

/** As jr_map_add. */
static inline void jr_xmap_add(struct jr_map *m, struct jr_link *link, uint64_t hash)
{
    jr_must(jr_map_add(m, link, hash));
}

/** As jr_loop_after. */
static inline void jr_xloop_after(struct jr_loop *loop, int64_t delay_ns, void (*fn)(void *ctx),
                                  void *ctx, struct jr_timer **ret)
{
    jr_must(jr_loop_after(loop, delay_ns, fn, ctx, ret));
}

/* Of an arena without a limit. */

static inline void *jr_xarena_calloc(struct jr_arena *a, size_t n, size_t size)
{
    return jr_must_have(jr_arena_calloc(a, n, size));
}

/** A copy of a C string; NULL of NULL. */
static inline const char *jr_xarena_strdup(struct jr_arena *a, const char *s)
{
    struct jr_str copy = { NULL, 0 };

    if (s != NULL && !jr_arena_str(a, jr_str(s), &copy))
        jr_out_of_memory();
    return copy.p;
}

static inline struct jr_str jr_xarena_str(struct jr_arena *a, struct jr_str s)
{
    struct jr_str copy;

    if (!jr_arena_str(a, s, &copy))
        jr_out_of_memory();
    return copy;
}

/** As jr_arena_printf. */
struct jr_str jr_xarena_text(struct jr_arena *a, const char *fmt, ...) JR_PRINTF(2, 3);
struct jr_str jr_xarena_vtext(struct jr_arena *a, const char *fmt, va_list ap) JR_PRINTF(2, 0);

#endif
