/* The columns of Pods, Jobs and CronJobs. */
#include <inttypes.h>

#include "devcluster/apiserver/table.h"

#define COLUMN(name_, cell_)                                             \
    {                                                                    \
        .name = (name_), .type = "string", .format = "", .cell = (cell_) \
    }
#define WIDE(name_, cell_)                                                              \
    {                                                                                   \
        .name = (name_), .type = "string", .format = "", .priority = 1, .cell = (cell_) \
    }
#define COLUMN_END   \
    {                \
        .name = NULL \
    }

/* ---- Pods ---- */

static bool condition_true(const struct jr_node *root, const char *type)
{
    for (const struct jr_node *n = jr_first(jr_path(root, "status.conditions")); n != NULL;
         n = jr_next(n)) {
        if (jr_str_is(jr_get_str(n, "type"), type))
            return jr_str_is(jr_get_str(n, "status"), "True");
    }
    return false;
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

static void cell_ready(const struct jr_dev_cell *c, struct jr_writer *w)
{
    struct pod_summary s = { .total = 0 };
    JR_BUF text = { 0 };

    count_containers(c, &s);
    jr_buf_init(&text, 64);
    (void)jr_buf_addf(&text, "%" PRId64 "/%" PRId64, s.ready, s.total);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_restarts(const struct jr_dev_cell *c, struct jr_writer *w)
{
    struct pod_summary s = { .total = 0 };
    char ago[JR_DEV_DURATION_MAX];
    JR_BUF text = { 0 };

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

static void cell_pod_status(const struct jr_dev_cell *c, struct jr_writer *w)
{
    const struct jr_node *status = jr_get(c->root, "status");
    const struct jr_node *containers = jr_get(status, "containerStatuses");
    struct jr_str reason = jr_get_str(status, "reason");
    struct jr_str phase = jr_get_str(status, "phase");
    bool terminal = jr_str_is(phase, "Succeeded") || jr_str_is(phase, "Failed");
    struct pod_summary s = { .total = 0 };
    JR_BUF text = { 0 };

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

static void text_or_none(struct jr_str v, struct jr_writer *w)
{
    jr_w_str(w, v.n == 0 ? JR_S("<none>") : v);
}

static void cell_pod_ip(const struct jr_dev_cell *c, struct jr_writer *w)
{
    text_or_none(jr_get_str(jr_get(c->root, "status"), "podIP"), w);
}

static void cell_pod_node(const struct jr_dev_cell *c, struct jr_writer *w)
{
    text_or_none(jr_get_str(jr_get(c->root, "spec"), "nodeName"), w);
}

static void cell_nominated(const struct jr_dev_cell *c, struct jr_writer *w)
{
    text_or_none(jr_get_str(jr_get(c->root, "status"), "nominatedNodeName"), w);
}

static void cell_gates(const struct jr_dev_cell *c, struct jr_writer *w)
{
    (void)c;
    jr_w_str(w, JR_S("<none>"));
}

static const struct jr_dev_column pods[] = {
    JR_DEV_COLUMN_NAME,
    COLUMN("Ready", cell_ready),
    COLUMN("Status", cell_pod_status),
    COLUMN("Restarts", cell_restarts),
    JR_DEV_COLUMN_AGE,
    WIDE("IP", cell_pod_ip),
    WIDE("Node", cell_pod_node),
    WIDE("Nominated Node", cell_nominated),
    WIDE("Readiness Gates", cell_gates),
    COLUMN_END,
};
const struct jr_dev_table jr_dev_pod_table = { pods };

/* ---- Jobs ---- */

static void cell_job_status(const struct jr_dev_cell *c, struct jr_writer *w)
{
    const char *status = "Running";

    if (condition_true(c->root, "Complete"))
        status = "Complete";
    else if (condition_true(c->root, "Failed"))
        status = "Failed";
    else if (jr_dev_object_dying(c->object))
        status = "Terminating";
    else if (condition_true(c->root, "Suspended"))
        status = "Suspended";
    else if (condition_true(c->root, "FailureTarget"))
        status = "FailureTarget";
    else if (condition_true(c->root, "SuccessCriteriaMet"))
        status = "SuccessCriteriaMet";
    jr_w_str(w, jr_str(status));
}

static void cell_completions(const struct jr_dev_cell *c, struct jr_writer *w)
{
    const struct jr_node *completions = jr_path(c->root, "spec.completions");
    int64_t succeeded = jr_node_i64_or(jr_path(c->root, "status.succeeded"), 0);
    int64_t parallelism = jr_node_i64_or(jr_path(c->root, "spec.parallelism"), 0);
    JR_BUF text = { 0 };

    jr_buf_init(&text, 96);
    if (!jr_unset(completions))
        (void)jr_buf_addf(&text, "%" PRId64 "/%" PRId64, succeeded, jr_node_i64_or(completions, 0));
    else if (parallelism > 1)
        (void)jr_buf_addf(&text, "%" PRId64 "/1 of %" PRId64, succeeded, parallelism);
    else
        (void)jr_buf_addf(&text, "%" PRId64 "/1", succeeded);
    jr_w_str(w, jr_buf_str(&text));
}

static void cell_duration(const struct jr_dev_cell *c, struct jr_writer *w)
{
    struct jr_time start = jr_dev_time_of(jr_path(c->root, "status.startTime"));
    struct jr_time end = jr_dev_time_of(jr_path(c->root, "status.completionTime"));
    char text[JR_DEV_DURATION_MAX];

    if (!jr_time_set(start)) {
        jr_w_str(w, JR_S(""));
        return;
    }
    if (!jr_time_set(end))
        end = c->now;
    jr_w_str(w, jr_str(jr_dev_duration(end.ns - start.ns, text)));
}

static void cell_job_containers(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_dev_cell_containers(jr_path(c->root, "spec.template.spec"), "name", w);
}

static void cell_job_images(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_dev_cell_containers(jr_path(c->root, "spec.template.spec"), "image", w);
}

static void cell_job_selector(const struct jr_dev_cell *c, struct jr_writer *w)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)1 << 20);
    for (const struct jr_node *n = jr_first(jr_path(c->root, "spec.selector.matchLabels"));
         n != NULL; n = jr_next(n))
        (void)jr_buf_addf(&text, "%s%.*s=%.*s", text.n > 0 ? "," : "", JR_P(jr_key(n)),
                          JR_P(jr_node_str(n)));
    jr_w_str(w, text.n == 0 ? JR_S("<none>") : jr_buf_str(&text));
}

static const struct jr_dev_column jobs[] = {
    JR_DEV_COLUMN_NAME,
    COLUMN("Status", cell_job_status),
    COLUMN("Completions", cell_completions),
    COLUMN("Duration", cell_duration),
    JR_DEV_COLUMN_AGE,
    WIDE("Containers", cell_job_containers),
    WIDE("Images", cell_job_images),
    WIDE("Selector", cell_job_selector),
    COLUMN_END,
};
const struct jr_dev_table jr_dev_job_table = { jobs };

/* ---- CronJobs ---- */

static void cell_suspend(const struct jr_dev_cell *c, struct jr_writer *w)
{
    bool on = jr_node_bool_or(jr_path(c->root, "spec.suspend"), false);

    jr_w_str(w, on ? JR_S("True") : JR_S("False"));
}

static void cell_active(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_w_i64(w, (int64_t)jr_size(jr_path(c->root, "status.active")));
}

static void cell_last_schedule(const struct jr_dev_cell *c, struct jr_writer *w)
{
    struct jr_time t = jr_dev_time_of(jr_path(c->root, "status.lastScheduleTime"));

    if (jr_time_set(t))
        jr_dev_cell_since(t, c->now, w);
    else
        jr_w_str(w, JR_S("<none>"));
}

static void cell_cron_containers(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_dev_cell_containers(jr_path(c->root, "spec.jobTemplate.spec.template.spec"), "name", w);
}

static void cell_cron_images(const struct jr_dev_cell *c, struct jr_writer *w)
{
    jr_dev_cell_containers(jr_path(c->root, "spec.jobTemplate.spec.template.spec"), "image", w);
}

static const struct jr_dev_column cronjobs[] = {
    JR_DEV_COLUMN_NAME,
    { .name = "Schedule", .type = "string", .format = "", .path = "spec.schedule" },
    { .name = "Timezone", .type = "string", .format = "", .path = "spec.timeZone" },
    { .name = "Suspend", .type = "boolean", .format = "", .cell = cell_suspend },
    { .name = "Active", .type = "integer", .format = "", .cell = cell_active },
    COLUMN("Last Schedule", cell_last_schedule),
    JR_DEV_COLUMN_AGE,
    WIDE("Containers", cell_cron_containers),
    WIDE("Images", cell_cron_images),
    WIDE("Selector", cell_gates),
    COLUMN_END,
};
const struct jr_dev_table jr_dev_cronjob_table = { cronjobs };
