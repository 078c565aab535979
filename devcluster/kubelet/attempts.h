/* SPDX-License-Identifier: Apache-2.0 */
/* Which attempt at its work a simulated Pod is. */
#ifndef JR_DEVCLUSTER_KUBELET_ATTEMPTS_H
#define JR_DEVCLUSTER_KUBELET_ATTEMPTS_H

#include "common/base/map.h"
#include "common/json/doc.h"

/* Those made so far are kept in a map, by owner and completion index. */

/** Frees them, and the map. */
void jr_dev_attempts_done(struct jr_map *attempts);
/** The number of the attempt that the Pod starts now, from 0; also 0 without an owner. */
unsigned jr_dev_attempt_next(struct jr_map *attempts, const struct jr_node *pod);

#endif
