/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side: the store is asked, its streams are read, its writes are told. */
#include "tests/support/inprocess/parts.h"

#include "common/base/memory.h"

#define READ_MAX ((size_t)256 << 10)

static void on_timer(void *ctx);

void jr_dev_server_drop(struct jr_call *c)
{
    if (!c->at_server)
        return;
    LIST_REMOVE(c, in_network);
    jr_timer_cancel(c->network->loop, &c->timer);
    jr_dev_op_free(c->op);
    c->op = NULL;
    c->at_server = false;
}

static void finish(struct jr_call *c)
{
    jr_dev_server_drop(c);
    jr_dev_call_release(c);
}

static void set_timer(struct jr_call *c, int64_t ns)
{
    jr_timer_cancel(c->network->loop, &c->timer);
    jr_xloop_after(c->network->loop, ns, on_timer, c, &c->timer);
}

/* ---- what follows a write ---- */

static void on_tick(void *ctx);

static void schedule_tick(struct jr_dev_network *n, int64_t due_ns)
{
    const struct jr_dev_network_hooks *h = &n->hooks;
    int64_t delay_ns;

    if (due_ns == INT64_MAX || (n->tick != NULL && n->tick_after_write))
        return;
    delay_ns = h->tick_delay != NULL ? h->tick_delay(h->ctx, due_ns) : due_ns;
    if (delay_ns == INT64_MAX)
        return;
    jr_timer_cancel(n->loop, &n->tick);
    n->tick_after_write = due_ns == 0;
    jr_xloop_after(n->loop, delay_ns, on_tick, n, &n->tick);
}

static void wake_stream(struct jr_call *c)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;

    c->target = jr_dev_revision(c->network->store);
    set_timer(c, h->stream_lag != NULL ? h->stream_lag(h->ctx, &c->seen) : 0);
}

/* Tells of all writes since the last time, and wakes the streams. */
static void tell_writes(struct jr_dev_network *n, struct jr_dev_call *by)
{
    const struct jr_dev_store *s = n->store;
    struct jr_call *c;

    if (n->told == s->revision)
        return;
    for (size_t i = jr_dev_event_after(s, n->told); i < s->n_events; i++) {
        if (n->hooks.written != NULL)
            n->hooks.written(n->hooks.ctx, jr_dev_event_at(s, i), by);
    }
    n->told = s->revision;
    schedule_tick(n, 0);
    LIST_FOREACH(c, &n->calls, in_network)
    {
        /* One that is about to read goes on with the rest after it. */
        if (c->op != NULL && !c->silent && c->target == 0)
            wake_stream(c);
    }
}

static void on_tick(void *ctx)
{
    struct jr_dev_network *n = ctx;
    int64_t due_ns;

    n->tick = NULL;
    due_ns = jr_dev_tick(n->store, jr_loop_wall(n->loop));
    tell_writes(n, NULL);
    schedule_tick(n, due_ns);
}

/* ---- streams ---- */

/* In one piece, or in several. revision: with all of it everything is told up to there; 0: it
 * isn't, as by an error. */
static void send_frames(struct jr_call *c, struct jr_str text, uint64_t revision)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    struct jr_dev_piece p = { .outcome = JR_HTTP_DONE, .status = 200 };

    while (text.n > 0) {
        int64_t pause_ns = 0;
        size_t n = text.n;

        if (h->stream_piece != NULL)
            n = h->stream_piece(h->ctx, &c->seen, text, &pause_ns);
        p.revision = n == text.n ? revision : 0;
        jr_dev_client_deliver(c, &p, jr_str_head(text, n));
        text = jr_str_from(text, n);
        c->last_due_ns += pause_ns;
    }
}

static void end_stream(struct jr_call *c, enum jr_dev_stream_end how)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    struct jr_dev_piece p = { .end = true, .status = 200 };

    if (h->stream_end != NULL)
        how = h->stream_end(h->ctx, &c->seen, how);
    c->silent = how == JR_DEV_STREAM_SILENT;
    if (c->silent)
        return;
    p.outcome = how == JR_DEV_STREAM_END ? JR_HTTP_DONE : JR_HTTP_AMBIGUOUS;
    c->seen.served = true;
    jr_dev_client_deliver(c, &p, (struct jr_str){ NULL, 0 });
    finish(c);
}

/* True: the stream is over. */
static bool read_frames(struct jr_call *c, uint64_t to, struct jr_buf *out)
{
    struct jr_time now = jr_loop_wall(c->network->loop);
    bool over = false;

    do {
        size_t before = out->n;

        over = jr_dev_watch_read(c->op, to, READ_MAX, now, out);
        if (out->n - before < READ_MAX)
            break;
    } while (!over);
    return over;
}

/* Until it is to be read even if nothing is written. */
static int64_t idle_ns(const struct jr_call *c, int64_t now_ns)
{
    const int64_t due_ns = jr_dev_watch_due(c->op).ns - jr_loop_wall(c->network->loop).ns;

    return c->end_at.ns - now_ns < due_ns ? c->end_at.ns - now_ns : due_ns;
}

static void read_stream(struct jr_call *c)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    int64_t now_ns = jr_loop_mono(c->network->loop).ns;
    uint64_t from = c->read, to = c->target != 0 ? c->target : c->read;
    JR_BUF out = { 0 };
    bool over, cut;

    if (now_ns >= c->end_at.ns) {
        end_stream(c, JR_DEV_STREAM_CUT);
        return;
    }
    jr_buf_init(&out, SIZE_MAX);
    over = read_frames(c, to, &out);
    c->target = 0;
    c->read = to;
    cut = h->stream_read != NULL && h->stream_read(h->ctx, &c->seen, from, to, over, &out);
    send_frames(c, jr_buf_str(&out), over || cut ? 0 : to);
    if (over || cut)
        end_stream(c, cut ? JR_DEV_STREAM_CUT : JR_DEV_STREAM_END);
    else if (jr_dev_revision(c->network->store) > c->read)
        wake_stream(c);
    else
        set_timer(c, idle_ns(c, now_ns));
}

