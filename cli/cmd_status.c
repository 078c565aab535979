/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve status: the Jobs of a cluster with a reason each, or one Job's Pods over time. */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/asked.h"
#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/fetch.h"
#include "cli/status/feed.h"
#include "cli/status/table.h"
#include "cli/status/timeline.h"
#include "cli/why_output.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define REDRAW_NS JR_SEC
#define WIDTH_PIPED 1000
#define WIDTH_MIN 40
#define LINES_MAX 40
#define LINES_HTML_MAX 400

enum format { FORMAT_TEXT, FORMAT_HTML };
static const char *const formats[] = { "text", "html", NULL };
enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
static const char *const colors[] = { "auto", "always", "never", NULL };

struct config {
    struct jr_cluster_flags cluster;
    const char *namespace;
    const char *selector;
    bool all;
    bool watch;
    int output; /* enum format */
    int color;  /* enum color */
};

static const struct jr_flag table[] = {
    JR_CLUSTER_FLAG_ROWS(struct config, cluster),
    { .name = "namespace",
      .letter = 'n',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, namespace),
      .help = "The `namespace` of the Jobs; default: the context's." },
    { .name = "all-namespaces",
      .letter = 'A',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, all),
      .help = "Shows the Jobs of all namespaces." },
    { .name = "selector",
      .letter = 'l',
      .type = JR_FLAG_STR,
      .offset = offsetof(struct config, selector),
      .help = "Shows the Jobs with these `labels`, as in app=x,tier!=y." },
    { .name = "watch",
      .letter = 'w',
      .type = JR_FLAG_BOOL,
      .offset = offsetof(struct config, watch),
      .help = "Goes on: a terminal is drawn anew, else the rows that change are printed." },
    { .name = "output",
      .letter = 'o',
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, output),
      .initial = "text",
      .choices = formats,
      .help = "The `format` to write: text, or, of job/NAME, html: one page that loads nothing." },
    { .name = "color",
      .type = JR_FLAG_ENUM,
      .offset = offsetof(struct config, color),
      .initial = "auto",
      .choices = colors,
      .help = "Colors; auto: on a terminal, but where NO_COLOR is set." },
    { .name = NULL },
};
const struct jr_flags jr_cli_status_flags = {
    .program = "jobreeve status",
    .summary =
        "Shows the Jobs of a namespace, each with its progress and a reason, and how many have "
        "which\n"
        "reason; or of job/NAME what jobreeve why says of it, and its Pods over time.\n\n"
        "The reasons are the ids of causes that jobreeve why -o json has. It needs to list and "
        "watch\n"
        "Jobs, Pods and events. It changes nothing.\n\n"
        "Exit codes: 0 shown, 2 wrong use or no connection, 4 not found, 5 refused,\n"
        "130 interrupted.",
    .args = "[job/NAME]",
    .table = table,
    .about = jr_cli_about,
};

struct showing {
    const struct config *config;
    struct jr_asked asked; /* name.n = 0: all Jobs */
    struct jr_cluster cluster;
    struct jr_status_feed *feed;
    struct jr_page page;
    bool terminal;
    size_t rows_max; /* of a terminal */
    struct jr_timer *redraw;
    bool changed;
    bool shown; /* once */
    struct jr_arena told_arena;
    struct jr_status_row *told; /* the rows as a pipe was told of them, in their order */
    size_t n_told;
    struct jr_error err;
};

static void showing_done(struct showing *s)
{
    if (s->cluster.loop != NULL)
        jr_timer_cancel(s->cluster.loop, &s->redraw);
    jr_status_feed_free(s->feed);
    jr_arena_done(&s->told_arena);
    jr_cluster_close(&s->cluster);
}

/* ---- the page ---- */

/** Returns whether the locale's characters are UTF-8, by the first of its variables that is set. */
static bool speaks_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        const char *v = secure_getenv(names[i]);

        if (v != NULL && v[0] != '\0')
            return strcasestr(v, "UTF-8") != NULL || strcasestr(v, "UTF8") != NULL;
    }
    return false;
}

