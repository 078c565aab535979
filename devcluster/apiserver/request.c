/* SPDX-License-Identifier: Apache-2.0 */
/* What a request asks: its path, its query, its Accept header. */
#include "common/base/percent.h"
#include "devcluster/apiserver/op.h"

#define SEGMENTS_MAX 8

/* ---- path and query ---- */

/* Undoes %XX and, in a query, '+'; what is no escape stays. */
static struct jr_str unescape(struct jr_arena *a, struct jr_str s, bool query)
{
    char *p = jr_xarena_calloc(a, s.n + 1, 1);
    size_t n = 0;

    for (size_t i = 0; i < s.n; i++) {
        const int byte = jr_percent_byte(jr_str_from(s, i));

        if (byte >= 0)
            p[n++] = (char)byte;
        else
            p[n++] = (char)(query && s.p[i] == '+' ? ' ' : s.p[i]);
        i += byte >= 0 ? 2 : 0;
    }
    return (struct jr_str){ p, n };
}

static void parse_query(struct jr_dev_op *op, struct jr_str query)
{
    struct jr_str part;
    size_t n = 1;

    for (size_t i = 0; i < query.n; i++)
        n += query.p[i] == '&' ? 1 : 0;
    op->params = jr_xarena_calloc(&op->arena, n, sizeof(*op->params));
    while (jr_str_cut(&query, '&', &part)) {
        ptrdiff_t eq = jr_str_find(part, '=');
        struct jr_str key = eq < 0 ? part : jr_str_head(part, (size_t)eq);
        struct jr_str value = eq < 0 ? JR_S("") : jr_str_from(part, (size_t)eq + 1);

        if (part.n > 0)
            op->params[op->n_params++] = (struct jr_dev_param){
                .key = unescape(&op->arena, key, true),
                .value = unescape(&op->arena, value, true),
            };
    }
}

struct jr_str jr_dev_param(const struct jr_dev_op *op, const char *key)
{
    for (size_t i = 0; i < op->n_params; i++) {
        if (jr_str_is(op->params[i].key, key))
            return op->params[i].value;
    }
    return (struct jr_str){ NULL, 0 };
}

bool jr_dev_param_bool(const struct jr_dev_op *op, const char *key)
{
    struct jr_str v = jr_dev_param(op, key);

    /* As Go's conversion of a query: nothing else is false. */
    return v.p != NULL && !jr_str_is(v, "0") && (v.n != 5 || strncasecmp(v.p, "false", 5) != 0);
}

bool jr_dev_param_i64(struct jr_dev_op *op, const char *key, int64_t min, int64_t max, int64_t *ret)
{
    struct jr_str text = jr_dev_param(op, key);

    if (text.p == NULL || jr_parse_i64(text, min, max, ret) == JR_OK)
        return true;
    return jr_dev_refusef(op, 400, "BadRequest",
                          "strconv.ParseInt: parsing \"%.*s\": invalid syntax", JR_P(text));
}

bool jr_dev_param_version(struct jr_dev_op *op, uint64_t *ret)
{
    struct jr_str text = jr_dev_param(op, "resourceVersion");

    return text.n == 0 || jr_parse_u64(text, ret) == JR_OK ||
           jr_dev_refusef(op, 500, NULL,
                          "resourceVersion: Invalid value: \"%.*s\": strconv.ParseUint: "
                          "parsing \"%.*s\": invalid syntax",
                          JR_P(text), JR_P(text));
}

struct segments {
    struct jr_str v[SEGMENTS_MAX];
    size_t n;
    bool more; /* than there is room for */
};

static struct segments split_path(struct jr_dev_op *op, struct jr_str path)
{
    struct segments seg = { .n = 0 };
    struct jr_str part;

    while (jr_str_cut(&path, '/', &part)) {
        if (part.n == 0)
            continue;
        seg.more = seg.n == SEGMENTS_MAX;
        if (seg.more)
            break;
        seg.v[seg.n++] = unescape(&op->arena, part, false);
    }
    return seg;
}

/* What follows the group and the version: [namespaces/NS/]PLURAL[/NAME[/SUB]]. False: no resource.
 */
static bool find_resource(struct jr_dev_op *op, struct jr_str group, struct jr_str version,
                          const struct jr_str *v, size_t n)
{
    const struct jr_dev_resource *nested;

    if (n >= 3 && jr_str_is(v[0], "namespaces")) {
        nested = jr_dev_resource_find(&op->store->profile, group, version, v[2]);
        if (nested != NULL && nested->namespaced) {
            op->namespace = v[1];
            v += 2;
            n -= 2;
        }
    }
    if (n == 0 || n > 3)
        return false;
    op->res = jr_dev_resource_find(&op->store->profile, group, version, v[0]);
    if (op->res == NULL)
        return false;
    op->name = n > 1 ? v[1] : (struct jr_str){ NULL, 0 };
    op->sub = n > 2 ? v[2] : (struct jr_str){ NULL, 0 };
    /* Objects of a namespace can only be reached through it. */
    return n == 1 || !op->res->namespaced || op->namespace.n > 0;
}

