/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of requests: parsed, checked as decoding into Go's types would, completed. */
#include <stdio.h>

#include "common/admission/admission.h"
#include "common/api/job.h"
#include "common/json/yaml.h"
#include "common/schema/decode_tree.h"
#include "common/schema/protobuf.h"
#include "common/schema/unknown_fields.h"
#include "devcluster/apiserver/op.h"
#include "devcluster/apiserver/strategy.h"

/* ---- parsing ---- */

static bool is_yaml(const struct jr_dev_op *op)
{
    return strcmp(op->content_type, "application/yaml") == 0;
}

static bool is_protobuf(const struct jr_dev_op *op)
{
    return strcmp(op->content_type, "application/vnd.kubernetes.protobuf") == 0;
}

static bool refuse_text(struct jr_dev_op *op, const struct jr_error *err, struct jr_str body)
{
    const char *what = op->res == NULL ? "Status" : op->res->kind;

    if (is_yaml(op))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the object provided is unrecognized (must be of type %s): yaml: %s",
                              what, err->msg);
    return jr_dev_refusef(op, 400, "BadRequest",
                          "the object provided is unrecognized (must be of type %s): couldn't get "
                          "version/kind; json parse error: %s (%s)",
                          what, err->msg, body.n == 0 ? "<empty>" : "body");
}

/* Duplicates are gathered as strict decoding errors. */
static void on_duplicate(void *ctx, const char *path)
{
    jr_strict_add(ctx, "duplicate field \"%s\"", path);
}

static enum jr_status on_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                  struct jr_error *err)
{
    struct jr_doc **ret = ctx;

    (void)err;
    jr_positions_free(pos);
    if (*ret == NULL)
        *ret = doc;
    else
        jr_doc_free(doc); /* only the first document counts */
    return JR_OK;
}

static bool parse(struct jr_dev_op *op, struct jr_str body, const struct jr_schema_type *type,
                  struct jr_strict_errors *strict, struct jr_doc **ret)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST,
                                         .on_dup = on_duplicate,
                                         .ctx = strict };
    const struct jr_yaml_limits limits = { 0 };
    struct jr_error err = { 0 };
    enum jr_status st;
    JR_BUF json = { 0 };

    if (strcmp(op->content_type, "application/json") != 0 && !is_yaml(op) &&
        (type == NULL || !is_protobuf(op)))
        return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                              "the body of the request was in an unknown format - accepted media "
                              "types include: application/json, application/yaml, "
                              "application/vnd.kubernetes.protobuf");
    if (body.n > op->store->max_body_bytes)
        return jr_dev_refuse_too_long(op);
    if (is_protobuf(op)) {
        jr_buf_init(&json, JR_BUF_BY_INPUT);
        if (jr_need(jr_protobuf_read(body, type, &json, &err)) != JR_OK)
            return jr_dev_refusef(op, 400, "BadRequest", "protobuf: %s: %s", err.path, err.msg);
        body = jr_buf_str(&json);
    }
    if (is_yaml(op))
        st = jr_yaml_read(body, &limits, on_document, ret, &err);
    else
        st = jr_doc_parse(body, &opts, ret, &err);
    if (st == JR_OK && *ret == NULL)
        st = jr_fail(&err, JR_SYNTAX, NULL, "unexpected end of JSON input");
    return jr_need(st) == JR_OK || refuse_text(op, &err, body);
}

bool jr_dev_body_parse(struct jr_dev_op *op, struct jr_str body, const struct jr_schema_type *type,
                       struct jr_doc **ret)
{
    struct jr_strict_errors strict = { .arena = &op->arena };

    return parse(op, body, type, &strict, ret);
}

/* ---- cleaning ---- */

static void drop_nulls(struct jr_node *n)
{
    struct jr_node *next;

    for (struct jr_node *c = jr_first(n); c != NULL; c = next) {
        next = jr_next(c);
        if (jr_node_kind(n) == JR_OBJECT && jr_node_kind(c) == JR_NULL)
            jr_remove_child(n, c);
        else
            drop_nulls(c);
    }
}

/* What decoding does to any object: nulls dropped, empty metadata members dropped. */
static void clean(struct jr_node *root)
{
    static const char *const maps[] = { "labels", "annotations" };
    static const char *const omitted[] = { "labels", "annotations", "ownerReferences",
                                           "finalizers" };
    struct jr_node *meta;

    jr_must(jr_ensure_object(root, "metadata", &meta));
    /* In Go the value of a map of strings can't be null: it is "" then. */
    for (size_t i = 0; i < JR_ARRAY_SIZE(maps); i++) {
        for (struct jr_node *c = jr_first(jr_get(meta, maps[i])); c != NULL; c = jr_next(c)) {
            if (jr_node_kind(c) == JR_NULL)
                jr_must(jr_node_assign_str(c, JR_S("")));
        }
    }
    jr_remove(meta, JR_S("managedFields"), NULL);
    jr_remove(meta, JR_S("selfLink"), NULL);
    drop_nulls(root);
    for (size_t i = 0; i < JR_ARRAY_SIZE(omitted); i++) {
        if (jr_size(jr_get(meta, omitted[i])) == 0)
            jr_remove(meta, jr_str(omitted[i]), NULL);
    }
}

/* ---- objects ---- */

static bool refuse_decode(struct jr_dev_op *op, const char *why)
{
    return jr_dev_refusef(op, 400, "BadRequest",
                          "%s in version \"%s\" cannot be handled as a %s: %s", op->res->kind,
                          op->res->version, op->res->kind, why);
}

