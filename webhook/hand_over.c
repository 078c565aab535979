#include "webhook/hand_over.h"

#include "common/json/patch.h"

static enum jr_status name_controller(const struct jr_node *from, const char *controller,
                                      struct jr_buf *patch)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *to = NULL;
    struct jr_node *spec;
    enum jr_status st = jr_doc_of(from, &to);

    if (st == JR_OK)
        st = jr_ensure_object(jr_doc_root(to), "spec", &spec);
    if (st == JR_OK)
        st = jr_set_str(spec, "managedBy", jr_str(controller));
    return st == JR_OK ? jr_patch_diff(from, jr_doc_root_const(to), patch) : st;
}

enum jr_status jr_review_hand_over(const struct jr_admission_kind *kind,
                                   const struct jr_review *review, const char *controller,
                                   struct jr_verdict *v, struct jr_buf *patch, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_tape *sent = &review->request.object;
    struct jr_error why = { .status = JR_OK };
    enum jr_status st;

    if (review->request.sub_resource.n > 0 || !jr_str_is(review->request.operation, "CREATE"))
        return JR_OK;
    if (sent->text.n == 0)
        return jr_verdict_deny(v, 400, "BadRequest", "the request has no object");
    if (jr_review_object(sent, &doc, &why) != JR_OK ||
        jr_object_check(kind->schema, jr_doc_root_const(doc), 0, &why) != JR_OK)
        return jr_verdict_unreadable(v, kind->kind, &why, err);
    if (!jr_unset(jr_path(jr_doc_root_const(doc), "spec.managedBy")))
        return JR_OK;
    st = name_controller(jr_doc_root_const(doc), controller, patch);
    if (st == JR_OK)
        v->defaulted = JR_S("spec.managedBy=hand-over");
    return st;
}
