/* SPDX-License-Identifier: Apache-2.0 */
/* Leader election. Each attempt is the same small conversation:
 *
 *   leading, version known:    PUT --ok--> led on          --refused--> GET
 *   else:                      GET --held by another--> wait
 *                                  --ours, free or run out--> PUT
 *                                  --not there--> POST
 *
 * and the next one follows a retry period later. */
#include "common/kube/leader_election.h"

#include "common/api/lease.h"
#include "common/base/memory.h"
#include "common/kube/framing.h"
#include "common/kube/request.h"

#define JITTER 1.2
#define MARGIN_MIN_NS (500 * JR_MSEC)
#define RELEASE_MAX_MS 5000
#define IDENTITY_MAX 255
#define LEASE_BYTES_MAX ((size_t)3 << 20) /* with whatever others put there: as etcd allows */

enum elector_state { STATE_NEW, STATE_RUNNING, STATE_RELEASING, STATE_STOPPED };

/** The record as it was last seen, and since when it has been like that, by our own clock: other
 * machines' clocks count for nothing. */
struct record {
    bool set;
    char holder[IDENTITY_MAX + 1];
    int32_t duration_s;
    struct jr_time acquire_time;
    struct jr_time renew_time;
    int32_t transitions;
    struct jr_mono since;
};

struct jr_elector {
    struct jr_env env;
    struct jr_elector_options opt;
    struct jr_elector_handler h;
    struct jr_arena arena;         /* the strings of opt, and: */
    const char *collection, *path; /* URLs */
    struct jr_log *log;
    struct jr_metrics *metrics;
    enum elector_state state;
    bool leading;
    bool unread; /* the version is not known: an attempt was lost, or refused */
    bool gap;    /* the process stood still: no right to write until the Lease was read */
    struct jr_buf rv;
    struct jr_buf text; /* of that version, to keep what others have put there; n = 0: not known */
    struct jr_mono heard;       /* when the Lease was read or written last; at first: the start */
    struct jr_error last_error; /* why the last attempt failed */
    struct record seen;
    struct record written;   /* what is being sent */
    struct jr_mono sent_at;  /* the last renewal that succeeded */
    struct jr_mono asked_at; /* the one in flight */
    struct jr_kube_call *call;
    struct jr_timer *retry;
    struct jr_timer *deadline;
};

/** In a log line. */
#define LEASE(e) JR_OBJECT("Lease", jr_str((e)->opt.namespace), jr_str((e)->opt.name))

static const struct jr_metric_desc master_status =
    JR_METRIC(GAUGE, "leader_election_master_status",
              "1 while this process leads, 0 while it is on standby.", "name", NULL);

static void make_attempt(struct jr_elector *e);
static void get_lease(struct jr_elector *e);
static void put_lease(struct jr_elector *e);

/** How long the right to write lasts, from when the last successful renewal was sent. */
static int64_t may_write_for_ns(const struct jr_elector *e)
{
    int64_t lease_ns = e->opt.lease_duration_ms * JR_MSEC;
    int64_t margin = lease_ns / 10;

    return lease_ns - (margin < MARGIN_MIN_NS ? MARGIN_MIN_NS : margin);
}

bool jr_elector_may_write(void *elector)
{
    const struct jr_elector *e = elector;

    return e->state == STATE_RUNNING && e->leading && !e->gap &&
           jr_loop_mono(e->env.loop).ns - e->sent_at.ns < may_write_for_ns(e);
}

static bool is_ours(const struct jr_elector *e)
{
    return e->seen.set && strcmp(e->seen.holder, e->opt.identity) == 0;
}

/* ---- ends ---- */

static void set_leading(struct jr_elector *e, bool leading)
{
    const char *const values[] = { e->opt.name };

    e->leading = leading;
    jr_metrics_set(e->metrics, &master_status, values, leading ? 1 : 0);
}

static void cancel_all(struct jr_elector *e)
{
    jr_kube_cancel(&e->call);
    jr_timer_cancel(e->env.loop, &e->retry);
    jr_timer_cancel(e->env.loop, &e->deadline);
}

