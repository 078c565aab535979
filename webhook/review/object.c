/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a review, as trees. */
#include "webhook/review/object.h"

enum jr_status jr_review_parse(const struct jr_admission_kind *kind, const struct jr_tape *sent,
                               struct jr_doc **ret, struct jr_admission_result *result,
                               struct jr_error *err)
{
    struct jr_error why = { .status = JR_OK };
    char words[sizeof(why.path) + sizeof(why.msg) + 8];
    enum jr_status st = jr_admission_review_object(sent, ret, &why);

    if (st == JR_NOMEM)
        return jr_fail(err, st, NULL, "the object");
    return st == JR_OK ? st
                       : jr_admission_refuse_object(result, kind,
                                                    jr_error_text(&why, words, sizeof(words)));
}

bool jr_review_is_deleting(const struct jr_doc *doc, struct jr_admission_result *result)
{
    if (jr_unset(jr_path(jr_doc_root_const(doc), "metadata.deletionTimestamp")))
        return false;
    result->exempt = "deleting";
    return true;
}
