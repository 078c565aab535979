/* SPDX-License-Identifier: Apache-2.0 */
/* Old versions of Jobs and CronJobs, as batch/v1: extensions/v1beta1 (gone since Kubernetes 1.6),
 * batch/v2alpha1 (1.21) and batch/v1beta1 (1.25). Pure, on the object's tree; members that nobody
 * knows stay. */
#ifndef JR_JOB_CONVERT_H
#define JR_JOB_CONVERT_H

#include "common/base/num.h"
#include "common/json/doc.h"
#include "common/json/field_path.h"

/** The old pair, either way: spec.autoSelector of extensions/v1beta1 to spec.manualSelector of
 * batch/v1 and back. Unset reads as false, the value is negated, and false is written as unset. */
struct jr_opt_bool jr_convert_selection(struct jr_opt_bool in);

/** Converts one object, or the head of a list of them, in place.
 * @param api_version, kind  what the object is; its own members, where it has them, become the new
 *   ones, and an item of a list that has none is given none
 * @param ret  whether it is of an old version: batch/v1 itself and all other kinds are left alone
 * @param ret_at  where it fails, a constant; left alone where that is the object; may be NULL
 * Selection is as extensions/v1beta1 defaulted it: without autoSelector manual, by the template's
 * labels where there is no selector. Jobs of batch/v1beta1 and batch/v2alpha1, where no server knew
 * an autoSelector, are changed so only if it is set. Errors, with the field path and before
 * anything was changed: JR_TYPE, JR_INVALID (autoSelector and manualSelector contradict each
 * other), JR_NOTFOUND (nothing to select by), JR_UNSUPPORTED (batch/v1 has no such kind); JR_NOMEM.
 */
enum jr_status jr_convert_to_v1(struct jr_node *object, struct jr_str api_version,
                                struct jr_str kind, bool *ret, const struct jr_field_path **ret_at,
                                struct jr_error *err) JR_MUST_USE;

/** Calls fn with the path of each member that batch/v1 doesn't know, of the object, its spec and
 * the jobTemplate of a CronJob; metadata, status and the Pod template have not changed and are not
 * looked at. kind: Job or CronJob, old or new. */
void jr_convert_unknown(const struct jr_node *object, struct jr_str kind,
                        void (*fn)(void *ctx, const struct jr_field_path *path), void *ctx);

#endif
