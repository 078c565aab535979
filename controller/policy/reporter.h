/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster's owner is told of JobPolicies by their status: whether each was accepted, and,
 * from time to time, what it says of the Jobs and CronJobs that are there. */
#ifndef JR_CONTROLLER_POLICY_REPORTER_H
#define JR_CONTROLLER_POLICY_REPORTER_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/transport.h"
#include "common/schema/meta.h"
#include "common/schema/profile.h"

struct jr_policy_reporter_options {
    int64_t audit_interval_ms;          /* between the beginnings of two audits; 0: none */
    const char *webhook_configuration;  /* as in audit_pass.h; copied */
    const char *controller_name;        /* the value of managedBy that is our own; copied */
    struct jr_strs trusted_controllers; /* others that say nothing against facts; borrowed */
    const struct jr_profile *profile;   /* of the Kubernetes whose Jobs they are; borrowed, and read
                                           as each audit begins */
    /** Whether this process leads: else it writes nothing, and audits nothing. */
    bool (*leads)(void *ctx);
    void *ctx;
};

struct jr_policy_reporter;
/** Begins as soon as this process leads. env is copied; log and metrics may be NULL. */
struct jr_policy_reporter *
jr_policy_reporter_start(const struct jr_env *env, const struct jr_policy_reporter_options *options,
                         struct jr_log *log, struct jr_metrics *metrics);
/** Breaks off what is under way. NULL-safe. */
void jr_policy_reporter_free(struct jr_policy_reporter *r);

#endif
