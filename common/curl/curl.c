/* SPDX-License-Identifier: Apache-2.0 */
/* The curl transport's calls, from request to answer. */
#include <openssl/x509.h>
#include <pthread.h>
#include <signal.h>

#include "common/curl/curl_parts.h"

/* How many requests libcurl is given at once for the shared connections: over HTTP/2 about what
 * servers allow on one connection, as libcurl opens another one for each request beyond that; else
 * as many as there may be connections. */
#define STREAMS_MAX 96
#define NUDGE_NS (250 * JR_MSEC)
#define STREAM_MEMORY_KEPT ((size_t)1 << 20)

/* ---- once per process ---- */

/* libcurl wants one call before its first use, in programs that may have other threads by then; and
 * as it is told to leave signals alone (CURLOPT_NOSIGNAL, two system calls less per turn), a peer
 * that hangs up must not end the process. */
static pthread_once_t global_once = PTHREAD_ONCE_INIT;
static CURLcode global_result;

static void global_init(void)
{
    struct sigaction sa;

    if (sigaction(SIGPIPE, NULL, &sa) == 0 && sa.sa_handler == SIG_DFL) {
        sa.sa_handler = SIG_IGN;
        (void)sigaction(SIGPIPE, &sa, NULL);
    }
    global_result = curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* ---- the end of a call ---- */

static void need_turn(struct jr_curl *c);

/* ---- connecting ---- */

/** Whether others have got through on the same pool. One that still waits then waits for a
 * connection that takes one request at a time, as of HTTP/1.1: libcurl 8 lets it until that one is
 * over. */
static bool others_went(const struct jr_call *call)
{
    const struct jr_call *other;

    TAILQ_FOREACH(other, &call->owner->live, link)
    {
        if (other->pool == call->pool && other->sent)
            return true;
    }
    return false;
}

/** Has libcurl look at a call again that it may have forgotten. Where an address doesn't answer in
 * time it means to go on with the next one, but 7.88 sets no timer for that, and begins only when
 * all of the time is over. To pause a call and let it go on makes it be looked at. */
static bool nudge_call(struct jr_call *call)
{
    if (call->sent)
        return false;
    if (call->nudges < 2 && ++call->nudges == 2 && call->pool->shared && others_went(call)) {
        /* Once: then it connects by itself. */
        (void)curl_multi_remove_handle(call->pool->multi, call->easy);
        (void)curl_easy_setopt(call->easy, CURLOPT_PIPEWAIT, 0L);
        jr_curl_must_multi(curl_multi_add_handle(call->pool->multi, call->easy));
    }
    (void)curl_easy_pause(call->easy, CURLPAUSE_SEND);
    (void)curl_easy_pause(call->easy, CURLPAUSE_CONT);
    return true;
}

static void on_nudge(void *ctx);

static void nudge_later(struct jr_curl *c)
{
    if (c->nudge == NULL)
        jr_xloop_after(c->loop, NUDGE_NS, on_nudge, c, &c->nudge);
}

static void on_nudge(void *ctx)
{
    struct jr_curl *c = ctx;
    struct jr_call *call;
    bool more = false;

    c->nudge = NULL;
    TAILQ_FOREACH(call, &c->live, link)
    more |= nudge_call(call);
    if (more)
        nudge_later(c);
}

/** Hands the request to libcurl. */
static void hand_to_libcurl(struct jr_call *call, struct curl_pool *pool)
{
    struct jr_curl *c = call->owner;

    jr_curl_must_multi(curl_multi_add_handle(pool->multi, call->easy));
    call->pool = pool;
    jr_curl_pool_count(pool, 1);
    TAILQ_INSERT_TAIL(&c->live, call, link);
    nudge_later(c);
}

/** Tells how the call ended, and forgets it. a->body stays valid until the handler returns. */
static void end_call(struct jr_call *call, struct jr_http_answer *a)
{
    struct jr_curl *c = call->owner;

    if (a->error.status != JR_DENIED) { /* else it says nothing of the server */
        c->files.stale |=
            a->outcome != JR_HTTP_DONE || a->status == 401; /* as what is old may be */
        c->token.stale |= a->outcome == JR_HTTP_DONE && a->status == 401;
        c->last_error = a->error;
        c->last_fault = call->fault;
    }
    jr_curl_call_clear(call);
    call->over = true;
    call->in_handler = true;
    call->h.on_done(call->h.ctx, a);
    call->in_handler = false;
    jr_curl_call_release(call);
    need_turn(c);
}

/** Ends a call that has no whole answer. The error is in a. */
static void end_without_answer(struct jr_call *call, struct jr_http_answer *a)
{
    a->outcome = call->sent ? JR_HTTP_AMBIGUOUS : JR_HTTP_NOT_SENT;
    a->status = call->sent ? (int)jr_curl_status(call) : 0;
    end_call(call, a);
}

/** Whether it failed by the chain of the server's certificate, *ret. libcurl names that so only
 * where it knows no CA of the issuer's name: one that was made anew under its old name fails by its
 * signature. */
static bool is_untrusted(const struct jr_call *call, long *ret)
{
    *ret = X509_V_OK;
    /* libcurl names a certificate of another name by these words, and has set no result. */
    return !call->sent && !call->owner->target.insecure &&
           strstr(call->words, "subject name") == NULL &&
           curl_easy_getinfo(call->easy, CURLINFO_SSL_VERIFYRESULT, ret) == CURLE_OK &&
           *ret != X509_V_OK;
}

static void fail_words(struct jr_call *call, CURLcode code, struct jr_error *err)
{
    const char *words = call->words[0] != '\0' ? call->words : curl_easy_strerror(code);
    const struct jr_curl *c = call->owner;
    long chain;

    if (call->in.failed == JR_LIMIT)
        (void)jr_fail(err, JR_LIMIT, NULL, "an answer of more than %zu bytes", call->in.max);
    else if (code == CURLE_ABORTED_BY_CALLBACK && !call->sent)
        (void)jr_fail(err, JR_DENIED, NULL, "not sent: no longer allowed to");
    else if (code == CURLE_ABORTED_BY_CALLBACK)
        (void)jr_fail(err, JR_IO, NULL, "%s: the connection was lost", c->target.server);
    else if (is_untrusted(call, &chain))
        (void)jr_fail(err, JR_IO, NULL, "%s: not trusted by the certificate-authority%s%s: %s",
                      c->target.server, c->files.ca != NULL ? " " : "",
                      c->files.ca != NULL ? c->files.ca : "", X509_verify_cert_error_string(chain));
    else
        (void)jr_fail(err, code == CURLE_OPERATION_TIMEDOUT ? JR_TIMEOUT : JR_IO, NULL, "%s: %s",
                      c->target.server, words);
}

static enum jr_curl_fault fault_of(const struct jr_call *call, CURLcode code)
{
    static const struct {
        CURLcode code;
        enum jr_curl_fault fault;
    } rows[] = {
        { CURLE_COULDNT_RESOLVE_HOST, JR_CURL_FAULT_SERVER },
        { CURLE_COULDNT_CONNECT, JR_CURL_FAULT_SERVER },
        { CURLE_COULDNT_RESOLVE_PROXY, JR_CURL_FAULT_PROXY },
        { CURLE_PROXY, JR_CURL_FAULT_PROXY },
        { CURLE_PEER_FAILED_VERIFICATION, JR_CURL_FAULT_NAME },
        { CURLE_SSL_CERTPROBLEM, JR_CURL_FAULT_CERTIFICATE },
        { CURLE_SSL_CONNECT_ERROR, JR_CURL_FAULT_SERVER },
    };
    const char *proxy = call->owner->target.proxy;
    long chain;

    if (is_untrusted(call, &chain))
        return JR_CURL_FAULT_AUTHORITY;
    /* The server's alert; in TLS 1.3 it comes once the request was sent. */
    if ((code == CURLE_SSL_CONNECT_ERROR || code == CURLE_RECV_ERROR) &&
        strstr(call->words, "alert") != NULL && strstr(call->words, "certificate") != NULL)
        return JR_CURL_FAULT_CERTIFICATE;
    if (code == CURLE_COULDNT_CONNECT && proxy != NULL && proxy[0] != '\0')
        return JR_CURL_FAULT_PROXY;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (rows[i].code == code)
            return rows[i].fault;
    }
    return JR_CURL_FAULT_NONE;
}

