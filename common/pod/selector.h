/* SPDX-License-Identifier: Apache-2.0 */
/* Label selectors inside of a Pod, and the keys that are merged into them. selector may be NULL;
 * paths are the caller's; all add to errs. */
#ifndef JR_POD_SELECTOR_H
#define JR_POD_SELECTOR_H

#include "common/rules/check.h"

/** any_values: label values in matchExpressions are not looked at. */
void jr_pod_check_selector(const struct jr_node *selector, bool any_values,
                           const struct jr_field_path *path, struct jr_errlist *errs);
/** matchLabelKeys and mismatchLabelKeys; path: of the object that has them. */
void jr_pod_check_match_keys(const struct jr_node *match, const struct jr_node *mismatch,
                             const struct jr_node *selector, const struct jr_field_path *path,
                             struct jr_errlist *errs);
/** The rule before 1.34; path: of matchLabelKeys. */
void jr_pod_check_match_keys_early(const struct jr_node *match, const struct jr_node *selector,
                                   const struct jr_field_path *path, struct jr_errlist *errs);

#endif
