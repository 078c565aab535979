/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates JobPolicies in the pipeline: findings become causes, warnings or a denial. */
#include "common/admission/policies.h"

#include "common/policy/cron_job.h"

/* Of the message; the causes have each finding. */
#define MESSAGE_MAX ((size_t)32 << 10)
#define CAUSES_MAX 1000

/* ---- defaults ---- */

static bool applies(const struct jr_admission_request *r)
{
    return r->policies != NULL && r->policies->set->n > 0;
}

/** 0 where there is no clock. */
static int64_t mono_ns(const struct jr_admission_result *ret)
{
    const struct jr_clock *clock = ret->errs.deadline == NULL ? NULL : ret->errs.deadline->clock;

    return clock == NULL ? 0 : clock->mono(clock->self).ns;
}

enum jr_status jr_admission_default_by_policies(const struct jr_admission_request *r,
                                                struct jr_admission_result *ret)
{
    const int64_t began = mono_ns(ret);
    enum jr_status st;

    if (!applies(r) || r->kind != &jr_admission_job || r->operation != JR_ADMISSION_CREATE)
        return JR_OK;
    st = jr_policy_set_defaults(r->policies, r->object, ret->arena, &ret->policy_defaults);
    ret->policies_ns = mono_ns(ret) - began;
    return st;
}

/* ---- what is evaluated ---- */

/** The Job that a CronJob would make. */
struct made {
    struct jr_doc *doc;
    struct jr_object job;
};

static void made_done(struct made *m)
{
    jr_object_done(&m->job);
    jr_doc_free(m->doc);
}

static enum jr_status make(const struct jr_admission_request *r, const struct jr_object *cron_job,
                           struct jr_arena *arena, struct made *ret)
{
    struct jr_policy_defaulted defaulted;
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = jr_policy_job_of_cron_job(cron_job->root, r->profile, &ret->doc);

    if (st == JR_OK)
        st = jr_policy_set_defaults(r->policies, jr_doc_root(ret->doc), arena, &defaulted);
    if (st != JR_OK)
        return st;
    return jr_object_open(&jr_schema_job, jr_doc_root(ret->doc), 0, &ret->job, &why);
}

/** cron_job: that would make the Job; NULL: none. */
static struct jr_policy_job subject_of(const struct jr_object *job,
                                       const struct jr_object *cron_job)
{
    return (struct jr_policy_job){ job->root, &job->job->spec, &job->job->meta.labels,
                                   cron_job == NULL ? NULL : cron_job->root };
}

static enum jr_status evaluate(const struct jr_admission_request *r, struct jr_policy_job job,
                               struct jr_policy_job old, struct jr_admission_result *ret)
{
    const struct jr_policy_request q = {
        .context = r->policies,
        .update = r->operation == JR_ADMISSION_UPDATE,
        .job = job,
        .old = old,
        .spec = r->kind->job_spec,
    };

    return jr_policy_evaluate(&q, ret->arena, &ret->policies);
}

static enum jr_status evaluate_cron_job(const struct jr_admission_request *r,
                                        const struct jr_object *object, const struct jr_object *old,
                                        struct jr_admission_result *ret)
{
    JR_CLEANUP(made_done) struct made job = { .doc = NULL };
    JR_CLEANUP(made_done) struct made was = { .doc = NULL };
    const bool update = r->operation == JR_ADMISSION_UPDATE;
    enum jr_status st;

    st = make(r, object, ret->arena, &job);
    if (st == JR_OK && update)
        st = make(r, old, ret->arena, &was);
    if (st != JR_OK)
        return st;
    return evaluate(r, subject_of(&job.job, object),
                    update ? subject_of(&was.job, old) : (struct jr_policy_job){ .root = NULL },
                    ret);
}

/* ---- what comes of it ---- */

/** As much of it as there is room for. */
static void add_text(struct jr_buf *message, struct jr_str text)
{
    if (message->n + 2 >= MESSAGE_MAX)
        return;
    if (message->n > 0)
        (void)jr_buf_adds(message, "; ");
    (void)jr_buf_add(message, jr_field_shown(text, MESSAGE_MAX - message->n));
    if (message->n + 2 >= MESSAGE_MAX)
        (void)jr_buf_adds(message, "...");
}

