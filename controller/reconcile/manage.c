/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the number of active Pods to what it should be, or to none where the Job ends. */
#include "controller/reconcile/internal.h"
#include "controller/reconcile/pod_patches.h"

static bool being_deleted(const struct jr_sync *s)
{
    return jr_time_set(s->job->meta.deletion_timestamp);
}

/** The result of a DELETE: its event, and the first error. False: the Pod may still be there. */
static bool read_delete(struct jr_sync *s, const struct jr_op_result *r, const struct jr_pod *pod)
{
    struct jr_str message = jr_result_message(r);

    if (r->outcome == JR_OP_OK) {
        jr_emit_event(s, "Normal", "SuccessfulDelete", "Deleted pod: ", pod->name);
        return true;
    }
    if (jr_result_gone(r))
        return true;
    if (r->outcome != JR_OP_SKIPPED && !r->held_back)
        jr_emit_event(s, "Warning", "FailedDelete", "Error deleting: ", message);
    if (s->manage_error.n == 0)
        s->manage_error = jr_xarena_text(&s->keep, "unable to delete pods: %.*s", JR_P(message));
    return false;
}

/* ---- the Job ends: delete what still runs ---- */

static const struct jr_stage *after_delete(struct jr_sync *s, const struct jr_results *r)
{
    int32_t deleted = 0, ready = 0;

    for (size_t i = 0; i < s->n_targets; i++) {
        const struct jr_op_result *res = jr_result(r, i);

        if (read_delete(s, res, s->targets[i]->pod))
            deleted++;
        /* As upstream: one whose deletion was asked for is not waited for. */
        if (res->outcome != JR_OP_SKIPPED && jr_pod_ready(s->targets[i]->pod))
            ready++;
    }
    /* There may be Pods with finalizers that were not deleted, or are not in the cache yet. */
    if (deleted != s->active || !s->snap.expectations_satisfied)
        s->finish.kind = JR_FINISH_NONE;
    s->active -= deleted;
    s->terminating += deleted;
    s->ready -= ready;
    return NULL;
}

static const struct jr_stage *delete_active(struct jr_sync *s)
{
    struct jr_op *ops = jr_stage_ops(s, s->n_pods);

    s->targets = jr_xarena_calloc(&s->keep, s->n_pods, sizeof(*s->targets));
    for (size_t i = 0; i < s->n_pods; i++) {
        if (!s->pods[i].active)
            continue;
        ops[s->n_targets] =
            (struct jr_op){ .kind = JR_OP_DELETE_POD, .pod = s->pods[i].pod, .after = -1 };
        s->targets[s->n_targets++] = &s->pods[i];
    }
    if (s->n_targets == 0)
        return after_delete(s, NULL);
    return jr_emit(s, JR_STAGE_DELETE, JR_MODE_PARALLEL, ops, s->n_targets, after_delete);
}

/* ---- too many Pods: take the finalizer off, then delete ---- */

/** Remembers a Pod that is there still, and perhaps without its finalizer: upstream loses it if it
 * ends before its deletion is tried again. */
static void note_finalizer_lost(struct jr_sync *s, struct jr_str uid)
{
    struct jr_strs *finalizer_lost = &s->stage.effects.finalizer_lost;

    finalizer_lost->v[finalizer_lost->n++] = uid;
}