static void measure(struct showing *s)
{
    const char *no_color = secure_getenv("NO_COLOR"), *term = secure_getenv("TERM");
    const bool plain =
        (no_color != NULL && no_color[0] != '\0') || (term != NULL && strcmp(term, "dumb") == 0);
    const int color = s->config->color;
    struct winsize size = { .ws_col = 0 };

    s->terminal = isatty(STDOUT_FILENO) == 1;
    s->page.color = color == COLOR_ALWAYS || (color == COLOR_AUTO && s->terminal && !plain);
    s->page.drawing = s->terminal && speaks_utf8();
    s->page.width = s->terminal ? 80 : WIDTH_PIPED;
    s->rows_max = 24;
    if (s->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        s->page.width = size.ws_col;
        s->rows_max = size.ws_row;
    }
    if (s->page.width < WIDTH_MIN)
        s->page.width = WIDTH_MIN;
}

static void print(struct showing *s, const struct jr_buf *text)
{
    if (!jr_buf_print(text, stdout) && s->err.status == JR_OK)
        (void)jr_fail_errno(&s->err, errno, "standard output", "write");
}

/* ---- one Job ---- */

static const char *namespace_of(const struct showing *s)
{
    return jr_cluster_namespace(&s->cluster, s->config->namespace);
}

/** Appends the diagnosis and the timeline. */
static void add_job(const struct showing *s, const struct jr_evidence *ev,
                    const struct jr_diagnosis *d, struct jr_buf *out)
{
    const bool html = s->config->output == FORMAT_HTML;
    const struct jr_job *job = jr_evidence_job(ev, d->namespace, d->name);
    JR_CLEANUP(jr_timeline_freep) struct jr_timeline *t = NULL;
    JR_FREE const struct jr_pod_view **pods = NULL;
    const struct jr_pod_view *pod;
    size_t n = 0, cap = 0, at = 0;
    JR_BUF why = { 0 };

    while ((pod = jr_evidence_each_pod(ev, job->meta.uid, &at)) != NULL) {
        pods = jr_xvec_room(pods, n, &cap, sizeof(*pods));
        pods[n++] = pod;
    }
    jr_buf_init(&why, JR_BUF_BY_INPUT);
    jr_why_text(d, &why);
    jr_must(why.failed);
    t = jr_timeline_new(job, pods, n, d->now, html ? LINES_HTML_MAX : LINES_MAX);
    if (html) {
        jr_timeline_html(t, jr_buf_str(&why), out);
        return;
    }
    (void)jr_buf_add(out, jr_buf_str(&why));
    (void)jr_buf_addc(out, '\n');
    jr_timeline_text(t, &s->page, out);
}

static enum jr_status show_job(struct showing *s)
{
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = jr_evidence_new();
    JR_CLEANUP(jr_diagnosis_freep) struct jr_diagnosis *d = NULL;
    const struct jr_fetch_options options = { .flags = &s->config->cluster,
                                              .program = "jobreeve status",
                                              .namespace = s->config->namespace,
                                              .asked = &s->asked };
    JR_BUF out = { 0 };

    if (jr_fetch_diagnosis(&s->cluster, &options, ev, &d, &s->err) != JR_OK)
        return s->err.status;
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    add_job(s, ev, d, &out);
    jr_must(out.failed);
    print(s, &out);
    return s->err.status;
}

/* ---- all ---- */

static int compare_names(struct jr_str namespace, struct jr_str name, struct jr_str in,
                         struct jr_str other)
{
    const int by_namespace = jr_str_cmp(namespace, in);

    return by_namespace != 0 ? by_namespace : jr_str_cmp(name, other);
}

static int compare_jobs(const void *a, const void *b)
{
    const struct jr_meta *x = &(*(const struct jr_job *const *)a)->meta;
    const struct jr_meta *y = &(*(const struct jr_job *const *)b)->meta;

    return compare_names(x->namespace, x->name, y->namespace, y->name);
}

/** Makes a row of each Job, in the order of their names. */
static struct jr_status_row *rows_of(const struct jr_evidence *ev, struct jr_time now,
                                     struct jr_arena *arena, size_t *ret_n)
{
    JR_FREE const struct jr_job **jobs = NULL;
    struct jr_status_row *rows;
    const struct jr_job *job;
    size_t n = 0, cap = 0, at = 0;

