/* SPDX-License-Identifier: Apache-2.0 */
/* The clients' side: calls, their time limits, and what comes back to them. */
#include "tests/support/inprocess/parts.h"

#include "common/base/memory.h"

struct jr_dev_client {
    struct jr_dev_network *network;
    struct jr_loop *loop;
    char *user;
    void *data;
    struct jr_dev_calls calls; /* that wait */
    struct jr_dev_connection *shared, *own;
    struct jr_timer *liveness_timer;
};

/* ---- connections ---- */

static struct jr_dev_connection *connect(const struct jr_dev_client *client)
{
    struct jr_dev_connection *c = jr_xcalloc(1, sizeof(*c));

    c->refs = 1;
    jr_liveness_open(&c->life, jr_loop_mono(client->loop));
    c->opened_ns = jr_loop_mono(client->network->loop).ns;
    return c;
}

static void unref(struct jr_dev_connection *c)
{
    if (c != NULL && --c->refs == 0)
        free(c);
}

/** Puts new requests on a new connection. */
static void leave(const struct jr_dev_client *client, struct jr_dev_connection **c)
{
    unref(*c);
    *c = connect(client);
}

/** Returns where the connection is kept that the call may go on; NULL: it has one of its own. */
static struct jr_dev_connection **kept_for(struct jr_dev_client *client, const struct jr_call *c)
{
    if (c->seen.fresh_connection || c->handler.on_chunk != NULL)
        return NULL;
    return c->seen.own_connection ? &client->own : &client->shared;
}

static struct jr_dev_connection *connection_for(struct jr_dev_client *client,
                                                const struct jr_call *c)
{
    struct jr_dev_connection **kept = kept_for(client, c);

    if (kept == NULL)
        return connect(client);
    if (kept == &client->shared && !jr_liveness_trusted(&(*kept)->life, jr_loop_mono(client->loop)))
        leave(client, kept);
    (*kept)->refs++;
    return *kept;
}

static void on_deadline(void *ctx);

static void retire(struct jr_dev_client *client, struct jr_mono sent)
{
    struct jr_call *c;

    if (client->shared->life.opened.ns <= sent.ns)
        leave(client, &client->shared);
    if (client->own->life.opened.ns <= sent.ns)
        leave(client, &client->own);
    LIST_FOREACH(c, &client->calls, in_client)
    {
        if (c->connection == NULL ||
            !jr_liveness_suspect(c->connection->life.opened, c->connection->life.heard, sent))
            continue;
        c->retired = true;
        jr_timer_cancel(client->loop, &c->deadline);
        jr_xloop_after(client->loop, 0, on_deadline, c, &c->deadline);
    }
}

static void probe(struct jr_dev_client *client, struct jr_dev_connection *over);

/** Looks at the shared connections that requests wait on. */
static void on_liveness_timer(void *ctx)
{
    struct jr_dev_client *client = ctx;
    const struct jr_mono now = jr_loop_mono(client->loop);
    int64_t next_ns = INT64_MAX, after_ns;
    struct jr_call *c;

    client->liveness_timer = NULL;
    LIST_FOREACH(c, &client->calls, in_client)
    {
        if (c->connection == NULL || c->seen.own_connection)
            continue;
        if (jr_liveness_ask(&c->connection->life, now, &after_ns))
            probe(client, c->connection); /* its call is put before those that are left */
        next_ns = after_ns < next_ns ? after_ns : next_ns;
    }
    if (next_ns != INT64_MAX)
        jr_xloop_after(client->loop, next_ns, on_liveness_timer, client, &client->liveness_timer);
}

static void note_waiting(struct jr_call *c)
{
    struct jr_dev_client *client = c->client;
    const struct jr_call *other;

    if (c->seen.own_connection)
        return;
    LIST_FOREACH(other, &client->calls, in_client)
    {
        if (other != c && other->connection == c->connection)
            break;
    }
    if (other == NULL)
        c->connection->life.waits = jr_loop_mono(client->loop);
    if (client->liveness_timer == NULL)
        jr_xloop_after(client->loop, JR_SEC, on_liveness_timer, client, &client->liveness_timer);
}