/** The end. The handler may free the elector. */
static void end_election(struct jr_elector *e)
{
    cancel_all(e);
    set_leading(e, false);
    e->state = STATE_STOPPED;
    e->h.on_stopped(e->h.ctx);
}

static void lose_leadership(struct jr_elector *e, const char *why)
{
    jr_err(e->log, "leadership lost", LEASE(e), JR_CSTR("why", why));
    end_election(e);
}

static void on_deadline(void *ctx)
{
    struct jr_elector *e = ctx;

    e->deadline = NULL;
    if (e->state == STATE_RELEASING)
        end_election(e);
    else
        lose_leadership(e, "not renewed in time");
}

static void on_stop_due(void *ctx)
{
    struct jr_elector *e = ctx;

    e->retry = NULL;
    end_election(e);
}

/* ---- pace ---- */

static void on_retry(void *ctx)
{
    struct jr_elector *e = ctx;

    e->retry = NULL;
    make_attempt(e);
}

static void retry_later(struct jr_elector *e)
{
    int64_t ns = e->opt.retry_period_ms * JR_MSEC;

    if (!e->leading)
        ns += (int64_t)((double)ns * JITTER * jr_rand_unit(&e->env.rand));
    jr_timer_cancel(e->env.loop, &e->retry);
    jr_xloop_after(e->env.loop, ns, on_retry, e, &e->retry);
}

/** The Lease is known as it is now. */
static void note_lease(struct jr_elector *e, struct jr_str text)
{
    e->heard = jr_loop_mono(e->env.loop);
    e->last_error = (struct jr_error){ 0 };
    jr_buf_reset(&e->text);
    if (jr_need(jr_buf_add(&e->text, text)) != JR_OK)
        jr_buf_reset(&e->text); /* too large to be kept: the election goes first */
}

bool jr_elector_blind(const struct jr_elector *e, struct jr_error *ret)
{
    const int64_t silent = jr_loop_mono(e->env.loop).ns - e->heard.ns;

    if (e->state != STATE_RUNNING || e->leading || silent < e->opt.lease_duration_ms * JR_MSEC)
        return false;
    if (e->last_error.status == JR_OK)
        (void)jr_fail(ret, JR_TIMEOUT, NULL, "no answer");
    else if (ret != NULL)
        *ret = e->last_error;
    return true;
}

/** An attempt came to nothing. */
static void attempt_failed(struct jr_elector *e, const char *what, const struct jr_error *err)
{
    e->unread = true;
    e->last_error = *err;
    if (e->state == STATE_RELEASING) {
        jr_warn(e->log, "the lease was not released", LEASE(e), JR_ERR(err));
        end_election(e);
        return;
    }
    jr_warn(e->log, what, LEASE(e), JR_ERR(err));
    retry_later(e);
}

/* ---- writing ---- */

/** A write went through, at the moment it was sent at the earliest. */
static void lease_renewed(struct jr_elector *e)
{
    const bool first = !e->leading;
    int64_t left =
        e->asked_at.ns + e->opt.renew_deadline_ms * JR_MSEC - jr_loop_mono(e->env.loop).ns;

    if (first && left <= 0) { /* the answer took so long that it is worth nothing */
        e->unread = true;
        retry_later(e);
        return;
    }
    e->sent_at = e->asked_at;
    e->gap = false;
    e->unread = false;
    set_leading(e, true);
    jr_timer_cancel(e->env.loop, &e->deadline);
    jr_xloop_after(e->env.loop, left, on_deadline, e, &e->deadline);
    retry_later(e);
    if (!first)
        return;
    jr_info(e->log, "leading", LEASE(e), JR_CSTR("identity", e->opt.identity),
            JR_INT("transitions", e->seen.transitions));
    e->h.on_started(e->h.ctx);
}

