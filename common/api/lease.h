/* SPDX-License-Identifier: Apache-2.0 */
/* coordination.k8s.io/v1 Lease. */
#ifndef JR_API_LEASE_H
#define JR_API_LEASE_H

#include "common/api/meta.h"
#include "common/schema/lease.h"

/** Strings are copied into the arena. */
enum jr_status jr_lease_decode(struct jr_str text, struct jr_arena *arena, struct jr_lease *ret,
                               struct jr_error *err) JR_MUST_USE;
/** Appends a new object with name, namespace, resourceVersion (if any) and spec. */
enum jr_status jr_lease_write(const struct jr_lease *l, struct jr_buf *out) JR_MUST_USE;
/** The same in the place of an old one, whose text is given: what others have put there stays, as
 * labels, annotations, owners, and members of the spec that we don't know. Errors: those of the
 * text; out is of no use then. */
enum jr_status jr_lease_replace(struct jr_str old, const struct jr_lease *l,
                                struct jr_buf *out) JR_MUST_USE;

#endif