static void begin_stream(struct jr_call *c, uint64_t as_of)
{
    int64_t now_ns = jr_loop_mono(c->network->loop).ns;

    c->end_at.ns = c->latency.stream_ns == INT64_MAX ? INT64_MAX : now_ns + c->latency.stream_ns;
    c->target = as_of > 0 ? as_of : jr_dev_revision(c->network->store);
    /* That its client may be gone by now isn't noticed: it lives until it ends by itself. */
    read_stream(c);
}

/* ---- requests ---- */

static void send_response(struct jr_call *c, const struct jr_dev_response *r)
{
    const struct jr_dev_piece p = { .end = true,
                                    .outcome = r->kind == JR_DEV_RESPONSE_WHOLE ? JR_HTTP_DONE
                                                                                : JR_HTTP_AMBIGUOUS,
                                    .status = r->status,
                                    .retry_after_s = r->retry_after_s };

    c->seen.served = true;
    if (r->kind != JR_DEV_RESPONSE_NEVER)
        jr_dev_client_deliver(c, &p, r->body);
    finish(c);
}

static enum jr_dev_next ask_store(struct jr_dev_network *n, const struct jr_dev_request *req,
                                  struct jr_dev_op **ret)
{
    const struct jr_dev_webhook_result failed = { .failed = true,
                                                  .error = "webhooks can't be called in process" };
    struct jr_time now = jr_loop_wall(n->loop);
    enum jr_dev_next next = jr_dev_begin(n->store, req, now, ret);

    while (next == JR_DEV_NEXT_WEBHOOK)
        next = jr_dev_resume(*ret, &failed, now);
    return next;
}

static void tell_carried_out(struct jr_dev_network *n, struct jr_dev_call *c,
                             const struct jr_dev_op *op)
{
    if (n->hooks.carried_out != NULL)
        n->hooks.carried_out(n->hooks.ctx, c, jr_dev_op_answer(op));
}

static void carry_out(struct jr_call *c)
{
    struct jr_dev_network *n = c->network;
    const struct jr_dev_network_hooks *h = &n->hooks;
    struct jr_dev_request req = c->seen.request;
    const struct jr_dev_answer *a;
    struct jr_dev_response r;
    struct jr_dev_op *op = NULL;

    if (h->ask != NULL)
        h->ask(h->ctx, &c->seen, &req);
    c->seen.streaming = ask_store(n, &req, &op) == JR_DEV_NEXT_WATCH;
    tell_carried_out(n, &c->seen, op);
    if (c->seen.streaming) {
        c->op = op;
        begin_stream(c, req.as_of);
        return;
    }
    tell_writes(n, &c->seen);
    a = jr_dev_op_answer(op);
    r = (struct jr_dev_response){ .status = a->status,
                                  .retry_after_s = a->retry_after_s,
                                  .body = jr_buf_str(&a->body) };
    if (h->respond != NULL)
        h->respond(h->ctx, &c->seen, a, jr_dev_op_wrote(op), &r);
    send_response(c, &r);
    jr_dev_op_free(op);
}

static void on_arrival(struct jr_call *c)
{
    const struct jr_dev_network_hooks *h = &c->network->hooks;
    struct jr_dev_response instead = { .kind = JR_DEV_RESPONSE_LOST };

    if (h->refuse != NULL && h->refuse(h->ctx, &c->seen, &instead))
        send_response(c, &instead);
    else
        carry_out(c);
}

static void on_timer(void *ctx)
{
    struct jr_call *c = ctx;

    c->timer = NULL;
    if (c->op != NULL)
        read_stream(c);
    else
        on_arrival(c);
}

void jr_dev_server_take(struct jr_call *c)
{
    LIST_INSERT_HEAD(&c->network->calls, c, in_network);
    c->at_server = true;
    jr_xloop_after(c->network->loop, c->latency.request_ns, on_timer, c, &c->timer);
}

int jr_dev_network_ask(struct jr_dev_network *n, const struct jr_dev_request *request, void *data,
                       struct jr_buf *ret)
{
    struct jr_dev_call c = { .request = *request, .sent = true, .waiting = true, .data = data };
    struct jr_dev_op *op = NULL;
    int status;

    (void)ask_store(n, request, &op);
    tell_carried_out(n, &c, op);
    status = jr_dev_op_answer(op)->status;
    if (ret != NULL)
        jr_must(jr_buf_add(ret, jr_buf_str(&jr_dev_op_answer(op)->body)));
    tell_writes(n, &c);
    jr_dev_op_free(op);
    return status;
}

struct jr_dev_network *jr_dev_network_new(struct jr_dev_store *store, struct jr_loop *loop,
                                          const struct jr_dev_network_hooks *hooks)
{
    struct jr_dev_network *n = jr_xcalloc(1, sizeof(*n));

    n->store = store;
    n->loop = loop;
    if (hooks != NULL)
        n->hooks = *hooks;
    n->told = jr_dev_revision(store);
    LIST_INIT(&n->calls);
    return n;
}

void jr_dev_network_free(struct jr_dev_network *n)
{
    struct jr_call *c;

    if (n == NULL)
        return;
    while ((c = LIST_FIRST(&n->calls)) != NULL)
        finish(c);
    jr_timer_cancel(n->loop, &n->tick);
    free(n);
}
