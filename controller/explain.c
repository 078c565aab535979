/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of one Job: facts as JSON, and sentences. */
#include "controller/explain.h"

#include <stdio.h>

#include "common/diagnose/diagnosis.h"
#include "common/json/write.h"
#include "controller/reconcile/internal.h"

/** One Job while it is explained. */
struct explained {
    const struct jr_state *s;
    struct jr_str key;
    struct jr_now now;
    const struct jr_job *job; /* NULL: not in the cache */
    struct jr_object_key id;
    struct jr_record record;
    struct jr_queue_state queue;
    struct jr_expect_counts expect;
    bool expect_met;
    struct jr_run_look run;
    struct jr_strs awaited;
    struct jr_arena arena;
    struct jr_writer w;
    struct jr_buf *plain; /* sentences go here instead; NULL: to the writer */
    bool said;            /* a sentence */
};

static double seconds(int64_t ns)
{
    return (double)ns / (double)JR_SEC;
}

/** One more sentence of `why`. */
static void say(struct explained *x, struct jr_str text)
{
    if (x->plain == NULL)
        jr_w_str(&x->w, text);
    else
        (void)jr_buf_addf(x->plain, "%s%.*s", x->said ? "; " : "", JR_P(text));
    x->said = true;
}
#define SAY(x, ...) say(x, jr_xarena_text(&(x)->arena, __VA_ARGS__))

/* ---- facts ---- */

static void write_job(struct explained *x)
{
    const struct jr_job *job = x->job;

    jr_w_kstr(&x->w, "job", x->key);
    jr_w_kbool(&x->w, "cached", job != NULL);
    if (job == NULL)
        return;
    jr_w_kstr(&x->w, "uid", job->meta.uid);
    jr_w_opt_kstr(&x->w, "managedBy", job->spec.managed_by);
    jr_w_kbool(&x->w, "ours", jr_job_is_ours(job, &x->s->options));
    jr_w_kbool(&x->w, "finished", jr_job_finished(&job->status));
    jr_w_kbool(&x->w, "suspended", jr_bool_or(job->spec.suspend, false));
}

static void write_queue(struct explained *x)
{
    jr_w_key(&x->w, "queue");
    jr_w_object(&x->w);
    jr_w_kbool(&x->w, "waiting", x->queue.waiting);
    jr_w_kbool(&x->w, "working", x->queue.working);
    if (x->queue.delayed)
        jr_w_ki64(&x->w, "dueInMilliseconds", (x->queue.due.ns - x->now.mono.ns) / JR_MSEC);
    jr_w_ki64(&x->w, "failures", x->queue.failures);
    jr_w_opt_kstr(&x->w, "lastError", x->queue.why);
    jr_w_object_end(&x->w);
}

static void write_expectations(struct explained *x)
{
    jr_w_key(&x->w, "expectations");
    jr_w_object(&x->w);
    jr_w_ki64(&x->w, "creations", x->expect.add);
    jr_w_ki64(&x->w, "deletions", x->expect.del);
    jr_w_kbool(&x->w, "met", x->expect_met);
    jr_w_ki64(&x->w, "finalizerRemovals", (int64_t)x->awaited.n);
    jr_w_object_end(&x->w);
}

static void write_versions(struct explained *x)
{
    const struct jr_store *store = x->s->store;

    jr_w_key(&x->w, "versions");
    jr_w_object(&x->w);
    jr_w_ki64(&x->w, "jobsCached",
              (int64_t)jr_store_version(store, JR_STORE_JOBS, x->id.namespace));
    jr_w_ki64(&x->w, "jobWritten", (int64_t)x->record.written_job_version);
    jr_w_ki64(&x->w, "podsCached",
              (int64_t)jr_store_version(store, JR_STORE_PODS, x->id.namespace));
    jr_w_ki64(&x->w, "podsWritten", (int64_t)x->record.written_pod_version);
    jr_w_object_end(&x->w);
}

static int64_t backoff_left(const struct explained *x)
{
    const struct jr_backoff_record *b = &x->record.backoff;

    if (x->job == NULL ||
        (x->job->spec.backoff_limit_per_index.set && x->s->options.backoff_limit_per_index))
        return 0;
    return jr_backoff_remaining(b->failures_after_last_success, b->last_failure_time, x->now.wall);
}

