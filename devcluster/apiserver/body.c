#include <stdio.h>

#include "common/admission/admission.h"
#include "common/api/job.h"
#include "common/json/yaml.h"
#include "common/schema/decode_tree.h"
#include "common/schema/strict.h"
#include "devcluster/apiserver/op.h"
#include "devcluster/apiserver/strategy.h"

/* ---- parsing ---- */

static bool is_yaml(const struct jr_dev_op *op)
{
    return strcmp(op->content_type, "application/yaml") == 0;
}

static enum jr_status refuse_text(struct jr_dev_op *op, const struct jr_error *err,
                                  struct jr_str body)
{
    const char *what = op->res == NULL ? "Status" : op->res->kind;

    if (err->status == JR_NOMEM)
        return JR_NOMEM;
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

static enum jr_status take_document(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
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

static enum jr_status parse(struct jr_dev_op *op, struct jr_str body,
                            struct jr_strict_errors *strict, struct jr_doc **ret)
{
    const struct jr_gate_opts opts = { .dup = JR_DUP_LAST, .on_dup = on_duplicate, .ctx = strict };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };
    enum jr_status st;

    if (body.n > op->store->max_body_bytes)
        return jr_dev_refusef(op, 413, "RequestEntityTooLarge",
                              "Request entity too large: limit is %zu", op->store->max_body_bytes);
    if (is_yaml(op)) {
        const struct jr_yaml_limits limits = { 0 };
        st = jr_yaml_read(body, &limits, take_document, &doc, &err);
    } else {
        st = jr_doc_parse(body, &opts, &doc, &err);
    }
    if (st == JR_OK && doc == NULL)
        st = jr_fail(&err, JR_SYNTAX, NULL, "unexpected end of JSON input");
    if (st != JR_OK)
        return refuse_text(op, &err, body);
    *ret = jr_steal(&doc);
    return JR_OK;
}

enum jr_status jr_dev_body_parse(struct jr_dev_op *op, struct jr_str body, struct jr_doc **ret)
{
    struct jr_strict_errors strict = { .arena = &op->arena };

    if (strcmp(op->content_type, "application/json") != 0 && !is_yaml(op))
        return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                              "the body of the request was in an unknown format - accepted media "
                              "types include: application/json, application/yaml");
    return parse(op, body, &strict, ret);
}

/* ---- cleaning ---- */

static enum jr_status drop_nulls(struct jr_node *n)
{
    struct jr_node *next;

    for (struct jr_node *c = jr_first(n); c != NULL; c = next) {
        next = jr_next(c);
        if (jr_node_kind(n) == JR_OBJECT && jr_node_kind(c) == JR_NULL) {
            jr_remove(n, jr_key(c), NULL);
            continue;
        }
        enum jr_status st = drop_nulls(c);
        if (st != JR_OK)
            return st;
    }
    return JR_OK;
}

/* In Go the value of a map of strings can't be null: it is "" then. */
static enum jr_status null_values(struct jr_node *map)
{
    for (struct jr_node *c = jr_first(map); c != NULL; c = jr_next(c)) {
        if (jr_node_kind(c) != JR_NULL)
            continue;
        enum jr_status st = jr_set_strn(map, jr_key(c), JR_S(""));
        if (st != JR_OK)
            return st;
        return null_values(map);
    }
    return JR_OK;
}

enum jr_status jr_dev_clean(struct jr_node *root)
{
    static const char *const maps[] = { "labels", "annotations" };
    static const char *const omitted[] = { "labels", "annotations", "ownerReferences",
                                           "finalizers" };
    static const char *const dropped[] = { "managedFields", "selfLink" };
    struct jr_node *meta = NULL;
    enum jr_status st = JR_OK;

    if (jr_unset(jr_get(root, "metadata")))
        st = jr_set_object(root, "metadata", &meta);
    meta = jr_get(root, "metadata");
    for (size_t i = 0; i < JR_ARRAY_SIZE(maps) && st == JR_OK; i++) {
        struct jr_node *map = jr_get(meta, maps[i]);
        if (jr_node_kind(map) == JR_OBJECT)
            st = null_values(map);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(dropped); i++) {
        if (jr_node_kind(meta) == JR_OBJECT)
            jr_remove(meta, jr_str(dropped[i]), NULL);
    }
    if (st == JR_OK)
        st = drop_nulls(root);
    for (size_t i = 0; i < JR_ARRAY_SIZE(omitted) && st == JR_OK; i++) {
        const struct jr_node *m = jr_get(meta, omitted[i]);
        bool list = jr_node_kind(m) == JR_ARRAY || jr_node_kind(m) == JR_OBJECT;

        if (list && jr_size(m) == 0)
            jr_remove(meta, jr_str(omitted[i]), NULL);
    }
    return st;
}

/* ---- objects ---- */

static enum jr_status refuse_decode(struct jr_dev_op *op, const char *fmt, ...) JR_PRINTF(2, 3);
static enum jr_status refuse_decode(struct jr_dev_op *op, const char *fmt, ...)
{
    JR_BUF why = { 0 };
    va_list ap;

