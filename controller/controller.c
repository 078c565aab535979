/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the controller, what they tell each other, and the order of its life. */
#include "controller/controller.h"

#include "common/base/memory.h"
#include "common/kube/events.h"
#include "controller/decommission.h"
#include "controller/explain.h"
#include "controller/gang_discovery.h"
#include "controller/intake/sources.h"
#include "controller/status_dump.h"
#include "controller/work/ambiguous_creates.h"
#include "controller/work/orphan_worker.h"
#include "controller/work/refusals.h"
#include "controller/work/run.h"
#include "controller/work/ttl_controller.h"

#define GAP_NS JR_SEC /* a loop that stood still for so long has lost its certainty */
#define HEARTBEAT_NS (250 * JR_MSEC)
#define TTL_WORKERS 5
#define DENIED_NS (50 * JR_MSEC) /* how soon the right to write is asked for again */
#define STOP_POLL_NS (10 * JR_MSEC)
#define RELEASE_GRACE_NS (10 * JR_SEC) /* for the Lease, once all else is over */

struct jr_controller {
    struct jr_env env;
    struct jr_controller_options opt;
    struct jr_controller_handler handler;
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_state state;
    struct jr_executor *executor;
    struct jr_runner *runner;
    struct jr_orphan_worker *orphan_worker;
    struct jr_ttl_controller *ttl;        /* NULL: not our business */
    struct jr_decommission *decommission; /* NULL: it stays */
    struct jr_recorder *recorder;
    struct jr_refusals *refusals;
    struct jr_status_dump *status_dump;
    struct jr_elector *elector; /* NULL: no election */
    struct jr_sources *sources;
    struct jr_gang_discovery *gang_discovery; /* NULL: not begun, or no gang scheduling */
    bool gates_known;                         /* else there is no sync yet */
    bool gangs_known;                         /* whether the server has them, or we don't ask */
    enum jr_scheduling_api gang_api;          /* as what it has them */
    struct jr_ambiguous_creates ambiguous;
    struct jr_timer *pump;
    bool pump_now; /* it is due in the next turn */
    struct jr_timer *heartbeat;
    struct jr_mono seen; /* when the loop was last known to run */
    struct jr_timer *stopping;
    struct jr_mono stop_by;
    bool leading;
    bool working; /* both caches are synced, keys are taken */
    bool stop;
    bool ended;
};

static void stop_all(struct jr_controller *c);

/* ---- the end ---- */

static void end_controller(struct jr_controller *c, int code)
{
    if (c->ended)
        return;
    c->ended = true;
    c->working = false;
    c->leading = false;
    jr_timer_cancel(c->env.loop, &c->pump);
    jr_timer_cancel(c->env.loop, &c->heartbeat);
    jr_timer_cancel(c->env.loop, &c->stopping);
    c->handler.on_end(c->handler.ctx, code);
}

/* ---- the right to write ---- */

/** Notices that the process stood still: it was stopped, or the machine suspended. Another may lead
 * by now, and the elector, of which there must be one, is not sure of its right until it has read
 * the Lease. */
static void notice_gap(struct jr_controller *c)
{
    struct jr_mono now = jr_loop_mono(c->env.loop);
    int64_t gap = now.ns - c->seen.ns;

    c->seen = now;
    if (gap <= GAP_NS)
        return;
    jr_warn(c->log, "the loop stood still", JR_INT("ms", gap / JR_MSEC));
    jr_elector_gap(c->elector);
}

static bool may_write(void *ctx)
{
    struct jr_controller *c = ctx;

    if (c->ended)
        return false;
    if (c->elector == NULL)
        return true;
    notice_gap(c);
    return jr_elector_may_write(c->elector);
}

static void on_heartbeat(void *ctx)
{
    struct jr_controller *c = ctx;

    c->heartbeat = NULL;
    notice_gap(c);
    jr_xloop_after(c->env.loop, HEARTBEAT_NS, on_heartbeat, c, &c->heartbeat);
}

/* ---- the queues' turn ---- */

static void on_pump(void *ctx);

static void set_pump(struct jr_controller *c, int64_t delay_ns)
{
    jr_timer_cancel(c->env.loop, &c->pump);
    c->pump_now = delay_ns <= 0;
    jr_xloop_after(c->env.loop, delay_ns, on_pump, c, &c->pump);
}

