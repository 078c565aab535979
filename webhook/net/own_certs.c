/* SPDX-License-Identifier: Apache-2.0 */
/* The Secret's certificate, made into what the listener serves with. */
#include "webhook/net/own_certs.h"

#include "common/base/memory.h"
#include "webhook/certs/cert_reader.h"

struct jr_own_certs {
    struct jr_own_certs_handler h;
    struct jr_log *log;
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

struct jr_own_certs *jr_own_certs_start(const struct jr_webhook_api *api,
                                        const struct jr_webhook_options *options,
                                        const struct jr_own_certs_handler *handler,
                                        struct jr_log *log)
{
    struct jr_own_certs *o = jr_xcalloc(1, sizeof(*o));
    const struct jr_cert_reader_handler read = { on_serving, on_read, o };

    o->h = *handler;
    o->log = log;
    o->reader = jr_cert_reader_start(&api->env, api->namespace, options->tls_secret,
                                     options->tls_poll_ms, &read, log);
    return o;
}

void jr_own_certs_free(struct jr_own_certs *o)
{
    if (o == NULL)
        return;
    jr_cert_reader_free(o->reader);
    free(o);
}
