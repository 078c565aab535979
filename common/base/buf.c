/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer. A failure sticks to it. */
#include "common/base/buf.h"

#include "common/base/arena.h"

#include <errno.h>
#include <stdio.h>

#define FIRST_CAP 64

void jr_buf_init(struct jr_buf *b, size_t max)
{
    *b = (struct jr_buf){ .max = max };
}

void jr_buf_done(struct jr_buf *b)
{
    free(b->p);
    jr_buf_init(b, b->max);
}

void jr_buf_wipe(struct jr_buf *b)
{
    if (b->p != NULL)
        explicit_bzero(b->p, b->cap);
    jr_buf_done(b);
}

void jr_buf_reset(struct jr_buf *b)
{
    b->n = 0;
    b->failed = JR_OK;
    if (b->p != NULL)
        b->p[0] = '\0';
}

bool jr_buf_print(const struct jr_buf *b, FILE *f)
{
    /* An empty buffer may have no memory, and fwrite takes no NULL. */
    return (b->n == 0 || fwrite(b->p, 1, b->n, f) == b->n) && fflush(f) == 0;
}

/** Room for `need` bytes and the NUL behind them; need is within max. */
static enum jr_status grow_to(struct jr_buf *b, size_t need)
{
    size_t cap = b->cap < FIRST_CAP / 2 ? FIRST_CAP : b->cap;
    char *p;

    if (need == SIZE_MAX)
        return b->failed = JR_NOMEM;
    while (cap < need + 1)
        cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
    if (b->max < SIZE_MAX && cap > b->max + 1)
        cap = b->max + 1;
    p = realloc(b->p, cap);
    if (p == NULL)
        return b->failed = JR_NOMEM;
    p[b->n] = '\0';
    b->p = p;
    b->cap = cap;
    return JR_OK;
}

enum jr_status jr_buf_reserve(struct jr_buf *b, size_t extra)
{
    if (b->failed != JR_OK)
        return b->failed;
    if (extra > b->max - b->n)
        return b->cuts ? JR_LIMIT : (b->failed = JR_LIMIT);
    if (b->n + extra < b->cap)
        return JR_OK;
    return grow_to(b, b->n + extra);
}

enum jr_status jr_buf_add(struct jr_buf *b, struct jr_str s)
{
    enum jr_status st;

    if (b->cuts)
        s = jr_str_head(s, b->max - b->n);
    st = jr_buf_reserve(b, s.n);
    if (st != JR_OK || s.n == 0)
        return st;
    memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
    b->p[b->n] = '\0';
    return JR_OK;
}

enum jr_status jr_buf_adds(struct jr_buf *b, const char *s)
{
    return jr_buf_add(b, jr_str(s));
}

/* ---- formats with texts that may hold a NUL ---- */

#define NUMBER_MAX 64 /* of a number with its width */

/** "%.*s", or an integer: "%d", "%05zu". */
struct conversion {
    const char *spec;
    size_t n; /* of the spec */
    char kind;
    size_t longs; /* l or ll; z counts as one: a size_t is a long */
    bool counted; /* .* */
};

/** Reads a conversion behind its '%'; false for those that only the C library is asked for. */
static bool read_conversion(const char *spec, struct conversion *ret)
{
    const char *p = spec + 1;

    *ret = (struct conversion){ .spec = spec };
    if (strncmp(p, ".*", 2) == 0) {
        ret->counted = true;
        p += 2;
    } else {
        p += strspn(p, "0123456789");
    }
    ret->longs = strspn(p, "lz");
    p += ret->longs;
    ret->kind = *p;
    ret->n = (size_t)(p - spec) + 1;
    if (ret->n > 5 + ret->longs || *p == '\0') /* a width of two digits at most */
        return false;
    return ret->kind == 's' ? ret->longs == 0 : !ret->counted && strchr("dux%c", ret->kind) != NULL;
}

/** Whether the format has a counted text, or its texts may be cut, and nothing that isn't known
 * here.
 */
static bool has_counted_text(const char *fmt, bool cuts)
{
    struct conversion c;
    bool counted = cuts;

    for (const char *p = strchr(fmt, '%'); p != NULL; p = strchr(p + c.n, '%')) {
        if (!read_conversion(p, &c))
            return false;
        counted = counted || c.counted;
    }
    return counted;
}

static void add_number(struct jr_buf *b, const struct conversion *c, long long v)
{
    const bool zeros = c->spec[1] == '0';
    int width = 0;
    char text[NUMBER_MAX];

    for (const char *p = c->spec + 1; *p >= '0' && *p <= '9'; p++)
        width = 10 * width + (*p - '0');
    if (c->kind == 'd')
        (void)snprintf(text, sizeof(text), zeros ? "%0*lld" : "%*lld", width, v);
    else if (c->kind == 'u')
        (void)snprintf(text, sizeof(text), zeros ? "%0*llu" : "%*llu", width,
                       (unsigned long long)v);
    else
        (void)snprintf(text, sizeof(text), zeros ? "%0*llx" : "%*llx", width,
                       (unsigned long long)v);
    (void)jr_buf_adds(b, text);
}

