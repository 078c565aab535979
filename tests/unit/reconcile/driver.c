/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/doc.h"
#include "tests/support/object.h"
#include "tests/unit/reconcile/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/job/validate.h"

/* ---- the API server, scripted ---- */

/** What the shell would remember, and what is written down. */
struct run {
    struct scenario *sc;
    const struct jr_node *api;
    struct jr_doc *got;
    struct jr_node *root;
    int32_t expect_add;
    int32_t expect_del;
    struct jr_strs awaited;
    bool has_record;
    struct jr_backoff_record record;
    int64_t creates; /* that succeeded */
    int64_t attempts;
    size_t puts;
    struct jr_str stored;  /* the Job as the API server has it */
    struct jr_arena arena; /* of the run */
};

static const struct {
    const char *name;
    int http;
    const char *message;
} faults[] = {
    { "internal", 500, "Internal error occurred: fake error" },
    { "notFound", 404, "pods \"fake\" not found" },
    { "conflict", 409,
      "Operation cannot be fulfilled on jobs.batch \"demo\": the object has been modified" },
    { "quotaForbidden", 403, "pods is forbidden: exceeded quota: fake-quota" },
    { "namespaceTerminating", 403, "pods is forbidden: namespace is being terminated" },
};

static struct jr_op_result answer_of(const struct jr_node *fault)
{
    struct jr_str name = jr_node_str(fault);

    if (name.n == 0)
        return (struct jr_op_result){ .outcome = JR_OP_OK, .http = 200 };
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        if (jr_str_is(name, faults[i].name))
            return (struct jr_op_result){ .outcome = JR_OP_REFUSED,
                                          .http = faults[i].http,
                                          .namespace_terminating =
                                              jr_str_is(name, "namespaceTerminating"),
                                          .message = jr_str(faults[i].message) };
    }
    fail_msg("unknown fault %.*s", JR_P(name));
    return (struct jr_op_result){ 0 };
}

static struct jr_node *list(struct run *r, const char *key)
{
    struct jr_node *n;

    assert_int_equal(jr_ensure_array(r->root, key, &n), JR_OK);
    return n;
}

static void note(struct run *r, const char *key, struct jr_str v)
{
    assert_int_equal(jr_push_str(list(r, key), v), JR_OK);
}

/** The live Job: the cached one, or another under its name. */
static struct jr_op_result get_job(struct run *r)
{
    struct jr_op_result res = { .outcome = JR_OP_OK, .http = 200 };
    struct jr_str uid = jr_get_str(r->api, "liveJobUID");
    struct jr_doc *doc;
    char *text;

    assert_int_equal(jr_doc_of(jr_get(r->sc->row, "job"), &doc), JR_OK);
    if (uid.n > 0)
        assert_int_equal(jr_set_str(jr_get(jr_doc_root(doc), "metadata"), "uid", uid), JR_OK);
    text = node_text(jr_doc_root(doc));
    assert_true(jr_arena_str(&r->arena, jr_str(text), &res.body));
    free(text);
    jr_doc_free(doc);
    return res;
}

static struct jr_op_result patch_pod(struct run *r, const struct jr_op *op, const char *key)
{
    struct jr_doc *body = doc_of(op->body);
    struct jr_node *bodies;

    note(r, key, op->pod->name);
    assert_int_equal(jr_ensure_object(r->root, "patchBodies", &bodies), JR_OK);
    assert_int_equal(jr_set_copy(bodies, op->pod->name, jr_doc_root(body), NULL), JR_OK);
    jr_doc_free(body);
    return answer_of(jr_getn(jr_get(r->api, "podPatchErrors"), op->pod->name));
}

