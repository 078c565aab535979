/* The validating endpoints, and what a webhook must let through. */
#include "webhook/validate.h"

#include "webhook/object.h"
#include "webhook/policies.h"

/** An update that leaves the spec alone is validated by its metadata alone. */
static void exempt_metadata_only(const struct jr_admission_request *r,
                                 struct jr_admission_result *result)
{
    struct jr_errlist *errs = &result->errs;
    size_t n = 0;

    if (r->operation != JR_ADMISSION_UPDATE ||
        !jr_node_equal(jr_get(r->object, "spec"), jr_get(r->old, "spec")))
        return;
    result->exempt = "metadata-only";
    for (size_t i = 0; i < errs->n; i++) {
        if (jr_field_path_begins(errs->v[i].path, "metadata"))
            errs->v[n++] = errs->v[i];
    }
    errs->n = n;
    if (n == 0 && errs->failed == JR_LIMIT)
        errs->failed = JR_OK; /* those about metadata would have come first */
}

/** Opens one of the request's objects; *ret stays NULL where there is nothing to validate. */
static enum jr_status open_object(const struct jr_admission_kind *kind, const struct jr_tape *sent,
                                  struct jr_doc **ret, struct jr_admission_result *result,
                                  struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st;

    if (sent->text.n == 0)
        return jr_admission_refuse(result, 400, "BadRequest",
                                   "the request has not all of its objects");
    st = jr_review_parse(kind, sent, &doc, result, err);
    if (st != JR_OK || result->refused || jr_review_is_deleting(doc, result))
        return st;
    *ret = jr_steal(&doc);
    return jr_deadline_over(result->errs.deadline) ? JR_TIMEOUT : JR_OK;
}

enum jr_status jr_review_validate(const struct jr_admission_kind *kind,
                                  const struct jr_review *review,
                                  const struct jr_review_settings *settings,
                                  struct jr_admission_result *result, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    const struct jr_str operation = review->request.operation, sub = review->request.sub_resource;
    const bool status = jr_str_is(sub, "status") && kind->validate_status != NULL;
    struct jr_policy_context policies;
    struct jr_admission_request r = { .kind = kind,
                                      .operation = JR_ADMISSION_CREATE,
                                      .profile = &settings->profile,
                                      .policies =
                                          jr_review_policy_context(review, settings, &policies),
                                      .exempt = exempt_metadata_only };
    enum jr_status st;

    if (jr_str_is(operation, "UPDATE") && (sub.n == 0 || status))
        r.operation = status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE;
    else if (!jr_str_is(operation, "CREATE") || sub.n > 0)
        return JR_OK;
    st = open_object(kind, &review->request.object, &object, result, err);
    if (st != JR_OK || object == NULL)
        return st;
    if (r.operation != JR_ADMISSION_CREATE) {
        st = open_object(kind, &review->request.old_object, &old, result, err);
        if (st != JR_OK || old == NULL)
            return st;
        r.old = jr_doc_root(old);
    }
    r.object = jr_doc_root(object);
    return jr_admit(&r, result, err);
}
