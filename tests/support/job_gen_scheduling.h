/* SPDX-License-Identifier: Apache-2.0 */
/* spec.scheduling of Jobs, which Kubernetes has since 1.37. */
#ifndef JR_SUPPORT_JOB_GEN_SCHEDULING_H
#define JR_SUPPORT_JOB_GEN_SCHEDULING_H

#include "tests/support/job_gen_make.h"

/** "{...}" */
const char *jr_gen_scheduling(struct jr_making *m);

#endif
