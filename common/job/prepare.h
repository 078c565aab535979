/* What the preparation of Jobs and CronJobs has in common, inside of this folder. */
#ifndef JR_JOB_PREPARE_H
#define JR_JOB_PREPARE_H

#include "common/json/doc.h"
#include "common/schema/profile.h"

/** metadata.generation becomes the given one. Errors: JR_NOMEM. */
enum jr_status jr_prepare_generation(struct jr_node *object, int64_t generation) JR_MUST_USE;
/** Makes the object's member that of old: a copy, or absent. Errors: JR_NOMEM. */
enum jr_status jr_prepare_take_over(struct jr_node *object, const struct jr_node *old,
                                    const char *key) JR_MUST_USE;
/** What every update does to metadata (rest.BeforeUpdate): generation is the server's, a missing
 * uid is filled in, timestamps stay as they were. Errors: JR_NOMEM. */
enum jr_status jr_prepare_meta(struct jr_node *object, const struct jr_node *old,
                               int64_t generation) JR_MUST_USE;

#endif
