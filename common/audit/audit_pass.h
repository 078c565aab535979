/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over all Jobs and CronJobs, page by page at its own rate: what the policies say of them.
 */
#ifndef JR_AUDIT_AUDIT_PASS_H
#define JR_AUDIT_AUDIT_PASS_H

#include "common/admission/policy_audit.h"
#include "common/base/log.h"
#include "common/kube/transport.h"
#include "common/policy/watch/namespaces.h"
#include "common/policy/watch/store.h"

struct jr_audit_pass_options {
    struct jr_policy_snapshot *snapshot; /* the policies; a reference is taken */
    struct jr_namespaces *namespaces;    /* borrowed */
    const char *webhook_configuration;   /* its name; NULL: which namespaces the webhook is asked in
                                            is not known. Borrowed */
    const struct jr_profile *profile;    /* of the Kubernetes whose Jobs they are; copied;
 NULL: jr_profile_default() */
    struct jr_str controller;            /* the value of managedBy that is our own; borrowed */
    struct jr_strs trusted;              /* others that say nothing against facts; borrowed */
    struct jr_str namespace;             /* whose objects; "": of all. Borrowed */
    size_t per_second;                   /* objects, at most; 0: no limit */
    bool keeps;                          /* each violation, not only counts and the worst */
};

struct jr_audit_pass_handler {
    /** All was seen: audit has the tallies, by the snapshot's policies; objects: how many there
     * were. The pass may be freed from here. */
    void (*on_done)(void *ctx, const struct jr_policy_audit *audit, size_t objects);
    /** It can't be finished: why. The same. */
    void (*on_failed)(void *ctx, const struct jr_error *why);
    void *ctx;
};

struct jr_audit_pass;
/** Begins. env, options and handler are copied; log may be NULL. A list that expires under the pass
 * is begun anew, once. */
struct jr_audit_pass *jr_audit_pass_start(const struct jr_env *env,
                                          const struct jr_audit_pass_options *options,
                                          const struct jr_audit_pass_handler *handler,
                                          struct jr_log *log);
/** How many objects were seen so far. */
size_t jr_audit_pass_objects(const struct jr_audit_pass *p);
/** Breaks it off. NULL-safe. */
void jr_audit_pass_free(struct jr_audit_pass *p);

#endif
