/* SPDX-License-Identifier: Apache-2.0 */
/* Counts each Pod once: its uid is written to status first, then its finalizer is taken off, then
 * the uid is dropped and the counter raised (KEP-2307). Killed at any point, the next sync finds in
 * status and finalizers where the last one stood. */
#include "controller/reconcile/internal.h"
#include "controller/reconcile/pod_patches.h"

static const struct jr_stage *fail_tracking(struct jr_sync *s, const char *where,
                                            struct jr_str message)
{
    return jr_emit_done(s,
                        jr_xarena_text(&s->keep, "tracking status: %s%.*s", where, JR_P(message)));
}

/* ---- metrics of what a write counted ---- */

static int64_t index_count(const struct jr_sync *s, struct jr_str text)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes set = { 0 };

    jr_must(jr_indexes_read(text, s->completions, &set));
    return jr_indexes_count(&set);
}

/** How many indexes more there are in `now`. Counted from the lists, which a scale-down clips on
 * both sides. */
static int64_t index_diff(const struct jr_sync *s, struct jr_str was, struct jr_str now)
{
    return jr_str_eq(was, now) ? 0 : index_count(s, now) - index_count(s, was);
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
static void count_finished(struct jr_sync *s)
{
    int64_t succeeded = (int64_t)s->status.succeeded - s->before.succeeded;

    if (s->indexed) {
        succeeded = index_diff(s, s->before.completed_indexes, s->status.completed_indexes);
        count_indexes(s, "succeeded", succeeded);
        if (s->per_index)
            count_indexes(s, "failed",
                          index_diff(s, s->before.failed_indexes, s->status.failed_indexes));
    }
    count_pods(s, "succeeded", succeeded);
    count_pods(s, "failed", (int64_t)s->status.failed - s->before.failed);
    s->before = s->status;
}

/* ---- the PUT ---- */

/** The version that the PUT goes by. */
static struct jr_str put_version(const struct jr_sync *s)
{
    const struct jr_job *base = s->answer != NULL ? s->answer : s->job;

    return s->base_version.n > 0 ? s->base_version : base->meta.resource_version;
}

static const struct jr_stage *put_status(struct jr_sync *s, jr_resume_fn *resume)
{
    const struct jr_job *base = s->answer != NULL ? s->answer : s->job;
    JR_BUF b = { .max = JR_BUF_BY_INPUT };

    if (base->template_dropped)
        return jr_need_template(s);
    if (jr_need(jr_job_write_with_status(base, &s->status, s->base_version, &b)) != JR_OK)
        return fail_tracking(s, "", JR_S("the Job can't be read"));
    return jr_emit_one(s, JR_STAGE_STATUS, JR_OP_PUT_STATUS, jr_stage_body(s, &b), resume);
}

/* ---- 3: uids whose finalizer is gone are counted and dropped ---- */

/** Keeps the uids of *list that are in holders, in `room`; returns how many went. */
static int32_t drop_accounted(struct jr_strs *list, const struct jr_strs *holders,
                              struct jr_str *room)
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

static void account_uncounted(struct jr_sync *s)
{
    struct jr_strs *succeeded = &s->status.uncounted.succeeded;
    struct jr_strs *failed = &s->status.uncounted.failed;
    size_t n = succeeded->n;
    struct jr_strs holders = { NULL, 0 };
    int32_t more_succeeded, more_failed;
    struct jr_str *room;

    if (n + failed->n == 0)
        return;
    holders.v = jr_xarena_calloc(&s->keep, s->n_pods, sizeof(*holders.v));
    room = jr_xarena_calloc(&s->keep, n + failed->n, sizeof(*room));
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct jr_rpod *p = &s->pods[i];

        if (p->holder && (p->listed_succeeded || p->listed_failed))
            holders.v[holders.n++] = p->pod->uid;
    }
    holders = jr_strset_make(&s->keep, &holders);
    more_succeeded = drop_accounted(succeeded, &holders, room);
    more_failed = drop_accounted(failed, &holders, room + n);
    s->status.succeeded = raised(s->status.succeeded, more_succeeded);
    s->status.failed = raised(s->status.failed, more_failed);
    s->write = s->write || more_succeeded + more_failed > 0;
}

/* ---- the end ---- */