/** What the server's clock says; 0 where it doesn't. Most answers come in the second of the one
 * before. */
static struct jr_time date_of(struct curl_date *last, CURL *easy)
{
    struct curl_header *h = NULL;
    const char *text = "";
    time_t t;

    if (curl_easy_header(easy, "Date", 0, CURLH_HEADER, -1, &h) == CURLHE_OK)
        text = h->value;
    if (strcmp(text, last->text) == 0)
        return last->time;
    t = curl_getdate(text, NULL);
    last->time = t > 0 ? jr_time_s(t) : (struct jr_time){ 0 };
    (void)snprintf(last->text, sizeof(last->text), "%s", text);
    return last->time;
}

static void on_libcurl_done(struct jr_call *call, CURLcode code)
{
    struct jr_http_answer a = { .outcome = JR_HTTP_DONE };
    curl_off_t retry_after = 0;
    long version = 0;

    if (code != CURLE_OK) {
        fail_words(call, code, &a.error);
        call->fault = fault_of(call, code);
        end_without_answer(call, &a);
        return;
    }
    a.status = (int)jr_curl_status(call);
    if (call->pool->shared &&
        curl_easy_getinfo(call->easy, CURLINFO_HTTP_VERSION, &version) == CURLE_OK)
        call->owner->multiplexes = version >= (long)CURL_HTTP_VERSION_2;
    if (curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK &&
        retry_after > 0)
        a.retry_after_s = retry_after > INT32_MAX ? INT32_MAX : (int)retry_after;
    a.date = date_of(&call->owner->date, call->easy);
    a.body = jr_buf_str(&call->in);
    end_call(call, &a);
}

