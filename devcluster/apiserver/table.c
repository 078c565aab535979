/* SPDX-License-Identifier: Apache-2.0 */
/* Tables: which columns a kind has, and what their cells say. */
#include "devcluster/apiserver/table.h"

#include <inttypes.h>

#include "common/json/write.h"

struct cell {
    const struct jr_node *root;
    struct jr_time now;
    const char *path; /* of the column */
};

/* ---- times ---- */

/* In seconds. */
#define MINUTE INT64_C(60)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define YEAR (365 * DAY)

void jr_dev_duration(int64_t ns, struct jr_buf *out)
{
    /* From one unit's end on the next one counts, for a while with the one before. */
    static const struct {
        int64_t end, seconds, with_smaller;
        char name;
    } units[] = {
        { 2 * MINUTE, 1, 0, 's' },          { 3 * HOUR, MINUTE, 10 * MINUTE, 'm' },
        { 2 * DAY, HOUR, 8 * HOUR, 'h' },   { 2 * YEAR, DAY, 8 * DAY, 'd' },
        { INT64_MAX, YEAR, 8 * YEAR, 'y' },
    };
    int64_t s = ns / JR_SEC, rest;
    size_t i = 0;

    if (s < -1) {
        (void)jr_buf_adds(out, "<invalid>");
        return;
    }
    s = s < 0 ? 0 : s;
    while (s >= units[i].end)
        i++;
    (void)jr_buf_addf(out, "%" PRId64 "%c", s / units[i].seconds, units[i].name);
    if (s >= units[i].with_smaller)
        return;
    rest = s % units[i].seconds / units[i - 1].seconds;
    if (rest > 0)
        (void)jr_buf_addf(out, "%" PRId64 "%c", rest, units[i - 1].name);
}

/* The time at a path, unset if there is none. */
static struct jr_time time_at(const struct jr_node *root, const char *path)
{
    struct jr_time t = { 0 };

    if (jr_time_parse(jr_node_str(jr_path(root, path)), &t) != JR_OK)
        return (struct jr_time){ 0 };
    return t;
}

static void write_since(struct jr_time t, struct jr_time now, struct jr_buf *out)
{
    if (jr_time_set(t))
        jr_dev_duration(jr_time_diff(now, t), out);
}

/* ---- cells of several kinds: what is at the path ---- */

static void cell_text(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_add(out, jr_str_trim(jr_node_str(jr_path(c->root, c->path))));
}

static void cell_flag(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_adds(out, jr_node_bool_or(jr_path(c->root, c->path), false) ? "True" : "False");
}

static void cell_integer(const struct cell *c, struct jr_buf *out)
{
    const struct jr_node *n = jr_path(c->root, c->path);

    if (jr_node_kind(n) == JR_NUMBER)
        (void)jr_buf_addf(out, "%" PRId64, jr_node_i64_or(n, 0));
}

/* How many there are. */
static void cell_count(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "%zu", jr_size(jr_path(c->root, c->path)));
}

static void cell_since(const struct cell *c, struct jr_buf *out)
{
    write_since(time_at(c->root, c->path), c->now, out);
}

static void cell_list(const struct cell *c, struct jr_buf *out)
{
    for (const struct jr_node *n = jr_first(jr_path(c->root, c->path)); n != NULL; n = jr_next(n))
        (void)jr_buf_addf(out, "%s%.*s", out->n > 0 ? "," : "", JR_P(jr_node_str(n)));
}

/* The status of a condition, empty if there is none. */
static struct jr_str condition(const struct cell *c, const char *type)
{
    const struct jr_node *n = jr_first(jr_path(c->root, "status.conditions"));

    while (n != NULL && !jr_str_is(jr_get_str(n, "type"), type))
        n = jr_next(n);
    return jr_get_str(n, "status");
}

static bool is_true(const struct cell *c, const char *type)
{
    return jr_str_is(condition(c, type), "True");
}

/* Here the path is a condition's type. */
static void cell_condition(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_add(out, condition(c, c->path));
}

static bool is_dying(const struct cell *c)
{
    return jr_time_set(time_at(c->root, "metadata.deletionTimestamp"));
}

/* ---- Nodes, Events ---- */

