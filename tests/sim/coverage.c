/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/coverage.h"

#include "common/job/indexes.h"
#include "tests/support/metrics_each.h"

#define BACKOFF_NS (10 * JR_SEC)
#define UNCOUNTED_MAX 500

static bool has(struct jr_str s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}

/* ---- Jobs ---- */

/** The condition that is True now and wasn't before. */
static const struct jr_job_condition *new_condition(const struct sim_seen_job *j, const char *type)
{
    const struct jr_job_condition *c = jr_job_condition_get(&j->now->status.conditions, type);

    if (c == NULL || !jr_str_is(c->status, "True") ||
        (j->before != NULL && jr_job_condition_true(&j->before->status.conditions, type)))
        return NULL;
    return c;
}

static void see_end(struct sim_report *r, const struct sim_seen_job *j)
{
    static const struct {
        const char *reason;
        enum sim_rule rule;
    } reasons[] = {
        { "PodFailurePolicy", SIM_RULE_FAIL_JOB },
        { "BackoffLimitExceeded", SIM_RULE_BACKOFF_LIMIT },
        { "DeadlineExceeded", SIM_RULE_DEADLINE },
        { "MaxFailedIndexesExceeded", SIM_RULE_MAX_FAILED_INDEXES },
        { "FailedIndexes", SIM_RULE_FAILED_INDEXES },
        { "SuccessPolicy", SIM_RULE_SUCCESS_POLICY },
        { "CompletionsReached", SIM_RULE_COMPLETIONS },
    };
    const struct jr_job_condition *failing = new_condition(j, "FailureTarget");
    const struct jr_job_condition *c = failing;

    if (c == NULL)
        c = new_condition(j, "SuccessCriteriaMet");
    if (c == NULL)
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(reasons); i++) {
        if (jr_str_is(c->reason, reasons[i].reason))
            sim_rule(r, reasons[i].rule);
    }
    if (has(c->message, "at index 0") && failing == NULL)
        sim_rule(r, SIM_RULE_SUCCESS_RULE_0);
    if (has(c->message, "at index 1") && failing == NULL)
        sim_rule(r, SIM_RULE_SUCCESS_RULE_1);
    if (failing != NULL && jr_str_is(c->reason, "BackoffLimitExceeded") &&
        jr_str_is(j->now->spec.template.restart_policy, "OnFailure") &&
        j->now->status.failed <= jr_i32_or(j->now->spec.backoff_limit, 6))
        sim_rule(r, SIM_RULE_RESTARTS);
}

static void see_conditions(struct sim_report *r, const struct sim_seen_job *j)
{
    const struct jr_job_spec *spec = &j->now->spec;
    const struct jr_job_conditions *was = &j->before->status.conditions;

    see_end(r, j);
    if (new_condition(j, "Complete") != NULL) {
        if (jr_job_condition_true(was, "SuccessCriteriaMet"))
            sim_rule(r, SIM_RULE_SUCCESS_KEPT);
        if (!spec->completions.set)
            sim_rule(r, SIM_RULE_COMPLETE_QUEUE);
        else if (spec->completions.v == 0)
            sim_rule(r, SIM_RULE_COMPLETE_ZERO);
    }
    if (new_condition(j, "Failed") != NULL && jr_job_condition_true(was, "FailureTarget"))
        sim_rule(r, SIM_RULE_FAILURE_KEPT);
    if (new_condition(j, "Suspended") != NULL && !jr_time_set(j->now->status.start_time))
        sim_rule(r, SIM_RULE_SUSPENDED);
    if (jr_job_condition_true(was, "Suspended") &&
        !jr_job_condition_true(&j->now->status.conditions, "Suspended") &&
        jr_time_set(j->now->status.start_time))
        sim_rule(r, SIM_RULE_RESUMED);
}

static int64_t index_count(struct jr_str text)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes set = { 0 };

    if (jr_indexes_read(text, INT32_MAX, &set) != JR_OK)
        return 0;
    return jr_indexes_count(&set);
}

