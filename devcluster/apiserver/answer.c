/* SPDX-License-Identifier: Apache-2.0 */
/* Answers and refusals. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/api/field_error.h"
#include "common/base/vec.h"
#include "common/json/write.h"
#include "devcluster/apiserver/op.h"
#include "devcluster/apiserver/table.h"

const char *jr_dev_printf(struct jr_dev_op *op, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    const char *text = jr_xarena_vtext(&op->arena, fmt, ap).p;
    va_end(ap);
    return text;
}

struct jr_buf *jr_dev_answer_json(struct jr_dev_op *op, int status)
{
    jr_buf_reset(&op->answer.body);
    op->answer.status = status;
    op->answer.content_type = "application/json";
    return &op->answer.body;
}

void jr_dev_answer_status(struct jr_dev_op *op, int code, const struct jr_api_status *status)
{
    op->answer.retry_after_s = status->details.retry_after_s;
    jr_must(jr_api_status_write(status, jr_dev_answer_json(op, code)));
}

/* ---- refusals ---- */

bool jr_dev_refuse_status(struct jr_dev_op *op, struct jr_api_status status, const char *message)
{
    status.status = JR_S("Failure");
    status.message = jr_str(message);
    jr_dev_answer_status(op, status.code, &status);
    return false;
}

bool jr_dev_refuse_object(struct jr_dev_op *op, int code, const char *reason,
                          const struct jr_dev_resource *res, struct jr_str name,
                          const char *message)
{
    const struct jr_api_status s = {
        .code = code,
        .reason = jr_str(reason),
        .details = { .name = name, .group = jr_str(res->group), .kind = jr_str(res->plural) },
    };

    return jr_dev_refuse_status(op, s, message);
}

bool jr_dev_refuse_generic(struct jr_dev_op *op, int code, const char *reason, const char *message)
{
    struct jr_writer w = jr_writer_on(jr_dev_answer_json(op, code));

    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("Status"));
    jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_key(&w, "metadata");
    jr_w_raw(&w, JR_S("{}"));
    jr_w_kstr(&w, "status", JR_S("Failure"));
    jr_w_kstr(&w, "message", jr_str(message));
    jr_w_kstr(&w, "reason", jr_str(reason));
    jr_w_key(&w, "details");
    jr_w_raw(&w, JR_S("{}"));
    jr_w_ki64(&w, "code", code);
    jr_w_object_end(&w);
    return false;
}

bool jr_dev_refuse_path(struct jr_dev_op *op, struct jr_str path)
{
    static const char message[] = "the server could not find the requested resource";
    static const char *const unserved[] = {
        "apps",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "attach",
        "eviction",
        "exec",
        "endpoints",
        "networking.k8s.io",
        "persistentvolumeclaims",
        "policy",
        "portforward",
        "proxy",
        "rbac.authorization.k8s.io",
        "scale",
        "services",
        "storage.k8s.io",
        "token",
    };
    struct jr_str part;

    while (jr_str_cut(&path, '/', &part)) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(unserved); i++) {
            if (jr_str_is(part, unserved[i]))
                return jr_dev_refuse_generic(
                    op, 404, "NotFound",
                    jr_dev_printf(op, "%s: the devcluster doesn't serve %s", message, unserved[i]));
        }
    }
    return jr_dev_refuse_generic(op, 404, "NotFound", message);
}

bool jr_dev_refuse_method(struct jr_dev_op *op)
{
    return jr_dev_refuse_generic(op, 405, "MethodNotAllowed",
                                 "the server does not allow this method on the requested "
                                 "resource");
}

bool jr_dev_refuse_not_found(struct jr_dev_op *op, const struct jr_dev_resource *res,
                             struct jr_str name)
{
    return jr_dev_refuse_object(
        op, 404, "NotFound", res, name,
        jr_dev_printf(op, "%s%s%s \"%.*s\" not found", JR_DEV_QUALIFIED(res), JR_P(name)));
}

bool jr_dev_refuse_conflict(struct jr_dev_op *op, struct jr_str name, const char *why)
{
    return jr_dev_refuse_object(
        op, 409, "Conflict", op->res, name,
        jr_dev_printf(op, "Operation cannot be fulfilled on %s%s%s \"%.*s\": %s",
                      JR_DEV_QUALIFIED(op->res), JR_P(name), why));
}

