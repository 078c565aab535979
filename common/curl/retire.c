/* SPDX-License-Identifier: Apache-2.0 */
/* Retiring connections that don't answer, by the rules of common/kube/liveness.h. libcurl keeps a
 * connection for new requests after one of them was given up, and asks nothing of the peer in
 * between (it sends HTTP/2's PING only on demand, and doesn't look for the answer). So we look
 * ourselves, and retire whole pools: their connections get no further requests. */
#include "common/curl/curl_parts.h"

/** Frees retired pools whose last call has ended. Never called from inside of libcurl or a handler.
 */
static void on_sweep(void *ctx)
{
    struct jr_curl *c = ctx;
    struct curl_pool *next;

    c->sweep = NULL;
    for (struct curl_pool *pool = LIST_FIRST(&c->retired); pool != NULL; pool = next) {
        next = LIST_NEXT(pool, link);
        if (pool->n > 0)
            continue;
        LIST_REMOVE(pool, link);
        jr_curl_pool_free(pool);
    }
}

static void sweep_soon(struct jr_curl *c)
{
    if (c->sweep == NULL)
        jr_xloop_after(c->loop, 0, on_sweep, c, &c->sweep);
}

/** Gives up calls over HTTP/1.1, each of which has a connection of its own that can't be asked. */
static void end_silent_calls(const struct curl_pool *pool, struct jr_mono now)
{
    struct jr_call *call;

    TAILQ_FOREACH(call, &pool->owner->live, link)
    {
        if (call->pool == pool && call->sent &&
            now.ns - call->last_byte.ns >= JR_LIVENESS_REQUEST_NS)
            jr_curl_end_soon(call, false);
    }
}

static void on_liveness_timer(void *ctx)
{
    struct curl_pool *pool = ctx;
    const struct jr_mono now = jr_loop_mono(pool->owner->loop);
    int64_t after_ns = 0;
    bool ask;

    pool->liveness_timer = NULL;
    if (pool->n == 0)
        return;
    ask = jr_liveness_ask(&pool->life, now, &after_ns);
    if (!pool->owner->multiplexes)
        after_ns = JR_SEC;
    /* Set before the probe, which is a call too: jr_curl_pool_count sets a timer where there is
     * none. */
    jr_xloop_after(pool->owner->loop, after_ns, on_liveness_timer, pool, &pool->liveness_timer);
    if (!pool->owner->multiplexes)
        end_silent_calls(pool, now);
    else if (ask)
        jr_curl_probe(pool);
}

void jr_curl_pool_count(struct curl_pool *pool, int by)
{
    struct jr_curl *c = pool->owner;

    if (pool->n == 0)
        pool->life.waits = jr_loop_mono(c->loop);
    pool->n = by > 0 ? pool->n + 1 : pool->n - 1;
    if (pool->n == 0 && pool != c->shared && pool != c->dedicated)
        sweep_soon(c);
    if (pool->shared && pool->n > 0 && pool->liveness_timer == NULL)
        jr_xloop_after(c->loop, JR_SEC, on_liveness_timer, pool, &pool->liveness_timer);
}

void jr_curl_retire_pool(struct jr_curl *c, struct curl_pool **pool)
{
    LIST_INSERT_HEAD(&c->retired, *pool, link);
    *pool = jr_curl_pool_new(c, (*pool)->shared);
    sweep_soon(c);
}

struct curl_pool *jr_curl_trusted(struct jr_curl *c)
{
    if (!jr_liveness_trusted(&c->shared->life, jr_loop_mono(c->loop)))
        jr_curl_retire_pool(c, &c->shared);
    return c->shared;
}

void jr_curl_retire(struct jr_curl *c, struct jr_mono sent)
{
    struct jr_call *call;

    if (c->shared->life.opened.ns <= sent.ns)
        jr_curl_retire_pool(c, &c->shared);
    if (c->dedicated->life.opened.ns <= sent.ns)
        jr_curl_retire_pool(c, &c->dedicated);
    TAILQ_FOREACH(call, &c->live, link)
    {
        const struct jr_liveness *l = &call->pool->life;

        if (call->pool->shared ? jr_liveness_suspect(l->opened, l->heard, sent)
                               : jr_liveness_suspect(call->began, call->last_byte, sent))
            jr_curl_end_soon(call, true);
    }
}

void jr_curl_retired_free(struct jr_curl *c)
{
    struct curl_pool *pool;

    jr_timer_cancel(c->loop, &c->sweep);
    while ((pool = LIST_FIRST(&c->retired)) != NULL) {
        LIST_REMOVE(pool, link);
        jr_curl_pool_free(pool);
    }
}
