/* SPDX-License-Identifier: Apache-2.0 */
/* What a Pod shares with its node. */
#ifndef JR_POD_HOST_H
#define JR_POD_HOST_H

#include "common/json/doc.h"

/** The namespace that a sysctl is of. */
enum jr_namespace { JR_NAMESPACE_NONE, JR_NAMESPACE_IPC, JR_NAMESPACE_NET };
enum jr_namespace jr_pod_sysctl_namespace(struct jr_str name);

static inline bool jr_pod_host_network(const struct jr_node *pod)
{
    return jr_node_bool_or(jr_get(pod, "hostNetwork"), false);
}

/** Whether the Pod has users of its own: hostUsers is set, to false. */
static inline bool jr_pod_own_users(const struct jr_node *pod)
{
    return !jr_node_bool_or(jr_get(pod, "hostUsers"), true);
}

#endif
