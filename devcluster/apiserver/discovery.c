/* SPDX-License-Identifier: Apache-2.0 */
/* What a client asks before it asks for anything: /version, /api, /apis, /openapi, and of /metrics
 * which feature gates are on. */
#include "devcluster/apiserver/discovery.h"

#include <stdio.h>

#include "common/json/write.h"

const struct jr_dev_resource *jr_dev_next_resource(const struct jr_dev_op *op, const char *group,
                                                   const struct jr_dev_resource *r)
{
    const struct jr_dev_resource *end = jr_dev_resources + JR_DEV_RESOURCE_COUNT;

    for (r = r == NULL ? jr_dev_resources : r + 1; r < end; r++) {
        if ((group == NULL || strcmp(r->group, group) == 0) &&
            jr_dev_resource_served(r, &op->store->profile))
            return r;
    }
    return NULL;
}

const struct jr_dev_resource *jr_dev_next_group(const struct jr_dev_op *op,
                                                const struct jr_dev_resource *r)
{
    const char *last = r == NULL ? NULL : r->group;

    do {
        r = jr_dev_next_resource(op, NULL, r);
    } while (r != NULL && last != NULL && strcmp(r->group, last) == 0);
    return r;
}

static void answer_version(struct jr_dev_op *op)
{
    const struct jr_kube_version v = op->store->profile.version;

    (void)jr_buf_addf(jr_dev_answer_json(op, 200),
                      "{\"major\":\"1\",\"minor\":\"%u\","
                      "\"gitVersion\":\"v1.%u.%u+jobreeve-devcluster\",\"gitCommit\":\"\","
                      "\"gitTreeState\":\"clean\",\"buildDate\":\"1970-01-01T00:00:00Z\","
                      "\"goVersion\":\"none\",\"compiler\":\"cc\",\"platform\":\"linux\"}",
                      v.minor, v.minor, v.patch);
}

static void answer_metrics(struct jr_dev_op *op)
{
    const struct jr_profile *p = &op->store->profile;
    struct jr_buf *out = jr_dev_answer_json(op, 200);

    op->answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
    (void)jr_buf_addf(out,
                      "# HELP kubernetes_build_info [ALPHA] The version.\n"
                      "# TYPE kubernetes_build_info gauge\n"
                      "kubernetes_build_info{git_version=\"v1.%u.%u+jobreeve-devcluster\","
                      "major=\"1\",minor=\"%u\"} 1\n"
                      "# HELP kubernetes_feature_enabled [BETA] Gates that rules depend on.\n"
                      "# TYPE kubernetes_feature_enabled gauge\n",
                      p->version.minor, p->version.patch, p->version.minor);
    for (size_t i = 0; i < JR_GATE_COUNT; i++) {
        if (jr_profile_can_set(p, (enum jr_gate_id)i))
            (void)jr_buf_addf(out, "kubernetes_feature_enabled{name=\"%s\",stage=\"\"} %d\n",
                              jr_gate_name((enum jr_gate_id)i), p->gates[i]);
    }
}

static void answer_versions(struct jr_dev_op *op)
{
    (void)jr_buf_adds(jr_dev_answer_json(op, 200),
                      "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                      "\"serverAddressByClientCIDRs\":[]}");
}

static void write_group(const struct jr_dev_resource *r, bool alone, struct jr_buf *out)
{
    const char *g = r->group, *v = r->version;

    (void)jr_buf_addf(out,
                      "{%s\"name\":\"%s\",\"versions\":[{\"groupVersion\":\"%s/%s\","
                      "\"version\":\"%s\"}],\"preferredVersion\":{\"groupVersion\":\"%s/%s\","
                      "\"version\":\"%s\"}}",
                      alone ? "\"kind\":\"APIGroup\",\"apiVersion\":\"v1\"," : "", g, g, v, v, g, v,
                      v);
}

