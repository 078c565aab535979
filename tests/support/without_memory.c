#include "tests/support/without_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/failalloc.h"

/* The child's exit codes; 1 is that of jr_end_process. */
enum { WENT_ON = 0, ENDED = 1, NO_MORE = 42 };

/** In the child: doesn't return. */
static void run_one(void (*subject)(void *ctx), void *ctx, long n, int out)
{
    (void)dup2(out, STDERR_FILENO);
    jr_failalloc_arm(n);
    subject(ctx);
    jr_failalloc_disarm();
    _exit(jr_failalloc_hit() ? WENT_ON : NO_MORE);
}

/** What the child says, until it ends. */
static void read_all(int fd, char *text, size_t cap)
{
    size_t used = 0;
    ssize_t n;

    while ((n = read(fd, text + used, cap - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
}

static int run_child(void (*subject)(void *ctx), void *ctx, long n, char *text, size_t cap)
{
    int ends[2], status;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_one(subject, ctx, n, ends[1]);
    (void)close(ends[1]);
    read_all(ends[0], text, cap);
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("allocation %ld failed: signal %d: %s", n, WTERMSIG(status), text);
    return WEXITSTATUS(status);
}

size_t jr_each_without_memory(void (*subject)(void *ctx), void *ctx)
{
    char text[4096];
    size_t ended = 0;

    for (long n = 1;; n++) {
        int code = run_child(subject, ctx, n, text, sizeof(text));

        if (code == NO_MORE)
            return ended;
        if (code == ENDED && strstr(text, ": out of memory\n") != NULL)
            ended++;
        else if (code != WENT_ON)
            fail_msg("allocation %ld failed: code %d: %s", n, code, text);
    }
}

bool jr_ends_saying(void (*subject)(void *ctx), void *ctx, const char *words)
{
    char text[4096];

    return run_child(subject, ctx, 0, text, sizeof(text)) == ENDED && strstr(text, words) != NULL;
}

bool jr_ends_without_memory(void (*subject)(void *ctx), void *ctx)
{
    return jr_ends_saying(subject, ctx, ": out of memory\n");
}
