/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a resource as they were at some revision. */
#ifndef JR_DEVCLUSTER_APISERVER_SNAPSHOT_H
#define JR_DEVCLUSTER_APISERVER_SNAPSHOT_H

#include "devcluster/apiserver/selector.h"

/** What the request's resource and namespace had at revision (0: now) and matches sel: counted
 * references, sorted by key. False: the history doesn't reach back so far. */
bool jr_dev_snapshot_take(const struct jr_dev_op *op, const struct jr_dev_selector *sel,
                          uint64_t revision, struct jr_dev_objects *ret);
/** Whether o lies in the request's namespace. */
bool jr_dev_in_scope(const struct jr_dev_op *op, const struct jr_dev_object *o);

#endif
