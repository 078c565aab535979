/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/failalloc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static atomic_long left; /* 0 = not armed */
static atomic_bool hit;
static bool (*decide)(void *ctx); /* NULL: nobody is asked */
static void *decide_ctx;

void jr_failalloc_arm(long nth)
{
    atomic_store(&hit, false);
    atomic_store(&left, nth);
}

void jr_failalloc_disarm(void)
{
    atomic_store(&left, 0);
    decide = NULL;
}

void jr_failalloc_ask(bool (*fails)(void *ctx), void *ctx)
{
    atomic_store(&hit, false);
    decide_ctx = ctx;
    decide = fails;
}

bool jr_failalloc_hit(void)
{
    return atomic_load(&hit);
}

bool jr_failalloc_over(enum jr_status st)
{
    jr_failalloc_disarm();
    assert_int_equal(st, jr_failalloc_hit() ? JR_NOMEM : JR_OK);
    return !jr_failalloc_hit();
}

/* What it has decided to fail is the last that it is asked about. */
static bool decided(void)
{
    bool (*const f)(void *ctx) = decide;
    bool no;

    if (f == NULL)
        return false;
    decide = NULL;
    no = f(decide_ctx);
    if (!no)
        decide = f;
    return no;
}

/* Whether this allocation is the nth. */
static bool counted_down(void)
{
    long n = atomic_load(&left);

    while (n > 0 && !atomic_compare_exchange_weak(&left, &n, n - 1))
        ;
    return n == 1;
}

static bool fails(void)
{
    if (!decided() && !counted_down())
        return false;
    atomic_store(&hit, true);
    errno = ENOMEM;
    return true;
}

/* The linker sends each call of f to __wrap_f, and __real_f to f itself. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t count, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t count, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

void *__wrap_malloc(size_t n)
{
    return fails() ? NULL : __real_malloc(n);
}

/* Nodes of trees come from cJSON, a shared library, which the linker's --wrap doesn't reach: it is
 * told, in programs that have it. */
struct cjson_hooks {
    void *(*malloc_fn)(size_t n);
    void (*free_fn)(void *p);
};
void cJSON_InitHooks(struct cjson_hooks *hooks) __attribute__((weak));

__attribute__((constructor)) static void tell_cjson(void)
{
    struct cjson_hooks hooks = { __wrap_malloc, free };

    if (cJSON_InitHooks != NULL)
        cJSON_InitHooks(&hooks);
}

void *__wrap_calloc(size_t count, size_t n)
{
    return fails() ? NULL : __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
    return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_reallocarray(void *p, size_t count, size_t n)
{
    return fails() ? NULL : __real_reallocarray(p, count, n);
}

char *__wrap_strdup(const char *s)
{
    return fails() ? NULL : __real_strdup(s);
}

char *__wrap_strndup(const char *s, size_t n)
{
    return fails() ? NULL : __real_strndup(s, n);
}
/* NOLINTEND(bugprone-reserved-identifier) */