static void write_backoff(struct explained *x)
{
    const struct jr_backoff_record *b = &x->record.backoff;

    jr_w_key(&x->w, "backoff");
    jr_w_object(&x->w);
    jr_w_ki64(&x->w, "failures", b->failures_after_last_success);
    jr_w_opt_ktime(&x->w, "lastFailure", b->last_failure_time);
    if (backoff_left(x) > 0)
        jr_w_opt_ktime(&x->w, "until", jr_time_later(x->now.wall, backoff_left(x)));
    jr_w_object_end(&x->w);
}

static void write_sync(struct explained *x)
{
    if (!x->run.running)
        return;
    jr_w_key(&x->w, "sync");
    jr_w_object(&x->w);
    jr_w_kstr(&x->w, "stage", jr_str(jr_stage_kind_text(x->run.stage)));
    jr_w_ki64(&x->w, "requestsInFlight", (int64_t)x->run.inflight);
    jr_w_ki64(&x->w, "requestsLeft", (int64_t)x->run.left);
    jr_w_ki64(&x->w, "milliseconds", (x->now.mono.ns - x->run.started.ns) / JR_MSEC);
    jr_w_object_end(&x->w);
}

static void write_unreadable_one(void *ctx, const struct jr_unreadable *u)
{
    struct explained *x = ctx;

    jr_w_object(&x->w);
    jr_w_kstr(&x->w, "resource", jr_str(u->resource));
    jr_w_kstr(&x->w, "name", u->id.name);
    jr_w_opt_kstr(&x->w, "uid", u->id.uid);
    jr_w_opt_kstr(&x->w, "resourceVersion", u->id.resource_version);
    jr_w_kbool(&x->w, "hidden", u->hidden);
    jr_w_kstr(&x->w, "why", u->why);
    jr_w_object_end(&x->w);
}

static void write_unreadable(struct explained *x)
{
    jr_w_key(&x->w, "unreadable");
    jr_w_array(&x->w);
    jr_unreadables_each_of(x->s->unreadables, &x->id, write_unreadable_one, x);
    jr_w_array_end(&x->w);
}

/* ---- sentences ---- */

static void say_unreadable_one(void *ctx, const struct jr_unreadable *u)
{
    struct explained *x = ctx;

    if (strcmp(u->resource, "jobs") == 0)
        SAY(x, "it can't be read, and is left alone until it can be: %.*s", JR_P(u->why));
    else if (u->hidden)
        SAY(x, "its Pod %.*s can't be read, and it is left alone until it can be: %.*s",
            JR_P(u->id.name), JR_P(u->why));
    else
        SAY(x, "its Pod %.*s can't be read, and is taken for what it was before: %.*s",
            JR_P(u->id.name), JR_P(u->why));
}

/** Says what jobreeve why would say of the Job, as far as the Job alone shows it; false: it
 * doesn't.
 */
static bool say_diagnosis(struct explained *x)
{
    const struct jr_str words = jr_diagnose_alone(x->job, x->now.wall, &x->arena);

    if (words.n > 0)
        say(x, words);
    return words.n > 0;
}

/** Why nothing is done for it, whatever else is true; false: something may be. */
static bool say_not_ours(struct explained *x)
{
    const struct jr_job *job = x->job;

    if (job == NULL)
        SAY(x, "no such Job is in the cache");
    else if (!jr_job_is_ours(job, &x->s->options) && job->spec.managed_by.n > 0)
        SAY(x, "another controller sees to it: spec.managedBy is \"%.*s\"",
            JR_P(job->spec.managed_by));
    else if (!jr_job_is_ours(job, &x->s->options))
        SAY(x, "the built-in controller sees to it: spec.managedBy is not set");
    else if (!jr_job_finished(&job->status))
        return false;
    else if (!say_diagnosis(x))
        SAY(x, "it has finished");
    return true;
}

