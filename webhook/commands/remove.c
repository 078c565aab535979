#include "webhook/commands/remove.h"

#include <stdio.h>

#include "common/kube/request.h"
#include "common/kube/scale_down.h"

#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
#define ARENA_MAX_BYTES ((size_t)16 << 10)
#define TIMEOUT_MS 10000
#define RETRY_NS (500 * JR_MSEC)
#define RETRY_CAP_NS (5 * JR_SEC)
#define STEPS_MAX 5

struct step {
    const char *path;                 /* to delete; of a Deployment its name, for errors */
    struct jr_scale_down *scale_down; /* NULL: an object to delete */
    const char *kind;                 /* of that object */
    const char *namespace;            /* NULL: of none */
    const char *name;
};

struct jr_remover {
    struct jr_env env;
    struct jr_remover_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    struct step steps[STEPS_MAX];
    size_t n_steps;
    size_t at;
    bool deleted; /* the step's object has been, and may be on its way */
    unsigned failures;
    struct jr_kube_call *call;
    struct jr_timer *timer;
};

static void work(struct jr_remover *r);

static void next(struct jr_remover *r)
{
    r->at++;
    r->failures = 0;
    r->deleted = false;
    work(r);
}

static void on_timer(void *ctx)
{
    struct jr_remover *r = ctx;

    r->timer = NULL;
    work(r);
}

static void wait_for(struct jr_remover *r, const struct jr_error *why)
{
    r->h.on_waiting(r->h.ctx, why);
    if (jr_loop_after(r->env.loop,
                      jr_backoff_ns(r->failures++, RETRY_NS, RETRY_CAP_NS, 0.2, &r->env.rand),
                      on_timer, r, &r->timer) != JR_OK)
        jr_err(r->log, "out of memory, nothing more is removed", JR_NONE);
}

/* ---- objects ---- */

static void blame(const struct jr_remover *r, struct jr_error *err)
{
    (void)snprintf(err->path, sizeof(err->path), "%s", r->steps[r->at].path);
}

static void say_gone(const struct jr_remover *r, const struct step *s)
{
    const char *msg = r->deleted ? "deleted" : "not there";

    if (s->namespace == NULL)
        jr_info(r->log, msg, JR_NAMED(s->kind, jr_str(s->name)));
    else
        jr_info(r->log, msg, JR_OBJECT(s->kind, jr_str(s->namespace), jr_str(s->name)));
}

/** Asked for once more when it was deleted: a finalizer may keep it. */
static void on_deleted(void *ctx, const struct jr_kube_result *result)
{
    struct jr_remover *r = ctx;
    struct jr_error why = result->error;

    r->call = NULL;
    if (jr_kube_is_gone(result)) {
        say_gone(r, &r->steps[r->at]);
        next(r);
        return;
    }
    if (result->kind == JR_RESULT_OK) {
        if (!r->deleted) {
            r->deleted = true;
            work(r);
            return;
        }
        (void)jr_fail(&why, JR_TIMEOUT, NULL,
                      "it is deleted, and still there: a finalizer keeps it, or somebody makes it "
                      "anew");
    }
    blame(r, &why);
    jr_warn(r->log, "not deleted yet", JR_ERR(&why));
    wait_for(r, &why);
}

static void delete (struct jr_remover *r)
{
    const struct jr_kube_request req = {
        .http = { .method = "DELETE", .path = r->steps[r->at].path, .timeout_ms = TIMEOUT_MS },
    };

    r->call = jr_kube_send(&r->env, &req, on_deleted, r);
}

/* ---- the Deployment ---- */

static void on_scaled_down(void *ctx)
{
    struct jr_remover *r = ctx;

    next(r);
}

static void on_scaling(void *ctx, const struct jr_error *why)
{
    struct jr_remover *r = ctx;
    struct jr_error err = *why;

    (void)snprintf(err.path, sizeof(err.path), "%s", r->steps[r->at].path);
    r->h.on_waiting(r->h.ctx, &err);
}

