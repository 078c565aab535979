/* SPDX-License-Identifier: Apache-2.0 */
/* One case of a suite: through admission, and what came compared with what is expected. Pure. */
#ifndef JR_CLI_SUITE_CASE_H
#define JR_CLI_SUITE_CASE_H

#include "cli/policy_input.h"
#include "cli/suite.h"
#include "common/admission/admission.h"

/** What a case came to. */
struct jr_suite_came {
    struct jr_policy_context context;  /* it was evaluated in */
    struct jr_admission_result result; /* texts are in the arena */
};
/** Runs the case by policies. What is wrong is appended to
 * `faults`, in one line; nothing: it passed. */
void jr_suite_case_run(const struct jr_suite_case *c, struct jr_cli_policies *policies,
                       struct jr_arena *arena, struct jr_buf *faults, struct jr_suite_came *ret);

#endif
