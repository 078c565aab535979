/* SPDX-License-Identifier: Apache-2.0 */
/* Opening objects as admission does. */
#ifndef JR_TEST_SUPPORT_OBJECT_H
#define JR_TEST_SUPPORT_OBJECT_H

#include "common/job/defaults.h"
#include "common/job/object.h"

#define OBJECT JR_CLEANUP(jr_object_done) struct jr_object

/** A tree, which is taken over in any case, by the fields of Kubernetes 1.36. */
static inline enum jr_status open_tree(const struct jr_schema_type *type, struct jr_doc *doc,
                                       struct jr_object *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *mine = doc;
    enum jr_status st = jr_object_open(type, jr_doc_root_const(mine), 36, ret, err);

    if (st == JR_OK)
        ret->doc = jr_steal(&mine);
    return st;
}

/** A Job's text, defaulted where there is a profile. */
static inline enum jr_status open_job_text(struct jr_str text, const struct jr_profile *profile,
                                           struct jr_object *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_parse(text, &JR_READER_LENIENT, &doc, err);

    if (st == JR_OK && profile != NULL)
        st = jr_job_default(jr_doc_root(doc), profile);
    return st == JR_OK ? open_tree(&jr_schema_job, jr_steal(&doc), ret, err) : st;
}

#endif
