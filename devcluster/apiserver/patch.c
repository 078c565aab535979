/* PATCH: the current object changed, then an update like any other. */
#include "common/json/patch.h"
#include "common/schema/decode_tree.h"
#include "common/schema/strict.h"
#include "devcluster/apiserver/go_print.h"
#include "devcluster/apiserver/patch_strategic.h"
#include "devcluster/apiserver/prove.h"

/* ---- refusals ---- */

/* 422: what the patch makes of the object is none. */
static enum jr_status refuse_result(struct jr_dev_op *op, const char *why)
{
    struct jr_errlist errs;
    JR_BUF value = { 0 };

    jr_errlist_init(&errs, &op->arena);
    jr_buf_init(&value, (size_t)64 << 20);
    if (op->patch_type == JR_DEV_PATCH_STRATEGIC)
        jr_dev_print_go(jr_doc_root(op->input), &op->arena, &value);
    else if (jr_node_print(jr_doc_root(op->doc), &value) != JR_OK)
        return JR_NOMEM;
    if (value.failed != JR_OK)
        return JR_NOMEM;
    jr_errlist_add(&errs, JR_FE_INVALID, &JR_FIELD(NULL, "patch"),
                   jr_errlist_quote(&errs, jr_buf_str(&value)), "%s", why);
    return jr_dev_refuse_invalid(op, &errs, "", "", JR_S(""));
}

/* Fields that the patch has brought in and that the API server doesn't know. */
static enum jr_status check_unknown(struct jr_dev_op *op)
{
    struct jr_strict_errors unknown = { .arena = &op->arena };
    enum jr_status st = JR_OK;
    JR_BUF list = { 0 };

    if (op->validation == JR_DEV_VALIDATE_IGNORE)
        return JR_OK;
    jr_schema_unknown(op->res->schema, jr_doc_root(op->doc), op->store->profile.minor, &unknown);
    if (unknown.failed)
        return JR_NOMEM;
    if (op->validation == JR_DEV_VALIDATE_WARN) {
        for (const struct jr_strict_error *e = unknown.first; e != NULL && st == JR_OK; e = e->next)
            st = jr_dev_warn(op, jr_str(e->text));
        return st;
    }
    if (unknown.first == NULL)
        return JR_OK;
    jr_buf_init(&list, (size_t)1 << 20);
    (void)jr_buf_adds(&list, "strict decoding error: ");
    for (const struct jr_strict_error *e = unknown.first; e != NULL; e = e->next)
        (void)jr_buf_addf(&list, "%s%s", e == unknown.first ? "" : ", ", e->text);
    return list.failed == JR_OK ? refuse_result(op, list.p) : JR_NOMEM;
}

/* What the patch has made of the object, before it is decoded. */
static enum jr_status check_result(struct jr_dev_op *op)
{
    struct jr_type_error wrong = { .why = NULL };
    enum jr_status st = jr_schema_type_error(op->res->schema, jr_doc_root(op->doc),
                                             op->store->profile.minor, &op->arena, &wrong);

    if (st == JR_OK && wrong.why != NULL && op->patch_type == JR_DEV_PATCH_STRATEGIC) {
        wrong.why = jr_arena_printf(&op->arena, "unrecognized type: %s", wrong.type);
        st = wrong.why == NULL ? JR_NOMEM : JR_OK;
    }
    if (st == JR_OK && wrong.why != NULL)
        return refuse_result(op, wrong.why);
    return st == JR_OK ? check_unknown(op) : st;
}

/* ---- the steps ---- */

static enum jr_status apply(struct jr_dev_op *op, struct jr_error *err)
{
    const struct jr_node *patch = jr_doc_root_const(op->input);

    switch (op->patch_type) {
    case JR_DEV_PATCH_JSON:
        return jr_patch_apply(op->doc, patch, err);
    case JR_DEV_PATCH_MERGE:
        return jr_merge_apply(jr_doc_root(op->doc), patch);
    case JR_DEV_PATCH_STRATEGIC:
        return jr_dev_strategic_apply(op->res->schema, jr_doc_root(op->doc), patch, err);
    }
    return JR_OK;
}

static enum jr_status start(struct jr_dev_op *op)
{
    struct jr_error err = { 0 };
    enum jr_status st = jr_dev_update_open_old(op);

    if (st == JR_OK && jr_doc_of(jr_doc_root(op->old_doc), &op->doc) != JR_OK)
        return JR_NOMEM;
    if (st != JR_OK)
        return st;
    st = apply(op, &err);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK && op->patch_type == JR_DEV_PATCH_STRATEGIC)
        return jr_dev_refusef(op, 500, NULL, "%s", err.msg);
    if (st != JR_OK)
        return jr_dev_refuse_generic(op, 422, "Invalid",
                                     "the server rejected our request due to an error in our "
                                     "request");
    st = check_result(op);
    if (st == JR_OK)
        st = jr_dev_decoded(op, op->doc);
    return st == JR_OK ? jr_dev_update_check_name(op, jr_doc_root(op->doc)) : st;
}

static const struct jr_dev_write patch_write = {
    .operation = "UPDATE",
    .start = start,
    .patched = jr_dev_update_patched,
    .prove = jr_dev_update_prove,
    .commit = jr_dev_update_commit,
};

static enum jr_status patch_type(struct jr_dev_op *op)
{
    static const struct {
        const char *media;
        enum jr_dev_patch_type type;
    } types[] = {
        { "application/json-patch+json", JR_DEV_PATCH_JSON },
        { "application/merge-patch+json", JR_DEV_PATCH_MERGE },
        { "application/strategic-merge-patch+json", JR_DEV_PATCH_STRATEGIC },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(types); i++) {
        if (strcmp(types[i].media, op->content_type) == 0) {
            op->patch_type = types[i].type;
            return JR_OK;
        }
    }
    if (strcmp(op->content_type, "application/apply-patch+yaml") == 0)
        return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                              "the devcluster does not do server-side apply; accepted patch types: "
                              "application/json-patch+json, application/merge-patch+json, "
                              "application/strategic-merge-patch+json");
    return jr_dev_refuse_generic(op, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
}

enum jr_status jr_dev_patch_begin(struct jr_dev_op *op, struct jr_str body)
{
    struct jr_error err = { 0 };
    enum jr_status st = patch_type(op);

    if (st != JR_OK)
        return st;
    if (body.n > op->store->max_body_bytes)
        return jr_dev_refusef(op, 413, "RequestEntityTooLarge",
                              "Request entity too large: limit is %zu", op->store->max_body_bytes);
    st = jr_doc_parse(body, &JR_GATE_LENIENT, &op->input, &err);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return jr_dev_refusef(op, 400, "BadRequest", "error decoding patch: %s", err.msg);
    enum jr_kind want = op->patch_type == JR_DEV_PATCH_JSON ? JR_ARRAY : JR_OBJECT;
    if (jr_node_kind(jr_doc_root(op->input)) != want)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "error decoding patch: json: cannot unmarshal %s into Go value of "
                              "type %s",
                              want == JR_ARRAY ? "object" : "array",
                              want == JR_ARRAY ? "[]handlers.jsonPatchOp"
                                               : "map[string]interface {}");
    op->write = &patch_write;
    return JR_OK;
}