/* ---- ends ---- */

void jr_dev_call_release(struct jr_call *c)
{
    if (c->seen.waiting || c->at_server || c->handling)
        return;
    jr_buf_done(&c->body);
    jr_arena_done(&c->arena);
    free(c);
}

static void free_piece(struct jr_dev_piece *p)
{
    jr_timer_cancel(p->call->client->loop, &p->timer);
    TAILQ_REMOVE(&p->call->pieces, p, in_call);
    jr_buf_done(&p->body);
    free(p);
}

/* Cuts the client off from all that may still happen to the call. a NULL: it is cancelled. */
static void stop_waiting(struct jr_call *c, const struct jr_http_answer *a)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    struct jr_loop *loop = c->client->loop;
    struct jr_dev_piece *p;

    jr_timer_cancel(loop, &c->send_timer);
    jr_timer_cancel(loop, &c->deadline);
    jr_timer_cancel(loop, &c->idle);
    while ((p = TAILQ_FIRST(&c->pieces)) != NULL)
        free_piece(p);
    LIST_REMOVE(c, in_client);
    unref(c->connection);
    c->connection = NULL;
    c->seen.waiting = false;
    if (c->op != NULL) /* nobody reads the stream any more */
        jr_dev_server_drop(c);
    if (h->ended != NULL)
        h->ended(h->ctx, &c->seen, a);
}

static void end(struct jr_call *c, const struct jr_http_answer *a)
{
    const struct jr_http_handler h = c->handler;

    stop_waiting(c, a);
    h.on_done(h.ctx, a);
    jr_dev_call_release(c);
}

static void give_up(struct jr_call *c, enum jr_status st, const char *why)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    struct jr_http_answer a = { .outcome = c->seen.sent ? JR_HTTP_AMBIGUOUS : JR_HTTP_NOT_SENT,
                                .status = c->seen.streaming ? 200 : 0 };

    if (h->given_up != NULL)
        h->given_up(h->ctx, &c->seen, why);
    (void)jr_fail(&a.error, st, NULL, "%s", why);
    end(c, &a);
}

static void on_deadline(void *ctx)
{
    struct jr_call *c = ctx;

    c->deadline = NULL;
    if (!c->retired && c->seen.sent)
        retire(c->client, c->sent_at);
    give_up(c, JR_TIMEOUT, c->retired ? "its connection doesn't answer" : "no answer in time");
}

static void on_idle(void *ctx)
{
    struct jr_call *c = ctx;
    int64_t quiet_ns = jr_loop_mono(c->client->loop).ns - c->last_byte.ns;

    c->idle = NULL;
    if (quiet_ns < c->idle_ns)
        jr_xloop_after(c->client->loop, c->idle_ns - quiet_ns, on_idle, c, &c->idle);
    else
        give_up(c, JR_TIMEOUT, "nothing came for too long");
}

/* ---- what comes back ---- */

/* False: the call is over. */
static bool pass_chunk(struct jr_call *c, uint64_t revision, struct jr_str chunk)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    enum jr_status st = c->handler.on_chunk(c->handler.ctx, chunk);

    /* What was not understood was not taken in. */
    if (st == JR_OK && c->client != NULL && h->received != NULL)
        h->received(h->ctx, &c->seen, revision);
    if (st != JR_OK && c->seen.waiting)
        give_up(c, st, "the stream was not understood");
    return c->seen.waiting;
}

