/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/webhook/process.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/webhook/ask.h"

#define ARGS_MAX 40

static void nap(void)
{
    const struct timespec t = { .tv_nsec = 5000000 };

    (void)nanosleep(&t, NULL);
}

time_t process_seconds(void)
{
    struct timespec t;

    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return t.tv_sec;
}

/* ---- the process ---- */

/** At most so many descriptors; 0: as many as this process. */
static bool limit_files(rlim_t files)
{
    const struct rlimit lim = { .rlim_cur = files, .rlim_max = files };

    return files == 0 || setrlimit(RLIMIT_NOFILE, &lim) == 0;
}

/* JR_WEBHOOK_BIN is the program's path, from the build. */
static void spawn(struct process *p, rlim_t files, const char *const *args)
{
    char *argv[ARGS_MAX + 2] = { (char *)(uintptr_t)JR_WEBHOOK_BIN };
    int fd = open(p->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int out = open(p->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0 && out >= 0);
    for (size_t i = 0; args[i] != NULL; i++) {
        assert_true(i < ARGS_MAX);
        argv[i + 1] = (char *)(uintptr_t)args[i];
    }
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        /* A test that fails leaves nothing behind. */
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && dup2(fd, STDERR_FILENO) >= 0 &&
            dup2(out, STDOUT_FILENO) >= 0 && limit_files(files))
            (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(fd);
    (void)close(out);
}

static void prepare(struct process *p)
{
    memset(p, 0, sizeof(*p));
    pki_begin(&p->pki);
    pki_path(&p->pki, "log", p->log);
    pki_path(&p->pki, "out", p->out);
}

bool process_logged(const struct process *p, const char *const *texts)
{
    char *log = slurp(p->log);
    char *save = NULL;
    bool found = false;

    assert_non_null(log);
    for (char *line = strtok_r(log, "\n", &save); line != NULL && !found;
         line = strtok_r(NULL, "\n", &save)) {
        found = true;
        for (size_t i = 0; texts[i] != NULL; i++)
            found = found && strstr(line, texts[i]) != NULL;
    }
    free(log);
    return found;
}

static bool ended(struct process *p, int *ret_code)
{
    int status = 0;

    if (p->pid == 0 || waitpid(p->pid, &status, WNOHANG) != p->pid)
        return false;
    p->pid = 0;
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return true;
}

static void JR_UNUSED show_log(const struct process *p)
{
    char *log = slurp(p->log);

    print_error("log:\n%s\n", log == NULL ? "" : log);
    free(log);
}

void process_await_log(const struct process *p, const char *const *texts)
{
    time_t until = process_seconds() + PATIENCE_S;

    while (!process_logged(p, texts)) {
        if (process_seconds() > until) {
            show_log(p);
            fail_msg("never logged: %s ...", texts[0]);
        }
        nap();
    }
}

/** The port in the line {"msg":"serving","listener":NAME,"address":"127.0.0.1:PORT"}; 0 while there
 * is none. */
static int port_of(const struct process *p, const char *listener)
{
    char want[64], *log = slurp(p->log), *at, *end;
    int port = 0;

    (void)snprintf(want, sizeof(want), "\"listener\":\"%s\",\"address\":\"127.0.0.1:", listener);
    at = strstr(log, want);
    if (at != NULL) {
        for (at += strlen(want), end = at; *end >= '0' && *end <= '9'; end++)
            port = port * 10 + (*end - '0');
        if (*end != '"')
            port = 0;
    }
    free(log);
    return port;
}

static void await_listeners(struct process *p)
{
    time_t until = process_seconds() + PATIENCE_S;
    int code;

    for (;;) {
        p->port = port_of(p, "webhook");
        p->health_port = port_of(p, "health");
        p->metrics_port = port_of(p, "metrics");
        if (p->port > 0 && p->health_port > 0 && p->metrics_port > 0)
            return;
        if (ended(p, &code) || process_seconds() > until) {
            show_log(p);
            fail_msg("it does not serve");
        }
        nap();
    }
}

void process_start(struct process *p, const char *const *args)
{
    const char *all[ARGS_MAX + 1] = { "--bind-address=127.0.0.1",
                                      "--port=0",
                                      "--health-probe-bind-address=127.0.0.1:0",
                                      "--metrics-bind-address=127.0.0.1:0",
                                      "--shutdown-delay-duration=0",
                                      "--log-level=debug",
                                      "--tls-cert-file",
                                      NULL,
                                      "--tls-private-key-file",
                                      NULL };
    size_t n = 10;

    prepare(p);
    pki_make(&p->pki, PKI_EC, 3600, NULL);
    all[7] = p->pki.cert;
    all[9] = p->pki.key;
    for (size_t i = 0; args != NULL && args[i] != NULL; i++) {
        assert_true(n < ARGS_MAX);
        all[n++] = args[i];
    }
    spawn(p, 0, all);
    await_listeners(p);
}

int process_try_within(struct process *p, rlim_t files, const char *const *args)
{
    prepare(p);
    spawn(p, files, args);
    return process_wait(p);
}

int process_try(struct process *p, const char *const *args)
{
    return process_try_within(p, 0, args);
}

void process_signal(const struct process *p, int signo)
{
    assert_true(p->pid > 0);
    assert_int_equal(kill(p->pid, signo), 0);
}

int process_wait(struct process *p)
{
    time_t until = process_seconds() + PATIENCE_S;
    int code = 0;

    while (!ended(p, &code)) {
        if (process_seconds() > until) {
            show_log(p);
            fail_msg("it does not end");
        }
        nap();
    }
    return code;
}

void process_end(struct process *p)
{
    if (p->pid > 0) {
        (void)kill(p->pid, SIGKILL);
        (void)waitpid(p->pid, NULL, 0);
        p->pid = 0;
    }
    pki_end(&p->pki);
}

void process_stop(struct process *p)
{
    int code;

    process_signal(p, SIGTERM);
    code = process_wait(p);
    if (code != 0) {
        show_log(p);
        fail_msg("exit code %d", code);
    }
    process_end(p);
}

void await_metric(const struct process *p, const char *series, double least)
{
    time_t until = process_seconds() + PATIENCE_S;
    double v;

    while ((v = metric(p, series)) < least) {
        if (process_seconds() > until) {
            show_log(p);
            fail_msg("%s is %f, not %f", series, v, least);
        }
        nap();
    }
}
