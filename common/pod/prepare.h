/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server does to a Pod template between decoding and validation. */
#ifndef JR_POD_PREPARE_H
#define JR_POD_PREPARE_H

#include "common/json/doc.h"
#include "common/schema/profile.h"

/** Drops fields whose gate is off, unless the old template has them, and annotations that nobody
 * stores any more. template: a PodTemplateSpec, anything else is left alone; old is NULL on create.
 * Errors: JR_NOMEM. */
enum jr_status jr_pod_template_prepare(struct jr_node *template, const struct jr_node *old,
                                       const struct jr_profile *profile) JR_MUST_USE;

#endif
