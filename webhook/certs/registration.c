/* A look, for each configuration in turn:
 *
 *   GET Namespace   GET configuration --> for each aspect: PATCH it where it isn't so
 *
 * The answer to a PATCH is what the next aspect is looked up in. caBundle has to succeed; what
 * befalls the other aspects is told, and tried again with the next look. */
#include "webhook/certs/registration.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/api/review.h"
#include "common/kube/request.h"
#include "webhook/certs/registration_patch.h"

#define TIMEOUT_MS 10000
#define PATCH_MAX ((size_t)4 << 20)
#define ARENA_MAX_BYTES ((size_t)4 << 10)
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
    struct jr_env env;
    struct jr_registration_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    const char *configuration;
    const char *namespace;
    const char *namespace_path;
    const char *server_name;
    const char *paths[N_KINDS];
    struct jr_replicas *replicas;
    struct jr_kube_call *call;
    /* Of this look. */
    const char *pem;
    size_t at;
    enum aspect aspect;
    struct jr_doc *doc; /* the configuration as it is */
    char uid[64];       /* of the Namespace; "": not known */
    char *trusted;
    bool patched;
    bool missing;
    bool low; /* a failurePolicy waits for a replica */
    /* Looks in a row that have missed something. */
    unsigned in_vain;
};

static void next(struct jr_registration *b);
static void work(struct jr_registration *b);

static void over(struct jr_registration *b, const struct jr_error *err)
{
    const struct jr_registration_seen seen = { b->patched, b->trusted };

    jr_doc_free(b->doc);
    b->doc = NULL;
    b->h.on_looked(b->h.ctx, &seen, err);
}

static void broken_off(struct jr_registration *b, const char *what, const struct jr_error *err)
{
    struct jr_error why = *err;

    (void)jr_wrap(&why, err->status, "%s", what);
    over(b, &why);
}

static void send(struct jr_registration *b, const char *method, const char *path,
                 struct jr_str body, void (*on_done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = path,
                  .content_type = body.n == 0 ? NULL : "application/json-patch+json",
                  .body = body,
                  .timeout_ms = TIMEOUT_MS },
    };

    b->call = jr_kube_send(&b->env, &req, on_done, b);
}

/* ---- one aspect of one configuration ---- */

static void aspect_over(struct jr_registration *b)
{
    b->aspect++;
    work(b);
}

/** What is wrong with a caBundle ends the look; the rest is of less weight. */
static void aspect_failed(struct jr_registration *b, const struct jr_error *err)
{
    if (b->aspect == BUNDLE) {
        broken_off(b, aspects[b->aspect].failed, err);
        return;
    }
    jr_warn(b->log, aspects[b->aspect].failed,
            JR_NAMED(kind_names[b->at], jr_str(b->configuration)), JR_ERR(err));
    aspect_over(b);
}

static void on_patched(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };

    b->call = NULL;
    if (r->kind == JR_RESULT_REFUSED && r->http == 409) { /* changed since it was read */
        b->at++;
        next(b);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        aspect_failed(b, &r->error);
        return;
    }
    jr_info(b->log, aspects[b->aspect].done, JR_NAMED(kind_names[b->at], jr_str(b->configuration)));
    if (jr_doc_parse(r->body, &JR_GATE_LENIENT, &doc, &err) != JR_OK) {
        aspect_failed(b, &err);
        return;
    }
    jr_doc_free(b->doc);
    b->doc = doc;
    aspect_over(b);
}

static enum jr_status make_patch(const struct jr_registration *b, struct jr_buf *out)
{
    const struct jr_node *c = jr_doc_root_const(b->doc);

    switch (b->aspect) {
    case BUNDLE:
        return b->pem == NULL ? JR_OK : jr_patch_bundle(c, jr_str(b->pem), out);
    case OWNER:
        return b->uid[0] == '\0' ? JR_OK
                                 : jr_patch_owner(c, jr_str(b->namespace), jr_str(b->uid), out);
    case POLICY:
        return jr_patch_policy(c, out);
    case MANAGER:
        return jr_patch_manager(c, out);
    case ASPECTS:
        break;
    }
    return JR_OK;
}

static void patch(struct jr_registration *b)
{
    struct jr_error err = { .status = JR_OK };
    JR_ARENA arena = { 0 };
    JR_BUF body = { 0 };
    const char *path;

    jr_arena_init(&arena, ARENA_MAX_BYTES);
    jr_buf_init(&body, PATCH_MAX);
    path = jr_arena_printf(&arena, "%s%s", b->paths[b->at], aspects[b->aspect].query);
    if (path == NULL || make_patch(b, &body) != JR_OK) {
        (void)jr_fail(&err, JR_NOMEM, NULL, "patch");
        aspect_failed(b, &err);
        return;
    }
    if (body.n == 0) {
        aspect_over(b);
        return;
    }
    b->patched = b->patched || b->aspect == BUNDLE;
    send(b, "PATCH", path, jr_buf_str(&body), on_patched);
}

/* ---- does a replica answer? ---- */

/** As the API server takes it, by what this configuration has it trust. */
static bool is_trusted(void *ctx, const char *chain_pem)
{
    struct jr_registration *b = ctx;
    JR_FREE char *bundle = NULL;

    return jr_configuration_trusts(jr_doc_root_const(b->doc), &bundle) == JR_OK && bundle != NULL &&
           jr_cert_is_trusted(chain_pem, bundle, b->server_name, jr_loop_wall(b->env.loop));
}

