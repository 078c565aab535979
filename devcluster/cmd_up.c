/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve-devcluster up: a whole batch system by one command. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/http/service.h"
#include "devcluster/cluster.h"
#include "devcluster/commands.h"
#include "devcluster/data_dir.h"
#include "devcluster/program.h"
#include "devcluster/setup.h"

#define LOOK_NS (5 * JR_MSEC)
#define START_NS (30 * JR_SEC)
/* A Ctrl-C goes to all of us at once: it is no fault of a program to end before we know of it. */
#define END_GRACE_NS (50 * JR_MSEC)
#define ARGS_MAX 24

struct config {
    struct jr_devcluster_flags cluster;
    struct jr_flag_list policies;
    const char *faults, *queues;
};

static const struct jr_flag table[] = {
    JR_DEVCLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "policy",
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, policies),
      .help = "The `files` of JobPolicies to begin with." },
    { .name = "faults",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, faults),
      .help = "The `file` of rules by which requests fail, as PUT /devcluster/faults takes them." },
    { .name = "queues",
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, queues),
      .help = "The `users` that stop and start Jobs, with commas between, for the webhook; kubectl "
              "--as is one of\nthem. Default: Kueue's." },
    { .name = NULL },
};
const struct jr_flags jr_dev_up_flags = {
    .program = "jobreeve-devcluster up",
    .summary = "Starts a whole batch system on this machine: an API server in memory with a "
               "simulated\n"
               "kubelet, the webhook, the controller, JobPolicies. It ends with Ctrl-C, or when "
               "one of\n"
               "them does. Exit codes: 0 told to end, 1 a failure, 2 wrong use.",
    .table = table,
    .about = jr_dev_about,
};

struct up {
    const struct config *config;
    struct jr_profile profile;
    struct jr_log *log;
    int log_fd, lock;
    struct jr_loop *loop;
    struct jr_devcluster cluster;
    struct jr_curl *curl;
    struct jr_setup setup;
    struct jr_program webhook, controller;
    char *dir;     /* absolute */
    char *address; /* the webhook's */
    struct jr_timer *look, *late, *ended;
    bool set_up;
    char *files[JR_FLAG_LIST_MAX]; /* of policies, which the setup names in messages */
    struct jr_error err;           /* why it ends; JR_OK: it was told to */
};

static char *in_dir(const struct up *u, const char *name)
{
    return jr_xasprintf("%s/%s", u->dir, name);
}

static void remove_kubeconfigs(const struct up *u)
{
    JR_FREE char *published = in_dir(u, "kubeconfig");
    JR_FREE char *own = in_dir(u, "run/kubeconfig");

    (void)unlink(published);
    (void)unlink(own);
}

/** Ends all, in the order in which nobody misses another. */
static void up_done(struct up *u)
{
    jr_program_terminate(&u->controller);
    jr_program_terminate(&u->webhook);
    jr_program_done(&u->controller);
    jr_program_done(&u->webhook);
    jr_setup_done(&u->setup);
    jr_curl_free(u->curl);
    jr_devcluster_done(&u->cluster);
    if (u->loop != NULL) {
        jr_timer_cancel(u->loop, &u->look);
        jr_timer_cancel(u->loop, &u->late);
        jr_timer_cancel(u->loop, &u->ended);
    }
    jr_loop_free(u->loop);
    jr_log_free(u->log);
    if (u->dir != NULL)
        remove_kubeconfigs(u);
    if (u->lock >= 0)
        (void)close(u->lock);
    if (u->log_fd >= 0)
        (void)close(u->log_fd);
    for (size_t i = 0; i < JR_FLAG_LIST_MAX; i++)
        free(u->files[i]);
    free(u->dir);
    free(u->address);
}

static void fail(struct up *u, const struct jr_error *why)
{
    if (u->err.status == JR_OK)
        u->err = *why;
    jr_loop_stop(u->loop);
}

/* ---- the folder ---- */

