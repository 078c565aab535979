/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the status of JobPolicies while this process leads, and begins audits. */
#include "controller/policy/reporter.h"

#include "common/audit/audit_pass.h"
#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "common/policy/watch/watch.h"
#include "controller/policy/policy_status.h"

#define TICK_NS JR_SEC
#define RETRY_NS (30 * JR_SEC)
#define CONFLICTS_MAX 5
#define PER_SECOND 500
#define PATH JR_POLICY_PATH "/"

static const struct jr_metric_desc audit_time = JR_METRIC(
    GAUGE, "jobreeve_policy_audit_timestamp_seconds",
    "When the last audit of Jobs and CronJobs ended, in Unix time; before the first, when this "
    "process began to lead.",
    NULL);
static const struct jr_metric_desc audit_interval =
    JR_METRIC(GAUGE, "jobreeve_policy_audit_interval_seconds",
              "How often Jobs and CronJobs are to be audited; 0: never.", NULL);
static const struct jr_metric_desc audit_objects = JR_METRIC(
    GAUGE, "jobreeve_policy_audit_objects", "Jobs and CronJobs that the last audit saw.", NULL);
static const struct jr_metric_desc audit_seconds =
    JR_METRIC(GAUGE, "jobreeve_policy_audit_duration_seconds",
              "How long the last audit took, at its own rate.", NULL);
static const struct jr_metric_desc audit_violating =
    JR_METRIC(GAUGE, "jobreeve_policy_audit_violating",
              "Objects that violate a JobPolicy, by the last audit.", "policy", NULL);

/** A policy whose status says which generation was accepted. */
struct told {
    struct jr_link link;
    int64_t generation;
    char *uid; /* one that is made again begins with the same generation */
    char name[];
};

struct jr_policy_reporter {
    struct jr_requester q;
    struct jr_policy_reporter_options o;
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_policy_store *store;
    struct jr_namespaces *namespaces;
    struct jr_policy_watch *watch; /* NULL: doesn't lead yet */
    struct jr_timer *tick;
    struct jr_map told;

    /* The audit under way, or whose results are being written. */
    struct jr_audit_pass *pass;
    const struct jr_policy_audit *audit; /* of the pass, once it is over */
    struct jr_mono began, due;

    /* What is written: policies of the snapshot, from `at` on. */
    struct jr_policy_snapshot *snapshot; /* NULL: nothing is */
    size_t at;
    unsigned conflicts;
    struct jr_mono pause_until; /* after a failure */
};

static struct jr_mono mono(const struct jr_policy_reporter *r)
{
    return jr_loop_mono(r->q.env.loop);
}

/* ---- who was told what ---- */

static struct told *find_told(const struct jr_policy_reporter *r, struct jr_str name)
{
    for (struct jr_link *l = jr_map_first(&r->told, jr_map_hash2(name, JR_S(""))); l != NULL;
         l = jr_map_again(l)) {
        struct told *t = jr_of(l, struct told, link);

        if (jr_str_eq(jr_str(t->name), name))
            return t;
    }
    return NULL;
}

static void note_told(struct jr_policy_reporter *r, const struct jr_job_policy *p)
{
    struct told *t = find_told(r, p->name);

    if (t == NULL) {
        t = jr_xcalloc(1, sizeof(*t) + p->name.n + 1);
        memcpy(t->name, p->name.p, p->name.n);
        jr_xmap_add(&r->told, &t->link, jr_map_hash2(p->name, JR_S("")));
    }
    t->generation = p->generation;
    free(t->uid);
    t->uid = jr_xstrndup(p->uid);
}

/** Forgets those whose policies are not in the set; NULL: all. */
static void forget_told(struct jr_policy_reporter *r, const struct jr_policy_store *store)
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(&r->told, NULL); l != NULL; l = next) {
        struct told *t = jr_of(l, struct told, link);

        next = jr_map_next(&r->told, l);
        if (store != NULL && jr_policy_store_find(store, JR_POLICY_OF_API, jr_str(t->name)) != NULL)
            continue;
        jr_map_remove(&r->told, l);
        free(t->uid);
        free(t);
    }
}

static bool is_told(const struct jr_policy_reporter *r, const struct jr_job_policy *p)
{
    const struct told *t = find_told(r, p->name);

    return t != NULL && t->generation == p->generation && jr_str_eq(jr_str(t->uid), p->uid);
}

/* ---- writing ---- */

static void write_next(struct jr_policy_reporter *r);
static void get_policy(void *ctx);

static const struct jr_job_policy *policy_at(const struct jr_policy_reporter *r)
{
    return r->snapshot->set.v[r->at];
}

/** All is written, or given up for now. */
static void writing_over(struct jr_policy_reporter *r)
{
    jr_policy_snapshot_unref(r->snapshot);
    r->snapshot = NULL;
    r->audit = NULL;
    jr_audit_pass_free(r->pass);
    r->pass = NULL;
}

