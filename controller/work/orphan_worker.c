/* SPDX-License-Identifier: Apache-2.0 */
/* Work on orphans: a stage of patches for each entry of their queue. */
#include "controller/work/orphan_worker.h"

#include <sys/queue.h>

#include "controller/reconcile/pod_patches.h"
#include "controller/work/refusals.h"

#define PATCH_MAX_BYTES 2048 /* names and uids of an API server take less */

struct work {
    TAILQ_ENTRY(work) in_list;
    struct jr_orphan_worker *r;
    struct jr_arena arena; /* operations and their bodies */
    struct jr_orphan orphan;
    struct jr_pod_list pods;
    struct jr_stage stage;
    struct jr_exec *exec;
};
TAILQ_HEAD(works, work);

struct jr_orphan_worker {
    const struct jr_env *env;
    struct jr_state *state;
    struct jr_executor *x;
    struct jr_orphan_worker_sink sink;
    struct jr_log *log;
    struct works works;
    size_t n;
};

struct jr_orphan_worker *jr_orphan_worker_new(const struct jr_env *env, struct jr_state *state,
                                              struct jr_executor *x,
                                              const struct jr_orphan_worker_sink *sink,
                                              struct jr_log *log)
{
    struct jr_orphan_worker *r = jr_xcalloc(1, sizeof(*r));

    *r = (struct jr_orphan_worker){ .env = env, .state = state, .x = x, .sink = *sink, .log = log };
    TAILQ_INIT(&r->works);
    return r;
}

static void work_free(struct work *w)
{
    TAILQ_REMOVE(&w->r->works, w, in_list);
    w->r->n--;
    jr_exec_cancel(&w->exec);
    jr_pod_list_done(&w->pods);
    jr_arena_done(&w->arena);
    free(w);
}

void jr_orphan_worker_free(struct jr_orphan_worker *r)
{
    struct work *w;

    if (r == NULL)
        return;
    while ((w = TAILQ_FIRST(&r->works)) != NULL)
        work_free(w);
    free(r);
}

size_t jr_orphan_worker_active(const struct jr_orphan_worker *r)
{
    return r->n;
}

static void end_work(struct work *w, bool failed)
{
    struct jr_orphan_worker *r = w->r;

    jr_orphans_done(r->state->orphans, &w->orphan, failed, jr_loop_mono(r->env->loop));
    work_free(w);
    r->sink.over(r->sink.ctx);
}

/** A Pod that is gone, or another one by now, has no finalizer of ours to lose; one that has
 * changed is looked at again. */
static void on_results(void *ctx, const struct jr_results *results)
{
    struct work *w = ctx;
    size_t failed = 0;

    w->exec = NULL;
    if (w->pods.n > 0)
        jr_refusals_note(w->r->state->refusals, &w->stage, results,
                         jr_store_owner(w->r->state->store, w->pods.v[0]),
                         jr_loop_mono(w->r->env->loop));
    for (size_t i = 0; i < results->n; i++) {
        const struct jr_op_result *r = &results->v[i];

        if (r->outcome == JR_OP_OK || (r->outcome == JR_OP_REFUSED && r->http == 404))
            continue;
        failed++;
        if (r->http != 409)
            jr_warn(w->r->log, "finalizer of an orphaned pod not removed",
                    JR_OBJECT("Pod", w->pods.v[i]->namespace, w->pods.v[i]->name),
                    JR_STR("err", r->message));
    }
    end_work(w, failed > 0);
}

/** Makes the stage that takes the finalizers off. Errors: JR_LIMIT, of a Pod with endless names. */
static enum jr_status prepare_request(struct work *w)
{
    const struct jr_state *s = w->r->state;
    struct jr_op *ops;

    jr_orphans_targets(s, &w->orphan, &w->pods);
    ops = jr_xarena_calloc(&w->arena, w->pods.n, sizeof(*ops));
    for (size_t i = 0; i < w->pods.n; i++) {
        ops[i] = (struct jr_op){ .kind = JR_OP_UNFINALIZE_POD, .pod = w->pods.v[i], .after = -1 };
        ops[i].body =
            jr_unfinalize_unchanged_patch(&w->arena, s->options.tracking_finalizer, w->pods.v[i]);
        if (ops[i].body.n > PATCH_MAX_BYTES)
            return JR_LIMIT;
    }
    w->stage = (struct jr_stage){
        .kind = JR_STAGE_UNFINALIZE, .mode = JR_MODE_PARALLEL, .ops = ops, .n_ops = w->pods.n
    };
    return JR_OK;
}

void jr_orphan_worker_start(struct jr_orphan_worker *r, const struct jr_orphan *orphan)
{
    struct work *w = jr_xcalloc(1, sizeof(*w));
    enum jr_status st;

    w->r = r;
    w->orphan = *orphan;
    jr_arena_init(&w->arena, 0);
    TAILQ_INSERT_TAIL(&r->works, w, in_list);
    r->n++;
    st = prepare_request(w);
    if (st != JR_OK)
        jr_warn(r->log, "orphaned pods not released", JR_STR("namespace", w->orphan.namespace),
                JR_CSTR("err", jr_status_text(st)));
    if (st != JR_OK || w->stage.n_ops == 0)
        end_work(w, st != JR_OK);
    else
        jr_execute(r->x, &w->stage, w->orphan.namespace, w->orphan.name, on_results, w, &w->exec);
}