static void on_written(void *ctx, const struct jr_kube_result *r)
{
    struct jr_elector *e = ctx;
    struct jr_error error = { 0 };
    struct jr_str rv;

    e->call = NULL;
    if (r->kind != JR_RESULT_OK) {
        bool look = r->kind == JR_RESULT_REFUSED && !e->unread;

        e->unread = true;
        if (look) /* another version, or none: one look, at once */
            get_lease(e);
        else
            attempt_failed(e, "the lease is not written", &r->error);
        return;
    }
    if (e->state == STATE_RELEASING) {
        jr_info(e->log, "lease released", LEASE(e));
        end_election(e);
        return;
    }
    e->seen = e->written;
    e->seen.since = jr_loop_mono(e->env.loop);
    jr_buf_reset(&e->rv);
    if (jr_object_version(r->body, &rv, NULL, &error) != JR_OK ||
        jr_need(jr_buf_add(&e->rv, rv)) != JR_OK) { /* done, but not known as which version */
        attempt_failed(e, "the lease's answer", &error);
        return;
    }
    note_lease(e, r->body);
    lease_renewed(e);
}

/** What we want the record to be. */
static struct record wanted_record(const struct jr_elector *e)
{
    struct jr_time now = jr_loop_wall(e->env.loop);
    struct record w = {
        .set = true,
        .duration_s = (int32_t)(e->opt.lease_duration_ms / 1000),
        .acquire_time = now,
        .renew_time = now,
    };

    if (e->state == STATE_RELEASING) {
        w.duration_s = 1;
        w.transitions = e->seen.transitions;
        return w;
    }
    memcpy(w.holder, e->opt.identity, strlen(e->opt.identity));
    if (is_ours(e)) {
        w.acquire_time = e->seen.acquire_time;
        w.transitions = e->seen.transitions;
    } else if (e->seen.set) {
        w.transitions = e->seen.transitions + (e->seen.transitions < INT32_MAX);
    }
    return w;
}

static void send_request(struct jr_elector *e, const char *method, const char *path,
                         struct jr_str body,
                         void (*on_done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = path,
                  .body = body,
                  .timeout_ms = (e->opt.renew_deadline_ms + 1) / 2,
                  .own_connection = true },
    };

    e->asked_at = jr_loop_mono(e->env.loop);
    e->call = jr_kube_send(&e->env, &req, on_done, e);
}

/** With what others have put there, where that is known and can be read; the election goes first.
 */
static void write_object(const struct jr_elector *e, const struct jr_lease *l, bool create,
                         struct jr_buf *body)
{
    jr_buf_init(body, 2 * LEASE_BYTES_MAX);
    if (!create && e->text.n > 0 &&
        jr_need(jr_lease_replace(jr_buf_str(&e->text), l, body)) == JR_OK)
        return;
    jr_buf_reset(body);
    jr_must(jr_lease_write(l, body));
}

/** Writes the record: a new object, or the next version of the one that was read. */
static void write_record(struct jr_elector *e, bool create)
{
    struct jr_lease l = { 0 };
    JR_BUF body = { 0 };

    e->written = wanted_record(e);
    l.meta.name = jr_str(e->opt.name);
    l.meta.namespace = jr_str(e->opt.namespace);
    if (!create)
        l.meta.resource_version = jr_buf_str(&e->rv);
    l.holder_identity = jr_str(e->written.holder);
    l.lease_duration_s = JR_I32(e->written.duration_s);
    l.acquire_time = e->written.acquire_time;
    l.renew_time = e->written.renew_time;
    l.lease_transitions = JR_I32(e->written.transitions);
    write_object(e, &l, create, &body);
    send_request(e, create ? "POST" : "PUT", create ? e->collection : e->path, jr_buf_str(&body),
                 on_written);
}

static void put_lease(struct jr_elector *e)
{
    write_record(e, false);
}

/* ---- reading ---- */

static bool same_record(const struct record *a, const struct record *b)
{
    return a->set == b->set && strcmp(a->holder, b->holder) == 0 &&
           a->duration_s == b->duration_s && jr_time_cmp(a->acquire_time, b->acquire_time) == 0 &&
           jr_time_cmp(a->renew_time, b->renew_time) == 0 && a->transitions == b->transitions;
}