    while ((job = jr_evidence_each_job(ev, &at)) != NULL) {
        jobs = jr_xvec_room(jobs, n, &cap, sizeof(*jobs));
        jobs[n++] = job;
    }
    if (n > 0)
        qsort(jobs, n, sizeof(*jobs), compare_jobs);
    rows = jr_xarena_calloc(arena, n + 1, sizeof(*rows));
    for (size_t i = 0; i < n; i++) {
        JR_CLEANUP(jr_diagnosis_freep)
        struct jr_diagnosis *d =
            jr_diagnose(ev, "Job", jobs[i]->meta.namespace, jobs[i]->meta.name, now);

        rows[i] = jr_status_row(jobs[i], d, arena);
    }
    *ret_n = n;
    return rows;
}

/** Appends the table; on a terminal that is drawn anew no more than fits it. */
static void add_table(const struct showing *s, struct jr_status_table *t, struct jr_buf *out)
{
    const size_t all = t->n;
    const size_t fits = s->rows_max > 12 ? s->rows_max - 10 : 2;

    if (all == 0) {
        (void)jr_buf_addf(out, "There are no Jobs%s%s.\n", s->config->all ? "" : " in namespace ",
                          s->config->all ? "" : namespace_of(s));
        return;
    }
    if (s->config->watch && all > fits)
        t->n = fits;
    jr_status_rows(t, &s->page, true, out);
    if (t->n < all)
        (void)jr_buf_addf(out, "and %zu more\n", all - t->n);
    t->n = all;
    if (all > 1) {
        (void)jr_buf_addc(out, '\n');
        jr_status_summary(t, &s->page, out);
    }
}

/** Returns whether a pipe was told of the row as it is, but for its age. *at goes on to it. */
static bool is_told(const struct showing *s, const struct jr_status_row *r, size_t *at)
{
    const struct jr_status_row *t;

    while (*at < s->n_told &&
           compare_names(s->told[*at].namespace, s->told[*at].name, r->namespace, r->name) < 0)
        (*at)++;
    if (*at == s->n_told)
        return false;
    t = &s->told[*at];
    return jr_str_eq(t->namespace, r->namespace) && jr_str_eq(t->name, r->name) &&
           t->done == r->done && t->wanted == r->wanted && t->active == r->active &&
           t->failed == r->failed && strcmp(t->reason, r->reason) == 0;
}

/** Keeps what a pipe was told of. */
static void keep_told(struct showing *s, const struct jr_status_table *t)
{
    jr_arena_done(&s->told_arena);
    jr_arena_init(&s->told_arena, 0);
    s->told = jr_xarena_calloc(&s->told_arena, t->n, sizeof(*s->told));
    s->n_told = t->n;
    for (size_t i = 0; i < t->n; i++) {
        s->told[i] = t->rows[i];
        s->told[i].namespace = jr_xarena_str(&s->told_arena, t->rows[i].namespace);
        s->told[i].name = jr_xarena_str(&s->told_arena, t->rows[i].name);
    }
}

/** Prints the rows that are new, or aren't as they were printed last. */
static void print_changes(struct showing *s, const struct jr_status_table *t)
{
    JR_FREE struct jr_status_row *rows = jr_xcalloc(t->n, sizeof(*rows));
    struct jr_status_table changed = *t;
    size_t at = 0;
    JR_BUF out = { 0 };

    jr_buf_init(&out, JR_BUF_BY_INPUT);
    changed.rows = rows;
    changed.n = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (!is_told(s, &t->rows[i], &at))
            rows[changed.n++] = t->rows[i];
    }
    if (changed.n > 0)
        jr_status_rows(&changed, &s->page, !s->shown, &out);
    jr_must(out.failed);
    keep_told(s, t);
    print(s, &out);
}

/** Appends the page of the Job that is watched; false: it isn't there. */
static bool add_watched_job(const struct showing *s, const struct jr_evidence *ev,
                            struct jr_time now, struct jr_buf *out)
{
    JR_CLEANUP(jr_diagnosis_freep)
    struct jr_diagnosis *d = jr_diagnose(ev, "Job", jr_str(namespace_of(s)), s->asked.name, now);

    if (d == NULL)
        return false;
    add_job(s, ev, d, out);
    return true;
}

