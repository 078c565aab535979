/* SPDX-License-Identifier: Apache-2.0 */
/* Reconciles each configuration in turn:
 *
 *   GET Namespace   GET configuration --> for each aspect: PATCH it where it isn't so
 *
 * The answer to a PATCH is the configuration for the next aspect. A failure with caBundle ends the
 * reconciliation; one with another aspect is logged, and retried with the next reconciliation. */
#include "webhook/certs/registration.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "webhook/certs/registration_patch.h"

#define N_KINDS 2
#define SOON_NS JR_SEC

static const char *const kinds[N_KINDS] = { "mutatingwebhookconfigurations",
                                            "validatingwebhookconfigurations" };

static const char *const kind_names[N_KINDS] = { "MutatingWebhookConfiguration",
                                                 "ValidatingWebhookConfiguration" };

enum aspect { BUNDLE, OWNER, POLICY, MANAGER, ASPECTS };
static const struct {
    const char *done;   /* for the log */
    const char *failed; /* the same */
    const char *query;  /* of the PATCH */
} aspects[] = {
    [BUNDLE] = { "caBundle set", "caBundle not set", "" },
    [OWNER] = { "owned by the Namespace from now on", "ownerReference not set", "" },
    [POLICY] = { "a replica answers: failurePolicy raised to Fail", "failurePolicy not raised",
                 "?fieldManager=" JR_FAILURE_POLICY_MANAGER },
    [MANAGER] = { "failurePolicy given back to who applies it", "failurePolicy not given back",
                  "" },
};

struct jr_registration {
    struct jr_requester q;
    struct jr_registration_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    const char *configuration;
    const char *namespace;
    const char *namespace_path;
    const char *server_name;
    const char *paths[N_KINDS];
    struct jr_replicas *replicas;
    /* Of this reconciliation. */
    const char *pem;
    size_t at;
    enum aspect aspect;
    struct jr_doc *doc; /* the configuration as it is */
    char uid[64];       /* of the Namespace; "": not known */
    char *trusted;
    bool patched;
    bool missing;
    bool low; /* a failurePolicy waits for a replica */
    /* Reconciliations in a row after which something was missing. */
    unsigned incomplete;
};

static void next_configuration(struct jr_registration *b);
static void reconcile_aspect(struct jr_registration *b);

static void end_reconciliation(struct jr_registration *b, const struct jr_error *err)
{
    const struct jr_registration_seen seen = { b->patched, b->trusted };

    jr_doc_free(b->doc);
    b->doc = NULL;
    b->h.on_reconciled(b->h.ctx, &seen, err);
}

static void gave_up(struct jr_registration *b, const char *what, const struct jr_error *err)
{
    struct jr_error why = *err;

    (void)jr_wrap(&why, err->status, "%s", what);
    end_reconciliation(b, &why);
}

/* ---- one aspect of one configuration ---- */

static void next_aspect(struct jr_registration *b)
{
    b->aspect++;
    reconcile_aspect(b);
}

/** A failure with caBundle ends the reconciliation, one with another aspect is only logged. */
static void aspect_failed(struct jr_registration *b, const struct jr_error *err)
{
    if (b->aspect == BUNDLE) {
        gave_up(b, aspects[b->aspect].failed, err);
        return;
    }
    jr_warn(b->log, aspects[b->aspect].failed,
            JR_NAMED(kind_names[b->at], jr_str(b->configuration)), JR_ERR(err));
    next_aspect(b);
}

static void on_patched(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };

    if (r->kind == JR_RESULT_REFUSED && r->http == 409) { /* changed since it was read */
        next_configuration(b);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        aspect_failed(b, &r->error);
        return;
    }
    jr_info(b->log, aspects[b->aspect].done, JR_NAMED(kind_names[b->at], jr_str(b->configuration)));
    if (jr_doc_parse(r->body, &JR_READER_LENIENT, &doc, &err) != JR_OK) {
        aspect_failed(b, &err);
        return;
    }
    jr_doc_free(b->doc);
    b->doc = doc;
    next_aspect(b);
}

static void make_patch(const struct jr_registration *b, struct jr_buf *out)
{
    const struct jr_node *c = jr_doc_root_const(b->doc);

    switch (b->aspect) {
    case BUNDLE:
        if (b->pem != NULL)
            jr_patch_bundle(c, jr_str(b->pem), out);
        break;
    case OWNER:
        if (b->uid[0] != '\0')
            jr_patch_owner(c, jr_str(b->namespace), jr_str(b->uid), out);
        break;
    case POLICY:
        jr_patch_policy(c, out);
        break;
    case MANAGER:
        jr_patch_manager(c, out);
        break;
    case ASPECTS:
        break;
    }
}

static void patch_aspect(struct jr_registration *b)
{
    JR_FREE char *path = jr_xasprintf("%s%s", b->paths[b->at], aspects[b->aspect].query);
    struct jr_http_request req = { .method = "PATCH",
                                   .path = path,
                                   .content_type = "application/json-patch+json" };
    JR_BUF body = { 0 };

    jr_buf_init(&body, JR_BUF_BY_INPUT);
    make_patch(b, &body);
    if (body.n == 0) {
        next_aspect(b);
        return;
    }
    b->patched = b->patched || b->aspect == BUNDLE;
    req.body = jr_buf_str(&body);
    jr_requester_send(&b->q, &req, on_patched);
}