bool jr_dev_refuse_modified(struct jr_dev_op *op, struct jr_str name)
{
    return jr_dev_refuse_conflict(op, name,
                                  "the object has been modified; please apply your changes to the "
                                  "latest version and try again");
}

bool jr_dev_refuse_invalid(struct jr_dev_op *op, const struct jr_errlist *errs, const char *group,
                           const char *kind, struct jr_str name)
{
    struct jr_api_status s;

    if (jr_need(jr_errlist_status(errs, jr_str(group), jr_str(kind), name, &s)) != JR_OK)
        return jr_dev_refusef(op, 500, "InternalError", "the errors found are too many to tell");
    jr_dev_answer_status(op, s.code, &s);
    return false;
}

bool jr_dev_refuse_option_as(struct jr_dev_op *op, const char *kind, const char *field,
                             const char *reason, const char *message)
{
    struct jr_cause cause = { .reason = jr_str(reason),
                              .message = jr_str(message),
                              .field = jr_str(field) };
    const struct jr_api_status s = {
        .code = 422,
        .reason = JR_S("Invalid"),
        .details = { .group = JR_S("meta.k8s.io"),
                     .kind = jr_str(kind),
                     .causes = { .v = &cause, .n = 1 } },
    };

    return jr_dev_refuse(op, s, "%s.meta.k8s.io \"\" is invalid: %s: %s", kind, field, message);
}

bool jr_dev_refuse_too_long(struct jr_dev_op *op)
{
    return jr_dev_refusef(op, 413, "RequestEntityTooLarge",
                          "Request entity too large: limit is %zu", op->store->max_body_bytes);
}

/* ---- answers ---- */

void jr_dev_warn(struct jr_dev_op *op, struct jr_str text)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, (size_t)1 << 16);
    (void)jr_buf_adds(&b, "299 - \"");
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];

        if (c == '"' || c == '\\')
            (void)jr_buf_addc(&b, '\\');
        if ((unsigned char)c < ' ')
            c = ' ';
        (void)jr_buf_addc(&b, c);
    }
    (void)jr_buf_addc(&b, '"');
    if (jr_need(b.failed) == JR_LIMIT)
        return;
    op->warnings =
        jr_xvec_room(op->warnings, op->answer.n_warnings, &op->warnings_cap, sizeof(char *));
    op->warnings[op->answer.n_warnings++] = jr_xarena_str(&op->arena, jr_buf_str(&b)).p;
    op->answer.warnings = op->warnings;
}

void jr_dev_write_object(struct jr_dev_op *op, const struct jr_dev_object *o, uint64_t revision,
                         struct jr_buf *out)
{
    const uint64_t version = revision == 0 ? o->revision : revision;

    switch (op->format) {
    case JR_DEV_FORMAT_OBJECT:
        jr_dev_object_write(o, JR_DEV_FORM_OBJECT, revision, out);
        break;
    case JR_DEV_FORMAT_PARTIAL:
        jr_dev_object_write(o, JR_DEV_FORM_PARTIAL, revision, out);
        break;
    case JR_DEV_FORMAT_TABLE:
        (void)jr_buf_adds(out, JR_DEV_TABLE_HEAD "{");
        if (version != 0)
            (void)jr_buf_addf(out, "\"resourceVersion\":\"%" PRIu64 "\"", version);
        (void)jr_buf_addc(out, '}');
        jr_dev_table_columns(op->res, !op->headed, out);
        op->headed = true;
        jr_dev_table_row(o, revision, jr_dev_param(op, "includeObject"), op->now, out);
        (void)jr_buf_adds(out, "]}");
        break;
    }
}

void jr_dev_answer_object(struct jr_dev_op *op, int status, const struct jr_dev_object *o,
                          uint64_t revision)
{
    jr_dev_write_object(op, o, revision, jr_dev_answer_json(op, status));
}

void jr_dev_answer_tree(struct jr_dev_op *op, int status, const struct jr_node *root)
{
    struct jr_str version = jr_get_str(jr_get(root, "metadata"), "resourceVersion");
    uint64_t revision = 0;

    if (jr_parse_u64(version, &revision) != JR_OK)
        revision = 0;
    JR_CLEANUP(jr_dev_object_unrefp)
    struct jr_dev_object *o = jr_dev_object_new(op->res, root, revision, op->now);
    jr_dev_answer_object(op, status, o, 0);
}