/** Something may be due that wasn't: look, in the next turn. */
static void pump_soon(void *ctx)
{
    struct jr_controller *c = ctx;

    if (c->working && !(c->pump != NULL && c->pump_now))
        set_pump(c, 0);
}

static bool start_sync(struct jr_controller *c, struct jr_mono now)
{
    struct jr_str key;

    if (jr_runner_active(c->runner) >= c->opt.concurrent_syncs)
        return false;
    if (jr_runner_fetch(c->runner))
        return true;
    if (jr_queue_get(c->state.jobs, now, &key) != JR_OK)
        return false;
    jr_runner_start(c->runner, key);
    return true;
}

static bool start_release(struct jr_controller *c, struct jr_mono now)
{
    struct jr_orphan orphan;

    if (jr_orphan_worker_active(c->orphan_worker) >= c->opt.concurrent_syncs ||
        jr_orphans_get(c->state.orphans, now, &orphan) != JR_OK)
        return false;
    jr_orphan_worker_start(c->orphan_worker, &orphan);
    return true;
}

static bool start_expiry(struct jr_controller *c, struct jr_mono now)
{
    struct jr_str key;

    if (c->ttl == NULL || jr_ttl_controller_active(c->ttl) >= TTL_WORKERS ||
        jr_queue_get(c->state.expired, now, &key) != JR_OK)
        return false;
    jr_ttl_controller_start(c->ttl, key);
    return true;
}

/** Comes back when the next key is due that there is room for. */
static void pump_when_due(struct jr_controller *c)
{
    struct jr_mono now = jr_loop_mono(c->env.loop);
    const struct {
        const struct jr_queue *q;
        bool room;
    } rows[] = {
        { c->state.jobs, jr_runner_active(c->runner) < c->opt.concurrent_syncs },
        { jr_orphans_queue(c->state.orphans),
          jr_orphan_worker_active(c->orphan_worker) < c->opt.concurrent_syncs },
        { c->state.expired, c->ttl != NULL && jr_ttl_controller_active(c->ttl) < TTL_WORKERS },
    };
    int64_t due = INT64_MAX;

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        int64_t at = rows[i].room ? jr_queue_next_due(rows[i].q, now).ns : INT64_MAX;

        due = at < due ? at : due;
    }
    if (due != INT64_MAX)
        set_pump(c, due - now.ns);
}

static void on_pump(void *ctx)
{
    struct jr_controller *c = ctx;
    struct jr_deadline turn = jr_loop_deadline(c->env.loop);
    bool more = true;

    c->pump = NULL;
    if (!may_write(c)) { /* each would fail, and be held back for its failure */
        set_pump(c, DENIED_NS);
        return;
    }
    while (more && c->working) {
        const struct jr_mono now = jr_loop_mono(c->env.loop);

        more = start_sync(c, now);
        more |= c->working && start_release(c, now);
        more |= c->working && start_expiry(c, now);
        more = more && !jr_deadline_over(&turn);
    }
    if (c->working)
        pump_when_due(c);
}

/* ---- what syncs tell ---- */

static void on_event(void *ctx, const struct jr_job *job, const char *type, const char *reason,
                     struct jr_str message)
{
    const struct jr_controller *c = ctx;
    const struct jr_event_object about = { .api_version = JR_S("batch/v1"),
                                           .kind = JR_S("Job"),
                                           .namespace = job->meta.namespace,
                                           .name = job->meta.name,
                                           .uid = job->meta.uid,
                                           .resource_version = job->meta.resource_version };

    jr_recorder_event(c->recorder, &about, type, reason, message);
}

static void on_sync_over(void *ctx, struct jr_str key, const struct jr_stage *last)
{
    (void)key;
    (void)last;
    pump_soon(ctx);
}

/** A creation had no answer. A list begun from now on will show whether it happened. */
static void on_ambiguous(void *ctx, const struct jr_object_key *key)
{
    struct jr_controller *c = ctx;
    const uint64_t list = jr_sources_relist_pods(c->sources, key->namespace);

    jr_ambiguous_creates_add(&c->ambiguous, key, list, &c->state);
    jr_warn(c->log, "ambiguous create, listing pods", JR_OBJECT("Job", key->namespace, key->name));
}

/* ---- what the informers tell ---- */