static void on_deadline(void *ctx)
{
    struct jr_call *call = ctx;
    struct jr_http_answer a = { 0 };

    call->deadline = NULL;
    if (!call->retired && (call->sent || call->waiting))
        jr_curl_retire(call->owner, call->sent ? call->sent_at : call->began);
    (void)jr_fail(&a.error, JR_TIMEOUT, NULL, "%s: %s", call->owner->target.server,
                  call->retired ? "given up with its connection, which doesn't answer"
                                : "no answer in time");
    end_without_answer(call, &a);
}

void jr_curl_end_soon(struct jr_call *call, bool retired)
{
    struct jr_loop *loop = call->owner->loop;

    call->retired = retired;
    jr_timer_cancel(loop, &call->deadline);
    jr_xloop_after(loop, 0, on_deadline, call, &call->deadline);
}

/** The timer is set once and looks when it is due: bytes are many, silences few. */
static void on_silence(void *ctx)
{
    struct jr_call *call = ctx;
    struct jr_http_answer a = { 0 };
    int64_t quiet = jr_loop_mono(call->owner->loop).ns - call->last_byte.ns;

    call->silence = NULL;
    if (quiet < call->idle_ns) {
        jr_xloop_after(call->owner->loop, call->idle_ns - quiet, on_silence, call, &call->silence);
        return;
    }
    (void)jr_fail(&a.error, JR_TIMEOUT, NULL, "%s: nothing came for %lld s",
                  call->owner->target.server, (long long)(call->idle_ns / JR_SEC));
    end_without_answer(call, &a);
}

