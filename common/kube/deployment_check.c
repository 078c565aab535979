#include "common/kube/deployment_check.h"

#include <stdio.h>

#include "common/json/doc.h"
#include "common/kube/request.h"

#define ARENA_MAX_BYTES ((size_t)16 << 10)
#define TIMEOUT_MS 10000
#define RETRY_NS (500 * JR_MSEC)
#define RETRY_CAP_NS (5 * JR_SEC)

struct jr_deployment_check {
    struct jr_env env;
    struct jr_deployment_check_handler h;
    struct jr_log *log;
    struct jr_kube_call *call;
    struct jr_timer *timer;
    unsigned failures; /* in a row */
    struct jr_arena arena;
    const char *namespace;
    const char *name;
    const char *path;
    const char *shown; /* deployments/NAME */
    const char *annotation;
};

static void ask(void *ctx);

static void again(struct jr_deployment_check *c, const struct jr_error *cause)
{
    const int64_t ns = jr_backoff_ns(c->failures++, RETRY_NS, RETRY_CAP_NS, 0.2, &c->env.rand);
    struct jr_error why = *cause;

    (void)snprintf(why.path, sizeof(why.path), "%s", c->shown);
    jr_warn(c->log, "deployment not read yet",
            JR_OBJECT("Deployment", jr_str(c->namespace), jr_str(c->name)), JR_ERR(&why));
    if (jr_loop_after(c->env.loop, ns, ask, c, &c->timer) != JR_OK)
        jr_err(c->log, "out of memory, the deployment is not asked for any more", JR_NONE);
    c->h.on_waiting(c->h.ctx, &why);
}

static void judge(struct jr_deployment_check *c, const struct jr_node *deployment)
{
    struct jr_error why = { .status = JR_OK };

    if (jr_get(jr_path(deployment, "metadata.annotations"), c->annotation) != NULL) {
        c->h.on_bears(c->h.ctx);
        return;
    }
    (void)jr_fail(&why, JR_DENIED, c->shown,
                  "it lacks the annotation %s, so this is not its uninstall (manifests that were "
                  "rendered with hooks and applied?)",
                  c->annotation);
    c->h.on_lacks(c->h.ctx, &why);
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_deployment_check *c = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };

    c->call = NULL;
    if (jr_kube_is_gone(r)) {
        jr_info(c->log, "no such deployment",
                JR_OBJECT("Deployment", jr_str(c->namespace), jr_str(c->name)));
        c->h.on_bears(c->h.ctx);
    } else if (r->kind != JR_RESULT_OK) {
        again(c, &r->error);
    } else if (jr_doc_parse(r->body, &JR_GATE_LENIENT, &doc, &err) != JR_OK) {
        again(c, &err);
    } else {
        judge(c, jr_doc_root_const(doc));
    }
}

static void ask(void *ctx)
{
    struct jr_deployment_check *c = ctx;
    const struct jr_kube_request req = {
        .http = { .method = "GET", .path = c->path, .timeout_ms = TIMEOUT_MS },
    };
    struct jr_error err = { .status = JR_OK };

    c->timer = NULL;
    if (jr_kube_send(&c->env, &req, on_answer, c, &c->call, &err) != JR_OK)
        again(c, &err);
}

enum jr_status jr_deployment_check_new(const struct jr_env *env, const char *namespace,
                                       const char *name, const char *annotation,
                                       const struct jr_deployment_check_handler *handler,
                                       struct jr_log *log, struct jr_deployment_check **ret)
{
    struct jr_deployment_check *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return JR_NOMEM;
    *c = (struct jr_deployment_check){ .env = *env, .h = *handler, .log = log };
    jr_arena_init(&c->arena, ARENA_MAX_BYTES);
    c->namespace = jr_arena_printf(&c->arena, "%s", namespace);
    c->name = jr_arena_printf(&c->arena, "%s", name);
    c->path =
        jr_arena_printf(&c->arena, "/apis/apps/v1/namespaces/%s/deployments/%s", namespace, name);
    c->shown = jr_arena_printf(&c->arena, "deployments/%s", name);
    c->annotation = jr_arena_printf(&c->arena, "%s", annotation);
    if (c->namespace == NULL || c->name == NULL || c->path == NULL || c->shown == NULL ||
        c->annotation == NULL) {
        jr_deployment_check_free(c);
        return JR_NOMEM;
    }
    *ret = c;
    return JR_OK;
}

enum jr_status jr_deployment_check_start(struct jr_deployment_check *c)
{
    return jr_loop_after(c->env.loop, 0, ask, c, &c->timer);
}

void jr_deployment_check_free(struct jr_deployment_check *c)
{
    if (c == NULL)
        return;
    jr_kube_cancel(&c->call);
    jr_timer_cancel(c->env.loop, &c->timer);
    jr_arena_done(&c->arena);
    free(c);
}
