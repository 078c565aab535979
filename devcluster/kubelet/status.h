/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies that the simulated kubelet sends. Pure. */
#ifndef JR_DEVCLUSTER_KUBELET_STATUS_H
#define JR_DEVCLUSTER_KUBELET_STATUS_H

#include "common/base/time.h"
#include "common/json/doc.h"

enum jr_dev_sim_phase { JR_DEV_SIM_RUNNING, JR_DEV_SIM_SUCCEEDED, JR_DEV_SIM_FAILED };

struct jr_dev_sim_status {
    enum jr_dev_sim_phase phase;
    bool ready;     /* while it runs */
    int exit_code;  /* of the containers, once ended */
    bool disrupted; /* once ended */
    unsigned restarts;
    struct jr_time started;
    struct jr_time now;
};

/** Appends a merge patch of the Pod's status. */
void jr_dev_sim_status_write(const struct jr_node *pod, const struct jr_dev_sim_status *st,
                             struct jr_buf *out);
/** Appends a whole Node that is ready. */
void jr_dev_sim_node_write(const char *node, struct jr_time now, struct jr_buf *out);
/** Appends a merge patch that makes an existing Node's status ready. */
void jr_dev_sim_node_status_write(struct jr_time now, struct jr_buf *out);
/** Appends the Node's Lease, whole. */
void jr_dev_sim_lease_write(const char *node, struct jr_time now, struct jr_buf *out);

#endif