/* The core has a list of its own. */
static void answer_groups(struct jr_dev_op *op)
{
    struct jr_buf *out = jr_dev_answer_json(op, 200);
    const struct jr_dev_resource *r = NULL;
    bool any = false;

    (void)jr_buf_adds(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    while ((r = jr_dev_next_group(op, r)) != NULL) {
        if (r->group[0] == '\0')
            continue;
        (void)jr_buf_adds(out, any ? "," : "");
        write_group(r, false, out);
        any = true;
    }
    (void)jr_buf_adds(out, "]}");
}

/* ---- resources ---- */

static void write_texts(struct jr_writer *w, const char *key, const char *list)
{
    struct jr_str rest = jr_str(list), part;

    jr_w_key(w, key);
    jr_w_array(w);
    while (jr_str_cut(&rest, ',', &part))
        jr_w_str(w, part);
    jr_w_array_end(w);
}

static void write_sub(struct jr_writer *w, const struct jr_dev_resource *r, const char *sub,
                      const char *kind, const char *verbs)
{
    char name[128];

    (void)snprintf(name, sizeof(name), "%s/%s", r->plural, sub);
    jr_w_object(w);
    jr_w_kstr(w, "name", jr_str(name));
    jr_w_kstr(w, "singularName", JR_S(""));
    jr_w_kbool(w, "namespaced", r->namespaced);
    jr_w_kstr(w, "kind", jr_str(kind));
    write_texts(w, "verbs", verbs);
    jr_w_object_end(w);
}

static void write_resource(struct jr_writer *w, const struct jr_dev_resource *r)
{
    jr_w_object(w);
    jr_w_kstr(w, "name", jr_str(r->plural));
    jr_w_kstr(w, "singularName", jr_str(r->singular));
    jr_w_kbool(w, "namespaced", r->namespaced);
    jr_w_kstr(w, "kind", jr_str(r->kind));
    write_texts(w, "verbs",
                r->id == JR_DEV_NAMESPACES ? "create,delete,get,list,patch,update,watch"
                                           : "create,delete,deletecollection,get,list,patch,update,"
                                             "watch");
    if (r->short_names != NULL)
        write_texts(w, "shortNames", r->short_names);
    if (r->all)
        write_texts(w, "categories", "all");
    jr_w_object_end(w);
    if (r->id == JR_DEV_PODS)
        write_sub(w, r, "binding", "Binding", "create");
    if (r->id == JR_DEV_NAMESPACES)
        write_sub(w, r, "finalize", r->kind, "update");
    if (r->status)
        write_sub(w, r, "status", r->kind, "get,patch,update");
}

static void answer_resources(struct jr_dev_op *op, const char *group, const char *group_version)
{
    struct jr_writer w = jr_writer_on(jr_dev_answer_json(op, 200));
    const struct jr_dev_resource *r = NULL;
    char version[128];

    (void)snprintf(version, sizeof(version), "%s%s%s", group, group[0] == '\0' ? "" : "/",
                   group_version);
    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("APIResourceList"));
    if (group[0] != '\0')
        jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "groupVersion", jr_str(version));
    jr_w_key(&w, "resources");
    jr_w_array(&w);
    while ((r = jr_dev_next_resource(op, group, r)) != NULL)
        write_resource(&w, r);
    jr_w_array_end(&w);
    jr_w_object_end(&w);
}

/* ---- dispatch ---- */

/* The group that a path names behind the prefix, GROUP or GROUP/VERSION; NULL: none of ours. */
static const struct jr_dev_resource *group_of(const struct jr_dev_op *op, struct jr_str path,
                                              const char *prefix, bool *ret_versioned)
{
    const struct jr_dev_resource *r = NULL;
    struct jr_str rest = jr_str_from(path, strlen(prefix)), group;

    if (!jr_str_starts(path, jr_str(prefix)) || !jr_str_cut(&rest, '/', &group) || group.n == 0)
        return NULL;
    *ret_versioned = rest.n > 0;
    do {
        r = jr_dev_next_group(op, r);
    } while (r != NULL &&
             (!jr_str_is(group, r->group) || (rest.n > 0 && !jr_str_is(rest, r->version))));
    return r;
}

static bool wants_protobuf(const char *accept)
{
    return accept != NULL && strstr(accept, "protobuf") != NULL && strstr(accept, "json") == NULL;
}

static bool answer_path(struct jr_dev_op *op, const struct jr_dev_request *req, struct jr_str path)
{
    static const struct {
        const char *path;
        void (*answer)(struct jr_dev_op *op);
    } fixed[] = {
        { "/version", answer_version },       { "/metrics", answer_metrics },
        { "/api", answer_versions },          { "/apis", answer_groups },
        { "/openapi/v3", jr_dev_openapi_v3 }, { "/openapi/v2", jr_dev_openapi_v2_json },
    };
    const struct jr_dev_resource *r;
    bool versioned;

    if (jr_str_is(path, "/openapi/v2") && wants_protobuf(req->accept)) {
        jr_dev_openapi_v2(op);
        return true;
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(fixed); i++) {
        if (jr_str_is(path, fixed[i].path)) {
            fixed[i].answer(op);
            return true;
        }
    }
    if (jr_str_is(path, "/api/v1")) {
        answer_resources(op, "", "v1");
    } else if (jr_str_is(path, "/openapi/v3/api/v1")) {
        jr_dev_openapi_group(op, "");
    } else if ((r = group_of(op, path, "/openapi/v3/apis/", &versioned)) != NULL && versioned) {
        jr_dev_openapi_group(op, r->group);
    } else if ((r = group_of(op, path, "/apis/", &versioned)) != NULL) {
        if (versioned)
            answer_resources(op, r->group, r->version);
        else
            write_group(r, true, jr_dev_answer_json(op, 200));
    } else {
        return false;
    }
    return true;
}

bool jr_dev_discover(struct jr_dev_op *op, const struct jr_dev_request *req, struct jr_str path)
{
    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    if (answer_path(op, req, path))
        return strcmp(req->method, "GET") == 0 || jr_dev_refuse_method(op);
    if (jr_str_starts(path, JR_S("/api/")) || jr_str_starts(path, JR_S("/apis/")))
        return jr_dev_refuse_path(op, path);
    (void)jr_buf_adds(jr_dev_answer_json(op, 404), "404 page not found\n");
    op->answer.content_type = "text/plain; charset=utf-8";
    return false;
}