/* ---- does a replica answer? ---- */

/** As the API server takes it, by what this configuration has it trust. */
static bool is_trusted(void *ctx, const char *chain_pem)
{
    struct jr_registration *b = ctx;
    JR_FREE char *bundle = NULL;

    jr_configuration_trusts(jr_doc_root_const(b->doc), &bundle);
    return bundle != NULL &&
           jr_cert_is_trusted(chain_pem, bundle, b->server_name, jr_loop_wall(b->q.env.loop));
}

static void on_replicas(void *ctx, const struct jr_replicas_seen *seen, const struct jr_error *err)
{
    struct jr_registration *b = ctx;

    if (err == NULL && seen->n_good > 0) {
        patch_aspect(b);
        return;
    }
    b->low = true;
    if (err != NULL) {
        aspect_failed(b, err);
        return;
    }
    jr_debug(b->log, "failurePolicy stays Ignore: no replica answers yet",
             JR_NAMED(kind_names[b->at], jr_str(b->configuration)));
    next_aspect(b);
}

static void raise_policy(struct jr_registration *b)
{
    const struct jr_replicas_question q = {
        .tries = 1, .validate = is_trusted, .on_asked = on_replicas, .ctx = b
    };

    if (jr_policy_is_low(jr_doc_root_const(b->doc)))
        jr_replicas_ask(b->replicas, &q);
    else
        next_aspect(b);
}

static void reconcile_aspect(struct jr_registration *b)
{
    if (b->aspect == ASPECTS) {
        next_configuration(b);
    } else if (b->aspect == POLICY) {
        raise_policy(b);
    } else {
        patch_aspect(b);
    }
}

/* ---- one reconciliation ---- */

static void start_configuration(struct jr_registration *b);

static void next_configuration(struct jr_registration *b)
{
    b->at++;
    start_configuration(b);
}

static void on_configuration(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    struct jr_error err = { .status = JR_OK };

    if (jr_kube_is_gone(r)) {
        b->missing = true;
        next_configuration(b);
    } else if (jr_kube_object(r, &b->doc, &err) != JR_OK) {
        gave_up(b, "webhook configuration not read", &err);
    } else {
        jr_configuration_trusts(jr_doc_root_const(b->doc), &b->trusted);
        reconcile_aspect(b);
    }
}

static void start_configuration(struct jr_registration *b)
{
    jr_doc_free(b->doc);
    b->doc = NULL;
    b->aspect = BUNDLE;
    if (b->at == N_KINDS) {
        b->incomplete = b->missing || b->low ? b->incomplete + 1 : 0;
        end_reconciliation(b, NULL);
    } else {
        jr_requester_get(&b->q, b->paths[b->at], on_configuration);
    }
}

/** Without a uid no owner is set, and the rest goes on. */
static void on_namespace(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    struct jr_str uid;

    if (jr_kube_object(r, &doc, &err) == JR_OK) {
        uid = jr_get_str(jr_get(jr_doc_root_const(doc), "metadata"), "uid");
        if (uid.n > 0 && uid.n < sizeof(b->uid))
            (void)snprintf(b->uid, sizeof(b->uid), "%.*s", JR_P(uid));
    } else {
        jr_warn(b->log, "Namespace not read, the webhook configurations get no owner",
                JR_NAMED("Namespace", jr_str(b->namespace)), JR_ERR(&err));
    }
    start_configuration(b);
}

void jr_registration_reconcile(struct jr_registration *b, const char *pem)
{
    b->pem = pem;
    b->at = 0;
    b->patched = b->missing = b->low = false;
    b->uid[0] = '\0';
    free(b->trusted);
    b->trusted = NULL;
    jr_requester_get(&b->q, b->namespace_path, on_namespace);
}

int64_t jr_registration_pace_ns(struct jr_registration *b, int64_t poll_ns)
{
    if (b->incomplete == 0)
        return poll_ns;
    return jr_backoff_ns(b->incomplete - 1, SOON_NS, poll_ns, 0, &b->q.env.rand);
}

/* ---- its life ---- */

struct jr_registration *jr_registration_new(const struct jr_env *env,
                                            const struct jr_registration_options *o,
                                            const struct jr_registration_handler *handler,
                                            struct jr_log *log)
{
    struct jr_registration *b = jr_xcalloc(1, sizeof(*b));
    struct jr_arena *a = &b->arena;

    jr_arena_init(a, 0);
    b->q = (struct jr_requester){ .env = *env, .ctx = b };
    b->h = *handler;
    b->log = log;
    b->replicas = o->replicas;
    b->configuration = jr_xarena_strdup(a, o->configuration);
    b->namespace = jr_xarena_strdup(a, o->namespace);
    b->namespace_path = jr_xarena_text(a, "/api/v1/namespaces/%s", o->namespace).p;
    b->server_name = jr_xarena_strdup(a, o->server_name);
    for (size_t i = 0; i < N_KINDS; i++)
        b->paths[i] = jr_xarena_text(a, "/apis/admissionregistration.k8s.io/v1/%s/%s", kinds[i],
                                     o->configuration)
                          .p;
    return b;
}

void jr_registration_free(struct jr_registration *b)
{
    if (b == NULL)
        return;
    jr_requester_done(&b->q);
    jr_doc_free(b->doc);
    free(b->trusted);
    jr_arena_done(&b->arena);
    free(b);
}