static void write_failed(struct jr_policy_reporter *r, const struct jr_error *why)
{
    jr_warn(r->log, "a JobPolicy's status is not written", JR_STR("policy", policy_at(r)->name),
            JR_ERR(why));
    r->pause_until.ns = mono(r).ns + RETRY_NS;
    r->conflicts = 0;
    r->at++;
    write_next(r);
}

static void written(struct jr_policy_reporter *r)
{
    note_told(r, policy_at(r));
    r->conflicts = 0;
    r->at++;
    write_next(r);
}

static void on_patched(void *ctx, const struct jr_kube_result *res)
{
    struct jr_policy_reporter *r = ctx;

    if (res->kind == JR_RESULT_OK || jr_kube_is_gone(res))
        written(r);
    else if (res->http == 409 && r->conflicts++ < CONFLICTS_MAX)
        get_policy(r);
    else
        write_failed(r, &res->error);
}

static void patch_status(struct jr_policy_reporter *r, const struct jr_buf *patch)
{
    JR_FREE char *path = jr_xasprintf(PATH "%.*s/status", JR_P(policy_at(r)->name));
    const struct jr_http_request http = { .method = "PATCH",
                                          .path = path,
                                          .content_type = "application/merge-patch+json",
                                          .body = jr_buf_str(patch),
                                          .may_send = r->o.leads,
                                          .may_send_ctx = r->o.ctx };

    jr_requester_send(&r->q, &http, on_patched);
}

static void on_policy(void *ctx, const struct jr_kube_result *res)
{
    struct jr_policy_reporter *r = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    const struct jr_policy_status s = {
        .policy = policy_at(r),
        .tally = r->audit == NULL ? NULL : &r->audit->v[r->at],
        .now = jr_loop_wall(r->q.env.loop),
    };
    JR_BUF patch = { 0 };

    if (jr_kube_is_gone(res)) {
        written(r);
        return;
    }
    if (jr_kube_object(res, &doc, &err) != JR_OK) {
        write_failed(r, &err);
        return;
    }
    jr_buf_init(&patch, JR_BUF_BY_INPUT);
    jr_policy_status_patch(&s, jr_doc_root_const(doc), &patch);
    jr_must(patch.failed);
    if (patch.n == 0)
        written(r);
    else
        patch_status(r, &patch);
}

static void get_policy(void *ctx)
{
    struct jr_policy_reporter *r = ctx;
    JR_FREE char *path = jr_xasprintf(PATH "%.*s", JR_P(policy_at(r)->name));

    jr_requester_get(&r->q, path, on_policy);
}

/** After an audit all are written, else those whose generation wasn't told yet. */
static void write_next(struct jr_policy_reporter *r)
{
    while (r->at < r->snapshot->set.n && r->audit == NULL && is_told(r, policy_at(r)))
        r->at++;
    if (r->at == r->snapshot->set.n)
        writing_over(r);
    else
        jr_requester_after(&r->q, 0, get_policy);
}

/** Takes the snapshot over. */
static void begin_writing(struct jr_policy_reporter *r, struct jr_policy_snapshot *snapshot)
{
    r->snapshot = snapshot;
    r->at = 0;
    r->conflicts = 0;
    write_next(r);
}

/* ---- auditing ---- */

static void set_time(struct jr_policy_reporter *r)
{
    jr_metrics_set(r->metrics, &audit_time, NULL,
                   (double)jr_loop_wall(r->q.env.loop).ns / (double)JR_SEC);
}

static void set_gauges(struct jr_policy_reporter *r, const struct jr_policy_audit *audit,
                       size_t objects)
{
    set_time(r);
    jr_metrics_set(r->metrics, &audit_objects, NULL, (double)objects);
    jr_metrics_set(r->metrics, &audit_seconds, NULL,
                   (double)(mono(r).ns - r->began.ns) / (double)JR_SEC);
    jr_metrics_clear(r->metrics, &audit_violating);
    for (size_t i = 0; i < audit->set->n; i++) {
        JR_FREE char *name = jr_xstrndup(audit->set->v[i]->name);
        const char *const values[] = { name, NULL };

        jr_metrics_set(r->metrics, &audit_violating, values, (double)audit->v[i].violating);
    }
}

static void on_audited(void *ctx, const struct jr_policy_audit *audit, size_t objects)
{
    struct jr_policy_reporter *r = ctx;
    struct jr_policy_snapshot *snapshot = r->snapshot;

    set_gauges(r, audit, objects);
    jr_info(r->log, "Jobs and CronJobs audited", JR_INT("objects", objects),
            JR_INT("policies", audit->set->n));
    r->audit = audit;
    r->snapshot = NULL;
    begin_writing(r, snapshot);
}

