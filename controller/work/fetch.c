/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole Jobs, and holds them against the cache. */
#include "controller/work/fetch.h"

#include "common/rules/selector.h"

/* What syncs may hold of it before another Job is read; one may always. */
#define HELD_MAX ((size_t)2 << 20)

static const struct jr_metric_desc reads =
    JR_METRIC(COUNTER, "jobreeve_job_template_reads_total",
              "Reads of Jobs whose template was needed and was not in the cache.", "result", NULL);

void jr_fetches_init(struct jr_fetches *fs, struct jr_state *state, struct jr_executor *x)
{
    static const char *const results[] = { "success", "error" };

    *fs = (struct jr_fetches){ .state = state, .x = x };
    TAILQ_INIT(&fs->waiting);
    for (size_t i = 0; i < JR_ARRAY_SIZE(results); i++)
        jr_metrics_declare(state->metrics, &reads, &results[i]);
}

void jr_fetch_wait(struct jr_fetches *fs, struct jr_fetch *f)
{
    TAILQ_INSERT_TAIL(&fs->waiting, f, in_waiting);
    f->waiting = true;
    fs->n_waiting++;
}

static void stop_waiting(struct jr_fetches *fs, struct jr_fetch *f)
{
    if (f->waiting) {
        TAILQ_REMOVE(&fs->waiting, f, in_waiting);
        fs->n_waiting--;
    }
    f->waiting = false;
}

void jr_fetch_drop(struct jr_fetches *fs, struct jr_fetch *f)
{
    stop_waiting(fs, f);
    jr_exec_cancel(&f->exec);
    if (fs->reading == f)
        fs->reading = NULL;
    fs->bytes -= f->bytes;
    f->bytes = 0;
}

/** Why the sync can't begin with what was read; n = 0: it is what the cache has, or newer. Else an
 * event is to come, or the next try decides. */
static struct jr_str error_of(const struct jr_fetches *fs, const struct jr_object_key *id,
                              const struct jr_op_result *r, const struct jr_job *job)
{
    const struct jr_job *cached = jr_store_job(fs->state->store, id->namespace, id->name);
    uint64_t has, got;

    if (r->outcome != JR_OP_OK)
        return r->message.n > 0 ? r->message : JR_S("no answer");
    if (job == NULL)
        return JR_S("malformed answer");
    if (cached == NULL || !jr_str_eq(cached->meta.uid, job->meta.uid))
        return JR_S("the cache has another Job of that name, or none");
    if (jr_parse_u64(cached->meta.resource_version, &has) == JR_OK &&
        jr_parse_u64(job->meta.resource_version, &got) == JR_OK && got < has)
        return JR_S("the cache has a newer one");
    return JR_S("");
}

static void on_results(void *ctx, const struct jr_results *results)
{
    struct jr_fetches *fs = ctx;
    struct jr_fetch *f = fs->reading;
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_str err;
    const char *result;

    fs->reading = NULL;
    f->exec = NULL;
    if (results->v[0].outcome == JR_OP_OK)
        (void)jr_need(jr_job_decode(results->v[0].body, &job, NULL));
    err = error_of(fs, &f->id, &results->v[0], job);
    result = err.n == 0 ? "success" : "error";
    jr_metrics_add(fs->state->metrics, &reads, &result, 1);
    if (job == NULL || err.n > 0) {
        f->on_done(f->ctx, NULL, err);
        return;
    }
    jr_must(jr_selector_prepare(&job->spec.selector, &job->arena));
    f->bytes = job->arena.used;
    fs->bytes += f->bytes;
    f->on_done(f->ctx, jr_steal(&job), err);
}

bool jr_fetch_next(struct jr_fetches *fs)
{
    static const struct jr_op op = { .kind = JR_OP_GET_JOB, .after = -1 };
    static const struct jr_stage get = { .kind = JR_STAGE_GET_JOB, .ops = &op, .n_ops = 1 };
    struct jr_fetch *f = TAILQ_FIRST(&fs->waiting);

    if (f == NULL || fs->reading != NULL || fs->bytes >= HELD_MAX)
        return false;
    stop_waiting(fs, f);
    fs->reading = f;
    jr_execute(fs->x, &get, f->id.namespace, f->id.name, on_results, fs, &f->exec);
    return true;
}
