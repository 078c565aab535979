/* SPDX-License-Identifier: Apache-2.0 */
/* A credential plugin as a child process: spawned, read, ended. */
#include "common/curl/exec_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/curl/config_parts.h"

#define SLOW_NS (10 * JR_SEC)
#define END_MS 1000
#define INFO "KUBERNETES_EXEC_INFO="

struct jr_exec_run {
    struct jr_loop *loop;
    const struct jr_exec_plugin *plugin;
    struct jr_exec_handler h;
    pid_t pid; /* 0: none, or it has been waited for */
    int pidfd;
    int out; /* its standard output */
    struct jr_loop_fd *watch_end, *watch_out;
    struct jr_timer *slow;
    struct jr_buf printed;
};

/* ---- the environment ---- */

static bool same_name(const char *a, const char *b)
{
    const char *eq = strchr(a, '=');

    return eq != NULL && strncmp(a, b, (size_t)(eq - a) + 1) == 0;
}

/** Whether a variable of ours has another value for the plugin. */
static bool is_replaced(const struct jr_exec_plugin *p, const char *var)
{
    for (size_t i = 0; i < p->n_env; i++) {
        if (same_name(p->env[i], var))
            return true;
    }
    return same_name(INFO, var);
}

/** The plugin's environment: info last; the array is the caller's to free, the texts are not. */
static char **environment(const struct jr_exec_plugin *p, char *info)
{
    size_t n = 0, ours = 0;
    char **env;

    while (environ != NULL && environ[ours] != NULL)
        ours++;
    env = jr_xcalloc(ours + p->n_env + 2, sizeof(*env));
    for (size_t i = 0; i < ours; i++) {
        if (!is_replaced(p, environ[i]))
            env[n++] = environ[i];
    }
    for (size_t i = 0; i < p->n_env; i++)
        env[n++] = p->env[i];
    env[n] = info;
    return env;
}

/* ---- the start ---- */

static enum jr_status not_started(const struct jr_exec_run *run, int errnum, struct jr_error *err)
{
    const struct jr_exec_plugin *p = run->plugin;
    JR_FREE char *hint = jr_xstrndup(jr_str_trim(jr_str(p->install_hint)));

    for (char *c = hint; *c != '\0'; c++) {
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
    }
    if (errnum != ENOENT)
        return jr_fail_errno(err, errnum, NULL, "%s can't be run", p->command);
    return jr_fail(err, JR_NOTFOUND, NULL, "%s isn't installed%s%s", p->command,
                   hint[0] == '\0' ? "" : ": ", hint);
}

/** Sets what the child begins with: no signal is blocked in it, as our loop does. */
static int set_attributes(posix_spawnattr_t *attr)
{
    sigset_t none, pipe_only;
    int bad;

    (void)sigemptyset(&none);
    (void)sigemptyset(&pipe_only);
    (void)sigaddset(&pipe_only, SIGPIPE);
    bad = posix_spawnattr_setsigmask(attr, &none);
    if (bad == 0)
        bad = posix_spawnattr_setsigdefault(attr, &pipe_only);
    if (bad == 0)
        bad = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    return bad;
}

static int spawn_with(struct jr_exec_run *run, char **argv, char **env, int out, bool interactive)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    int bad = posix_spawn_file_actions_init(&files);

    if (bad != 0)
        return bad;
    bad = posix_spawnattr_init(&attr);
    if (bad != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return bad;
    }
    bad = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    if (bad == 0 && !interactive)
        bad = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (bad == 0)
        bad = set_attributes(&attr);
    if (bad == 0)
        bad = posix_spawnp(&run->pid, run->plugin->command, &files, &attr, argv, env);
    (void)posix_spawnattr_destroy(&attr);
    (void)posix_spawn_file_actions_destroy(&files);
    return bad;
}

static enum jr_status spawn(struct jr_exec_run *run, bool interactive, struct jr_error *err)
{
    const struct jr_exec_plugin *p = run->plugin;
    JR_FREE char **argv = jr_xcalloc(p->n_args + 2, sizeof(*argv));
    JR_FREE char **env = NULL;
    JR_BUF info = { 0 };
    int ends[2], bad;

    jr_buf_init(&info, JR_BUF_BY_INPUT);
    (void)jr_buf_adds(&info, INFO);
    jr_exec_request_write(p, interactive, &info);
    jr_must(info.failed);
    env = environment(p, info.p);
    argv[0] = p->command;
    for (size_t i = 0; i < p->n_args; i++)
        argv[1 + i] = p->args[i];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return jr_fail_errno(err, errno, NULL, "%s can't be run", p->command);
    run->out = ends[0];
    bad = fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0
              ? errno
              : spawn_with(run, argv, env, ends[1], interactive);
    (void)close(ends[1]);
    if (bad != 0) {
        run->pid = 0;
        return not_started(run, bad, err);
    }
    run->pidfd = pidfd_open(run->pid, 0);
    return run->pidfd >= 0 ? JR_OK : jr_fail_errno(err, errno, NULL, "pidfd_open");
}

/* ---- while it runs ---- */

