/* SPDX-License-Identifier: Apache-2.0 */
/* Validates JobPolicies that are created or updated, alone and beside the others. */
#include "webhook/review/validate_policy.h"

#include "webhook/review/object.h"

/** Opens one of the request's objects; *ret stays NULL where that was refused. */
static enum jr_status open_policy(const struct jr_tape *sent, struct jr_doc **ret,
                                  struct jr_admission_result *result, struct jr_error *err)
{
    struct jr_error why = { .status = JR_OK };
    char words[sizeof(why.path) + sizeof(why.msg) + 8];
    enum jr_status st;

    if (sent->text.n == 0)
        return jr_admission_refuse(result, 400, "BadRequest",
                                   "the request has not all of its objects");
    st = jr_admission_review_object(sent, ret, &why);
    if (st == JR_NOMEM)
        return jr_fail(err, st, NULL, "the object");
    return st == JR_OK ? st
                       : jr_admission_refuse(result, 400, "BadRequest", "the JobPolicy: %s",
                                             jr_error_text(&why, words, sizeof(words)));
}

/** Policies that set labels by default which the new one selects on. */
static void check_selector(const struct jr_job_policy *p, const struct jr_policy_set *others,
                           struct jr_errlist *errs)
{
    struct jr_job_policy *alone[] = { (struct jr_job_policy *)(uintptr_t)p };
    const struct jr_policy_set set = { alone, 1 };
    const struct jr_field_path spec = JR_FIELD(NULL, "spec"), match = JR_FIELD(&spec, "match");
    const struct jr_field_path selector = JR_FIELD(&match, "objectSelector");

    for (size_t i = 0; i < others->n; i++) {
        struct jr_errlist faults;

        jr_errlist_init(&faults, errs->arena);
        jr_job_policy_check_others(others->v[i], &set, &faults);
        if (faults.n > 0)
            jr_errlist_add(errs, JR_FE_FORBIDDEN, &selector, JR_NO_VALUE,
                           "policy \"%.*s\" sets a label by default that this selects on",
                           JR_P(others->v[i]->name));
    }
}

/** A label that is required can then be taken away again. */
static void warn_of_metadata(const struct jr_job_policy *p, struct jr_warnings *warnings)
{
    for (size_t i = 0; i < p->rules.limits.n; i++) {
        const struct jr_limit *l = p->rules.limits.v[i];

        if (jr_limit_reads_metadata(l))
            jr_warnings_add(warnings, JR_WARNING_POLICY_METADATA_UNSEEN, l->rule.path,
                            "holds when a Job is created and when its spec is changed: the webhook "
                            "is not asked about updates of metadata alone");
    }
}

static enum jr_status compile(const struct jr_node *object,
                              const struct jr_review_settings *settings,
                              struct jr_admission_result *result)
{
    struct jr_errlist *errs = &result->errs;
    struct jr_job_policy *p = NULL;
    enum jr_status st = jr_job_policy_compile(object, settings->now, errs, &result->warnings, &p);

    if (st == JR_OK && !settings->sees_metadata)
        warn_of_metadata(p, &result->warnings);
    if (st == JR_OK && settings->policies != NULL && errs->n == 0) {
        jr_job_policy_check_others(p, settings->policies->set, errs);
        check_selector(p, settings->policies->set, errs);
    }
    jr_job_policy_free(p);
    return st == JR_OK ? jr_admission_conclude_as(result, JR_POLICY_GROUP, JR_POLICY_KIND, object)
                       : st;
}

enum jr_status jr_review_validate_policy(const struct jr_admission_review *review,
                                         const struct jr_review_settings *settings,
                                         struct jr_admission_result *result, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    const bool update = jr_str_is(review->request.operation, "UPDATE");
    const struct jr_node *object;
    enum jr_status st;

    if ((!update && !jr_str_is(review->request.operation, "CREATE")) ||
        review->request.sub_resource.n > 0)
        return JR_OK;
    st = open_policy(&review->request.object, &doc, result, err);
    if (st != JR_OK || result->refused || jr_review_is_deleting(doc, result))
        return st;
    object = jr_doc_root_const(doc);
    if (update) {
        st = open_policy(&review->request.old_object, &old, result, err);
        if (st != JR_OK || result->refused)
            return st;
        if (jr_node_equal(jr_get(object, "spec"), jr_get(jr_doc_root_const(old), "spec"))) {
            result->exempt = "metadata-only";
            return JR_OK;
        }
    }
    return compile(object, settings, result);
}
