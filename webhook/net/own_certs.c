/* The Secret's certificate, made into what the listener serves with. */
#include "webhook/net/own_certs.h"

#include "webhook/api.h"
#include "webhook/certs/cert_reader.h"

struct jr_own_certs {
    struct jr_own_certs_handler h;
    struct jr_log *log;
    struct jr_webhook_api api;
    struct jr_cert_reader *reader;
};

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

static void on_read(void *ctx, int64_t skew_ns, const struct jr_error *err)
{
    struct jr_own_certs *o = ctx;

    o->h.on_skew(o->h.ctx, skew_ns);
    if (err != NULL)
        o->h.on_failure(o->h.ctx);
}

enum jr_status jr_own_certs_start(struct jr_loop *loop, const struct jr_webhook_options *options,
                                  const struct jr_own_certs_handler *handler, struct jr_log *log,
                                  struct jr_own_certs **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_own_certs_freep) struct jr_own_certs *o = calloc(1, sizeof(*o));
    const struct jr_cert_reader_handler read = { on_serving, on_read, o };
    enum jr_status st;

    if (o == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificates");
    o->h = *handler;
    o->log = log;
    st = jr_webhook_api_open(&o->api, loop, options, err);
    if (st != JR_OK)
        return st;
    jr_curl_set_log(o->api.curl, log);
    o->reader = jr_cert_reader_start(&o->api.env, o->api.namespace, options->tls_secret,
                                     options->tls_poll_ms, &read, log);
    *ret = jr_steal(&o);
    return JR_OK;
}

void jr_own_certs_free(struct jr_own_certs *o)
{
    if (o == NULL)
        return;
    jr_cert_reader_free(o->reader);
    jr_webhook_api_done(&o->api);
    free(o);
}