static enum jr_status make_folders(struct up *u, struct jr_error *err)
{
    const char *dir = u->config->cluster.data_dir;
    static const char *const folders[] = { "run", "log" };
    enum jr_status st = jr_dev_dir_take(dir, &u->lock, err);

    if (st != JR_OK)
        return st;
    u->dir = realpath(dir, NULL);
    if (u->dir == NULL)
        return jr_fail_errno(err, errno, dir, "realpath");
    remove_kubeconfigs(u); /* of one that was killed: who waits for the file waits for ours */
    for (size_t i = 0; i < JR_ARRAY_SIZE(folders) && st == JR_OK; i++) {
        JR_FREE char *folder = in_dir(u, folders[i]);

        st = jr_dev_dir_make(folder, err);
    }
    return st;
}

static enum jr_status open_log(struct up *u, struct jr_error *err)
{
    JR_FREE char *path = in_dir(u, "log/devcluster.log");

    u->log_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (u->log_fd < 0)
        return jr_fail_errno(err, errno, path, "can't create");
    return jr_log_new(u->log_fd, JR_LOG_INFO, JR_LOG_JSON, "devcluster", &jr_clock_system, &u->log);
}

/* ---- programs ---- */

static void on_ended(void *ctx)
{
    struct up *u = ctx;

    u->ended = NULL;
    jr_loop_stop(u->loop);
}

static void on_program_end(void *ctx, struct jr_program *p, int how)
{
    struct up *u = ctx;

    if (u->err.status == JR_OK && WIFSIGNALED(how))
        (void)jr_fail(&u->err, JR_IO, p->name, "was ended by signal %d; see %s", WTERMSIG(how),
                      p->log);
    else if (u->err.status == JR_OK)
        (void)jr_fail(&u->err, JR_IO, p->name, "ended with exit code %d; see %s", WEXITSTATUS(how),
                      p->log);
    if (u->ended == NULL)
        jr_xloop_after(u->loop, END_GRACE_NS, on_ended, u, &u->ended);
}

/** Starts one of them: flags, ended by NULL, behind those that both have. */
static enum jr_status start_program(struct up *u, struct jr_program *p, const char *name,
                                    const char *log, const char *const *flags, struct jr_error *err)
{
    JR_FREE char *kubeconfig = in_dir(u, "run/kubeconfig");
    const char *argv[ARGS_MAX] = { name,
                                   "--kubeconfig",
                                   kubeconfig,
                                   "--kubernetes-version",
                                   u->config->cluster.version,
                                   "--policies",
                                   "--health-probe-bind-address",
                                   "0",
                                   "--metrics-bind-address",
                                   "0" };
    size_t n = 10;

    while (*flags != NULL)
        argv[n++] = *flags++;
    *p = (struct jr_program){ .name = name, .loop = u->loop, .on_end = on_program_end, .ctx = u };
    p->log = in_dir(u, log);
    return jr_program_start(p, argv, err);
}

static enum jr_status start_webhook(struct up *u, struct jr_error *err)
{
    const char *const names[] = { "127.0.0.1" };
    JR_CLEANUP(jr_cert_done) struct jr_cert leaf = { NULL, NULL };
    JR_FREE char *run = in_dir(u, "run");
    JR_FREE char *cert = in_dir(u, "run/tls.crt");
    JR_FREE char *key = in_dir(u, "run/tls.key");
    /* Nobody sends requests once we end, so that it need not wait for any. */
    const char *const flags[] = { "--bind-address",
                                  "127.0.0.1",
                                  "--port",
                                  "0",
                                  "--tls-cert-file",
                                  cert,
                                  "--tls-private-key-file",
                                  key,
                                  "--shutdown-delay-duration=0s",
                                  u->config->queues == NULL ? NULL : "--queues",
                                  u->config->queues,
                                  NULL };
    enum jr_status st =
        jr_cert_make_serving(&u->cluster.ca, names, 1, jr_loop_wall(u->loop), 30, &leaf, err);