static void node_status(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_adds(out, condition(c, "Ready").n == 0 ? "Unknown"
                           : is_true(c, "Ready")        ? "Ready"
                                                        : "NotReady");
    if (jr_node_bool_or(jr_path(c->root, "spec.unschedulable"), false))
        (void)jr_buf_adds(out, ",SchedulingDisabled");
}

static void event_seen(const struct cell *c, struct jr_buf *out)
{
    static const char *const paths[] = { "series.lastObservedTime", "lastTimestamp",
                                         "firstTimestamp", "eventTime" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(paths) && out->n == 0; i++)
        write_since(time_at(c->root, paths[i]), c->now, out);
}

static void event_object(const struct cell *c, struct jr_buf *out)
{
    const struct jr_str kind = jr_node_str(jr_path(c->root, "involvedObject.kind"));
    const struct jr_str name = jr_node_str(jr_path(c->root, "involvedObject.name"));

    for (size_t i = 0; i < kind.n; i++)
        (void)jr_buf_addc(out, (char)(kind.p[i] | (kind.p[i] >= 'A' && kind.p[i] <= 'Z' ? 32 : 0)));
    (void)jr_buf_addf(out, "%s%.*s", name.n > 0 ? "/" : "", JR_P(name));
}

/* ---- Pods ---- */

static const struct jr_node *first_status(const struct cell *c)
{
    return jr_first(jr_path(c->root, "status.containerStatuses"));
}

static size_t count_ready(const struct cell *c)
{
    size_t ready = 0;

    for (const struct jr_node *n = first_status(c); n != NULL; n = jr_next(n))
        ready +=
            jr_node_bool_or(jr_get(n, "ready"), false) && !jr_unset(jr_path(n, "state.running"));
    return ready;
}

static void pod_ready(const struct cell *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "%zu/%zu", count_ready(c), jr_size(jr_path(c->root, "spec.containers")));
}

static void pod_restarts(const struct cell *c, struct jr_buf *out)
{
    struct jr_time last = { 0 };
    int64_t restarts = 0;

    for (const struct jr_node *n = first_status(c); n != NULL; n = jr_next(n)) {
        struct jr_time t = time_at(n, "lastState.terminated.finishedAt");

        restarts += jr_node_i64_or(jr_get(n, "restartCount"), 0);
        last = jr_time_cmp(t, last) > 0 ? t : last;
    }
    (void)jr_buf_add_i64(out, restarts);
    if (restarts == 0 || !jr_time_set(last))
        return;
    (void)jr_buf_adds(out, " (");
    write_since(last, c->now, out);
    (void)jr_buf_adds(out, " ago)");
}

/* Appends what a container's state says of the Pod, if anything. */
static void container_reason(const struct jr_node *container, struct jr_buf *out)
{
    const struct jr_node *terminated = jr_path(container, "state.terminated");
    const int64_t signal = jr_node_i64_or(jr_get(terminated, "signal"), 0);

    (void)jr_buf_add(out, jr_node_str(jr_path(container, "state.waiting.reason")));
    if (out->n == 0)
        (void)jr_buf_add(out, jr_get_str(terminated, "reason"));
    if (out->n == 0 && signal != 0)
        (void)jr_buf_addf(out, "Signal:%" PRId64, signal);
    else if (out->n == 0 && !jr_unset(terminated))
        (void)jr_buf_addf(out, "ExitCode:%" PRId64,
                          jr_node_i64_or(jr_get(terminated, "exitCode"), 0));
}

static void pod_status(const struct cell *c, struct jr_buf *out)
{
    const struct jr_str phase = jr_node_str(jr_path(c->root, "status.phase"));

    if (is_dying(c) && !jr_str_is(phase, "Succeeded") && !jr_str_is(phase, "Failed")) {
        (void)jr_buf_adds(out, "Terminating");
        return;
    }
    /* The first container that has something to say has the last word. */
    for (const struct jr_node *n = first_status(c); n != NULL && out->n == 0; n = jr_next(n))
        container_reason(n, out);
    if (jr_str_is(jr_buf_str(out), "Completed") && count_ready(c) > 0) {
        jr_buf_reset(out);
        (void)jr_buf_adds(out, is_true(c, "Ready") ? "Running" : "NotReady");
    }
    if (out->n == 0)
        (void)jr_buf_add(out, jr_node_str(jr_path(c->root, "status.reason")));
    if (out->n == 0)
        (void)jr_buf_add(out, phase);
}

