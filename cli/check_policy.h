/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve check of JobPolicies and JobPolicyTests themselves. Pure. */
#ifndef JR_CLI_CHECK_POLICY_H
#define JR_CLI_CHECK_POLICY_H

#include "cli/findings.h"

/** Adds what is wrong with the JobPolicy or JobPolicyTest at hand. Files that a suite names aren't
 * read. False: its version or kind is neither. */
bool jr_check_policy(struct jr_checking *c, const struct jr_manifest *m);

#endif
