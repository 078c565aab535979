/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of a Pod template, as tables. */
#ifndef JR_POD_DEFAULTS_H
#define JR_POD_DEFAULTS_H

#include "common/rules/default_table.h"

/** terminationGracePeriodSeconds where the author says nothing. */
#define JR_DEFAULT_GRACE_S 30

/** Completes a PodSpec inside a template, which is at path; log may be NULL. What a Pod alone gets
 * (requests from limits, enableServiceLinks) stays out. Members of the wrong type are left alone.
 * Errors: JR_NOMEM. */
enum jr_status jr_pod_spec_default(struct jr_node *spec, const struct jr_profile *profile,
                                   const struct jr_field_path *path,
                                   struct jr_defaulting_log *log) JR_MUST_USE;

#endif
