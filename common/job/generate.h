/* The parts of defaulting and generation that other sources of this folder use. */
#ifndef JR_JOB_GENERATE_H
#define JR_JOB_GENERATE_H

#include "common/rules/default_table.h"

/** As jr_job_generate, but a uid or name that is absent is written as "", as the API server's
 * strategy does (validation then refuses the Job). Errors: JR_NOMEM. */
enum jr_status jr_job_generate_as_strategy(struct jr_node *job) JR_MUST_USE;

/** The defaults that a JobSpec gets wherever it stands, in a CronJob too: the Pod template's, and
 * the status of onPodConditions. path: of the spec; log may be NULL. Errors: JR_NOMEM. */
enum jr_status jr_job_spec_default(struct jr_node *spec, const struct jr_field_path *path,
                                   struct jr_defaulting_log *log) JR_MUST_USE;

#endif