/** Keys are taken once all caches are complete; gangs count once theirs are, too. */
static void begin_work(struct jr_controller *c)
{
    if (c->ended || c->stop || !jr_sources_synced(c->sources))
        return;
    c->state.gang_api = c->state.options.workload_with_job ? c->gang_api : JR_SCHEDULING_NONE;
    if (c->working || !c->gates_known || !c->gangs_known)
        return;
    c->working = true;
    jr_info(c->log, "caches synced", JR_INT("jobs", jr_store_count(c->state.store, JR_STORE_JOBS)),
            JR_INT("pods", jr_store_count(c->state.store, JR_STORE_PODS)));
    if (c->decommission != NULL)
        jr_decommission_start(c->decommission);
}

static void on_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    struct jr_controller *c = ctx;

    if (c->ended)
        return;
    if (kind == JR_STORE_PODS)
        jr_ambiguous_creates_resolve(&c->ambiguous, namespace,
                                     jr_sources_pods_list(c->sources, namespace), &c->state,
                                     jr_loop_mono(c->env.loop));
    begin_work(c);
    pump_soon(c);
}

static void on_gangs_known(void *ctx, enum jr_scheduling_api api)
{
    struct jr_controller *c = ctx;

    c->gangs_known = true;
    if (api != c->gang_api) {
        c->gang_api = api;
        c->state.gang_api = JR_SCHEDULING_NONE; /* until the caches are complete */
        jr_sources_set_gangs(c->sources, api);
        jr_sources_start(c->sources);
    }
    begin_work(c);
    pump_soon(c);
}

/** Asks for gangs where their gate is on; again when there are other API servers. */
static void look_for_gangs(struct jr_controller *c)
{
    jr_gang_discovery_free(c->gang_discovery);
    c->gang_discovery = NULL;
    c->gangs_known = c->gangs_known || !c->state.options.workload_with_job;
    if (c->state.options.workload_with_job)
        c->gang_discovery = jr_gang_discovery_start(&c->env, on_gangs_known, c, c->log);
}

void jr_controller_set_gates(struct jr_controller *c, const struct jr_reconcile_options *o)
{
    jr_reconcile_gates_set(&c->state.options, o);
    if (!o->workload_with_job)
        c->state.gang_api = JR_SCHEDULING_NONE;
    c->gates_known = true;
    if (!c->leading || c->ended || c->stop)
        return;
    look_for_gangs(c);
    begin_work(c);
    pump_soon(c);
}

/** The first lists are made by whoever leads, consistently: a cache kept warm on the side could
 * lack what the leader before has done last. */
static void on_lead(void *ctx)
{
    struct jr_controller *c = ctx;

    if (c->ended || c->stop)
        return;
    c->leading = true;
    c->seen = jr_loop_mono(c->env.loop);
    jr_sources_start(c->sources);
    if (c->gates_known)
        look_for_gangs(c);
}

static void on_lead_lost(void *ctx)
{
    struct jr_controller *c = ctx;

    if (!c->stop)
        stop_all(c); /* at once: whatever is under way is another's to do */
    end_controller(c, c->stop ? 0 : 1);
}

/* ---- decommissioning ---- */

static bool is_quiet(void *ctx)
{
    const struct jr_controller *c = ctx;
    const struct jr_mono now = jr_loop_mono(c->env.loop);

    /* A sync that has failed may have had a Job's last write before it, which nothing else shows.
     */
    return jr_runner_active(c->runner) == 0 && jr_runner_waiting(c->runner) == 0 &&
           jr_orphan_worker_active(c->orphan_worker) == 0 && jr_queue_failing(c->state.jobs) == 0 &&
           jr_queue_next_due(c->state.jobs, now).ns > now.ns &&
           jr_queue_next_due(jr_orphans_queue(c->state.orphans), now).ns > now.ns;
}

static void on_left(void *ctx)
{
    struct jr_controller *c = ctx;

    jr_info(c->log, "no pod has the finalizer any more", JR_NONE);
    jr_controller_stop(c);
}

void jr_controller_decommission_left(struct jr_controller *c, struct jr_error *ret)
{
    jr_decommission_left(c->decommission, ret);
}

/* ---- making and ending ---- */

static void make_sources(struct jr_controller *c)
{
    const struct jr_sources_options o = { c->opt.namespaces, c->opt.n_namespaces,
                                          c->opt.paged_lists };
    const struct jr_sources_sink sink = { .changed = pump_soon, .listed = on_listed, .ctx = c };

    c->sources = jr_sources_new(&c->env, &c->state, &o, &sink, c->log, c->metrics);
    jr_sources_add_jobs(c->sources);
}

