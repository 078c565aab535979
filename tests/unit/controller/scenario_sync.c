/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "common/job/validate.h"
#include "tests/support/object.h"
#include "tests/unit/controller/scenario_diff.h"
#include "tests/unit/controller/scenario_rows.h"

#define LISTED_MAX 8 /* NonIndexed creations beyond are listed once */

/* ---- calls ---- */

/** Appends the names of the calls of a class, sorted. */
static enum jr_status list_calls(const struct world *w, struct jr_node *got, const char *key,
                                 enum world_call class)
{
    struct jr_node *list;
    enum jr_status st = jr_set_array(got, key, &list);

    for (size_t i = w->fetched; st == JR_OK && i < jr_scripted_count(w->api); i++) {
        struct jr_str name;

        if (world_classify(jr_scripted_call_at(w->api, i), &name) == class)
            st = jr_push_str(list, name);
    }
    return st == JR_OK ? scenario_sort(list) : st;
}

static const char *call_word(enum world_call class)
{
    switch (class) {
    case CALL_GET_JOB:
        return "getJob";
    case CALL_ADOPT:
        return "adoptPods";
    case CALL_RELEASE:
        return "releasePods";
    case CALL_UNFINALIZE:
        return "removeFinalizers";
    case CALL_DELETE:
        return "deletePods";
    case CALL_CREATE:
        return "createPods";
    case CALL_PUT_STATUS:
        return "updateStatus";
    case CALL_WORKLOAD:
        return "createWorkload";
    case CALL_POD_GROUP:
        return "createPodGroup";
    case CALL_UNKNOWN:
        break;
    }
    return "unknown";
}

/** A run of equal calls is one entry; removals of finalizers with deletions among them have a word
 * of their own. */
static enum jr_status call_order(const struct world *w, struct jr_node *got)
{
    size_t n = jr_scripted_count(w->api), i = w->fetched;
    struct jr_node *list;
    struct jr_str name;
    enum jr_status st = jr_set_array(got, "callOrder", &list);

    while (st == JR_OK && i < n) {
        enum world_call first = world_classify(jr_scripted_call_at(w->api, i), &name);
        bool both = false;

        for (i++; i < n; i++) {
            enum world_call next = world_classify(jr_scripted_call_at(w->api, i), &name);

            if (first == CALL_UNFINALIZE && next == CALL_DELETE)
                both = true;
            else if (next != first)
                break;
        }
        st = jr_push_str(list,
                         both ? JR_S("removeFinalizerThenDeletePods") : jr_str(call_word(first)));
    }
    return st;
}

static enum jr_status copy_annotation(const struct jr_node *pod, const char *key,
                                      struct jr_node *to, const char *as)
{
    struct jr_str v = jr_get_str(jr_path(pod, "metadata.annotations"), key);

    return v.p == NULL ? JR_OK : jr_set_str(to, as, v);
}

/** One creation as the file shows it; the whole Pod only where it is asked for. */
static enum jr_status describe_create(struct jr_node *pod, bool whole, struct jr_node *to)
{
    struct jr_str index = jr_get_str(jr_path(pod, "metadata.annotations"), JR_COMPLETION_INDEX);
    struct jr_str group = jr_get_str(jr_path(pod, "spec.schedulingGroup"), "podGroupName");
    int64_t i;
    enum jr_status st =
        jr_set_str(to, "generateName", jr_get_str(jr_get(pod, "metadata"), "generateName"));

    if (st == JR_OK && jr_parse_i64(index, 0, INT32_MAX, &i) == JR_OK)
        st = jr_set_i64(to, "index", i);
    if (st == JR_OK)
        st = copy_annotation(pod, JR_INDEX_FAILURE_COUNT, to, "failureCountAnnotation");
    if (st == JR_OK)
        st = copy_annotation(pod, JR_INDEX_IGNORED_FAILURE_COUNT, to,
                             "ignoredFailureCountAnnotation");
    if (st == JR_OK && group.p != NULL)
        st = jr_set_str(to, "podGroupName", group);
    if (st != JR_OK || !whole)
        return st;
    jr_remove(pod, JR_S("apiVersion"), NULL);
    jr_remove(pod, JR_S("kind"), NULL);
    return jr_set_copy(to, JR_S("pod"), pod, NULL);
}