static void work(struct jr_remover *r)
{
    if (r->at == r->n_steps) {
        r->h.on_done(r->h.ctx);
        return;
    }
    if (r->steps[r->at].scale_down == NULL)
        delete (r);
    else
        jr_scale_down_start(r->steps[r->at].scale_down);
}

/* ---- its life ---- */

static enum jr_status add_object(struct jr_remover *r, const char *path, const char *kind,
                                 const char *namespace, const char *name)
{
    struct step *s = &r->steps[r->n_steps++];

    *s = (struct step){ .path = path, .kind = kind };
    s->name = jr_arena_printf(&r->arena, "%s", name);
    if (namespace != NULL)
        s->namespace = jr_arena_printf(&r->arena, "%s", namespace);
    return path == NULL || s->name == NULL || (namespace != NULL && s->namespace == NULL) ? JR_NOMEM
                                                                                          : JR_OK;
}

static enum jr_status add_deployment(struct jr_remover *r, const struct jr_remover_options *o,
                                     const char *name)
{
    const struct jr_scale_down_handler h = { on_scaled_down, on_scaling, r };
    struct step *step = &r->steps[r->n_steps++];

    step->path = jr_arena_printf(&r->arena, "deployments/%s", name);
    step->scale_down = jr_scale_down_new(&r->env, o->namespace, name, &h, r->log);
    return step->path == NULL ? JR_NOMEM : JR_OK;
}

/** One of the two. */
static enum jr_status add_configuration(struct jr_remover *r, const char *resource,
                                        const char *kind, const char *name)
{
    return add_object(r, jr_arena_printf(&r->arena, ADMISSION "%s/%s", resource, name), kind, NULL,
                      name);
}

static enum jr_status add_secret(struct jr_remover *r, const struct jr_remover_options *o)
{
    const char *path =
        jr_arena_printf(&r->arena, "/api/v1/namespaces/%s/secrets/%s", o->namespace, o->secret);

    return add_object(r, path, "Secret", o->namespace, o->secret);
}

static enum jr_status add_steps(struct jr_remover *r, const struct jr_remover_options *o)
{
    enum jr_status st = add_configuration(r, "mutatingwebhookconfigurations",
                                          "MutatingWebhookConfiguration", o->configuration);

    if (st == JR_OK)
        st = add_configuration(r, "validatingwebhookconfigurations",
                               "ValidatingWebhookConfiguration", o->configuration);
    if (st == JR_OK && o->keeper_deployment != NULL)
        st = add_deployment(r, o, o->keeper_deployment);
    if (st == JR_OK && o->deployment != NULL)
        st = add_deployment(r, o, o->deployment);
    if (st == JR_OK && o->secret != NULL)
        st = add_secret(r, o);
    return st;
}

enum jr_status jr_remover_new(const struct jr_env *env, const struct jr_remover_options *options,
                              const struct jr_remover_handler *handler, struct jr_log *log,
                              struct jr_remover **ret)
{
    struct jr_remover *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return JR_NOMEM;
    *r = (struct jr_remover){ .env = *env, .h = *handler, .log = log };
    jr_arena_init(&r->arena, ARENA_MAX_BYTES);
    if (add_steps(r, options) != JR_OK) {
        jr_remover_free(r);
        return JR_NOMEM;
    }
    *ret = r;
    return JR_OK;
}

enum jr_status jr_remover_start(struct jr_remover *r)
{
    return jr_loop_after(r->env.loop, 0, on_timer, r, &r->timer);
}

void jr_remover_free(struct jr_remover *r)
{
    if (r == NULL)
        return;
    jr_kube_cancel(&r->call);
    jr_timer_cancel(r->env.loop, &r->timer);
    for (size_t i = 0; i < r->n_steps; i++)
        jr_scale_down_free(r->steps[i].scale_down);
    jr_arena_done(&r->arena);
    free(r);
}
