/* Counts each Pod once: its uid is written to status first, then its finalizer is taken off, then
 * the uid is dropped and the counter raised (KEP-2307). Killed at any point, the next sync finds in
 * status and finalizers where the last one stood. */
#include "controller/reconcile/internal.h"

#define MAX_JOB_BYTES ((size_t)16 << 20)

enum jr_status jr_unfinalize_body(struct jr_sync *s, struct jr_str *ret)
{
    JR_BUF b = { 0 };
    struct jr_writer w;

    jr_buf_init(&b, (size_t)64 << 10);
    w = jr_writer_on(&b);
    jr_w_object(&w);
    jr_w_key(&w, "metadata");
    jr_w_object(&w);
    jr_finalizer_write(s, "$deleteFromPrimitiveList/finalizers", &w);
    jr_w_object_end(&w);
    jr_w_object_end(&w);
    if (b.failed != JR_OK)
        return b.failed;
    return jr_arena_str(jr_turn(s), jr_buf_str(&b), ret) ? JR_OK : JR_NOMEM;
}

static enum jr_status fail(struct jr_sync *s, const char *where, struct jr_str message)
{
    return jr_emit_done(
        s, jr_kept(s, jr_arena_printf(&s->keep, "tracking status: %s%.*s", where, JR_P(message))));
}

/* ---- metrics of what a write counted ---- */

static enum jr_status index_count(const struct jr_sync *s, struct jr_str text, int64_t *ret)
{
    JR_CLEANUP(jr_indexes_donep) struct jr_indexes set = { 0 };
    enum jr_status st = jr_indexes_read(text, s->completions, &set);

    *ret = jr_indexes_count(&set);
    return st;
}

/** How many indexes more there are in `now`. Counted from the lists, which a scale-down clips on
 * both sides. */
static enum jr_status index_diff(const struct jr_sync *s, struct jr_str was, struct jr_str now,
                                 int64_t *ret)
{
    int64_t before = 0, after = 0;
    enum jr_status st = JR_OK;

    if (!jr_str_eq(was, now)) {
        st = index_count(s, was, &before);
        if (st == JR_OK)
            st = index_count(s, now, &after);
    }
    *ret = after - before;
    return st;
}

static void count_indexes(struct jr_sync *s, const char *status, int64_t n)
{
    if (n > 0)
        jr_emit_metric(s, &jr_metric_job_finished_indexes_total, (double)n, status,
                       s->per_index ? "perIndex" : "global", NULL);
}

static void count_pods(struct jr_sync *s, const char *result, int64_t n)
{
    if (n > 0)
        jr_emit_metric(s, &jr_metric_job_pods_finished_total, (double)n, jr_sync_mode(s), result,
                       NULL);
}

/** What was written since s->before was. */
static enum jr_status count_finished(struct jr_sync *s)
{
    int64_t succeeded = (int64_t)s->status.succeeded - s->before.succeeded, failed_indexes = 0;
    enum jr_status st = JR_OK;

    if (s->indexed) {
        st = index_diff(s, s->before.completed_indexes, s->status.completed_indexes, &succeeded);
        if (st == JR_OK && s->per_index)
            st = index_diff(s, s->before.failed_indexes, s->status.failed_indexes, &failed_indexes);
        count_indexes(s, "succeeded", succeeded);
        count_indexes(s, "failed", failed_indexes);
    }
    count_pods(s, "succeeded", succeeded);
    count_pods(s, "failed", (int64_t)s->status.failed - s->before.failed);
    s->before = s->status;
    return st;
}

/* ---- the PUT ---- */

/** The version that the PUT goes by. */
static struct jr_str put_version(const struct jr_sync *s)
{
    const struct jr_job *base = s->answer != NULL ? s->answer : s->job;

    return s->base_version.n > 0 ? s->base_version : base->meta.resource_version;
}

static enum jr_status put(struct jr_sync *s, jr_resume_fn *resume)
{
    struct jr_op *op = jr_arena_calloc(jr_turn(s), 1, sizeof(*op));
    const struct jr_job *base = s->answer != NULL ? s->answer : s->job;
    enum jr_status st;
    JR_BUF b = { 0 };