/** The creations that the API took are the first ones: it fails only from some call on. */
static enum jr_status list_creates(const struct world *w, const struct jr_node *want,
                                   struct jr_node *got)
{
    struct jr_node *list, *entry;
    struct jr_str name;
    size_t n = 0;
    enum jr_status st = jr_set_array(got, "creates", &list);

    for (size_t i = 0; st == JR_OK && n < w->creates && i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *call = jr_scripted_call_at(w->api, i);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *pod = NULL;

        if (world_classify(call, &name) != CALL_CREATE)
            continue;
        st = jr_doc_parse(call->body, &JR_READER_STRICT, &pod, NULL);
        if (st == JR_OK && n >= 1 && w->creates > LISTED_MAX &&
            jr_get(jr_at(list, 0), "index") == NULL)
            return JR_OK;
        if (st == JR_OK)
            st = jr_push_object(list, &entry);
        if (st == JR_OK)
            st = describe_create(jr_doc_root(pod),
                                 jr_get(jr_at(jr_get(want, "creates"), n), "pod") != NULL, entry);
        n++;
    }
    return st;
}

/** The objects that were made, as the file shows them: without their type. */
static enum jr_status copy_bodies(const struct world *w, struct jr_node *got, const char *key,
                                  enum world_call class)
{
    const struct jr_node *refused = jr_get(jr_get(w->row, "api"), "workloadCreateError");
    struct jr_node *list;
    struct jr_str name;
    enum jr_status st = jr_set_array(got, key, &list);

    for (size_t i = w->fetched; st == JR_OK && i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *call = jr_scripted_call_at(w->api, i);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *body = NULL;

        if (world_classify(call, &name) != class || refused != NULL)
            continue;
        st = jr_doc_parse(call->body, &JR_READER_STRICT, &body, NULL);
        if (st != JR_OK)
            break;
        jr_remove(jr_doc_root(body), JR_S("apiVersion"), NULL);
        jr_remove(jr_doc_root(body), JR_S("kind"), NULL);
        st = jr_insert_copy(list, jr_size(list), jr_doc_root(body), NULL);
    }
    return st;
}

/** Each Pod's last one; only where the row shows them: they are the same everywhere. */
static enum jr_status patch_bodies(const struct world *w, const struct jr_node *want,
                                   struct jr_node *got)
{
    struct jr_node *bodies;
    struct jr_str name;
    enum jr_status st;

    if (jr_get(want, "patchBodies") == NULL)
        return JR_OK;
    st = jr_set_object(got, "patchBodies", &bodies);
    for (size_t i = w->fetched; st == JR_OK && i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *call = jr_scripted_call_at(w->api, i);
        enum world_call class = world_classify(call, &name);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *body = NULL;

        if (class != CALL_ADOPT && class != CALL_RELEASE && class != CALL_UNFINALIZE)
            continue;
        st = jr_doc_parse(call->body, &JR_READER_STRICT, &body, NULL);
        if (st == JR_OK)
            st = jr_set_copy(bodies, name, jr_doc_root(body), NULL);
    }
    return st;
}

static enum jr_status observe_calls(const struct world *w, const struct jr_node *want,
                                    struct jr_node *got)
{
    enum jr_status st = jr_set_i64(got, "createCount", (int64_t)w->creates);

    if (st == JR_OK && w->create_attempts > w->creates)
        st = jr_set_i64(got, "createAttempts", (int64_t)w->create_attempts);
    if (st == JR_OK)
        st = list_creates(w, want, got);
    if (st == JR_OK)
        st = list_calls(w, got, "deletes", CALL_DELETE);
    if (st == JR_OK)
        st = list_calls(w, got, "finalizerRemovals", CALL_UNFINALIZE);
    if (st == JR_OK)
        st = list_calls(w, got, "adopts", CALL_ADOPT);
    if (st == JR_OK)
        st = list_calls(w, got, "releases", CALL_RELEASE);
    if (st == JR_OK)
        st = patch_bodies(w, want, got);
    if (st == JR_OK)
        st = copy_bodies(w, got, "workloadCreates", CALL_WORKLOAD);
    if (st == JR_OK)
        st = copy_bodies(w, got, "podGroupCreates", CALL_POD_GROUP);
    return st == JR_OK ? call_order(w, got) : st;
}