/** Takes the record in. */
static void observe_lease(struct jr_elector *e, const struct jr_lease *l)
{
    struct record now = {
        .set = true,
        .duration_s = jr_i32_or(l->lease_duration_s, 0),
        .acquire_time = l->acquire_time,
        .renew_time = l->renew_time,
        .transitions = jr_i32_or(l->lease_transitions, 0),
    };
    size_t n = l->holder_identity.n < IDENTITY_MAX ? l->holder_identity.n : IDENTITY_MAX;

    if (n > 0)
        memcpy(now.holder, l->holder_identity.p, n);
    if (same_record(&now, &e->seen))
        return;
    if (now.holder[0] != '\0' && strcmp(now.holder, e->seen.holder) != 0 &&
        strcmp(now.holder, e->opt.identity) != 0)
        jr_info(e->log, "the lease is held", LEASE(e), JR_CSTR("holder", now.holder));
    now.since = jr_loop_mono(e->env.loop);
    e->seen = now;
}

/** Whether the holder's time is not yet over, counted from when we saw the record change. */
static bool is_held(const struct jr_elector *e)
{
    return e->seen.holder[0] != '\0' &&
           jr_loop_mono(e->env.loop).ns - e->seen.since.ns < e->seen.duration_s * JR_SEC;
}

static void decide_next(struct jr_elector *e)
{
    if (e->state == STATE_RELEASING) {
        if (is_ours(e))
            put_lease(e);
        else
            end_election(e);
    } else if (e->leading && !is_ours(e)) {
        lose_leadership(e, "another holds the lease");
    } else if (!is_ours(e) && is_held(e)) {
        retry_later(e);
    } else {
        e->gap = false;
        put_lease(e);
    }
}

static void on_read(void *ctx, const struct jr_kube_result *r)
{
    struct jr_elector *e = ctx;
    struct jr_lease l = { 0 };
    struct jr_error error = { 0 };
    JR_ARENA arena = { 0 };

    e->call = NULL;
    jr_arena_init(&arena, LEASE_BYTES_MAX);
    if (r->kind == JR_RESULT_REFUSED && r->http == 404 && e->state == STATE_RUNNING) {
        e->seen = (struct record){ 0 };
        e->gap = e->leading; /* what is gone may be another's by now */
        write_record(e, true);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        attempt_failed(e, "the lease is not read", &r->error);
        return;
    }
    jr_buf_reset(&e->rv);
    if (jr_lease_decode(r->body, &arena, &l, &error) != JR_OK ||
        jr_need(jr_buf_add(&e->rv, l.meta.resource_version)) != JR_OK) {
        attempt_failed(e, "the lease is not read", &error);
        return;
    }
    note_lease(e, r->body);
    observe_lease(e, &l);
    decide_next(e);
}

static void get_lease(struct jr_elector *e)
{
    e->unread = true; /* until a write has gone through */
    send_request(e, "GET", e->path, (struct jr_str){ 0 }, on_read);
}

static void make_attempt(struct jr_elector *e)
{
    if (e->leading && !e->unread && is_ours(e))
        put_lease(e);
    else
        get_lease(e);
}

/* ---- outside ---- */

void jr_elector_start(struct jr_elector *e)
{
    if (e->state != STATE_NEW)
        return;
    e->state = STATE_RUNNING;
    e->heard = jr_loop_mono(e->env.loop);
    jr_info(e->log, "waiting for the lease", LEASE(e), JR_CSTR("identity", e->opt.identity));
    jr_xloop_after(e->env.loop, 0, on_retry, e, &e->retry);
}

void jr_elector_stop(struct jr_elector *e)
{
    bool release = e->state == STATE_RUNNING && e->leading && e->opt.release_on_stop;
    int64_t ms = e->opt.renew_deadline_ms;

    if (e->state == STATE_RELEASING || e->state == STATE_STOPPED)
        return;
    e->unread |= e->call != NULL; /* nobody knows any more what came of it */
    cancel_all(e);
    e->state = STATE_RELEASING;
    if (ms > RELEASE_MAX_MS)
        ms = RELEASE_MAX_MS;
    if (release)
        jr_xloop_after(e->env.loop, ms * JR_MSEC, on_deadline, e, &e->deadline);
    /* The handler is called from the loop only. */
    jr_xloop_after(e->env.loop, 0, release ? on_retry : on_stop_due, e, &e->retry);
}