    if (st == JR_OK)
        st = jr_dev_file_write(run, "tls.crt", jr_str(leaf.cert_pem), 0644, err);
    if (st == JR_OK)
        st = jr_dev_file_write(run, "tls.key", jr_str(leaf.key_pem), 0600, err);
    if (st == JR_OK)
        st = start_program(u, &u->webhook, "jobreeve-webhook", "log/webhook.log", flags, err);
    return st;
}

static enum jr_status start_controller(struct up *u, struct jr_error *err)
{
    static const char *const flags[] = { "--replace-builtin", "--ttl-after-finished",
                                         "--leader-elect=false", NULL };

    return start_program(u, &u->controller, "jobreeve-controller", "log/controller.log", flags,
                         err);
}

/* ---- ready ---- */

/** Writes the path as a shell reads it. */
static void quote(const char *path, struct jr_buf *out)
{
    if (path[strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+")] ==
        '\0') {
        (void)jr_buf_adds(out, path);
        return;
    }
    (void)jr_buf_addc(out, '\'');
    for (; *path != '\0'; path++) {
        if (*path == '\'')
            (void)jr_buf_adds(out, "'\\'");
        (void)jr_buf_addc(out, *path);
    }
    (void)jr_buf_addc(out, '\'');
}

static void greet(const struct up *u)
{
    const struct config *c = u->config;
    JR_FREE char *kubeconfig = in_dir(u, "kubeconfig");
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&out,
                      "API server   %s, Kubernetes %s in memory\n"
                      "webhook      https://%s\n"
                      "controller   runs Jobs, and removes them by their ttlSecondsAfterFinished; "
                      "CronJobs don't fire\n"
                      "node         %s: Pods run as their annotations say, no container does\n",
                      u->cluster.url, c->cluster.version, u->address,
                      c->cluster.node[0] == '\0' ? "none" : c->cluster.node);
    for (size_t i = 0; i < c->policies.n; i++)
        (void)jr_buf_addf(&out, "%-12s %.*s\n", i == 0 ? "policies" : "", JR_P(c->policies.v[i]));
    if (c->policies.n > 0)
        (void)jr_buf_adds(&out,
                          "             what violates one that denies is refused; hello, below, "
                          "may\n");
    if (c->faults != NULL)
        (void)jr_buf_addf(&out, "faults       %s\n", c->faults);
    (void)jr_buf_addf(&out, "logs         %s/log\n\n  export KUBECONFIG=", u->dir);
    quote(kubeconfig, &out);
    (void)jr_buf_addf(&out,
                      "\n"
                      "  kubectl create job hello --image=busybox -- echo hello\n"
                      "  jobreeve wait job/hello\n"
                      "  kubectl get jobs,pods\n\n"
                      "Ctrl-C ends it, or kill %ld.\n",
                      (long)getpid());
    jr_must(out.failed);
    (void)jr_buf_print(&out, stdout);
}

static void on_set_up(void *ctx)
{
    struct up *u = ctx;

    if (u->setup.err.status != JR_OK)
        fail(u, &u->setup.err);
    else
        u->set_up = true;
}

/** Goes on once the programs have said that they are there. */
static void on_look(void *ctx)
{
    struct up *u = ctx;
    struct jr_error err = { .status = JR_OK };

    u->look = NULL;
    jr_xloop_after(u->loop, LOOK_NS, on_look, u, &u->look);
    if (u->address == NULL && jr_program_has_said(&u->webhook, "serving", "address", &u->address)) {
        jr_setup_webhooks(&u->setup, u->address, u->cluster.ca.cert_pem);
        jr_setup_run(&u->setup);
    }
    if (!u->set_up || !jr_program_has_said(&u->controller, "caches synced", NULL, NULL) ||
        jr_program_count(&u->webhook, "JobPolicy in force") < u->setup.n_policies)
        return;
    if (!u->setup.is_faulty) {
        u->set_up = false;
        u->setup.is_faulty = true;
        jr_setup_run(&u->setup);
        return;
    }
    jr_timer_cancel(u->loop, &u->look);
    jr_timer_cancel(u->loop, &u->late);
    if (jr_devcluster_publish(&u->cluster, u->dir, "kubeconfig", &err) != JR_OK)
        fail(u, &err);
    else
        greet(u);
}

