/* SPDX-License-Identifier: Apache-2.0 */
/* Finalizer removals that an admission webhook, or a policy of the API server's own, refuses. Such
 * a Pod stays, and its Job can't end: whoever is asked about it has to know whose refusal it is. */
#ifndef JR_CONTROLLER_WORK_REFUSALS_H
#define JR_CONTROLLER_WORK_REFUSALS_H

#include "common/api/job.h"
#include "common/base/metrics.h"
#include "controller/reconcile/stage.h"

#define JR_REFUSERS_MAX 32 /* names told apart in the metric; the rest are "other" */
#define JR_REFUSAL_REASON "FinalizerRemovalRefused"

/** The name of who refused, or failed to decide, by the API server's words: of an admission webhook
 * or a ValidatingAdmissionPolicy. Borrowed from message; {NULL, 0}: it was neither. */
struct jr_str jr_refuser_of(struct jr_str message);

/** Where it is told: an event on the Job. */
struct jr_refusals_sink {
    void (*event)(void *ctx, const struct jr_job *job, const char *type, const char *reason,
                  struct jr_str message);
    void *ctx;
};

struct jr_refusals;
/** metrics is borrowed and may be NULL. */
struct jr_refusals *jr_refusals_new(const struct jr_refusals_sink *sink,
                                    struct jr_metrics *metrics);
void jr_refusals_free(struct jr_refusals *f);
/** Looks through what came of a stage: counts each refused removal under its refuser's name, and
 * tells of the first, with the number of the others, at most once in ten minutes a Job. f and job
 * may be NULL. */
void jr_refusals_note(struct jr_refusals *f, const struct jr_stage *stage,
                      const struct jr_results *results, const struct jr_job *job,
                      struct jr_mono now);

#endif
