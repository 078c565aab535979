/* SPDX-License-Identifier: Apache-2.0 */
/* A self-test's dry run, refused where its annotation asks for that. */
#include "webhook/review/self_test_refusal.h"

/** Most dry runs need no second look. */
static bool may_be(const struct jr_admission_review *r)
{
    static const char name[] = JR_SELF_TEST_ANNOTATION;
    const struct jr_str text = r->request.object.text;

    return jr_str_is(r->request.operation, "CREATE") && r->request.sub_resource.n == 0 &&
           text.n > 0 && memmem(text.p, text.n, name, sizeof(name) - 1) != NULL;
}

enum jr_status jr_review_refuse_self_test(const struct jr_admission_review *r, const char *side,
                                          struct jr_admission_result *result)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st;

    if (!may_be(r))
        return JR_OK;
    st = jr_admission_review_object(&r->request.object, &doc, NULL);
    if (st != JR_OK)
        return st == JR_NOMEM ? st : JR_OK; /* the endpoint says what is wrong with it */
    if (!jr_str_is(jr_get_str(jr_path(jr_doc_root_const(doc), "metadata.annotations"),
                              JR_SELF_TEST_ANNOTATION),
                   side))
        return JR_OK;
    return jr_admission_refuse(result, 403, "Forbidden", "%s", JR_SELF_TEST_MESSAGE);
}
