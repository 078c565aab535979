/* SPDX-License-Identifier: Apache-2.0 */
/* Admission webhooks over HTTPS. */
#include "devcluster/hooks.h"

#include "common/base/memory.h"
#include "common/curl/curl.h"

/* A transport to one origin under one CA. */
struct peer {
    struct peer *next;
    char *origin;
    char *ca_pem; /* NULL: system roots */
    struct jr_curl *curl;
};

struct jr_dev_hooks {
    struct jr_loop *loop;
    struct peer *peers;
};

struct jr_dev_hook_call {
    struct jr_transport transport;
    struct jr_call *call;
    void (*done)(void *ctx, const struct jr_dev_webhook_result *r);
    void *ctx;
};

struct jr_dev_hooks *jr_dev_hooks_new(struct jr_loop *loop)
{
    struct jr_dev_hooks *h = jr_xcalloc(1, sizeof(*h));

    h->loop = loop;
    return h;
}

static void peer_free(struct peer *p)
{
    jr_curl_free(p->curl);
    free(p->origin);
    free(p->ca_pem);
    free(p);
}

void jr_dev_hooks_free(struct jr_dev_hooks *h)
{
    if (h == NULL)
        return;
    while (h->peers != NULL) {
        struct peer *p = h->peers;
        h->peers = p->next;
        peer_free(p);
    }
    free(h);
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static enum jr_status peer_new(struct jr_dev_hooks *h, struct jr_str origin, const char *ca_pem,
                               struct peer **ret, struct jr_error *err)
{
    struct peer *p = jr_xcalloc(1, sizeof(*p));

    p->origin = jr_xstrndup(origin);
    p->ca_pem = ca_pem == NULL ? NULL : jr_xstrndup(jr_str(ca_pem));
    const struct jr_kube_config config = { .server = p->origin, .ca_pem = p->ca_pem };
    enum jr_status st =
        jr_need(jr_curl_new(h->loop, &config, "kube-apiserver-admission", &p->curl, err));
    if (st != JR_OK) {
        peer_free(p);
        return st;
    }
    p->next = h->peers;
    h->peers = p;
    *ret = p;
    return JR_OK;
}

static enum jr_status peer_for(struct jr_dev_hooks *h, struct jr_str origin, const char *ca_pem,
                               struct peer **ret, struct jr_error *err)
{
    for (struct peer *p = h->peers; p != NULL; p = p->next) {
        if (jr_str_is(origin, p->origin) && same_text(ca_pem, p->ca_pem)) {
            *ret = p;
            return JR_OK;
        }
    }
    return peer_new(h, origin, ca_pem, ret, err);
}

static void on_done(void *ctx, const struct jr_http_answer *answer)
{
    struct jr_dev_hook_call *c = ctx;
    const struct jr_dev_webhook_result r = {
        .failed = answer->outcome != JR_HTTP_DONE,
        .status = answer->status,
        .body = answer->body,
        .error = answer->error.msg,
    };

    c->done(c->ctx, &r);
    free(c);
}

/* "https://host:port/path" apart. */
static bool split_url(const char *url, struct jr_str *ret_origin, const char **ret_path)
{
    static const char scheme[] = "https://";

    if (strncmp(url, scheme, sizeof(scheme) - 1) != 0)
        return false;
    const char *path = strchr(url + sizeof(scheme) - 1, '/');
    *ret_path = path == NULL ? "/" : path;
    *ret_origin = path == NULL ? jr_str(url) : (struct jr_str){ url, (size_t)(path - url) };
    return true;
}

enum jr_status jr_dev_hooks_call(struct jr_dev_hooks *h, const struct jr_dev_webhook *w,
                                 void (*done)(void *ctx, const struct jr_dev_webhook_result *r),
                                 void *ctx, struct jr_dev_hook_call **ret, struct jr_error *err)
{
    struct peer *p = NULL;
    struct jr_str origin;
    const char *path = NULL;

    if (!split_url(w->url, &origin, &path))
        return jr_fail(err, JR_INVALID, w->name, "'%s' is no https URL", w->url);
    enum jr_status st = peer_for(h, origin, w->ca_pem, &p, err);
    if (st != JR_OK)
        return st;
    JR_FREE struct jr_dev_hook_call *c = jr_xcalloc(1, sizeof(*c));
    c->transport = jr_curl_transport(p->curl);
    c->done = done;
    c->ctx = ctx;
    const struct jr_http_request req = {
        .method = "POST",
        .path = path,
        .accept = "application/json, */*",
        .content_type = "application/json",
        .body = w->body,
        .timeout_ms = (int64_t)w->timeout_s * 1000,
    };
    const struct jr_http_handler handler = { .on_done = on_done, .ctx = c };
    c->call = c->transport.send(c->transport.self, &req, &handler);
    *ret = jr_steal(&c);
    return JR_OK;
}

void jr_dev_hook_cancel(struct jr_dev_hook_call **call)
{
    struct jr_dev_hook_call *c = *call;

    if (c == NULL)
        return;
    *call = NULL;
    c->transport.cancel(c->transport.self, c->call);
    free(c);
}
