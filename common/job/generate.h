/* SPDX-License-Identifier: Apache-2.0 */
/* The generated selector and Pod template labels of a Job without manualSelector (spec:
 * k8s.io/kubernetes pkg/registry/batch/job, strategy). */
#ifndef JR_JOB_GENERATE_H
#define JR_JOB_GENERATE_H

#include "common/rules/default_table.h"

/** Completes the generated labels and the selector, on create only. uid and name are the object's
 * own (metadata): where uid is absent no uid label and no selector is written, where the name is
 * absent no name label. A present key, even empty, is never overwritten; manualSelector true:
 * nothing. Idempotent; but generated labels may be what metadata.labels takes over by default, so
 * that the caller defaults once more afterwards, as the API server will. What is added is
 * noted in log, which may be NULL. Errors: JR_NOMEM. */
enum jr_status jr_job_generate(struct jr_node *job, struct jr_defaulting_log *log) JR_MUST_USE;

/** As jr_job_generate, but a uid or name that is absent is written as "", as the API server's
 * strategy does (validation then refuses the Job). Errors: JR_NOMEM. */
enum jr_status jr_job_generate_as_strategy(struct jr_node *job) JR_MUST_USE;

#endif
