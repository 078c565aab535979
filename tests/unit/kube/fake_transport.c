/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/fake_transport.h"

#include "common/base/memory.h"
#include "tests/unit/kube/kube_test.h"

#define TURNS_MAX 10000

static void call_free(struct jr_call *c)
{
    free(c->method);
    free(c->path);
    free(c->accept);
    free(c->content_type);
    jr_buf_done(&c->body);
    free(c);
}

static struct jr_call *fake_send(void *self, const struct jr_http_request *req,
                                 const struct jr_http_handler *h)
{
    struct fake *f = self;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));

    jr_buf_init(&c->body, SIZE_MAX);
    c->method = jr_xstrdup(req->method);
    c->path = jr_xstrdup(req->path);
    c->accept = jr_xstrdup(req->accept);
    c->content_type = jr_xstrdup(req->content_type);
    jr_must(jr_buf_add(&c->body, req->body));
    c->timeout_ms = req->timeout_ms;
    c->idle_timeout_ms = req->idle_timeout_ms;
    c->own_connection = req->own_connection;
    c->fresh_connection = req->fresh_connection;
    c->body_max = req->body_max;
    c->may_send = req->may_send;
    c->may_send_ctx = req->may_send_ctx;
    c->h = *h;
    TAILQ_INSERT_TAIL(&f->calls, c, link);
    f->n_sent++;
    return c;
}

static void fake_cancel(void *self, struct jr_call *call)
{
    (void)self;
    assert_false(call->over);
    assert_false(call->cancelled);
    call->cancelled = true;
}

void fake_init(struct fake *f)
{
    *f = (struct fake){ .clock = { .wall = jr_time_s(1772366400), .mono = { 1000 * JR_SEC } } };
    TAILQ_INIT(&f->calls);
    assert_int_equal(jr_loop_new_virtual(&f->clock, &f->loop, NULL), JR_OK);
    f->env.loop = f->loop;
    f->env.rand = jr_rand_of_seed(&f->seed, 7);
    f->env.transport = (struct jr_transport){ .send = fake_send, .cancel = fake_cancel, .self = f };
}

void fake_done(struct fake *f)
{
    struct jr_call *c;

    while ((c = TAILQ_FIRST(&f->calls)) != NULL) {
        TAILQ_REMOVE(&f->calls, c, link);
        call_free(c);
    }
    jr_loop_free(f->loop);
}

static struct jr_call *untaken(const struct fake *f)
{
    struct jr_call *c;

    TAILQ_FOREACH(c, &f->calls, link)
    {
        if (!c->taken && !c->cancelled && !c->over)
            return c;
    }
    return NULL;
}

size_t fake_untaken(const struct fake *f)
{
    size_t n = 0;
    const struct jr_call *c;

    TAILQ_FOREACH(c, &f->calls, link)
    {
        n += !c->taken && !c->cancelled && !c->over;
    }
    return n;
}

struct jr_call *fake_next(struct fake *f)
{
    for (int i = 0; i < TURNS_MAX; i++) {
        struct jr_call *c = untaken(f);
        bool idle = false;

        if (c != NULL && c->may_send != NULL && !c->may_send(c->may_send_ctx)) {
            fake_fail(c, JR_HTTP_NOT_SENT);
            continue;
        }
        if (c != NULL) {
            c->taken = true;
            return c;
        }
        assert_int_equal(jr_loop_turn(f->loop, -1, &idle, NULL), JR_OK);
        if (idle)
            break;
    }
    fail_msg("no request comes");
    return NULL;
}

struct jr_call *fake_expect(struct fake *f, const char *method, const char *path)
{
    struct jr_call *c = fake_next(f);

    if (strcmp(c->method, method) != 0 || !jr_str_starts(jr_str(c->path), jr_str(path)))
        fail_msg("got %s %s, want %s %s", c->method, c->path, method, path);
    return c;
}

void fake_wait(struct fake *f, int64_t ns)
{
    int64_t end = f->clock.mono.ns + ns;

    for (int i = 0; i < TURNS_MAX; i++) {
        bool idle = false;

        assert_int_equal(jr_loop_turn(f->loop, end - f->clock.mono.ns, &idle, NULL), JR_OK);
        if (idle && f->clock.mono.ns >= end)
            return;
    }
    fail_msg("the loop spins");
}

static void end(struct jr_call *c, const struct jr_http_answer *a)
{
    if (c->over || c->cancelled)
        fail_msg("%s %s is over already", c->method, c->path);
    c->over = true;
    c->h.on_done(c->h.ctx, a);
}

void fake_answer_after(struct jr_call *c, int status, int retry_after_s, const char *body)
{
    const struct jr_http_answer a = {
        .outcome = JR_HTTP_DONE,
        .status = status,
        .retry_after_s = retry_after_s,
        .body = jr_str(body),
    };

    end(c, &a);
}

void fake_answer(struct jr_call *c, int status, const char *body)
{
    fake_answer_after(c, status, 0, body);
}

bool fake_chunk(struct jr_call *c, struct jr_str chunk)
{
    struct jr_http_answer a = { .outcome = JR_HTTP_AMBIGUOUS, .status = 200 };
    enum jr_status st;

    if (c->over || c->cancelled)
        return false;
    assert_non_null(c->h.on_chunk);
    st = c->h.on_chunk(c->h.ctx, chunk);
    if (st == JR_OK || c->cancelled)
        return st == JR_OK;
    (void)jr_fail(&a.error, st, NULL, "the handler refused the chunk");
    end(c, &a);
    return false;
}

void fake_close(struct jr_call *c)
{
    fake_answer(c, 200, NULL);
}

void fake_fail_with(struct jr_call *c, enum jr_http_outcome outcome, enum jr_status why)
{
    struct jr_http_answer a = { .outcome = outcome };

    (void)jr_fail(&a.error, why, NULL, "the test cut the connection");
    end(c, &a);
}

void fake_fail(struct jr_call *c, enum jr_http_outcome outcome)
{
    fake_fail_with(c, outcome, JR_IO);
}

void fake_silence(struct jr_call *c)
{
    struct jr_http_answer a = { .outcome = JR_HTTP_AMBIGUOUS, .status = 200 };

    (void)jr_fail(&a.error, JR_TIMEOUT, NULL, "nothing came");
    end(c, &a);
}
