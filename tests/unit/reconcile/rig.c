/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/reconcile/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

struct jr_time rig_now(void)
{
    return jr_time_s(1772366400);
}

void rig_open(struct rig *r, const char *spec, const char *status)
{
    struct jr_error err;
    struct jr_buf b;

    *r = (struct rig){ .options = jr_reconcile_options_default() };
    jr_arena_init(&r->arena, 0);
    jr_buf_init(&b, 1 << 20);
    (void)jr_buf_addf(
        &b,
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"demo\","
        "\"namespace\":\"ns1\",\"uid\":\"job-uid\",\"resourceVersion\":\"10\","
        "\"creationTimestamp\":\"2026-03-01T11:00:00Z\"},\"spec\":{\"selector\":{\"matchLabels\":{"
        "\"app\":\"x\"}},%s%s},\"status\":%s}",
        spec,
        strstr(spec, "\"template\"") != NULL
            ? ""
            : ",\"template\":{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"containers\":[{"
              "\"name\":\"c\",\"image\":\"i\"}],\"restartPolicy\":\"Never\"}}",
        status);
    if (jr_job_decode(jr_buf_str(&b), &r->job, &err) != JR_OK)
        fail_msg("Job: %s: %s", err.path, err.msg);
    jr_buf_done(&b);
    r->snap = (struct jr_snapshot){ .namespace = JR_S("ns1"),
                                    .name = JR_S("demo"),
                                    .job = r->job,
                                    .expectations_satisfied = true };
}

void rig_close(struct rig *r)
{
    jr_sync_free(r->sync);
    for (size_t i = 0; i < r->n_pods; i++)
        jr_pod_unref(r->pods[i]);
    jr_job_unref(r->job);
    jr_arena_done(&r->arena);
}

void rig_pod_text(struct rig *r, const char *text)
{
    struct jr_error err;

    assert_true(r->n_pods < RIG_PODS);
    if (jr_pod_decode(jr_str(text), &r->pods[r->n_pods], &err) != JR_OK)
        fail_msg("Pod: %s: %s", err.path, err.msg);
    r->n_pods++;
}

void rig_pod(struct rig *r, const char *name, const char *metadata, const char *status)
{
    struct jr_buf b;

    jr_buf_init(&b, 65536);
    (void)jr_buf_addf(
        &b,
        "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns1\",\"uid\":\"uid-%s\","
        "\"resourceVersion\":\"20\",\"creationTimestamp\":\"2026-03-01T11:50:00Z\","
        "\"labels\":{\"app\":\"x\"},\"finalizers\":[\"" JR_JOB_TRACKING_FINALIZER "\"],"
        "\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"demo\","
        "\"uid\":\"job-uid\",\"controller\":true}]%s%s},\"spec\":{\"nodeName\":\"n\"},"
        "\"status\":%s}",
        name, name, *metadata == '\0' ? "" : ",", metadata, status);
    assert_non_null(b.p);
    rig_pod_text(r, b.p);
    jr_buf_done(&b);
}

static const struct jr_stage *step(struct rig *r, const struct jr_results *results)
{
    r->stage = jr_sync_step(r->sync, results);
    assert_non_null(r->stage);
    return r->stage;
}

const struct jr_stage *rig_begin(struct rig *r)
{
    r->snap.pods = (const struct jr_pod *const *)r->pods;
    r->snap.n_pods = r->n_pods;
    r->snap.options = &r->options;
    r->sync = jr_sync_begin(&r->snap, rig_now());
    return step(r, NULL);
}

const struct jr_stage *rig_step(struct rig *r, const struct jr_op_result *v)
{
    struct jr_results results = { v, r->stage->n_ops };

    return step(r, &results);
}

const struct jr_stage *rig_step_ok(struct rig *r)
{
    struct jr_op_result *v = jr_arena_calloc(&r->arena, r->stage->n_ops, sizeof(*v));

    assert_non_null(v);
    for (size_t i = 0; i < r->stage->n_ops; i++) {
        v[i] = RIG_OK;
        if (r->stage->ops[i].kind == JR_OP_CREATE_POD)
            v[i].name = jr_str(jr_arena_printf(&r->arena, "new-%zu", i));
        if (r->stage->ops[i].kind == JR_OP_PUT_STATUS)
            assert_true(jr_arena_str(&r->arena, r->stage->ops[i].body, &v[i].body));
        if (r->stage->ops[i].kind == JR_OP_GET_JOB)
            v[i].body = r->job->raw;
    }
    return rig_step(r, v);
}

bool rig_event(const struct jr_stage *stage, const char *reason, const char *message)
{
    for (size_t i = 0; i < stage->n_events; i++) {
        if (strcmp(stage->events[i].reason, reason) == 0 &&
            jr_str_is(stage->events[i].message, message))
            return true;
    }
    return false;
}
