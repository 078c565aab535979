/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs under policies: each is evaluated as the Job that it would make. */
#ifndef JR_POLICY_CRON_JOB_H
#define JR_POLICY_CRON_JOB_H

#include "common/json/doc.h"
#include "common/schema/profile.h"

/** The Job that the CronJob would make first: its jobTemplate, whose labels and annotations are the
 * Job's, with an API server's defaults, named NAME-0. It is never written. The caller frees.
 * Errors: JR_NOMEM. */
enum jr_status jr_policy_job_of_cron_job(const struct jr_node *cron_job,
                                         const struct jr_profile *profile,
                                         struct jr_doc **ret) JR_MUST_USE;

#endif
