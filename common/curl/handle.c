/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport's easy handles: made once, set up for one request after the other. */
#include <openssl/crypto.h>

#include "common/curl/config_parts.h"
#include "common/curl/curl_parts.h"

#define IDLE_HANDLES_MAX 64
#define CONNECT_TIMEOUT_MS 10000L
/* A list of everything in one answer is the largest thing that is ever asked for. */
#define READ_BODY_MAX ((size_t)256 << 20)
#define WRITE_BODY_MAX ((size_t)16 << 20)

long jr_curl_status(const struct jr_call *call)
{
    long status = 0;

    (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static bool streams(const struct jr_call *call)
{
    return call->h.on_chunk != NULL && jr_curl_status(call) == 200;
}

/** Only collects: handlers send and cancel, which libcurl doesn't allow from inside of its
 * callbacks. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's signature */
static size_t on_body(char *p, size_t size, size_t n, void *ctx)
{
    struct jr_call *call = ctx;

    call->last_byte = jr_loop_mono(call->owner->loop);
    call->pool->life.heard = call->last_byte; /* libcurl may read what no socket event told of */
    if (jr_need(jr_buf_add(&call->in, (struct jr_str){ p, size * n })) != JR_OK)
        return CURL_WRITEFUNC_ERROR;
    if (!call->full && streams(call)) {
        TAILQ_INSERT_TAIL(&call->owner->full, call, link_full);
        call->full = true;
    }
    return size * n;
}

/** The last moment: a connection is there, and the request goes out next. */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's signature */
static int on_before_send(void *ctx, char *ip, char *local_ip, int port, int local_port)
{
    struct jr_call *call = ctx;

    (void)ip;
    (void)local_ip;
    (void)port;
    (void)local_port;
    /* libcurl sends anew, of itself, what it had sent on a connection that turned out dead; nobody
     * knows what had arrived there. */
    if (call->sent && !call->repeatable)
        return CURL_PREREQFUNC_ABORT;
    if (call->may_send != NULL && !call->may_send(call->may_send_ctx))
        return CURL_PREREQFUNC_ABORT;
    call->sent = true;
    call->sent_at = jr_loop_mono(call->owner->loop);
    call->last_byte = call->sent_at;
    return CURL_PREREQFUNC_OK;
}

void jr_curl_call_free(struct jr_call *call)
{
    if (call == NULL)
        return;
    curl_easy_cleanup(call->easy);
    jr_curl_certs_unref(call->certs);
    jr_buf_done(&call->in);
    free(call);
}

void jr_curl_calls_drop(struct jr_curl *c)
{
    struct jr_call *call;

    while ((call = TAILQ_FIRST(&c->idle)) != NULL) {
        TAILQ_REMOVE(&c->idle, call, link);
        jr_curl_call_free(call);
    }
    c->n_idle = 0;
}

static bool set_callbacks(struct jr_call *call)
{
    CURL *easy = call->easy;
    bool ok = true;

    ok &= curl_easy_setopt(easy, CURLOPT_PRIVATE, call) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->words) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_WRITEDATA, call) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_before_send) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_PREREQDATA, call) == CURLE_OK;
    return ok;
}

static struct jr_call *call_new(struct jr_curl *c)
{
    struct jr_call *call = jr_xcalloc(1, sizeof(*call));

    call->owner = c;
    call->certs = jr_curl_certs_ref(c->certs);
    call->easy = jr_must_have(curl_easy_init());
    return call;
}

/** Sets what all requests of a handle have in common. */
static enum jr_status set_up(struct jr_call *call, struct jr_error *err)
{
    jr_curl_must(set_callbacks(call));
    return jr_curl_target_apply(&call->owner->target, call->certs, call->easy, err);
}

enum jr_status jr_curl_call_try(struct jr_curl *c, struct jr_error *err)
{
    struct jr_call *call = call_new(c);
    enum jr_status st = set_up(call, err);

    jr_curl_call_release(call);
    return st;
}

struct jr_call *jr_curl_call_take(struct jr_curl *c, bool stream)
{
    struct jr_call *call = TAILQ_FIRST(&c->idle);

    if (call != NULL && !stream) {
        TAILQ_REMOVE(&c->idle, call, link);
        c->n_idle--;
        return call;
    }
    call = call_new(c);
    jr_curl_must(set_up(call, NULL) == JR_OK);
    call->stream = stream;
    return call;
}

static void wipe_headers(struct curl_slist **headers)
{
    for (struct curl_slist *h = *headers; h != NULL; h = h->next) {
        OPENSSL_cleanse(h->data, strlen(h->data)); /* the token is in there */
    }
    curl_slist_free_all(*headers);
    *headers = NULL;
}