/** One Pod's results, patch NULL: it bore no finalizer. False: it was not removed. */
static bool read_removal(struct jr_sync *s, const struct jr_rpod *p,
                         const struct jr_op_result *patch, const struct jr_op_result *delete,
                         int32_t *ready)
{
    bool is_ready = jr_pod_ready(p->pod), gone;

    if (patch != NULL) {
        jr_note_pod_version(s, patch);
        gone = jr_result_gone(patch);
        if (patch->outcome != JR_OP_OK && !gone && s->manage_error.n == 0)
            s->manage_error = jr_xarena_text(&s->keep, "removing completion finalizer: %.*s",
                                             JR_P(jr_result_message(patch)));
        if (patch->outcome != JR_OP_OK && delete->outcome == JR_OP_SKIPPED) {
            /* No event of this deletion will be seen. Of a Pod that is gone upstream keeps the
             * readiness, which the API server refuses where it makes ready more than active. */
            s->stage.effects.lower.del++;
            if (patch->outcome == JR_OP_AMBIGUOUS)
                note_finalizer_lost(s, p->pod->uid);
            *ready += gone && is_ready;
            return gone;
        }
    }
    if (delete->outcome != JR_OP_OK)
        s->stage.effects.lower.del++;
    if (delete->outcome != JR_OP_OK && !jr_result_gone(delete)) {
        if (patch != NULL)
            note_finalizer_lost(s, p->pod->uid);
    } else if (p->finalizer_lost) {
        struct jr_strs *forget = &s->stage.effects.forget_finalizer_lost;

        forget->v[forget->n++] = p->pod->uid;
    }
    *ready += delete->outcome != JR_OP_SKIPPED && is_ready;
    return read_delete(s, delete, p->pod);
}

static const struct jr_stage *after_remove(struct jr_sync *s, const struct jr_results *r)
{
    struct jr_stage_effects *effects = &s->stage.effects;
    int32_t removed = 0, ready = 0;
    size_t at = 0;

    effects->finalizer_lost.v = jr_stage_uids(s, s->n_targets);
    effects->forget_finalizer_lost.v = jr_stage_uids(s, s->n_targets);
    for (size_t i = 0; i < s->n_targets; i++) {
        const struct jr_op_result *patch = NULL;

        if (s->targets[i]->finalizer)
            patch = jr_result(r, at++);
        removed += read_removal(s, s->targets[i], patch, jr_result(r, at++), &ready);
    }
    s->active -= removed;
    s->terminating += removed;
    s->ready -= ready;
    return NULL;
}

static const struct jr_stage *remove_pods(struct jr_sync *s, struct jr_rpod **v, size_t n)
{
    struct jr_op *ops = jr_stage_ops(s, n * 2);
    const struct jr_str body =
        jr_unfinalize_patch(jr_stage_arena(s), s->snap.options->tracking_finalizer);
    size_t at = 0;

    s->action = "pods_deleted";
    s->targets = v;
    s->n_targets = n;
    if (n == 0)
        return after_remove(s, NULL);
    for (size_t i = 0; i < n; i++) {
        int after = -1;

        if (v[i]->finalizer) {
            after = (int)at;
            ops[at++] = (struct jr_op){
                .kind = JR_OP_UNFINALIZE_POD, .pod = v[i]->pod, .body = body, .after = -1
            };
        }
        ops[at++] = (struct jr_op){ .kind = JR_OP_DELETE_POD, .pod = v[i]->pod, .after = after };
    }
    s->stage.effects.expect.set = true;
    s->stage.effects.expect.del = (int32_t)n;
    return jr_emit(s, JR_STAGE_UNFINALIZE_DELETE, JR_MODE_PARALLEL, ops, at, after_remove);
}

static const struct jr_stage *suspend(struct jr_sync *s)
{
    size_t n;
    struct jr_rpod **v = jr_surplus_pick(s, (size_t)s->active, &n);

    return remove_pods(s, v, n);
}

/* ---- how many there should be ---- */

static int64_t want_active(const struct jr_sync *s)
{
    const struct jr_job_spec *spec = &s->job->spec;
    int64_t parallelism = jr_i32_or(spec->parallelism, 1), left;

    if (!spec->completions.set) {
        /* A work queue: after the first success nothing new is begun. */
        return s->succeeded > 0 ? s->active : parallelism;
    }
    left = (int64_t)spec->completions.v - s->succeeded;
    if (left > parallelism)
        left = parallelism;
    return left > 0 ? left : 0;
}

