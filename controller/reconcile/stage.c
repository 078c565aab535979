/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the stages that a sync hands out, and reads their results. */
#include "controller/reconcile/internal.h"

#include "common/base/num.h"

const char *jr_stage_kind_text(enum jr_stage_kind k)
{
    switch (k) {
    case JR_STAGE_GET_JOB:
        return "get-job";
    case JR_STAGE_CLAIM:
        return "claim";
    case JR_STAGE_GANG:
        return "gang";
    case JR_STAGE_DELETE:
        return "delete";
    case JR_STAGE_UNFINALIZE_DELETE:
        return "unfinalize-delete";
    case JR_STAGE_CREATE:
        return "create";
    case JR_STAGE_UNFINALIZE:
        return "unfinalize";
    case JR_STAGE_STATUS:
        return "status";
    case JR_STAGE_DONE:
        return "done";
    }
    return "?";
}

const char *jr_sync_mode(const struct jr_sync *s)
{
    return s->indexed ? "Indexed" : "NonIndexed";
}

struct jr_arena *jr_stage_arena(struct jr_sync *s)
{
    return &s->turn[s->turns % 2];
}

struct jr_op *jr_stage_ops(struct jr_sync *s, size_t n)
{
    return jr_xarena_calloc(jr_stage_arena(s), n, sizeof(struct jr_op));
}

struct jr_str *jr_stage_uids(struct jr_sync *s, size_t n)
{
    return jr_xarena_calloc(jr_stage_arena(s), n, sizeof(struct jr_str));
}

struct jr_str jr_stage_body(struct jr_sync *s, const struct jr_buf *b)
{
    jr_must(b->failed);
    return jr_xarena_str(jr_stage_arena(s), jr_buf_str(b));
}

const struct jr_stage *jr_emit(struct jr_sync *s, enum jr_stage_kind kind, enum jr_stage_mode mode,
                               const struct jr_op *ops, size_t n, jr_resume_fn *resume)
{
    s->stage.kind = kind;
    s->stage.mode = mode;
    s->stage.ops = ops;
    s->stage.n_ops = n;
    s->resume = resume;
    return &s->stage;
}

const struct jr_stage *jr_emit_one(struct jr_sync *s, enum jr_stage_kind kind, enum jr_op_kind op,
                                   struct jr_str body, jr_resume_fn *resume)
{
    struct jr_op *ops = jr_stage_ops(s, 1);

    *ops = (struct jr_op){ .kind = op, .body = body, .after = -1 };
    return jr_emit(s, kind, JR_MODE_SEQUENCE, ops, 1, resume);
}

const struct jr_stage *jr_emit_nothing(struct jr_sync *s, jr_resume_fn *resume)
{
    return jr_emit(s, JR_STAGE_CLAIM, JR_MODE_PARALLEL, NULL, 0, resume);
}

const struct jr_stage *jr_emit_done(struct jr_sync *s, struct jr_str error)
{
    const char *mode = s->action == NULL ? NULL : jr_sync_mode(s);

    s->stage.done.failed = error.n > 0;
    s->stage.done.error = error;
    s->stage.done.requeue = s->requeue;
    s->stage.done.requeue_after_ns = s->requeue_ns;
    s->stage.done.action = s->action;
    s->stage.done.completion_mode = mode;
    if (s->action != NULL)
        jr_emit_metric(s, &jr_metric_job_syncs_total, 1, mode, error.n > 0 ? "error" : "success",
                       s->action);
    return jr_emit(s, JR_STAGE_DONE, JR_MODE_SEQUENCE, NULL, 0, NULL);
}

void jr_emit_event(struct jr_sync *s, const char *type, const char *reason, const char *words,
                   struct jr_str detail)
{
    struct jr_str text = jr_xarena_text(jr_stage_arena(s), "%s%.*s", words, JR_P(detail));

    s->events = jr_xvec_room(s->events, s->stage.n_events, &s->cap_events, sizeof(*s->events));
    s->events[s->stage.n_events++] = (struct jr_stage_event){ type, reason, text };
    s->stage.events = s->events;
}

void jr_emit_metric(struct jr_sync *s, const struct jr_metric_desc *desc, double by, const char *a,
                    const char *b, const char *c)
{
    s->metrics = jr_xvec_room(s->metrics, s->stage.n_metrics, &s->cap_metrics, sizeof(*s->metrics));
    s->metrics[s->stage.n_metrics++] =
        (struct jr_stage_metric){ .desc = desc, .values = { a, b, c, NULL }, .by = by };
    s->stage.metrics = s->metrics;
}

void jr_requeue(struct jr_sync *s, int64_t ns)
{
    if (!s->requeue || ns < s->requeue_ns)
        s->requeue_ns = ns;
    s->requeue = true;
}

const struct jr_op_result *jr_result(const struct jr_results *r, size_t i)
{
    static const struct jr_op_result none = { .outcome = JR_OP_SKIPPED };

    return r == NULL || i >= r->n ? &none : &r->v[i];
}

bool jr_result_gone(const struct jr_op_result *r)
{
    return r->outcome == JR_OP_REFUSED && r->http == 404;
}

struct jr_str jr_result_message(const struct jr_op_result *r)
{
    if (r->message.n > 0)
        return r->message;
    switch (r->outcome) {
    case JR_OP_AMBIGUOUS:
        return JR_S("no answer");
    case JR_OP_SKIPPED:
        return JR_S("not attempted");
    case JR_OP_OK:
    case JR_OP_REFUSED:
        break;
    }
    return JR_S("refused");
}

/** The greater of *version and the answer's: versions of one resource are ordered. */
static void note_version(uint64_t *version, const struct jr_op_result *r)
{
    uint64_t v;

    if (r->outcome == JR_OP_OK && jr_parse_u64(r->resource_version, &v) == JR_OK && v > *version)
        *version = v;
}

void jr_note_pod_version(struct jr_sync *s, const struct jr_op_result *r)
{
    note_version(&s->stage.effects.written_pod_version, r);
}

void jr_note_job_version(struct jr_sync *s, const struct jr_op_result *r)
{
    note_version(&s->stage.effects.written_job_version, r);
}