static bool sub_exists(const struct jr_dev_op *op)
{
    if (op->sub.n == 0)
        return true;
    if (jr_str_is(op->sub, "status"))
        return op->res->status;
    if (jr_str_is(op->sub, "binding") || jr_str_is(op->sub, "log"))
        return op->res->id == JR_DEV_PODS;
    return jr_str_is(op->sub, "finalize") && op->res->id == JR_DEV_NAMESPACES;
}

/* ---- verbs ---- */

static bool verb_of(struct jr_dev_op *op, const char *method)
{
    static const struct {
        const char *method;
        enum jr_dev_verb one;
        bool on_one;
        enum jr_dev_verb many;
        bool on_many;
    } verbs[] = {
        { "GET", JR_DEV_GET, true, JR_DEV_LIST, true },
        { "POST", JR_DEV_CREATE, false, JR_DEV_CREATE, true },
        { "PUT", JR_DEV_UPDATE, true, JR_DEV_UPDATE, false },
        { "PATCH", JR_DEV_PATCH, true, JR_DEV_PATCH, false },
        { "DELETE", JR_DEV_DELETE, true, JR_DEV_DELETE_COLLECTION, true },
    };
    bool one = op->name.n > 0;

    if (jr_str_is(op->sub, "binding")) {
        op->verb = JR_DEV_CREATE;
        return strcmp(method, "POST") == 0;
    }
    if (jr_str_is(op->sub, "log")) {
        op->verb = JR_DEV_GET;
        return strcmp(method, "GET") == 0;
    }
    if (jr_str_is(op->sub, "finalize")) {
        op->verb = JR_DEV_UPDATE;
        return strcmp(method, "PUT") == 0;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(verbs); i++) {
        if (strcmp(verbs[i].method, method) != 0)
            continue;
        op->verb = one ? verbs[i].one : verbs[i].many;
        if (op->sub.n > 0 && op->verb == JR_DEV_DELETE)
            return false;
        /* All namespaces at once can be read, not written; namespaces not deleted at once. */
        if (!one && op->verb != JR_DEV_LIST && op->res->namespaced && op->namespace.n == 0)
            return false;
        if (op->verb == JR_DEV_DELETE_COLLECTION && op->res->id == JR_DEV_NAMESPACES)
            return false;
        return one ? verbs[i].on_one : verbs[i].on_many;
    }
    return false;
}

static const char *const option_kinds[] = {
    [JR_DEV_CREATE] = "CreateOptions",
    [JR_DEV_UPDATE] = "UpdateOptions",
    [JR_DEV_PATCH] = "PatchOptions",
    [JR_DEV_DELETE] = "DeleteOptions",
    [JR_DEV_DELETE_COLLECTION] = "DeleteOptions",
};

bool jr_dev_dry_run(struct jr_dev_op *op, struct jr_str value)
{
    op->dry_run = jr_str_is(value, "All");
    return op->dry_run ||
           jr_dev_refuse_option(op, option_kinds[op->verb], "dryRun", "FieldValueNotSupported",
                                "Unsupported value: [\"%.*s\"]: supported values: \"All\"",
                                JR_P(value));
}

static bool parse_flags(struct jr_dev_op *op)
{
    struct jr_str validation = jr_dev_param(op, "fieldValidation");

    if (op->verb < JR_DEV_CREATE)
        return true;
    for (size_t i = 0; i < op->n_params; i++) {
        if (jr_str_is(op->params[i].key, "dryRun") && !jr_dev_dry_run(op, op->params[i].value))
            return false;
    }
    if (jr_dev_param(op, "fieldManager").n > 128)
        return jr_dev_refuse_option(op, option_kinds[op->verb], "fieldManager", "FieldValueTooLong",
                                    "Too long: may not be more than 128 bytes");
    if (op->verb == JR_DEV_PATCH && jr_dev_param_bool(op, "force"))
        return jr_dev_refuse_option(op, "PatchOptions", "force", "FieldValueForbidden",
                                    "Forbidden: may not be specified for non-apply patch");
    if (jr_str_is(validation, "Strict"))
        op->validation = JR_DEV_VALIDATE_STRICT;
    else if (jr_str_is(validation, "Ignore"))
        op->validation = JR_DEV_VALIDATE_IGNORE;
    else if (validation.n > 0 && !jr_str_is(validation, "Warn"))
        return jr_dev_refuse_option(op, option_kinds[op->verb], "fieldValidation",
                                    "FieldValueNotSupported",
                                    "Unsupported value: \"%.*s\": supported values: \"\", "
                                    "\"Ignore\", \"Strict\", \"Warn\"",
                                    JR_P(validation));
    return true;
}

