#include "webhook/validate.h"

/** What is judged by what. */
struct bench {
    const struct jr_review_kind *kind;
    const struct jr_profile *profile;
    struct jr_verdict *v;
};

/** Opens one of the request's objects, defaulted, for judging. Where it can't be read the verdict
 * is a denial. */
static enum jr_status open_subject(const struct bench *b, struct jr_str text,
                                   struct jr_subject *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    struct jr_error why = { .status = JR_OK };

    if (text.n == 0)
        return jr_verdict_deny(b->v, 400, "BadRequest", "the request has not all of its objects");
    if (jr_doc_parse(text, &gate, &doc, &why) != JR_OK)
        return jr_verdict_unreadable(b->v, b->kind->kind, &why, err);
    if (jr_object_deleting(jr_doc_root_const(doc)))
        b->v->exempt = "deleting";
    if (jr_deadline_over(b->v->deadline))
        return JR_TIMEOUT;
    if (b->kind->default_sent(jr_doc_root(doc), b->profile) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "defaulting");
    if (jr_deadline_over(b->v->deadline))
        return JR_TIMEOUT;
    if (b->kind->open(jr_steal(&doc), ret, &why) != JR_OK && b->v->exempt == NULL)
        return jr_verdict_unreadable(b->v, b->kind->kind, &why, err);
    return JR_OK;
}

static bool same_spec(const struct jr_subject *a, const struct jr_subject *b)
{
    return jr_node_equal(jr_get(a->root, "spec"), jr_get(b->root, "spec"));
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

/** Comes to the verdict; warnings only go with what is admitted. old is NULL on create. */
static enum jr_status conclude(const struct bench *b, const struct jr_errlist *errs,
                               const struct jr_subject *s, const struct jr_subject *old)
{
    enum jr_status st = jr_verdict_judge(b->v, errs, b->kind->kind, s->root);

    if (st != JR_OK || b->v->denied)
        return st;
    if (jr_deadline_over(b->v->deadline))
        return JR_TIMEOUT;
    return b->kind->warnings(s, old, b->v->arena, &b->v->warnings);
}

static enum jr_status judge_create(const struct bench *b, const struct jr_subject *s)
{
    struct jr_errlist errs = jr_verdict_errors(b->v);

    b->kind->validate_create(s, b->profile, &errs);
    return conclude(b, &errs, s, NULL);
}

static enum jr_status judge_update(const struct bench *b, const struct jr_subject *s,
                                   const struct jr_subject *old)
{
    struct jr_errlist errs = jr_verdict_errors(b->v);

    b->kind->validate_update(s, old, b->profile, &errs);
    if (errs.failed != JR_TIMEOUT && same_spec(s, old)) {
        b->v->exempt = "metadata-only";
        keep_metadata(&errs);
    }
    return conclude(b, &errs, s, old);
}

static enum jr_status judge_status(const struct bench *b, const struct jr_subject *s,
                                   const struct jr_subject *old)
{
    struct jr_errlist errs = jr_verdict_errors(b->v);

    b->kind->validate_status(s, old, b->profile, &errs);
    return jr_verdict_judge(b->v, &errs, b->kind->kind, s->root);
}

static bool settled(const struct jr_verdict *v)
{
    return v->denied || v->exempt != NULL;
}

enum jr_status jr_review_validate(const struct jr_review_kind *kind, const struct jr_review *review,
                                  const struct jr_profile *profile, struct jr_verdict *v,
                                  struct jr_error *err)
{
    JR_SUBJECT s = { .root = NULL };
    JR_SUBJECT old = { .root = NULL };
    const struct bench b = { kind, profile, v };
    const struct jr_str operation = review->request.operation, sub = review->request.sub_resource;
    bool create = jr_str_is(operation, "CREATE") && sub.n == 0;
    bool status = jr_str_is(sub, "status") && kind->validate_status != NULL;
    bool update = jr_str_is(operation, "UPDATE") && (sub.n == 0 || status);
    enum jr_status st;

    if (!create && !update)
        return JR_OK;
    st = open_subject(&b, review->request.object, &s, err);
    if (st != JR_OK || settled(v))
        return st;
    if (create)
        return judge_create(&b, &s);
    st = open_subject(&b, review->request.old_object, &old, err);
    if (st != JR_OK || settled(v))
        return st;
    return status ? judge_status(&b, &s, &old) : judge_update(&b, &s, &old);
}
