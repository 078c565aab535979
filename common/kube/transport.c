/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that outlive the call that made them. */
#include "common/kube/transport.h"

#include "common/base/memory.h"

void jr_http_request_keep(struct jr_http_request *req, struct jr_arena *a)
{
    req->method = jr_xarena_strdup(a, req->method);
    req->path = jr_xarena_strdup(a, req->path);
    req->accept = jr_xarena_strdup(a, req->accept);
    req->content_type = jr_xarena_strdup(a, req->content_type);
    req->body = jr_xarena_str(a, req->body);
}
