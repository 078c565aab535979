/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic equality: as the API server sees it when it compares an update with what is stored.
 * Source: equality.Semantic in k8s.io/apimachinery. */
#ifndef JR_SCHEMA_EQUAL_H
#define JR_SCHEMA_EQUAL_H

#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Whether a and b, values of the field `name` of that type, are the same after decoding in Go:
 * null and absent are equal, so are empty lists and maps, and zero values of fields that are no
 * pointers; quantities are equal by value. What is no field of the type is compared as JSON, zero
 * values as if absent. type, a and b may be NULL. */
bool jr_schema_equal(const struct jr_schema_type *type, const char *name, const struct jr_node *a,
                     const struct jr_node *b);

/** Whether the field would read the same in Go if it were absent. */
bool jr_schema_is_zero(const struct jr_schema_field *f, const struct jr_node *n);

#endif