static bool has_room(const struct jr_curl *c)
{
    return c->shared->n < (c->multiplexes ? STREAMS_MAX : JR_CURL_CONNECTIONS_MAX);
}

/** Lets go as many of the waiting as there is room for. */
static void on_turn(void *ctx)
{
    struct jr_curl *c = ctx;
    struct jr_call *call;

    c->turn = NULL;
    while (has_room(c) && (call = TAILQ_FIRST(&c->waiting)) != NULL) {
        TAILQ_REMOVE(&c->waiting, call, link);
        call->waiting = false;
        hand_to_libcurl(call, jr_curl_trusted(c));
    }
}

static void need_turn(struct jr_curl *c)
{
    if (!TAILQ_EMPTY(&c->waiting) && has_room(c) && c->turn == NULL)
        jr_xloop_after(c->loop, 0, on_turn, c, &c->turn);
}

/* ---- what libcurl has brought ---- */

/** Hands on the bytes of a stream. The handler may cancel the call. */
static void deliver(struct jr_call *call)
{
    struct jr_buf chunk = call->in;
    struct jr_http_answer a = { 0 };
    enum jr_status st;

    TAILQ_REMOVE(&call->owner->full, call, link_full);
    call->full = false;
    jr_buf_init(&call->in, chunk.max);
    call->in_handler = true;
    st = call->h.on_chunk(call->h.ctx, jr_buf_str(&chunk));
    call->in_handler = false;
    if (call->over) {
        jr_curl_call_release(call);
    } else if (st != JR_OK) {
        (void)jr_fail(&a.error, st, NULL, "the stream was not understood");
        end_without_answer(call, &a);
    } else if (chunk.cap <= STREAM_MEMORY_KEPT) {
        jr_buf_reset(&chunk);
        call->in = chunk;
        return;
    }
    jr_buf_done(&chunk);
}

static void deliver_all(struct jr_curl *c)
{
    struct jr_call *call;

    while ((call = TAILQ_FIRST(&c->full)) != NULL)
        deliver(call);
}

static void pump_pool(struct curl_pool *pool)
{
    CURLMsg *m;
    int left;

    while ((m = curl_multi_info_read(pool->multi, &left)) != NULL) {
        CURLcode code = m->data.result;
        char *private = NULL;

        if (m->msg == CURLMSG_DONE &&
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private) == CURLE_OK)
            on_libcurl_done((struct jr_call *)(void *)private, code);
    }
}

void jr_curl_pump(struct jr_curl *c)
{
    struct curl_pool *pool;

    deliver_all(c);
    pump_pool(c->dedicated);
    pump_pool(c->shared);
    LIST_FOREACH(pool, &c->retired, link)
    pump_pool(pool);
}

/* ---- the transport ---- */

static void set_timers(struct jr_call *call, const struct jr_http_request *req)
{
    struct jr_loop *loop = call->owner->loop;

    call->idle_ns = req->idle_timeout_ms * JR_MSEC;
    call->began = jr_loop_mono(loop);
    call->last_byte = call->began;
    if (req->timeout_ms > 0)
        jr_xloop_after(loop, req->timeout_ms * JR_MSEC, on_deadline, call, &call->deadline);
    if (req->idle_timeout_ms > 0)
        jr_xloop_after(loop, call->idle_ns, on_silence, call, &call->silence);
}

static struct jr_call *transport_send(void *self, const struct jr_http_request *req,
                                      const struct jr_http_handler *h)
{
    struct jr_curl *c = self;
    struct jr_call *call;

    jr_curl_token_refresh(&c->token, c->log, jr_loop_mono(c->loop));
    jr_curl_certs_refresh(c);
    call = jr_curl_call_take(c, h->on_chunk != NULL);
    jr_curl_call_prepare(call, req, h);
    set_timers(call, req);
    if (!req->own_connection && (!has_room(c) || !TAILQ_EMPTY(&c->waiting))) {
        TAILQ_INSERT_TAIL(&c->waiting, call, link);
        call->waiting = true;
        need_turn(c);
    } else {
        hand_to_libcurl(call, req->own_connection ? c->dedicated : jr_curl_trusted(c));
    }
    return call;
}

