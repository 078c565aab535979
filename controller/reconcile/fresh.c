/* SPDX-License-Identifier: Apache-2.0 */
/* Read your own writes: what is older than the server is known to be is not acted upon. Upstream
 * knows it of writes that went well; here a write of the status that was refused for its version,
 * or had no answer, raises the question too. */
#include "controller/reconcile/internal.h"

#include "common/base/num.h"

/** The words for what was read, if it is older than what was written. */
static struct jr_str older(struct jr_sync *s, uint64_t read, uint64_t written, const char *group,
                           const char *resource, const char *group_resource)
{
    if (read == 0 || written == 0 || read >= written)
        return JR_S("");
    jr_emit_metric(s, &jr_metric_stale_sync_skips_total, 1, group, resource, NULL);
    return jr_xarena_text(
        &s->keep, "read version: %llu is not as new as written version: %llu for group resource %s",
        (unsigned long long)read, (unsigned long long)written, group_resource);
}

struct jr_str jr_fresh_stale(struct jr_sync *s)
{
    const struct jr_snapshot *n = &s->snap;
    struct jr_str error;

    if (!n->options->stale_controller_consistency)
        return JR_S("");
    error = older(s, n->cache_job_version, n->written_job_version, "batch", "jobs", "jobs.batch");
    if (error.n == 0)
        error = older(s, n->cache_pod_version, n->written_pod_version, "", "pods", "pods");
    return error;
}

/* ---- a write that did not go well ---- */

void jr_fresh_note_put(struct jr_sync *s, const struct jr_op_result *r, struct jr_str sent_version)
{
    uint64_t v;

    jr_note_job_version(s, r);
    if (r->outcome == JR_OP_OK || r->outcome == JR_OP_SKIPPED ||
        (r->outcome == JR_OP_REFUSED && r->http != 409 && !r->ambiguous) ||
        jr_parse_u64(sent_version, &v) != JR_OK)
        return;
    s->stage.effects.job_ambiguous.set = true;
    s->stage.effects.job_ambiguous.version = v;
}

/** The server's version decides it: the cache has it, or is waited for. */
static const struct jr_stage *after_recheck(struct jr_sync *s, const struct jr_results *r)
{
    const struct jr_op_result *res = jr_result(r, 0);
    struct jr_str error = JR_S("malformed answer");
    uint64_t live, cached = 0;

    if (res->outcome != JR_OP_OK)
        error = jr_result_message(res);
    else if (!jr_str_eq(res->uid, s->job->meta.uid))
        error = JR_S("the Job is gone");
    else if (jr_parse_u64(res->resource_version, &live) == JR_OK &&
             jr_parse_u64(s->job->meta.resource_version, &cached) == JR_OK) {
        s->stage.effects.job_ambiguous.set = true;
        s->stage.effects.written_job_version = live;
        error = older(s, cached, live, "batch", "jobs", "jobs.batch");
        return error.n > 0 ? jr_emit_done(s, error) : NULL;
    }
    return jr_emit_done(s, jr_xarena_text(&s->keep, "can't recheck the Job: %.*s", JR_P(error)));
}

const struct jr_stage *jr_fresh_recheck(struct jr_sync *s)
{
    uint64_t cached;

    if (!s->snap.options->stale_controller_consistency || s->snap.ambiguous_job_version == 0 ||
        jr_parse_u64(s->job->meta.resource_version, &cached) != JR_OK ||
        cached > s->snap.ambiguous_job_version)
        return NULL;
    return jr_emit_one(s, JR_STAGE_GET_JOB, JR_OP_GET_JOB, JR_S(""), after_recheck);
}
