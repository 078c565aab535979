/* SPDX-License-Identifier: Apache-2.0 */
/* The audit of a cluster, or of one namespace: its policies unless others are given, and its Jobs
 * and CronJobs. */
#ifndef JR_CLI_AUDIT_CLUSTER_H
#define JR_CLI_AUDIT_CLUSTER_H

#include "cli/cluster.h"
#include "cli/policy_input.h"
#include "common/admission/policy_audit.h"

struct jr_audit_cluster_options {
    struct jr_cluster_flags cluster;
    const char *namespace; /* NULL or "": all */
    bool progress;         /* is shown on standard error, a terminal */
    int64_t timeout_ms;
    const struct jr_profile *profile; /* of the Kubernetes whose Jobs they are */
    struct jr_strs trusted;           /* values of managedBy that say nothing against facts */
    struct jr_cli_policies *policies; /* without any: the cluster's own. They are taken over */
    enum jr_status (*on_audited)(void *ctx, const struct jr_policy_audit *audit, size_t objects,
                                 struct jr_error *err);
    void *ctx;
    int *signal; /* set to the one that has ended it */
};

/** Errors: those of the kubeconfig and of on_audited; JR_REMOTE, JR_TIMEOUT: the cluster doesn't
 * answer, or refuses. */
enum jr_status jr_audit_cluster(const struct jr_audit_cluster_options *options,
                                struct jr_error *err) JR_MUST_USE;

#endif