static const struct jr_stage *adjust(struct jr_sync *s)
{
    int64_t want = want_active(s), surplus = s->active - want, missing;
    struct jr_rpod **v = NULL;
    size_t n = 0;

    if (s->indexed || surplus > 0)
        v = jr_surplus_pick(s, surplus > 0 ? (size_t)surplus : 0, &n);
    /* In one sync either deletions or creations, and deletions first. */
    if (n > 0)
        return remove_pods(s, v, n < JR_PODS_PER_SYNC ? n : JR_PODS_PER_SYNC);
    missing = -surplus - (s->replace_failed_only ? s->terminating : 0);
    if (missing > 0)
        return jr_create(s, (size_t)missing);
    s->action = "tracking";
    return NULL;
}

const struct jr_stage *jr_manage(struct jr_sync *s)
{
    s->ending = s->finish.kind != JR_FINISH_NONE;
    if (s->snap.options->account_only) {
        if (s->active > 0) /* they are let run, and have not failed */
            s->finish.kind = JR_FINISH_NONE;
        return NULL;
    }
    if (s->ending)
        return delete_active(s);
    if (!s->snap.expectations_satisfied || being_deleted(s))
        return NULL;
    s->managed = true;
    return s->suspended ? suspend(s) : adjust(s);
}

/* ---- what the status says of it ---- */

/** The Suspended condition follows spec.suspend; it is never added as False. */
static void note_suspension(struct jr_sync *s)
{
    const bool on = s->suspended, sticks = s->snap.options->start_time_sticks;
    const char *words = on ? "Job suspended" : "Job resumed";

    s->suspend_changed =
        jr_condition_ensure(s, "Suspended", on ? "True" : "False",
                            on ? JR_S("JobSuspended") : JR_S("JobResumed"), jr_str(words));
    if (on && sticks) /* also one that another controller has kept */
        s->status.start_time = (struct jr_time){ 0 };
    if (!s->suspend_changed)
        return;
    jr_emit_event(s, "Normal", on ? "Suspended" : "Resumed", words, JR_S(""));
    if (!on && !(sticks && jr_time_set(s->status.start_time)))
        s->status.start_time = s->now;
    else if (on && s->snap.options->mutable_scheduling_directives)
        s->status.start_time = (struct jr_time){ 0 };
}

static bool complete(const struct jr_sync *s)
{
    const struct jr_opt_i32 *completions = &s->job->spec.completions;

    if (s->active != 0)
        return false;
    /* A Pod whose creation had no answer may run, or have succeeded: upstream completes without it.
     */
    if (!s->snap.expectations_satisfied)
        return false;
    return completions->set ? s->succeeded >= completions->v : s->succeeded > 0;
}

/** Whether the stored status has active Pods but no startTime, as decommission leaves a suspended
 * Job: upstream writes nothing then, and the deadline never runs. Or it has one that is to go. */
static bool start_is_unwritten(const struct jr_sync *s)
{
    const bool set = jr_time_set(s->status.start_time);

    return set != jr_time_set(s->job->status.start_time) && (s->active > 0 || !set);
}

const struct jr_stage *jr_manage_status(struct jr_sync *s)
{
    struct jr_job_status *st = &s->status;
    const struct jr_opt_i32 terminating = { s->snap.options->pod_replacement_policy,
                                            s->terminating };

    if (!s->ending && complete(s)) {
        s->finish.kind = JR_FINISH_SUCCESS;
        s->finish.at_once = s->ends_at_once;
        if (s->snap.options->success_policy) {
            s->finish.reason = JR_S("CompletionsReached");
            s->finish.message = JR_S("Reached expected number of succeeded pods");
        }
    } else if (!s->ending && s->managed) {
        note_suspension(s);
    }
    s->write = s->suspend_changed || start_is_unwritten(s) || st->active != s->active ||
               !st->ready.set || st->ready.v != s->ready ||
               st->terminating.set != terminating.set ||
               (terminating.set && st->terminating.v != s->terminating);
    st->active = s->active;
    st->ready = JR_I32(s->ready);
    st->terminating = terminating;
    return NULL;
}
