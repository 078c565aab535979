/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of Pods, Jobs and CronJobs. */
#include <inttypes.h>

#include "devcluster/apiserver/table.h"

/* ---- Pods ---- */

static bool condition_true(const struct jr_node *root, const char *type)
{
    const struct jr_node *c = jr_dev_of_type(jr_path(root, "status.conditions"), type);

    return jr_str_is(jr_get_str(c, "status"), "True");
}

struct pod_summary {
    int64_t total;
    int64_t ready;
    int64_t restarts;
    struct jr_time last_restart;
    bool running;
};

static void count_containers(const struct jr_dev_cell *c, struct pod_summary *s)
{
    s->total = (int64_t)jr_size(jr_path(c->root, "spec.containers"));
    for (const struct jr_node *n = jr_first(jr_path(c->root, "status.containerStatuses"));
         n != NULL; n = jr_next(n)) {
        struct jr_time t = jr_dev_time_of(jr_path(n, "lastState.terminated.finishedAt"));

        s->restarts += jr_node_i64_or(jr_get(n, "restartCount"), 0);
        if (jr_time_cmp(t, s->last_restart) > 0)
            s->last_restart = t;
        if (jr_node_bool_or(jr_get(n, "ready"), false) && !jr_unset(jr_path(n, "state.running"))) {
            s->ready++;
            s->running = true;
        }
    }
}

static void cell_ready(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    struct pod_summary s = { .total = 0 };
    JR_BUF text = { 0 };

    (void)arg;
    count_containers(c, &s);
    jr_buf_init(&text, 64);
    (void)jr_buf_addf(&text, "%" PRId64 "/%" PRId64, s.ready, s.total);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_restarts(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    struct pod_summary s = { .total = 0 };
    char ago[JR_DEV_DURATION_MAX];
    JR_BUF text = { 0 };

    (void)arg;
    count_containers(c, &s);
    jr_buf_init(&text, 96);
    (void)jr_buf_add_i64(&text, s.restarts);
    if (s.restarts > 0 && jr_time_set(s.last_restart))
        (void)jr_buf_addf(&text, " (%s ago)",
                          jr_dev_duration(jr_time_diff(c->now, s.last_restart), ago));
    jr_w_str(w, jr_buf_str(&text));
}

/* What a container's state says of the Pod; false: nothing. */
static bool container_reason(const struct jr_node *container, struct jr_buf *out)
{
    const struct jr_node *state = jr_get(container, "state");
    const struct jr_node *terminated = jr_get(state, "terminated");
    struct jr_str waiting = jr_get_str(jr_get(state, "waiting"), "reason");
    struct jr_str reason = jr_get_str(terminated, "reason");

    if (waiting.n == 0 && jr_unset(terminated))
        return false;
    jr_buf_reset(out);
    if (waiting.n > 0)
        (void)jr_buf_add(out, waiting);
    else if (reason.n > 0)
        (void)jr_buf_add(out, reason);
    else if (jr_node_i64_or(jr_get(terminated, "signal"), 0) != 0)
        (void)jr_buf_addf(out, "Signal:%" PRId64, jr_node_i64_or(jr_get(terminated, "signal"), 0));
    else
        (void)jr_buf_addf(out, "ExitCode:%" PRId64,
                          jr_node_i64_or(jr_get(terminated, "exitCode"), 0));
    return true;
}

static void cell_pod_status(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    const struct jr_node *status = jr_get(c->root, "status");
    const struct jr_node *containers = jr_get(status, "containerStatuses");
    struct jr_str reason = jr_get_str(status, "reason");
    struct jr_str phase = jr_get_str(status, "phase");
    bool terminal = jr_str_is(phase, "Succeeded") || jr_str_is(phase, "Failed");
    struct pod_summary s = { .total = 0 };
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, 4096);
    (void)jr_buf_add(&text, reason.n > 0 ? reason : phase);
    count_containers(c, &s);
    /* The first container that has something to say has the last word. */
    for (const struct jr_node *n = jr_first(containers); n != NULL; n = jr_next(n)) {
        if (container_reason(n, &text))
            break;
    }
    if (s.running && jr_str_is(jr_buf_str(&text), "Completed")) {
        jr_buf_reset(&text);
        (void)jr_buf_adds(&text, condition_true(c->root, "Ready") ? "Running" : "NotReady");
    }
    if (jr_dev_object_dying(c->object) && !terminal) {
        jr_buf_reset(&text);
        (void)jr_buf_adds(&text, "Terminating");
    }
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_none(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    (void)c;
    (void)arg;
    jr_w_str(w, JR_S("<none>"));
}

const struct jr_dev_column jr_dev_pod_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Ready", .cell = cell_ready },
    { "Status", .cell = cell_pod_status },
    { "Restarts", .cell = cell_restarts },
    JR_DEV_COLUMN_AGE,
    { "IP", .wide = true, .cell = jr_dev_cell_text, .arg = "status.podIP" },
    { "Node", .wide = true, .cell = jr_dev_cell_text, .arg = "spec.nodeName" },
    { "Nominated Node", .wide = true, .cell = jr_dev_cell_text, .arg = "status.nominatedNodeName" },
    { "Readiness Gates", .wide = true, .cell = cell_none },
    JR_DEV_COLUMN_END,
};

