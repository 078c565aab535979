/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of admission: {name, op, gates?, old?, job, expect}, as "The vectors" in
 * docs/reference/admission.md has them. */
#ifndef JR_TESTS_VECTORS_H
#define JR_TESTS_VECTORS_H

#include "common/base/buf.h"
#include "common/json/doc.h"
#include "common/schema/kube_version.h"

/** Runs one vector by that version of Kubernetes. other: what is expected there instead, NULL where
 * that is what the vector says; then gates that the version hasn't are passed over. Each difference
 * is a line appended to out; *ret_differences says how many. Errors: JR_NOMEM; JR_INVALID for a
 * vector that isn't one. */
enum jr_status jr_vector_run(const struct jr_node *vector, struct jr_kube_version version,
                             const struct jr_node *other, struct jr_buf *out,
                             size_t *ret_differences, struct jr_error *err) JR_MUST_USE;

#endif
