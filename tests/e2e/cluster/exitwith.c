/* SPDX-License-Identifier: Apache-2.0 */
/* What the Jobs of the tests run: exitwith [KEY=VALUE]...
 *   seconds=A,B,...  how long it runs
 *   code=A,B,...     the status it ends with then
 *   term=N           how long it goes on when told to end (SIGTERM)
 *   once=FILE        ends with 1 where FILE is not there yet, and makes it
 *   lines=N          prints "line 1" to "line N" at first, some a second's part apart, and, told to
 *                    end, "last 1" to "last N"
 * Without, 0 each. Of a list, what stands at the place JOB_COMPLETION_INDEX counts, the last for
 * those beyond. It begins by printing its host name and its environment. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct task {
    long code;
    long seconds;
    long term;
    long lines;
    const char *once;
};

/* The digits that a text begins with. */
static long number(const char *p)
{
    long n = 0;

    for (; *p >= '0' && *p <= '9' && n < 1000000; p++)
        n = n * 10 + (*p - '0');
    return n;
}

static long of_index(const char *list)
{
    const char *index =
        getenv("JOB_COMPLETION_INDEX"); /* NOLINT(concurrency-mt-unsafe): one thread */
    long i = index ? number(index) : 0;
    const char *p = list;

    for (; i > 0 && strchr(p, ','); i--)
        p = strchr(p, ',') + 1;
    return number(p);
}

static int read_arguments(struct task *task, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "code=", 5) == 0)
            task->code = of_index(argv[i] + 5);
        else if (strncmp(argv[i], "seconds=", 8) == 0)
            task->seconds = of_index(argv[i] + 8);
        else if (strncmp(argv[i], "term=", 5) == 0)
            task->term = number(argv[i] + 5);
        else if (strncmp(argv[i], "lines=", 6) == 0)
            task->lines = number(argv[i] + 6);
        else if (strncmp(argv[i], "once=", 5) == 0)
            task->once = argv[i] + 5;
        else
            return -1;
    }
    return 0;
}

/* Whether a SIGTERM came within that time. PID 1 gets no signal that it doesn't take up itself. */
static int told_to_end(const sigset_t *set, long seconds)
{
    struct timespec wait = { .tv_sec = seconds };

    return sigtimedwait(set, NULL, &wait) == SIGTERM;
}

static void print_lines(const char *word, long n)
{
    for (long i = 1; i <= n; i++) {
        (void)printf("%s %ld\n", word, i);
        if (i % 10 == 0) {
            (void)fflush(stdout);
            (void)nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
        }
    }
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    struct task task = { 0 };
    char host[256] = "";
    sigset_t set;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
    if (sigemptyset(&set) || sigaddset(&set, SIGTERM) || sigprocmask(SIG_BLOCK, &set, NULL))
        return 100;
    if (gethostname(host, sizeof(host) - 1) || read_arguments(&task, argc, argv))
        return 100;
    (void)printf("hostname=%s\n", host);
    for (char **e = environ; *e; e++)
        (void)puts(*e);
    (void)fflush(stdout);
    print_lines("line", task.lines);
    if (task.once) {
        int fd = open(task.once, O_CREAT | O_EXCL | O_WRONLY, 0600);

        if (fd >= 0)
            return 1;
    }
    if (!told_to_end(&set, task.seconds))
        return (int)task.code;
    print_lines("last", task.lines);
    if (task.term > 0)
        (void)nanosleep(&(struct timespec){ .tv_sec = task.term }, NULL);
    return 143;
}
