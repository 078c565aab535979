/* SPDX-License-Identifier: Apache-2.0 */
/* A state that is told of Jobs and Pods, for the tests of what events do. */
#ifndef JR_TEST_CONTROLLER_HANDLERS_SCENE_H
#define JR_TEST_CONTROLLER_HANDLERS_SCENE_H

#include "controller/work/orphans.h"
#include "tests/unit/controller/controller_test.h"

#define FINALIZER "batch.kubernetes.io/job-tracking"

static const struct jr_now now = { { INT64_C(1772366400) * JR_SEC }, { 1000 * JR_SEC } };

static inline void state_init(struct jr_state *s, struct jr_metrics **m)
{
    const struct jr_reconcile_options o = jr_reconcile_options_default();

    assert_int_equal(jr_metrics_new(m), JR_OK);
    jr_state_init(s, &o, false, *m);
}

static inline void state_done(struct jr_state *s, struct jr_metrics *m)
{
    jr_state_done(s);
    jr_metrics_free(m);
}

static inline void tell_pod(struct jr_state *s, const struct pod_made *m)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(m);

    jr_handle(s, JR_STORE_PODS, pod, now);
}

static inline void tell_pod_gone(struct jr_state *s, const struct pod_made *m)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(m);

    jr_handle_gone(s, JR_STORE_PODS, pod, now);
}

static inline void tell_job(struct jr_state *s, const char *name, const char *uid)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job(name, uid, NULL, 1);

    jr_handle(s, JR_STORE_JOBS, job, now);
}

/** Makes a state that knows the Job "j" with the uid "u1". */
static inline void state_of_one_job(struct jr_state *s, struct jr_metrics **m)
{
    state_init(s, m);
    tell_job(s, "j", "u1");
}

static inline struct jr_object_key key_of(const char *name, const char *uid)
{
    return (struct jr_object_key){ JR_S("ns"), jr_str(name), jr_str(uid) };
}

/** Takes what waits and forgets it; the delayed add of a batch stays. */
static inline void drain(struct jr_state *s)
{
    struct jr_str key;

    while (jr_queue_get(s->jobs, (struct jr_mono){ INT64_MAX }, &key) == JR_OK)
        jr_queue_done(s->jobs, key, now.mono);
}

static inline size_t orphans_waiting(struct jr_state *s)
{
    static const char *const queue = "job_orphan_pod";

    return (size_t)jr_metrics_get(s->metrics, "workqueue_depth", &queue);
}

#endif
