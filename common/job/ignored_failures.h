/* SPDX-License-Identifier: Apache-2.0 */
/* Whether failures of a Job's Pods can pass uncounted (KEP-3329): such a Job may make Pods without
 * end. */
#ifndef JR_JOB_IGNORED_FAILURES_H
#define JR_JOB_IGNORED_FAILURES_H

#include "common/schema/job.h"

/** Finds the first rule of spec.podFailurePolicy by which some failure is ignored; -1: there is
 * none. A rule with the action Ignore doesn't count if rules before it match all that it matches.
 * disruptions_aside: the condition DisruptionTarget, when it is true, doesn't count as a failure.
 * Any such rule counts in a policy with more than validation allows. Errors: JR_NOMEM. */
enum jr_status jr_job_ignoring_rule(const struct jr_job_spec *spec, bool disruptions_aside,
                                    struct jr_arena *a, ptrdiff_t *ret) JR_MUST_USE;

#endif
