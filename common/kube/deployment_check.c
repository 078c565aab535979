/* SPDX-License-Identifier: Apache-2.0 */
/* GET the Deployment until it is read, or known not to be there. */
#include "common/kube/deployment_check.h"

#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/requester.h"

#define RETRY_CAP_NS (5 * JR_SEC)

struct jr_deployment_check {
    struct jr_requester q;
    struct jr_deployment_check_handler h;
    struct jr_log *log;
    unsigned failures; /* in a row */
    struct jr_arena arena;
    const char *namespace;
    const char *name;
    const char *path;
    const char *shown; /* deployments/NAME */
    const char *annotation;
};

static void get_deployment(void *ctx);

static void ask_later(struct jr_deployment_check *c, struct jr_error *why)
{
    (void)snprintf(why->path, sizeof(why->path), "%s", c->shown);
    jr_warn(c->log, "deployment not read yet",
            JR_OBJECT("Deployment", jr_str(c->namespace), jr_str(c->name)), JR_ERR(why));
    jr_requester_retry(&c->q, c->failures++, RETRY_CAP_NS, 0.2, get_deployment);
    c->h.on_waiting(c->h.ctx, why);
}

static void check_annotation(struct jr_deployment_check *c, const struct jr_node *deployment)
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

    if (jr_kube_is_gone(r)) {
        jr_info(c->log, "no such deployment",
                JR_OBJECT("Deployment", jr_str(c->namespace), jr_str(c->name)));
        c->h.on_bears(c->h.ctx);
    } else if (jr_kube_object(r, &doc, &err) != JR_OK) {
        ask_later(c, &err);
    } else {
        check_annotation(c, jr_doc_root_const(doc));
    }
}

static void get_deployment(void *ctx)
{
    struct jr_deployment_check *c = ctx;

    jr_requester_get(&c->q, c->path, on_answer);
}

struct jr_deployment_check *
jr_deployment_check_start(const struct jr_env *env, const char *namespace, const char *name,
                          const char *annotation, const struct jr_deployment_check_handler *handler,
                          struct jr_log *log)
{
    struct jr_deployment_check *c = jr_xcalloc(1, sizeof(*c));
    struct jr_arena *a = &c->arena;

    jr_arena_init(a, 0);
    c->q = (struct jr_requester){ .env = *env, .ctx = c };
    c->h = *handler;
    c->log = log;
    c->namespace = jr_xarena_strdup(a, namespace);
    c->name = jr_xarena_strdup(a, name);
    c->path = jr_xarena_text(a, "/apis/apps/v1/namespaces/%s/deployments/%s", namespace, name).p;
    c->shown = jr_xarena_text(a, "deployments/%s", name).p;
    c->annotation = jr_xarena_strdup(a, annotation);
    jr_requester_after(&c->q, 0, get_deployment);
    return c;
}

void jr_deployment_check_free(struct jr_deployment_check *c)
{
    if (c == NULL)
        return;
    jr_requester_done(&c->q);
    jr_arena_done(&c->arena);
    free(c);
}