static void on_replicas(void *ctx, const struct jr_replicas_seen *seen, const struct jr_error *err)
{
    struct jr_registration *b = ctx;

    if (err == NULL && seen->n_good > 0) {
        patch(b);
        return;
    }
    b->low = true;
    if (err != NULL) {
        aspect_failed(b, err);
        return;
    }
    jr_debug(b->log, "failurePolicy stays Ignore: no replica answers yet",
             JR_NAMED(kind_names[b->at], jr_str(b->configuration)));
    aspect_over(b);
}

static void raise_policy(struct jr_registration *b)
{
    const struct jr_replicas_question q = {
        .tries = 1, .judge = is_trusted, .on_asked = on_replicas, .ctx = b
    };

    if (jr_policy_is_low(jr_doc_root_const(b->doc)))
        jr_replicas_ask(b->replicas, &q);
    else
        aspect_over(b);
}

static void work(struct jr_registration *b)
{
    if (b->aspect == ASPECTS) {
        b->at++;
        next(b);
    } else if (b->aspect == POLICY) {
        raise_policy(b);
    } else {
        patch(b);
    }
}

/* ---- a look ---- */

static void on_configuration(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    b->call = NULL;
    if (r->kind != JR_RESULT_OK && !jr_kube_is_gone(r)) {
        broken_off(b, "webhook configuration not read", &r->error);
        return;
    }
    if (jr_kube_is_gone(r)) {
        b->missing = true;
        b->at++;
        next(b);
        return;
    }
    st = jr_doc_parse(r->body, &JR_GATE_LENIENT, &b->doc, &err);
    if (st == JR_OK && jr_configuration_trusts(jr_doc_root_const(b->doc), &b->trusted) != JR_OK)
        st = jr_fail(&err, JR_NOMEM, NULL, "CA certificates");
    if (st != JR_OK)
        broken_off(b, "webhook configuration not read", &err);
    else
        work(b);
}

static void next(struct jr_registration *b)
{
    jr_doc_free(b->doc);
    b->doc = NULL;
    b->aspect = BUNDLE;
    if (b->at == N_KINDS) {
        b->in_vain = b->missing || b->low ? b->in_vain + 1 : 0;
        over(b, NULL);
    } else {
        send(b, "GET", b->paths[b->at], (struct jr_str){ NULL, 0 }, on_configuration);
    }
}

/** Without a uid no owner is set, and the rest goes on. */
static void on_namespace(void *ctx, const struct jr_kube_result *r)
{
    struct jr_registration *b = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = r->error;
    enum jr_status st = r->kind == JR_RESULT_OK ? JR_OK : JR_REMOTE;
    struct jr_str uid;

    b->call = NULL;
    if (st == JR_OK)
        st = jr_doc_parse(r->body, &JR_GATE_LENIENT, &doc, &err);
    if (st == JR_OK) {
        uid = jr_get_str(jr_get(jr_doc_root_const(doc), "metadata"), "uid");
        if (uid.n > 0 && uid.n < sizeof(b->uid))
            (void)snprintf(b->uid, sizeof(b->uid), "%.*s", JR_P(uid));
    } else {
        jr_warn(b->log, "Namespace not read, the webhook configurations get no owner",
                JR_NAMED("Namespace", jr_str(b->namespace)), JR_ERR(&err));
    }
    next(b);
}

void jr_registration_look(struct jr_registration *b, const char *pem)
{
    b->pem = pem;
    b->at = 0;
    b->patched = b->missing = b->low = false;
    b->uid[0] = '\0';
    free(b->trusted);
    b->trusted = NULL;
    send(b, "GET", b->namespace_path, (struct jr_str){ NULL, 0 }, on_namespace);
}

int64_t jr_registration_pace_ns(struct jr_registration *b, int64_t poll_ns)
{
    if (b->in_vain == 0)
        return poll_ns;
    return jr_backoff_ns(b->in_vain - 1, SOON_NS, poll_ns, 0, &b->env.rand);
}

/* ---- its life ---- */

static bool make_paths(struct jr_registration *b, const struct jr_registration_options *o)
{
    bool ok;

    b->configuration = jr_arena_printf(&b->arena, "%s", o->configuration);
    b->namespace = jr_arena_printf(&b->arena, "%s", o->namespace);
    b->namespace_path = jr_arena_printf(&b->arena, "/api/v1/namespaces/%s", o->namespace);
    b->server_name = jr_arena_printf(&b->arena, "%s", o->server_name);
    ok = b->configuration != NULL && b->namespace != NULL && b->namespace_path != NULL &&
         b->server_name != NULL;
    for (size_t i = 0; i < N_KINDS; i++) {
        b->paths[i] = jr_arena_printf(&b->arena, "/apis/admissionregistration.k8s.io/v1/%s/%s",
                                      kinds[i], o->configuration);
        ok = ok && b->paths[i] != NULL;
    }
    return ok;
}

enum jr_status jr_registration_new(const struct jr_env *env,
                                   const struct jr_registration_options *options,
                                   const struct jr_registration_handler *handler,
                                   struct jr_log *log, struct jr_registration **ret)
{
    struct jr_registration *b = calloc(1, sizeof(*b));

    if (b == NULL)
        return JR_NOMEM;
    *b = (struct jr_registration){
        .env = *env, .h = *handler, .log = log, .replicas = options->replicas
    };
    jr_arena_init(&b->arena, ARENA_MAX_BYTES);
    if (!make_paths(b, options)) {
        jr_registration_free(b);
        return JR_NOMEM;
    }
    *ret = b;
    return JR_OK;
}

void jr_registration_free(struct jr_registration *b)
{
    if (b == NULL)
        return;
    jr_kube_cancel(&b->call);
    jr_doc_free(b->doc);
    free(b->trusted);
    jr_arena_done(&b->arena);
    free(b);
}
