/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "controller/work/ttl.h"
#include "controller/work/ttl_controller.h"
#include "tests/unit/controller/scenario_diff.h"
#include "tests/unit/controller/scenario_rows.h"

#define KEY "ns1/demo"

JR_DEFINE_CLEANUP(struct jr_ttl_controller *, jr_ttl_controller_free)

static void on_over(void *ctx)
{
    struct world *w = ctx;

    w->over = true;
}

/** Tells the handlers of the row's Job, and takes its key, which upstream works off in any case. */
static bool tell(struct world *w, struct jr_node *got, struct jr_str *ret_key)
{
    const struct jr_node *job = jr_get(w->row, "job");
    struct jr_queue *q = w->state.expired;

    if (job != NULL) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *j = world_job(w, job);

        if (j == NULL)
            return false;
        jr_handle(&w->state, JR_STORE_JOBS, j, w->now);
    }
    if (jr_set_bool(got, "eventHandlerEnqueues", jr_queue_look(q, JR_S(KEY)).waiting) != JR_OK)
        return false;
    jr_queue_add(q, JR_S(KEY), w->now.mono);
    return jr_queue_get(q, w->now.mono, ret_key) == JR_OK;
}

static enum jr_status observe_calls(struct world *w, struct jr_node *got)
{
    bool live = false, deleted = false;
    enum jr_status st = JR_OK;

    for (size_t i = 0; st == JR_OK && i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *call = jr_scripted_call_at(w->api, i);
        JR_CLEANUP(jr_doc_freep) struct jr_doc *body = NULL;

        live |= jr_str_is(call->method, "GET");
        if (!jr_str_is(call->method, "DELETE"))
            continue;
        deleted = true;
        st = jr_doc_parse(call->body, &JR_READER_STRICT, &body, NULL);
        if (st == JR_OK)
            st = jr_set_str(got, "propagationPolicy",
                            jr_get_str(jr_doc_root(body), "propagationPolicy"));
        if (st == JR_OK)
            st = jr_set_str(got, "preconditionUID",
                            jr_get_str(jr_get(jr_doc_root(body), "preconditions"), "uid"));
    }
    if (st == JR_OK)
        st = jr_set_bool(got, "liveGet", live);
    return st == JR_OK ? jr_set_bool(got, "deleted", deleted) : st;
}

/** A key that failed comes again after a backoff; one that has time left when that is over. */
static enum jr_status observe_queue(struct world *w, struct jr_node *got)
{
    const struct jr_queue_state q = jr_queue_look(w->state.expired, JR_S(KEY));
    const struct jr_job *job = jr_store_job(w->state.store, JR_S("ns1"), JR_S("demo"));
    struct jr_error err = { .status = JR_OK };
    int64_t left;

    if (q.failures == 0)
        return q.delayed
                   ? jr_set_i64(got, "requeueAfterSeconds", (q.due.ns - w->now.mono.ns) / JR_SEC)
                   : JR_OK;
    if (job == NULL || jr_ttl_left(job, w->now.wall, &left, &err) == JR_OK)
        return JR_INVALID;
    return jr_set_str(got, "error", jr_str(err.msg));
}

static bool work_off(struct world *w, struct jr_str key)
{
    const struct jr_ttl_controller_sink sink = { .over = on_over, .ctx = w };
    JR_CLEANUP(jr_ttl_controller_freep)
    struct jr_ttl_controller *x = jr_ttl_controller_new(&w->env, &w->state, &sink, 60000, NULL);

    jr_ttl_controller_start(x, key);
    world_run(w);
    return w->over && !w->broken && jr_ttl_controller_active(x) == 0;
}

bool scenario_ttl(const struct jr_node *row)
{
    struct jr_str name = jr_get_str(row, "name"), key;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *got = NULL;
    struct world w;
    bool ok = world_init(&w, row, false) && scenario_want(row, &want) == JR_OK &&
              jr_doc_new(&got) == JR_OK && tell(&w, jr_doc_root(got), &key) && work_off(&w, key) &&
              observe_calls(&w, jr_doc_root(got)) == JR_OK &&
              observe_queue(&w, jr_doc_root(got)) == JR_OK;

    if (!ok)
        (void)printf("%.*s: the row could not be run\n", JR_P(name));
    else
        ok = scenario_equal(name.p, jr_doc_root(want), jr_doc_root(got));
    world_done(&w);
    return ok;
}
