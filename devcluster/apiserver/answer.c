#include <stdarg.h>
#include <stdio.h>

#include "common/api/field_error.h"
#include "common/json/write.h"
#include "devcluster/apiserver/op.h"
#include "devcluster/apiserver/table.h"

#define RETRY_AFTER_S 1

enum jr_status jr_dev_refuse(struct jr_dev_op *op, const struct jr_api_status *status)
{
    jr_buf_reset(&op->answer.body);
    op->answer.status = status->code;
    op->answer.content_type = "application/json";
    op->answer.retry_after_s = status->details.retry_after_s;
    return jr_api_status_write(status, &op->answer.body) == JR_OK ? JR_DENIED : JR_NOMEM;
}

static enum jr_status refuse_text(struct jr_dev_op *op, struct jr_api_status *status,
                                  const char *fmt, va_list ap) JR_PRINTF(3, 0);
static enum jr_status refuse_text(struct jr_dev_op *op, struct jr_api_status *status,
                                  const char *fmt, va_list ap)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, (size_t)16 << 20);
    if (jr_buf_vaddf(&text, fmt, ap) != JR_OK)
        return JR_NOMEM;
    status->status = JR_S("Failure");
    status->message = jr_buf_str(&text);
    return jr_dev_refuse(op, status);
}

enum jr_status jr_dev_refusef(struct jr_dev_op *op, int code, const char *reason, const char *fmt,
                              ...)
{
    struct jr_api_status s = { .code = code, .reason = jr_str(reason) };
    va_list ap;

    va_start(ap, fmt);
    enum jr_status st = refuse_text(op, &s, fmt, ap);
    va_end(ap);
    return st;
}

enum jr_status jr_dev_refuse_object(struct jr_dev_op *op, int code, const char *reason,
                                    const struct jr_dev_resource *res, struct jr_str name,
                                    const char *fmt, ...)
{
    struct jr_api_status s = {
        .code = code,
        .reason = jr_str(reason),
        .details = { .name = name, .group = jr_str(res->group), .kind = jr_str(res->plural) },
    };
    va_list ap;

    va_start(ap, fmt);
    enum jr_status st = refuse_text(op, &s, fmt, ap);
    va_end(ap);
    return st;
}

enum jr_status jr_dev_refuse_generic(struct jr_dev_op *op, int code, const char *reason,
                                     const char *message)
{
    struct jr_writer w = jr_writer_on(&op->answer.body);

    jr_buf_reset(&op->answer.body);
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
    op->answer.status = code;
    op->answer.content_type = "application/json";
    return op->answer.body.failed == JR_OK ? JR_DENIED : JR_NOMEM;
}

enum jr_status jr_dev_refuse_not_found(struct jr_dev_op *op, const struct jr_dev_resource *res,
                                       struct jr_str name)
{
    return jr_dev_refuse_object(op, 404, "NotFound", res, name, "%s%s%s \"%.*s\" not found",
                                JR_DEV_QUALIFIED(res), JR_P(name));
}

enum jr_status jr_dev_refuse_conflict(struct jr_dev_op *op, struct jr_str name, const char *fmt,
                                      ...)
{
    JR_BUF why = { 0 };
    va_list ap;

    jr_buf_init(&why, (size_t)1 << 20);
    va_start(ap, fmt);
    enum jr_status st = jr_buf_vaddf(&why, fmt, ap);
    va_end(ap);
    if (st != JR_OK)
        return JR_NOMEM;
    return jr_dev_refuse_object(op, 409, "Conflict", op->res, name,
                                "Operation cannot be fulfilled on %s%s%s \"%.*s\": %s",
                                JR_DEV_QUALIFIED(op->res), JR_P(name), why.p);
}

enum jr_status jr_dev_refuse_modified(struct jr_dev_op *op, struct jr_str name)
{
    return jr_dev_refuse_conflict(op, name,
                                  "the object has been modified; please apply your changes to the "
                                  "latest version and try again");
}

