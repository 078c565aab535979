/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve wait: until Jobs are over. */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/asked.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/manifest_file.h"
#include "cli/stream.h"
#include "cli/wait/progress.h"
#include "cli/wait/wait.h"
#include "cli/wait_report.h"
#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/rules/names.h"

#define PROGRESS_NS JR_SEC
#define PROGRESS_EVERY_S 30 /* where lines stay: in a pipe */
#define PATIENCE_NS (300 * JR_SEC)
#define OUT_MAX ((size_t)64 << 20)

enum format { FORMAT_TEXT, FORMAT_GITHUB };
static const char *const formats[] = { "text", "github", NULL };

struct config {
    struct jr_cluster_flags cluster;
    const char *namespace;
    const char *selector;
    struct jr_flag_list files;
    bool any, early, follow;
    int64_t stuck_ms, timeout_ms;
    int output; /* enum format */
};

static const struct jr_flag table[] = {
    JR_CLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "namespace",
      .letter = 'n',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, namespace),
      .help = "The `namespace` of the Jobs; default: the context's." },
    { .name = "selector",
      .letter = 'l',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, selector),
      .help = "Waits for the Jobs whose labels match this `selector` now." },
    { .name = "filename",
      .letter = 'f',
      .type = JR_FLAG_LIST,
      .offset = offsetof(struct config, files),
      .help = "Waits for the Jobs of this `file` or folder; - is standard input, as of kubectl "
              "create -o yaml." },
    { .name = "any",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, any),
      .help = "Ends with the first Job that is over, with its exit code." },
    { .name = "early",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, early),
      .help = "A Job has failed once that is decided (FailureTarget), while Pods still end." },
    { .name = "follow",
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, follow),
      .help = "Prints every line that the Jobs' Pods write, with the Pod's name." },
    { .name = "stuck-after",
      .type = JR_FLAG_DURATION,
      .offset = offsetof(struct config, stuck_ms),
      .initial = "5m",
      .max = 30 * 86400000LL,
      .help = "The `time` after which a Job that waits for somebody's hand (an image that can't be "
              "pulled, Pods that are refused) counts as stuck; 0: never." },
    { .name = "timeout",
      .type = JR_FLAG_DURATION,
      .offset = offsetof(struct config, timeout_ms),
      .initial = "0",
      .max = 365 * 86400000LL,
      .help = "The `time` after which the waiting is given up; 0: never." },
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, output),
      .initial = "text",
      .choices = formats,
      .help = "The format to write; github: workflow commands, and a summary of the run." },
    { .name = NULL },
};
const struct jr_flags jr_cli_wait_flags = {
    .program = "jobreeve wait",
    .summary =
        "Waits until Jobs are over, and says how they ended.\n\n"
        "A Job that doesn't exist yet is waited for, too. Exit codes: 0 all are Complete, 1 one "
        "has\n"
        "Failed, 2 wrong use or no connection, 3 one is stuck, 4 one was deleted or replaced, 124 "
        "not\n"
        "over in time, 130 interrupted. With several Jobs the first of 1, 4, 3, 124 that applies.",
    .args = "[job/NAME]...",
    .table = table,
    .about = jr_cli_about,
};

struct waiting {
    const struct config *config;
    struct jr_cluster cluster;
    struct jr_wait_jobs jobs;
    struct jr_wait *wait;
    struct jr_timer *progress;
    struct jr_buf out;
    char *shown;       /* the last line of progress; NULL: there was none */
    unsigned shown_at; /* in ticks */
    unsigned ticks;
    bool terminal; /* standard error is one */
    bool standing; /* a line of progress stands there */
    struct jr_error err;
    char token[33]; /* that stops workflow commands */
};

static void waiting_done(struct waiting *w)
{
    jr_wait_free(w->wait);
    if (w->cluster.loop != NULL)
        jr_timer_cancel(w->cluster.loop, &w->progress);
    jr_cluster_close(&w->cluster);
    jr_wait_jobs_done(&w->jobs);
    jr_buf_done(&w->out);
    free(w->shown);
}

/* ---- Jobs ---- */

/** NAME of job/NAME; {NULL, 0}: it isn't one. */
static struct jr_str job_name(struct jr_str arg)
{
    struct jr_asked asked;

    if (jr_asked_split(arg, &asked) && strcmp(asked.kind, "Job") == 0 && asked.name.n > 0)
        return asked.name;
    return (struct jr_str){ NULL, 0 };
}

static const char *namespace_of(const struct waiting *w)
{
    return jr_cluster_namespace(&w->cluster, w->config->namespace);
}

static enum jr_status take_object(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct waiting *w = ctx;
    const struct jr_node *meta = jr_get(m->node, "metadata");
    const struct jr_str name = jr_get_str(meta, "name"), own = jr_get_str(meta, "namespace");

    if (!jr_str_is(m->kind, "Job") || !jr_str_starts(m->api_version, JR_S("batch/")))
        return JR_OK;
    if (name.n == 0)
        return jr_fail(err, JR_INVALID, "metadata.name",
                       "is missing: a Job that gets its name from the server is in what kubectl "
                       "create -o yaml prints");
    if (own.n > 0 && w->config->namespace != NULL && !jr_str_is(own, w->config->namespace))
        return jr_fail(err, JR_INVALID, "metadata.namespace", "is \"%.*s\", and --namespace is %s",
                       JR_P(own), w->config->namespace);
    (void)jr_wait_jobs_add(&w->jobs, own.n > 0 ? own : jr_str(namespace_of(w)), name,
                           jr_get_str(meta, "uid"));
    return JR_OK;
}

