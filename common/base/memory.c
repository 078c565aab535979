/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the process, and texts. */
#include "common/base/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const char *s)
{
    if (write(STDERR_FILENO, s, strlen(s)) < 0)
        return; /* nobody is left who could be told */
}

void jr_end_process(const char *why)
{
    say(program_invocation_short_name);
    say(": ");
    say(why);
    say("\n");
    _exit(1);
}

void jr_out_of_memory(void)
{
    jr_end_process("out of memory");
}

char *jr_xstrndup(struct jr_str s)
{
    char *copy = jr_xcalloc(1, s.n + 1);

    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    return copy;
}

/* Not by vasprintf: no test could make the C library's own allocations fail. */
char *jr_xasprintf(const char *fmt, ...)
{
    va_list ap, again;
    char small[256];
    char *s;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(small, sizeof(small), fmt, ap);
    s = jr_xcalloc(1, (size_t)n + 1);
    if ((size_t)n < sizeof(small))
        memcpy(s, small, (size_t)n);
    else
        (void)vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return s;
}

struct jr_str jr_xarena_vtext(struct jr_arena *a, const char *fmt, va_list ap)
{
    const char *s = jr_arena_vprintf(a, fmt, ap);

    if (s == NULL)
        jr_out_of_memory();
    return jr_str(s);
}

struct jr_str jr_xarena_text(struct jr_arena *a, const char *fmt, ...)
{
    struct jr_str text;
    va_list ap;

    va_start(ap, fmt);
    text = jr_xarena_vtext(a, fmt, ap);
    va_end(ap);
    return text;
}
