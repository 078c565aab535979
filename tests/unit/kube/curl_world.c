/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/curl_world.h"

#define DEADLINE_NS (60 * JR_SEC)

static struct jr_mono clock_mono(void *self)
{
    const struct world *w = self;
    struct jr_mono m = jr_clock_system.mono(jr_clock_system.self);

    m.ns += w->ahead_ns;
    return m;
}

static struct jr_time clock_wall(void *self)
{
    (void)self;
    return jr_clock_system.wall(jr_clock_system.self);
}

void world_connect(struct world *w)
{
    struct jr_error error = { 0 };

    assert_ok(jr_curl_new(w->loop, &w->config, AGENT, &w->curl, &error), &error);
    w->t = jr_curl_transport(w->curl);
}

void world_new(struct world *w, bool named_only, bool client_certs)
{
    struct jr_error error = { 0 };

    *w = (struct world){ .clock = { clock_wall, clock_mono, w } };
    w->server = server_start(named_only, client_certs);
    assert_true(asprintf(&w->config.server, "https://127.0.0.1:%d", server_port(w->server)) > 0);
    w->config.ca_pem = jr_str_dup(jr_str(server_ca(w->server)));
    assert_ok(jr_loop_new(&w->clock, &w->loop, &error), &error);
}

void world_init(struct world *w)
{
    world_new(w, false, false);
    world_connect(w);
}

void world_done(struct world *w)
{
    jr_curl_free(w->curl);
    assert_int_equal(jr_loop_next(w->loop).ns, INT64_MAX); /* no timer is left */
    server_stop(w->server);
    jr_kube_config_done(&w->config);
    jr_loop_free(w->loop);
}

void set(char **field, const char *value)
{
    free(*field);
    *field = jr_str_dup(jr_str(value));
    assert_non_null(*field);
}

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct outcome *o = ctx;

    o->n++;
    o->a = *a;
    o->body_n = a->body.n;
    (void)snprintf(o->body, sizeof(o->body), "%.*s",
                   JR_P(jr_str_head(a->body, sizeof(o->body) - 1)));
    if (o->then != NULL)
        start(o->w, &(struct jr_http_request){ .method = "GET", .path = "/ok" }, o->then);
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct outcome *o = ctx;
    size_t n = strlen(o->chunks);

    (void)snprintf(o->chunks + n, sizeof(o->chunks) - n, "%.*s", JR_P(chunk));
    o->n_chunks++;
    if (o->cancel_on_chunk)
        o->w->t.cancel(o->w->t.self, o->call);
    return o->refuse;
}

void send_with(struct world *w, const struct jr_http_request *req, struct outcome *o, bool stream)
{
    struct jr_http_handler h = { .on_chunk = stream ? on_chunk : NULL,
                                 .on_done = on_done,
                                 .ctx = o };

    o->w = w;
    o->call = w->t.send(w->t.self, req, &h);
    assert_int_equal(o->n, 0);
}

void start(struct world *w, const struct jr_http_request *req, struct outcome *o)
{
    send_with(w, req, o, false);
}

/** Turns the loop until *n is at least want. */
void until(struct world *w, const int *n, int want)
{
    int64_t end = jr_loop_mono(w->loop).ns + DEADLINE_NS;

    while (*n < want) {
        struct jr_error error = { 0 };

        assert_ok(jr_loop_turn(w->loop, 100 * JR_MSEC, NULL, &error), &error);
        if (*n < want && jr_loop_mono(w->loop).ns > end)
            fail_msg("nothing came in time");
    }
}

/** As until, for bytes of a stream. */
void until_chunks(struct world *w, const struct outcome *o, const char *want)
{
    int64_t end = jr_loop_mono(w->loop).ns + DEADLINE_NS;

    while (strcmp(o->chunks, want) != 0) {
        assert_int_equal(jr_loop_turn(w->loop, 100 * JR_MSEC, NULL, NULL), JR_OK);
        if (strcmp(o->chunks, want) != 0 && jr_loop_mono(w->loop).ns > end)
            fail_msg("got \"%s\", want \"%s\"", o->chunks, want);
    }
}

/** As until, for requests that the server has read. */
void until_requests(struct world *w, int want)
{
    int64_t end = jr_loop_mono(w->loop).ns + DEADLINE_NS;

    while (server_requests(w->server) < want) {
        assert_int_equal(jr_loop_turn(w->loop, 20 * JR_MSEC, NULL, NULL), JR_OK);
        if (jr_loop_mono(w->loop).ns > end)
            fail_msg("the server gets no request");
    }
}

struct outcome ask(struct world *w, const char *method, const char *path, const char *body)
{
    const struct jr_http_request req = { .method = method, .path = path, .body = jr_str(body) };
    struct outcome o = { 0 };

    start(w, &req, &o);
    until(w, &o.n, 1);
    assert_int_equal(o.n, 1);
    return o;
}

void assert_outcome_at(const struct outcome *o, enum jr_http_outcome want, int status,
                       const char *file, int line)
{
    if (o->a.outcome != want || o->a.status != status) {
        print_error("outcome %d, status %d: %s\n", (int)o->a.outcome, o->a.status, o->a.error.msg);
        _fail(file, line);
    }
}
