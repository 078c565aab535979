#include "webhook/own_certs.h"

#include "common/base/arena.h"
#include "webhook/api.h"
#include "webhook/cert_keeper.h"

#define N_SERVICE_NAMES 4

struct jr_own_certs {
    struct jr_own_certs_handler h;
    struct jr_log *log;
    struct jr_arena arena;
    struct jr_webhook_api api;
    struct jr_cert_keeper *keeper;
};

/* ---- what the keeper tells ---- */

static void on_serving(void *ctx, const struct jr_cert *serving)
{
    struct jr_own_certs *o = ctx;
    struct jr_error err = { .status = JR_OK };
    struct jr_tls_cred *cred;

    if (jr_tls_cred_make(jr_str(serving->cert_pem), jr_str(serving->key_pem), &cred, &err) ==
        JR_OK) {
        o->h.on_cred(o->h.ctx, cred);
        return;
    }
    jr_err(o->log, "the Secret's certificate can't be served, the old one stays", JR_ERR(&err));
    o->h.on_failure(o->h.ctx);
}

static void on_round(void *ctx, const struct jr_error *err)
{
    struct jr_own_certs *o = ctx;

    if (err != NULL)
        o->h.on_failure(o->h.ctx);
}

/* ---- starting ---- */

/** The Service in all the forms in which callers name it, and what else was asked for. */
static enum jr_status names_of(struct jr_own_certs *o, const struct jr_webhook_options *w,
                               const char *namespace, struct jr_certs_options *ret)
{
    const size_t n = N_SERVICE_NAMES + w->tls_names.n;
    const char **names = jr_arena_calloc(&o->arena, n, sizeof(*names));

    if (names == NULL)
        return JR_NOMEM;
    names[0] = jr_arena_printf(&o->arena, "%s", w->service_name);
    names[1] = jr_arena_printf(&o->arena, "%s.%s", w->service_name, namespace);
    names[2] = jr_arena_printf(&o->arena, "%s.%s.svc", w->service_name, namespace);
    names[3] = jr_arena_printf(&o->arena, "%s.%s.svc.cluster.local", w->service_name, namespace);
    for (size_t i = 0; i < w->tls_names.n; i++)
        names[N_SERVICE_NAMES + i] = jr_arena_printf(&o->arena, "%.*s", JR_P(w->tls_names.v[i]));
    for (size_t i = 0; i < n; i++) {
        if (names[i] == NULL)
            return JR_NOMEM;
    }
    ret->names = names;
    ret->n_names = n;
    return JR_OK;
}

static enum jr_status make(struct jr_own_certs *o, struct jr_loop *loop,
                           const struct jr_webhook_options *w, struct jr_error *err)
{
    const struct jr_cert_keeper_handler handler = { on_serving, on_round, o };
    struct jr_cert_keeper_options options = {
        .certs = { .common_name = "jobreeve webhook CA",
                   .ca_days = (unsigned)w->ca_days,
                   .serving_days = (unsigned)w->cert_days },
        .secret = w->tls_secret,
        .configuration = w->webhook_configuration,
        .poll_ms = w->tls_poll_ms,
        .settle_ms = w->tls_settle_ms,
    };
    enum jr_status st = jr_webhook_api_open(&o->api, loop, w, err);

    if (st != JR_OK)
        return st;
    jr_curl_set_log(o->api.curl, o->log);
    options.namespace = o->api.namespace;
    st = names_of(o, w, options.namespace, &options.certs);
    if (st == JR_OK)
        st = jr_cert_keeper_new(&o->api.env, &options, &handler, o->log, &o->keeper);
    if (st == JR_OK)
        st = jr_cert_keeper_start(o->keeper);
    return st == JR_OK ? st : jr_fail(err, st, NULL, "certificates");
}

enum jr_status jr_own_certs_start(struct jr_loop *loop, const struct jr_webhook_options *options,
                                  const struct jr_own_certs_handler *handler, struct jr_log *log,
                                  struct jr_own_certs **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_own_certs_freep) struct jr_own_certs *o = calloc(1, sizeof(*o));
    enum jr_status st;

    if (o == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificates");
    o->h = *handler;
    o->log = log;
    jr_arena_init(&o->arena, (size_t)1 << 20);
    st = make(o, loop, options, err);
    if (st == JR_OK)
        *ret = jr_steal(&o);
    return st;
}

void jr_own_certs_free(struct jr_own_certs *o)
{
    if (o == NULL)
        return;
    jr_cert_keeper_free(o->keeper);
    jr_webhook_api_done(&o->api);
    jr_arena_done(&o->arena);
    free(o);
}
