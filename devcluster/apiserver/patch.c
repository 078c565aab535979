/* SPDX-License-Identifier: Apache-2.0 */
/* PATCH: the current object changed, then an update like any other. */
#include "common/apply/go_print.h"
#include "common/apply/strategic.h"
#include "common/json/patch.h"
#include "common/schema/decode_tree.h"
#include "common/schema/unknown_fields.h"
#include "devcluster/apiserver/write_parts.h"

/* ---- refusals ---- */

/* 422: what the patch makes of the object is none. */
static bool refuse_result(struct jr_dev_op *op, const char *why)
{
    struct jr_errlist errs;
    JR_BUF value = { 0 };

    jr_errlist_init(&errs, &op->arena);
    jr_buf_init(&value, JR_BUF_BY_INPUT);
    if (op->patch_type == JR_DEV_PATCH_STRATEGIC)
        jr_print_go(jr_doc_root(op->input), &op->arena, &value);
    else
        jr_must(jr_node_print(jr_doc_root(op->doc), &value));
    jr_must(value.failed);
    jr_errlist_add(&errs, JR_FE_INVALID, &JR_FIELD(NULL, "patch"),
                   jr_errlist_quote(&errs, jr_buf_str(&value)), "%s", why);
    return jr_dev_refuse_invalid(op, &errs, "", "", JR_S(""));
}

/* What the patch has made of the object, before it is decoded: types, and fields that the API
 * server doesn't know. */
static bool check_result(struct jr_dev_op *op)
{
    const unsigned minor = op->store->profile.version.minor;
    struct jr_strict_errors unknown = { .arena = &op->arena };
    struct jr_type_error wrong = { .why = NULL };
    const char *refused;

    jr_must(jr_schema_type_error(op->res->schema, jr_doc_root(op->doc), minor, &op->arena, &wrong));
    if (wrong.why != NULL && op->patch_type == JR_DEV_PATCH_STRATEGIC)
        wrong.why = jr_dev_printf(op, "unrecognized type: %s", wrong.type);
    if (wrong.why != NULL)
        return refuse_result(op, wrong.why);
    jr_schema_unknown(op->res->schema, jr_doc_root(op->doc), minor, &unknown);
    jr_dev_strict_report(op, &unknown, &refused);
    return refused == NULL || refuse_result(op, refused);
}

/* ---- the steps ---- */

static enum jr_status apply_patch(struct jr_dev_op *op, struct jr_error *err)
{
    const struct jr_node *patch = jr_doc_root_const(op->input);

    switch (op->patch_type) {
    case JR_DEV_PATCH_JSON:
        return jr_need(jr_patch_apply(op->doc, patch, err));
    case JR_DEV_PATCH_MERGE:
        return jr_need(jr_merge_apply(jr_doc_root(op->doc), patch));
    case JR_DEV_PATCH_STRATEGIC:
        return jr_strategic_apply(op->res->schema, jr_doc_root(op->doc), patch, err);
    }
    return JR_OK;
}

static bool start_patch(struct jr_dev_op *op)
{
    struct jr_error err = { 0 };

    if (!jr_dev_update_open_old(op))
        return false;
    jr_must(jr_doc_of(jr_doc_root(op->old_doc), &op->doc));
    if (apply_patch(op, &err) != JR_OK)
        return op->patch_type == JR_DEV_PATCH_STRATEGIC
                   ? jr_dev_refusef(op, 500, NULL, "%s", err.msg)
                   : jr_dev_refuse_generic(op, 422, "Invalid",
                                           "the server rejected our request due to an error in our "
                                           "request");
    return check_result(op) && jr_dev_decoded(op, op->doc) &&
           jr_dev_update_check_name(op, jr_doc_root(op->doc));
}

static const struct jr_dev_write patch_write = {
    .operation = "UPDATE",
    .start = start_patch,
    .patched = jr_dev_patched,
    .validate = jr_dev_update_validate,
    .commit = jr_dev_update_commit,
};

static bool refuse_strategic(struct jr_dev_op *op)
{
    return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                          "the body of the request was in an unknown format - accepted media types "
                          "include: application/json-patch+json, application/merge-patch+json, "
                          "application/apply-patch+yaml");
}

static bool set_patch_type(struct jr_dev_op *op)
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
            if (op->res->custom && types[i].type == JR_DEV_PATCH_STRATEGIC)
                return refuse_strategic(op);
            op->patch_type = types[i].type;
            return true;
        }
    }
    if (strcmp(op->content_type, "application/apply-patch+yaml") == 0)
        return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                              "the devcluster does not do server-side apply; accepted patch types: "
                              "application/json-patch+json, application/merge-patch+json, "
                              "application/strategic-merge-patch+json");
    return jr_dev_refuse_generic(op, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
}

bool jr_dev_patch_begin(struct jr_dev_op *op, struct jr_str body)
{
    struct jr_error err = { 0 };

    if (!set_patch_type(op))
        return false;
    if (body.n > op->store->max_body_bytes)
        return jr_dev_refuse_too_long(op);
    if (jr_need(jr_doc_parse(body, &JR_READER_LENIENT, &op->input, &err)) != JR_OK)
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
    return true;
}
