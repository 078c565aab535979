/* PATCH its scale --> GET it until what counts its Pods has seen that and counts none --> list its
 * Pods until none is left that runs: the count leaves out those that are on their way down. */
#include "common/kube/scale_down.h"

#include "common/json/doc.h"
#include "common/kube/request.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/%s/deployments/%s%s"
/* Those that have ended stay where they are: a Deployment's evicted Pods most of all. */
#define PODS                                                                             \
    "/api/v1/namespaces/%s/pods?limit=1&fieldSelector=status.phase%%21%%3DSucceeded%%2C" \
    "status.phase%%21%%3DFailed&labelSelector="

#define ARENA_MAX_BYTES ((size_t)16 << 10)
#define PATH_MAX_BYTES ((size_t)64 << 10)
#define TIMEOUT_MS 10000
#define POLL_NS (500 * JR_MSEC)
#define POLL_CAP_NS (5 * JR_SEC)

struct jr_scale_down {
    struct jr_env env;
    struct jr_scale_down_handler h;
    struct jr_log *log;
    struct jr_kube_call *call;
    struct jr_timer *timer;
    void (*step)(struct jr_scale_down *s); /* what the timer does */
    unsigned failures;                     /* in a row */
    struct jr_arena arena;
    const char *namespace;
    const char *name;
    const char *deployment; /* path */
    const char *scale;
    const char *pods_of; /* path, but for the selector */
    char *pods;          /* whole; NULL until the selector is known */
};

/** In a log line. */
#define DEPLOYMENT(s) JR_OBJECT("Deployment", jr_str((s)->namespace), jr_str((s)->name))

static void scale(struct jr_scale_down *s);
static void look(struct jr_scale_down *s);
static void list(struct jr_scale_down *s);

/* ---- waiting ---- */

static void on_timer(void *ctx)
{
    struct jr_scale_down *s = ctx;

    s->timer = NULL;
    s->step(s);
}

static void wait_for(struct jr_scale_down *s, void (*step)(struct jr_scale_down *s),
                     const struct jr_error *why)
{
    const int64_t ns = jr_backoff_ns(s->failures, POLL_NS, POLL_CAP_NS, 0.2, &s->env.rand);

    s->step = step;
    s->h.on_waiting(s->h.ctx, why);
    if (jr_loop_after(s->env.loop, ns, on_timer, s, &s->timer) != JR_OK)
        jr_err(s->log, "out of memory, the deployment is waited for no more", JR_NONE);
}

static void failed(struct jr_scale_down *s, void (*step)(struct jr_scale_down *s),
                   const struct jr_error *why)
{
    jr_warn(s->log, "deployment not scaled down yet", DEPLOYMENT(s), JR_ERR(why));
    wait_for(s, step, why);
    s->failures++;
}

static void send(struct jr_scale_down *s, const char *method, const char *path,
                 const char *content_type, struct jr_str body,
                 void (*on_answer)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = path,
                  .content_type = content_type,
                  .body = body,
                  .timeout_ms = TIMEOUT_MS },
    };
    struct jr_error err = { .status = JR_OK };

    if (jr_kube_send(&s->env, &req, on_answer, s, &s->call, &err) != JR_OK)
        failed(s, scale, &err);
}

/** The answer's text as a tree; NULL, and the step tried again, where it is none. */
static struct jr_doc *parse(struct jr_scale_down *s, const struct jr_kube_result *r,
                            void (*step)(struct jr_scale_down *s))
{
    struct jr_error err = { .status = JR_OK };
    struct jr_doc *doc = NULL;

    s->call = NULL;
    if (r->kind != JR_RESULT_OK)
        failed(s, step, &r->error);
    else if (jr_doc_parse(r->body, &JR_GATE_LENIENT, &doc, &err) != JR_OK)
        failed(s, step, &err);
    else
        s->failures = 0;
    return doc;
}

/* ---- the Pods ---- */

static void on_list(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse(s, r, list);
    const struct jr_node *first;
    struct jr_error why = { .status = JR_OK };

    if (doc == NULL)
        return;
    first = jr_at(jr_get(jr_doc_root_const(doc), "items"), 0);
    if (first == NULL) {
        jr_info(s->log, "none of its pods runs", DEPLOYMENT(s));
        s->h.on_done(s->h.ctx);
        return;
    }
    (void)jr_fail(&why, JR_TIMEOUT, NULL, "pod %.*s still runs",
                  JR_P(jr_get_str(jr_get(first, "metadata"), "name")));
    wait_for(s, look, &why);
}

static void list(struct jr_scale_down *s)
{
    send(s, "GET", s->pods, NULL, (struct jr_str){ NULL, 0 }, on_list);
}

/* ---- the Deployment ---- */

