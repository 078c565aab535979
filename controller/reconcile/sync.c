/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a sync, its beginning and its steps. */
#include "controller/reconcile/internal.h"

bool jr_job_at_rest(const struct jr_job *job)
{
    const struct jr_job_status *st = &job->status;

    return jr_bool_or(job->spec.suspend, false) &&
           jr_job_condition_true(&st->conditions, "Suspended") &&
           st->active + jr_i32_or(st->terminating, 0) == 0 &&
           st->uncounted.succeeded.n + st->uncounted.failed.n == 0;
}

int32_t jr_pod_index(const struct jr_pod *pod)
{
    int64_t v;

    if (jr_parse_go_int(jr_pod_str(pod, pod->completion_index), &v) != JR_OK || v < 0)
        return -1;
    return v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

/** The Job is gone: what is remembered under its key is about no one. */
static const struct jr_stage *forget_job(struct jr_sync *s)
{
    struct jr_stage_effects *e = &s->stage.effects;

    e->drop_records = true;
    e->expect.set = true;
    e->unawait = s->snap.awaited;
    return jr_emit_done(s, JR_S(""));
}

static const struct jr_stage *skip_unknown_mode(struct jr_sync *s)
{
    jr_emit_event(s, "Warning", "UnknownCompletionMode",
                  "Skipped Job sync because completion mode is unknown", JR_S(""));
    return jr_emit_done(s, JR_S(""));
}

/** Facts of the spec, defaulted as the API server does. False: there is no such completion mode. */
static bool read_spec(struct jr_sync *s)
{
    const struct jr_job_spec *spec = &s->job->spec;
    const struct jr_reconcile_options *o = s->snap.options;

    s->indexed = jr_str_is(spec->completion_mode, "Indexed");
    if (!s->indexed && spec->completion_mode.p != NULL &&
        !jr_str_is(spec->completion_mode, "NonIndexed"))
        return false;
    /* Validation refuses an Indexed Job without completions: nothing sane can be done with one. */
    if (s->indexed && !spec->completions.set)
        return false;
    s->completions = jr_i32_or(spec->completions, 0);
    s->per_index = s->indexed && spec->backoff_limit_per_index.set && o->backoff_limit_per_index;
    s->replace_failed_only =
        (jr_str_is(spec->pod_replacement_policy, "Failed") && o->pod_replacement_policy) ||
        (spec->pod_failure_policy.set && o->failure_policy_replaces_failed);
    s->ends_at_once = !o->managed_by_others && !o->pod_replacement_policy;
    s->suspended = jr_bool_or(spec->suspend, false);
    return true;
}

/** Whether there is anything to do. */
static const struct jr_stage *check_job(struct jr_sync *s)
{
    const struct jr_str error = jr_fresh_stale(s);

    if (error.n > 0)
        return jr_emit_done(s, error);
    if (s->job == NULL)
        return forget_job(s);
    if (!jr_job_is_ours(s->job, s->snap.options))
        return jr_emit_done(s, JR_S(""));
    if (jr_job_finished(&s->job->status)) {
        s->stage.effects.drop_records = true;
        return jr_emit_done(s, JR_S(""));
    }
    if (s->snap.finished_mark)
        return jr_emit_done(s, JR_S(""));
    if (s->job->policies_dropped) /* it became ours by a gate, of which no event tells */
        return jr_need_template(s);
    return read_spec(s) ? NULL : skip_unknown_mode(s);
}

/** The Job is ours, and as new as it has to be. */
static const struct jr_stage *take_status(struct jr_sync *s)
{
    s->action = "reconciling";
    s->status = s->job->status;
    s->status.uncounted.set = true;
    s->before = s->status;
    return NULL;
}

/** What the Pods mean to the Job. */
static const struct jr_stage *evaluate(struct jr_sync *s)
{
    if (!jr_time_set(s->status.start_time) && !s->suspended)
        s->status.start_time = s->now;
    jr_backoff_update(s);
    if (s->indexed)
        jr_indexes_update(s);
    jr_finish_evaluate(s);
    return NULL;
}

/** The order of a sync, by the headings of docs/reference/controller.md. Each phase returns a stage
 * that is to be run before it goes on, or NULL: then the next one begins. */
static const struct jr_stage *(*const phases[])(struct jr_sync *s) = {
    check_job,        /* "Skip Jobs that need no sync" */
    jr_fresh_recheck, /* "Check that the cache is fresh": GET_JOB, if the cached one is ambiguous */
    take_status,      /* from here on the sync has a status to write */
    jr_claim,         /* "Claim Pods": GET_JOB before the first adoption, CLAIM */
    jr_gang,          /* "Prepare the gang": GANG */
    jr_pods_count,    /* "Count Pods" */
    evaluate,         /* "Set the start time" to "Decide whether the Job ends" */
    jr_manage,        /* "Finish the Job or manage its Pods": DELETE, UNFINALIZE_DELETE or CREATE */
    jr_manage_status, /* "Decide whether the status is written" */
    jr_track,         /* "Track finished Pods": STATUS, UNFINALIZE, STATUS, DONE */
};

const struct jr_stage *jr_need_template(struct jr_sync *s)
{
    s->stage = (struct jr_stage){ .kind = JR_STAGE_DONE, .done.needs_template = true };
    return &s->stage;
}

struct jr_sync *jr_sync_begin(const struct jr_snapshot *snapshot, struct jr_time now)
{
    struct jr_sync *s = jr_xcalloc(1, sizeof(*s));

    s->snap = *snapshot;
    s->job = snapshot->job;
    s->now = now;
    jr_arena_init(&s->keep, 0);
    jr_arena_init(&s->turn[0], 0);
    jr_arena_init(&s->turn[1], 0);
    return s;
}

const struct jr_stage *jr_sync_step(struct jr_sync *sync, const struct jr_results *results)
{
    jr_resume_fn *resume = sync->resume;
    const struct jr_stage *stage = NULL;

    if (sync->stage.kind == JR_STAGE_DONE)
        return NULL;
    /* What the last stage lent out stays while its results are read; the one before it goes. */
    sync->turns++;
    jr_arena_reset(jr_stage_arena(sync));
    sync->stage = (struct jr_stage){ 0 };
    sync->resume = NULL;
    if (resume != NULL)
        stage = resume(sync, results);
    while (stage == NULL)
        stage = phases[sync->phase++](sync);
    /* What there is to do goes by the whole Job: nothing of this step has happened yet, and the
     * next sync decides it anew. */
    if (stage->n_ops > 0 && sync->job->template_dropped)
        stage = jr_need_template(sync);
    return stage;
}

void jr_sync_free(struct jr_sync *sync)
{
    if (sync == NULL)
        return;
    jr_indexes_done(&sync->old_succeeded);
    jr_indexes_done(&sync->succeeded_set);
    jr_indexes_done(&sync->failed_set);
    if (sync->answer != NULL)
        jr_job_unref(sync->answer);
    free(sync->events);
    free(sync->metrics);
    jr_arena_done(&sync->keep);
    jr_arena_done(&sync->turn[0]);
    jr_arena_done(&sync->turn[1]);
    free(sync);
}