/* ---- Jobs ---- */

static void cell_job_status(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    static const char *const told[] = { "Complete",  "Failed",        "Terminating",
                                        "Suspended", "FailureTarget", "SuccessCriteriaMet" };
    size_t i = 0;

    (void)arg;
    while (i < JR_ARRAY_SIZE(told) && !condition_true(c->root, told[i]) &&
           !(strcmp(told[i], "Terminating") == 0 && jr_dev_object_dying(c->object)))
        i++;
    jr_w_str(w, i < JR_ARRAY_SIZE(told) ? jr_str(told[i]) : JR_S("Running"));
}

static void cell_completions(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    const struct jr_node *completions = jr_path(c->root, "spec.completions");
    int64_t succeeded = jr_node_i64_or(jr_path(c->root, "status.succeeded"), 0);
    int64_t parallelism = jr_node_i64_or(jr_path(c->root, "spec.parallelism"), 0);
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, 96);
    if (!jr_unset(completions))
        (void)jr_buf_addf(&text, "%" PRId64 "/%" PRId64, succeeded, jr_node_i64_or(completions, 0));
    else if (parallelism > 1)
        (void)jr_buf_addf(&text, "%" PRId64 "/1 of %" PRId64, succeeded, parallelism);
    else
        (void)jr_buf_addf(&text, "%" PRId64 "/1", succeeded);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_duration(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    struct jr_time start = jr_dev_time_of(jr_path(c->root, "status.startTime"));
    struct jr_time end = jr_dev_time_of(jr_path(c->root, "status.completionTime"));
    char text[JR_DEV_DURATION_MAX];

    (void)arg;
    if (!jr_time_set(end))
        end = c->now;
    jr_w_str(w, jr_time_set(start) ? jr_str(jr_dev_duration(jr_time_diff(end, start), text))
                                   : JR_S(""));
}

/* A member of each container, with commas. */
static void write_containers(const struct jr_node *list, const char *member, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n))
        (void)jr_buf_addf(&text, "%s%.*s", text.n > 0 ? "," : "", JR_P(jr_get_str(n, member)));
    jr_must(text.failed);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_containers(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    write_containers(jr_path(c->root, path), "name", w);
}

static void cell_images(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    write_containers(jr_path(c->root, path), "image", w);
}

static void cell_job_selector(const struct jr_dev_cell *c, const char *arg, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    (void)arg;
    jr_buf_init(&text, (size_t)1 << 20);
    for (const struct jr_node *n = jr_first(jr_path(c->root, "spec.selector.matchLabels"));
         n != NULL; n = jr_next(n))
        (void)jr_buf_addf(&text, "%s%.*s=%.*s", text.n > 0 ? "," : "", JR_P(jr_key(n)),
                          JR_P(jr_node_str(n)));
    jr_w_str(w, text.n == 0 ? JR_S("<none>") : jr_buf_str(&text));
}

#define CONTAINERS "spec.template.spec.containers"

const struct jr_dev_column jr_dev_job_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Status", .cell = cell_job_status },
    { "Completions", .cell = cell_completions },
    { "Duration", .cell = cell_duration },
    JR_DEV_COLUMN_AGE,
    { "Containers", .wide = true, .cell = cell_containers, .arg = CONTAINERS },
    { "Images", .wide = true, .cell = cell_images, .arg = CONTAINERS },
    { "Selector", .wide = true, .cell = cell_job_selector },
    JR_DEV_COLUMN_END,
};

/* ---- CronJobs ---- */

static void cell_suspend(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    jr_w_str(w, jr_node_bool_or(jr_path(c->root, path), false) ? JR_S("True") : JR_S("False"));
}

static void cell_last_schedule(const struct jr_dev_cell *c, const char *path, struct jr_writer *w)
{
    struct jr_time t = jr_dev_time_of(jr_path(c->root, path));

    if (jr_time_set(t))
        jr_dev_write_since(t, c->now, w);
    else
        jr_w_str(w, JR_S("<none>"));
}

const struct jr_dev_column jr_dev_cronjob_columns[] = {
    JR_DEV_COLUMN_NAME,
    { "Schedule", .arg = "spec.schedule" },
    { "Timezone", .arg = "spec.timeZone" },
    { "Suspend", "boolean", .cell = cell_suspend, .arg = "spec.suspend" },
    { "Active", "integer", .cell = jr_dev_cell_count, .arg = "status.active" },
    { "Last Schedule", .cell = cell_last_schedule, .arg = "status.lastScheduleTime" },
    JR_DEV_COLUMN_AGE,
    { "Containers", .wide = true, .cell = cell_containers, .arg = "spec.jobTemplate." CONTAINERS },
    { "Images", .wide = true, .cell = cell_images, .arg = "spec.jobTemplate." CONTAINERS },
    { "Selector", .wide = true, .cell = cell_none },
    JR_DEV_COLUMN_END,
};