static bool resource_request(struct jr_dev_op *op, struct jr_str path, const struct segments *seg,
                             const char *method)
{
    bool core = jr_str_is(seg->v[0], "api");
    size_t skip = core ? 2 : 3;

    if (!find_resource(op, core ? JR_S("") : seg->v[1], core ? seg->v[1] : seg->v[2], seg->v + skip,
                       seg->n - skip) ||
        seg->more || !sub_exists(op)) {
        op->res = NULL;
        return jr_dev_refuse_path(op, path);
    }
    if (!verb_of(op, method))
        return jr_dev_refuse_method(op);
    if (op->verb == JR_DEV_LIST && jr_dev_param_bool(op, "watch"))
        op->verb = JR_DEV_WATCH;
    return parse_flags(op);
}

bool jr_dev_request_parse(struct jr_dev_op *op, const struct jr_dev_request *req,
                          struct jr_str *ret_special)
{
    struct jr_str path = jr_str(req->path), media;
    struct jr_str type =
        req->content_type == NULL ? JR_S("application/json") : jr_str(req->content_type);
    ptrdiff_t query = jr_str_find(path, '?');
    struct segments seg;

    (void)jr_str_cut(&type, ';', &media);
    op->content_type = jr_xarena_str(&op->arena, jr_str_trim(media)).p;
    op->as_of = req->as_of;
    op->user =
        jr_xarena_str(&op->arena, jr_str(req->user == NULL ? "system:anonymous" : req->user));
    if (query >= 0) {
        parse_query(op, jr_str_from(path, (size_t)query + 1));
        path = jr_str_head(path, (size_t)query);
    }
    seg = split_path(op, path);
    *ret_special = (struct jr_str){ NULL, 0 };
    if ((seg.n > 2 && jr_str_is(seg.v[0], "api")) || (seg.n > 3 && jr_str_is(seg.v[0], "apis")))
        return req->more_of_user
                   ? jr_dev_refuse_generic(op, 400, "BadRequest",
                                           "the devcluster's users have names alone: of "
                                           "impersonation it serves Impersonate-User (--as)")
                   : resource_request(op, path, &seg, req->method);
    *ret_special = path;
    return true;
}

/* ---- Accept ---- */

/* A parameter of one alternative, "application/json;as=Table;g=meta.k8s.io". */
static struct jr_str media_param(struct jr_str media, const char *key)
{
    struct jr_str part;

    while (jr_str_cut(&media, ';', &part)) {
        struct jr_str p = jr_str_trim(part);
        ptrdiff_t eq = jr_str_find(p, '=');

        if (eq >= 0 && jr_str_is(jr_str_head(p, (size_t)eq), key))
            return jr_str_from(p, (size_t)eq + 1);
    }
    return (struct jr_str){ NULL, 0 };
}

/* Whether we can speak this alternative. */
static bool acceptable(const struct jr_dev_op *op, struct jr_str media, enum jr_dev_format *ret)
{
    bool list = op->verb == JR_DEV_LIST || op->verb == JR_DEV_DELETE_COLLECTION;
    struct jr_str rest = media, type;
    struct jr_str as = media_param(media, "as");
    struct jr_str v = media_param(media, "v");

    if (!jr_str_cut(&rest, ';', &type))
        return false;
    type = jr_str_trim(type);
    if (!jr_str_is(type, "application/json") && !jr_str_is(type, "*/*") &&
        !jr_str_is(type, "application/*"))
        return false;
    *ret = JR_DEV_FORMAT_OBJECT;
    if (as.n == 0)
        return true;
    if (!jr_str_is(media_param(media, "g"), "meta.k8s.io") ||
        (!jr_str_is(v, "v1") && !jr_str_is(v, "v1beta1")))
        return false;
    *ret = jr_str_is(as, "Table") ? JR_DEV_FORMAT_TABLE : JR_DEV_FORMAT_PARTIAL;
    return jr_str_is(as, "Table") ||
           jr_str_is(as, list ? "PartialObjectMetadataList" : "PartialObjectMetadata");
}

bool jr_dev_negotiate(struct jr_dev_op *op, const char *accept)
{
    struct jr_str rest = jr_str(accept), media;

    if (accept == NULL || jr_str_trim(rest).n == 0)
        return true;
    while (jr_str_cut(&rest, ',', &media)) {
        if (acceptable(op, jr_str_trim(media), &op->format))
            return true;
    }
    return jr_dev_refusef(op, 406, "NotAcceptable",
                          "only the following media types are accepted: application/json");
}
