/* SPDX-License-Identifier: Apache-2.0 */
/* The validating endpoints, and what a webhook must let through. */
#include "webhook/review/validate.h"

#include "webhook/review/object.h"
#include "webhook/review/policy_annotations.h"

static bool leaves_spec(const struct jr_admission_request *r)
{
    return r->operation != JR_ADMISSION_CREATE &&
           jr_node_equal(jr_get(r->object, "spec"), jr_get(r->old, "spec"));
}

/** Whether labels are as they were, by which policies select. */
static bool leaves_labels(const struct jr_admission_request *r)
{
    return jr_node_equal(jr_path(r->object, "metadata.labels"), jr_path(r->old, "metadata.labels"));
}

/** An update that leaves the spec alone is validated by its metadata alone. */
static void exempt_metadata_only(const struct jr_admission_request *r,
                                 struct jr_admission_result *result)
{
    struct jr_errlist *errs = &result->errs;
    size_t n = 0;

    if (r->operation != JR_ADMISSION_UPDATE || !leaves_spec(r))
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
    if (st != JR_OK || result->refused)
        return st;
    *ret = jr_steal(&doc);
    return jr_deadline_over(result->errs.deadline) ? JR_TIMEOUT : JR_OK;
}

/** Validates what was sent by the request's profile; its objects are opened anew for that. */
static enum jr_status validate_by(const struct jr_admission_request *request,
                                  const struct jr_admission_review *review,
                                  struct jr_admission_result *result, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_admission_request r = *request;
    enum jr_status st = open_object(r.kind, &review->request.object, &object, result, err);

    if (st != JR_OK || object == NULL)
        return st;
    if (r.operation != JR_ADMISSION_CREATE) {
        st = open_object(r.kind, &review->request.old_object, &old, result, err);
        if (st != JR_OK || old == NULL)
            return st;
        r.old = jr_doc_root(old);
    }
    r.object = jr_doc_root(object);
    /* Removing a finalizer must never be held up. A change of the spec, or of the labels, is
     * another matter: the Pods may go on for as long as the finalizer is there. */
    if (!jr_unset(jr_path(r.object, "metadata.deletionTimestamp")) && leaves_spec(&r) &&
        leaves_labels(&r)) {
        result->exempt = "deleting";
        return JR_OK;
    }
    return jr_admit(&r, result, err);
}

/** Whether it was the rules that refused it: those of another version may not. */
static bool refused_by_rules(const struct jr_admission_result *result)
{
    return result->errs.n > 0 && !result->refused && !result->denied_by_policy;
}

/** The same by the rules of one more version, in place of a result by which it was refused. Where
 * it is refused again that result stays. */
static enum jr_status validate_again(const struct jr_admission_request *request,
                                     const struct jr_admission_review *review,
                                     struct jr_admission_result *result, struct jr_error *err)
{
    struct jr_arena *arena = result->arena;
    struct jr_arena before = *arena;
    const size_t left = before.limit - before.used;
    struct jr_admission_result again;
    enum jr_status st;

    jr_arena_init(arena, before.limit == 0 ? 0 : left > 0 ? left : 1);
    jr_admission_result_init(&again, arena);
    again.errs.deadline = result->errs.deadline;
    again.errs.max_value_bytes = result->errs.max_value_bytes;
    again.errs.max_bytes = 1; /* the first error will do */
    st = validate_by(request, review, &again, err);
    if (st == JR_OK && refused_by_rules(&again)) {
        jr_arena_done(arena);
        *arena = before;
        return JR_OK;
    }
    jr_arena_adopt(arena, &before);
    arena->limit = before.limit;
    *result = again;
    return st;
}

enum jr_status jr_review_validate(const struct jr_admission_kind *kind,
                                  const struct jr_admission_review *review,
                                  const struct jr_review_settings *settings,
                                  struct jr_admission_result *result, struct jr_error *err)
{
    const struct jr_str operation = review->request.operation, sub = review->request.sub_resource;
    const struct jr_profiles *profiles = settings->profiles;
    const bool status = jr_str_is(sub, "status") && kind->validate_status != NULL;
    struct jr_policy_context policies;
    struct jr_admission_request r = { .kind = kind,
                                      .operation = JR_ADMISSION_CREATE,
                                      .profile = &profiles->v[0],
                                      .policies =
                                          jr_review_policy_context(review, settings, &policies),
                                      .exempt = exempt_metadata_only };
    enum jr_status st;

    if (jr_str_is(operation, "UPDATE") && (sub.n == 0 || status))
        r.operation = status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE;
    else if (!jr_str_is(operation, "CREATE") || sub.n > 0)
        return JR_OK;
    st = validate_by(&r, review, result, err);
    for (size_t i = 1; st == JR_OK && i < profiles->n && refused_by_rules(result); i++) {
        r.profile = &profiles->v[i];
        st = validate_again(&r, review, result, err);
    }
    return st;
}
