/* SPDX-License-Identifier: Apache-2.0 */
/* Deletion: grace, finalizers, what becomes of dependents. */
#ifndef JR_DEVCLUSTER_APISERVER_DELETE_H
#define JR_DEVCLUSTER_APISERVER_DELETE_H

#include "devcluster/apiserver/op.h"

/** What came of a deletion. */
struct jr_dev_deleted {
    struct jr_dev_object *object; /* counted: as it is now, or was last */
    bool removed;                 /* gone; else it waits for grace or finalizers */
    bool wrote;
    uint64_t revision; /* of the removal, 0 if it isn't gone */
};

/** The finalizers of the garbage collector. */
#define JR_DEV_FINALIZER_ORPHAN "orphan"
#define JR_DEV_FINALIZER_FOREGROUND "foregroundDeletion"

/** Deletes o, the current state of an object. Preconditions are the caller's. */
struct jr_dev_deleted jr_dev_delete_object(struct jr_dev_store *s, struct jr_dev_object *o,
                                           const struct jr_dev_delete_options *options,
                                           bool dry_run, struct jr_time now);
void jr_dev_deleted_done(struct jr_dev_deleted *d);
/** Takes away finalizers and owner references of the current state o, and removes it if it waited
 * for nothing else: finalizer and owners may be NULL. */
void jr_dev_release(struct jr_dev_store *s, struct jr_dev_object *o, const char *finalizer,
                    const struct jr_strs *owners, struct jr_time now);

#endif
