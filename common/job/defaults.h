/* SPDX-License-Identifier: Apache-2.0 */
/* Defaulting of batch/v1 Jobs, on the object's tree (spec:
 * k8s.io/kubernetes pkg/apis/batch/v1 defaults, pkg/registry/batch/job strategy). */
#ifndef JR_JOB_DEFAULTS_H
#define JR_JOB_DEFAULTS_H

#include "common/rules/default_table.h"
#include "common/schema/profile.h"

/** spec.backoffLimit where the author says nothing; with backoffLimitPerIndex there is no limit. */
static inline int32_t jr_default_backoff_limit(bool per_index)
{
    return per_index ? INT32_MAX : 6;
}

/** Applies the defaults that the API server applies at decode, to the Job and to its Pod template.
 * Idempotent; what is set stays. Members of the wrong type are left alone: the decoder reports
 * them. Errors: JR_NOMEM. */
enum jr_status jr_job_default(struct jr_node *job, const struct jr_profile *profile) JR_MUST_USE;
/** The same for a Job as an API server sends it to webhooks: all but metadata.labels, which it
 * copies from the template before it generates labels there. */
enum jr_status jr_job_default_sent(struct jr_node *job,
                                   const struct jr_profile *profile) JR_MUST_USE;

/** The defaults that a JobSpec gets wherever it stands, in a CronJob too: the Pod template's, and,
 * with conditions, the status of onPodConditions. path: of the spec; log may be NULL. Errors:
 * JR_NOMEM. */
enum jr_status jr_job_spec_default(struct jr_node *spec, bool conditions,
                                   const struct jr_profile *profile,
                                   const struct jr_field_path *path,
                                   struct jr_defaulting_log *log) JR_MUST_USE;

/** All that can be completed before an API server has given uid and name: defaults, generation, and
 * defaults again, as the API server will, so that a second time changes nothing. What changed is
 * noted in log, which may be NULL. Errors: JR_NOMEM. */
enum jr_status jr_job_complete(struct jr_node *job, const struct jr_profile *profile,
                               struct jr_defaulting_log *log) JR_MUST_USE;

/** Whether an API server has defaulted the Job: whether all that each version from 1.31 on sets in
 * every Job is there. A user who wrote all of it by hand can't be told apart. Pure. */
bool jr_job_is_defaulted(const struct jr_node *job);
/** jr_job_complete for a Job as a mutating webhook gets it. One that an API server has defaulted,
 * and that has no uid, gets defaults only: that server generates all labels and the selector after
 * its webhooks, and it copies template labels that are there by then into metadata.labels, so that
 * name labels of ours would keep the uid labels out of there. Errors: JR_NOMEM. */
enum jr_status jr_job_complete_sent(struct jr_node *job, const struct jr_profile *profile,
                                    struct jr_defaulting_log *log) JR_MUST_USE;

#endif