    if (op == NULL)
        return JR_NOMEM;
    jr_buf_init(&b, MAX_JOB_BYTES);
    st = jr_job_write_with_status(base, &s->status, s->base_version, &b);
    if (st == JR_OK)
        st = b.failed;
    if (st != JR_OK)
        return st;
    *op = (struct jr_op){ .kind = JR_OP_PUT_STATUS, .after = -1 };
    if (!jr_arena_str(jr_turn(s), jr_buf_str(&b), &op->body))
        return JR_NOMEM;
    jr_emit(s, JR_STAGE_STATUS, JR_MODE_SEQUENCE, op, 1, resume);
    return JR_OK;
}

/* ---- 3: uids whose finalizer is gone are counted and dropped ---- */

/** Keeps the uids of *list that are in holders, in `room`; returns how many went. */
static int32_t drop(struct jr_strs *list, const struct jr_strs *holders, struct jr_str *room)
{
    size_t n = 0, went;

    for (size_t i = 0; i < list->n; i++) {
        if (jr_strset_has(holders, list->v[i]))
            room[n++] = list->v[i];
    }
    went = list->n - n;
    *list = (struct jr_strs){ room, n };
    return (int32_t)went;
}

static int32_t raised(int32_t counter, int32_t by)
{
    int32_t sum;

    return __builtin_add_overflow(counter, by, &sum) ? INT32_MAX : sum;
}

static enum jr_status settle(struct jr_sync *s)
{
    struct jr_strs *succeeded = &s->status.uncounted.succeeded;
    struct jr_strs *failed = &s->status.uncounted.failed;
    size_t n = succeeded->n;
    struct jr_strs holders = { NULL, 0 };
    int32_t more_succeeded, more_failed;
    struct jr_str *room;

    if (n + failed->n == 0)
        return JR_OK;
    holders.v = jr_arena_calloc(&s->keep, s->n_pods, sizeof(*holders.v));
    room = jr_arena_calloc(&s->keep, n + failed->n, sizeof(*room));
    if (holders.v == NULL || room == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct jr_rpod *p = &s->pods[i];

        if (p->holder && (p->listed_succeeded || p->listed_failed))
            holders.v[holders.n++] = p->pod->uid;
    }
    if (jr_strset_make(&s->keep, &holders, &holders) != JR_OK)
        return JR_NOMEM;
    more_succeeded = drop(succeeded, &holders, room);
    more_failed = drop(failed, &holders, room + n);
    s->status.succeeded = raised(s->status.succeeded, more_succeeded);
    s->status.failed = raised(s->status.failed, more_failed);
    s->write = s->write || more_succeeded + more_failed > 0;
    return JR_OK;
}

/* ---- the end ---- */

static void tell_finished(struct jr_sync *s)
{
    bool success = s->finish.kind == JR_FINISH_SUCCESS;
    const char *reason = jr_kept(s, jr_arena_printf(jr_turn(s), "%.*s", JR_P(s->finish.reason))).p;
    const struct jr_opt_i32 *completions = &s->job->spec.completions;

    s->stage.effects.finished_mark = true;
    jr_emit_metric(s, &jr_metric_jobs_finished_total, 1, jr_sync_mode(s),
                   success ? "succeeded" : "failed", reason);
    if (!success) {
        jr_emit_event(s, "Warning", reason, "", s->finish.message);
        return;
    }
    if (completions->set && s->status.succeeded > completions->v)
        jr_emit_event(s, "Warning", "TooManySucceededPods",
                      "Too many succeeded pods running after completion count reached", JR_S(""));
    jr_emit_event(s, "Normal", "Completed", "Job completed", JR_S(""));
}

static enum jr_status after_second_put(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    enum jr_status st;

    jr_fresh_note_put(s, res, put_version(s));
    if (res->outcome != JR_OP_OK)
        return fail(s, "removing uncounted pods from status: ", jr_result_message(res));
    if (s->unfinalize_error.n > 0)
        return fail(s, "", s->unfinalize_error);
    if (s->finished)
        tell_finished(s);
    st = count_finished(s);
    return st == JR_OK ? jr_emit_done(s, s->manage_error) : st;
}

/** The API server wants a start of what has finished. A suspended Job has lost its own (upstream
 * 1.36.0 then writes what is refused until someone resumes the Job); only one that had nothing to
 * do needs none. */
static void ensure_start(struct jr_sync *s)
{
    const struct jr_opt_i32 *completions = &s->job->spec.completions;

    if (jr_time_set(s->status.start_time) ||
        (s->suspended && completions->set && completions->v == 0))
        return;
    s->status.start_time = s->now;
}

/** Complete or Failed, once every Pod is accounted for and none terminates (KEP-3939). */
static enum jr_status finish(struct jr_sync *s)
{
    const struct jr_job_status *st = &s->status;
    const char *type = s->finish.kind == JR_FINISH_SUCCESS ? "Complete" : "Failed";
    enum jr_status rc;
    bool changed;

