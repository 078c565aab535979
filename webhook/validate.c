#include "webhook/validate.h"

/** What is validated, by what. */
struct validation {
    const struct jr_admission_kind *kind;
    enum jr_admission_operation operation;
    const struct jr_profile *profile;
    struct jr_verdict *v;
};

/** Opens one of the request's objects, defaulted. Where it can't be read the verdict is a denial.
 */
static enum jr_status open_object(const struct validation *x, const struct jr_tape *sent,
                                  struct jr_object *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error why = { .status = JR_OK };

    if (sent->text.n == 0)
        return jr_verdict_deny(x->v, 400, "BadRequest", "the request has not all of its objects");
    if (jr_review_object(sent, &doc, &why) != JR_OK)
        return jr_verdict_unreadable(x->v, x->kind->kind, &why, err);
    if (jr_object_deleting(jr_doc_root_const(doc)))
        x->v->exempt = "deleting";
    if (jr_deadline_over(x->v->deadline))
        return JR_TIMEOUT;
    if (x->kind->default_sent(jr_doc_root(doc), x->profile) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "defaulting");
    if (jr_deadline_over(x->v->deadline))
        return JR_TIMEOUT;
    if (jr_object_open(x->kind->schema, jr_doc_root_const(doc), 0, ret, &why) != JR_OK)
        return x->v->exempt == NULL ? jr_verdict_unreadable(x->v, x->kind->kind, &why, err) : JR_OK;
    ret->doc = jr_steal(&doc);
    return JR_OK;
}

/** Leaves only the errors about metadata. */
static void keep_metadata(struct jr_errlist *errs)
{
    size_t n = 0;

    for (size_t i = 0; i < errs->n; i++) {
        struct jr_str field = errs->v[i].field;

        if (jr_str_starts(field, JR_S("metadata")))
            errs->v[n++] = errs->v[i];
    }
    errs->n = n;
    if (n == 0 && errs->failed == JR_LIMIT)
        errs->failed = JR_OK; /* those about metadata would have come first */
}

static bool is_metadata_only(const struct validation *x, const struct jr_object *object,
                             const struct jr_object *old)
{
    return x->operation == JR_ADMISSION_UPDATE &&
           jr_node_equal(jr_get(object->root, "spec"), jr_get(old->root, "spec"));
}

/** Comes to the verdict; warnings only go with what is admitted. */
static enum jr_status validate(const struct validation *x, const struct jr_object *object,
                               const struct jr_object *old)
{
    struct jr_errlist errs = jr_verdict_errors(x->v);
    enum jr_status st;

    jr_admission_validate(x->kind, x->operation, object, old, x->profile, &errs);
    if (errs.failed != JR_TIMEOUT && is_metadata_only(x, object, old)) {
        x->v->exempt = "metadata-only";
        keep_metadata(&errs);
    }
    st = jr_verdict_judge(x->v, &errs, x->kind->kind, object->root);
    if (st != JR_OK || x->v->denied)
        return st;
    if (jr_deadline_over(x->v->deadline))
        return JR_TIMEOUT;
    return jr_admission_warnings(x->kind, x->operation, object, old, x->v->arena, &x->v->warnings);
}

static bool is_settled(const struct jr_verdict *v)
{
    return v->denied || v->exempt != NULL;
}

enum jr_status jr_review_validate(const struct jr_admission_kind *kind,
                                  const struct jr_review *review, const struct jr_profile *profile,
                                  struct jr_verdict *v, struct jr_error *err)
{
    JR_OBJECT_OPEN object = { .root = NULL };
    JR_OBJECT_OPEN old = { .root = NULL };
    struct validation x = { kind, JR_ADMISSION_CREATE, profile, v };
    const struct jr_str operation = review->request.operation, sub = review->request.sub_resource;
    bool status = jr_str_is(sub, "status") && kind->validate_status != NULL;
    enum jr_status st;

    if (jr_str_is(operation, "UPDATE") && (sub.n == 0 || status))
        x.operation = status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE;
    else if (!jr_str_is(operation, "CREATE") || sub.n > 0)
        return JR_OK;
    st = open_object(&x, &review->request.object, &object, err);
    if (st != JR_OK || is_settled(v))
        return st;
    if (x.operation != JR_ADMISSION_CREATE) {
        st = open_object(&x, &review->request.old_object, &old, err);
        if (st != JR_OK || is_settled(v))
            return st;
    }
    return validate(&x, &object, &old);
}
