/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side: applies requests, and checks what must hold of each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/job/indexes.h"
#include "common/job/validate.h"
#include "common/json/doc.h"
#include "tests/support/doc.h"
#include "tests/support/object.h"
#include "tests/unit/reconcile/world.h"

const struct jr_job *world_job(const struct world *w)
{
    return w->jobs[w->n_jobs - 1];
}

/** A new version of the Job. */
static void store_job(struct world *w, struct jr_doc *doc)
{
    char version[24];
    struct jr_error err;
    struct jr_buf b;

    assert_true(w->n_jobs < WORLD_JOBS);
    (void)snprintf(version, sizeof(version), "%llu", (unsigned long long)++w->version);
    assert_int_equal(
        jr_set_str(jr_get(jr_doc_root(doc), "metadata"), "resourceVersion", jr_str(version)),
        JR_OK);
    jr_buf_init(&b, 1 << 20);
    assert_int_equal(jr_node_print(jr_doc_root(doc), &b), JR_OK);
    if (jr_job_decode(jr_buf_str(&b), &w->jobs[w->n_jobs], &err) != JR_OK)
        fail_msg("Job: %s: %s", err.path, err.msg);
    w->n_jobs++;
    jr_buf_done(&b);
}

void world_set_job(struct world *w, struct jr_str text)
{
    struct jr_doc *doc = doc_of(text);

    store_job(w, doc);
    jr_doc_free(doc);
}

void world_suspend(struct world *w, bool on)
{
    struct jr_doc *doc = doc_of(world_job(w)->raw);

    assert_int_equal(jr_set_bool(jr_get(jr_doc_root(doc), "spec"), "suspend", on), JR_OK);
    store_job(w, doc);
    jr_doc_free(doc);
}

void world_scale(struct world *w, int32_t parallelism)
{
    struct jr_doc *doc = doc_of(world_job(w)->raw);

    assert_int_equal(jr_set_i64(jr_get(jr_doc_root(doc), "spec"), "parallelism", parallelism),
                     JR_OK);
    store_job(w, doc);
    jr_doc_free(doc);
}

void world_delete_job(struct world *w)
{
    struct jr_doc *doc = doc_of(world_job(w)->raw);
    char text[JR_TIME_MAX];

    assert_int_equal(jr_set_str(jr_get(jr_doc_root(doc), "metadata"), "deletionTimestamp",
                                jr_str(jr_time_format(w->now, text))),
                     JR_OK);
    store_job(w, doc);
    jr_doc_free(doc);
}

/* ---- Pods ---- */

size_t world_pod_of(const struct jr_pod *pod)
{
    int64_t at;

    assert_int_equal(jr_parse_i64(jr_str_from(pod->uid, 1), 0, WORLD_PODS - 1, &at), JR_OK);
    return (size_t)at;
}

void world_changed(struct world *w, size_t pod)
{
    assert_true(w->n_events < WORLD_EVENTS);
    w->pods[pod].version = ++w->version;
    w->events[w->n_events++] = (struct world_event){ pod, w->pods[pod] };
}

/** A deleted Pod goes when nothing of it runs and no finalizer is left. */
bool world_reap(struct world *w, size_t pod)
{
    struct mpod *p = &w->pods[pod];

    if (!p->exists || !p->deleting || p->finalizer || p->phase == JR_POD_RUNNING)
        return false;
    p->exists = false;
    world_changed(w, pod);
    return true;
}

void world_delete_pod(struct world *w, size_t pod)
{
    struct mpod *p = &w->pods[pod];

    p->deleting = true;
    p->deleted = jr_time_s(w->now.ns / JR_SEC + w->plan.grace_s);
    world_changed(w, pod);
    (void)world_reap(w, pod);
}

struct jr_pod *world_pod(const struct world *w, const struct mpod *p, size_t at)
{
    static const char *const phases[] = { "Pending", "Running", "Succeeded", "Failed", "Unknown" };
    char born[JR_TIME_MAX], deleted[JR_TIME_MAX], finished[JR_TIME_MAX];
    struct jr_pod *pod;
    struct jr_error err;
    struct jr_buf b;

