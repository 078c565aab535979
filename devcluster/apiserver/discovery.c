/* What a client asks before it asks for anything: /version, /api, /apis, /openapi. */
#include "devcluster/apiserver/discovery.h"

#include <inttypes.h>

#include "common/json/write.h"

/** The first resource of the i-th group that is served, in the table's order; NULL: there are no
 * more. The core has a list of its own. */
static const struct jr_dev_resource *group_at(const struct jr_dev_op *op, size_t i)
{
    const char *last = "";

    for (size_t r = 0; r < JR_DEV_RESOURCE_COUNT; r++) {
        const struct jr_dev_resource *res = &jr_dev_resources[r];

        if (strcmp(res->group, last) == 0 || !jr_dev_resource_served(res, &op->store->profile))
            continue;
        last = res->group;
        if (i-- == 0)
            return res;
    }
    return NULL;
}

static enum jr_status done(struct jr_dev_op *op)
{
    op->answer.status = 200;
    op->answer.content_type = "application/json";
    return op->answer.body.failed == JR_OK ? JR_OK : JR_NOMEM;
}

static enum jr_status answer_version(struct jr_dev_op *op)
{
    unsigned minor = op->store->profile.minor;
    struct jr_writer w = jr_writer_on(&op->answer.body);
    JR_BUF text = { 0 };
    JR_BUF git = { 0 };

    jr_buf_init(&text, 16);
    jr_buf_init(&git, 64);
    (void)jr_buf_addf(&text, "%u", minor);
    (void)jr_buf_addf(&git, "v1.%u.0+jobreeve-devcluster", minor);
    jr_w_object(&w);
    jr_w_kstr(&w, "major", JR_S("1"));
    jr_w_kstr(&w, "minor", jr_buf_str(&text));
    jr_w_kstr(&w, "gitVersion", jr_buf_str(&git));
    jr_w_kstr(&w, "gitCommit", JR_S(""));
    jr_w_kstr(&w, "gitTreeState", JR_S("clean"));
    jr_w_kstr(&w, "buildDate", JR_S("1970-01-01T00:00:00Z"));
    jr_w_kstr(&w, "goVersion", JR_S("none"));
    jr_w_kstr(&w, "compiler", JR_S("cc"));
    jr_w_kstr(&w, "platform", JR_S("linux"));
    jr_w_object_end(&w);
    return done(op);
}

static enum jr_status answer_versions(struct jr_dev_op *op)
{
    (void)jr_buf_adds(&op->answer.body, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                                        "\"serverAddressByClientCIDRs\":[]}");
    return done(op);
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

static enum jr_status answer_groups(struct jr_dev_op *op)
{
    struct jr_buf *out = &op->answer.body;
    const struct jr_dev_resource *r;

