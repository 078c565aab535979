/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated kubelet: a client of the API and nothing else, fit for a real kube-apiserver too.
 * It registers a ready Node, renews its Lease, binds Pods to itself, "runs" them as their
 * annotations say and finishes their deletion. */
#ifndef JR_DEVCLUSTER_KUBELET_KUBELET_H
#define JR_DEVCLUSTER_KUBELET_KUBELET_H

#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_dev_kubelet_options {
    const char *node;       /* the Node's name */
    int64_t default_run_ms; /* how long a container runs that says nothing */
    int64_t lease_ms;       /* how often the Node's Lease is renewed; 0: 10,000 */
};

struct jr_dev_kubelet;
/** options' strings must stay. log may be NULL. */
struct jr_dev_kubelet *jr_dev_kubelet_new(const struct jr_env *env,
                                          const struct jr_dev_kubelet_options *options,
                                          struct jr_log *log);
void jr_dev_kubelet_start(struct jr_dev_kubelet *k);
void jr_dev_kubelet_free(struct jr_dev_kubelet *k);
JR_DEFINE_CLEANUP(struct jr_dev_kubelet *, jr_dev_kubelet_free)

#endif
