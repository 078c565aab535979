#include "controller/leave.h"

#include <stdio.h>

#include "controller/orphans.h"
#include "controller/reconcile/sync.h"

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

struct jr_leaver {
    const struct jr_env *env;
    struct jr_state *state;
    struct jr_leave_sink sink;
    struct jr_log *log;
    struct jr_timer *timer;
    bool started;
    struct left left; /* at the last look */
};

/* ---- looking ---- */

struct look {
    struct jr_state *state;
    struct left left;
    struct jr_mono now;
    bool enqueue;
};

static void note(struct some *s, const char *what, struct jr_str namespace, struct jr_str name)
{
    if (s->n++ == 0)
        (void)snprintf(s->first, sizeof(s->first), "%s %.*s/%.*s", what, JR_P(namespace),
                       JR_P(name));
}

/** One whose count is begun has uids in its status, which are to become numbers. */
static enum jr_status look_at_job(void *ctx, const struct jr_job *job)
{
    struct look *l = ctx;
    const struct jr_job_status *s = &job->status;

    if (jr_job_is_ours(job, &l->state->options) && !jr_job_finished(s) &&
        s->uncounted.succeeded.n + s->uncounted.failed.n > 0)
        note(&l->left.uncounted, "job", job->meta.namespace, job->meta.name);
    return JR_OK;
}

static enum jr_status look_at_pod(void *ctx, const struct jr_pod *pod)
{
    struct look *l = ctx;
    const struct jr_job *job;

    if (!jr_orphans_is_ours(l->state, pod, &job))
        return JR_OK;
    note(jr_pod_terminal(pod) ? &l->left.uncounted : &l->left.running, "pod", pod->namespace,
         pod->name);
    if (!l->enqueue)
        return JR_OK;
    return jr_orphans_add_pod(l->state->orphans, pod->namespace, pod->name, l->now);
}

static enum jr_status look(struct jr_leaver *l, bool enqueue)
{
    struct look look = { .state = l->state, .now = jr_loop_mono(l->env->loop), .enqueue = enqueue };
    enum jr_status st = jr_store_each_job(l->state->store, look_at_job, &look);

    if (st == JR_OK)
        st = jr_store_each_pod(l->state->store, look_at_pod, &look);
    l->left = look.left;
    return st;
}

/* ---- the two parts ---- */

/** Every Job was synced once, and what has ended is counted: now for what hasn't. */
static enum jr_status let_go(struct jr_leaver *l)
{
    jr_info(l->log, "all that has ended is counted", JR_INT("running", l->left.running.n));
    l->state->leaving = true;
    return look(l, true);
}

static void on_look(void *ctx)
{
    struct jr_leaver *l = ctx;
    const bool quiet = l->sink.quiet(l->sink.ctx);
    enum jr_status st = JR_OK;

    l->timer = NULL;
    if (quiet) /* a removal that failed is tried again, and again */
        st = look(l, l->state->leaving);
    if (st == JR_OK && quiet && !l->state->leaving && l->left.uncounted.n == 0)
        st = let_go(l);
    if (st == JR_OK && quiet && l->state->leaving && l->left.uncounted.n + l->left.running.n == 0) {
        l->sink.over(l->sink.ctx);
        return;
    }
    l->sink.told(l->sink.ctx);
    if (st == JR_OK)
        st = jr_loop_after(l->env->loop, LOOK_NS, on_look, l, &l->timer);
    if (st != JR_OK)
        l->sink.broken(l->sink.ctx, &(struct jr_error){ .status = st, .msg = "release" });
}

void jr_leaver_left(struct jr_leaver *l, struct jr_error *ret)
{
    if (l->started && look(l, false) != JR_OK)
        (void)jr_fail(ret, JR_NOMEM, NULL, "out of memory");
    else if (!l->started)
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

enum jr_status jr_leaver_new(const struct jr_env *env, struct jr_state *state,
                             const struct jr_leave_sink *sink, struct jr_log *log,
                             struct jr_leaver **ret)
{
    struct jr_leaver *l = calloc(1, sizeof(*l));

    if (l == NULL)
        return JR_NOMEM;
    *l = (struct jr_leaver){ .env = env, .state = state, .sink = *sink, .log = log };
    *ret = l;
    return JR_OK;
}

void jr_leaver_free(struct jr_leaver *l)
{
    if (l == NULL)
        return;
    jr_timer_cancel(l->env->loop, &l->timer);
    free(l);
}

void jr_leaver_start(struct jr_leaver *l)
{
    l->started = true;
    if (jr_loop_after(l->env->loop, 0, on_look, l, &l->timer) != JR_OK)
        l->sink.broken(l->sink.ctx, &(struct jr_error){ .status = JR_NOMEM, .msg = "release" });
}