    (void)jr_buf_adds(out, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[");
    for (size_t i = 0; (r = group_at(op, i)) != NULL; i++) {
        (void)jr_buf_adds(out, i > 0 ? "," : "");
        write_group(r, false, out);
    }
    (void)jr_buf_adds(out, "]}");
    return done(op);
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
    JR_BUF name = { 0 };

    jr_buf_init(&name, 256);
    (void)jr_buf_addf(&name, "%s/%s", r->plural, sub);
    jr_w_object(w);
    jr_w_kstr(w, "name", jr_buf_str(&name));
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

static enum jr_status answer_resources(struct jr_dev_op *op, const char *group,
                                       const char *group_version)
{
    struct jr_writer w = jr_writer_on(&op->answer.body);
    JR_BUF version = { 0 };

    jr_buf_init(&version, 128);
    (void)jr_buf_addf(&version, "%s%s%s", group, group[0] == '\0' ? "" : "/", group_version);
    jr_w_object(&w);
    jr_w_kstr(&w, "kind", JR_S("APIResourceList"));
    if (group[0] != '\0')
        jr_w_kstr(&w, "apiVersion", JR_S("v1"));
    jr_w_kstr(&w, "groupVersion", jr_buf_str(&version));
    jr_w_key(&w, "resources");
    jr_w_array(&w);
    for (size_t i = 0; i < JR_DEV_RESOURCE_COUNT; i++) {
        if (strcmp(jr_dev_resources[i].group, group) == 0 &&
            jr_dev_resource_served(&jr_dev_resources[i], &op->store->profile))
            write_resource(&w, &jr_dev_resources[i]);
    }
    jr_w_array_end(&w);
    jr_w_object_end(&w);
    return done(op);
}

/* /apis/GROUP and /apis/GROUP/VERSION; *ret_found says whether it is one of ours. */
static enum jr_status answer_group(struct jr_dev_op *op, struct jr_str rest, bool *ret_found)
{
    struct jr_str group, version = { NULL, 0 };
    const struct jr_dev_resource *r;

    *ret_found = false;
    if (!jr_str_cut(&rest, '/', &group))
        return JR_OK;
    bool more = jr_str_cut(&rest, '/', &version) && version.n > 0;
    for (size_t i = 0; (r = group_at(op, i)) != NULL; i++) {
        if (!jr_str_is(group, r->group) || (more && !jr_str_is(version, r->version)) || rest.n > 0)
            continue;
        *ret_found = true;
        if (more)
            return answer_resources(op, r->group, r->version);
        write_group(r, true, &op->answer.body);
        return done(op);
    }
    return JR_OK;
}

/* ---- dispatch ---- */

static enum jr_status not_found(struct jr_dev_op *op)
{
    (void)jr_buf_adds(&op->answer.body, "404 page not found\n");
    op->answer.status = 404;
    op->answer.content_type = "text/plain; charset=utf-8";
    return op->answer.body.failed == JR_OK ? JR_OK : JR_NOMEM;
}

static enum jr_status answer_path(struct jr_dev_op *op, struct jr_str path, bool *ret_found)
{
    static const struct {
        const char *path;
        enum jr_status (*answer)(struct jr_dev_op *op);
    } fixed[] = {
        { "/version", answer_version },       { "/api", answer_versions },
        { "/apis", answer_groups },           { "/openapi/v2", jr_dev_openapi_v2 },
        { "/openapi/v3", jr_dev_openapi_v3 },
    };
    const struct jr_dev_resource *r;

    *ret_found = true;
    for (size_t i = 0; i < JR_ARRAY_SIZE(fixed); i++) {
        if (jr_str_is(path, fixed[i].path))
            return fixed[i].answer(op);
    }
    if (jr_str_is(path, "/api/v1"))
        return answer_resources(op, "", "v1");
    if (jr_str_is(path, "/openapi/v3/api/v1"))
        return jr_dev_openapi_group(op, "");
    for (size_t i = 0; (r = group_at(op, i)) != NULL; i++) {
        struct jr_str rest = jr_str_from(path, sizeof("/openapi/v3/apis/") - 1), group;

        if (jr_str_starts(path, JR_S("/openapi/v3/apis/")) && jr_str_cut(&rest, '/', &group) &&
            jr_str_is(group, r->group) && jr_str_is(rest, r->version))
            return jr_dev_openapi_group(op, r->group);
    }
    if (jr_str_starts(path, JR_S("/apis/")))
        return answer_group(op, jr_str_from(path, 6), ret_found);
    *ret_found = false;
    return JR_OK;
}

enum jr_status jr_dev_discover(struct jr_dev_op *op, const struct jr_dev_request *req,
                               struct jr_str path)
{
    enum jr_status st;
    bool found;

    while (path.n > 1 && path.p[path.n - 1] == '/')
        path.n--;
    st = answer_path(op, path, &found);
    if (st == JR_OK && !found) {
        bool ours = jr_str_starts(path, JR_S("/api/")) || jr_str_starts(path, JR_S("/apis/"));
        if (!ours)
            return not_found(op);
        return jr_dev_refuse_generic(op, 404, "NotFound",
                                     "the server could not find the requested resource");
    }
    if (st == JR_OK && strcmp(req->method, "GET") != 0 && op->answer.status == 200)
        return jr_dev_refuse_generic(op, 405, "MethodNotAllowed",
                                     "the server does not allow this method on the requested "
                                     "resource");
    return st;
}
