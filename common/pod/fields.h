/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a Pod by pattern: names with dots between, "[]" behind a list's name for each of its
 * elements, "*" in front for each container of any kind: "volumes[].image", "*.lifecycle". At the
 * end "[]" stands for a list or map that isn't empty. */
#ifndef JR_POD_FIELDS_H
#define JR_POD_FIELDS_H

#include "common/json/doc.h"

/** Whether the pattern leads to something that is no null. spec may be NULL. */
bool jr_pod_has(const struct jr_node *spec, const char *pattern);
/** Removes whatever the pattern leads to. */
void jr_pod_drop(struct jr_node *spec, const char *pattern);

#endif