static void tell_finished(struct jr_sync *s)
{
    bool success = s->finish.kind == JR_FINISH_SUCCESS;
    const char *reason = jr_xarena_str(jr_stage_arena(s), s->finish.reason).p;
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

static const struct jr_stage *after_second_put(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    jr_fresh_note_put(s, res, put_version(s));
    if (res->outcome != JR_OP_OK)
        return fail_tracking(s, "removing uncounted pods from status: ", jr_result_message(res));
    if (s->unfinalize_error.n > 0)
        return fail_tracking(s, "", s->unfinalize_error);
    if (s->finished)
        tell_finished(s);
    count_finished(s);
    return jr_emit_done(s, s->manage_error);
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
static void finish_job(struct jr_sync *s)
{
    const struct jr_job_status *st = &s->status;
    const char *type = s->finish.kind == JR_FINISH_SUCCESS ? "Complete" : "Failed";

    if (s->finish.kind == JR_FINISH_NONE || s->capped ||
        st->uncounted.succeeded.n + st->uncounted.failed.n > 0 ||
        (s->terminating > 0 && !s->ends_at_once))
        return;
    (void)jr_condition_ensure(s, type, "True", s->finish.reason, s->finish.message);
    ensure_start(s);
    /* A clock that was set back must not make the write invalid. */
    if (s->finish.kind == JR_FINISH_SUCCESS)
        s->status.completion_time =
            jr_time_cmp(s->now, st->start_time) < 0 ? st->start_time : s->now;
    s->finished = true;
    s->write = true;
}

/* ---- 2: finalizers off ---- */

static const struct jr_stage *conclude(struct jr_sync *s)
{
    account_uncounted(s);
    if (s->unfinalize_error.n == 0)
        finish_job(s);
    if (s->write)
        return put_status(s, after_second_put);
    if (s->unfinalize_error.n > 0)
        return fail_tracking(s, "", s->unfinalize_error);
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

static const struct jr_stage *after_unfinalize(struct jr_sync *s, const struct jr_results *r)
{
    struct jr_strs *unawait = &s->stage.effects.unawait, *gone = &s->stage.effects.gone;

    struct jr_strs *succeeded = &s->stage.effects.succeeded;

    unawait->v = jr_stage_uids(s, s->n_unfinalize);
    succeeded->v = jr_stage_uids(s, s->n_unfinalize);
    gone->v = jr_stage_uids(s, s->n_unfinalize);
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
        /* An index doesn't say whose success it is. */
        if (p->holder && s->indexed && p->succeeded && jr_index_known(s, p->index))
            succeeded->v[succeeded->n++] = p->pod->uid;
        if (p->holder && s->unfinalize_error.n == 0)
            s->unfinalize_error = jr_xarena_str(&s->keep, jr_result_message(res));
    }
    /* Ignored failures need no write of their own; upstream then forgets that they were there. */
    if (!s->recorded && s->unfinalize_error.n == 0 &&
        (s->record.failures_after_last_success != s->snap.backoff.failures_after_last_success ||
         jr_time_cmp(s->record.last_failure_time, s->snap.backoff.last_failure_time) != 0))
        record_backoff(s, false);
    return conclude(s);
}

/** Leaves in the list what has a finalizer that is to be taken off. The others are counted now. */
static void forget_finalizers_lost(struct jr_sync *s)
{
    struct jr_strs *forget = &s->stage.effects.forget_finalizer_lost;
    const struct jr_strs before = *forget; /* a removal that had no status to write after it */
    size_t n = 0;

    if (s->finalizer_lost.n == 0)
        return;
    forget->v = jr_stage_uids(s, before.n + s->n_unfinalize);
    if (before.n > 0)
        memcpy(forget->v, before.v, before.n * sizeof(*before.v));
    for (size_t i = 0; i < s->n_unfinalize; i++) {
        struct jr_rpod *p = s->unfinalize[i];

        if (jr_strset_has(&s->finalizer_lost, p->pod->uid))
            forget->v[forget->n++] = p->pod->uid;
        if (p->finalizer_lost)
            p->holder = false;
        else
            s->unfinalize[n++] = p;
    }
    s->n_unfinalize = n;
}

static const struct jr_stage *unfinalize(struct jr_sync *s)
{
    struct jr_strs *await = &s->stage.effects.await;
    struct jr_op *ops;
    struct jr_str body;

    for (enum jr_failure_action a = JR_FAILURE_FAIL_JOB; a <= JR_FAILURE_COUNT; a++) {
        if (s->policy_hits[a] > 0)
            jr_emit_metric(s, &jr_metric_pod_failures_handled_total, s->policy_hits[a],
                           jr_failure_action_text(a), NULL, NULL);
    }
    forget_finalizers_lost(s);
    if (s->n_unfinalize == 0)
        return conclude(s);
    ops = jr_stage_ops(s, s->n_unfinalize);
    await->v = jr_stage_uids(s, s->n_unfinalize);
    body = jr_unfinalize_patch(jr_stage_arena(s), s->snap.options->tracking_finalizer);
    for (size_t i = 0; i < s->n_unfinalize; i++) {
        const struct jr_pod *pod = s->unfinalize[i]->pod;

        ops[i] =
            (struct jr_op){ .kind = JR_OP_UNFINALIZE_POD, .pod = pod, .body = body, .after = -1 };
        await->v[await->n++] = pod->uid;
    }
    return jr_emit(s, JR_STAGE_UNFINALIZE, JR_MODE_PARALLEL, ops, s->n_unfinalize,
                   after_unfinalize);
}

/* ---- 1: uids into status ---- */

/** Goes on with the Job as the server has it now; false: the answer is none. */
static bool take_answer(struct jr_sync *s, const struct jr_op_result *res)
{
    if (res->body.n == 0) {
        s->base_version = jr_xarena_str(&s->keep, res->resource_version);
        return true;
    }
    if (jr_need(jr_job_decode(res->body, &s->answer, NULL)) != JR_OK)
        return false;
    s->status = s->answer->status;
    s->status.uncounted.set = true;
    return true;
}

static const struct jr_stage *after_first_put(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);

    jr_fresh_note_put(s, res, put_version(s));
    if (res->outcome != JR_OP_OK)
        return fail_tracking(s, "adding uncounted pods to status: ", jr_result_message(res));
    if (!take_answer(s, res))
        return fail_tracking(s, "adding uncounted pods to status: ", JR_S("malformed answer"));
    record_backoff(s, true);
    s->write = false;
    count_finished(s);
    return unfinalize(s);
}

/** Whether a Pod's finalizer has no more to guard. */
static bool removable(const struct jr_sync *s, const struct jr_rpod *p)
{
    return jr_time_set(s->job->meta.deletion_timestamp) || s->finish.kind != JR_FINISH_NONE ||
           p->succeeded || (p->failed && !p->held);
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
    enum jr_failure_action action;

    if (p->listed_failed || (s->indexed && !jr_index_known(s, p->index)))
        return;
    action = jr_failure_policy_match(s->snap.options, s->job, p->pod).action;
    s->policy_hits[action]++;
    if (action == JR_FAILURE_IGNORE)
        return;
    t->failed.v[t->failed.n++] = p->pod->uid;
    p->listed_failed = true;
    s->write = true;
}

static void tally_pod(struct jr_sync *s, struct jr_rpod *p, struct tally *t)
{
    /* When a Job has failed, what still runs has failed with it; a Job that succeeds early only
     * has no more need of it. Upstream takes each end without an interim condition for a failure.
     */
    bool failing = s->finish.kind == JR_FINISH_FAILING || s->finish.kind == JR_FINISH_FAILED ||
                   s->finish.at_once;

    s->unfinalize[s->n_unfinalize++] = p;
    if (p->succeeded)
        tally_success(s, p, t);
    else if (p->failed || failing)
        tally_failure(s, p, t);
}

/** The list, with room for as many more as one sync adds. */
static struct jr_strs with_room(struct jr_sync *s, const struct jr_strs *list)
{
    size_t more = s->n_pods < JR_UNCOUNTED_PER_SYNC ? s->n_pods : JR_UNCOUNTED_PER_SYNC;
    struct jr_str *v = jr_xarena_calloc(&s->keep, list->n + more + 1, sizeof(*v));

    if (list->n > 0)
        memcpy(v, list->v, list->n * sizeof(*v));
    return (struct jr_strs){ v, list->n };
}

static void tally(struct jr_sync *s)
{
    struct tally t = { .succeeded = with_room(s, &s->status.uncounted.succeeded),
                       .failed = with_room(s, &s->status.uncounted.failed) };

    s->unfinalize = jr_xarena_calloc(&s->keep, s->n_pods, sizeof(*s->unfinalize));
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
}

/** The text of a set; never {NULL, 0}. */
static struct jr_str set_text(struct jr_sync *s, const struct jr_indexes *set)
{
    JR_BUF b = { .max = JR_BUF_BY_INPUT };

    jr_must(jr_indexes_write(set, &b));
    return jr_xarena_str(&s->keep, jr_buf_str(&b));
}

/** Equal, where absent is not the same as empty. */
static bool same_text(struct jr_str a, struct jr_str b)
{
    if (a.p == NULL || b.p == NULL)
        return a.p == b.p;
    return jr_str_eq(a, b);
}

/** Indexes: those that succeeded stand for their Pods and are all written at once. */
static void note_indexes(struct jr_sync *s)
{
    struct jr_job_status *status = &s->status;
    struct jr_str text = set_text(s, &s->succeeded_set);

    s->write = s->write || !jr_str_eq(text, status->completed_indexes);
    status->completed_indexes = text;
    status->succeeded = (int32_t)jr_indexes_count(&s->succeeded_set);
    text = s->per_index ? set_text(s, &s->failed_set) : (struct jr_str){ NULL, 0 };
    s->write = s->write || !same_text(text, status->failed_indexes);
    status->failed_indexes = text;
}

/** The interim condition, which is written before any finalizer goes (KEP-3329, KEP-3998). */
static void note_finish(struct jr_sync *s)
{
    const char *type = NULL;

    if (s->finish.kind == JR_FINISH_FAILING)
        type = "FailureTarget";
    else if (s->finish.kind == JR_FINISH_SUCCESS && !s->finish.at_once)
        type = "SuccessCriteriaMet";
    if (type != NULL && jr_condition_ensure(s, type, "True", s->finish.reason, s->finish.message))
        s->write = true;
}

const struct jr_stage *jr_track(struct jr_sync *s)
{
    account_uncounted(s);
    tally(s);
    if (s->indexed)
        note_indexes(s);
    note_finish(s);
    return s->write ? put_status(s, after_first_put) : unfinalize(s);
}