    if (s->finish.kind == JR_FINISH_NONE || s->capped ||
        st->uncounted.succeeded.n + st->uncounted.failed.n > 0 || s->terminating > 0)
        return JR_OK;
    rc = jr_condition_ensure(s, type, "True", s->finish.reason, s->finish.message, &changed);
    ensure_start(s);
    /* A clock that was set back must not make the write invalid. */
    if (rc == JR_OK && s->finish.kind == JR_FINISH_SUCCESS)
        s->status.completion_time =
            jr_time_cmp(s->now, st->start_time) < 0 ? st->start_time : s->now;
    s->finished = true;
    s->write = true;
    return rc;
}

/* ---- 2: finalizers off ---- */

static enum jr_status conclude(struct jr_sync *s)
{
    enum jr_status st = settle(s);

    if (st == JR_OK && s->unfinalize_error.n == 0)
        st = finish(s);
    if (st != JR_OK)
        return st;
    if (s->write)
        return put(s, after_second_put);
    if (s->unfinalize_error.n > 0)
        return fail(s, "", s->unfinalize_error);
    return jr_emit_done(s, s->manage_error);
}

/** What failures the Job has seen, once they can't be seen as new again. */
static void record_backoff(struct jr_sync *s, bool written)
{
    s->recorded = true;
    s->stage.effects.backoff.set = true;
    s->stage.effects.backoff.written = written;
    s->stage.effects.backoff.record = s->record;
}

static enum jr_status after_unfinalize(struct jr_sync *s, const struct jr_results *r)
{
    struct jr_strs *unawait = &s->stage.effects.unawait, *gone = &s->stage.effects.gone;

    unawait->v = jr_arena_calloc(jr_turn(s), s->n_unfinalize, sizeof(*unawait->v));
    gone->v = jr_arena_calloc(jr_turn(s), s->n_unfinalize, sizeof(*gone->v));
    if (unawait->v == NULL || gone->v == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < s->n_unfinalize; i++) {
        const struct jr_op_result *res = jr_result(r, i);
        struct jr_rpod *p = s->unfinalize[i];

        jr_note_pod_version(s, res);
        p->holder = res->outcome != JR_OP_OK && !jr_result_gone(res);
        if (res->outcome != JR_OP_OK) /* no update of the Pod will tell */
            unawait->v[unawait->n++] = p->pod->uid;
        /* Counted now; with a cache that lags behind, upstream counts it once more. */
        if (jr_result_gone(res))
            gone->v[gone->n++] = p->pod->uid;
        if (p->holder && s->unfinalize_error.n == 0)
            s->unfinalize_error =
                jr_kept(s, jr_arena_printf(&s->keep, "%.*s", JR_P(jr_result_message(res))));
    }
    /* Ignored failures need no write of their own; upstream then forgets that they were there. */
    if (!s->recorded && s->unfinalize_error.n == 0 &&
        (s->record.failures_after_last_success != s->snap.backoff.failures_after_last_success ||
         jr_time_cmp(s->record.last_failure_time, s->snap.backoff.last_failure_time) != 0))
        record_backoff(s, false);
    return conclude(s);
}

/** Leaves in the list what bears a finalizer that is to be taken off. The others are counted now.
 */
static enum jr_status settle_spared(struct jr_sync *s)
{
    struct jr_strs *unspared = &s->stage.effects.unspared;
    const struct jr_strs before = *unspared; /* a removal that had no status to write after it */
    size_t n = 0;

    if (s->spared.n == 0)
        return JR_OK;
    unspared->v = jr_arena_calloc(jr_turn(s), before.n + s->n_unfinalize, sizeof(*unspared->v));
    if (unspared->v == NULL)
        return JR_NOMEM;
    if (before.n > 0)
        memcpy(unspared->v, before.v, before.n * sizeof(*before.v));
    for (size_t i = 0; i < s->n_unfinalize; i++) {
        struct jr_rpod *p = s->unfinalize[i];

        if (jr_strset_has(&s->spared, p->pod->uid))
            unspared->v[unspared->n++] = p->pod->uid;
        if (p->spared)
            p->holder = false;
        else
            s->unfinalize[n++] = p;
    }
    s->n_unfinalize = n;
    return JR_OK;
}