    (void)w;
    jr_buf_init(&b, 65536);
    (void)jr_buf_addf(&b,
                      "{\"metadata\":{\"name\":\"pod-%zu\",\"namespace\":\"ns\",\"uid\":\"u%zu\","
                      "\"resourceVersion\":\"%llu\",\"creationTimestamp\":\"%s\","
                      "\"labels\":{\"app\":\"x\"},\"annotations\":{",
                      at, at, (unsigned long long)p->version, jr_time_format(p->born, born));
    if (p->index >= 0)
        (void)jr_buf_addf(&b, "\"" JR_COMPLETION_INDEX "\":\"%lld\",", (long long)p->index);
    (void)jr_buf_addf(&b, "\"" JR_INDEX_FAILURE_COUNT "\":\"%lld\"}", (long long)p->failures);
    if (p->finalizer)
        (void)jr_buf_adds(&b, ",\"finalizers\":[\"" JR_JOB_TRACKING_FINALIZER "\"]");
    if (p->owned)
        (void)jr_buf_adds(&b, ",\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\","
                              "\"name\":\"job\",\"uid\":\"job\",\"controller\":true}]");
    if (p->deleting)
        (void)jr_buf_addf(&b, ",\"deletionTimestamp\":\"%s\",\"deletionGracePeriodSeconds\":30",
                          jr_time_format(p->deleted, deleted));
    (void)jr_buf_addf(&b, "},\"spec\":{\"nodeName\":\"n\"},\"status\":{\"phase\":\"%s\"",
                      phases[p->phase]);
    if (p->ready || p->disrupted)
        (void)jr_buf_addf(&b, ",\"conditions\":[{\"type\":\"%s\",\"status\":\"True\"}]",
                          p->disrupted ? "DisruptionTarget" : "Ready");
    if (p->phase == JR_POD_SUCCEEDED || p->phase == JR_POD_FAILED)
        (void)jr_buf_addf(&b,
                          ",\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0,\"state\":{"
                          "\"terminated\":{\"exitCode\":%d,\"finishedAt\":\"%s\"}}}]",
                          p->phase == JR_POD_SUCCEEDED ? 0
                          : p->exit_code != 0          ? (int)p->exit_code
                                                       : 1,
                          jr_time_format(p->finished, finished));
    assert_int_equal(jr_buf_adds(&b, "}}"), JR_OK);
    if (jr_pod_decode(jr_buf_str(&b), &pod, &err) != JR_OK)
        fail_msg("Pod: %s: %s", err.path, err.msg);
    jr_buf_done(&b);
    return pod;
}

static struct jr_op_result ok(const struct world *w, struct jr_arena *a, uint64_t version)
{
    const char *text = jr_arena_printf(a, "%llu", (unsigned long long)version);

    (void)w;
    return (
        struct jr_op_result){ .outcome = JR_OP_OK, .http = 200, .resource_version = jr_str(text) };
}

static struct jr_op_result refuse(int http, const char *message)
{
    return (
        struct jr_op_result){ .outcome = JR_OP_REFUSED, .http = http, .message = jr_str(message) };
}

static int64_t annotation(const struct jr_node *pod, const char *key, int64_t fallback)
{
    struct jr_str text = jr_get_str(jr_get(jr_get(pod, "metadata"), "annotations"), key);
    int64_t v;

    return text.n > 0 && jr_parse_i64(text, 0, INT32_MAX, &v) == JR_OK ? v : fallback;
}

static struct jr_op_result create(struct world *w, struct jr_str body, struct jr_arena *a)
{
    struct jr_doc *doc = doc_of(body);
    struct jr_op_result res;
    size_t at = w->n_pods++;

    assert_true(at < WORLD_PODS);
    w->pods[at] = (struct mpod){
        .exists = true,
        .owned = true,
        .finalizer = true,
        .phase = JR_POD_PENDING,
        .index = annotation(jr_doc_root(doc), JR_COMPLETION_INDEX, -1),
        .failures = annotation(jr_doc_root(doc), JR_INDEX_FAILURE_COUNT, 0),
        .born = jr_time_trunc_s(w->now),
    };
    jr_doc_free(doc);
    world_changed(w, at);
    res = ok(w, a, w->version);
    res.name = jr_str(jr_arena_printf(a, "pod-%zu", at));
    return res;
}

/** The heart of it: a finalizer goes only after the Pod, as the sync saw it, is on record
 * (KEP-2307). */