static void on_probe_done(void *ctx, const struct jr_http_answer *a)
{
    (void)ctx;
    (void)a; /* any answer shows that the connection lives; without one the deadline has acted */
}

void jr_curl_probe(struct curl_pool *pool)
{
    const struct jr_http_request req = { .method = "GET",
                                         .path = "/version",
                                         .timeout_ms = JR_LIVENESS_ANSWER_MS };
    const struct jr_http_handler h = { .on_done = on_probe_done };
    struct jr_call *call = jr_curl_call_take(pool->owner, false);

    jr_curl_call_prepare(call, &req, &h);
    set_timers(call, &req);
    hand_to_libcurl(call, pool);
}

static void transport_cancel(void *self, struct jr_call *call)
{
    if (call == NULL || call->over)
        return;
    call->over = true;
    jr_curl_call_clear(call);
    need_turn(self);
    if (!call->in_handler) /* else who runs the handler releases it */
        jr_curl_call_release(call);
}

enum jr_status jr_curl_new(struct jr_loop *loop, const struct jr_kube_config *config,
                           const char *user_agent, struct jr_curl **ret, struct jr_error *err)
{
    JR_CLEANUP(jr_curl_freep) struct jr_curl *c = jr_xcalloc(1, sizeof(*c));
    enum jr_status st;

    c->loop = loop;
    TAILQ_INIT(&c->live);
    TAILQ_INIT(&c->waiting);
    TAILQ_INIT(&c->idle);
    TAILQ_INIT(&c->full);
    LIST_INIT(&c->retired);
    (void)pthread_once(&global_once, global_init);
    if (global_result != CURLE_OK)
        return jr_fail(err, JR_IO, NULL, "libcurl: %s", curl_easy_strerror(global_result));
    st = jr_curl_target_init(&c->target, config, user_agent, err);
    if (st == JR_OK)
        st = jr_curl_token_init(&c->token, config, jr_loop_mono(loop), err);
    jr_curl_certs_init(c, config);
    c->shared = jr_curl_pool_new(c, true);
    c->dedicated = jr_curl_pool_new(c, false);
    if (st == JR_OK)
        st = jr_curl_call_try(c, err);
    if (st == JR_OK)
        *ret = jr_steal(&c);
    return st;
}

void jr_curl_free(struct jr_curl *c)
{
    struct jr_call *call;

    if (c == NULL)
        return;
    jr_timer_cancel(c->loop, &c->turn);
    jr_timer_cancel(c->loop, &c->nudge);
    while ((call = TAILQ_FIRST(&c->live)) != NULL || (call = TAILQ_FIRST(&c->waiting)) != NULL) {
        jr_curl_call_clear(call);
        jr_curl_call_free(call);
    }
    jr_curl_retired_free(c);
    jr_curl_pool_free(c->shared);
    jr_curl_pool_free(c->dedicated);
    jr_curl_calls_drop(c);
    jr_curl_certs_done(c);
    jr_curl_token_done(&c->token);
    jr_curl_target_done(&c->target);
    free(c);
}

void jr_curl_set_log(struct jr_curl *c, struct jr_log *log)
{
    c->log = log;
}

const struct jr_error *jr_curl_last_error(const struct jr_curl *c)
{
    return c->last_error.status == JR_OK ? NULL : &c->last_error;
}

enum jr_curl_fault jr_curl_last_fault(const struct jr_curl *c)
{
    return c->last_fault;
}

struct jr_transport jr_curl_transport(struct jr_curl *c)
{
    return (struct jr_transport){ .send = transport_send, .cancel = transport_cancel, .self = c };
}
