#include "webhook/mutate.h"

#include "common/json/patch.h"
#include "common/rules/rules.h"

/* What kube-apiserver keeps of an audit annotation that a policy makes; a webhook's are kept whole,
 * so that it is up to us. */
#define ANNOTATION_MAX ((size_t)10 << 10)

/* ---- the guard ---- */

/** An Indexed Job with a successPolicy and without completions: the built-in validation
 * dereferences them. */
static bool crashes_api_server(const struct jr_admission_kind *kind, const struct jr_node *object)
{
    const struct jr_node *spec = jr_path(object, kind->job_spec);

    return jr_str_is(jr_get_str(spec, "completionMode"), "Indexed") &&
           !jr_unset(jr_get(spec, "successPolicy")) && jr_unset(jr_get(spec, "completions"));
}

static enum jr_status refuse_crash(const struct jr_admission_kind *kind,
                                   const struct jr_node *object, struct jr_verdict *v)
{
    const struct jr_field_path spec = JR_FIELD(NULL, kind->job_spec);
    struct jr_errlist errs = jr_verdict_errors(v);

    jr_rule_broken(&errs, JR_RULE_INDEXED_COMPLETIONS, &JR_FIELD(&spec, "completions"),
                   JR_NO_VALUE);
    return jr_verdict_judge(v, &errs, kind->kind, object);
}

/* ---- completing ---- */

/** Keeps in the verdict what was noted. */
static enum jr_status keep_log(struct jr_dflt_log *log, struct jr_verdict *v)
{
    struct jr_str text;
    enum jr_status st = jr_dflt_log_text(log, &text);

    if (st == JR_OK && text.n > 0 && !jr_arena_str(v->arena, text, &v->defaulted))
        st = JR_NOMEM;
    return st;
}

static enum jr_status complete(const struct jr_admission_kind *kind, const struct jr_node *from,
                               const struct jr_profile *profile, struct jr_verdict *v,
                               struct jr_buf *patch)
{
    JR_CLEANUP(jr_dflt_log_done) struct jr_dflt_log log = { .omitted = 0 };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *to = NULL;
    enum jr_status st = jr_doc_of(from, &to);

    jr_dflt_log_init(&log, ANNOTATION_MAX);
    if (st == JR_OK && jr_deadline_over(v->deadline))
        st = JR_TIMEOUT;
    if (st == JR_OK)
        st = kind->complete(jr_doc_root(to), profile, &log);
    if (st == JR_OK && jr_deadline_over(v->deadline))
        st = JR_TIMEOUT;
    if (st == JR_OK && crashes_api_server(kind, jr_doc_root_const(to)))
        return refuse_crash(kind, jr_doc_root_const(to), v);
    if (st == JR_OK)
        st = jr_patch_diff(from, jr_doc_root_const(to), patch);
    if (st == JR_OK && jr_str_is(jr_buf_str(patch), "[]"))
        jr_buf_reset(patch);
    return st == JR_OK ? keep_log(&log, v) : st;
}

/* ---- the request ---- */

/** Whether an update is worth a look: only what names a successPolicy can crash the server. */
static bool may_crash(struct jr_str object)
{
    static const char name[] = "successPolicy";

    return object.n > 0 && memmem(object.p, object.n, name, sizeof(name) - 1) != NULL;
}

enum jr_status jr_review_mutate(const struct jr_admission_kind *kind,
                                const struct jr_review *review, const struct jr_profile *profile,
                                struct jr_verdict *v, struct jr_buf *patch, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_tape *sent = &review->request.object;
    bool create = jr_str_is(review->request.operation, "CREATE");
    struct jr_error why = { .status = JR_OK };

    if (review->request.sub_resource.n > 0)
        return JR_OK;
    if (!create && (!jr_str_is(review->request.operation, "UPDATE") || !may_crash(sent->text)))
        return JR_OK;
    if (sent->text.n == 0)
        return jr_verdict_deny(v, 400, "BadRequest", "the request has no object");
    if (jr_review_object(sent, &doc, &why) != JR_OK)
        return jr_verdict_unreadable(v, kind->kind, &why, err);
    if (jr_object_deleting(jr_doc_root_const(doc))) {
        v->exempt = "deleting";
        return JR_OK;
    }
    if (jr_deadline_over(v->deadline))
        return JR_TIMEOUT;
    if (!create)
        return crashes_api_server(kind, jr_doc_root_const(doc))
                   ? refuse_crash(kind, jr_doc_root_const(doc), v)
                   : JR_OK;
    /* Defaulting passes over members of a wrong type. */
    if (jr_object_check(kind->schema, jr_doc_root_const(doc), 0, &why) != JR_OK)
        return jr_verdict_unreadable(v, kind->kind, &why, err);
    return complete(kind, jr_doc_root_const(doc), profile, v, patch);
}
