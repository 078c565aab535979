/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/controller/scenario_api.h"

#include <stdio.h>

static bool has(struct jr_str s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static enum world_call classify_patch(struct jr_str body)
{
    if (has(body, "\"$patch\":\"delete\""))
        return CALL_RELEASE;
    if (has(body, "\"ownerReferences\""))
        return CALL_ADOPT;
    return has(body, "$deleteFromPrimitiveList/finalizers") ? CALL_UNFINALIZE : CALL_UNKNOWN;
}

enum world_call world_classify(const struct jr_scripted_call *call, struct jr_str *ret_name)
{
    ptrdiff_t slash = jr_str_rfind(call->path, '/');

    *ret_name = jr_str_from(call->path, (size_t)(slash + 1));
    if (jr_str_is(call->method, "GET"))
        return CALL_GET_JOB;
    if (jr_str_is(call->method, "PUT"))
        return jr_str_ends(call->path, JR_S("/status")) ? CALL_PUT_STATUS : CALL_UNKNOWN;
    if (jr_str_is(call->method, "DELETE"))
        return CALL_DELETE;
    if (jr_str_is(call->method, "PATCH"))
        return classify_patch(call->body);
    if (jr_str_ends(call->path, JR_S("/pods")))
        return CALL_CREATE;
    if (jr_str_ends(call->path, JR_S("/workloads")))
        return CALL_WORKLOAD;
    return jr_str_ends(call->path, JR_S("/podgroups")) ? CALL_POD_GROUP : CALL_UNKNOWN;
}

/* ---- errors, by the names of the file ---- */

struct failure {
    const char *name;
    int status;
    const char *reason;
    const char *message;
    const char *cause;
};
static const struct failure failures[] = {
    { "internal", 500, "InternalError", "Internal error occurred: fake error", NULL },
    { "notFound", 404, "NotFound", "pods not found", NULL },
    { "conflict", 409, "Conflict",
      "Operation cannot be fulfilled on jobs.batch \"demo\": the object has been modified", NULL },
    { "quotaForbidden", 403, "Forbidden", "pods is forbidden: exceeded quota: fake-quota", NULL },
    { "namespaceTerminating", 403, "Forbidden", "namespace is being terminated",
      "NamespaceTerminating" },
};

static struct jr_scripted_answer with(struct world *w, int status, struct jr_str body)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = status };

    if (!jr_arena_str(&w->arena, body, &a.body))
        w->broken = true;
    return a;
}

static struct jr_scripted_answer refuse(struct world *w, struct jr_str name)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, 4096);
    for (size_t i = 0; i < JR_ARRAY_SIZE(failures); i++) {
        const struct failure *f = &failures[i];
        struct jr_cause cause = { .reason = jr_str(f->cause) };
        struct jr_api_status s = { .code = f->status,
                                   .status = JR_S("Failure"),
                                   .reason = jr_str(f->reason),
                                   .message = jr_str(f->message) };

        if (!jr_str_is(name, f->name))
            continue;
        s.details.causes.v = &cause;
        s.details.causes.n = f->cause != NULL;
        if (jr_api_status_write(&s, &out) != JR_OK)
            w->broken = true;
        return with(w, f->status, jr_buf_str(&out));
    }
    w->broken = true;
    return with(w, 500, JR_S(""));
}

/* ---- answers ---- */

static struct jr_scripted_answer created(struct world *w, const struct jr_scripted_call *call)
{
    const struct jr_node *api = jr_get(w->row, "api");
    const struct jr_node *error = jr_get(api, "podCreateError");
    size_t ok = (size_t)jr_node_i64_or(jr_get(api, "podCreateSucceedsTimes"), 0);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *pod = NULL;
    JR_BUF out = { 0 };

    jr_buf_init(&out, 4096);
    if (w->create_attempts++ >= ok && error != NULL)
        return refuse(w, jr_node_str(error));
    if (jr_doc_parse(call->body, &JR_READER_STRICT, &pod, NULL) != JR_OK)
        w->broken = true;
    else
        (void)jr_buf_addf(&out,
                          "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                          "\"metadata\":{\"name\":\"%.*sxxxxx\",\"uid\":\"new-%zu\","
                          "\"resourceVersion\":\"%zu\"}}",
                          JR_P(jr_get_str(jr_get(jr_doc_root(pod), "metadata"), "generateName")),
                          w->creates, 1000 + w->creates);
    w->creates++;
    return with(w, 201, jr_buf_str(&out));
}

/** Answers a call on a Pod: the error that the row has for it, or its bare metadata. */
static struct jr_scripted_answer on_pod(struct world *w, const char *errors, struct jr_str name)
{
    const struct jr_node *error = jr_getn(jr_get(jr_get(w->row, "api"), errors), name);
    JR_BUF out = { 0 };

    jr_buf_init(&out, 4096);
    if (error != NULL)
        return refuse(w, jr_node_str(error));
    (void)jr_buf_addf(&out, "{\"metadata\":{\"name\":\"%.*s\",\"resourceVersion\":\"30\"}}",
                      JR_P(name));
    return with(w, 200, jr_buf_str(&out));
}

