/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc says about this process, as metrics. */
#ifndef JR_BASE_METRICS_PROCESS_H
#define JR_BASE_METRICS_PROCESS_H

#include "common/base/metrics.h"

/** Sets the process_* series and jobreeve_build_info. What can't be read stays out. */
void jr_metrics_sample_process(struct jr_metrics *m);

#endif
