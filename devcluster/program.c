/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes, whose logs are read for what they have come to. */
#include "devcluster/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "common/json/doc.h"

#define PATH_BYTES 4096
#define LOG_READ_MAX ((size_t)4 << 20)
#define END_MS 5000

/** Becomes the program. Runs in the child, which has one thread and goes no further. */
static _Noreturn void become(const char *path, char *const *argv, int log, pid_t parent)
{
    struct jr_error err;
    sigset_t none;

    (void)sigemptyset(&none);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent &&
        pthread_sigmask(SIG_SETMASK, &none, NULL) == 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        (void)execv(path, argv);
    (void)jr_fail_errno(&err, errno, path, "can't be run");
    (void)dprintf(log, "%s: %s\n", err.path, err.msg);
    _exit(127);
}

static void on_exit_of(void *ctx, int fd, unsigned events)
{
    struct jr_program *p = ctx;
    int how = 0;

    (void)fd;
    (void)events;
    if (waitpid(p->pid, &how, WNOHANG) == 0)
        return;
    p->pid = 0;
    jr_loop_fd_cancel(p->loop, &p->watch);
    p->on_end(p->ctx, p, how);
}

/** Appends the path of the program that lies in the folder of ours. */
static enum jr_status find_beside(const char *name, struct jr_buf *out, struct jr_error *err)
{
    char self[PATH_BYTES];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
    struct jr_str folder = { self, n < 0 ? 0 : (size_t)n };

    if (n < 0 || (size_t)n == sizeof(self))
        return jr_fail_errno(err, n < 0 ? errno : ENAMETOOLONG, "/proc/self/exe", "readlink");
    folder.n = (size_t)(jr_str_rfind(folder, '/') + 1);
    (void)jr_buf_add(out, folder);
    (void)jr_buf_adds(out, name);
    jr_must(out->failed);
    if (access(out->p, X_OK) != 0)
        return jr_fail_errno(err, errno, name, "expected it beside this program");
    return JR_OK;
}

enum jr_status jr_program_start(struct jr_program *p, const char **argv, struct jr_error *err)
{
    const pid_t self = getpid();
    JR_BUF path = { 0 };
    JR_CLOSE int log = open(p->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    enum jr_status st;

    if (log < 0)
        return jr_fail_errno(err, errno, p->log, "can't create");
    jr_buf_init(&path, JR_BUF_BY_INPUT);
    st = find_beside(p->name, &path, err);
    if (st != JR_OK)
        return st;
    argv[0] = p->name;
    p->pid = fork();
    if (p->pid == 0)
        become(path.p, (char *const *)(uintptr_t)argv, log, self); /* execv changes no argument */
    if (p->pid < 0) {
        p->pid = 0;
        return jr_fail_errno(err, errno, p->name, "fork");
    }
    p->pidfd = pidfd_open(p->pid, 0);
    if (p->pidfd < 0)
        return jr_fail_errno(err, errno, p->name, "pidfd_open");
    return jr_loop_fd_add(p->loop, p->pidfd, JR_LOOP_READ, on_exit_of, p, &p->watch, err);
}

/** Counts the lines of the log that say msg; ret_value: what the first of them has as key. */
static size_t count(const struct jr_program *p, const char *msg, const char *key, char **ret_value)
{
    struct jr_str rest, line;
    JR_BUF text = { 0 };
    size_t n = 0;

    jr_buf_init(&text, LOG_READ_MAX);
    if (jr_need(jr_file_read(p->log, &text, NULL)) != JR_OK)
        return 0;
    rest = jr_buf_str(&text);
    while (jr_str_cut(&rest, '\n', &line)) {
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
        const struct jr_node *root;

        if (jr_need(jr_doc_parse(line, &JR_READER_LENIENT, &doc, NULL)) != JR_OK)
            continue;
        root = jr_doc_root_const(doc);
        if (!jr_str_is(jr_get_str(root, "msg"), msg))
            continue;
        if (n++ == 0 && key != NULL && jr_get_str(root, key).p != NULL)
            *ret_value = jr_xstrndup(jr_get_str(root, key));
    }
    return n;
}

bool jr_program_has_said(const struct jr_program *p, const char *msg, const char *key,
                         char **ret_value)
{
    return count(p, msg, key, ret_value) > 0;
}

size_t jr_program_count(const struct jr_program *p, const char *msg)
{
    return count(p, msg, NULL, NULL);
}

void jr_program_terminate(const struct jr_program *p)
{
    if (p->pid > 0)
        (void)kill(p->pid, SIGTERM);
}

void jr_program_done(struct jr_program *p)
{
    struct pollfd end = { .fd = p->pidfd, .events = POLLIN };

    if (p->pid > 0) {
        jr_program_terminate(p);
        if (p->pidfd <= 0 || poll(&end, 1, END_MS) != 1)
            (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
        p->pid = 0;
    }
    if (p->loop != NULL)
        jr_loop_fd_cancel(p->loop, &p->watch);
    if (p->pidfd > 0)
        (void)close(p->pidfd);
    p->pidfd = 0;
    free(p->log);
    p->log = NULL;
}
