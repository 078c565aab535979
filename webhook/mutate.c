#include "webhook/mutate.h"

#include "common/api/job.h"
#include "common/job/defaults.h"
#include "common/json/patch.h"

/** Whether every known member has its type: defaulting passes over those that don't, the API server
 * refused them. */
static enum jr_status check_types(struct jr_str text, struct jr_error *why)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;

    return jr_job_decode(text, &job, why);
}

/** As the API server does it: defaults at decode, generation, and defaults again after a patch
 * (labels copied from a template that had none before): so that our own output, fed back, needs no
 * patch. */
static enum jr_status complete(struct jr_node *job, const struct jr_profile *profile)
{
    enum jr_status st = jr_job_default(job, profile);

    if (st == JR_OK)
        st = jr_job_generate(job);
    if (st == JR_OK)
        st = jr_job_default(job, profile);
    return st;
}

/** An Indexed Job with a successPolicy and without completions: the built-in validation
 * dereferences them. */
static bool crashes_api_server(const struct jr_node *job)
{
    const struct jr_node *spec = jr_get(job, "spec");

    return jr_str_is(jr_get_str(spec, "completionMode"), "Indexed") &&
           !jr_unset(jr_get(spec, "successPolicy")) && jr_unset(jr_get(spec, "completions"));
}

static enum jr_status refuse_crash(struct jr_verdict *v, const struct jr_node *job)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path completions = JR_FIELD(&spec, "completions");
    struct jr_errlist errs;

    jr_errlist_init(&errs, v->arena);
    jr_errlist_add(&errs, JR_FE_REQUIRED, &completions, (struct jr_str){ NULL, 0 },
                   "when completion mode is Indexed");
    return jr_verdict_judge(v, &errs, job);
}

enum jr_status jr_review_mutate(const struct jr_review *review, const struct jr_profile *profile,
                                struct jr_verdict *v, struct jr_buf *patch, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *from = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *to = NULL;
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    struct jr_error why = { .status = JR_OK };
    enum jr_status st;

    if (!jr_str_is(review->request.operation, "CREATE") || review->request.sub_resource.n > 0)
        return JR_OK;
    if (review->request.object.n == 0)
        return jr_verdict_deny(v, 400, "BadRequest", "the request has no object");
    if (jr_doc_parse(review->request.object, &gate, &from, &why) != JR_OK)
        return jr_verdict_unreadable(v, &why, err);
    if (jr_object_deleting(jr_doc_root_const(from))) {
        v->exempt = "deleting";
        return JR_OK;
    }
    if (check_types(review->request.object, &why) != JR_OK)
        return jr_verdict_unreadable(v, &why, err);
    st = jr_doc_of(jr_doc_root_const(from), &to);
    if (st == JR_OK)
        st = complete(jr_doc_root(to), profile);
    if (st == JR_OK && crashes_api_server(jr_doc_root_const(to)))
        return refuse_crash(v, jr_doc_root_const(to));
    if (st == JR_OK)
        st = jr_patch_diff(jr_doc_root_const(from), jr_doc_root_const(to), patch);
    if (st == JR_OK && jr_str_is(jr_buf_str(patch), "[]"))
        jr_buf_reset(patch);
    return st;
}