/* ---- statuses ---- */

static enum jr_status set_status(struct world *w, const struct jr_node *want, struct jr_node *got,
                                 const char *key, size_t put)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *status = NULL;
    const struct jr_node *lists = jr_path(jr_get(want, key), "uncountedTerminatedPods");
    enum jr_status st = jr_doc_parse(w->puts[put].sent, &JR_READER_STRICT, &job, NULL);

    if (st == JR_OK)
        st = jr_set_copy(got, jr_str(key), jr_get(jr_doc_root(job), "status"), &status);
    if (st == JR_OK)
        st = scenario_status(status);
    if (st == JR_OK)
        st = scenario_count(jr_get(status, "uncountedTerminatedPods"), lists, "failed");
    return st == JR_OK
               ? scenario_count(jr_get(status, "uncountedTerminatedPods"), lists, "succeeded")
               : st;
}

/** What the API server would say of a written status: nothing, it is to be hoped. */
static enum jr_status check_put(struct world *w, size_t put, struct jr_node *list)
{
    const struct jr_profile profile = scenario_profile(w->row);
    struct jr_object job = { 0 }, old = { 0 };
    struct jr_errlist errs;
    enum jr_status st = open_job_text(w->puts[put].sent, &profile, &job, NULL);

    jr_errlist_init(&errs, &w->arena);
    if (st == JR_OK)
        st = open_job_text(w->puts[put].before, &profile, &old, NULL);
    if (st == JR_OK) {
        jr_job_validate_status_update(&job, &old, &profile, &errs);
        st = errs.failed;
    }
    for (size_t i = 0; st == JR_OK && i < errs.n; i++) {
        JR_BUF out = { 0 };

        jr_buf_init(&out, (size_t)1 << 20);
        (void)jr_buf_addf(&out, "write %zu: %.*s: ", put + 1, JR_P(errs.v[i].field));
        st = jr_field_error_write(&errs.v[i], &out);
        if (st == JR_OK)
            st = jr_push_str(list, jr_buf_str(&out));
    }
    jr_object_done(&job);
    jr_object_done(&old);
    return st;
}

static enum jr_status observe_statuses(struct world *w, const struct jr_node *want,
                                       struct jr_node *got)
{
    struct jr_node *errors;
    enum jr_status st = jr_set_i64(got, "statusWriteCount", (int64_t)w->n_puts);

    if (st == JR_OK && w->n_puts > 1)
        st = set_status(w, want, got, "interimStatus", 0);
    if (st == JR_OK && w->n_puts > 0)
        st = set_status(w, want, got, "status", w->n_puts - 1);
    if (st == JR_OK)
        st = jr_set_array(got, "apiValidationErrors", &errors);
    for (size_t i = 0; st == JR_OK && i < w->n_puts; i++)
        st = check_put(w, i, errors);
    return st;
}

/* ---- the rest ---- */

static enum jr_status observe_events(const struct world *w, struct jr_node *got)
{
    struct jr_node *list, *e;
    enum jr_status st = jr_set_array(got, "events", &list);

    for (size_t i = 0; st == JR_OK && i < w->n_events; i++) {
        st = jr_push_object(list, &e);
        if (st == JR_OK && w->events[i].count > 1)
            st = jr_set_i64(e, "count", w->events[i].count);
        if (st == JR_OK)
            st = jr_set_str(e, "message", w->events[i].message);
        if (st == JR_OK)
            st = jr_set_str(e, "reason", w->events[i].reason);
        if (st == JR_OK)
            st = jr_set_str(e, "type", w->events[i].type);
    }
    return st == JR_OK ? scenario_sort(list) : st;
}

static enum jr_status observe_records(struct world *w, struct jr_node *got)
{
    struct jr_record rec = jr_records_get(w->state.records, &w->key);
    char time[JR_TIME_MAX];
    struct jr_node *b;
    enum jr_status st = scenario_expectations(w, &w->key, got);

