/* SPDX-License-Identifier: Apache-2.0 */
/* PATCH its scale --> GET it until what counts its Pods has seen that and counts none --> list its
 * Pods until none is left that runs: the count leaves out those that are on their way down. */
#include "common/kube/scale_down.h"

#include "common/base/memory.h"
#include "common/kube/requester.h"

#define DEPLOYMENTS "/apis/apps/v1/namespaces/%s/deployments/%s%s"
/* Those that have ended stay where they are: a Deployment's evicted Pods most of all. */
#define PODS                                                                             \
    "/api/v1/namespaces/%s/pods?limit=1&fieldSelector=status.phase%%21%%3DSucceeded%%2C" \
    "status.phase%%21%%3DFailed&labelSelector="

#define POLL_CAP_NS (5 * JR_SEC)

struct jr_scale_down {
    struct jr_requester q;
    struct jr_scale_down_handler h;
    struct jr_log *log;
    unsigned failures; /* in a row */
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

static void scale_to_zero(void *ctx);
static void get_deployment(void *ctx);
static void list_pods(void *ctx);

/* ---- waiting ---- */

static void wait_for(struct jr_scale_down *s, void (*step)(void *ctx), const struct jr_error *why)
{
    jr_requester_retry(&s->q, s->failures, POLL_CAP_NS, 0.2, step);
    s->h.on_waiting(s->h.ctx, why);
}

static void try_again(struct jr_scale_down *s, void (*step)(void *ctx), const struct jr_error *why)
{
    jr_warn(s->log, "deployment not scaled down yet", DEPLOYMENT(s), JR_ERR(why));
    wait_for(s, step, why);
    s->failures++;
}

/** The answer's text as a tree; NULL, and the step tried again, where it is none. */
static struct jr_doc *parse_or_retry(struct jr_scale_down *s, const struct jr_kube_result *r,
                                     void (*step)(void *ctx))
{
    struct jr_error err = { .status = JR_OK };
    struct jr_doc *doc = NULL;

    if (jr_kube_object(r, &doc, &err) != JR_OK)
        try_again(s, step, &err);
    else
        s->failures = 0;
    return doc;
}

/* ---- the Pods ---- */

static void on_list(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = parse_or_retry(s, r, list_pods);
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
    wait_for(s, get_deployment, &why);
}

static void list_pods(void *ctx)
{
    struct jr_scale_down *s = ctx;

    jr_requester_get(&s->q, s->pods, on_list);
}

/* ---- the Deployment ---- */

static void on_deployment(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *root, *status;
    struct jr_error why = { .status = JR_OK };

    if (jr_kube_is_gone(r)) { /* its Pods may outlive it */
        list_pods(s);
        return;
    }
    doc = parse_or_retry(s, r, get_deployment);
    if (doc == NULL)
        return;
    root = jr_doc_root_const(doc);
    status = jr_get(root, "status");
    if (jr_node_i64_or(jr_path(root, "spec.replicas"), 1) != 0) {
        (void)jr_fail(&why, JR_CONFLICT, NULL, "somebody has scaled it up again");
        try_again(s, scale_to_zero, &why);
    } else if (jr_node_i64_or(jr_get(status, "observedGeneration"), 0) <
               jr_node_i64_or(jr_path(root, "metadata.generation"), 0)) {
        (void)jr_fail(&why, JR_TIMEOUT, NULL, "the deployment's controller has not seen it yet");
        wait_for(s, get_deployment, &why);
    } else if (jr_node_i64_or(jr_get(status, "replicas"), 0) > 0) {
        (void)jr_fail(&why, JR_TIMEOUT, NULL, "it has %lld replicas still",
                      (long long)jr_node_i64_or(jr_get(status, "replicas"), 0));
        wait_for(s, get_deployment, &why);
    } else {
        list_pods(s);
    }
}

static void get_deployment(void *ctx)
{
    struct jr_scale_down *s = ctx;

    jr_requester_get(&s->q, s->deployment, on_deployment);
}

/** Where the Pods of this selector are listed that have not ended. */
static void keep_selector(struct jr_scale_down *s, struct jr_str selector)
{
    JR_BUF escaped = { 0 };

    jr_buf_init(&escaped, JR_BUF_BY_INPUT);
    jr_must(jr_url_escape(selector, &escaped));
    free(s->pods);
    s->pods = jr_xasprintf("%s%s", s->pods_of, escaped.p);
}

static void on_scaled(void *ctx, const struct jr_kube_result *r)
{
    struct jr_scale_down *s = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error why = { .status = JR_OK };
    struct jr_str selector;

    if (jr_kube_is_gone(r)) {
        if (s->pods != NULL) { /* it was there */
            list_pods(s);
            return;
        }
        jr_info(s->log, "no such deployment", DEPLOYMENT(s));
        s->h.on_done(s->h.ctx);
        return;
    }
    doc = parse_or_retry(s, r, scale_to_zero);
    if (doc == NULL)
        return;
    selector = jr_get_str(jr_get(jr_doc_root_const(doc), "status"), "selector");
    if (selector.n == 0) {
        (void)jr_fail(&why, JR_INVALID, "status.selector",
                      "which pods are its own is not to be told");
        try_again(s, scale_to_zero, &why);
        return;
    }
    keep_selector(s, selector);
    jr_info(s->log, "deployment scaled down", DEPLOYMENT(s), JR_STR("selector", selector));
    get_deployment(s);
}

static void scale_to_zero(void *ctx)
{
    struct jr_scale_down *s = ctx;
    const struct jr_http_request patch = { .method = "PATCH",
                                           .path = s->scale,
                                           .content_type = "application/merge-patch+json",
                                           .body = JR_S("{\"spec\":{\"replicas\":0}}") };

    jr_requester_send(&s->q, &patch, on_scaled);
}

/* ---- its life ---- */

struct jr_scale_down *jr_scale_down_new(const struct jr_env *env, const char *namespace,
                                        const char *name,
                                        const struct jr_scale_down_handler *handler,
                                        struct jr_log *log)
{
    struct jr_scale_down *s = jr_xcalloc(1, sizeof(*s));
    struct jr_arena *a = &s->arena;

    jr_arena_init(a, 0);
    s->q = (struct jr_requester){ .env = *env, .ctx = s };
    s->h = *handler;
    s->log = log;
    s->namespace = jr_xarena_strdup(a, namespace);
    s->name = jr_xarena_strdup(a, name);
    s->deployment = jr_xarena_text(a, DEPLOYMENTS, namespace, name, "").p;
    s->scale = jr_xarena_text(a, DEPLOYMENTS, namespace, name, "/scale").p;
    s->pods_of = jr_xarena_text(a, PODS, namespace).p;
    return s;
}

void jr_scale_down_start(struct jr_scale_down *s)
{
    jr_requester_after(&s->q, 0, scale_to_zero);
}

void jr_scale_down_free(struct jr_scale_down *s)
{
    if (s == NULL)
        return;
    jr_requester_done(&s->q);
    free(s->pods);
    jr_arena_done(&s->arena);
    free(s);
}
