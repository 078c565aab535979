/* SPDX-License-Identifier: Apache-2.0 */
/* OpenAPI for kubectl: that a PATCH takes fieldValidation and dryRun, and the types of
 * common/schema, by which kubectl explains fields and makes patches. */
#include "common/json/write.h"
#include "devcluster/apiserver/discovery.h"

/* ---- paths ---- */

static void write_gvk(struct jr_buf *out, const struct jr_dev_resource *r)
{
    (void)jr_buf_addf(out, "{\"group\":\"%s\",\"kind\":\"%s\",\"version\":\"%s\"}", r->group,
                      r->kind, r->version);
}

static void write_operation(struct jr_buf *out, const struct jr_dev_resource *r, const char *verb)
{
    static const char *const params[] = { "dryRun", "fieldManager", "fieldValidation" };
    bool patch = strcmp(verb, "patch") == 0;

    (void)jr_buf_addf(out, "\"%s\":{\"description\":\"\",\"parameters\":[", verb);
    for (size_t i = 0; patch && i < JR_ARRAY_SIZE(params); i++)
        (void)jr_buf_addf(out,
                          "%s{\"name\":\"%s\",\"in\":\"query\",\"schema\":{\"type\":\"string\","
                          "\"uniqueItems\":true}}",
                          i > 0 ? "," : "", params[i]);
    (void)jr_buf_addf(out,
                      "],\"responses\":{\"200\":{\"description\":\"OK\"}},"
                      "\"x-kubernetes-action\":\"%s\",\"x-kubernetes-group-version-kind\":",
                      verb);
    write_gvk(out, r);
    (void)jr_buf_addc(out, '}');
}

static void write_paths(struct jr_dev_op *op, const char *group, struct jr_buf *out)
{
    const struct jr_dev_resource *r = NULL;
    const char *comma = "";

    (void)jr_buf_adds(out, "\"paths\":{");
    while ((r = jr_dev_next_resource(op, group, r)) != NULL) {
        (void)jr_buf_addf(out, "%s\"/%s%s/%s/%s%s/{name}\":{", comma,
                          r->group[0] == '\0' ? "api" : "apis/", r->group, r->version,
                          r->namespaced ? "namespaces/{namespace}/" : "", r->plural);
        write_operation(out, r, "get");
        (void)jr_buf_addc(out, ',');
        write_operation(out, r, "patch");
        (void)jr_buf_addc(out, '}');
        comma = ",";
    }
    (void)jr_buf_addc(out, '}');
}

/* ---- types ---- */

/* The types of a document, each once. */
struct types {
    const struct jr_schema_type **v;
    size_t n;
    size_t cap;
};

static void add_type(struct types *t, const struct jr_schema_type *type)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->v[i] == type)
            return;
    }
    t->v = jr_xvec_room(t->v, t->n, &t->cap, sizeof(type));
    t->v[t->n++] = type;
}

/* The schema of a field's value, or of each element of a list. */
static void write_value(const struct jr_schema_field *f, struct jr_buf *out)
{
    static const char *const texts[] = {
        [JR_SCHEMA_ANY] = "\"type\":\"object\"",
        [JR_SCHEMA_STRING] = "\"type\":\"string\"",
        [JR_SCHEMA_INT32] = "\"type\":\"integer\",\"format\":\"int32\"",
        [JR_SCHEMA_INT64] = "\"type\":\"integer\",\"format\":\"int64\"",
        [JR_SCHEMA_BOOL] = "\"type\":\"boolean\"",
        [JR_SCHEMA_TIME] = "\"type\":\"string\",\"format\":\"date-time\"",
        [JR_SCHEMA_STRINGS] = "\"type\":\"string\"",
        [JR_SCHEMA_INT32S] = "\"type\":\"integer\",\"format\":\"int32\"",
        [JR_SCHEMA_INT64S] = "\"type\":\"integer\",\"format\":\"int64\"",
        [JR_SCHEMA_STRING_MAP] =
            "\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}",
        [JR_SCHEMA_QUANTITY] = "\"type\":\"string\"",
        [JR_SCHEMA_QUANTITIES] =
            "\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}",
        [JR_SCHEMA_INT_OR_STRING] = "\"type\":\"string\",\"format\":\"int-or-string\"",
    };

    if (f->of == NULL)
        (void)jr_buf_adds(out, texts[f->kind]);
    else
        (void)jr_buf_addf(out, "\"$ref\":\"#/components/schemas/%s\"", f->of->go_type);
}

/* How the list is written by several. Of volumes a patch says which members of one it retains. */
static void write_list(const struct jr_schema_field *f, struct jr_buf *out)
{
    static const char *const lists[] = { [JR_SCHEMA_LIST_ATOMIC] = "atomic",
                                         [JR_SCHEMA_LIST_SET] = "set",
                                         [JR_SCHEMA_LIST_MAP] = "map" };
    struct jr_str keys = jr_str(f->keys), key;
    const char *comma = "";

    (void)jr_buf_addf(out, "},\"x-kubernetes-list-type\":\"%s\"", lists[f->list]);
    if (f->list == JR_SCHEMA_LIST_MAP) {
        (void)jr_buf_adds(out, ",\"x-kubernetes-list-map-keys\":[");
        for (; jr_str_cut(&keys, ',', &key); comma = ",")
            (void)jr_buf_addf(out, "%s\"%.*s\"", comma, JR_P(key));
        (void)jr_buf_addc(out, ']');
    }
    if (f->merge)
        (void)jr_buf_addf(out, ",\"x-kubernetes-patch-strategy\":\"merge%s\"",
                          f->of == &jr_schema_volume ? ",retainKeys" : "");
    if (f->merge && f->keys != NULL)
        (void)jr_buf_addf(out, ",\"x-kubernetes-patch-merge-key\":\"%.*s\"",
                          JR_P(jr_schema_merge_key(f)));
}

