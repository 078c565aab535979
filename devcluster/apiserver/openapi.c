/* Just enough of OpenAPI for kubectl: that a PATCH takes fieldValidation and dryRun. */
#include "common/json/write.h"
#include "devcluster/apiserver/discovery.h"

static enum jr_status done(struct jr_dev_op *op)
{
    op->answer.status = 200;
    op->answer.content_type = "application/json";
    return op->answer.body.failed == JR_OK ? JR_OK : JR_NOMEM;
}

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

static void write_paths(struct jr_dev_op *op, const char *group, bool v3)
{
    struct jr_buf *out = &op->answer.body;
    bool any = false;

    (void)jr_buf_adds(out, "\"paths\":{");
    for (size_t i = 0; i < JR_DEV_RESOURCE_COUNT; i++) {
        if ((group != NULL && strcmp(jr_dev_resources[i].group, group) != 0) ||
            !jr_dev_resource_served(&jr_dev_resources[i], &op->store->profile))
            continue;
        (void)jr_buf_adds(out, any ? "," : "");
        write_operation(out, &jr_dev_resources[i], v3);
        any = true;
    }
    (void)jr_buf_addc(out, '}');
}

#define INFO "\"info\":{\"title\":\"jobreeve-devcluster\",\"version\":\"v1\"}"

enum jr_status jr_dev_openapi_v2(struct jr_dev_op *op)
{
    (void)jr_buf_adds(&op->answer.body, "{\"swagger\":\"2.0\"," INFO ",");
    write_paths(op, NULL, false);
    (void)jr_buf_adds(&op->answer.body, ",\"definitions\":{}}");
    return done(op);
}

enum jr_status jr_dev_openapi_v3(struct jr_dev_op *op)
{
    struct jr_buf *out = &op->answer.body;
    const char *last = NULL;

    (void)jr_buf_adds(out, "{\"paths\":{");
    for (size_t i = 0; i < JR_DEV_RESOURCE_COUNT; i++) {
        const struct jr_dev_resource *r = &jr_dev_resources[i];
        const char *kind = r->group[0] == '\0' ? "api" : "apis/";

        if (!jr_dev_resource_served(r, &op->store->profile) ||
            (last != NULL && strcmp(last, r->group) == 0)) /* the table is sorted by group */
            continue;
        (void)jr_buf_addf(out, "%s\"%s%s/%s\":{\"serverRelativeURL\":\"/openapi/v3/%s%s/%s\"}",
                          last == NULL ? "" : ",", kind, r->group, r->version, kind, r->group,
                          r->version);
        last = r->group;
    }
    (void)jr_buf_adds(out, "}}");
    return done(op);
}

enum jr_status jr_dev_openapi_group(struct jr_dev_op *op, const char *group)
{
    (void)jr_buf_adds(&op->answer.body, "{\"openapi\":\"3.0.0\"," INFO ",");
    write_paths(op, group, true);
    (void)jr_buf_adds(&op->answer.body, ",\"components\":{\"schemas\":{}}}");
    return done(op);
}
