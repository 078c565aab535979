/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for a credential plugin. */
#include "common/curl/login.h"

#include <sys/queue.h>

#include "common/base/memory.h"
#include "common/curl/exec_plugin.h"

struct jr_call {
    TAILQ_ENTRY(jr_call) link;
    struct jr_login *t;
    struct jr_http_handler h;
    struct jr_http_request req; /* its strings are in the arena */
    struct jr_arena arena;
    struct jr_call *below; /* of the transport below; NULL: it waits for a credential */
    unsigned by;           /* which credential it went with */
    bool again;            /* after a 401 */
    bool over;             /* on_done runs: nothing is left to cancel */
};
TAILQ_HEAD(exec_calls, jr_call);

struct jr_login {
    struct jr_loop *loop;
    struct jr_curl *curl;
    struct jr_transport below;
    const struct jr_exec_plugin *plugin;
    struct jr_login_observer observer;
    struct jr_exec_run *run; /* NULL: none is running */
    struct jr_timer *turn;
    unsigned n; /* credentials so far */
    bool valid;
    bool fresh;             /* nothing has gone with it yet: what waits goes, whenever it expires */
    struct jr_time expires; /* 0: never */
    struct jr_error failed; /* why there is none */
    struct exec_calls waiting, live;
};

/* ---- a call ---- */

static void call_free(struct jr_call *c)
{
    jr_arena_done(&c->arena);
    free(c);
}

/** Tells how a call ended, and forgets it. It is on no list. */
static void end_call(struct jr_call *c, const struct jr_http_answer *a)
{
    c->over = true;
    c->t->observer.on_answer(c->t->observer.ctx, c->req.path, a);
    c->h.on_done(c->h.ctx, a);
    call_free(c);
}

static void need_turn(struct jr_login *t);

static void on_done(void *ctx, const struct jr_http_answer *a)
{
    struct jr_call *c = ctx;
    struct jr_login *t = c->t;

    TAILQ_REMOVE(&t->live, c, link);
    c->below = NULL;
    if (a->outcome != JR_HTTP_DONE || a->status != 401 || c->again || t->plugin == NULL) {
        end_call(c, a);
        return;
    }
    if (c->by == t->n)
        t->valid = false;
    c->again = true;
    TAILQ_INSERT_TAIL(&t->waiting, c, link);
    need_turn(t);
}

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct jr_call *c = ctx;

    return c->h.on_chunk(c->h.ctx, chunk); /* which may have cancelled it */
}

static void hand_down(struct jr_call *c)
{
    struct jr_login *t = c->t;
    const struct jr_http_handler h = { .on_chunk = c->h.on_chunk == NULL ? NULL : on_chunk,
                                       .on_done = on_done,
                                       .ctx = c };

    c->by = t->n;
    TAILQ_INSERT_TAIL(&t->live, c, link);
    c->below = t->below.send(t->below.self, &c->req, &h);
}

/* ---- the credential ---- */

static bool is_valid(const struct jr_login *t)
{
    return t->plugin == NULL ||
           (t->valid && (!jr_time_set(t->expires) || jr_loop_wall(t->loop).ns < t->expires.ns));
}

/** Ends those that wait now, with the reason. */
static void fail_waiting(struct jr_login *t)
{
    const struct jr_http_answer a = { .outcome = JR_HTTP_NOT_SENT, .error = t->failed };
    struct jr_call *c;
    size_t n = 0;

    t->failed = (struct jr_error){ 0 };
    TAILQ_FOREACH(c, &t->waiting, link)
    n++;
    for (; n > 0 && (c = TAILQ_FIRST(&t->waiting)) != NULL; n--) {
        TAILQ_REMOVE(&t->waiting, c, link);
        end_call(c, &a);
    }
    if (!TAILQ_EMPTY(&t->waiting)) /* a handler has sent anew: the plugin is asked anew */
        need_turn(t);
}

