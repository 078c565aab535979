/* SPDX-License-Identifier: Apache-2.0 */
/* Creates missing Pods. */
#include "controller/reconcile/internal.h"

/* Of the Pods that one sync of an Indexed Job makes: each has a text of its own, and a template may
 * have 1.5 MB. The rest is the next sync's. */
#define BODIES_MAX ((size_t)32 << 20)

static const struct jr_stage *wait_for(struct jr_sync *s, int64_t ns)
{
    jr_requeue(s, ns > JR_BATCH_PERIOD_NS ? ns : JR_BATCH_PERIOD_NS);
    /* Upstream 1.36.0 reports active as 0 here, though siblings run. */
    return NULL;
}

static const char *creation_reason(const struct jr_sync *s)
{
    if (!s->snap.options->pod_replacement_policy)
        return "new";
    if (jr_str_is(s->job->spec.pod_replacement_policy, "Failed") && s->failed > 0)
        return "recreate_failed";
    if (s->failed > 0 || s->terminating > 0)
        return "recreate_terminating_or_failed";
    return "new";
}

static void count_creations(struct jr_sync *s, double succeeded, double failed)
{
    const char *reason = creation_reason(s);

    if (succeeded > 0)
        jr_emit_metric(s, &jr_metric_job_pods_creation_total, succeeded, reason, "succeeded", NULL);
    if (failed > 0)
        jr_emit_metric(s, &jr_metric_job_pods_creation_total, failed, reason, "failed", NULL);
}

static const struct jr_stage *after_create(struct jr_sync *s, const struct jr_results *r)
{
    double succeeded = 0, failed = 0;

    for (size_t i = 0; i < s->n_new; i++) {
        const struct jr_op_result *res = jr_result(r, i);
        struct jr_str message = jr_result_message(res);

        jr_note_pod_version(s, res);
        if (res->outcome == JR_OP_OK) {
            jr_emit_event(s, "Normal", "SuccessfulCreate", "Created pod: ", res->name);
            succeeded++;
            s->active++;
        } else if (res->outcome == JR_OP_SKIPPED) {
            s->stage.effects.lower.add++;
        } else if (res->outcome == JR_OP_REFUSED && res->namespace_terminating) {
            s->active++; /* no Pod will ever come, and nothing is to be tried again */
        } else {
            if (!res->held_back) {
                jr_emit_event(s, "Warning", "FailedCreate", "Error creating: ", message);
                failed++;
            }
            /* Without an answer the Pod may exist: it stays expected until a consistent list tells,
             * or a second one would be made. Else it fails as a refusal does. */
            if (res->outcome == JR_OP_REFUSED)
                s->stage.effects.lower.add++;
            if (s->manage_error.n == 0)
                s->manage_error = jr_xarena_str(&s->keep, message);
        }
    }
    count_creations(s, succeeded, failed);
    return NULL;
}

/** As upstream, which finds out when it makes the first Pod. */
static const struct jr_stage *fail_without_labels(struct jr_sync *s)
{
    s->manage_error = JR_S("unable to create pods, no labels");
    s->stage.effects.expect.set = true;
    count_creations(s, 0, 1);
    return NULL;
}

static const struct jr_stage *emit_creates(struct jr_sync *s)
{
    struct jr_op *ops = jr_stage_ops(s, s->n_new);
    struct jr_template t;
    size_t bytes = 0;

    if (jr_template_open(s, &t) != JR_OK)
        return jr_emit_done(s, JR_S("the Job's Pod template can't be read"));
    for (size_t i = 0; i < s->n_new; i++) {
        int32_t index = s->indexed ? s->new_indexes[i] : -1;

        ops[i] = (struct jr_op){ .kind = JR_OP_CREATE_POD, .after = -1 };
        if (i > 0 && !s->indexed)
            ops[i].body = ops[0].body;
        else
            ops[i].body =
                jr_template_pod(s, &t, index, s->per_index ? jr_index_held(s, index) : NULL);
        bytes += s->indexed ? ops[i].body.n : 0;
        if (bytes > BODIES_MAX)
            s->n_new = i + 1;
    }
    s->stage.effects.expect.set = true;
    s->stage.effects.expect.add = (int32_t)s->n_new;
    return jr_emit(s, JR_STAGE_CREATE, JR_MODE_SLOW_START, ops, s->n_new, after_create);
}

const struct jr_stage *jr_create(struct jr_sync *s, size_t want)
{
    int64_t wait = jr_backoff_of_job(s);

    s->action = "pods_created";
    if (wait > 0)
        return wait_for(s, wait);
    s->n_new = want < JR_PODS_PER_SYNC ? want : JR_PODS_PER_SYNC;
    if (s->indexed) {
        jr_indexes_pending(s, s->n_new);
        if (s->per_index)
            wait = jr_backoff_keep_due(s);
        if (wait > 0)
            return wait_for(s, wait);
    }
    if (s->n_new == 0)
        return NULL;
    if (s->job->template_dropped)
        return jr_need_template(s);
    if (!s->indexed && s->job->spec.template.labels.n == 0)
        return fail_without_labels(s);
    return emit_creates(s);
}
