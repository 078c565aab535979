/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve audit: what policies find in objects that are there already. Pure. */
#ifndef JR_CLI_AUDIT_H
#define JR_CLI_AUDIT_H

#include "common/admission/policy_audit.h"
#include "common/base/buf.h"

/** Appends a table of the policies, each with its violations below it, and what is skipped. A
 * failure sticks to out. The audit keeps its entries. */
void jr_audit_write_text(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out);
/** The same as a JSON object, {"objects": N, "unreadable": N, "policies": [...]}. */
void jr_audit_write_json(const struct jr_policy_audit *a, size_t objects, struct jr_buf *out);
/** 2: some object can't be read, or a policy not be decided on it; 1: some that isn't finished
 * violates a policy; else 0. */
int jr_audit_exit_code(const struct jr_policy_audit *a);

#endif