static void draw(struct showing *s)
{
    const struct jr_evidence *ev = jr_status_feed_evidence(s->feed);
    const struct jr_time now = jr_loop_wall(s->cluster.loop);
    struct jr_arena arena;
    struct jr_status_table t = { .now = now, .namespaces = s->config->all };
    JR_BUF out = { 0 };

    measure(s);
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    if (s->config->watch && s->terminal)
        (void)jr_buf_adds(&out, "\x1b[H\x1b[2J");
    jr_arena_init(&arena, 0);
    if (s->asked.name.n > 0) {
        if (!add_watched_job(s, ev, now, &out))
            (void)jr_fail(&s->err, JR_NOTFOUND, NULL, "there is no Job %.*s in namespace %s",
                          JR_P(s->asked.name), namespace_of(s));
    } else {
        t.rows = rows_of(ev, now, &arena, &t.n);
        if (s->config->watch && !s->terminal)
            print_changes(s, &t);
        else
            add_table(s, &t, &out);
    }
    jr_must(out.failed);
    if (s->err.status == JR_OK)
        print(s, &out);
    jr_arena_done(&arena);
    s->shown = true;
    s->changed = false;
    if (!s->config->watch || s->err.status != JR_OK)
        jr_loop_stop(s->cluster.loop);
}

static void on_redraw(void *ctx)
{
    struct showing *s = ctx;

    s->redraw = NULL;
    if (s->changed || (s->terminal && s->config->watch))
        draw(s);
    if (s->config->watch)
        jr_xloop_after(s->cluster.loop, REDRAW_NS, on_redraw, s, &s->redraw);
}

/** Draws at once where nothing was drawn yet, else within a second. */
static void on_changed(void *ctx)
{
    struct showing *s = ctx;

    s->changed = true;
    if (!s->shown && s->redraw == NULL)
        jr_xloop_after(s->cluster.loop, 0, on_redraw, s, &s->redraw);
}

static bool can_do_without(void *ctx, const char *path)
{
    struct showing *s = ctx;

    return s->feed != NULL && jr_status_feed_does_without(s->feed, path);
}

static enum jr_status show_feed(struct showing *s)
{
    const struct config *c = s->config;
    struct jr_status_feed_options options = {
        .selector = c->selector, .name = s->asked.name, .changed = on_changed, .ctx = s
    };
    enum jr_status st = jr_cluster_open(&s->cluster, &c->cluster, "jobreeve status", &s->err);

    if (st != JR_OK)
        return st;
    s->cluster.can_do_without = can_do_without;
    s->cluster.ctx = s;
    options.namespace = c->all ? NULL : namespace_of(s);
    s->feed = jr_status_feed_new(&s->cluster.env, &options);
    st = jr_cluster_run(&s->cluster, &s->err);
    return st != JR_OK ? st : s->err.status;
}

static enum jr_status parse(struct showing *s, int n, char **args)
{
    const struct config *c = s->config;

    if (n > 0 && jr_asked_parse(n, args, &s->asked, &s->err) != JR_OK)
        return JR_USAGE;
    if (n > 0 && strcmp(s->asked.kind, "Job") != 0)
        return jr_fail(&s->err, JR_USAGE, args[0], "expected job/NAME");
    if (n > 0 && (c->all || c->selector != NULL))
        return jr_fail(&s->err, JR_USAGE, args[0],
                       "expected no --all-namespaces and no --selector beside it");
    if (c->all && c->namespace != NULL)
        return jr_fail(&s->err, JR_USAGE, "--all-namespaces", "expected no --namespace beside it");
    if (c->output == FORMAT_HTML && (n == 0 || c->watch))
        return jr_fail(&s->err, JR_USAGE, "--output",
                       "expected job/NAME, and no --watch, with html");
    return JR_OK;
}

int jr_cli_status(int argc, char **argv)
{
    JR_CLEANUP(showing_done) struct showing s = { .config = NULL };
    struct config config;
    char text[sizeof(s.err.path) + sizeof(s.err.msg) + 8];
    int args = 0, code = jr_flags_start(&jr_cli_status_flags, argc, argv, &config, &args);
    enum jr_status st;

    if (code >= 0)
        return code;
    s.config = &config;
    jr_arena_init(&s.told_arena, 0);
    measure(&s);
    st = parse(&s, args, argv + 1);
    if (st == JR_OK)
        st = s.asked.name.n > 0 && !config.watch ? show_job(&s) : show_feed(&s);
    if (s.cluster.signal != 0)
        return 128 + s.cluster.signal;
    if (st == JR_OK)
        return 0;
    jr_show_error("jobreeve status: %s", jr_error_text(&s.err, text, sizeof(text)));
    return jr_asked_exit_code(st);
}
