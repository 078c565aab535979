/* SPDX-License-Identifier: Apache-2.0 */
/* The status of a JobPolicy, as it is written: whether the policy was accepted, and what the last
 * audit found. Pure. */
#ifndef JR_CONTROLLER_POLICY_POLICY_STATUS_H
#define JR_CONTROLLER_POLICY_POLICY_STATUS_H

#include "common/admission/policy_audit.h"
#include "common/json/doc.h"

struct jr_policy_status {
    const struct jr_job_policy *policy;
    const struct jr_policy_tally *tally; /* NULL: as it is, nothing new is known */
    struct jr_time now;
};

/** Appends the merge patch that makes the object's status what it is to be. The condition's
 * lastTransitionTime changes only with its status; conditions of others stay. Nothing is appended
 * where nothing is to change, or where the object is of another generation than the policy. A
 * failure sticks to out. */
void jr_policy_status_patch(const struct jr_policy_status *s, const struct jr_node *object,
                            struct jr_buf *out);

#endif