static void note_create(struct run *r, const struct jr_node *pod)
{
    const struct jr_node *meta = jr_get(pod, "metadata"), *notes = jr_get(meta, "annotations");
    struct jr_str index = jr_get_str(notes, JR_COMPLETION_INDEX), v;
    struct jr_node *c, *copy;
    int64_t i;

    assert_int_equal(jr_push_object(list(r, "creates"), &c), JR_OK);
    assert_int_equal(jr_set_str(c, "generateName", jr_get_str(meta, "generateName")), JR_OK);
    if (index.p != NULL) {
        assert_int_equal(jr_parse_i64(index, 0, INT32_MAX, &i), JR_OK);
        assert_int_equal(jr_set_i64(c, "index", i), JR_OK);
    }
    v = jr_get_str(notes, JR_INDEX_FAILURE_COUNT);
    if (v.p != NULL)
        assert_int_equal(jr_set_str(c, "failureCountAnnotation", v), JR_OK);
    v = jr_get_str(notes, JR_INDEX_IGNORED_FAILURE_COUNT);
    if (v.p != NULL)
        assert_int_equal(jr_set_str(c, "ignoredFailureCountAnnotation", v), JR_OK);
    assert_int_equal(jr_set_copy(c, JR_S("pod"), pod, &copy), JR_OK);
    jr_remove(copy, JR_S("apiVersion"), NULL);
    jr_remove(copy, JR_S("kind"), NULL);
}

static struct jr_op_result create_pod(struct run *r, const struct jr_op *op)
{
    const struct jr_node *fault = jr_get(r->api, "podCreateError");
    int64_t ok = jr_node_i64_or(jr_get(r->api, "podCreateSucceedsTimes"), 0);
    struct jr_op_result res = { .outcome = JR_OP_OK, .http = 201 };
    struct jr_doc *pod = doc_of(op->body);

    assert_string_equal("Pod", jr_get_str(jr_doc_root(pod), "kind").p);
    r->attempts++;
    if (!jr_unset(fault) && r->attempts > ok) {
        res = answer_of(fault);
    } else {
        struct jr_str base = jr_get_str(jr_get(jr_doc_root(pod), "metadata"), "generateName");

        res.name = jr_str(jr_arena_printf(&r->arena, "%.*sxxxxx", JR_P(base)));
        res.uid = JR_S("uid-new");
        res.resource_version = JR_S("100");
        r->creates++;
        note_create(r, jr_doc_root(pod));
    }
    jr_doc_free(pod);
    return res;
}