/** A cause names its field by itself, and clients show it in front of the message. */
static enum jr_status add_cause(struct jr_admission_result *ret, const struct jr_policy_finding *f,
                                struct jr_buf *message)
{
    struct jr_api_status *s = &ret->status;
    const struct jr_str more = f->policy->message;
    const char *cause =
        jr_arena_printf(ret->arena, "policy \"%.*s\": %.*s%s%.*s", JR_P(f->policy->name),
                        JR_P(f->message), more.n > 0 ? ": " : "", JR_P(more));
    struct jr_str text;

    if (cause == NULL || jr_policy_finding_text(f, ret->arena, &text) != JR_OK)
        return JR_NOMEM;
    if (s->details.causes.n < CAUSES_MAX)
        s->details.causes.v[s->details.causes.n++] =
            (struct jr_cause){ JR_S("FieldValueForbidden"), jr_str(cause), f->field };
    add_text(message, text);
    return message->failed;
}

static enum jr_status deny(const struct jr_admission_request *r, struct jr_admission_result *ret)
{
    JR_BUF message = { 0 };

    ret->status = (struct jr_api_status){
        .code = 422,
        .status = JR_S("Failure"),
        .reason = JR_S("Invalid"),
        .details = { .name = ret->name, .group = JR_S("batch"), .kind = jr_str(r->kind->kind) },
    };
    ret->status.details.causes.v =
        jr_arena_calloc(ret->arena, ret->policies.n < CAUSES_MAX ? ret->policies.n : CAUSES_MAX,
                        sizeof(*ret->status.details.causes.v));
    if (ret->status.details.causes.v == NULL)
        return JR_NOMEM;
    jr_buf_init(&message, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < ret->policies.n; i++) {
        if (ret->policies.v[i].denies && add_cause(ret, &ret->policies.v[i], &message) != JR_OK)
            return JR_NOMEM;
    }
    ret->denied_by_policy = true;
    return jr_arena_str(ret->arena, jr_buf_str(&message), &ret->status.message) ? JR_OK : JR_NOMEM;
}

static enum jr_status warn(struct jr_admission_result *ret)
{
    for (size_t i = 0; i < ret->policies.n; i++) {
        struct jr_str text;

        if (!ret->policies.v[i].warns)
            continue;
        if (jr_policy_finding_text(&ret->policies.v[i], ret->arena, &text) != JR_OK)
            return JR_NOMEM;
        jr_warnings_add(&ret->warnings, JR_WARNING_POLICY_FINDING, NULL, "%.*s", JR_P(text));
    }
    ret->policy_warnings = ret->warnings.list.n;
    return ret->warnings.failed;
}

enum jr_status jr_admission_evaluate_policies(const struct jr_admission_request *r,
                                              const struct jr_object *object,
                                              const struct jr_object *old,
                                              struct jr_admission_result *ret)
{
    const int64_t began = mono_ns(ret);
    enum jr_status st;

    if (!applies(r) || r->operation == JR_ADMISSION_STATUS)
        return JR_OK;
    if (r->kind == &jr_admission_job)
        st = evaluate(r, subject_of(object, NULL),
                      r->operation == JR_ADMISSION_UPDATE ? subject_of(old, NULL)
                                                          : (struct jr_policy_job){ .root = NULL },
                      ret);
    else
        st = evaluate_cron_job(r, object, old, ret);
    ret->policies_ns += mono_ns(ret) - began;
    if (st != JR_OK)
        return st;
    if (ret->policies.n_undecided > 0 && r->source == JR_ADMISSION_SERVED)
        return jr_admission_refuse(
            ret, 503, "ServiceUnavailable",
            "policies select namespaces by labels, and those of \"%.*s\" are not known yet",
            JR_P(r->policies->namespace));
    for (size_t i = 0; i < ret->policies.n; i++) {
        if (ret->policies.v[i].denies)
            return deny(r, ret);
    }
    return warn(ret);
}
