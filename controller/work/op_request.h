/* SPDX-License-Identifier: Apache-2.0 */
/* An operation as a request, and an answer as its result. Pure. */
#ifndef JR_CONTROLLER_WORK_OP_REQUEST_H
#define JR_CONTROLLER_WORK_OP_REQUEST_H

#include "common/kube/request.h"
#include "controller/reconcile/stage.h"

/** Fills method, types, path and body; path is the buffer that the request borrows. */
enum jr_status jr_op_request(const struct jr_op *op, struct jr_str namespace, struct jr_str name,
                             struct jr_buf *path, struct jr_http_request *ret) JR_MUST_USE;
/** What came of it; strings are copied into the arena. */
struct jr_op_result jr_op_result_of(const struct jr_op *op, const struct jr_kube_result *r,
                                    struct jr_arena *arena);

#endif
