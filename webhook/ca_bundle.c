#include "webhook/ca_bundle.h"

#include "common/kube/request.h"
#include "webhook/cert_secret.h"

#define TIMEOUT_MS 10000
#define PATCH_MAX ((size_t)4 << 20)
#define ARENA_MAX_BYTES ((size_t)4 << 10)
#define N_KINDS 2
#define MISSING_NS JR_SEC

static const char *const kind_names[N_KINDS] = { "MutatingWebhookConfiguration",
                                                 "ValidatingWebhookConfiguration" };
static const char *const kinds[N_KINDS] = { "mutatingwebhookconfigurations",
                                            "validatingwebhookconfigurations" };

struct jr_ca_bundle {
    struct jr_env env;
    struct jr_ca_bundle_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    const char *configuration;
    const char *paths[N_KINDS];
    struct jr_kube_call *call;
    /* Of this look. */
    const char *pem;
    size_t at;
    bool patched;
    bool missing;
    /* Looks in a row that have missed one. */
    unsigned in_vain;
};

static void next(struct jr_ca_bundle *b);

static void broken_off(struct jr_ca_bundle *b, const char *what, const struct jr_error *err)
{
    struct jr_error why = *err;

    (void)jr_wrap(&why, err->status, "%s", what);
    b->h.on_looked(b->h.ctx, b->patched, &why);
}

static void send(struct jr_ca_bundle *b, const char *method, const char *content_type,
                 struct jr_str body, void (*on_done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = b->paths[b->at],
                  .content_type = content_type,
                  .body = body,
                  .timeout_ms = TIMEOUT_MS },
    };
    struct jr_error err = { .status = JR_OK };

    if (jr_kube_send(&b->env, &req, on_done, b, &b->call, &err) != JR_OK)
        broken_off(b, "webhook configuration not looked at", &err);
}

static void on_patched(void *ctx, const struct jr_kube_result *r)
{
    struct jr_ca_bundle *b = ctx;

    b->call = NULL;
    /* 422: it has changed since it was read, and the test said so. */
    if (r->kind != JR_RESULT_OK && r->http != 409 && r->http != 422) {
        broken_off(b, "caBundle not set", &r->error);
        return;
    }
    if (r->kind == JR_RESULT_OK)
        jr_info(b->log, "caBundle set", JR_NAMED(kind_names[b->at], jr_str(b->configuration)));
    b->at++;
    next(b);
}

static void on_configuration(void *ctx, const struct jr_kube_result *r)
{
    struct jr_ca_bundle *b = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    JR_BUF patch = { 0 };
    enum jr_status st = JR_OK;

    b->call = NULL;
    if (r->kind != JR_RESULT_OK && !jr_kube_is_gone(r)) {
        broken_off(b, "webhook configuration not read", &r->error);
        return;
    }
    jr_buf_init(&patch, PATCH_MAX);
    if (jr_kube_is_gone(r))
        b->missing = true;
    else
        st = jr_doc_parse(r->body, &JR_GATE_LENIENT, &doc, &err);
    if (st == JR_OK && doc != NULL)
        st = jr_cert_bundle_patch(jr_doc_root_const(doc), jr_str(b->pem), &patch);
    if (st != JR_OK) {
        broken_off(b, "webhook configuration not read", &err);
        return;
    }
    if (patch.n == 0) {
        b->at++;
        next(b);
        return;
    }
    b->patched = true;
    send(b, "PATCH", "application/json-patch+json", jr_buf_str(&patch), on_patched);
}

static void next(struct jr_ca_bundle *b)
{
    if (b->at < N_KINDS) {
        send(b, "GET", NULL, (struct jr_str){ NULL, 0 }, on_configuration);
        return;
    }
    b->in_vain = b->missing ? b->in_vain + 1 : 0;
    b->h.on_looked(b->h.ctx, b->patched, NULL);
}

void jr_ca_bundle_look(struct jr_ca_bundle *b, const char *pem)
{
    b->pem = pem;
    b->at = 0;
    b->patched = b->missing = false;
    next(b);
}

int64_t jr_ca_bundle_pace_ns(struct jr_ca_bundle *b, int64_t poll_ns)
{
    if (b->in_vain == 0)
        return poll_ns;
    return jr_backoff_ns(b->in_vain - 1, MISSING_NS, poll_ns, 0, &b->env.rand);
}

/* ---- its life ---- */

static bool make_paths(struct jr_ca_bundle *b, const char *configuration)
{
    b->configuration = jr_arena_printf(&b->arena, "%s", configuration);
    for (size_t i = 0; i < N_KINDS; i++)
        b->paths[i] = jr_arena_printf(&b->arena, "/apis/admissionregistration.k8s.io/v1/%s/%s",
                                      kinds[i], configuration);
    return b->configuration != NULL && b->paths[0] != NULL && b->paths[1] != NULL;
}

enum jr_status jr_ca_bundle_new(const struct jr_env *env, const char *configuration,
                                const struct jr_ca_bundle_handler *handler, struct jr_log *log,
                                struct jr_ca_bundle **ret)
{
    struct jr_ca_bundle *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return JR_NOMEM;
    *b = (struct jr_ca_bundle){ .env = *env, .h = *handler, .log = log };
    jr_arena_init(&b->arena, ARENA_MAX_BYTES);
    if (!make_paths(b, configuration)) {
        jr_ca_bundle_free(b);
        return JR_NOMEM;
    }
    *ret = b;
    return JR_OK;
}

void jr_ca_bundle_free(struct jr_ca_bundle *b)
{
    if (b == NULL)
        return;
    jr_kube_cancel(&b->call);
    jr_arena_done(&b->arena);
    free(b);
}