static void say_waits(struct explained *x)
{
    const struct jr_store *store = x->s->store;

    if (x->queue.failures > 0)
        SAY(x, "the last %u syncs failed, the last one: %.*s", x->queue.failures,
            JR_P(x->queue.why));
    if (x->run.running)
        SAY(x, "a sync is under way for %.1f s, in stage %s with %zu requests in flight",
            seconds(x->now.mono.ns - x->run.started.ns), jr_stage_kind_text(x->run.stage),
            x->run.inflight);
    else if (x->queue.waiting)
        SAY(x, "it waits for a worker");
    else if (x->queue.delayed)
        SAY(x, "its next sync is due in %.1f s", seconds(x->queue.due.ns - x->now.mono.ns));
    if (!x->expect_met)
        SAY(x, "%d creations and %d deletions are not seen in the cache yet", (int)x->expect.add,
            (int)x->expect.del);
    if (x->awaited.n > 0)
        SAY(x, "%zu finalizer removals are not seen in the cache yet", x->awaited.n);
    if (jr_store_version(store, JR_STORE_JOBS, x->id.namespace) < x->record.written_job_version ||
        jr_store_version(store, JR_STORE_PODS, x->id.namespace) < x->record.written_pod_version)
        SAY(x, "the cache is older than what was written last");
    if (x->record.ambiguous_job_version > 0)
        SAY(x, "its last status write was refused for its version, or had no answer: it is read "
               "anew unless the cache gets a newer one");
    if (backoff_left(x) > 0)
        SAY(x,
            "the controller waits with the next Pod (back-off), for another %.1f s after %d "
            "failures",
            seconds(backoff_left(x)), (int)x->record.backoff.failures_after_last_success);
    if (x->record.finished_mark)
        SAY(x, "its last status is written and not seen in the cache yet");
}

static void say_spec(struct explained *x)
{
    const struct jr_job *job = x->job;

    const bool stands = jr_bool_or(job->spec.suspend, false) ||
                        jr_i32_or(job->spec.parallelism, 1) == 0 ||
                        jr_time_set(job->meta.deletion_timestamp);

    if (stands && !say_diagnosis(x) && jr_bool_or(job->spec.suspend, false))
        SAY(x, "it is suspended");
    if (job->status.active > 0)
        SAY(x, "%d Pods are active, %d of them ready", (int)job->status.active,
            (int)jr_i32_or(job->status.ready, 0));
    if (jr_i32_or(job->status.terminating, 0) > 0)
        SAY(x, "%d Pods are terminating", (int)jr_i32_or(job->status.terminating, 0));
}

static void say_why(struct explained *x)
{
    jr_unreadables_each_of(x->s->unreadables, &x->id, say_unreadable_one, x);
    if (x->job == NULL && x->said) /* it is there: that is known */
        return;
    if (say_not_ours(x))
        return;
    say_waits(x);
    say_spec(x);
    if (!x->said)
        SAY(x, "nothing is known to hold it up");
}

/* ---- all of it ---- */

static void gather_facts(struct explained *x, const struct jr_runner *runner)
{
    jr_arena_init(&x->arena, 0);
    x->id = jr_object_key_parse(x->key);
    x->job = jr_store_job(x->s->store, x->id.namespace, x->id.name);
    x->queue = jr_queue_look(x->s->jobs, x->key);
    if (runner != NULL)
        x->run = jr_runner_look(runner, x->key);
    x->expect_met = true;
    if (x->job == NULL)
        return;
    x->id.uid = x->job->meta.uid;
    x->record = jr_records_get(x->s->records, &x->id);
    x->expect = jr_expectations_get(x->s->expectations, &x->id);
    x->expect_met = jr_expectations_satisfied(x->s->expectations, &x->id, x->now.mono);
    x->awaited = jr_expectations_awaited(x->s->expectations, &x->id, false, &x->arena);
}

void jr_explain_job(const struct jr_state *s, const struct jr_runner *runner, struct jr_str key,
                    struct jr_now now, struct jr_buf *out)
{
    struct explained x = { .s = s, .key = key, .now = now, .w = jr_writer_on(out) };

    gather_facts(&x, runner);
    jr_w_object(&x.w);
    write_job(&x);
    write_queue(&x);
    write_expectations(&x);
    write_backoff(&x);
    write_versions(&x);
    write_sync(&x);
    write_unreadable(&x);
    jr_w_key(&x.w, "why");
    jr_w_array(&x.w);
    say_why(&x);
    jr_w_array_end(&x.w);
    jr_w_object_end(&x.w);
    jr_arena_done(&x.arena);
}

void jr_explain_why(const struct jr_state *s, const struct jr_runner *runner, struct jr_str key,
                    struct jr_now now, struct jr_buf *out)
{
    struct explained x = { .s = s, .key = key, .now = now, .plain = out };

    gather_facts(&x, runner);
    say_why(&x);
    jr_arena_done(&x.arena);
}
