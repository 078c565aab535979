/* SPDX-License-Identifier: Apache-2.0 */
/* batch/v1 Job: from text and to text, and looking into it. */
#ifndef JR_API_JOB_H
#define JR_API_JOB_H

#include "common/api/meta.h"
#include "common/schema/job.h"

#define JR_LABEL_CONTROLLER_UID "batch.kubernetes.io/controller-uid"
#define JR_LABEL_JOB_NAME "batch.kubernetes.io/job-name"
#define JR_LABEL_CONTROLLER_UID_LEGACY "controller-uid"
#define JR_LABEL_JOB_NAME_LEGACY "job-name"
#define JR_JOB_TRACKING_FINALIZER "batch.kubernetes.io/job-tracking"
#define JR_COMPLETION_INDEX "batch.kubernetes.io/job-completion-index"
#define JR_INDEX_FAILURE_COUNT "batch.kubernetes.io/job-index-failure-count"
#define JR_INDEX_IGNORED_FAILURE_COUNT "batch.kubernetes.io/job-index-ignored-failure-count"
#define JR_MANAGED_BY_BUILTIN "kubernetes.io/job-controller"

/** Decodes one object (a review's, a list's item, a watch event's). text may go away afterwards.
 * What isn't decoded is only looked at for its end (jr_decode_lenient): a text whose whole matters
 * has to pass jr_json_check first. Errors: JR_SYNTAX, JR_TYPE and JR_RANGE with the field path,
 * JR_NOMEM. The caller owns one reference. */
enum jr_status jr_job_decode(struct jr_str text, struct jr_job **ret,
                             struct jr_error *err) JR_MUST_USE;
/** Makes a copy without the source text, the template and the metadata that no decision reads: of
 * metadata stay names, uid, versions and times, of the template restartPolicy and whether it has a
 * scheduling group. unused: of a Job that nobody here will sync, or only after it was read anew;
 * its policies go, too, and a selector that isn't as short as a generated one. What is left of the
 * selector is not prepared. The caller owns one reference. Errors: JR_NOMEM. */
enum jr_status jr_job_slim(const struct jr_job *job, bool unused, struct jr_job **ret) JR_MUST_USE;
/** Whether its selector has more than eight labels, expressions and values: it may take as much
 * memory as a template. */
bool jr_job_has_long_selector(const struct jr_job *job);
struct jr_job *jr_job_ref(const struct jr_job *job);
void jr_job_unref(struct jr_job *job);
JR_DEFINE_CLEANUP(struct jr_job *, jr_job_unref)

/** Appends job->raw with the known members of status replaced by *st; metadata, spec and status
 * members that we don't know stay as they were: what a PUT omits is erased. resource_version (n =
 * 0: as in raw) replaces the object's. apiVersion and kind are added where a list left them out.
 * Errors: JR_INVALID where the template was left out; those of a text that is no Job. */
enum jr_status jr_job_write_with_status(const struct jr_job *job, const struct jr_job_status *st,
                                        struct jr_str resource_version,
                                        struct jr_buf *out) JR_MUST_USE;
/** Appends just the status object, members in the API server's order; zero counters and absent
 * members left out. */
enum jr_status jr_job_status_write(const struct jr_job_status *st, struct jr_buf *out) JR_MUST_USE;

/** The condition of this type, NULL if there is none. */
const struct jr_job_condition *jr_job_condition_get(const struct jr_job_conditions *c,
                                                    const char *type);
bool jr_job_condition_true(const struct jr_job_conditions *c, const char *type);
/** Complete or Failed is True. */
bool jr_job_finished(const struct jr_job_status *st);

#endif
