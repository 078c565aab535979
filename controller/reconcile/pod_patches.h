/* SPDX-License-Identifier: Apache-2.0 */
/* Strategic merge patches of a Pod's finalizer and owner, and the owner reference. */
#ifndef JR_RECONCILE_POD_PATCHES_H
#define JR_RECONCILE_POD_PATCHES_H

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/json/write.h"

/* Each is in the arena. */

/** Makes the Job the Pod's controller and adds the finalizer. */
struct jr_str jr_adopt_patch(struct jr_arena *a, struct jr_str finalizer, const struct jr_job *job,
                             const struct jr_pod *pod);
/** Takes off both. */
struct jr_str jr_release_patch(struct jr_arena *a, struct jr_str finalizer,
                               const struct jr_job *job, const struct jr_pod *pod);
/** Takes off the finalizer, of whichever Pod it is sent to. */
struct jr_str jr_unfinalize_patch(struct jr_arena *a, struct jr_str finalizer);
/** The same of this Pod as it was seen only: one that was adopted since, finalizer and all, answers
 * with a conflict. */
struct jr_str jr_unfinalize_unchanged_patch(struct jr_arena *a, struct jr_str finalizer,
                                            const struct jr_pod *pod);

/** The reference by which an object is the Job's. */
void jr_owner_write(const struct jr_job *job, struct jr_writer *w);

#endif