static void see_counts(struct sim_report *r, const struct sim_seen_job *j)
{
    const struct jr_job_status *was = &j->before->status, *is = &j->now->status;

    if (is->uncounted.succeeded.n > was->uncounted.succeeded.n)
        sim_rule(r, SIM_RULE_LIST_SUCCEEDED);
    if (is->uncounted.failed.n > was->uncounted.failed.n)
        sim_rule(r, SIM_RULE_LIST_FAILED);
    if (is->succeeded > was->succeeded && was->uncounted.succeeded.n > 0)
        sim_rule(r, SIM_RULE_COUNT_SUCCEEDED);
    if (is->failed > was->failed)
        sim_rule(r, SIM_RULE_COUNT_FAILED);
    if (is->uncounted.succeeded.n + is->uncounted.failed.n >= UNCOUNTED_MAX ||
        index_count(is->completed_indexes) - index_count(was->completed_indexes) >= UNCOUNTED_MAX)
        sim_rule(r, SIM_RULE_CAP);
    if (jr_i32_or(is->ready, 0) > 0)
        sim_rule(r, SIM_RULE_READY);
    if (jr_i32_or(is->terminating, 0) > 0)
        sim_rule(r, SIM_RULE_TERMINATING);
    if (index_count(is->failed_indexes) > index_count(was->failed_indexes))
        sim_rule(r, SIM_RULE_COUNT_FAILED_INDEX);
    if (index_count(is->completed_indexes) > index_count(was->completed_indexes))
        sim_rule(r, SIM_RULE_COUNT_INDEX);
    else if (index_count(is->completed_indexes) < index_count(was->completed_indexes))
        sim_rule(r, SIM_RULE_SCALE_DOWN);
}

/** Who wrote the uids that stand in the lists now. */
static void see_taken_over(struct sim_report *r, struct sim_seen_job *j,
                           const struct sim_request *by)
{
    const struct jr_job_status *was = &j->before->status, *is = &j->now->status;
    unsigned writer = by->life * 4 + by->process;
    size_t n_was = was->uncounted.succeeded.n + was->uncounted.failed.n;
    size_t n_is = is->uncounted.succeeded.n + is->uncounted.failed.n;

    if (n_was > n_is && j->lister != writer)
        sim_rule(r, SIM_RULE_TAKEN_OVER);
    if (n_is > n_was)
        j->lister = writer;
}

void sim_coverage_job(struct sim_report *r, struct sim_seen_job *j, const struct sim_request *by)
{
    if (j->before == NULL || by == NULL || by->process == SIM_USER)
        return;
    see_conditions(r, j);
    see_counts(r, j);
    see_taken_over(r, j, by);
}

/* ---- Pods ---- */

static bool was_unfinalized(const struct sim_seen_pod *p)
{
    return p->before != NULL && sim_bears(p->before) && !sim_bears(p->now);
}

/** The newest end of another Pod of the Job: its index' where it has one; -1: there is none. */
static int64_t last_failure(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    int64_t last = -1;

    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];
        int64_t at = o->thing.life.versions[o->thing.life.n - 1].at_ns;

        if (o == p || o->now->phase != JR_POD_FAILED)
            continue;
        for (size_t k = 0; k < o->now->containers.n; k++) {
            struct jr_time t = o->now->containers.v[k].terminated.finished_at;

            if (jr_time_set(t) && t.ns - p->now->creation_timestamp.ns > -600 * JR_SEC)
                at = t.ns;
        }
        last = at > last ? at : last;
    }
    return last;
}

static void see_created(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_seen_pod *p)
{
    int64_t last = last_failure(j, p);
    const struct jr_str failures = jr_pod_str(p->now, p->now->index_failure_count);

    if (failures.n > 0 && !jr_str_is(failures, "0"))
        sim_rule(r, SIM_RULE_INDEX_FAILURES);
    if (jr_pod_str(p->now, p->now->index_ignored_failure_count).n > 0)
        sim_rule(r, SIM_RULE_INDEX_IGNORED);
    if (last > 0 && p->now->creation_timestamp.ns - last >= BACKOFF_NS &&
        p->now->creation_timestamp.ns - last < 2 * BACKOFF_NS)
        sim_rule(r, SIM_RULE_BACKOFF);
}

/** A failed Pod goes as an active one of its index is there. */
static bool is_replaced(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];

        if (o != p && sim_thing_stands(&o->thing) && jr_pod_active(o->now) &&
            jr_str_eq(sim_index_text(o->now), sim_index_text(p->now)))
            return true;
    }
    return false;
}

void sim_coverage_pod(struct sim_report *r, const struct sim_book *b, const struct sim_seen_pod *p,
                      const struct sim_request *by)
{
    const struct sim_seen_job *j = sim_book_controller(b, p->now);

    if (j == NULL || by == NULL || by->process == SIM_USER || by->process == 0)
        return;
    if (p->before == NULL)
        see_created(r, j, p);
    if (!was_unfinalized(p))
        return;
    if (jr_time_set(j->now->meta.deletion_timestamp))
        sim_rule(r, SIM_RULE_JOB_DELETED);
    if (jr_pod_active(p->now))
        sim_rule(r, SIM_RULE_REMOVE);
    if (p->now->phase == JR_POD_FAILED && j->now->spec.backoff_limit_per_index.set &&
        is_replaced(j, p))
        sim_rule(r, SIM_RULE_HELD);
}