static void read_file(void *ctx, const char *path)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    struct waiting *w = ctx;
    const struct jr_stream_sink sink = { .object = take_object, .ctx = w };
    char text[sizeof(w->err.path) + sizeof(w->err.msg) + 8];
    struct jr_error err = { .status = JR_OK };
    JR_BUF file = { 0 };

    jr_buf_init(&file, JR_STREAM_MAX_BYTES);
    if (jr_input_read(path, &file, &err) == JR_OK &&
        jr_stream_read(jr_buf_str(&file), &limits, &sink, &err) == JR_OK)
        return;
    if (w->err.status == JR_OK)
        (void)jr_fail(&w->err, err.status, path, "%s",
                      strcmp(err.path, path) == 0 ? err.msg
                                                  : jr_error_text(&err, text, sizeof(text)));
}

static void add_fault(void *ctx, const char *path, const char *why)
{
    struct waiting *w = ctx;

    if (w->err.status == JR_OK)
        (void)jr_fail(&w->err, JR_IO, path, "%s", why);
}

static enum jr_status find_jobs(struct waiting *w, int n, char **args)
{
    const struct jr_files_sink sink = { read_file, add_fault, w };
    const struct jr_flag_list *files = &w->config->files;

    if ((n > 0) + (files->n > 0) + (w->config->selector != NULL) != 1)
        return jr_fail(&w->err, JR_USAGE, NULL,
                       "expected job/NAME, or --selector, or --filename, and one of them only");
    for (int i = 0; i < n; i++) {
        const struct jr_str name = job_name(jr_str(args[i]));

        if (name.n == 0)
            return jr_fail(&w->err, JR_USAGE, args[i], "expected job/NAME%s%s",
                           strchr(args[i], '/') == NULL ? ", as in job/" : "",
                           strchr(args[i], '/') == NULL ? args[i] : "");
        if (jr_name_check_object(args[i], name, &w->err) != JR_OK)
            return JR_USAGE;
        (void)jr_wait_jobs_add(&w->jobs, jr_str(namespace_of(w)), name, (struct jr_str){ NULL, 0 });
    }
    for (size_t i = 0; i < files->n; i++) {
        JR_FREE char *path = jr_xstrndup(files->v[i]);

        jr_files_walk(path, &sink);
    }
    if (w->err.status == JR_OK && w->config->selector == NULL && w->jobs.n == 0)
        return jr_fail(&w->err, JR_INVALID, "--filename", "there is no Job in what was given");
    return w->err.status;
}

/* ---- what is shown meanwhile ---- */

static void hide_progress(struct waiting *w)
{
    if (w->standing)
        (void)fputs("\r\x1b[K", stderr);
    w->standing = false;
}

/** Shows the line in place of the last one, cut: what goes on below couldn't be taken away. */
static void show_standing(struct waiting *w, const char *line)
{
    struct winsize size = { .ws_col = 0 };
    int width = 79;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        width = size.ws_col - 1;
    hide_progress(w);
    (void)fprintf(stderr, "%.*s", width, line);
    (void)fflush(stderr);
    w->standing = true;
}

static void show_progress(struct waiting *w, const char *line)
{
    if (w->terminal) {
        show_standing(w, line);
        return;
    }
    if (w->shown != NULL &&
        (w->ticks - w->shown_at < PROGRESS_EVERY_S || strcmp(w->shown, line) == 0))
        return;
    (void)fprintf(stderr, "%s\n", line);
    free(w->shown);
    w->shown = jr_xstrdup(line);
    w->shown_at = w->ticks;
}

static void on_progress(void *ctx)
{
    struct waiting *w = ctx;
    JR_BUF line = { 0 }, shown = { 0 };

    w->ticks++;
    w->progress = NULL;
    jr_xloop_after(w->cluster.loop, PROGRESS_NS, on_progress, w, &w->progress);
    jr_buf_init(&line, JR_BUF_BY_INPUT);
    jr_buf_init(&shown, JR_BUF_BY_INPUT);
    if (w->jobs.n > 0)
        jr_wait_progress(&w->jobs, jr_loop_wall(w->cluster.loop), &line);
    jr_show(jr_buf_str(&line), &shown);
    jr_must(shown.failed);
    if (shown.n > 0)
        show_progress(w, shown.p);
}

/** Writes to standard output what out has; a fault ends the command. */
static void write_out(struct waiting *w)
{
    hide_progress(w);
    if (w->out.failed == JR_OK && w->out.n > 0 && !jr_buf_print(&w->out, stdout) &&
        w->err.status == JR_OK) {
        (void)jr_fail_errno(&w->err, errno, "standard output", "write");
        jr_loop_stop(w->cluster.loop);
    }
    jr_must(w->out.failed);
    jr_buf_reset(&w->out);
}