static void check_on_record(struct world *w, const struct jr_pod *seen)
{
    const struct jr_job *job = world_job(w);
    struct jr_indexes done = { 0 };
    size_t at = world_pod_of(seen);
    bool on_record = w->truth[at].listed_succeeded || w->truth[at].listed_failed;

    if (w->truth[at].counted > 0)
        fail_msg("u%zu was counted with its finalizer on", at);
    if (w->plan.indexed && seen->phase == JR_POD_SUCCEEDED) {
        assert_int_equal(jr_indexes_read(job->status.completed_indexes, w->plan.completions, &done),
                         JR_OK);
        on_record = on_record || jr_indexes_has(&done, jr_pod_index(seen));
        jr_indexes_done(&done);
    }
    /* Not to be counted: of a Job that goes, what still runs when a Job has succeeded, and what
     * fails, also with its Job, and is ignored by a policy. */
    w->truth[at].let_go =
        !on_record &&
        (w->truth[at].let_go || w->plan.rescaled ||
         (w->plan.ignores && seen->phase != JR_POD_SUCCEEDED) ||
         jr_time_set(job->meta.deletion_timestamp) ||
         (jr_job_condition_true(&job->status.conditions, "SuccessCriteriaMet") &&
          (jr_pod_active(seen) || (jr_pod_terminating(seen) && w->plan.replace_failed))));
    if (!on_record && !w->truth[at].let_go)
        fail_msg("u%zu loses its finalizer and is not on record", at);
}

static struct jr_op_result unfinalize(struct world *w, const struct jr_pod *pod,
                                      enum jr_stage_kind stage, struct jr_arena *a)
{
    size_t at = world_pod_of(pod);
    struct mpod *p = &w->pods[at];

    if (!p->exists)
        return refuse(404, "not found");
    if (!p->finalizer)
        return ok(w, a, p->version);
    if (stage == JR_STAGE_UNFINALIZE)
        check_on_record(w, pod);
    else
        w->truth[at].let_go = true;
    p->finalizer = false;
    world_changed(w, at);
    (void)world_reap(w, at);
    return ok(w, a, p->version);
}

static struct jr_op_result delete (struct world *w, size_t at, struct jr_arena *a)
{
    struct mpod *p = &w->pods[at];

    if (!p->exists)
        return refuse(404, "not found");
    if (!p->deleting)
        world_delete_pod(w, at);
    return ok(w, a, p->version);
}

static struct jr_op_result adopt(struct world *w, size_t at, struct jr_arena *a)
{
    struct mpod *p = &w->pods[at];

    if (!p->exists)
        return refuse(404, "not found");
    p->owned = true;
    p->finalizer = true;
    world_changed(w, at);
    return ok(w, a, p->version);
}

/* ---- status ---- */

static size_t at_of(struct jr_str uid)
{
    struct jr_pod pod = { .uid = uid };

    return world_pod_of(&pod);
}

/** The uids that came to a list and those that left it. */
static int32_t check_list(struct world *w, const struct jr_strs *was, const struct jr_strs *is,
                          bool failed)
{
    int32_t left = 0;

    for (size_t i = 0; i < is->n; i++) {
        size_t at = at_of(is->v[i]);
        struct truth *t = &w->truth[at];

        if (jr_strs_has(was, is->v[i]))
            continue;
        if (t->counted > 0 || t->listed_failed || t->listed_succeeded)
            fail_msg("u%zu is recorded a second time", at);
        if ((!w->pods[at].exists || !w->pods[at].finalizer) && !t->let_go)
            fail_msg("u%zu is recorded without its finalizer", at);
        *(failed ? &t->listed_failed : &t->listed_succeeded) = true;
    }
    for (size_t i = 0; i < was->n; i++) {
        size_t at = at_of(was->v[i]);
        struct truth *t = &w->truth[at];

        if (jr_strs_has(is, was->v[i]))
            continue;
        if (w->pods[at].exists && w->pods[at].finalizer)
            fail_msg("u%zu is counted with its finalizer on", at);
        t->counted++;
        assert_int_equal(t->counted, 1);
        t->failed = failed;
        t->listed_failed = false;
        t->listed_succeeded = false;
        left++;
    }
    return left;
}

static void check_indexes(struct world *w, const struct jr_job_status *was,
                          const struct jr_job_status *is)
{
    struct jr_indexes before = { 0 }, after = { 0 };

    assert_int_equal(jr_indexes_read(was->completed_indexes, w->plan.completions, &before), JR_OK);
    assert_int_equal(jr_indexes_read(is->completed_indexes, w->plan.completions, &after), JR_OK);
    assert_int_equal(jr_indexes_count(&after), is->succeeded);
    for (int32_t i = 0; i < w->plan.completions; i++) {
        bool had = false;

        if (jr_indexes_has(&before, i))
            assert_true(jr_indexes_has(&after, i));
        else if (jr_indexes_has(&after, i)) {
            for (size_t p = 0; p < w->n_pods; p++)
                had = had || (w->pods[p].index == i && w->pods[p].phase == JR_POD_SUCCEEDED);
            assert_true(had);
        }
    }
    jr_indexes_done(&before);
    jr_indexes_done(&after);
}

