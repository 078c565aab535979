/* SPDX-License-Identifier: Apache-2.0 */
/* Status of Jobs, as objects of merge patches: few values, so that rules meet each other often.
 * Compile job_gen_status.c and job_gen_make.c into the test. */
#ifndef JR_SUPPORT_JOB_GEN_STATUS_H
#define JR_SUPPORT_JOB_GEN_STATUS_H

#include "tests/support/job_gen_make.h"

/** A status with anything in it: "{...}". */
const char *jr_gen_status(struct jr_making *m);
/** A status that a suspended Job may really have. */
const char *jr_gen_suspended_status(struct jr_making *m);

#endif