static void end_response(struct jr_call *c, const struct jr_dev_piece *p)
{
    struct jr_http_answer a = { .outcome = p->outcome,
                                .status = p->status,
                                .retry_after_s = p->retry_after_s,
                                .date = p->date,
                                .body = jr_buf_str(&c->body) };

    if (p->outcome != JR_HTTP_DONE) {
        (void)jr_fail(&a.error, JR_IO, NULL, "the connection was lost");
    } else if (c->body_max > 0 && a.body.n > c->body_max) {
        a.outcome = JR_HTTP_AMBIGUOUS;
        a.body = (struct jr_str){ NULL, 0 };
        (void)jr_fail(&a.error, JR_LIMIT, NULL, "the answer is longer than %zu bytes", c->body_max);
    }
    end(c, &a);
}

static bool swallowed(const struct jr_call *c)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;

    return h->swallow != NULL && h->swallow(h->ctx, &c->seen);
}

static void on_piece(void *ctx)
{
    struct jr_dev_piece *p = ctx, got = *p;
    struct jr_call *c = p->call;
    struct jr_str body = jr_buf_str(&got.body);
    bool on = true;

    p->timer = NULL;
    if (swallowed(c)) {
        free_piece(p);
        return;
    }
    jr_buf_init(&p->body, 1); /* moved out */
    free_piece(p);
    c->handling = true;
    c->last_byte = jr_loop_mono(c->client->loop);
    c->connection->life.heard = c->last_byte;
    if (c->handler.on_chunk == NULL || got.status != 200)
        jr_must(jr_buf_add(&c->body, body));
    else if (body.n > 0)
        on = pass_chunk(c, got.revision, body);
    if (on && got.end)
        end_response(c, &got);
    c->handling = false;
    jr_buf_done(&got.body);
    jr_dev_call_release(c);
}

void jr_dev_client_deliver(struct jr_call *c, const struct jr_dev_piece *what, struct jr_str body)
{
    const int64_t now_ns = jr_loop_mono(c->network->loop).ns;
    int64_t due_ns = now_ns + c->latency.response_ns;
    struct jr_dev_piece *p;

    if (!c->seen.waiting)
        return;
    p = jr_xcalloc(1, sizeof(*p));
    *p = *what;
    p->call = c;
    p->date = jr_time_trunc_s(jr_loop_wall(c->network->loop));
    if (due_ns < c->last_due_ns)
        due_ns = c->last_due_ns;
    c->last_due_ns = due_ns;
    jr_buf_init(&p->body, SIZE_MAX);
    jr_must(jr_buf_add(&p->body, body));
    TAILQ_INSERT_TAIL(&c->pieces, p, in_call);
    /* The client's clock may stand for a while, as that of a stopped process does. */
    jr_xloop_after(c->client->loop, due_ns - jr_loop_mono(c->client->loop).ns, on_piece, p,
                   &p->timer);
}

/* ---- requests ---- */

static void on_send(void *ctx)
{
    struct jr_call *c = ctx;
    const struct jr_dev_network_hooks *h = &c->network->hooks;

    c->send_timer = NULL;
    if (c->may_send != NULL && !c->may_send(c->may_send_ctx)) {
        give_up(c, JR_DENIED, "not sent: no longer allowed to");
        return;
    }
    if (h->sent != NULL && !h->sent(h->ctx, &c->seen)) {
        struct jr_dev_connection **kept = kept_for(c->client, c);

        if (kept != NULL) /* a connection that is open isn't refused, so there is none */
            leave(c->client, kept);
        give_up(c, JR_IO, "connection refused");
        return;
    }
    c->seen.sent = true;
    c->sent_at = jr_loop_mono(c->client->loop);
    if (c->connection == NULL)
        c->connection = connection_for(c->client, c);
    c->seen.opened_ns = c->connection->opened_ns;
    note_waiting(c);
    if (!swallowed(c))
        jr_dev_server_take(c);
}