/** What the API server's validation says of a status, as "write N: field: error". */
static void validate(struct run *r, struct jr_str body)
{
    struct jr_profile profile = jr_profile_default();
    struct jr_object job, old;
    struct jr_errlist errs;
    struct jr_error err;

    if (open_job_text(r->stored, NULL, &old, &err) != JR_OK ||
        open_job_text(body, NULL, &job, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    jr_errlist_init(&errs, &r->arena);
    jr_job_validate_status_update(&job, &old, &profile, &errs);
    assert_int_equal(errs.failed, JR_OK);
    for (size_t i = 0; i < errs.n; i++) {
        struct jr_buf b;

        jr_buf_init(&b, 65536);
        (void)jr_buf_addf(&b, "write %zu: %.*s: ", r->puts, JR_P(errs.v[i].field));
        assert_int_equal(jr_field_error_write(&errs.v[i], &b), JR_OK);
        note(r, "apiValidationErrors", jr_buf_str(&b));
        jr_buf_done(&b);
    }
    jr_object_done(&job);
    jr_object_done(&old);
}

static struct jr_op_result put_status(struct run *r, const struct jr_op *op)
{
    const struct jr_node *errors = jr_get(r->api, "statusUpdateErrors");
    struct jr_op_result res = answer_of(jr_at(errors, r->puts++));
    struct jr_node *written = jr_get(r->root, "status");
    struct jr_doc *job = doc_of(op->body);
    char *text;

    validate(r, op->body);
    if (res.outcome == JR_OP_OK) {
        if (written != NULL)
            assert_int_equal(jr_set_copy(r->root, JR_S("interimStatus"), written, NULL), JR_OK);
        assert_int_equal(
            jr_set_copy(r->root, JR_S("status"), jr_get(jr_doc_root(job), "status"), NULL), JR_OK);
        assert_int_equal(jr_set_str(jr_get(jr_doc_root(job), "metadata"), "resourceVersion",
                                    written == NULL ? JR_S("11") : JR_S("12")),
                         JR_OK);
        res.resource_version = written == NULL ? JR_S("11") : JR_S("12");
        text = node_text(jr_doc_root(job));
        assert_true(jr_arena_str(&r->arena, jr_str(text), &res.body));
        r->stored = res.body;
        free(text);
        assert_int_equal(jr_set_i64(r->root, "statusWriteCount",
                                    jr_node_i64_or(jr_get(r->root, "statusWriteCount"), 0) + 1),
                         JR_OK);
    }
    jr_doc_free(job);
    return res;
}

static struct jr_op_result run_op(struct run *r, const struct jr_op *op)
{
    switch (op->kind) {
    case JR_OP_GET_JOB:
        return get_job(r);
    case JR_OP_ADOPT_POD:
        return patch_pod(r, op, "adopts");
    case JR_OP_RELEASE_POD:
        return patch_pod(r, op, "releases");
    case JR_OP_UNFINALIZE_POD:
        return patch_pod(r, op, "finalizerRemovals");
    case JR_OP_DELETE_POD:
        note(r, "deletes", op->pod->name);
        return answer_of(jr_getn(jr_get(r->api, "podDeleteErrors"), op->pod->name));
    case JR_OP_CREATE_POD:
        return create_pod(r, op);
    case JR_OP_PUT_STATUS:
        return put_status(r, op);
    case JR_OP_CREATE_WORKLOAD:
    case JR_OP_CREATE_POD_GROUP:
    case JR_OP_PATCH_WORKLOAD:
    case JR_OP_PATCH_POD_GROUP:
        break;
    }
    fail_msg("operation %d", (int)op->kind);
    return (struct jr_op_result){ 0 };
}

/* ---- the executor ---- */

static bool is_failure(const struct jr_op_result *res)
{
    return res->outcome != JR_OP_OK && !res->namespace_terminating;
}

static void run_ops(struct run *r, const struct jr_stage *stage, struct jr_op_result *out)
{
    size_t batch = stage->mode == JR_MODE_SLOW_START ? 1 : stage->n_ops;
    bool failed = false;

    for (size_t i = 0; i < stage->n_ops; batch *= 2) {
        size_t end = i + batch < stage->n_ops ? i + batch : stage->n_ops;
        bool stop = failed;

        for (; i < end; i++) {
            const struct jr_op *op = &stage->ops[i];

            out[i] = (struct jr_op_result){ .outcome = JR_OP_SKIPPED };
            if (stop || (op->after >= 0 && out[op->after].outcome != JR_OP_OK))
                continue;
            out[i] = run_op(r, op);
            failed = failed || (stage->mode == JR_MODE_SLOW_START && is_failure(&out[i]));
        }
    }
}

static void note_call(struct run *r, const char *name)
{
    struct jr_node *calls = list(r, "callOrder");

    if (jr_size(calls) == 0 || !jr_str_is(jr_node_str(jr_at(calls, jr_size(calls) - 1)), name))
        assert_int_equal(jr_push_str(calls, jr_str(name)), JR_OK);
}

static void note_stage(struct run *r, const struct jr_stage *stage, const struct jr_op_result *res)
{
    static const char *const names[] = {
        [JR_STAGE_GET_JOB] = "getJob",
        [JR_STAGE_DELETE] = "deletePods",
        [JR_STAGE_CREATE] = "createPods",
        [JR_STAGE_UNFINALIZE] = "removeFinalizers",
        [JR_STAGE_STATUS] = "updateStatus",
        [JR_STAGE_UNFINALIZE_DELETE] = "removeFinalizers",
        [JR_STAGE_DONE] = NULL,
    };
    const char *name = names[stage->kind];

    for (size_t i = 0; i < stage->n_ops; i++) {
        if (stage->kind == JR_STAGE_CLAIM)
            note_call(r, stage->ops[i].kind == JR_OP_ADOPT_POD ? "adoptPods" : "releasePods");
        else if (stage->kind == JR_STAGE_UNFINALIZE_DELETE &&
                 stage->ops[i].kind == JR_OP_DELETE_POD && res[i].outcome != JR_OP_SKIPPED)
            name = "removeFinalizerThenDeletePods";
    }
    if (name != NULL && stage->n_ops > 0)
        note_call(r, name);
}

/* ---- the records ---- */

static void add_awaited(struct run *r, const struct jr_strs *uids)
{
    struct jr_strs all = { .n = r->awaited.n };

    all.v = jr_arena_calloc(&r->arena, r->awaited.n + uids->n, sizeof(*all.v));
    if (all.n > 0)
        memcpy(all.v, r->awaited.v, all.n * sizeof(*all.v));
    for (size_t i = 0; i < uids->n; i++) {
        if (!jr_strs_has(&all, uids->v[i]))
            all.v[all.n++] = uids->v[i];
    }
    r->awaited = all;
}

static void drop_awaited(struct run *r, const struct jr_strs *uids)
{
    struct jr_strs left = { jr_arena_calloc(&r->arena, r->awaited.n, sizeof(*left.v)), 0 };

    for (size_t i = 0; i < r->awaited.n; i++) {
        if (!jr_strs_has(uids, r->awaited.v[i]))
            left.v[left.n++] = r->awaited.v[i];
    }
    r->awaited = left;
}

static void apply(struct run *r, const struct jr_stage_effects *e)
{
    if (e->expect.set) {
        r->expect_add = e->expect.add;
        r->expect_del = e->expect.del;
    }
    r->expect_add -= e->lower.add;
    r->expect_del -= e->lower.del;
    add_awaited(r, &e->await);
    drop_awaited(r, &e->unawait);
    if (e->drop_records)
        r->has_record = false;
    if (e->backoff.set) {
        r->has_record |=
            e->backoff.written; /* the file's record is the one written with a status */
        r->record = e->backoff.record;
    }
}

static void note_events(struct run *r, const struct jr_stage *stage)
{
    for (size_t i = 0; i < stage->n_events; i++) {
        struct jr_node *e;

        assert_int_equal(jr_push_object(list(r, "events"), &e), JR_OK);
        assert_int_equal(jr_set_str(e, "type", jr_str(stage->events[i].type)), JR_OK);
        assert_int_equal(jr_set_str(e, "reason", jr_str(stage->events[i].reason)), JR_OK);
        assert_int_equal(jr_set_str(e, "message", stage->events[i].message), JR_OK);
    }
}

/** name{a=x,b=y}, labels by name, without the prefix. */
static void note_metrics(struct run *r, const struct jr_stage *stage)
{
    struct jr_node *all;

    if (stage->n_metrics > 0)
        assert_int_equal(jr_ensure_object(r->root, "metrics", &all), JR_OK);
    for (size_t i = 0; i < stage->n_metrics; i++) {
        const struct jr_stage_metric *m = &stage->metrics[i];
        const char *last = "", *key;
        struct jr_buf b;
        int64_t was;

        if (!jr_str_starts(jr_str(m->desc->name), JR_S("job_controller_")))
            continue; /* a metric of ours: upstream's scenarios have none of these */
        jr_buf_init(&b, 4096);
        (void)jr_buf_adds(&b, m->desc->name + strlen("job_controller_"));
        for (;;) {
            size_t next = SIZE_MAX;

            for (size_t j = 0; m->desc->labels[j] != NULL; j++) {
                if (strcmp(m->desc->labels[j], last) > 0 &&
                    (next == SIZE_MAX || strcmp(m->desc->labels[j], m->desc->labels[next]) < 0))
                    next = j;
            }
            if (next == SIZE_MAX)
                break;
            (void)jr_buf_addf(&b, "%c%s=%s", *last == '\0' ? '{' : ',', m->desc->labels[next],
                              m->values[next]);
            last = m->desc->labels[next];
        }
        assert_int_equal(jr_buf_addc(&b, '}'), JR_OK);
        key = b.p;
        was = jr_node_i64_or(jr_get(all, key), 0);
        assert_int_equal(jr_set_i64(all, key, was + (int64_t)m->by), JR_OK);
        jr_buf_done(&b);
    }
}

static void note_end(struct run *r, const struct jr_stage *done)
{
    struct jr_node *o;
    char text[JR_TIME_MAX];

    assert_int_equal(jr_set_i64(r->root, "createCount", r->creates), JR_OK);
    if (r->attempts != r->creates)
        assert_int_equal(jr_set_i64(r->root, "createAttempts", r->attempts), JR_OK);
    if (done->done.failed)
        assert_int_equal(jr_set_str(r->root, "error", done->done.error), JR_OK);
    if (done->done.requeue) {
        assert_int_equal(done->done.requeue_after_ns % JR_SEC, 0);
        assert_int_equal(
            jr_set_i64(r->root, "requeueAfterSeconds", done->done.requeue_after_ns / JR_SEC),
            JR_OK);
    }
    if (r->expect_add != 0 || r->expect_del != 0) {
        assert_int_equal(jr_set_object(r->root, "expectationsAfter", &o), JR_OK);
        assert_int_equal(jr_set_i64(o, "add", r->expect_add), JR_OK);
        assert_int_equal(jr_set_i64(o, "del", r->expect_del), JR_OK);
    }
    for (size_t i = 0; i < r->awaited.n; i++)
        note(r, "finalizerExpectationsAfter", r->awaited.v[i]);
    if (!r->has_record)
        return;
    assert_int_equal(jr_set_object(r->root, "backoffRecordAfter", &o), JR_OK);
    assert_int_equal(
        jr_set_i64(o, "failuresAfterLastSuccess", r->record.failures_after_last_success), JR_OK);
    if (jr_time_set(r->record.last_failure_time))
        assert_int_equal(jr_set_str(o, "lastFailureTime",
                                    jr_str(jr_time_format(r->record.last_failure_time, text))),
                         JR_OK);
}

/* ---- the run ---- */

static uint64_t version_of(const struct jr_node *state, const char *key)
{
    struct jr_str text = jr_get_str(state, key);
    uint64_t v = 0;

    if (text.n > 0)
        assert_int_equal(jr_parse_u64(text, &v), JR_OK);
    return v;
}

static struct jr_snapshot snapshot_of(struct run *r)
{
    const struct jr_node *state = jr_get(r->sc->row, "state");
    const struct jr_node *record = jr_get(state, "backoffRecord");
    const struct jr_node *awaited = jr_get(state, "expectedFinalizerRemovals");
    const struct jr_node *meta = jr_path(r->sc->row, "job.metadata");

    r->expect_add = (int32_t)jr_node_i64_or(jr_path(state, "expectations.add"), 0);
    r->expect_del = (int32_t)jr_node_i64_or(jr_path(state, "expectations.del"), 0);
    r->awaited.v = jr_arena_calloc(&r->arena, jr_size(awaited), sizeof(*r->awaited.v));
    for (const struct jr_node *u = jr_first(awaited); u != NULL; u = jr_next(u))
        r->awaited.v[r->awaited.n++] = jr_node_str(u);
    if (record != NULL) {
        r->has_record = true;
        r->record.failures_after_last_success =
            (int32_t)jr_node_i64_or(jr_get(record, "failuresAfterLastSuccess"), 0);
        r->record.last_failure_time = scenario_time(jr_get(record, "lastFailureTime"));
    }
    return (struct jr_snapshot){
        .namespace = jr_get_str(meta, "namespace"),
        .name = jr_get_str(meta, "name"),
        .job = r->sc->job,
        .pods = (const struct jr_pod *const *)r->sc->pods,
        .n_pods = r->sc->n_pods,
        .expectations_satisfied = r->expect_add <= 0 && r->expect_del <= 0,
        .awaited = r->awaited,
        .backoff = r->record,
        .finished_mark = jr_node_bool_or(jr_get(state, "finishedStatusWritten"), false),
        .cache_job_version = version_of(state, "cacheJobResourceVersion"),
        .written_job_version = version_of(state, "lastWrittenJobResourceVersion"),
        .options = &r->sc->options,
    };
}

struct jr_doc *scenario_run(struct scenario *sc)
{
    struct run r = { .sc = sc, .api = jr_get(sc->row, "api") };
    struct jr_results results = { NULL, 0 };
    const struct jr_stage *stage;
    struct jr_op_result *v = NULL;
    struct jr_snapshot snap;
    struct jr_sync *sync;

    jr_arena_init(&r.arena, 0);
    assert_int_equal(jr_doc_new(&r.got), JR_OK);
    r.root = jr_doc_root(r.got);
    snap = snapshot_of(&r);
    if (sc->job != NULL)
        r.stored = sc->job->raw;
    sync = jr_sync_begin(&snap, sc->now);
    for (unsigned steps = 0;; steps++) {
        assert_true(steps < 20);
        stage = jr_sync_step(sync, steps == 0 ? NULL : &results);
        assert_non_null(stage);
        apply(&r, &stage->effects);
        note_events(&r, stage);
        note_metrics(&r, stage);
        if (stage->kind == JR_STAGE_DONE)
            break;
        assert_true(stage->n_ops > 0);
        free(v);
        v = calloc(stage->n_ops + 1, sizeof(*v));
        run_ops(&r, stage, v);
        note_stage(&r, stage, v);
        results = (struct jr_results){ v, stage->n_ops };
    }
    note_end(&r, stage);
    free(v);
    jr_sync_free(sync);
    jr_arena_done(&r.arena);
    return r.got;
}