/* ---- Jobs ---- */

static void job_status(const struct cell *c, struct jr_buf *out)
{
    static const char *const told[] = { "Complete",  "Failed",        "Terminating",
                                        "Suspended", "FailureTarget", "SuccessCriteriaMet" };
    size_t i = 0;

    while (i < JR_ARRAY_SIZE(told) && !is_true(c, told[i]) &&
           !(jr_str_is(JR_S("Terminating"), told[i]) && is_dying(c)))
        i++;
    (void)jr_buf_adds(out, i < JR_ARRAY_SIZE(told) ? told[i] : "Running");
}

static void job_completions(const struct cell *c, struct jr_buf *out)
{
    const int64_t parallelism = jr_node_i64_or(jr_path(c->root, "spec.parallelism"), 0);
    const int64_t completions = jr_node_i64_or(jr_path(c->root, "spec.completions"), -1);

    (void)jr_buf_addf(out, "%" PRId64 "/%" PRId64,
                      jr_node_i64_or(jr_path(c->root, "status.succeeded"), 0),
                      completions < 0 ? 1 : completions);
    if (completions < 0 && parallelism > 1)
        (void)jr_buf_addf(out, " of %" PRId64, parallelism);
}

static void job_duration(const struct cell *c, struct jr_buf *out)
{
    const struct jr_time end = time_at(c->root, "status.completionTime");

    write_since(time_at(c->root, "status.startTime"), jr_time_set(end) ? end : c->now, out);
}

/* ---- columns ---- */

#define ANY JR_DEV_RESOURCE_COUNT /* all kinds but Events */

static const struct column {
    enum jr_dev_resource_id of;
    const char *name;
    const char *path;
    void (*cell)(const struct cell *c, struct jr_buf *out); /* NULL: cell_text */
    const char *none;                                       /* an empty cell; NULL: <none> */
    const char *type;                                       /* NULL: string */
    bool wide;                                              /* with -o wide only */
} columns[] = {
    { ANY, "Name", .path = "metadata.name", .none = "" },
    { JR_DEV_NAMESPACES, "Status", .path = "status.phase" },
    { JR_DEV_PODS, "Ready", .cell = pod_ready },
    { JR_DEV_PODS, "Status", .cell = pod_status, .none = "" },
    { JR_DEV_PODS, "Restarts", .cell = pod_restarts },
    { JR_DEV_NODES, "Status", .cell = node_status },
    { JR_DEV_EVENTS, "Last Seen", .cell = event_seen, .none = "<unknown>" },
    { JR_DEV_EVENTS, "Type", .path = "type" },
    { JR_DEV_EVENTS, "Reason", .path = "reason" },
    { JR_DEV_EVENTS, "Object", .cell = event_object, .none = "" },
    { JR_DEV_EVENTS, "Message", .path = "message", .none = "" },
    { JR_DEV_SECRETS, "Type", .path = "type" },
    { JR_DEV_SECRETS, "Data", .path = "data", .cell = cell_count },
    { JR_DEV_CONFIGMAPS, "Data", .path = "data", .cell = cell_count },
    { JR_DEV_JOBS, "Status", .cell = job_status },
    { JR_DEV_JOBS, "Completions", .cell = job_completions },
    { JR_DEV_JOBS, "Duration", .cell = job_duration, .none = "" },
    { JR_DEV_CRONJOBS, "Schedule", .path = "spec.schedule" },
    { JR_DEV_CRONJOBS, "Timezone", .path = "spec.timeZone" },
    { JR_DEV_CRONJOBS, "Suspend", .path = "spec.suspend", .cell = cell_flag, .type = "boolean" },
    { JR_DEV_CRONJOBS, "Active", .path = "status.active", .cell = cell_count, .type = "integer" },
    { JR_DEV_CRONJOBS, "Last Schedule", .path = "status.lastScheduleTime", .cell = cell_since },
    { JR_DEV_LEASES, "Holder", .path = "spec.holderIdentity" },
    { JR_DEV_MUTATING_CONFIGS, "Webhooks", .path = "webhooks", .cell = cell_count,
      .type = "integer" },
    { JR_DEV_VALIDATING_CONFIGS, "Webhooks", .path = "webhooks", .cell = cell_count,
      .type = "integer" },
    { JR_DEV_JOB_POLICIES, "Actions", .path = "spec.validationActions", .cell = cell_list,
      .none = "Deny" },
    { JR_DEV_JOB_POLICIES, "Accepted", .path = "Accepted", .cell = cell_condition, .none = "" },
    { JR_DEV_JOB_POLICIES, "Violating", .path = "status.audit.violating", .cell = cell_integer,
      .none = "", .type = "integer" },
    { JR_DEV_JOB_POLICIES, "Next End", .path = "status.nextExceptionEnd", .none = "",
      .wide = true },
    { ANY, "Age", .path = "metadata.creationTimestamp", .cell = cell_since, .none = "<unknown>" },
    { JR_DEV_NODES, "Version", .path = "status.nodeInfo.kubeletVersion", .none = "" },
    { JR_DEV_PODS, "IP", .path = "status.podIP", .wide = true },
    { JR_DEV_PODS, "Node", .path = "spec.nodeName", .wide = true },
    { JR_DEV_PODS, "Nominated Node", .path = "status.nominatedNodeName", .wide = true },
};

