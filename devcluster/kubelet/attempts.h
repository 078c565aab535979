/* Which attempt at its work a simulated Pod is. */
#ifndef JR_DEVCLUSTER_KUBELET_ATTEMPTS_H
#define JR_DEVCLUSTER_KUBELET_ATTEMPTS_H

#include "common/json/doc.h"

/** Those made so far, by owner and completion index. NULL: none. */
struct jr_attempts;
void jr_attempts_free(struct jr_attempts **a);
/** The number of the attempt that the Pod starts now, from 0; also 0 without an owner. */
unsigned jr_attempt_next(struct jr_attempts **a, const struct jr_node *pod);

#endif
