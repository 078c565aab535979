/* SPDX-License-Identifier: Apache-2.0 */
/* GET the Secret, take its serving certificate out, and again after a while. */
#include "webhook/certs/cert_reader.h"

#include <stdio.h>

#include "certs/check.h"
#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "webhook/certs/cert_secret.h"

struct jr_cert_reader {
    struct jr_requester q;
    struct jr_cert_reader_handler h;
    struct jr_log *log;
    char *path; /* of the Secret */
    int64_t poll_ns;
    unsigned failures; /* in a row: no certificate was read */
    int64_t skew_ns;   /* as the last answer has shown it */
    char *serving;     /* that was told of last; NULL: none yet */
};

static void get_secret(void *ctx);

static void get_later(struct jr_cert_reader *r)
{
    jr_requester_retry(&r->q, r->failures++, r->poll_ns, 0.2, get_secret);
}

/** What is served stays. */
static void round_failed(struct jr_cert_reader *r, const char *what, const struct jr_error *err)
{
    jr_warn(r->log, what, JR_CSTR("path", r->path), JR_ERR(err));
    r->h.on_read(r->h.ctx, r->skew_ns, err);
    get_later(r);
}

/** Takes the serving certificate out; without one it stays empty. Whether it is valid now is the
 * callers' clocks' to say, not ours. */
static enum jr_status read_serving(struct jr_str body, struct jr_certs *ret, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_cert_life life;
    enum jr_status st = jr_need(jr_doc_parse(body, &JR_READER_LENIENT, &doc, err));

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

static void tell_serving(struct jr_cert_reader *r, const struct jr_cert *serving)
{
    if (r->serving != NULL && strcmp(r->serving, serving->cert_pem) == 0)
        return;
    free(r->serving);
    r->serving = jr_xstrdup(serving->cert_pem);
    r->h.on_serving(r->h.ctx, serving);
}

static void on_secret(void *ctx, const struct jr_kube_result *res)
{
    struct jr_cert_reader *r = ctx;
    JR_CLEANUP(jr_certs_done) struct jr_certs certs = { .old_ca_pem = NULL };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st = JR_OK;

    if (jr_time_set(res->date))
        r->skew_ns = jr_loop_wall(r->q.env.loop).ns - res->date.ns;
    if (res->kind != JR_RESULT_OK && !jr_kube_is_gone(res)) {
        round_failed(r,
                     res->kind == JR_RESULT_REFUSED
                         ? "the Secret is not read"
                         : "the API server does not answer, the Secret is not read",
                     &res->error);
        return;
    }
    if (res->kind == JR_RESULT_OK)
        st = read_serving(res->body, &certs, &err);
    if (st == JR_OK && certs.serving.cert_pem != NULL)
        tell_serving(r, &certs.serving);
    if (st != JR_OK) {
        round_failed(r, "the Secret's certificate is not fit for use, the last good one stays",
                     &err);
        return;
    }
    r->h.on_read(r->h.ctx, r->skew_ns, NULL);
    if (r->serving == NULL) {
        jr_debug(r->log, "there is no certificate yet: a keeper makes it",
                 JR_CSTR("path", r->path));
        get_later(r);
        return;
    }
    r->failures = 0;
    jr_requester_after(&r->q, r->poll_ns, get_secret);
}

static void get_secret(void *ctx)
{
    struct jr_cert_reader *r = ctx;

    jr_requester_get(&r->q, r->path, on_secret);
}

struct jr_cert_reader *jr_cert_reader_start(const struct jr_env *env, const char *namespace,
                                            const char *secret, int64_t poll_ms,
                                            const struct jr_cert_reader_handler *handler,
                                            struct jr_log *log)
{
    struct jr_cert_reader *r = jr_xcalloc(1, sizeof(*r));

    r->q = (struct jr_requester){ .env = *env, .ctx = r };
    r->h = *handler;
    r->log = log;
    r->poll_ns = poll_ms * JR_MSEC;
    r->path = jr_xasprintf("/api/v1/namespaces/%s/secrets/%s", namespace, secret);
    jr_requester_after(&r->q, 0, get_secret);
    return r;
}

void jr_cert_reader_free(struct jr_cert_reader *r)
{
    if (r == NULL)
        return;
    jr_requester_done(&r->q);
    free(r->path);
    free(r->serving);
    free(r);
}