/** Reads what there is. False at the end of the output. */
static bool read_printed(struct jr_exec_run *run)
{
    char part[4096];
    ssize_t n;

    while ((n = read(run->out, part, sizeof(part))) > 0)
        (void)jr_need(jr_buf_add(&run->printed, (struct jr_str){ part, (size_t)n }));
    explicit_bzero(part, sizeof(part));
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void on_output(void *ctx, int fd, unsigned events)
{
    struct jr_exec_run *run = ctx;

    (void)fd;
    (void)events;
    if (!read_printed(run))
        jr_loop_fd_cancel(run->loop, &run->watch_out);
}

static enum jr_status take_answer(struct jr_exec_run *run, int how, struct jr_exec_credential *ret,
                                  struct jr_error *err)
{
    const char *name = run->plugin->command;
    char words[sizeof(err->path) + sizeof(err->msg) + 8];
    enum jr_status st;

    if (WIFSIGNALED(how))
        return jr_fail(err, JR_IO, NULL, "%s was ended by signal %d", name, WTERMSIG(how));
    if (WEXITSTATUS(how) != 0)
        return jr_fail(err, JR_IO, NULL, "%s failed with exit code %d", name, WEXITSTATUS(how));
    if (run->printed.failed == JR_LIMIT)
        return jr_fail(err, JR_LIMIT, NULL, "%s printed more than %zu bytes", name,
                       run->printed.max);
    st = jr_exec_credential_read(jr_buf_str(&run->printed), run->plugin->api_version, ret, err);
    if (st == JR_OK)
        return JR_OK;
    (void)jr_error_text(err, words, sizeof(words));
    return jr_fail(err, st, NULL, "what %s printed: %.300s", name, words);
}

static void on_end(void *ctx, int fd, unsigned events)
{
    struct jr_exec_run *run = ctx;
    struct jr_exec_credential c = { 0 };
    struct jr_error err = { 0 };
    enum jr_status st;
    int how = 0;

    (void)fd;
    (void)events;
    if (waitpid(run->pid, &how, WNOHANG) != run->pid)
        return;
    run->pid = 0;
    (void)read_printed(
        run); /* a child of its own may keep the output open: that isn't waited for */
    jr_loop_fd_cancel(run->loop, &run->watch_end);
    jr_loop_fd_cancel(run->loop, &run->watch_out);
    jr_timer_cancel(run->loop, &run->slow);
    st = take_answer(run, how, &c, &err);
    run->h.on_done(run->h.ctx, st == JR_OK ? &c : NULL, &err);
    jr_exec_credential_done(&c);
}

static void on_slow(void *ctx)
{
    struct jr_exec_run *run = ctx;

    run->slow = NULL;
    run->h.on_slow(run->h.ctx);
}

enum jr_status jr_exec_start(struct jr_loop *loop, const struct jr_exec_plugin *plugin,
                             const struct jr_exec_handler *handler, struct jr_exec_run **ret,
                             struct jr_error *err)
{
    const bool terminal = isatty(STDIN_FILENO) == 1;
    struct jr_exec_run *run;
    enum jr_status st;

    if (plugin->input == JR_EXEC_ALWAYS && !terminal)
        return jr_fail(
            err, JR_USAGE, NULL,
            "%s needs a terminal (interactiveMode is Always), and standard input is none",
            plugin->command);
    run = jr_xcalloc(1, sizeof(*run));
    run->loop = loop;
    run->plugin = plugin;
    run->h = *handler;
    run->pidfd = run->out = -1;
    jr_buf_init(&run->printed, JR_EXEC_OUTPUT_MAX);
    st = spawn(run, terminal && plugin->input != JR_EXEC_NEVER, err);
    if (st == JR_OK)
        st = jr_loop_fd_add(loop, run->pidfd, JR_LOOP_READ, on_end, run, &run->watch_end, err);
    if (st == JR_OK)
        st = jr_loop_fd_add(loop, run->out, JR_LOOP_READ, on_output, run, &run->watch_out, err);
    if (st != JR_OK) {
        jr_exec_end(run);
        return st;
    }
    jr_xloop_after(loop, SLOW_NS, on_slow, run, &run->slow);
    *ret = run;
    return JR_OK;
}

/* ---- the end ---- */

static void end_process(const struct jr_exec_run *run)
{
    struct pollfd ended = { .fd = run->pidfd, .events = POLLIN };

    (void)kill(run->pid, SIGTERM);
    if (run->pidfd < 0 || poll(&ended, 1, END_MS) != 1)
        (void)kill(run->pid, SIGKILL);
    (void)waitpid(run->pid, NULL, 0);
}

void jr_exec_end(struct jr_exec_run *run)
{
    if (run == NULL)
        return;
    jr_loop_fd_cancel(run->loop, &run->watch_end);
    jr_loop_fd_cancel(run->loop, &run->watch_out);
    jr_timer_cancel(run->loop, &run->slow);
    if (run->pid > 0)
        end_process(run);
    if (run->pidfd >= 0)
        (void)close(run->pidfd);
    if (run->out >= 0)
        (void)close(run->out);
    jr_buf_wipe(&run->printed);
    free(run);
}
