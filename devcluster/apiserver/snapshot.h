/* The objects of a resource as they were at some revision. */
#ifndef JR_DEVCLUSTER_APISERVER_SNAPSHOT_H
#define JR_DEVCLUSTER_APISERVER_SNAPSHOT_H

#include "devcluster/apiserver/selector.h"

/** Counted references, sorted by key. */
struct jr_dev_snapshot {
    struct jr_dev_object **v;
    size_t n;
};
void jr_dev_snapshot_done(struct jr_dev_snapshot *s);
/** What the request's resource and namespace had at revision (0: now) and matches sel. Errors:
 * JR_EXPIRED (the history doesn't reach back so far), JR_NOMEM. */
enum jr_status jr_dev_snapshot_take(const struct jr_dev_op *op, const struct jr_dev_selector *sel,
                                    uint64_t revision, struct jr_dev_snapshot *ret) JR_MUST_USE;
/** Whether o lies in the request's namespace. */
bool jr_dev_in_scope(const struct jr_dev_op *op, const struct jr_dev_object *o);

#endif
