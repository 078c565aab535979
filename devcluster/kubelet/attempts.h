/* Which attempt at its work a simulated Pod is. */
#ifndef JR_DEVCLUSTER_KUBELET_ATTEMPTS_H
#define JR_DEVCLUSTER_KUBELET_ATTEMPTS_H

#include "common/json/doc.h"

/** Those made so far, by owner and completion index. NULL: none. */
struct jr_dev_attempts;
void jr_dev_attempts_free(struct jr_dev_attempts **a);
/** The number of the attempt that the Pod starts now, from 0; also 0 without an owner. */
unsigned jr_dev_attempt_next(struct jr_dev_attempts **a, const struct jr_node *pod);

#endif