/* ---- events ---- */

void sim_coverage_event(struct sim_report *r, const struct jr_dev_event *e)
{
    static const struct {
        const char *reason;
        enum sim_rule rule;
    } reasons[] = {
        { "\"SuccessfulCreate\"", SIM_RULE_EVENT_CREATED },
        { "\"SuccessfulDelete\"", SIM_RULE_EVENT_DELETED },
        { "\"FailedCreate\"", SIM_RULE_EVENT_NOT_CREATED },
        { "\"FailedDelete\"", SIM_RULE_EVENT_NOT_DELETED },
        { "\"Suspended\"", SIM_RULE_EVENT_SUSPENDED },
        { "\"Resumed\"", SIM_RULE_EVENT_RESUMED },
        { "\"Completed\"", SIM_RULE_EVENT_COMPLETED },
        { "\"WorkloadCreated\"", SIM_RULE_EVENT_WORKLOAD },
        { "\"TooManySucceededPods\"", SIM_RULE_EVENT_TOO_MANY },
        { "\"BackoffLimitExceeded\"", SIM_RULE_EVENT_FAILED },
        { "\"DeadlineExceeded\"", SIM_RULE_EVENT_FAILED },
        { "\"PodFailurePolicy\"", SIM_RULE_EVENT_FAILED },
    };

    if (e->object == NULL)
        return;
    if (e->before != NULL)
        sim_rule(r, SIM_RULE_EVENT_AGAIN);
    if (has(e->object->text, "(combined from similar events)"))
        sim_rule(r, SIM_RULE_EVENT_SIMILAR);
    for (size_t i = 0; i < JR_ARRAY_SIZE(reasons); i++) {
        if (has(e->object->text, reasons[i].reason)) {
            sim_rule(r, reasons[i].rule);
            return;
        }
    }
}

/** The text of holderIdentity, up to its end. */
static struct jr_str holder(struct jr_str text)
{
    static const char key[] = "\"holderIdentity\":\"";
    const char *at = memmem(text.p, text.n, key, sizeof(key) - 1);

    if (at == NULL)
        return JR_S("");
    at += sizeof(key) - 1;
    return (struct jr_str){ at, strcspn(at, "\"") };
}

void sim_coverage_lease(struct sim_report *r, const struct jr_dev_event *e)
{
    if (e->before == NULL || e->object == NULL)
        return;
    struct jr_str was = holder(e->before->text), is = holder(e->object->text);
    if (was.n > 0 && is.n > 0 && !jr_str_eq(was, is))
        sim_rule(r, SIM_RULE_LEASE_TAKEN);
}

/* ---- requests ---- */

static bool is_pod_path(const char *path)
{
    return strncmp(path, "/api/v1/", 8) == 0 && strstr(path, "/pods/") != NULL;
}

static const struct sim_seen_pod *pod_of(const struct sim_book *b, const char *path)
{
    struct jr_str name = jr_str(path);

    name = jr_str_from(name, (size_t)(jr_str_rfind(name, '/') + 1));
    for (size_t i = b->n_pods; i-- > 0;) {
        if (jr_str_eq(b->pods[i]->thing.name, name))
            return b->pods[i];
    }
    return NULL;
}

static void see_patch(struct sim_report *r, const struct sim_request *q, int status)
{
    if (status == 404)
        sim_rule(r, SIM_RULE_PATCH_GONE);
    if (status != 200)
        return;
    if (has(q->body, "\"$patch\":\"delete\""))
        sim_rule(r, SIM_RULE_RELEASE);
    else if (has(q->body, "\"ownerReferences\""))
        sim_rule(r, SIM_RULE_ADOPT);
    else if (has(q->body, "\"resourceVersion\""))
        sim_rule(r, SIM_RULE_ORPHAN);
}

static void see_list(struct sim_report *r, const struct sim_request *q)
{
    if (q->verb == SIM_VERB_LIST)
        sim_rule(r, SIM_RULE_PAGED_LIST);
    else if (strstr(q->path, "sendInitialEvents") != NULL)
        sim_rule(r, SIM_RULE_WATCH_LIST);
    else
        sim_rule(r, SIM_RULE_RESUME);
}