/** The object as sent, with a uid. */
static struct jr_scripted_answer made(struct world *w, const struct jr_scripted_call *call,
                                      const char *uid)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    if (jr_doc_parse(call->body, &JR_READER_STRICT, &doc, NULL) != JR_OK ||
        jr_set_str(jr_get(jr_doc_root(doc), "metadata"), "uid", jr_str(uid)) != JR_OK) {
        w->broken = true;
        return with(w, 500, JR_S(""));
    }
    return with(w, 201, world_text(w, jr_doc_root(doc)));
}

/** The Job as sent, one version on. */
static struct jr_scripted_answer put_status(struct world *w, const struct jr_scripted_call *call)
{
    const struct jr_node *error =
        jr_at(jr_get(jr_get(w->row, "api"), "statusUpdateErrors"), w->put_attempts++);
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *meta;
    struct jr_str before = w->cached;
    char version[24];

    if (error != NULL && jr_node_str(error).n > 0)
        return refuse(w, jr_node_str(error));
    (void)snprintf(version, sizeof(version), "%zu", 11 + w->n_puts);
    if (w->n_puts == WORLD_PUTS_MAX ||
        jr_doc_parse(call->body, &JR_READER_STRICT, &job, NULL) != JR_OK ||
        jr_ensure_object(jr_doc_root(job), "metadata", &meta) != JR_OK ||
        jr_set_str(meta, "resourceVersion", jr_str(version)) != JR_OK) {
        w->broken = true;
        return with(w, 500, JR_S(""));
    }
    w->cached = world_text(w, jr_doc_root(job));
    w->puts[w->n_puts++] = (struct world_put){ call->body, before };
    return with(w, 200, w->cached);
}

/** Rows about expiry have the Job as it is now beside the cached one, or none. */
static struct jr_scripted_answer get_live(struct world *w)
{
    const struct jr_node *live = jr_get(w->row, "liveJob");

    return live == NULL ? refuse(w, JR_S("notFound")) : with(w, 200, world_text(w, live));
}

/** The Job as it is now: made again under another uid, or deleted meanwhile, where the row says so.
 */
static struct jr_scripted_answer get_job(struct world *w)
{
    const struct jr_node *api = jr_get(w->row, "api");
    const bool deleted = jr_node_bool_or(jr_get(api, "liveJobHasDeletionTimestamp"), false);
    struct jr_str uid = jr_get_str(api, "liveJobUID");
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *meta;

    if (jr_doc_parse(w->cached, &JR_READER_STRICT, &job, NULL) != JR_OK ||
        jr_ensure_object(jr_doc_root(job), "metadata", &meta) != JR_OK ||
        (uid.n > 0 && jr_set_str(meta, "uid", uid) != JR_OK) ||
        (deleted && jr_set_str(meta, "deletionTimestamp", JR_S("2026-03-01T11:59:59Z")) != JR_OK))
        w->broken = true;
    return with(w, 200, world_text(w, jr_doc_root(job)));
}

struct jr_str scenario_api_unknown(const struct jr_node *row)
{
    static const char *const known[] = {
        "liveJobHasDeletionTimestamp", "liveJobUID",         "podCreateError",
        "podCreateSucceedsTimes",      "podDeleteErrors",    "podPatchErrors",
        "statusUpdateErrors",          "workloadCreateError"
    };

    for (const struct jr_node *m = jr_first(jr_get(row, "api")); m != NULL; m = jr_next(m)) {
        size_t i = 0;

        while (i < JR_ARRAY_SIZE(known) && !jr_str_is(jr_key(m), known[i]))
            i++;
        if (i == JR_ARRAY_SIZE(known))
            return jr_key(m);
    }
    return (struct jr_str){ 0 };
}

struct jr_scripted_answer scenario_answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    const struct jr_node *error;
    struct jr_str name;

    if (n == 0 && w->fetched)
        return with(w, 200, w->cached);
    switch (world_classify(call, &name)) {
    case CALL_GET_JOB:
        return jr_str_is(jr_get_str(w->row, "kind"), "ttl") ? get_live(w) : get_job(w);
    case CALL_ADOPT:
    case CALL_RELEASE:
    case CALL_UNFINALIZE:
        return on_pod(w, "podPatchErrors", name);
    case CALL_DELETE:
        return on_pod(w, "podDeleteErrors", name);
    case CALL_CREATE:
        return created(w, call);
    case CALL_PUT_STATUS:
        return put_status(w, call);
    case CALL_WORKLOAD:
        error = jr_get(jr_get(w->row, "api"), "workloadCreateError");
        return error != NULL ? refuse(w, jr_node_str(error)) : made(w, call, "workload-uid");
    case CALL_POD_GROUP:
        return made(w, call, "podgroup-uid");
    case CALL_UNKNOWN:
        break;
    }
    w->broken = true;
    return with(w, 404, JR_S(""));
}
