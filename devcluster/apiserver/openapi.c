/* Just enough of OpenAPI for kubectl: that a PATCH takes fieldValidation and dryRun. */
#include "common/json/write.h"
#include "devcluster/apiserver/discovery.h"

static void write_operation(struct jr_buf *out, const struct jr_dev_resource *r, bool v3)
{
    static const char *const params[] = { "dryRun", "fieldManager", "fieldValidation" };

    (void)jr_buf_addf(out, "\"/%s%s%s%s/%s%s/{name}\":{\"patch\":{\"description\":\"\",",
                      r->group[0] == '\0' ? "api" : "apis/", r->group, "/", r->version,
                      r->namespaced ? "namespaces/{namespace}/" : "", r->plural);
    (void)jr_buf_adds(out, "\"parameters\":[");
    for (size_t i = 0; i < JR_ARRAY_SIZE(params); i++)
        (void)jr_buf_addf(out, "%s{\"name\":\"%s\",\"in\":\"query\",%s}", i > 0 ? "," : "",
                          params[i],
                          v3 ? "\"schema\":{\"type\":\"string\",\"uniqueItems\":true}"
                             : "\"type\":\"string\",\"uniqueItems\":true");
    (void)jr_buf_addf(out,
                      "],\"responses\":{\"200\":{\"description\":\"OK\"}},"
                      "\"x-kubernetes-action\":\"patch\","
                      "\"x-kubernetes-group-version-kind\":{\"group\":\"%s\",\"kind\":"
                      "\"%s\",\"version\":\"%s\"}}}",
                      r->group, r->kind, r->version);
}

static void write_paths(struct jr_dev_op *op, const char *group, bool v3, struct jr_buf *out)
{
    const struct jr_dev_resource *r = NULL;
    const char *comma = "";

    (void)jr_buf_adds(out, "\"paths\":{");
    while ((r = jr_dev_next_resource(op, group, r)) != NULL) {
        (void)jr_buf_adds(out, comma);
        write_operation(out, r, v3);
        comma = ",";
    }
    (void)jr_buf_addc(out, '}');
}

#define INFO "\"info\":{\"title\":\"jobreeve-devcluster\",\"version\":\"v1\"}"

void jr_dev_openapi_v2(struct jr_dev_op *op)
{
    struct jr_buf *out = jr_dev_answer_json(op, 200);

    (void)jr_buf_adds(out, "{\"swagger\":\"2.0\"," INFO ",");
    write_paths(op, NULL, false, out);
    (void)jr_buf_adds(out, ",\"definitions\":{}}");
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

    (void)jr_buf_adds(out, "{\"openapi\":\"3.0.0\"," INFO ",");
    write_paths(op, group, true, out);
    (void)jr_buf_adds(out, ",\"components\":{\"schemas\":{}}}");
}
