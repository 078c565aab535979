/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that creates and updates share. */
#ifndef JR_DEVCLUSTER_APISERVER_WRITE_PARTS_H
#define JR_DEVCLUSTER_APISERVER_WRITE_PARTS_H

#include "devcluster/apiserver/op.h"
#include "devcluster/apiserver/strategy.h"

/** Validates op->doc, with old where it is an update; warnings are added. 422. */
bool jr_dev_validate(struct jr_dev_op *op, enum jr_admission_operation operation) JR_MUST_USE;
/** Creates what is in op->doc. */
extern const struct jr_dev_write jr_dev_create_write;
/** Pins the current state as op->old, opens it as op->old_doc; 404. */
bool jr_dev_update_open_old(struct jr_dev_op *op) JR_MUST_USE;
/** The object's name must be that of the URL. */
bool jr_dev_update_check_name(struct jr_dev_op *op, const struct jr_node *root) JR_MUST_USE;
/** Decodes op->doc anew after a webhook's patch. */
bool jr_dev_patched(struct jr_dev_op *op) JR_MUST_USE;
/* The other steps of an update from op->doc on. */
bool jr_dev_update_validate(struct jr_dev_op *op) JR_MUST_USE;
bool jr_dev_update_commit(struct jr_dev_op *op) JR_MUST_USE;
/** metadata of op->doc. */
static inline struct jr_node *jr_dev_meta(struct jr_dev_op *op)
{
    return jr_get(jr_doc_root(op->doc), "metadata");
}

#endif
