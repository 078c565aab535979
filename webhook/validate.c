#include "webhook/validate.h"

#include "common/job/defaults.h"
#include "common/job/validate.h"

/** Defaults what was sent, but for metadata.labels: an API server copies them from the template
 * before it generates labels there, and we see the object after that. */
static enum jr_status complete(struct jr_node *job, const struct jr_profile *profile)
{
    const struct jr_node *labels = jr_get(jr_get(job, "metadata"), "labels");
    bool none = jr_unset(labels) || (jr_node_kind(labels) == JR_OBJECT && jr_size(labels) == 0);
    enum jr_status st = jr_job_default(job, profile);

    if (none)
        jr_remove(jr_get(job, "metadata"), JR_S("labels"), NULL);
    return st;
}

/** Opens one of the request's objects, defaulted, for judging. Where it can't be read the verdict
 * is a denial. */
static enum jr_status open_job(struct jr_str text, const struct jr_profile *profile,
                               struct jr_verdict *v, struct jr_judged *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_gate_opts gate = { .dup = JR_DUP_REJECT };
    struct jr_error why = { .status = JR_OK };

    if (text.n == 0)
        return jr_verdict_deny(v, 400, "BadRequest", "the request has not all of its objects");
    if (jr_doc_parse(text, &gate, &doc, &why) != JR_OK)
        return jr_verdict_unreadable(v, &why, err);
    if (jr_object_deleting(jr_doc_root_const(doc)))
        v->exempt = "deleting";
    if (complete(jr_doc_root(doc), profile) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "defaulting");
    if (jr_judged_of(jr_steal(&doc), ret, &why) != JR_OK && v->exempt == NULL)
        return jr_verdict_unreadable(v, &why, err);
    return JR_OK;
}

static bool same_spec(const struct jr_judged *a, const struct jr_judged *b)
{
    return jr_node_equal(jr_get(jr_doc_root_const(a->doc), "spec"),
                         jr_get(jr_doc_root_const(b->doc), "spec"));
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
}

static enum jr_status warn(struct jr_verdict *v, const struct jr_judged *job,
                           const struct jr_judged *old)
{
    return v->denied ? JR_OK : jr_job_warnings(job, old, v->arena, &v->warnings);
}

static enum jr_status judge_create(const struct jr_judged *job, const struct jr_profile *profile,
                                   struct jr_verdict *v)
{
    struct jr_errlist errs;
    enum jr_status st;

    jr_errlist_init(&errs, v->arena);
    jr_job_validate_create(job, profile, &errs);
    st = jr_verdict_judge(v, &errs, jr_doc_root_const(job->doc));
    return st == JR_OK ? warn(v, job, NULL) : st;
}

static enum jr_status judge_update(const struct jr_judged *job, const struct jr_judged *old,
                                   const struct jr_profile *profile, struct jr_verdict *v)
{
    struct jr_errlist errs;
    enum jr_status st;

    jr_errlist_init(&errs, v->arena);
    jr_job_validate_update(job, old, profile, &errs);
    if (same_spec(job, old)) {
        v->exempt = "metadata-only";
        keep_metadata(&errs);
    }
    st = jr_verdict_judge(v, &errs, jr_doc_root_const(job->doc));
    return st == JR_OK ? warn(v, job, old) : st;
}

static enum jr_status judge_status(const struct jr_judged *job, const struct jr_judged *old,
                                   const struct jr_profile *profile, struct jr_verdict *v)
{
    struct jr_errlist errs;

    jr_errlist_init(&errs, v->arena);
    jr_job_validate_status_update(job, old, profile, &errs);
    return jr_verdict_judge(v, &errs, jr_doc_root_const(job->doc));
}

static bool settled(const struct jr_verdict *v)
{
    return v->denied || v->exempt != NULL;
}

enum jr_status jr_review_validate(const struct jr_review *review, const struct jr_profile *profile,
                                  struct jr_verdict *v, struct jr_error *err)
{
    JR_CLEANUP(jr_judged_done) struct jr_judged job = { NULL, NULL };
    JR_CLEANUP(jr_judged_done) struct jr_judged old = { NULL, NULL };
    struct jr_str operation = review->request.operation, sub = review->request.sub_resource;
    bool create = jr_str_is(operation, "CREATE") && sub.n == 0;
    bool update = jr_str_is(operation, "UPDATE") && (sub.n == 0 || jr_str_is(sub, "status"));
    enum jr_status st;

    if (!create && !update)
        return JR_OK;
    st = open_job(review->request.object, profile, v, &job, err);
    if (st != JR_OK || settled(v))
        return st;
    if (create)
        return judge_create(&job, profile, v);
    st = open_job(review->request.old_object, profile, v, &old, err);
    if (st != JR_OK || settled(v))
        return st;
    return sub.n == 0 ? judge_update(&job, &old, profile, v) : judge_status(&job, &old, profile, v);
}