static void on_line(void *ctx, struct jr_str pod, const char *container, struct jr_str text)
{
    struct waiting *w = ctx;

    jr_wait_log_line(pod, container, text, &w->out);
    write_out(w);
}

static void on_missing(void *ctx, struct jr_str pod, const char *container, struct jr_str words)
{
    struct waiting *w = ctx;

    hide_progress(w);
    jr_show_error("jobreeve wait: Pod %.*s%s%s: %.*s", JR_P(pod),
                  container == NULL ? "" : ", container ", container == NULL ? "" : container,
                  JR_P(words));
}

static bool can_do_without(void *ctx, const char *path)
{
    struct waiting *w = ctx;

    return w->wait != NULL && jr_wait_can_do_without(w->wait, path);
}

/* ---- the end ---- */

static void on_over(void *ctx, const struct jr_error *why)
{
    struct waiting *w = ctx;

    if (why != NULL)
        w->err = *why;
    jr_loop_stop(w->cluster.loop);
}

/** Adds the summary to the page of a run of GitHub Actions. */
static void add_summary(const struct waiting *w, struct jr_time now)
{
    const char *path = secure_getenv("GITHUB_STEP_SUMMARY");
    struct jr_error err;
    char shown[sizeof(err.path) + sizeof(err.msg) + 8];
    JR_BUF text = { 0 };
    FILE *f;

    if (path == NULL || path[0] == '\0')
        return;
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_wait_report_markdown(&w->jobs, now, &text);
    jr_must(text.failed);
    f = fopen(path, "ae");
    if (f == NULL || !jr_buf_print(&text, f)) {
        (void)jr_fail_errno(&err, errno, path, "the summary can't be written");
        jr_show_error("jobreeve wait: %s", jr_error_text(&err, shown, sizeof(shown)));
    }
    if (f != NULL)
        (void)fclose(f);
}

static void report(struct waiting *w)
{
    const struct jr_time now = jr_loop_wall(w->cluster.loop);

    if (w->config->output == FORMAT_GITHUB) {
        jr_wait_report_github(&w->jobs, now, w->token, &w->out);
        add_summary(w, now);
    } else {
        jr_wait_report_text(&w->jobs, now, &w->out);
    }
    write_out(w);
}

static enum jr_status begin(struct waiting *w, int n, char **args)
{
    const struct config *c = w->config;
    const struct jr_wait_options options = {
        .jobs = &w->jobs,
        .selector = c->selector,
        .namespace = namespace_of(w),
        .any = c->any,
        .follow = c->follow,
        .stuck_ns = c->stuck_ms * JR_MSEC,
        .timeout_ns = c->timeout_ms * JR_MSEC,
        .out = { on_line, on_missing, w },
        .over = on_over,
        .ctx = w,
    };
    const enum jr_status st = find_jobs(w, n, args);

    if (st != JR_OK)
        return st;
    w->jobs.early = c->early;
    w->terminal = isatty(STDERR_FILENO) == 1;
    w->cluster.can_do_without = can_do_without;
    w->cluster.ctx = w;
    w->cluster.patience_ns = PATIENCE_NS;
    jr_buf_init(&w->out, OUT_MAX);
    if (c->output == FORMAT_GITHUB) {
        (void)snprintf(w->token, sizeof(w->token), "%016llx%016llx",
                       (unsigned long long)w->cluster.env.rand.next(w->cluster.env.rand.self),
                       (unsigned long long)w->cluster.env.rand.next(w->cluster.env.rand.self));
        (void)jr_buf_addf(&w->out, "::stop-commands::%s\n", w->token);
        write_out(w);
    }
    w->wait = jr_wait_new(&w->cluster.env, &options);
    jr_xloop_after(w->cluster.loop, PROGRESS_NS, on_progress, w, &w->progress);
    return JR_OK;
}

int jr_cli_wait(int argc, char **argv)
{
    JR_CLEANUP(waiting_done) struct waiting w = { .config = NULL };
    struct config config;
    char text[sizeof(w.err.path) + sizeof(w.err.msg) + 8];
    int args = 0, code = jr_flags_start(&jr_cli_wait_flags, argc, argv, &config, &args);

    if (code >= 0)
        return code;
    w.config = &config;
    if (jr_cluster_open(&w.cluster, &config.cluster, "jobreeve wait", &w.err) == JR_OK &&
        begin(&w, args, argv + 1) == JR_OK && jr_cluster_run(&w.cluster, &w.err) == JR_OK &&
        w.err.status == JR_OK) {
        hide_progress(&w);
        if (w.cluster.signal != 0)
            return 128 + w.cluster.signal;
        if (w.jobs.n == 0)
            jr_show_error("jobreeve wait: no Job is known: the API server hasn't listed any");
        report(&w);
    }
    hide_progress(&w);
    if (w.err.status == JR_OK)
        return jr_wait_jobs_code(&w.jobs, config.any);
    jr_show_error("jobreeve wait: %s", jr_error_text(&w.err, text, sizeof(text)));
    return 2;
}