void sim_coverage_answer(struct sim_report *r, const struct sim_book *b,
                         const struct sim_request *q, const struct jr_dev_answer *a)
{
    bool job = strstr(q->path, "/jobs/") != NULL;

    if (q->verb == SIM_VERB_LIST || q->verb == SIM_VERB_WATCH) {
        see_list(r, q);
    } else if (q->verb == SIM_VERB_PATCH && is_pod_path(q->path)) {
        see_patch(r, q, a->status);
    } else if (q->verb == SIM_VERB_DELETE && is_pod_path(q->path)) {
        const struct sim_seen_pod *p = pod_of(b, q->path);

        if (p != NULL && sim_bears(p->now) && a->status == 200)
            sim_rule(r, SIM_RULE_DELETE_AT_END);
    } else if (q->verb == SIM_VERB_DELETE && job && a->status == 200) {
        sim_rule(r, SIM_RULE_TTL);
    } else if (q->verb == SIM_VERB_GET && job && a->status == 200 &&
               !has(jr_buf_str(&a->body), "\"Complete\"") &&
               !has(jr_buf_str(&a->body), "\"Failed\"")) {
        sim_rule(r, SIM_RULE_RECHECK);
    } else if (q->verb == SIM_VERB_POST && strstr(q->path, "/scheduling.k8s.io/") != NULL &&
               has(jr_buf_str(&a->body), "\"AlreadyExists\"")) {
        sim_rule(r, SIM_RULE_GANG_EXISTS);
    } else if (q->verb == SIM_VERB_PATCH && strstr(q->path, "/podgroups/") != NULL &&
               a->status == 200) {
        sim_rule(r, SIM_RULE_GANG_COUNT);
    } else if (q->verb == SIM_VERB_POST && a->status == 403 &&
               has(jr_buf_str(&a->body), "\"NamespaceTerminating\"") &&
               strstr(q->path, "/pods") != NULL) {
        sim_rule(r, SIM_RULE_NS_TERMINATING);
    } else if (q->verb == SIM_VERB_PUT && job && a->status == 409) {
        sim_rule(r, SIM_RULE_PUT_CONFLICT);
    }
}

/* ---- metrics ---- */

static void see_series(void *ctx, const char *name, const char *labels, double v)
{
    static const struct {
        const char *name;
        const char *label;
        enum sim_rule rule;
    } rows[] = {
        { "job_controller_stale_sync_skips_total", "resource=\"jobs\"", SIM_RULE_STALE_JOBS },
        { "job_controller_stale_sync_skips_total", "resource=\"pods\"", SIM_RULE_STALE_PODS },
        { "job_controller_jobs_by_external_controller_total", "", SIM_RULE_EXTERNAL },
        { "job_controller_job_pods_creation_total", "reason=\"new\",status=\"succeeded\"",
          SIM_RULE_CREATE_NEW },
        { "job_controller_job_pods_creation_total",
          "reason=\"recreate_terminating_or_failed\",status=\"succeeded\"", SIM_RULE_CREATE_AGAIN },
        { "job_controller_job_pods_creation_total",
          "reason=\"recreate_failed\",status=\"succeeded\"", SIM_RULE_CREATE_FAILED },
        { "job_controller_job_pods_creation_total", "status=\"failed\"", SIM_RULE_CREATE_REFUSED },
        { "job_controller_pod_failures_handled_by_failure_policy_total", "\"FailJob\"",
          SIM_RULE_POLICY_FAIL_JOB },
        { "job_controller_pod_failures_handled_by_failure_policy_total", "\"FailIndex\"",
          SIM_RULE_POLICY_FAIL_INDEX },
        { "job_controller_pod_failures_handled_by_failure_policy_total", "\"Ignore\"",
          SIM_RULE_POLICY_IGNORE },
        { "job_controller_pod_failures_handled_by_failure_policy_total", "\"Count\"",
          SIM_RULE_POLICY_COUNT },
    };
    struct sim_report *r = ctx;

    if (strcmp(name, "jobreeve_job_template_reads_total") == 0)
        r->counts.process_faults[strstr(labels, "\"success\"") != NULL
                                     ? SIM_PROCESS_FAULT_TEMPLATE_READ
                                     : SIM_PROCESS_FAULT_TEMPLATE_UNREAD] += (uint64_t)v;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (strcmp(name, rows[i].name) == 0 && strstr(labels, rows[i].label) != NULL)
            r->counts.rules[rows[i].rule] += (uint64_t)v;
    }
}

void sim_coverage_metrics(struct sim_report *r, struct jr_metrics *m)
{
    metrics_each(m, see_series, r);
}