    jr_buf_init(&why, (size_t)1 << 20);
    va_start(ap, fmt);
    enum jr_status st = jr_buf_vaddf(&why, fmt, ap);
    va_end(ap);
    if (st != JR_OK)
        return JR_NOMEM;
    return jr_dev_refusef(op, 400, "BadRequest",
                          "%s in version \"%s\" cannot be handled as a %s: %s", op->res->kind,
                          op->res->version, op->res->kind, why.p);
}

static enum jr_status check_kind(struct jr_dev_op *op, const struct jr_node *root)
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
        return JR_OK;
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

/* Of kinds without a table, what the decoder stumbles upon. */
static enum jr_status check_types(struct jr_dev_op *op, const struct jr_node *root)
{
    JR_CLEANUP(jr_dev_object_unrefp) struct jr_dev_object *o = NULL;
    struct jr_error err = { 0 };
    char text[800];
    enum jr_status st = jr_dev_object_new(op->res, root, 0, op->now, &o, &err);

    if (st == JR_OK || st == JR_NOMEM)
        return st;
    return refuse_decode(op, "json: %s", jr_error_text(&err, text, sizeof(text)));
}

static enum jr_status report_strict(struct jr_dev_op *op, const struct jr_strict_errors *strict)
{
    enum jr_status st = JR_OK;
    JR_BUF list = { 0 };

    if (strict->failed)
        return JR_NOMEM;
    if (op->validation == JR_DEV_VALIDATE_WARN) {
        for (const struct jr_strict_error *e = strict->first; e != NULL && st == JR_OK; e = e->next)
            st = jr_dev_warn(op, jr_str(e->text));
    }
    if (op->validation != JR_DEV_VALIDATE_STRICT || strict->first == NULL)
        return st;
    jr_buf_init(&list, (size_t)1 << 20);
    for (const struct jr_strict_error *e = strict->first; e != NULL; e = e->next) {
        (void)jr_buf_adds(&list, e == strict->first ? "" : ", ");
        (void)jr_buf_adds(&list, e->text);
    }
    if (list.failed != JR_OK)
        return JR_NOMEM;
    return refuse_decode(op, "strict decoding error: %s", list.p);
}

/* What the body may leave out, since the path says it. */
static enum jr_status set_kind(const struct jr_dev_resource *res, struct jr_node *root)
{
    char version[64];
    enum jr_status st = jr_set_str(root, "kind", jr_str(res->kind));

    (void)snprintf(version, sizeof(version), "%s%s%s", JR_DEV_API_VERSION(res));
    return st == JR_OK ? jr_set_str(root, "apiVersion", jr_str(version)) : st;
}

enum jr_status jr_dev_decoded(struct jr_dev_op *op, struct jr_doc *doc)
{
    struct jr_node *root = jr_doc_root(doc);
    const unsigned minor = op->store->profile.minor;
    struct jr_type_error wrong = { .why = NULL };
    enum jr_status st = check_kind(op, root);

    if (st == JR_OK)
        st = jr_schema_type_error(op->res->schema, root, minor, &op->arena, &wrong);
    if (st == JR_OK && wrong.why != NULL)
        st = refuse_decode(op, "%s", wrong.why);
    if (st == JR_OK)
        jr_schema_prune(op->res->schema, root, minor);
    if (st == JR_OK)
        st = set_kind(op->res, root);
    if (st == JR_OK)
        st = jr_dev_clean(root);
    if (st == JR_OK)
        st = check_types(op, root);
    if (st == JR_OK)
        st = jr_dev_strategy_defaults(op->res, root, &op->store->profile);
    return st;
}

static enum jr_status check_namespace(struct jr_dev_op *op, struct jr_node *root)
{
    struct jr_node *meta = jr_get(root, "metadata");
    struct jr_str namespace = jr_get_str(meta, "namespace");

    if (!op->res->namespaced) {
        jr_remove(meta, JR_S("namespace"), NULL);
        return JR_OK;
    }
    if (namespace.n > 0 && !jr_str_eq(namespace, op->namespace))
        return jr_dev_refusef(op, 400, "BadRequest",
                              "the namespace of the provided object does not match the namespace "
                              "sent on the request");
    return jr_set_str(meta, "namespace", op->namespace);
}

enum jr_status jr_dev_body_object(struct jr_dev_op *op, struct jr_str body, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_strict_errors strict = { .arena = &op->arena };
    enum jr_status st;

    if (strcmp(op->content_type, "application/json") != 0 && !is_yaml(op))
        return jr_dev_refusef(op, 415, "UnsupportedMediaType",
                              "the body of the request was in an unknown format - accepted media "
                              "types include: application/json, application/yaml");
    struct jr_strict_errors duplicates = { .arena = &op->arena };
    st = parse(op, body, &duplicates, &doc);
    if (st == JR_OK)
        jr_schema_unknown(op->res->schema, jr_doc_root(doc), op->store->profile.minor, &strict);
    if (st == JR_OK)
        jr_strict_join(&strict, &duplicates);
    op->shares_labels = st == JR_OK && op->res->id == JR_DEV_JOBS &&
                        jr_admission_shares_labels(&jr_admission_job, jr_doc_root(doc));
    if (st == JR_OK)
        st = jr_dev_decoded(op, doc);
    if (st == JR_OK)
        st = report_strict(op, &strict);
    if (st == JR_OK)
        st = check_namespace(op, jr_doc_root(doc));
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}