/** The counters move by what left the lists, and by nothing else. */
static void check_counts(struct world *w, const struct jr_job_status *was,
                         const struct jr_job_status *is)
{
    int32_t succeeded = check_list(w, &was->uncounted.succeeded, &is->uncounted.succeeded, false);
    int32_t failed = check_list(w, &was->uncounted.failed, &is->uncounted.failed, true);

    assert_int_equal(is->failed, was->failed + failed);
    if (w->plan.indexed && !w->plan.rescaled)
        check_indexes(w, was, is);
    else if (!w->plan.indexed)
        assert_int_equal(is->succeeded, was->succeeded + succeeded);
}

/** Whether the real API server would take it. It has to, but where completions were changed: a
 * counter that falls with them is refused while parallelism is another number. */
static bool is_valid(struct world *w, struct jr_str body)
{
    struct jr_profile profile = jr_profile_default();
    struct jr_object job, old;
    struct jr_errlist errs;
    struct jr_error err;
    JR_ARENA a = { 0 };
    bool valid;

    jr_arena_init(&a, 0);
    if (open_job_text(world_job(w)->raw, NULL, &old, &err) != JR_OK ||
        open_job_text(body, NULL, &job, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    jr_errlist_init(&errs, &a);
    jr_job_validate_status_update(&job, &old, &profile, &errs);
    valid = errs.n == 0;
    if (!valid && !w->plan.rescaled)
        fail_msg("422: %.*s: %.*s\n%.*s\nafter %.*s", JR_P(errs.v[0].field), JR_P(errs.v[0].detail),
                 JR_P(body), JR_P(world_job(w)->raw));
    jr_object_done(&job);
    jr_object_done(&old);
    return valid;
}

static struct jr_op_result put(struct world *w, struct jr_str body, struct jr_arena *a)
{
    struct jr_op_result res;
    struct jr_error err;
    struct jr_job *job;
    struct jr_doc *doc;

    if (jr_job_decode(body, &job, &err) != JR_OK)
        fail_msg("Job: %s: %s", err.path, err.msg);
    if (!jr_str_eq(job->meta.resource_version, world_job(w)->meta.resource_version)) {
        jr_job_unref(job);
        return refuse(409, "the object has been modified");
    }
    if (!is_valid(w, body)) {
        jr_job_unref(job);
        return refuse(422, "is invalid");
    }
    check_counts(w, &world_job(w)->status, &job->status);
    jr_job_unref(job);
    doc = doc_of(body);
    store_job(w, doc);
    jr_doc_free(doc);
    w->writes++;
    res = ok(w, a, w->version);
    if (world_chance(w, 80)) /* the shell may leave the body out */
        res.body = world_job(w)->raw;
    return res;
}

struct jr_op_result world_apply(struct world *w, const struct jr_op *op, enum jr_stage_kind stage,
                                struct jr_arena *a)
{
    struct jr_op_result res;

    switch (op->kind) {
    case JR_OP_GET_JOB:
        res = ok(w, a, w->version);
        res.resource_version = world_job(w)->meta.resource_version;
        res.uid = world_job(w)->meta.uid;
        res.body = world_job(w)->raw;
        return res;
    case JR_OP_ADOPT_POD:
        return adopt(w, world_pod_of(op->pod), a);
    case JR_OP_UNFINALIZE_POD:
        return unfinalize(w, op->pod, stage, a);
    case JR_OP_DELETE_POD:
        return delete (w, world_pod_of(op->pod), a);
    case JR_OP_CREATE_POD:
        return create(w, op->body, a);
    case JR_OP_PUT_STATUS:
        return put(w, op->body, a);
    case JR_OP_RELEASE_POD:
    case JR_OP_CREATE_WORKLOAD:
    case JR_OP_CREATE_POD_GROUP:
    case JR_OP_PATCH_WORKLOAD:
    case JR_OP_PATCH_POD_GROUP:
        break;
    }
    fail_msg("operation %d", (int)op->kind);
    return refuse(500, "");
}
