/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of an object that Go decodes by its types and encodes again. */
#ifndef JR_SCHEMA_ROUND_TRIP_H
#define JR_SCHEMA_ROUND_TRIP_H

#include "common/base/error.h"
#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Makes the object read as Kubernetes 1.minor answers it, but for defaults: fields that it doesn't
 * know are gone, so are zero values that `omitempty` leaves out; what Go writes of an absent field
 * is there, below the root; null elements are zero values. Values have the right types
 * (jr_schema_type_error). Errors: JR_NOMEM. */
enum jr_status jr_schema_round_trip(const struct jr_schema_type *type, struct jr_node *object,
                                    unsigned minor) JR_MUST_USE;

#endif
