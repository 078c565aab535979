/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/devcluster/inprocess.h"

#include <stdio.h>

static const struct jr_mono start = { 1000 * JR_SEC };

static int64_t now_ns(const struct world *w)
{
    return w->clock.mono.ns - start.ns;
}

static void note(struct world *w, const char *word)
{
    (void)jr_buf_addf(&w->log, "%s%s", w->log.n > 0 ? " " : "", word);
}

/* ---- hooks ---- */

static void on_made(void *ctx, struct jr_dev_call *c, struct jr_dev_latency *latency)
{
    struct world *w = ctx;

    assert_ptr_equal(c->client, w);
    assert_string_equal(c->request.user, "tester");
    assert_true(c->waiting && !c->sent);
    assert_int_equal(latency->send_ns + latency->request_ns + latency->response_ns, 0);
    *latency = w->latency;
    c->data = jr_arena_alloc(c->arena, 1);
    assert_non_null(c->data);
    note(w, "made");
}

static bool on_sent(void *ctx, struct jr_dev_call *c)
{
    struct world *w = ctx;

    assert_non_null(c->data);
    note(w, "sent");
    return !w->refuse_connection;
}

static bool on_refuse(void *ctx, struct jr_dev_call *c, struct jr_dev_response *instead)
{
    struct world *w = ctx;

    assert_true(c->sent);
    assert_int_equal(instead->kind, JR_DEV_RESPONSE_LOST);
    note(w, "arrived");
    if (w->instead != NULL)
        *instead = *w->instead;
    return w->instead != NULL;
}

static void on_ask(void *ctx, struct jr_dev_call *c, struct jr_dev_request *request)
{
    struct world *w = ctx;

    assert_string_equal(request->path, c->request.path);
    note(w, "ask");
    if (w->ask_path != NULL)
        request->path = w->ask_path;
}

static void on_carried_out(void *ctx, struct jr_dev_call *c, const struct jr_dev_answer *a)
{
    struct world *w = ctx;
    char word[40];

    (void)snprintf(word, sizeof(word), "%s%d", c->streaming ? "stream-" : "", a->status);
    note(w, word);
    if (w->free_client) {
        jr_dev_client_free(w->client);
        w->client = NULL;
    }
}

static void on_written(void *ctx, const struct jr_dev_event *e, struct jr_dev_call *by)
{
    assert_true(e->revision > 0);
    note(ctx, by == NULL ? "server-wrote" : by->data == NULL ? "other-wrote" : "wrote");
}

static void on_respond(void *ctx, struct jr_dev_call *c, const struct jr_dev_answer *a, bool wrote,
                       struct jr_dev_response *response)
{
    struct world *w = ctx;

    assert_false(c->served);
    assert_int_equal(response->kind, JR_DEV_RESPONSE_WHOLE);
    assert_int_equal(response->status, a->status);
    note(w, wrote ? "respond-write" : "respond");
    if (w->response != NULL)
        *response = *w->response;
}

static int64_t on_stream_lag(void *ctx, struct jr_dev_call *c)
{
    assert_true(c->streaming);
    note(ctx, "lag");
    return ((struct world *)ctx)->lag_ns;
}

static bool on_stream_read(void *ctx, struct jr_dev_call *c, uint64_t from, uint64_t to, bool ended,
                           struct jr_buf *frames)
{
    struct world *w = ctx;
    char word[80];

    assert_true(c->streaming);
    (void)snprintf(word, sizeof(word), "read-%d-%d%s", (int)from, (int)to, ended ? "-ended" : "");
    note(w, word);
    if (w->more_frames != NULL)
        (void)jr_buf_adds(frames, w->more_frames);
    return w->cut_reads;
}

static size_t on_stream_piece(void *ctx, struct jr_dev_call *c, struct jr_str rest,
                              int64_t *pause_ns)
{
    struct world *w = ctx;

    assert_true(c->streaming && *pause_ns == 0);
    note(w, "piece");
    if (w->piece == 0 || w->piece >= rest.n)
        return rest.n;
    *pause_ns = w->pause_ns;
    return w->piece;
}

static enum jr_dev_stream_end on_stream_end(void *ctx, struct jr_dev_call *c,
                                            enum jr_dev_stream_end how)
{
    struct world *w = ctx;

    assert_true(c->streaming);
    note(w, how == JR_DEV_STREAM_END ? "ends" : "cut");
    return w->stream_end != NULL ? *w->stream_end : how;
}

static void on_received(void *ctx, struct jr_dev_call *c, uint64_t revision)
{
    char word[40];

    assert_non_null(c->client);
    (void)snprintf(word, sizeof(word), "received-%d", (int)revision);
    note(ctx, word);
}

static void on_given_up(void *ctx, struct jr_dev_call *c, const char *why)
{
    assert_true(c->waiting);
    note(ctx, "given-up");
    assert_true(strlen(why) > 0);
}

static void on_ended(void *ctx, struct jr_dev_call *c, const struct jr_http_answer *a)
{
    assert_false(c->waiting);
    note(ctx, a == NULL ? "cancelled" : "ended");
}