static void on_look(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *root, *status;
    struct jr_error why = { .status = JR_OK };

    if (jr_kube_is_gone(r)) { /* its Pods may outlive it */
        s->call = NULL;
        list(s);
        return;
    }
    doc = parse(s, r, look);
    if (doc == NULL)
        return;
    root = jr_doc_root_const(doc);
    status = jr_get(root, "status");
    if (jr_node_i64_or(jr_path(root, "spec.replicas"), 1) != 0) {
        (void)jr_fail(&why, JR_CONFLICT, NULL, "somebody has scaled it up again");
        failed(s, scale, &why);
    } else if (jr_node_i64_or(jr_get(status, "observedGeneration"), 0) <
               jr_node_i64_or(jr_path(root, "metadata.generation"), 0)) {
        (void)jr_fail(&why, JR_TIMEOUT, NULL, "the deployment's controller has not seen it yet");
        wait_for(s, look, &why);
    } else if (jr_node_i64_or(jr_get(status, "replicas"), 0) > 0) {
        (void)jr_fail(&why, JR_TIMEOUT, NULL, "it has %lld replicas still",
                      (long long)jr_node_i64_or(jr_get(status, "replicas"), 0));
        wait_for(s, look, &why);
    } else {
        list(s);
    }
}

static void look(struct jr_scale_down *s)
{
    send(s, "GET", s->deployment, NULL, (struct jr_str){ NULL, 0 }, on_look);
}

/** Where the Pods of this selector are listed that have not ended. */
static enum jr_status keep_selector(struct jr_scale_down *s, struct jr_str selector)
{
    JR_BUF path = { 0 };
    size_t n;

    jr_buf_init(&path, PATH_MAX_BYTES);
    (void)jr_buf_adds(&path, s->pods_of);
    if (jr_url_escape(selector, &path) != JR_OK)
        return path.failed;
    free(s->pods);
    s->pods = NULL;
    return jr_buf_take(&path, &s->pods, &n);
}

static void on_scaled(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error why = { .status = JR_OK };
    struct jr_str selector;

    if (jr_kube_is_gone(r)) {
        s->call = NULL;
        if (s->pods != NULL) { /* it was there */
            list(s);
            return;
        }
        jr_info(s->log, "no such deployment", DEPLOYMENT(s));
        s->h.on_done(s->h.ctx);
        return;
    }
    doc = parse(s, r, scale);
    if (doc == NULL)
        return;
    selector = jr_get_str(jr_get(jr_doc_root_const(doc), "status"), "selector");
    if (selector.n == 0 || keep_selector(s, selector) != JR_OK) {
        (void)jr_fail(&why, JR_INVALID, "status.selector",
                      "which pods are its own is not to be told");
        failed(s, scale, &why);
        return;
    }
    jr_info(s->log, "deployment scaled down", DEPLOYMENT(s), JR_STR("selector", selector));
    look(s);
}

static void scale(struct jr_scale_down *s)
{
    send(s, "PATCH", s->scale, "application/merge-patch+json", JR_S("{\"spec\":{\"replicas\":0}}"),
         on_scaled);
}

/* ---- its life ---- */

enum jr_status jr_scale_down_new(const struct jr_env *env, const char *namespace, const char *name,
                                 const struct jr_scale_down_handler *handler, struct jr_log *log,
                                 struct jr_scale_down **ret)
{
    struct jr_scale_down *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return JR_NOMEM;
    *s = (struct jr_scale_down){ .env = *env, .h = *handler, .log = log };
    jr_arena_init(&s->arena, ARENA_MAX_BYTES);
    s->namespace = jr_arena_printf(&s->arena, "%s", namespace);
    s->name = jr_arena_printf(&s->arena, "%s", name);
    s->deployment = jr_arena_printf(&s->arena, DEPLOYMENTS, namespace, name, "");
    s->scale = jr_arena_printf(&s->arena, DEPLOYMENTS, namespace, name, "/scale");
    s->pods_of = jr_arena_printf(&s->arena, PODS, namespace);
    if (s->namespace == NULL || s->name == NULL || s->deployment == NULL || s->scale == NULL ||
        s->pods_of == NULL) {
        jr_scale_down_free(s);
        return JR_NOMEM;
    }
    *ret = s;
    return JR_OK;
}

enum jr_status jr_scale_down_start(struct jr_scale_down *s)
{
    s->step = scale;
    return jr_loop_after(s->env.loop, 0, on_timer, s, &s->timer);
}

void jr_scale_down_free(struct jr_scale_down *s)
{
    if (s == NULL)
        return;
    jr_kube_cancel(&s->call);
    jr_timer_cancel(s->env.loop, &s->timer);
    free(s->pods);
    jr_arena_done(&s->arena);
    free(s);
}