static enum jr_status unfinalize(struct jr_sync *s)
{
    struct jr_strs *await = &s->stage.effects.await;
    struct jr_op *ops;
    struct jr_str body;

    for (enum jr_policy_action a = JR_POLICY_FAIL_JOB; a <= JR_POLICY_COUNT; a++) {
        if (s->policy_hits[a] > 0)
            jr_emit_metric(s, &jr_metric_pod_failures_handled_total, s->policy_hits[a],
                           jr_policy_action_text(a), NULL, NULL);
    }
    if (settle_spared(s) != JR_OK)
        return JR_NOMEM;
    if (s->n_unfinalize == 0)
        return conclude(s);
    ops = jr_arena_calloc(jr_turn(s), s->n_unfinalize, sizeof(*ops));
    await->v = jr_arena_calloc(jr_turn(s), s->n_unfinalize, sizeof(*await->v));
    if (ops == NULL || await->v == NULL || jr_unfinalize_body(s, &body) != JR_OK)
        return JR_NOMEM;
    for (size_t i = 0; i < s->n_unfinalize; i++) {
        const struct jr_pod *pod = s->unfinalize[i]->pod;

        ops[i] =
            (struct jr_op){ .kind = JR_OP_UNFINALIZE_POD, .pod = pod, .body = body, .after = -1 };
        await->v[await->n++] = pod->uid;
    }
    jr_emit(s, JR_STAGE_UNFINALIZE, JR_MODE_PARALLEL, ops, s->n_unfinalize, after_unfinalize);
    return JR_OK;
}

/* ---- 1: uids into status ---- */

/** Goes on with the Job as the server has it now. */
static enum jr_status take_answer(struct jr_sync *s, const struct jr_op_result *res)
{
    enum jr_status st;

    if (res->body.n == 0) {
        if (!jr_arena_str(&s->keep, res->resource_version, &s->base_version))
            return JR_NOMEM;
        return JR_OK;
    }
    st = jr_job_decode(res->body, &s->answer, NULL);
    if (st != JR_OK)
        return st;
    st = jr_status_take(s, &s->answer->status);
    s->status.uncounted.set = true;
    return st;
}

static enum jr_status after_first_put(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    enum jr_status st;

    jr_fresh_note_put(s, res, put_version(s));
    if (res->outcome != JR_OP_OK)
        return fail(s, "adding uncounted pods to status: ", jr_result_message(res));
    st = take_answer(s, res);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return fail(s, "adding uncounted pods to status: ", JR_S("malformed answer"));
    record_backoff(s, true);
    s->write = false;
    st = count_finished(s);
    return st == JR_OK ? unfinalize(s) : st;
}

/** Whether a Pod's finalizer has no more to guard. */
static bool removable(const struct jr_sync *s, const struct jr_rpod *p)
{
    return jr_time_set(s->job->meta.deletion_timestamp) || s->finish.kind != JR_FINISH_NONE ||
           p->pod->phase == JR_POD_SUCCEEDED || (p->failed && !p->held);
}

struct tally {
    struct jr_strs succeeded;
    struct jr_strs failed;
    size_t indexes; /* newly succeeded ones */
};

static void tally_success(struct jr_sync *s, struct jr_rpod *p, struct tally *t)
{
    if (s->indexed) {
        /* The index is enough to know it again. */
        if (jr_index_known(s, p->index) && !jr_indexes_has(&s->old_succeeded, p->index)) {
            t->indexes++;
            s->write = true;
        }
    } else if (!p->listed_succeeded) {
        t->succeeded.v[t->succeeded.n++] = p->pod->uid;
        p->listed_succeeded = true;
        s->write = true;
    }
}

static void tally_failure(struct jr_sync *s, struct jr_rpod *p, struct tally *t)
{
    enum jr_policy_action action;

    /* A uid in both lists would be refused, over and over. */
    if (p->listed_failed || p->listed_succeeded || (s->indexed && !jr_index_known(s, p->index)))
        return;
    action = jr_failure_policy_match(s->job, p->pod).action;
    s->policy_hits[action]++;
    if (action == JR_POLICY_IGNORE)
        return;
    t->failed.v[t->failed.n++] = p->pod->uid;
    p->listed_failed = true;
    s->write = true;
}

static void tally_pod(struct jr_sync *s, struct jr_rpod *p, struct tally *t)
{
    /* When a Job has failed, what still runs has failed with it; a Job that succeeds early only
     * has no more need of it. */
    bool failing = s->finish.kind == JR_FINISH_FAILING || s->finish.kind == JR_FINISH_FAILED;
    bool was_failed = p->listed_failed;

    s->unfinalize[s->n_unfinalize++] = p;
    if (p->pod->phase == JR_POD_SUCCEEDED && !was_failed)
        tally_success(s, p, t);
    else if (p->failed || failing)
        tally_failure(s, p, t);
}