static void make_workers(struct jr_controller *c)
{
    const struct jr_executor_options x = { .max_inflight = c->opt.max_inflight,
                                           .timeout_ms = c->opt.request_timeout_ms,
                                           .max_retries = 3,
                                           .may_send = may_write,
                                           .ctx = c };
    const struct jr_run_sink run = { on_event, on_ambiguous, on_sync_over, pump_soon, c };
    const struct jr_orphan_worker_sink release = { .over = pump_soon, .ctx = c };
    const struct jr_ttl_controller_sink ttl_sink = { .over = pump_soon,
                                                     .may_write = may_write,
                                                     .ctx = c };
    const struct jr_decommission_sink leave = { is_quiet, pump_soon, on_left, c };
    const struct jr_refusals_sink refusals = { on_event, c };

    c->executor = jr_executor_new(&c->env, &x);
    c->refusals = jr_refusals_new(&refusals, c->metrics);
    c->state.refusals = c->refusals;
    c->runner = jr_runner_new(&c->env, &c->state, c->executor, &run, c->log);
    c->orphan_worker = jr_orphan_worker_new(&c->env, &c->state, c->executor, &release, c->log);
    if (c->opt.ttl_after_finished)
        c->ttl =
            jr_ttl_controller_new(&c->env, &c->state, &ttl_sink, c->opt.request_timeout_ms, c->log);
    if (c->opt.decommission)
        c->decommission = jr_decommission_new(&c->env, &c->state, &leave, c->log);
    c->recorder = jr_recorder_new(&c->env, "job-controller", c->log, may_write, c);
    c->status_dump = jr_status_dump_new(c->env.loop, &c->state, c->log);
}

static void set_defaults(struct jr_controller_options *o)
{
    o->concurrent_syncs = o->concurrent_syncs == 0 ? 5 : o->concurrent_syncs;
    o->job_cache_bytes = o->job_cache_bytes == 0 ? (size_t)128 << 20 : o->job_cache_bytes;
    o->max_inflight = o->max_inflight == 0 ? 100 : o->max_inflight;
    o->request_timeout_ms = o->request_timeout_ms == 0 ? 60000 : o->request_timeout_ms;
    o->stop_timeout_ms = o->stop_timeout_ms == 0 ? 10000 : o->stop_timeout_ms;
}

enum jr_status jr_controller_new(const struct jr_env *env,
                                 const struct jr_controller_options *options,
                                 const struct jr_controller_handler *handler, struct jr_log *log,
                                 struct jr_metrics *metrics, struct jr_controller **ret,
                                 struct jr_error *err)
{
    JR_CLEANUP(jr_controller_freep) struct jr_controller *c = jr_xcalloc(1, sizeof(*c));
    const struct jr_elector_handler election = { .on_started = on_lead,
                                                 .on_stopped = on_lead_lost,
                                                 .ctx = c };

    c->env = *env;
    c->opt = *options;
    c->handler = *handler;
    c->log = log;
    c->metrics = metrics;
    jr_ambiguous_creates_init(&c->ambiguous);
    set_defaults(&c->opt);
    c->gates_known = !c->opt.await_gates;
    jr_state_init(&c->state, &c->opt.reconcile, c->opt.ttl_after_finished, metrics);
    jr_store_bound_jobs(c->state.store, c->opt.job_cache_bytes);
    make_workers(c);
    make_sources(c);
    if (c->opt.leader_elect) {
        enum jr_status st = jr_need(
            jr_elector_new(&c->env, &c->opt.election, &election, log, metrics, &c->elector, err));

        if (st != JR_OK)
            return st;
    }
    *ret = jr_steal(&c);
    return JR_OK;
}

void jr_controller_start(struct jr_controller *c)
{
    c->seen = jr_loop_mono(c->env.loop);
    if (c->elector == NULL) {
        on_lead(c);
        return;
    }
    jr_xloop_after(c->env.loop, HEARTBEAT_NS, on_heartbeat, c, &c->heartbeat);
    jr_elector_start(c->elector);
}