static void on_late(void *ctx)
{
    struct up *u = ctx;
    struct jr_error err;

    u->late = NULL;
    (void)jr_fail(&err, JR_TIMEOUT, u->address == NULL ? "jobreeve-webhook" : "jobreeve-controller",
                  "is not ready after %d s; see %s/log", (int)(START_NS / JR_SEC), u->dir);
    fail(u, &err);
}

static void on_signal(void *ctx, int signo)
{
    struct up *u = ctx;

    (void)signo;
    u->err = (struct jr_error){ .status = JR_OK };
    jr_loop_stop(u->loop);
}

/* ---- start ---- */

/** Reads the files first: what is wrong with them is said before anything is started. */
static enum jr_status read_files(struct up *u, struct jr_error *err)
{
    const struct config *c = u->config;
    enum jr_status st = JR_OK;

    for (size_t i = 0; i < c->policies.n && st == JR_OK; i++) {
        u->files[i] = jr_xstrndup(c->policies.v[i]);
        st = jr_setup_policies(&u->setup, u->files[i], err);
    }
    if (st == JR_OK && c->faults != NULL)
        st = jr_setup_faults(&u->setup, c->faults, err);
    return st;
}

static enum jr_status start_cluster(struct up *u, struct jr_error *err)
{
    struct jr_kube_config kube = { .token = u->cluster.token };
    JR_FREE char *run = in_dir(u, "run");
    enum jr_status st =
        jr_devcluster_start(&u->cluster, u->loop, &u->config->cluster, &u->profile, u->log, err);

    if (st != JR_OK)
        return st;
    kube.server = u->cluster.url;
    kube.ca_pem = u->cluster.ca.cert_pem;
    st = jr_curl_new(u->loop, &kube, "jobreeve-devcluster/" JR_VERSION, &u->curl, err);
    if (st != JR_OK)
        return st;
    u->setup.q.env = (struct jr_env){ u->loop, jr_rand_system, jr_curl_transport(u->curl) };
    u->setup.over = on_set_up;
    u->setup.ctx = u;
    return jr_devcluster_publish(&u->cluster, run, "kubeconfig", err);
}

static enum jr_status start(struct up *u, struct jr_error *err)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    enum jr_status st = make_folders(u, err);

    if (st == JR_OK)
        st = open_log(u, err);
    if (st == JR_OK)
        st = jr_loop_new(&jr_clock_system, &u->loop, err);
    for (size_t i = 0; i < JR_ARRAY_SIZE(signals) && st == JR_OK; i++)
        st = jr_loop_signal(u->loop, signals[i], on_signal, u, err);
    if (st == JR_OK)
        st = start_cluster(u, err);
    if (st == JR_OK)
        st = start_webhook(u, err);
    if (st == JR_OK)
        st = start_controller(u, err);
    if (st != JR_OK)
        return st;
    jr_xloop_after(u->loop, LOOK_NS, on_look, u, &u->look);
    jr_xloop_after(u->loop, START_NS, on_late, u, &u->late);
    return jr_loop_run(u->loop, err);
}

int jr_dev_up(int argc, char **argv)
{
    JR_CLEANUP(up_done) struct up u = { .log_fd = -1, .lock = -1 };
    struct config config;
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];
    int code = jr_flags_start(&jr_dev_up_flags, argc, argv, &config, NULL);

    if (code >= 0)
        return code;
    u.config = &config;
    if (jr_devcluster_profile(&config.cluster, &u.profile, &err) != JR_OK ||
        read_files(&u, &err) != JR_OK)
        code = 2;
    else {
        if (start(&u, &err) == JR_OK)
            err = u.err;
        code = err.status == JR_OK ? 0 : 1;
    }
    if (code != 0)
        jr_show_error("jobreeve-devcluster up: %s", jr_error_text(&err, text, sizeof(text)));
    return code;
}