/** Room for a list and as many more as one sync adds. */
static enum jr_status with_room(struct jr_sync *s, const struct jr_strs *list, struct jr_strs *ret)
{
    size_t more = s->n_pods < JR_UNCOUNTED_PER_SYNC ? s->n_pods : JR_UNCOUNTED_PER_SYNC;

    ret->v = jr_arena_calloc(&s->keep, list->n + more + 1, sizeof(*ret->v));
    if (ret->v == NULL)
        return JR_NOMEM;
    if (list->n > 0)
        memcpy(ret->v, list->v, list->n * sizeof(*ret->v));
    ret->n = list->n;
    return JR_OK;
}

static enum jr_status tally(struct jr_sync *s)
{
    struct tally t = { 0 };

    s->unfinalize = jr_arena_calloc(&s->keep, s->n_pods, sizeof(*s->unfinalize));
    if (s->unfinalize == NULL ||
        with_room(s, &s->status.uncounted.succeeded, &t.succeeded) != JR_OK ||
        with_room(s, &s->status.uncounted.failed, &t.failed) != JR_OK)
        return JR_NOMEM;
    for (size_t i = 0; i < s->n_pods && !s->capped; i++) {
        struct jr_rpod *p = &s->pods[i];

        if (!p->holder)
            continue;
        if (removable(s, p))
            tally_pod(s, p, &t);
        s->capped = t.indexes + t.succeeded.n + t.failed.n >= JR_UNCOUNTED_PER_SYNC;
    }
    s->status.uncounted.succeeded = t.succeeded;
    s->status.uncounted.failed = t.failed;
    return JR_OK;
}

/** The text of a set; never {NULL, 0}. */
static enum jr_status set_text(struct jr_sync *s, const struct jr_indexes *set, struct jr_str *ret)
{
    enum jr_status st;
    JR_BUF b = { 0 };

    jr_buf_init(&b, MAX_JOB_BYTES);
    st = jr_indexes_write(set, &b);
    if (st == JR_OK && !jr_arena_str(&s->keep, jr_buf_str(&b), ret))
        st = JR_NOMEM;
    return st;
}

/** Equal, where absent is not the same as empty. */
static bool same(struct jr_str a, struct jr_str b)
{
    if (a.p == NULL || b.p == NULL)
        return a.p == b.p;
    return jr_str_eq(a, b);
}

/** Indexes: those that succeeded stand for their Pods and are all written at once. */
static enum jr_status note_indexes(struct jr_sync *s)
{
    struct jr_job_status *status = &s->status;
    struct jr_str text;
    enum jr_status st = set_text(s, &s->succeeded_set, &text);

    if (st != JR_OK)
        return st;
    s->write = s->write || !jr_str_eq(text, status->completed_indexes);
    status->completed_indexes = text;
    status->succeeded = (int32_t)jr_indexes_count(&s->succeeded_set);
    text = (struct jr_str){ NULL, 0 };
    if (s->per_index)
        st = set_text(s, &s->failed_set, &text);
    s->write = s->write || !same(text, status->failed_indexes);
    status->failed_indexes = text;
    return st;
}

/** The interim condition, which is written before any finalizer goes (KEP-3329, KEP-3998). */
static enum jr_status note_finish(struct jr_sync *s)
{
    enum jr_status st = JR_OK;
    bool changed = false;

    if (s->finish.kind == JR_FINISH_FAILING)
        st = jr_condition_ensure(s, "FailureTarget", "True", s->finish.reason, s->finish.message,
                                 &changed);
    else if (s->finish.kind == JR_FINISH_SUCCESS)
        st = jr_condition_ensure(s, "SuccessCriteriaMet", "True", s->finish.reason,
                                 s->finish.message, &changed);
    s->write = s->write || changed;
    return st;
}

enum jr_status jr_track(struct jr_sync *s)
{
    enum jr_status st = settle(s);

    if (st == JR_OK)
        st = tally(s);
    if (st == JR_OK && s->indexed)
        st = note_indexes(s);
    if (st == JR_OK)
        st = note_finish(s);
    if (st != JR_OK)
        return st;
    return s->write ? put(s, after_first_put) : unfinalize(s);
}
