/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a Pod template that are not validated: what an API server checks there is left to
 * it. */
#ifndef JR_POD_UNVALIDATED_H
#define JR_POD_UNVALIDATED_H

#include "common/json/field_path.h"

/** Calls fn with the path of each of them that is set. path: of the PodTemplateSpec. */
void jr_pod_each_unvalidated(const struct jr_node *template, const struct jr_field_path *path,
                             void (*fn)(void *ctx, const struct jr_field_path *path), void *ctx);

#endif