static void set_timers(struct jr_call *c, const struct jr_http_request *req)
{
    struct jr_loop *loop = c->client->loop;

    c->last_byte = jr_loop_mono(loop);
    c->idle_ns = req->idle_timeout_ms * JR_MSEC;
    jr_xloop_after(loop, c->latency.send_ns, on_send, c, &c->send_timer);
    if (req->timeout_ms > 0)
        jr_xloop_after(loop, req->timeout_ms * JR_MSEC, on_deadline, c, &c->deadline);
    if (c->idle_ns > 0)
        jr_xloop_after(loop, c->idle_ns, on_idle, c, &c->idle);
}

static struct jr_dev_call seen_call(struct jr_dev_client *client, const struct jr_http_request *req,
                                    struct jr_arena *a)
{
    return (struct jr_dev_call){
        .client = client->data,
        .request = { .method = jr_xarena_strdup(a, req->method),
                     .path = jr_xarena_strdup(a, req->path),
                     .accept = jr_xarena_strdup(a, req->accept),
                     .content_type = jr_xarena_strdup(a, req->content_type),
                     .body = jr_xarena_str(a, req->body),
                     .user = jr_xarena_strdup(a, client->user) },
        .own_connection = req->own_connection,
        .fresh_connection = req->fresh_connection,
        .again = req->again,
        .after_status = req->after_status,
        .waiting = true,
        .arena = a,
    };
}

static struct jr_call *send_request(void *self, const struct jr_http_request *req,
                                    const struct jr_http_handler *handler)
{
    struct jr_dev_client *client = self;
    const struct jr_dev_network_hooks *h = &client->network->hooks;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));

    jr_arena_init(&c->arena, 0);
    jr_buf_init(&c->body, SIZE_MAX);
    TAILQ_INIT(&c->pieces);
    c->network = client->network;
    c->client = client;
    c->handler = *handler;
    c->may_send = req->may_send;
    c->may_send_ctx = req->may_send_ctx;
    c->body_max = req->body_max;
    c->latency.stream_ns = INT64_MAX;
    c->seen = seen_call(client, req, &c->arena);
    LIST_INSERT_HEAD(&client->calls, c, in_client);
    if (h->made != NULL)
        h->made(h->ctx, &c->seen, &c->latency);
    set_timers(c, req);
    return c;
}

static void on_probe_done(void *ctx, const struct jr_http_answer *a)
{
    (void)ctx;
    (void)a;
}

static void probe(struct jr_dev_client *client, struct jr_dev_connection *over)
{
    const struct jr_http_request req = { .method = "GET",
                                         .path = "/version",
                                         .timeout_ms = JR_LIVENESS_ANSWER_MS };
    const struct jr_http_handler h = { .on_done = on_probe_done };
    struct jr_call *c = send_request(client, &req, &h);

    over->refs++;
    c->connection = over;
}

static void cancel(void *self, struct jr_call *c)
{
    (void)self;
    if (!c->seen.waiting) /* by its own handler, at its end */
        return;
    stop_waiting(c, NULL);
    jr_dev_call_release(c);
}

/* ---- clients ---- */

struct jr_dev_client *jr_dev_client_new(struct jr_dev_network *n, struct jr_loop *loop,
                                        const char *user, void *data)
{
    struct jr_dev_client *c = jr_xcalloc(1, sizeof(*c));

    *c = (struct jr_dev_client){
        .network = n, .loop = loop, .user = jr_xstrdup(user), .data = data
    };
    LIST_INIT(&c->calls);
    c->shared = connect(c);
    c->own = connect(c);
    return c;
}

void jr_dev_client_free(struct jr_dev_client *client)
{
    struct jr_call *c;

    if (client == NULL)
        return;
    while ((c = LIST_FIRST(&client->calls)) != NULL) {
        stop_waiting(c, NULL);
        c->client = NULL;
        jr_dev_call_release(c);
    }
    jr_timer_cancel(client->loop, &client->liveness_timer);
    unref(client->shared);
    unref(client->own);
    free(client->user);
    free(client);
}

struct jr_transport jr_dev_client_transport(struct jr_dev_client *c)
{
    return (struct jr_transport){ .send = send_request, .cancel = cancel, .self = c };
}