/** What the C library would cut at a NUL is added whole. */
static enum jr_status add_counted(struct jr_buf *b, const char *fmt, va_list ap)
{
    const size_t before = b->n;

    for (const char *p; (p = strchr(fmt, '%')) != NULL;) {
        struct conversion c;

        (void)read_conversion(p, &c);
        (void)jr_buf_add(b, (struct jr_str){ fmt, (size_t)(p - fmt) });
        fmt = p + c.n;
        if (c.kind == '%') {
            (void)jr_buf_addc(b, '%');
        } else if (c.kind == 's' && c.counted) {
            const int n = va_arg(ap, int);
            const char *text = va_arg(ap, const char *);

            (void)jr_buf_add(b, (struct jr_str){ text, n > 0 ? (size_t)n : 0 });
        } else if (c.kind == 's') {
            (void)jr_buf_adds(b, va_arg(ap, const char *));
        } else if (c.kind == 'c') {
            (void)jr_buf_addc(b, (char)va_arg(ap, int));
        } else if (c.kind == 'd') {
            add_number(b, &c,
                       c.longs == 0   ? va_arg(ap, int)
                       : c.longs == 1 ? va_arg(ap, long)
                                      : va_arg(ap, long long));
        } else {
            add_number(b, &c,
                       (long long)(c.longs == 0   ? va_arg(ap, unsigned)
                                   : c.longs == 1 ? va_arg(ap, unsigned long)
                                                  : va_arg(ap, unsigned long long)));
        }
    }
    if (jr_buf_adds(b, fmt) != JR_OK && b->p != NULL) {
        b->n = before;
        b->p[before] = '\0';
    }
    return b->failed;
}

enum jr_status jr_buf_vaddf(struct jr_buf *b, const char *fmt, va_list ap)
{
    enum jr_status st;
    va_list again;
    size_t room;
    int n;

    if (b->failed != JR_OK)
        return b->failed;
    if (has_counted_text(fmt, b->cuts))
        return add_counted(b, fmt, ap);
    /* Try in place: the text mostly fits, and formatting is the dear part. */
    room = b->p == NULL ? 0 : b->cap - b->n;
    va_copy(again, ap);
    n = vsnprintf(room == 0 ? NULL : b->p + b->n, room, fmt, ap);
    if (n >= 0 && (size_t)n < room && (size_t)n <= b->max - b->n) {
        b->n += (size_t)n;
        va_end(again);
        return JR_OK;
    }
    if (room > 0)
        b->p[b->n] = '\0';
    if (n < 0)
        st = b->failed = errno == EOVERFLOW ? JR_LIMIT : JR_NOMEM;
    else
        st = jr_buf_reserve(b, (size_t)n);
    if (st == JR_OK) {
        (void)vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
    return st;
}

enum jr_status jr_buf_addf(struct jr_buf *b, const char *fmt, ...)
{
    enum jr_status st;
    va_list ap;

    va_start(ap, fmt);
    st = jr_buf_vaddf(b, fmt, ap);
    va_end(ap);
    return st;
}

struct jr_str jr_format(struct jr_arena *a, enum jr_status *failed, const char *fmt, ...)
{
    struct jr_str text = JR_S("");
    JR_BUF b = { 0 };
    va_list ap;

    jr_buf_init(&b, JR_BUF_BY_INPUT);
    va_start(ap, fmt);
    (void)jr_buf_vaddf(&b, fmt, ap);
    va_end(ap);
    if (b.failed != JR_OK)
        *failed = b.failed;
    else if (!jr_arena_str(a, jr_buf_str(&b), &text))
        *failed = JR_NOMEM;
    return text;
}

enum jr_status jr_buf_add_i64(struct jr_buf *b, int64_t v)
{
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    char digits[20];
    char text[21];
    size_t n = 0, k = 0;

    do {
        digits[n++] = (char)('0' + (char)(u % 10));
        u /= 10;
    } while (u != 0);
    if (v < 0)
        text[k++] = '-';
    while (n > 0)
        text[k++] = digits[--n];
    return jr_buf_add(b, (struct jr_str){ text, k });
}

void jr_buf_consume(struct jr_buf *b, size_t k)
{
    if (k > b->n)
        k = b->n;
    if (k == 0)
        return;
    b->n -= k;
    memmove(b->p, b->p + k, b->n + 1);
}

enum jr_status jr_buf_take(struct jr_buf *b, char **ret, size_t *ret_n)
{
    enum jr_status st = b->failed;

    if (st == JR_OK && b->p == NULL)
        st = grow_to(b, 0);
    if (st != JR_OK)
        return st;
    *ret = b->p;
    if (ret_n != NULL)
        *ret_n = b->n;
    jr_buf_init(b, b->max);
    return JR_OK;
}
