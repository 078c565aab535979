/* SPDX-License-Identifier: Apache-2.0 */
/* Requests by kind of operation; what their answers say. */
#include "controller/work/op_request.h"

#include "common/base/memory.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

#define METADATA_ONLY "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
#define STRATEGIC_MERGE "application/strategic-merge-patch+json"

enum jr_status jr_op_request(const struct jr_op *op, struct jr_str namespace, struct jr_str name,
                             struct jr_buf *path, struct jr_http_request *ret)
{
    struct jr_http_request q = { .body = op->body };
    const struct jr_pod *pod = op->pod;

    switch (op->kind) {
    case JR_OP_GET_JOB:
        q.method = "GET";
        jr_object_path("/apis/batch/v1", namespace, "jobs", name, path);
        break;
    case JR_OP_PUT_STATUS:
        q.method = "PUT";
        jr_object_path("/apis/batch/v1", namespace, "jobs", name, path);
        (void)jr_buf_adds(path, "/status");
        break;
    case JR_OP_ADOPT_POD:
    case JR_OP_RELEASE_POD:
    case JR_OP_UNFINALIZE_POD:
        q.method = "PATCH";
        q.content_type = STRATEGIC_MERGE;
        q.accept = METADATA_ONLY;
        jr_object_path("/api/v1", pod->namespace, "pods", pod->name, path);
        break;
    case JR_OP_DELETE_POD:
        q.method = "DELETE";
        jr_object_path("/api/v1", pod->namespace, "pods", pod->name, path);
        break;
    case JR_OP_CREATE_POD:
        q.method = "POST";
        q.accept = METADATA_ONLY;
        jr_resource_path("/api/v1", namespace, "pods", path);
        break;
    case JR_OP_CREATE_WORKLOAD:
        q.method = "POST";
        jr_resource_path(jr_scheduling_api_path(op->api), namespace, "workloads", path);
        break;
    case JR_OP_CREATE_POD_GROUP:
        q.method = "POST";
        jr_resource_path(jr_scheduling_api_path(op->api), namespace, "podgroups", path);
        break;
    case JR_OP_PATCH_WORKLOAD:
    case JR_OP_PATCH_POD_GROUP:
        q.method = "PATCH";
        q.content_type = STRATEGIC_MERGE;
        jr_object_path(jr_scheduling_api_path(op->api), namespace,
                       op->kind == JR_OP_PATCH_WORKLOAD ? "workloads" : "podgroups", op->name,
                       path);
        break;
    }
    if (path->failed != JR_OK)
        return path->failed;
    q.path = path->p;
    *ret = q;
    return JR_OK;
}

/* ---- answers ---- */

struct named {
    struct jr_str name;
    struct jr_str uid;
    struct jr_str resource_version;
};
TYPE(meta, "ObjectMeta",
    STRING("name", AT(struct named, name)),
    STRING("uid", AT(struct named, uid)),
    STRING("resourceVersion", AT(struct named, resource_version)));

TYPE(object, "PartialObjectMetadata", STRUCT("metadata", meta, FLAT));

/** Whether the caller wants more of the answer than its names. */
static bool is_kept_whole(enum jr_op_kind kind)
{
    return kind == JR_OP_GET_JOB || kind == JR_OP_PUT_STATUS || kind >= JR_OP_CREATE_WORKLOAD;
}

/** Reads the names of what was answered. A 2xx that can't be read has happened all the same. */
static void read_object(const struct jr_op *op, const struct jr_kube_result *r,
                        struct jr_arena *arena, struct jr_op_result *ret)
{
    struct named n = { 0 };

    if (op->kind == JR_OP_DELETE_POD)
        return;
    if (jr_need(jr_decode_lenient(r->body, arena, true, jr_schema_decode, &object, &n, NULL)) ==
        JR_OK) {
        ret->name = n.name;
        ret->uid = n.uid;
        ret->resource_version = n.resource_version;
    }
    if (is_kept_whole(op->kind))
        ret->body = jr_xarena_str(arena, r->body);
}

struct jr_op_result jr_op_result_of(const struct jr_op *op, const struct jr_kube_result *r,
                                    struct jr_arena *arena)
{
    struct jr_op_result out = { .http = r->http, .ambiguous = r->ambiguous };

    switch (r->kind) {
    case JR_RESULT_OK:
        out.outcome = JR_OP_OK;
        read_object(op, r, arena, &out);
        return out;
    case JR_RESULT_REFUSED:
    case JR_RESULT_NOT_SENT: /* not ambiguous: it did not happen */
        out.outcome = JR_OP_REFUSED;
        out.held_back = r->kind == JR_RESULT_NOT_SENT && r->error.status == JR_DENIED;
        break;
    case JR_RESULT_AMBIGUOUS:
        out.outcome = JR_OP_AMBIGUOUS;
        break;
    }
    out.namespace_terminating =
        r->http == 403 && jr_api_status_has_cause(&r->status, JR_S("NamespaceTerminating"));
    out.message =
        jr_xarena_str(arena, r->status.message.n > 0 ? r->status.message : jr_str(r->error.msg));
    return out;
}
