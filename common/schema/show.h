/* SPDX-License-Identifier: Apache-2.0 */
/* Values as upstream shows them in errors. */
#ifndef JR_SCHEMA_SHOW_H
#define JR_SCHEMA_SHOW_H

#include "common/json/doc.h"
#include "common/schema/schema.h"

/** Appends, as Kubernetes 1.minor has it, the value of the type's field `name`, or an element of it
 * where the field is a list: of Go's internal structs every member, by Go's names; of metav1's
 * selectors texts, and lists and maps that have something in them, by JSON's names; maps by their
 * sorted keys. node may be NULL. Errors are the buffer's. Source: field.Error in
 * k8s.io/apimachinery, which encodes the internal types. */
void jr_schema_show(const struct jr_schema_type *type, const char *name, const struct jr_node *node,
                    unsigned minor, struct jr_buf *out);

#endif