static bool has_column(const struct jr_dev_resource *res, const struct column *c)
{
    return c->of == res->id || (c->of == ANY && res->id != JR_DEV_EVENTS);
}

static void write_column(const struct column *c, struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", jr_str(c->name));
    jr_w_kstr(w, "type", c->type == NULL ? JR_S("string") : jr_str(c->type));
    jr_w_kstr(w, "format", c == columns ? JR_S("name") : JR_S(""));
    jr_w_kstr(w, "description", JR_S(""));
    jr_w_ki64(w, "priority", c->wide ? 1 : 0);
    jr_w_object_end(w);
}

static void write_cell(const struct column *column, struct cell c, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    c.path = column->path;
    (column->cell == NULL ? cell_text : column->cell)(&c, &text);
    jr_must(text.failed);
    if (text.n == 0)
        jr_w_str(w, column->none == NULL ? JR_S("<none>") : jr_str(column->none));
    else if (column->cell == cell_count || column->cell == cell_integer)
        jr_w_raw(w, jr_buf_str(&text));
    else
        jr_w_str(w, jr_buf_str(&text));
}

/* ---- tables ---- */

void jr_dev_table_columns(const struct jr_dev_resource *res, bool headed, struct jr_buf *out)
{
    struct jr_writer w = jr_writer_on(out);

    (void)jr_buf_adds(out, ",\"columnDefinitions\":");
    if (headed) {
        jr_w_array(&w);
        for (size_t i = 0; i < JR_ARRAY_SIZE(columns); i++) {
            if (has_column(res, &columns[i]))
                write_column(&columns[i], &w);
        }
        jr_w_array_end(&w);
    } else {
        jr_w_null(&w);
    }
    (void)jr_buf_adds(out, ",\"rows\":[");
}

void jr_dev_table_row(const struct jr_dev_object *o, uint64_t revision, struct jr_str include,
                      struct jr_time now, struct jr_buf *out)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_object_open(o);
    struct jr_writer w = jr_writer_on(out);

    jr_w_object(&w);
    jr_w_key(&w, "cells");
    jr_w_array(&w);
    for (size_t i = 0; i < JR_ARRAY_SIZE(columns); i++) {
        if (has_column(o->res, &columns[i]))
            write_cell(&columns[i], (struct cell){ .root = jr_doc_root(doc), .now = now }, &w);
    }
    jr_w_array_end(&w);
    if (!jr_str_is(include, "None")) {
        jr_w_key(&w, "object");
        jr_dev_object_write(o,
                            jr_str_is(include, "Object") ? JR_DEV_FORM_OBJECT : JR_DEV_FORM_PARTIAL,
                            revision, out);
    }
    w.comma = true;
    jr_w_object_end(&w);
}