static void on_audit_failed(void *ctx, const struct jr_error *why)
{
    struct jr_policy_reporter *r = ctx;

    jr_warn(r->log, "Jobs and CronJobs are not audited", JR_ERR(why));
    writing_over(r);
}

static void begin_audit(struct jr_policy_reporter *r, struct jr_policy_snapshot *snapshot)
{
    const struct jr_audit_pass_handler handler = { on_audited, on_audit_failed, r };
    const struct jr_audit_pass_options options = {
        .snapshot = snapshot,
        .namespaces = r->namespaces,
        .webhook_configuration = r->o.webhook_configuration,
        .profile = r->o.profile,
        .controller = jr_str(r->o.controller_name),
        .trusted = r->o.trusted_controllers,
        .per_second = PER_SECOND,
    };

    r->began = mono(r);
    r->due.ns = r->began.ns + r->o.audit_interval_ms * JR_MSEC;
    r->snapshot = snapshot;
    r->pass = jr_audit_pass_start(&r->q.env, &options, &handler, r->log);
}

/* ---- the tick ---- */

static bool all_told(const struct jr_policy_reporter *r, const struct jr_policy_snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->set.n; i++) {
        if (!is_told(r, snapshot->set.v[i]))
            return false;
    }
    return true;
}

static void begin_watching(struct jr_policy_reporter *r)
{
    const struct jr_policy_watch_options what = { .store = r->store, .namespaces = r->namespaces };

    set_time(r);
    jr_metrics_set(r->metrics, &audit_interval, NULL, (double)r->o.audit_interval_ms / 1000);
    r->watch = jr_policy_watch_start(&r->q.env, &what, r->log, r->metrics);
}

/** An audit is due. Without a policy nothing is to be found. */
static void audit_by(struct jr_policy_reporter *r, struct jr_policy_snapshot *snapshot)
{
    if (snapshot->set.n > 0) {
        begin_audit(r, snapshot);
        return;
    }
    set_time(r);
    r->due.ns = mono(r).ns + r->o.audit_interval_ms * JR_MSEC;
    jr_policy_snapshot_unref(snapshot);
}

static void look(struct jr_policy_reporter *r)
{
    struct jr_policy_snapshot *snapshot;

    if (r->watch == NULL)
        begin_watching(r);
    if (r->snapshot != NULL || mono(r).ns < r->pause_until.ns || !jr_policy_watch_synced(r->watch))
        return;
    forget_told(r, r->store);
    snapshot = jr_policy_store_get(r->store);
    if (!all_told(r, snapshot))
        begin_writing(r, snapshot);
    else if (r->o.audit_interval_ms > 0 && mono(r).ns >= r->due.ns)
        audit_by(r, snapshot);
    else
        jr_policy_snapshot_unref(snapshot);
}

/** It leads no more. */
static void break_off(struct jr_policy_reporter *r)
{
    if (r->snapshot == NULL)
        return;
    if (r->pass != NULL)
        r->due.ns = 0;
    jr_requester_done(&r->q);
    writing_over(r);
}

static void on_tick(void *ctx)
{
    struct jr_policy_reporter *r = ctx;

    r->tick = NULL;
    if (r->o.leads(r->o.ctx))
        look(r);
    else
        break_off(r);
    jr_xloop_after(r->q.env.loop, TICK_NS, on_tick, r, &r->tick);
}

struct jr_policy_reporter *
jr_policy_reporter_start(const struct jr_env *env, const struct jr_policy_reporter_options *options,
                         struct jr_log *log, struct jr_metrics *metrics)
{
    struct jr_policy_reporter *r = jr_xcalloc(1, sizeof(*r));

    r->q = (struct jr_requester){ .env = *env, .ctx = r };
    r->o = *options;
    r->o.webhook_configuration = jr_xstrdup(options->webhook_configuration);
    r->o.controller_name = jr_xstrdup(options->controller_name);
    r->log = log;
    r->metrics = metrics;
    r->store = jr_policy_store_new();
    r->namespaces = jr_namespaces_new();
    jr_xloop_after(env->loop, 0, on_tick, r, &r->tick);
    return r;
}

void jr_policy_reporter_free(struct jr_policy_reporter *r)
{
    if (r == NULL)
        return;
    jr_timer_cancel(r->q.env.loop, &r->tick);
    jr_requester_done(&r->q);
    writing_over(r);
    jr_policy_watch_free(r->watch);
    jr_policy_store_free(r->store);
    jr_namespaces_free(r->namespaces);
    forget_told(r, NULL);
    jr_map_done(&r->told);
    free((char *)(uintptr_t)r->o.webhook_configuration);
    free((char *)(uintptr_t)r->o.controller_name);
    free(r);
}
