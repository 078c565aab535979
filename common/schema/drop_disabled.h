/* SPDX-License-Identifier: Apache-2.0 */
/* Fields that the API server drops: behind a feature gate that is off. */
#ifndef JR_SCHEMA_DROP_DISABLED_H
#define JR_SCHEMA_DROP_DISABLED_H

#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Removes from object, of that type, what is behind a gate that is off in profile, wherever it is.
 * A field stays if old, the stored object, has it anywhere: an update may keep what is in use. old
 * is NULL on create. Source: DropDisabled...Fields of upstream's strategies. */
void jr_schema_drop_gated(const struct jr_schema_type *type, struct jr_node *object,
                          const struct jr_node *old, const struct jr_profile *profile);
/** The same of the object's own members only, not of what is in them. */
void jr_schema_drop_gated_members(const struct jr_schema_type *type, struct jr_node *object,
                                  const struct jr_node *old, const struct jr_profile *profile);

#endif