enum jr_status jr_dev_refuse_invalid(struct jr_dev_op *op, const struct jr_errlist *errs,
                                     const char *group, const char *kind, struct jr_str name)
{
    struct jr_api_status s;

    if (errs->failed != JR_OK ||
        jr_errlist_status(errs, jr_str(group), jr_str(kind), name, &s) != JR_OK)
        return JR_NOMEM;
    return jr_dev_refuse(op, &s);
}

enum jr_status jr_dev_refuse_option(struct jr_dev_op *op, const char *kind, const char *field,
                                    const char *reason, const char *message)
{
    struct jr_cause cause = { jr_str(reason), jr_str(message), jr_str(field) };
    struct jr_api_status s = {
        .code = 422,
        .status = JR_S("Failure"),
        .reason = JR_S("Invalid"),
        .details = { .group = JR_S("meta.k8s.io"),
                     .kind = jr_str(kind),
                     .causes = { .v = &cause, .n = 1 } },
    };
    const char *text =
        jr_arena_printf(&op->arena, "%s.meta.k8s.io \"\" is invalid: %s: %s", kind, field, message);

    s.message = jr_str(text);
    return text == NULL ? JR_NOMEM : jr_dev_refuse(op, &s);
}

enum jr_status jr_dev_warn(struct jr_dev_op *op, struct jr_str text)
{
    JR_BUF b = { 0 };
    struct jr_str copy;

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
    if (b.failed == JR_LIMIT)
        return JR_OK;
    if (b.failed != JR_OK || !jr_arena_str(&op->arena, jr_buf_str(&b), &copy))
        return JR_NOMEM;
    if (op->answer.n_warnings == op->warnings_cap) {
        size_t cap = op->warnings_cap == 0 ? 8 : op->warnings_cap * 2;
        const char **v = jr_arena_calloc(&op->arena, cap, sizeof(*v));

        if (v == NULL)
            return JR_NOMEM;
        if (op->answer.n_warnings > 0)
            memcpy(v, op->warnings, op->answer.n_warnings * sizeof(*v));
        op->warnings = v;
        op->warnings_cap = cap;
    }
    op->warnings[op->answer.n_warnings++] = copy.p;
    op->answer.warnings = op->warnings;
    return JR_OK;
}

enum jr_status jr_dev_answer_object(struct jr_dev_op *op, int status, const struct jr_dev_object *o,
                                    uint64_t revision)
{
    struct jr_buf *out = &op->answer.body;
    enum jr_status st = JR_OK;

    jr_buf_reset(out);
    op->answer.status = status;
    op->answer.content_type = "application/json";
    switch (op->format) {
    case JR_DEV_FORMAT_OBJECT:
        st = jr_dev_object_write(o, JR_DEV_FORM_OBJECT, revision, out);
        break;
    case JR_DEV_FORMAT_PARTIAL:
        st = jr_dev_object_write(o, JR_DEV_FORM_PARTIAL, revision, out);
        break;
    case JR_DEV_FORMAT_TABLE:
        st = jr_dev_table_begin(op->res, o->meta.resource_version, true, out);
        if (st == JR_OK)
            st = jr_dev_table_row(o, revision, jr_dev_param(op, "includeObject"), op->now, out);
        if (st == JR_OK)
            st = jr_buf_adds(out, "]}");
        break;
    }
    return st == JR_OK ? JR_OK : JR_NOMEM;
}

enum jr_status jr_dev_answer_tree(struct jr_dev_op *op, int status, const struct jr_node *root)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = NULL;
    struct jr_str version = jr_get_str(jr_get(root, "metadata"), "resourceVersion");
    uint64_t revision = 0;

    if (jr_parse_u64(version, &revision) != JR_OK)
        revision = 0;
    if (jr_dev_object_new(op->res, root, revision, op->now, &o, NULL) != JR_OK)
        return JR_NOMEM;
    return jr_dev_answer_object(op, status, o, 0);
}