static void write_fields(const struct jr_schema_type *type, unsigned minor, struct types *t,
                         struct jr_buf *out)
{
    for (const struct jr_schema_field *f = type->fields; f->name != NULL; f++) {
        bool list = f->kind == JR_SCHEMA_LIST || f->kind == JR_SCHEMA_STRINGS ||
                    f->kind == JR_SCHEMA_INT32S || f->kind == JR_SCHEMA_INT64S;

        if (!jr_schema_known(f, minor))
            continue;
        if (f->of != NULL)
            add_type(t, f->of);
        (void)jr_buf_addf(out, ",\"%s\":{%s", f->name,
                          list ? "\"type\":\"array\",\"items\":{" : "");
        write_value(f, out);
        if (list)
            write_list(f, out);
        (void)jr_buf_addc(out, '}');
    }
    if (type->embedded != NULL)
        write_fields(type->embedded, minor, t, out);
}

/* A type; r: the resource whose kind it is, NULL of none. */
static void write_type(const struct jr_schema_type *type, const struct jr_dev_resource *r,
                       unsigned minor, struct types *t, struct jr_buf *out)
{
    size_t at;

    (void)jr_buf_addf(out, "\"%s\":{\"type\":\"object\",\"properties\":", type->go_type);
    at = out->n;
    write_fields(type, minor, t, out);
    jr_must(out->n == at ? jr_buf_addc(out, '{') : out->failed);
    out->p[at] = '{'; /* in the place of a comma */
    (void)jr_buf_addc(out, '}');
    if (r != NULL) {
        (void)jr_buf_adds(out, ",\"x-kubernetes-group-version-kind\":[");
        write_gvk(out, r);
        (void)jr_buf_addc(out, ']');
    }
    (void)jr_buf_addc(out, '}');
}

static void write_types(struct jr_dev_op *op, const char *group, struct jr_buf *out)
{
    const unsigned minor = op->store->profile.version.minor;
    const struct jr_dev_resource *r = NULL;
    struct types t = { .n = 0 };

    while ((r = jr_dev_next_resource(op, group, r)) != NULL)
        add_type(&t, r->schema);
    for (size_t i = 0; i < t.n; i++) {
        r = NULL;
        do {
            r = jr_dev_next_resource(op, group, r);
        } while (r != NULL && r->schema != t.v[i]);
        (void)jr_buf_adds(out, i > 0 ? "," : "");
        write_type(t.v[i], r, minor, &t, out);
    }
    free(t.v);
}

/* ---- documents ---- */

#define TITLE "jobreeve-devcluster"

/* Just enough of one: the fields swagger, info {title, version} and, empty, paths and definitions
 * of gnostic's openapi.v2.Document. What kubectl looks for in it is in the documents of version 3.
 */
void jr_dev_openapi_v2(struct jr_dev_op *op)
{
    (void)jr_buf_add(jr_dev_answer_json(op, 200), JR_S("\x0a\x03"
                                                       "2.0"
                                                       "\x12\x19\x0a\x13" TITLE "\x12\x02v1"
                                                       "\x42\0\x4a\0"));
    op->answer.content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
}

void jr_dev_openapi_v2_json(struct jr_dev_op *op)
{
    (void)jr_buf_adds(jr_dev_answer_json(op, 200),
                      "{\"swagger\":\"2.0\",\"info\":{\"title\":\"" TITLE
                      "\",\"version\":\"v1\"},\"paths\":{},\"definitions\":{}}");
}

void jr_dev_openapi_v3(struct jr_dev_op *op)
{
    struct jr_buf *out = jr_dev_answer_json(op, 200);
    const struct jr_dev_resource *r = NULL;
    const char *comma = "";

    (void)jr_buf_adds(out, "{\"paths\":{");
    while ((r = jr_dev_next_group(op, r)) != NULL) {
        const char *kind = r->group[0] == '\0' ? "api" : "apis/";

        (void)jr_buf_addf(out, "%s\"%s%s/%s\":{\"serverRelativeURL\":\"/openapi/v3/%s%s/%s\"}",
                          comma, kind, r->group, r->version, kind, r->group, r->version);
        comma = ",";
    }
    (void)jr_buf_adds(out, "}}");
}

void jr_dev_openapi_group(struct jr_dev_op *op, const char *group)
{
    struct jr_buf *out = jr_dev_answer_json(op, 200);

    (void)jr_buf_adds(out, "{\"openapi\":\"3.0.0\",\"info\":{\"title\":\"" TITLE
                           "\",\"version\":\"v1\"},");
    write_paths(op, group, out);
    (void)jr_buf_adds(out, ",\"components\":{\"schemas\":{");
    write_types(op, group, out);
    (void)jr_buf_adds(out, "}}}");
}