static void on_credential(void *ctx, struct jr_exec_credential *c, const struct jr_error *err)
{
    struct jr_login *t = ctx;
    struct jr_exec_run *run = t->run;

    t->run = NULL;
    t->valid = t->fresh = c != NULL;
    if (c == NULL) {
        t->failed = *err;
        t->failed.status = JR_DENIED;
    } else {
        t->n++;
        t->expires = c->expires;
        jr_curl_set_credential(t->curl, c->token, c->cert_pem, c->key_pem);
    }
    need_turn(t);
    jr_exec_end(run);
}

static void on_slow(void *ctx)
{
    struct jr_login *t = ctx;

    t->observer.on_slow(t->observer.ctx);
}

static void start(struct jr_login *t)
{
    const struct jr_exec_handler h = { .on_done = on_credential, .on_slow = on_slow, .ctx = t };

    t->failed = (struct jr_error){ 0 };
    if (jr_exec_start(t->loop, t->plugin, &h, &t->run, &t->failed) == JR_OK)
        return;
    t->run = NULL;
    t->failed.status = JR_DENIED;
    fail_waiting(t);
}

/** Lets go what waits, or sees to it that it can. */
static void on_turn(void *ctx)
{
    struct jr_login *t = ctx;
    struct jr_call *c;

    t->turn = NULL;
    if (t->run != NULL)
        return;
    if (t->failed.status != JR_OK) {
        fail_waiting(t);
        return;
    }
    while ((t->fresh || is_valid(t)) && (c = TAILQ_FIRST(&t->waiting)) != NULL) {
        TAILQ_REMOVE(&t->waiting, c, link);
        hand_down(c);
    }
    t->fresh = false;
    if (!TAILQ_EMPTY(&t->waiting))
        start(t);
}

static void need_turn(struct jr_login *t)
{
    if (t->turn == NULL)
        jr_xloop_after(t->loop, 0, on_turn, t, &t->turn);
}

/* ---- the transport ---- */

static struct jr_call *transport_send(void *self, const struct jr_http_request *req,
                                      const struct jr_http_handler *h)
{
    struct jr_login *t = self;
    struct jr_call *c = jr_xcalloc(1, sizeof(*c));

    c->t = t;
    c->h = *h;
    c->req = *req;
    jr_arena_init(&c->arena, 0);
    jr_http_request_keep(&c->req, &c->arena);
    if (is_valid(t) && TAILQ_EMPTY(&t->waiting)) {
        hand_down(c);
    } else {
        TAILQ_INSERT_TAIL(&t->waiting, c, link);
        need_turn(t);
    }
    return c;
}

static void cancel_call(struct jr_call *c)
{
    struct jr_login *t = c->t;

    if (c->below != NULL) {
        TAILQ_REMOVE(&t->live, c, link);
        t->below.cancel(t->below.self, c->below);
    } else {
        TAILQ_REMOVE(&t->waiting, c, link);
    }
    call_free(c);
}

static void transport_cancel(void *self, struct jr_call *call)
{
    (void)self;
    if (call != NULL && !call->over)
        cancel_call(call);
}

struct jr_transport jr_login_transport(struct jr_login *t)
{
    return (struct jr_transport){ .send = transport_send, .cancel = transport_cancel, .self = t };
}

struct jr_login *jr_login_new(struct jr_loop *loop, struct jr_curl *below,
                              const struct jr_exec_plugin *plugin,
                              const struct jr_login_observer *observer)
{
    struct jr_login *t = jr_xcalloc(1, sizeof(*t));

    t->loop = loop;
    t->curl = below;
    t->below = jr_curl_transport(below);
    t->plugin = plugin;
    t->observer = *observer;
    TAILQ_INIT(&t->waiting);
    TAILQ_INIT(&t->live);
    return t;
}

void jr_login_free(struct jr_login *t)
{
    struct jr_call *c;

    if (t == NULL)
        return;
    while ((c = TAILQ_FIRST(&t->live)) != NULL || (c = TAILQ_FIRST(&t->waiting)) != NULL)
        cancel_call(c);
    jr_timer_cancel(t->loop, &t->turn);
    jr_exec_end(t->run);
    free(t);
}
