#include "common/base/memory.h"
#include "controller/reconcile/internal.h"

bool jr_job_is_ours(const struct jr_job *job, const struct jr_reconcile_options *options)
{
    struct jr_str by = job->spec.managed_by;

    if (options->replace_builtin)
        return by.p == NULL || jr_str_is(by, JR_MANAGED_BY_BUILTIN);
    return by.p != NULL && jr_str_eq(by, options->managed_by);
}

int32_t jr_pod_index(const struct jr_pod *pod)
{
    int64_t v;

    if (jr_parse_go_int(pod->completion_index, &v) != JR_OK || v < 0)
        return -1;
    return v > INT32_MAX ? INT32_MAX : (int32_t)v;
}

/** The Job is gone: what is remembered under its key is about no one. */
static enum jr_status forget(struct jr_sync *s)
{
    struct jr_stage_effects *e = &s->stage.effects;

    e->drop_records = true;
    e->expect.set = true;
    e->unawait = s->snap.awaited;
    return jr_emit_done(s, JR_S(""));
}

static enum jr_status skip_unknown_mode(struct jr_sync *s)
{
    jr_emit_event(s, "Warning", "UnknownCompletionMode",
                  "Skipped Job sync because completion mode is unknown", JR_S(""));
    return jr_emit_done(s, JR_S(""));
}

/** Facts of the spec, defaulted as the API server does. False: there is no such completion mode. */
static bool read_spec(struct jr_sync *s)
{
    const struct jr_job_spec *spec = &s->job->spec;

    s->indexed = jr_str_is(spec->completion_mode, "Indexed");
    if (!s->indexed && spec->completion_mode.p != NULL &&
        !jr_str_is(spec->completion_mode, "NonIndexed"))
        return false;
    /* Validation refuses an Indexed Job without completions: nothing sane can be done with one. */
    if (s->indexed && !spec->completions.set)
        return false;
    s->completions = jr_i32_or(spec->completions, 0);
    s->per_index = s->indexed && spec->backoff_limit_per_index.set;
    s->replace_failed_only =
        jr_str_is(spec->pod_replacement_policy, "Failed") || spec->pod_failure_policy.set;
    s->suspended = jr_bool_or(spec->suspend, false);
    return true;
}

enum jr_status jr_sync_go(struct jr_sync *s)
{
    enum jr_status st;

    s->action = "reconciling";
    st = jr_status_take(s, &s->job->status);
    s->status.uncounted.set = true;
    s->before = s->status;
    return st == JR_OK ? jr_claim(s) : st;
}

static enum jr_status begin(struct jr_sync *s, const struct jr_results *r)
{
    struct jr_str error;

    (void)r;
    if (jr_fresh_stale(s, &error))
        return jr_emit_done(s, error);
    if (s->job == NULL)
        return forget(s);
    if (!jr_job_is_ours(s->job, s->snap.options))
        return jr_emit_done(s, JR_S(""));
    if (jr_job_finished(&s->job->status)) {
        s->stage.effects.drop_records = true;
        return jr_emit_done(s, JR_S(""));
    }
    if (s->snap.finished_mark)
        return jr_emit_done(s, JR_S(""));
    if (!read_spec(s))
        return skip_unknown_mode(s);
    return jr_fresh_recheck(s);
}

struct jr_sync *jr_sync_begin(const struct jr_snapshot *snapshot, struct jr_time now)
{
    struct jr_sync *s = jr_xcalloc(1, sizeof(*s));

    s->snap = *snapshot;
    s->job = snapshot->job;
    s->now = now;
    s->resume = begin;
    jr_arena_init(&s->keep, 0);
    jr_arena_init(&s->turn[0], 0);
    jr_arena_init(&s->turn[1], 0);
    return s;
}

const struct jr_stage *jr_sync_step(struct jr_sync *sync, const struct jr_results *results)
{
    jr_resume_fn *resume = sync->resume;
    enum jr_status st;

    if (resume == NULL)
        return NULL;
    /* What the last stage lent out stays while its results are read; the one before it goes. */
    sync->turns++;
    jr_arena_reset(jr_turn(sync));
    sync->stage = (struct jr_stage){ .kind = JR_STAGE_DONE };
    sync->events = NULL;
    sync->cap_events = 0;
    sync->metrics = NULL;
    sync->cap_metrics = 0;
    sync->resume = NULL;
    st = jr_need(resume(sync, results));
    if (sync->nomem)
        jr_out_of_memory();
    if (st != JR_OK)
        (void)jr_emit_done(sync, jr_str(jr_status_text(st)));
    return &sync->stage;
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
    jr_arena_done(&sync->keep);
    jr_arena_done(&sync->turn[0]);
    jr_arena_done(&sync->turn[1]);
    free(sync);
}
