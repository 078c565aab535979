/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/without_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/base/num.h"
#include "tests/support/failalloc.h"

/* Exit codes; 1 is that of jr_end_process. */
enum { ENDED = 1, RETURNED = 42, SEEN_WRONG = 43 };

struct child {
    int pid;
    int says; /* where what it writes to stderr can be read */
};

/* What the process with the subject tells the test, in memory that they share. */
struct tally {
    size_t asked;
    size_t ended;
    char wrong[5000];
};

/** A lock that another thread holds while this one forks is held for ever in the child: the
 * allocator's, under AddressSanitizer. ThreadSanitizer has a thread of its own, and frees locks; so
 * has AddressSanitizer where it watches a limit of memory. */
static void want_no_other_thread(void)
{
#ifndef __SANITIZE_THREAD__
    const char *options = secure_getenv("ASAN_OPTIONS");
    const int most = options != NULL && strstr(options, "rss_limit_mb") != NULL ? 2 : 1;
    FILE *status = fopen("/proc/self/status", "re");
    char line[128];
    const struct jr_str key = JR_S("Threads:");
    int64_t n = 0;

    assert_non_null(status);
    while (n == 0 && fgets(line, sizeof(line), status) != NULL) {
        if (jr_str_starts(jr_str(line), key))
            assert_int_equal(
                jr_parse_i64(jr_str_trim(jr_str_from(jr_str(line), key.n)), 1, INT32_MAX, &n),
                JR_OK);
    }
    (void)fclose(status);
    assert_true(n > 0);
    assert_true(n <= most);
#endif
}

/** In the child the result's pid is 0, and stderr is the pipe. */
static struct child fork_with_pipe(void)
{
    struct child c;
    int ends[2];

    want_no_other_thread();
    assert_int_equal(pipe(ends), 0);
    c.says = ends[0];
    c.pid = fork();
    assert_true(c.pid >= 0);
    if (c.pid == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
    }
    (void)close(ends[1]);
    return c;
}

/** Reads what the child says, until it ends. Returns its exit code, or minus the signal. */
static int wait_for(const struct child *c, char *text, size_t cap)
{
    size_t used = 0;
    ssize_t n;
    int status;

    while ((n = read(c->says, text + used, cap - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
    (void)close(c->says);
    assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool ran_out(int code, const char *text)
{
    return code == ENDED && strstr(text, ": out of memory\n") != NULL;
}

/** At an allocation of the subject: it fails in a child, and nowhere else. */
static bool fail_in_a_child(void *ctx)
{
    struct tally *t = ctx;
    const struct child c = fork_with_pipe();
    char text[4096];
    int code;

    if (c.pid == 0)
        return true;
    t->asked++;
    code = wait_for(&c, text, sizeof(text));
    if (ran_out(code, text)) {
        t->ended++;
    } else if (code != RETURNED) {
        (void)snprintf(t->wrong, sizeof(t->wrong), "allocation %zu failed: code %d: %s", t->asked,
                       code, text);
        _exit(SEEN_WRONG);
    }
    return false;
}

/** Runs the subject in a child, and what it forks; NULL: without. */
static int run_child(void (*subject)(void *ctx), void *ctx, struct tally *t, char *text, size_t cap)
{
    struct child c;

    (void)fflush(NULL);
    c = fork_with_pipe();
    if (c.pid > 0)
        return wait_for(&c, text, cap);
    if (t != NULL)
        jr_failalloc_ask(fail_in_a_child, t);
    subject(ctx);
    _exit(RETURNED);
}

size_t jr_each_without_memory(void (*subject)(void *ctx), void *ctx)
{
    struct tally *t =
        mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char text[4096];
    size_t ended;
    int code;

    assert_ptr_not_equal(t, MAP_FAILED);
    code = run_child(subject, ctx, t, text, sizeof(text));
    if (code == SEEN_WRONG)
        fail_msg("%s", t->wrong);
    if (code != RETURNED)
        fail_msg("after %zu allocations: code %d: %s", t->asked, code, text);
    ended = t->ended;
    (void)munmap(t, sizeof(*t));
    return ended;
}

bool jr_ends_saying(void (*subject)(void *ctx), void *ctx, const char *words)
{
    char text[4096];

    return run_child(subject, ctx, NULL, text, sizeof(text)) == ENDED &&
           strstr(text, words) != NULL;
}

bool jr_ends_without_memory(void (*subject)(void *ctx), void *ctx)
{
    return jr_ends_saying(subject, ctx, ": out of memory\n");
}