static bool check_kind(struct jr_dev_op *op, const struct jr_node *root)
{
    struct jr_str kind = jr_get_str(root, "kind");
    struct jr_str version = jr_get_str(root, "apiVersion");
    ptrdiff_t slash = jr_str_find(version, '/');
    struct jr_str short_version = jr_str_from(version, slash < 0 ? 0 : (size_t)slash + 1);

    if (jr_node_kind(root) != JR_OBJECT)
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the object provided is unrecognized (must be of type %s): couldn't "
                              "get version/kind; json parse error: not an object",
                              op->res->kind);
    if ((kind.n == 0 || jr_str_is(kind, op->res->kind)) &&
        (version.n == 0 || jr_dev_resource_is_version(op->res, version)))
        return true;
    if (kind.n == 0)
        kind = jr_str(op->res->kind);
    if (jr_dev_resource_of_kind(&op->store->profile, version, kind) == NULL)
        return jr_dev_refusef(
            op, 400, "BadRequest",
            "%.*s in version \"%.*s\" cannot be handled as a %s: no kind \"%.*s\" "
            "is registered for version \"%.*s\" in scheme "
            "\"pkg/runtime/scheme.go:111\"",
            JR_P(kind), JR_P(short_version), op->res->kind, JR_P(kind), JR_P(version));
    return jr_dev_refusef(op, 400, "BadRequest",
                          "%.*s in version \"%.*s\" cannot be handled as a %s: converting "
                          "(%.*s.%.*s) to (%s.%s): unknown conversion",
                          JR_P(kind), JR_P(short_version), op->res->kind, JR_P(short_version),
                          JR_P(kind), op->res->group[0] == '\0' ? "core" : op->res->group,
                          op->res->kind);
}

/* What the decoder of metadata stumbles upon, and what is too long. */
static bool check_metadata(struct jr_dev_op *op, const struct jr_node *root)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = NULL;
    struct jr_error err = { 0 };
    char text[800];

    if (jr_dev_object_check(op->res, root, 0, op->now, &o, &err) == JR_OK)
        return true;
    return refuse_decode(op,
                         jr_dev_printf(op, "json: %s", jr_error_text(&err, text, sizeof(text))));
}

void jr_dev_strict_report(struct jr_dev_op *op, const struct jr_strict_errors *strict,
                          const char **ret)
{
    JR_BUF list = { 0 };

    *ret = NULL;
    if (strict->failed)
        jr_out_of_memory();
    jr_buf_init(&list, JR_BUF_BY_INPUT);
    for (const struct jr_strict_error *e = strict->first; e != NULL; e = e->next) {
        if (op->validation == JR_DEV_VALIDATE_WARN)
            jr_dev_warn(op, jr_str(e->text));
        (void)jr_buf_addf(&list, "%s%s", list.n == 0 ? "strict decoding error: " : ", ", e->text);
    }
    jr_must(list.failed);
    if (op->validation == JR_DEV_VALIDATE_STRICT && list.n > 0)
        *ret = jr_xarena_str(&op->arena, jr_buf_str(&list)).p;
}

bool jr_dev_decoded(struct jr_dev_op *op, struct jr_doc *doc)
{
    struct jr_node *root = jr_doc_root(doc);
    const unsigned minor = op->store->profile.version.minor;
    struct jr_type_error wrong = { .why = NULL };
    char version[64];

    if (!check_kind(op, root))
        return false;
    jr_must(jr_schema_type_error(op->res->schema, root, minor, &op->arena, &wrong));
    if (wrong.why != NULL)
        return refuse_decode(op, wrong.why);
    jr_schema_prune(op->res->schema, root, minor);
    /* What the body may leave out, since the path says it. */
    (void)snprintf(version, sizeof(version), "%s%s%s", JR_DEV_API_VERSION(op->res));
    jr_must(jr_set_str(root, "kind", jr_str(op->res->kind)));
    jr_must(jr_set_str(root, "apiVersion", jr_str(version)));
    clean(root);
    if (!check_metadata(op, root))
        return false;
    jr_dev_strategy_defaults(op->res, root, &op->store->profile);
    return true;
}

static bool check_namespace(struct jr_dev_op *op, struct jr_node *root)
{
    struct jr_node *meta = jr_get(root, "metadata");
    struct jr_str namespace = jr_get_str(meta, "namespace");

    if (!op->res->namespaced) {
        jr_remove(meta, JR_S("namespace"), NULL);
        return true;
    }
    if (namespace.n > 0 && !jr_str_eq(namespace, op->namespace))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the namespace of the provided object does not match the namespace "
                              "sent on the request");
    jr_must(jr_set_str(meta, "namespace", op->namespace));
    return true;
}

bool jr_dev_body_object(struct jr_dev_op *op, struct jr_str body, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_strict_errors strict = { .arena = &op->arena };
    struct jr_strict_errors duplicates = { .arena = &op->arena };
    const char *refused;

    if (!parse(op, body, op->res->custom ? NULL : op->res->schema, &duplicates, &doc))
        return false;
    jr_schema_unknown(op->res->schema, jr_doc_root(doc), op->store->profile.version.minor, &strict);
    jr_strict_join(&strict, &duplicates);
    op->shares_labels = op->res->id == JR_DEV_JOBS &&
                        jr_admission_shares_labels(&jr_admission_job, jr_doc_root(doc));
    if (!jr_dev_decoded(op, doc))
        return false;
    jr_dev_strict_report(op, &strict, &refused);
    if (refused != NULL)
        return refuse_decode(op, refused);
    if (!check_namespace(op, jr_doc_root(doc)))
        return false;
    *ret = jr_steal(&doc);
    return true;
}