void jr_elector_gap(struct jr_elector *e)
{
    if (e->state != STATE_RUNNING)
        return;
    e->gap = true;
    e->unread = true;
    jr_kube_cancel(&e->call);
    jr_timer_cancel(e->env.loop, &e->retry);
    jr_xloop_after(e->env.loop, 0, on_retry, e, &e->retry);
}

static enum jr_status check_options(const struct jr_elector_options *o, struct jr_error *err)
{
    if (o->namespace == NULL || o->namespace[0] == '\0' || o->name == NULL || o->name[0] == '\0')
        return jr_fail(err, JR_INVALID, "--leader-elect-resource-name",
                       "a Lease needs a namespace and a name");
    if (o->identity == NULL || o->identity[0] == '\0' || strlen(o->identity) > IDENTITY_MAX)
        return jr_fail(err, JR_INVALID, "identity", "must have 1 to %d bytes", IDENTITY_MAX);
    if (o->lease_duration_ms < 1000 || o->lease_duration_ms % 1000 != 0 ||
        o->lease_duration_ms / 1000 > INT32_MAX)
        return jr_fail(err, JR_INVALID, "--leader-elect-lease-duration",
                       "must be whole seconds, at least one");
    if (o->renew_deadline_ms < 1 || o->renew_deadline_ms >= o->lease_duration_ms)
        return jr_fail(err, JR_INVALID, "--leader-elect-renew-deadline",
                       "must be shorter than the lease's duration");
    if (o->retry_period_ms < 1 ||
        (double)o->retry_period_ms * JITTER >= (double)o->renew_deadline_ms)
        return jr_fail(err, JR_INVALID, "--leader-elect-retry-period",
                       "1.2 of them must be shorter than the renew deadline");
    return JR_OK;
}

static void set_paths(struct jr_elector *e)
{
    JR_BUF url = { 0 };

    jr_buf_init(&url, JR_BUF_BY_INPUT);
    jr_resource_path("/apis/coordination.k8s.io/v1", jr_str(e->opt.namespace), "leases", &url);
    jr_must(url.failed);
    e->collection = jr_xarena_str(&e->arena, jr_buf_str(&url)).p;
    (void)jr_buf_addc(&url, '/');
    jr_must(jr_url_escape(jr_str(e->opt.name), &url));
    e->path = jr_xarena_str(&e->arena, jr_buf_str(&url)).p;
}

enum jr_status jr_elector_new(const struct jr_env *env, const struct jr_elector_options *options,
                              const struct jr_elector_handler *handler, struct jr_log *log,
                              struct jr_metrics *metrics, struct jr_elector **ret,
                              struct jr_error *err)
{
    struct jr_elector *e;
    enum jr_status st = check_options(options, err);

    if (st != JR_OK)
        return st;
    e = jr_xcalloc(1, sizeof(*e));
    e->env = *env;
    e->h = *handler;
    e->log = log;
    e->metrics = metrics;
    e->unread = true;
    jr_buf_init(&e->rv, 256);
    jr_buf_init(&e->text, LEASE_BYTES_MAX);
    jr_arena_init(&e->arena, 0);
    e->opt = *options;
    e->opt.namespace = jr_xarena_strdup(&e->arena, options->namespace);
    e->opt.name = jr_xarena_strdup(&e->arena, options->name);
    e->opt.identity = jr_xarena_strdup(&e->arena, options->identity);
    set_paths(e);
    set_leading(e, false);
    *ret = e;
    return JR_OK;
}

void jr_elector_free(struct jr_elector *e)
{
    if (e == NULL)
        return;
    cancel_all(e);
    jr_buf_done(&e->rv);
    jr_buf_done(&e->text);
    jr_arena_done(&e->arena);
    free(e);
}