/** Ends all work, as it stands. */
static void stop_all(struct jr_controller *c)
{
    c->working = false;
    jr_timer_cancel(c->env.loop, &c->pump);
    jr_sources_free(c->sources);
    c->sources = NULL;
    jr_status_dump_stop(c->status_dump);
    jr_runner_free(c->runner);
    c->runner = NULL;
    jr_gang_discovery_free(c->gang_discovery);
    c->gang_discovery = NULL;
    jr_orphan_worker_free(c->orphan_worker);
    c->orphan_worker = NULL;
    jr_ttl_controller_free(c->ttl);
    c->ttl = NULL;
    jr_decommission_free(c->decommission);
    c->decommission = NULL;
    jr_recorder_free(c->recorder);
    c->recorder = NULL;
}

static bool has_work(const struct jr_controller *c)
{
    return jr_runner_active(c->runner) > 0 || jr_orphan_worker_active(c->orphan_worker) > 0 ||
           (c->ttl != NULL && jr_ttl_controller_active(c->ttl) > 0) ||
           (c->leading && jr_recorder_pending(c->recorder) > 0);
}

static void on_release_late(void *ctx)
{
    struct jr_controller *c = ctx;

    c->stopping = NULL;
    end_controller(c, 0);
}

static void on_stopping(void *ctx)
{
    struct jr_controller *c = ctx;
    bool late = jr_loop_mono(c->env.loop).ns >= c->stop_by.ns;

    c->stopping = NULL;
    if (has_work(c) && !late) {
        jr_xloop_after(c->env.loop, STOP_POLL_NS, on_stopping, c, &c->stopping);
        return;
    }
    if (has_work(c))
        jr_warn(c->log, "not all work came to its end",
                JR_INT("syncs", jr_runner_active(c->runner)),
                JR_INT("events", jr_recorder_pending(c->recorder)));
    stop_all(c);
    if (c->elector == NULL) {
        end_controller(c, 0);
        return;
    }
    jr_xloop_after(c->env.loop, RELEASE_GRACE_NS, on_release_late, c, &c->stopping);
    jr_elector_stop(c->elector);
}

void jr_controller_stop(struct jr_controller *c)
{
    if (c->stop || c->ended)
        return;
    c->stop = true;
    c->working = false;
    c->stop_by.ns = jr_loop_mono(c->env.loop).ns + c->opt.stop_timeout_ms * JR_MSEC;
    jr_timer_cancel(c->env.loop, &c->pump);
    jr_info(c->log, "stopping", JR_INT("syncs", jr_runner_active(c->runner)));
    jr_xloop_after(c->env.loop, 0, on_stopping, c, &c->stopping);
}

void jr_controller_free(struct jr_controller *c)
{
    if (c == NULL)
        return;
    jr_elector_free(c->elector);
    jr_timer_cancel(c->env.loop, &c->heartbeat);
    jr_timer_cancel(c->env.loop, &c->stopping);
    stop_all(c);
    jr_executor_free(c->executor);
    jr_status_dump_free(c->status_dump);
    jr_refusals_free(c->refusals);
    jr_ambiguous_creates_done(&c->ambiguous);
    jr_state_done(&c->state);
    free(c);
}

/* ---- questions from outside ---- */

bool jr_controller_ready(const struct jr_controller *c, struct jr_error *ret)
{
    struct jr_error why = { 0 };

    if (c->ended || c->stop)
        (void)jr_fail(ret, JR_CANCELLED, NULL, "stopping");
    else if (c->leading && !c->gates_known)
        (void)jr_fail(ret, JR_TIMEOUT, NULL, "the API server's version is not known yet");
    else if (c->leading && !c->working)
        (void)jr_fail(ret, JR_TIMEOUT, NULL, "the caches are not synced");
    else if (c->elector != NULL && jr_elector_blind(c->elector, &why))
        (void)jr_fail(ret, why.status, NULL, "on standby, and the lease can't be read: %s",
                      why.msg);
    else
        return true;
    return false;
}

bool jr_controller_working(const struct jr_controller *c)
{
    return c->working;
}

void jr_controller_explain(const struct jr_controller *c, struct jr_str key, struct jr_buf *out)
{
    jr_explain_job(&c->state, c->runner, key, jr_now_of(c->env.loop), out);
}

void jr_controller_dump_status(struct jr_controller *c)
{
    if (!c->leading || c->runner == NULL)
        jr_answer(c->log, "no job waits here: another leads, or this one stops", JR_NONE);
    else
        jr_status_dump_start(c->status_dump, c->runner);
}

void jr_controller_measure(struct jr_controller *c)
{
    jr_state_measure(&c->state, jr_loop_mono(c->env.loop));
}
