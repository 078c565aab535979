#include "webhook/certs/cert_reader.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/kube/request.h"
#include "webhook/certs/cert_secret.h"

#define TIMEOUT_MS 10000
#define RETRY_NS (500 * JR_MSEC)

struct jr_cert_reader {
    struct jr_env env;
    struct jr_cert_reader_handler h;
    struct jr_log *log;
    char *path; /* of the Secret */
    int64_t poll_ns;
    struct jr_kube_call *call;
    struct jr_timer *timer;
    unsigned in_vain; /* looks in a row without a certificate */
    int64_t skew_ns;  /* as the last answer has shown it */
    char *serving;    /* that was told of last; NULL: none yet */
};

static void look(void *ctx);

static void again_in(struct jr_cert_reader *r, int64_t ns)
{
    jr_timer_cancel(r->env.loop, &r->timer);
    if (jr_loop_after(r->env.loop, ns, look, r, &r->timer) != JR_OK)
        jr_err(r->log, "out of memory, the Secret is looked at no more", JR_NONE);
}

static void retry(struct jr_cert_reader *r)
{
    again_in(r, jr_backoff_ns(r->in_vain++, RETRY_NS, r->poll_ns, 0.2, &r->env.rand));
}

/** What is served stays. */
static void failed(struct jr_cert_reader *r, const char *what, const struct jr_error *err)
{
    jr_warn(r->log, what, JR_CSTR("path", r->path), JR_ERR(err));
    r->h.on_round(r->h.ctx, r->skew_ns, err);
    retry(r);
}

/** Takes the serving certificate out; without one it stays empty. Whether it is valid now is the
 * callers' clocks' to say, not ours. */
static enum jr_status read_serving(struct jr_str body, struct jr_certs *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_cert_life life;
    enum jr_status st = jr_doc_parse(body, &JR_GATE_LENIENT, &doc, err);

    if (st == JR_OK)
        st = jr_cert_secret_read(jr_doc_root_const(doc), ret, err);
    if (doc != NULL)
        jr_node_wipe(jr_doc_root(doc));
    if (st != JR_OK || (ret->serving.cert_pem == NULL && ret->serving.key_pem == NULL))
        return st;
    if (ret->serving.cert_pem == NULL || ret->serving.key_pem == NULL)
        return jr_fail(err, JR_INVALID, ret->serving.cert_pem == NULL ? "tls.crt" : "tls.key",
                       "is missing");
    st = jr_cert_check(&ret->serving, &life, err);
    if (st != JR_OK && err->path[0] == '\0') {
        const struct jr_cert alone = { ret->serving.cert_pem, NULL };

        (void)snprintf(err->path, sizeof(err->path), "%s",
                       jr_cert_check(&alone, &life, NULL) == JR_OK ? "tls.key" : "tls.crt");
    }
    return st;
}

static enum jr_status tell(struct jr_cert_reader *r, const struct jr_cert *serving)
{
    char *text;

    if (r->serving != NULL && strcmp(r->serving, serving->cert_pem) == 0)
        return JR_OK;
    text = jr_str_dup(jr_str(serving->cert_pem));
    if (text == NULL)
        return JR_NOMEM;
    free(r->serving);
    r->serving = text;
    r->h.on_serving(r->h.ctx, serving);
    return JR_OK;
}

static void on_secret(void *ctx, const struct jr_kube_result *res)
{
    struct jr_cert_reader *r = ctx;
    JR_CLEANUP(jr_certs_done) struct jr_certs certs = { .old_ca_pem = NULL };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st = JR_OK;

    r->call = NULL;
    if (jr_time_set(res->date))
        r->skew_ns = jr_loop_wall(r->env.loop).ns - res->date.ns;
    if (res->kind != JR_RESULT_OK && !jr_kube_is_gone(res)) {
        failed(r,
               res->kind == JR_RESULT_REFUSED
                   ? "the Secret is not read"
                   : "the API server does not answer, the Secret is not read",
               &res->error);
        return;
    }
    if (res->kind == JR_RESULT_OK)
        st = read_serving(res->body, &certs, &err);
    if (st == JR_OK && certs.serving.cert_pem != NULL && tell(r, &certs.serving) != JR_OK)
        st = jr_fail(&err, JR_NOMEM, NULL, "certificate");
    if (st != JR_OK) {
        failed(r, "the Secret's certificate is not fit for use, the last good one stays", &err);
        return;
    }
    r->h.on_round(r->h.ctx, r->skew_ns, NULL);
    if (r->serving == NULL) {
        jr_debug(r->log, "there is no certificate yet: a keeper makes it",
                 JR_CSTR("path", r->path));
        retry(r);
        return;
    }
    r->in_vain = 0;
    again_in(r, r->poll_ns);
}

static void look(void *ctx)
{
    struct jr_cert_reader *r = ctx;
    const struct jr_kube_request req = {
        .http = { .method = "GET", .path = r->path, .timeout_ms = TIMEOUT_MS },
    };

    r->timer = NULL;
    r->call = jr_kube_send(&r->env, &req, on_secret, r);
}

enum jr_status jr_cert_reader_start(const struct jr_env *env, const char *namespace,
                                    const char *secret, int64_t poll_ms,
                                    const struct jr_cert_reader_handler *handler,
                                    struct jr_log *log, struct jr_cert_reader **ret)
{
    struct jr_cert_reader *r = calloc(1, sizeof(*r));

    if (r == NULL)
        return JR_NOMEM;
    *r = (struct jr_cert_reader){
        .env = *env, .h = *handler, .log = log, .poll_ns = poll_ms * JR_MSEC
    };
    if (asprintf(&r->path, "/api/v1/namespaces/%s/secrets/%s", namespace, secret) < 0)
        r->path = NULL;
    if (r->path == NULL || jr_loop_after(env->loop, 0, look, r, &r->timer) != JR_OK) {
        jr_cert_reader_free(r);
        return JR_NOMEM;
    }
    *ret = r;
    return JR_OK;
}

void jr_cert_reader_free(struct jr_cert_reader *r)
{
    if (r == NULL)
        return;
    jr_kube_cancel(&r->call);
    jr_timer_cancel(r->env.loop, &r->timer);
    free(r->path);
    free(r->serving);
    free(r);
}
