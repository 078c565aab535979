/* SPDX-License-Identifier: Apache-2.0 */
/* Accounting, then orphaned Pods, and what the cache shows to be left. */
#include "controller/decommission.h"

#include <stdio.h>

#include "controller/reconcile/sync.h"
#include "controller/work/orphans.h"

#define LOOK_NS (250 * JR_MSEC)
#define NAME_MAX_BYTES 400

/** How many there are of a kind, and an example. */
struct some {
    size_t n;
    char first[NAME_MAX_BYTES];
};

/** What the cache shows of our Jobs' Pods that bear the finalizer. */
struct left {
    struct some uncounted; /* that have ended, and Jobs whose status counts some but halfway */
    struct some running;
};

struct jr_decommission {
    const struct jr_env *env;
    struct jr_state *state;
    struct jr_decommission_sink sink;
    struct jr_log *log;
    struct jr_timer *timer;
    bool started;
    struct left left; /* at the last look */
};

/* ---- looking ---- */

static void note_object(struct some *s, const char *what, struct jr_str namespace,
                        struct jr_str name)
{
    if (s->n++ == 0)
        (void)snprintf(s->first, sizeof(s->first), "%s %.*s/%.*s", what, JR_P(namespace),
                       JR_P(name));
}

/** One whose count is begun has uids in its status, which are to become numbers. */
static void look_at_job(struct jr_decommission *l, const struct jr_job *job)
{
    const struct jr_job_status *s = &job->status;

    if (jr_job_is_ours(job, &l->state->options) && !jr_job_finished(s) &&
        s->uncounted.succeeded.n + s->uncounted.failed.n > 0)
        note_object(&l->left.uncounted, "job", job->meta.namespace, job->meta.name);
}

static void look_at_pod(struct jr_decommission *l, const struct jr_pod *pod, bool enqueue)
{
    const struct jr_job *job;

    if (!jr_orphans_is_ours(l->state, pod, &job))
        return;
    note_object(jr_pod_terminal(pod) ? &l->left.uncounted : &l->left.running, "pod", pod->namespace,
                pod->name);
    if (enqueue)
        jr_orphans_add_pod(l->state->orphans, pod->namespace, pod->name,
                           jr_loop_mono(l->env->loop));
}

static void count_left(struct jr_decommission *l, bool enqueue)
{
    const struct jr_cache *jobs = jr_store_cache(l->state->store, JR_STORE_JOBS);
    const struct jr_cache *pods = jr_store_cache(l->state->store, JR_STORE_PODS);
    const struct jr_cache_entry *e;

    l->left = (struct left){ 0 };
    for (e = jr_cache_next(jobs, NULL); e != NULL; e = jr_cache_next(jobs, e))
        look_at_job(l, e->object);
    for (e = jr_cache_next(pods, NULL); e != NULL; e = jr_cache_next(pods, e))
        look_at_pod(l, e->object, enqueue);
}

/* ---- the two parts ---- */

/** Every Job was synced once, and what has ended is counted: now for what hasn't. */
static void let_go(struct jr_decommission *l)
{
    jr_info(l->log, "all that has ended is counted", JR_INT("running", l->left.running.n));
    l->state->decommissioning = true;
    count_left(l, true);
}

static void on_look(void *ctx)
{
    struct jr_decommission *l = ctx;
    const bool quiet = l->sink.quiet(l->sink.ctx);

    l->timer = NULL;
    if (quiet) /* a removal that failed is tried again, and again */
        count_left(l, l->state->decommissioning);
    if (quiet && !l->state->decommissioning && l->left.uncounted.n == 0)
        let_go(l);
    if (quiet && l->state->decommissioning && l->left.uncounted.n + l->left.running.n == 0) {
        l->sink.over(l->sink.ctx);
        return;
    }
    l->sink.changed(l->sink.ctx);
    jr_xloop_after(l->env->loop, LOOK_NS, on_look, l, &l->timer);
}

void jr_decommission_left(struct jr_decommission *l, struct jr_error *ret)
{
    if (l->started)
        count_left(l, false);
    if (!l->started)
        (void)jr_fail(ret, JR_TIMEOUT, NULL,
                      "the Lease is another's, or the caches aren't complete");
    else if (l->left.uncounted.n > 0)
        (void)jr_fail(ret, JR_TIMEOUT, NULL,
                      "%zu that have ended are not counted yet, the first is %s",
                      l->left.uncounted.n, l->left.uncounted.first);
    else if (l->left.running.n == 0)
        (void)jr_fail(ret, JR_TIMEOUT, NULL, "Jobs can't be synced, see above");
    else
        (void)jr_fail(ret, JR_TIMEOUT, NULL, "%zu have the finalizer still, the first is %s",
                      l->left.running.n, l->left.running.first);
}

/* ---- its life ---- */

struct jr_decommission *jr_decommission_new(const struct jr_env *env, struct jr_state *state,
                                            const struct jr_decommission_sink *sink,
                                            struct jr_log *log)
{
    struct jr_decommission *l = jr_xcalloc(1, sizeof(*l));

    *l = (struct jr_decommission){ .env = env, .state = state, .sink = *sink, .log = log };
    return l;
}

void jr_decommission_free(struct jr_decommission *l)
{
    if (l == NULL)
        return;
    jr_timer_cancel(l->env->loop, &l->timer);
    free(l);
}

void jr_decommission_start(struct jr_decommission *l)
{
    l->started = true;
    jr_xloop_after(l->env->loop, 0, on_look, l, &l->timer);
}
