/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoint that assigns Jobs to a controller. */
#include "webhook/review/assign_controller.h"

#include "common/json/patch.h"
#include "webhook/review/object.h"

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

enum jr_status jr_review_assign_controller(const struct jr_admission_kind *kind,
                                           const struct jr_admission_review *review,
                                           const struct jr_review_settings *settings,
                                           struct jr_admission_result *result, struct jr_buf *patch,
                                           struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_admission_request r = { .kind = kind, .profile = &settings->profiles->common };
    enum jr_status st;

    if (review->request.sub_resource.n > 0 || !jr_str_is(review->request.operation, "CREATE"))
        return JR_OK;
    if (review->request.object.text.n == 0)
        return jr_admission_refuse(result, 400, "BadRequest", "the request has no object");
    st = jr_review_parse(kind, &review->request.object, &doc, result, err);
    if (st != JR_OK || result->refused)
        return st;
    r.object = jr_doc_root(doc);
    st = jr_admission_decode(&r, result, err);
    if (st != JR_OK || result->refused || !jr_unset(jr_path(r.object, "spec.managedBy")))
        return st;
    st = name_controller(r.object, settings->controller_name, patch);
    if (st == JR_OK)
        result->defaulted = JR_S("spec.managedBy=assign-controller");
    return st;
}
