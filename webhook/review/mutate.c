/* SPDX-License-Identifier: Apache-2.0 */
/* The mutating endpoints: defaults as a patch, and the guard. */
#include "webhook/review/mutate.h"

#include "common/json/patch.h"
#include "common/rules/rules.h"
#include "webhook/review/object.h"
#include "webhook/review/policy_annotations.h"

/* What kube-apiserver keeps of an audit annotation that a policy makes; a webhook's are kept whole,
 * so that it is up to us. */
#define ANNOTATION_MAX ((size_t)10 << 10)

/* ---- the guard ---- */

/** Refuses an Indexed Job with a successPolicy and without completions: the built-in validation
 * dereferences them. */
static enum jr_status refuse_crash(const struct jr_admission_request *r,
                                   struct jr_admission_result *result)
{
    const struct jr_field_path completions = JR_FIELD(r->kind->job_spec, "completions");
    const struct jr_node *spec = jr_field_find(r->object, r->kind->job_spec);

    if (!jr_str_is(jr_get_str(spec, "completionMode"), "Indexed") ||
        jr_unset(jr_get(spec, "successPolicy")) || !jr_unset(jr_get(spec, "completions")))
        return JR_OK;
    jr_rule_violated(&result->errs, JR_RULE_INDEXED_COMPLETIONS, &completions, JR_NO_VALUE);
    return jr_admission_conclude(result, r->kind, r->object);
}

/** Whether an update is worth a look: only what names a successPolicy can crash the server. */
static bool may_crash(struct jr_str object)
{
    static const char name[] = "successPolicy";

    return object.n > 0 && memmem(object.p, object.n, name, sizeof(name) - 1) != NULL;
}

/* ---- the request ---- */

static enum jr_status patch_defaults(const struct jr_admission_request *request,
                                     struct jr_admission_result *result, struct jr_buf *patch,
                                     struct jr_error *err)
{
    struct jr_admission_request r = *request;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *to = NULL;
    enum jr_status st = jr_doc_of(request->object, &to);

    if (st != JR_OK)
        return st;
    r.object = jr_doc_root(to);
    st = jr_admit_defaults(&r, ANNOTATION_MAX, result, err);
    if (st == JR_OK && !result->refused)
        st = refuse_crash(&r, result);
    if (st != JR_OK || jr_admission_denied(result))
        return st;
    st = jr_patch_diff(request->object, r.object, patch);
    if (st == JR_OK && jr_str_is(jr_buf_str(patch), "[]"))
        jr_buf_reset(patch);
    return st;
}

enum jr_status jr_review_mutate(const struct jr_admission_kind *kind,
                                const struct jr_admission_review *review,
                                const struct jr_review_settings *settings,
                                struct jr_admission_result *result, struct jr_buf *patch,
                                struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_policy_context policies;
    struct jr_admission_request r = { .kind = kind,
                                      .profile = &settings->profiles->common,
                                      .policies =
                                          jr_review_policy_context(review, settings, &policies) };
    const struct jr_tape *sent = &review->request.object;
    const bool create = jr_str_is(review->request.operation, "CREATE");
    enum jr_status st;

    if (review->request.sub_resource.n > 0)
        return JR_OK;
    if (!create && (!jr_str_is(review->request.operation, "UPDATE") || !may_crash(sent->text)))
        return JR_OK;
    if (sent->text.n == 0)
        return jr_admission_refuse(result, 400, "BadRequest", "the request has no object");
    st = jr_review_parse(kind, sent, &doc, result, err);
    if (st != JR_OK || result->refused || jr_review_is_deleting(doc, result))
        return st;
    if (jr_deadline_over(settings->deadline))
        return JR_TIMEOUT;
    r.object = jr_doc_root(doc);
    return create ? patch_defaults(&r, result, patch, err) : refuse_crash(&r, result);
}