    if (st != JR_OK || !rec.backoff_written)
        return st;
    st = jr_set_object(got, "backoffRecordAfter", &b);
    if (st == JR_OK)
        st = jr_set_i64(b, "failuresAfterLastSuccess", rec.backoff.failures_after_last_success);
    if (st == JR_OK && jr_time_set(rec.backoff.last_failure_time))
        st = jr_set_str(b, "lastFailureTime",
                        jr_str(jr_time_format(rec.backoff.last_failure_time, time)));
    return st;
}

static enum jr_status observe_end(const struct world *w, struct jr_node *got)
{
    enum jr_status st = JR_OK;

    if (w->requeue && w->requeue_ns % JR_SEC == 0)
        st = jr_set_i64(got, "requeueAfterSeconds", w->requeue_ns / JR_SEC);
    else if (w->requeue)
        st = jr_set_i64(got, "requeueAfterNanoseconds", w->requeue_ns);
    if (st == JR_OK && w->failed)
        st = jr_set_str(got, "error", w->error);
    return st;
}

static enum jr_status observe(struct world *w, const struct jr_node *want, struct jr_node *got)
{
    enum jr_status st = observe_calls(w, want, got);

    if (st == JR_OK)
        st = observe_statuses(w, want, got);
    if (st == JR_OK)
        st = observe_events(w, got);
    if (st == JR_OK)
        st = observe_records(w, got);
    if (st == JR_OK)
        st = scenario_metrics(w, got);
    if (st == JR_OK)
        st = observe_end(w, got);
    /* The file leaves the events of hundreds of deletions out altogether. */
    if (jr_get(want, "deletesCount") != NULL && jr_get(want, "events") == NULL)
        jr_remove(got, JR_S("events"), NULL);
    if (st == JR_OK)
        st = scenario_count(got, want, "deletes");
    if (st == JR_OK)
        st = scenario_count(got, want, "finalizerRemovals");
    return st == JR_OK ? scenario_count(got, want, "finalizerExpectationsAfter") : st;
}

/** The file's side in the forms that are compared. */
static enum jr_status tidy(struct jr_node *want)
{
    enum jr_status st = scenario_status(jr_get(want, "status"));

    if (st == JR_OK)
        st = scenario_status(jr_get(want, "interimStatus"));
    return st == JR_OK && jr_get(want, "events") != NULL ? scenario_sort(jr_get(want, "events"))
                                                         : st;
}

/* ---- the sync ---- */

static bool set_up(struct world *w)
{
    const struct jr_node *job = jr_get(w->row, "job");
    const struct jr_node *meta = jr_get(job, "metadata");

    w->cached = world_text(w, job);
    w->key = (struct jr_object_key){ jr_get_str(meta, "namespace"), jr_get_str(meta, "name"),
                                     jr_get_str(meta, "uid") };
    if (jr_node_bool_or(jr_get(w->row, "jobInCache"), true) && !world_put_job(w, job))
        return false;
    if (!world_put_pods(w, jr_get(w->row, "pods")))
        return false;
    world_set_state(w);
    return !w->broken;
}

static bool sync_key(struct world *w)
{
    struct jr_str key;

    jr_state_enqueue(&w->state, w->key.namespace, w->key.name, 0, w->now.mono);
    if (jr_queue_get(w->state.jobs, w->now.mono, &key) != JR_OK)
        return false;
    jr_runner_start(w->runner, key);
    world_run(w);
    return w->over && !w->broken && jr_runner_active(w->runner) == 0;
}

/** slim: with the Job cached without its template, which must make no difference. */
static bool run_sync(const struct jr_node *row, bool slim)
{
    struct jr_str name = jr_get_str(row, "name");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *got = NULL;
    struct world w;
    bool ok = world_init(&w, row, slim);

    if (ok) {
        ok = set_up(&w) && sync_key(&w);
        ok = ok && scenario_want(row, &want) == JR_OK && jr_doc_new(&got) == JR_OK &&
             tidy(jr_doc_root(want)) == JR_OK &&
             observe(&w, jr_doc_root(want), jr_doc_root(got)) == JR_OK;
        if (!ok)
            (void)printf("%.*s: the row could not be run\n", JR_P(name));
        else
            ok = scenario_equal(name.p, jr_doc_root(want), jr_doc_root(got));
    }
    world_done(&w);
    return ok;
}

bool scenario_sync(const struct jr_node *row)
{
    return run_sync(row, false) && run_sync(row, true);
}
