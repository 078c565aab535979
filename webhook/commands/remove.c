/* SPDX-License-Identifier: Apache-2.0 */
/* One step after the other: DELETE an object until it is gone, or scale a Deployment down. */
#include "webhook/commands/remove.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "common/kube/scale_down.h"

#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
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
    struct jr_requester q;
    struct jr_remover_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    struct step steps[STEPS_MAX];
    size_t n_steps;
    size_t at;
    bool deleted; /* the step's object has been, and may be on its way */
    unsigned failures;
};

static void take_step(void *ctx);

static void next_step(struct jr_remover *r)
{
    r->at++;
    r->failures = 0;
    r->deleted = false;
    take_step(r);
}

/* ---- objects ---- */

/** Says which object it is about. */
static void name_object(const struct jr_remover *r, struct jr_error *err)
{
    (void)snprintf(err->path, sizeof(err->path), "%s", r->steps[r->at].path);
}

static void log_gone(const struct jr_remover *r, const struct step *s)
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

    if (jr_kube_is_gone(result)) {
        log_gone(r, &r->steps[r->at]);
        next_step(r);
        return;
    }
    if (result->kind == JR_RESULT_OK) {
        if (!r->deleted) {
            r->deleted = true;
            take_step(r);
            return;
        }
        (void)jr_fail(&why, JR_TIMEOUT, NULL,
                      "it is deleted, and still there: a finalizer keeps it, or somebody makes it "
                      "anew");
    }
    name_object(r, &why);
    jr_warn(r->log, "not deleted yet", JR_ERR(&why));
    r->h.on_waiting(r->h.ctx, &why);
    jr_requester_retry(&r->q, r->failures++, RETRY_CAP_NS, 0.2, take_step);
}

/* ---- the Deployment ---- */

static void on_scaled_down(void *ctx)
{
    next_step(ctx);
}

static void on_scaling(void *ctx, const struct jr_error *why)
{
    const struct jr_remover *r = ctx;
    struct jr_error err = *why;

    name_object(r, &err);
    r->h.on_waiting(r->h.ctx, &err);
}

static void take_step(void *ctx)
{
    struct jr_remover *r = ctx;
    const struct step *s = &r->steps[r->at];

    if (r->at == r->n_steps)
        r->h.on_done(r->h.ctx);
    else if (s->scale_down != NULL)
        jr_scale_down_start(s->scale_down);
    else
        jr_requester_send(&r->q, &(struct jr_http_request){ .method = "DELETE", .path = s->path },
                          on_deleted);
}

/* ---- its life ---- */

static void add_object(struct jr_remover *r, const char *path, const char *kind,
                       const char *namespace, const char *name)
{
    r->steps[r->n_steps++] = (struct step){ .path = path,
                                            .kind = kind,
                                            .namespace = jr_xarena_strdup(&r->arena, namespace),
                                            .name = jr_xarena_strdup(&r->arena, name) };
}

static void add_deployment(struct jr_remover *r, const char *namespace, const char *name)
{
    const struct jr_scale_down_handler h = { on_scaled_down, on_scaling, r };
    struct step *step = &r->steps[r->n_steps++];

    step->path = jr_xarena_text(&r->arena, "deployments/%s", name).p;
    step->scale_down = jr_scale_down_new(&r->q.env, namespace, name, &h, r->log);
}

struct jr_remover *jr_remover_new(const struct jr_env *env, const struct jr_remover_options *o,
                                  const struct jr_remover_handler *handler, struct jr_log *log)
{
    static const char *const kinds[][2] = {
        { "mutatingwebhookconfigurations", "MutatingWebhookConfiguration" },
        { "validatingwebhookconfigurations", "ValidatingWebhookConfiguration" },
    };
    struct jr_remover *r = jr_xcalloc(1, sizeof(*r));

    r->q = (struct jr_requester){ .env = *env, .ctx = r };
    r->h = *handler;
    r->log = log;
    jr_arena_init(&r->arena, 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++)
        add_object(r, jr_xarena_text(&r->arena, ADMISSION "%s/%s", kinds[i][0], o->configuration).p,
                   kinds[i][1], NULL, o->configuration);
    if (o->keeper_deployment != NULL)
        add_deployment(r, o->namespace, o->keeper_deployment);
    if (o->deployment != NULL)
        add_deployment(r, o->namespace, o->deployment);
    if (o->secret != NULL)
        add_object(
            r,
            jr_xarena_text(&r->arena, "/api/v1/namespaces/%s/secrets/%s", o->namespace, o->secret)
                .p,
            "Secret", o->namespace, o->secret);
    return r;
}

void jr_remover_start(struct jr_remover *r)
{
    jr_requester_after(&r->q, 0, take_step);
}

void jr_remover_free(struct jr_remover *r)
{
    if (r == NULL)
        return;
    jr_requester_done(&r->q);
    for (size_t i = 0; i < r->n_steps; i++)
        jr_scale_down_free(r->steps[i].scale_down);
    jr_arena_done(&r->arena);
    free(r);
}