/** Ends what belongs to one request. The call is on no list then. */
void jr_curl_call_clear(struct jr_call *call)
{
    struct jr_curl *c = call->owner;

    if (call->waiting)
        TAILQ_REMOVE(&c->waiting, call, link);
    call->waiting = false;
    if (call->pool != NULL) {
        (void)curl_multi_remove_handle(call->pool->multi, call->easy);
        TAILQ_REMOVE(&c->live, call, link);
        jr_curl_pool_count(call->pool, -1);
        call->pool = NULL;
    }
    if (call->full)
        TAILQ_REMOVE(&c->full, call, link_full);
    call->full = false;
    jr_timer_cancel(c->loop, &call->deadline);
    jr_timer_cancel(c->loop, &call->silence);
    (void)curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, NULL);
    (void)curl_easy_setopt(call->easy, CURLOPT_POSTFIELDS, NULL);
    wipe_headers(&call->headers);
    free(call->body);
    call->body = NULL;
}

/** Gives the handle back for other requests. */
void jr_curl_call_release(struct jr_call *call)
{
    struct jr_curl *c = call->owner;

    jr_buf_done(&call->in);
    if (call->stream || call->certs != c->certs || c->n_idle >= IDLE_HANDLES_MAX) {
        jr_curl_call_free(call);
        return;
    }
    TAILQ_INSERT_HEAD(&c->idle, call, link);
    c->n_idle++;
}

/* ---- one request ---- */

/** Appends a header; no other copy of it is left. */
static void add_header(struct jr_call *call, const char *name, const char *value)
{
    const struct jr_str head = jr_str(name), tail = jr_str(value);
    char *line = jr_xcalloc(1, head.n + tail.n + 1);

    memcpy(line, head.p, head.n);
    memcpy(line + head.n, tail.p, tail.n);
    call->headers = jr_must_have(curl_slist_append(call->headers, line));
    jr_config_wipe(&line);
}

static bool set_headers(struct jr_call *call, const struct jr_http_request *req)
{
    const struct jr_curl *c = call->owner;

    add_header(call, "Accept: ", req->accept != NULL ? req->accept : "application/json");
    if (req->body.n > 0) {
        add_header(call, "Content-Type: ",
                   req->content_type != NULL ? req->content_type : "application/json");
        add_header(call, "Expect:", ""); /* big bodies go at once, too */
    }
    if (c->token.text != NULL)
        add_header(call, "Authorization: Bearer ", c->token.text);
    if (c->target.host_header != NULL)
        add_header(call, c->target.host_header, "");
    for (const struct curl_slist *h = c->target.impersonate; h != NULL; h = h->next)
        add_header(call, h->data, "");
    return curl_easy_setopt(call->easy, CURLOPT_HTTPHEADER, call->headers) == CURLE_OK;
}

static bool set_body(struct jr_call *call, const struct jr_http_request *req)
{
    CURL *easy = call->easy;
    bool ok = true;

    if (req->body.n > 0 || strcmp(req->method, "POST") == 0) {
        call->body = jr_xstrndup(req->body);
        ok &= curl_easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK;
        ok &= curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body) == CURLE_OK;
        ok &= curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)req->body.n) ==
              CURLE_OK;
    } else {
        ok &= curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK;
    }
    ok &= curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, req->method) == CURLE_OK;
    return ok;
}

static bool set_url(struct jr_call *call, const struct jr_http_request *req)
{
    JR_FREE char *url = jr_xasprintf("%s%s", call->owner->target.base, req->path);

    return curl_easy_setopt(call->easy, CURLOPT_URL, url) == CURLE_OK;
}

/** Which connection: the shared ones speak HTTP/2 and are waited for, so that requests that start
 * together don't open one each. A stream always gets a new one: it is asked for when the old one is
 * not trusted any more. */
static bool set_connection(struct jr_call *call, const struct jr_http_request *req,
                           const struct jr_http_handler *h)
{
    CURL *easy = call->easy;
    const bool own = req->own_connection;
    const bool fresh = own && (h->on_chunk != NULL || req->fresh_connection);
    long connect_ms = CONNECT_TIMEOUT_MS;
    bool ok = true;

    /* libcurl gives half of it to the first address: what has little time, as the Lease's renewal,
     * must get to the second one before it is over. */
    if (req->timeout_ms > 0 && req->timeout_ms / 2 < connect_ms)
        connect_ms = (long)(req->timeout_ms / 2) + 1;
    ok &= curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect_ms) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                           own ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS) ==
          CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_PIPEWAIT, own ? 0L : 1L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L) == CURLE_OK;
    ok &= curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, req->fresh_connection ? 1L : 0L) == CURLE_OK;
    return ok;
}

void jr_curl_call_prepare(struct jr_call *call, const struct jr_http_request *req,
                          const struct jr_http_handler *h)
{
    const bool get = strcmp(req->method, "GET") == 0;

    call->h = *h;
    call->may_send = req->may_send;
    call->may_send_ctx = req->may_send_ctx;
    call->repeatable = get;
    call->sent = false;
    call->retired = false;
    call->fault = JR_CURL_FAULT_NONE;
    call->nudges = 0;
    call->over = false;
    call->words[0] = '\0';
    jr_buf_init(&call->in, req->body_max > 0 ? req->body_max
                           : get             ? READ_BODY_MAX
                                             : WRITE_BODY_MAX);
    jr_curl_must(set_url(call, req) && set_body(call, req) && set_headers(call, req) &&
                 set_connection(call, req, h));
}