static bool on_swallow(void *ctx, const struct jr_dev_call *c)
{
    return c->opened_ns < ((const struct world *)ctx)->swallow_before_ns;
}

static int64_t on_tick_delay(void *ctx, int64_t due_ns)
{
    return due_ns == 0 ? ((struct world *)ctx)->tick_delay_ns : INT64_MAX;
}

/* ---- the world ---- */

void world_begin(struct world *w, bool hooked)
{
    const struct jr_dev_network_hooks hooks = {
        .made = on_made,
        .sent = on_sent,
        .swallow = on_swallow,
        .refuse = on_refuse,
        .ask = on_ask,
        .carried_out = on_carried_out,
        .written = on_written,
        .respond = on_respond,
        .stream_lag = on_stream_lag,
        .stream_read = on_stream_read,
        .stream_piece = on_stream_piece,
        .stream_end = on_stream_end,
        .received = on_received,
        .given_up = on_given_up,
        .ended = on_ended,
        .tick_delay = on_tick_delay,
        .ctx = w,
    };

    *w = (struct world){ .latency = { .stream_ns = INT64_MAX } };
    api_begin(&w->api, 0);
    w->clock = (struct jr_clock_virtual){ .wall = w->api.now, .mono = start };
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->loop, NULL), JR_OK);
    jr_buf_init(&w->log, 65536);
    w->network = jr_dev_network_new(w->api.store, w->loop, hooked ? &hooks : NULL);
    w->client = jr_dev_client_new(w->network, w->loop, "tester", w);
    w->transport = jr_dev_client_transport(w->client);
}

void world_end(struct world *w)
{
    jr_dev_client_free(w->client);
    jr_dev_network_free(w->network);
    jr_loop_free(w->loop);
    jr_buf_done(&w->log);
    api_end(&w->api);
}

static void on_wake(void *ctx)
{
    *(bool *)ctx = true;
}

void world_run(struct world *w, int64_t ns)
{
    bool over = false;

    assert_int_equal(jr_loop_after(w->loop, ns, on_wake, &over, NULL), JR_OK);
    while (!over)
        assert_int_equal(jr_loop_turn(w->loop, -1, NULL, NULL), JR_OK);
    /* What is due at the same moment, and was set later. */
    while (jr_loop_next(w->loop).ns <= w->clock.mono.ns)
        assert_int_equal(jr_loop_turn(w->loop, 0, NULL, NULL), JR_OK);
}

/* ---- calls ---- */

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct called *c = ctx;

    c->n_chunks++;
    c->chunk_ns = now_ns(c->world);
    (void)jr_buf_add(&c->chunks, chunk);
    if (c->cancel_at_chunk)
        c->world->transport.cancel(c->world->transport.self, c->call);
    return c->chunk_status;
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct called *c = ctx;

    assert_false(c->done);
    c->done = true;
    c->done_ns = now_ns(c->world);
    c->answer = *a;
    (void)jr_buf_add(&c->body, a->body);
    if (c->cancel_at_end)
        c->world->transport.cancel(c->world->transport.self, c->call);
}

static bool may_send(void *ctx)
{
    return ((const struct called *)ctx)->may_send;
}

void world_send(struct world *w, struct called *c, const struct jr_http_request *options,
                bool chunks)
{
    const struct jr_http_handler h = { .on_chunk = chunks ? on_chunk : NULL,
                                       .on_done = on_done,
                                       .ctx = c };
    struct jr_http_request req = *options;

    c->world = w;
    jr_buf_init(&c->chunks, 65536);
    jr_buf_init(&c->body, 65536);
    req.method = req.method == NULL ? "GET" : req.method;
    req.may_send = may_send;
    req.may_send_ctx = c;
    c->call = w->transport.send(w->transport.self, &req, &h);
    assert_non_null(c->call);
    assert_false(c->done);
}

void world_call(struct world *w, struct called *c, const char *method, const char *path,
                const char *body)
{
    const struct jr_http_request req = { .method = method, .path = path, .body = jr_str(body) };

    c->may_send = true;
    world_send(w, c, &req, strstr(path, "watch=1") != NULL);
}

static int ask(struct world *w, const char *method, const char *path, const char *body)
{
    const struct jr_dev_request req = {
        .method = method, .path = path, .body = jr_str(body), .user = "other"
    };

    return jr_dev_network_ask(w->network, &req, NULL, NULL);
}

void world_make_map(struct world *w, const char *name)
{
    char body[128];

    (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\"}}", name);
    assert_int_equal(ask(w, "POST", MAPS, body), 201);
}

int world_map_status(struct world *w, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), MAPS "/%s", name);
    return ask(w, "GET", path, "");
}

void called_done(struct called *c)
{
    jr_buf_done(&c->chunks);
    jr_buf_done(&c->body);
}

void world_expect_log(struct world *w, const char *want)
{
    assert_string_equal(w->log.n == 0 ? "" : w->log.p, want);
    jr_buf_reset(&w->log);
}
