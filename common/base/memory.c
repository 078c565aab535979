#include "common/base/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void say(const char *s)
{
    if (write(STDERR_FILENO, s, strlen(s)) < 0)
        return; /* nobody is left who could be told */
}

void jr_out_of_memory(void)
{
    say(program_invocation_short_name);
    say(": out of memory\n");
    _exit(1);
}

char *jr_xstrndup(struct jr_str s)
{
    char *copy = jr_xcalloc(1, s.n + 1);

    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    return copy;
}
