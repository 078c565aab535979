/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving shared connections that don't answer. libcurl keeps a connection for new requests after
 * one of them was given up, and asks nothing of the peer in between (of HTTP/2's PING it sends, and
 * only on demand, and it doesn't look for the answer). Where a balancer or the peer's kernel still
 * acknowledges bytes, TCP sees nothing either. So we look ourselves: a request that got no answer
 * in time, or silence while some wait, and all connections of that multi handle get no further
 * ones. */
#include "common/curl/curl_parts.h"

/* Slow requests, behind slow webhooks for example, cost a handshake, and nothing else. */
#define SILENCE_NS (15 * JR_SEC)

bool jr_curl_is_silent(const struct jr_curl *c)
{
    const struct curl_side *s = c->shared;

    return s->n > 0 && jr_loop_mono(c->loop).ns - s->heard.ns >= SILENCE_NS;
}

/** Ends those that have come to their end. Never from inside of libcurl, or of a handler. */
static void on_sweep(void *ctx)
{
    struct jr_curl *c = ctx;
    struct curl_side *next;

    c->sweep = NULL;
    for (struct curl_side *s = LIST_FIRST(&c->left); s != NULL; s = next) {
        next = LIST_NEXT(s, link);
        if (s->n > 0)
            continue;
        LIST_REMOVE(s, link);
        jr_curl_side_free(s);
    }
}

static void sweep_soon(struct jr_curl *c)
{
    if (c->sweep == NULL)
        jr_xloop_after(c->loop, 0, on_sweep, c, &c->sweep);
}

void jr_curl_side_count(struct curl_side *s, int by)
{
    if (s->n == 0)
        s->heard = jr_loop_mono(s->owner->loop);
    s->n = by > 0 ? s->n + 1 : s->n - 1;
    if (s->n == 0 && s->shared && s != s->owner->shared)
        sweep_soon(s->owner);
}

void jr_curl_leave(struct jr_curl *c, const struct curl_side *s)
{
    if (s != c->shared)
        return;
    LIST_INSERT_HEAD(&c->left, c->shared, link);
    c->shared = jr_curl_side_new(c, true);
    sweep_soon(c);
}

void jr_curl_left_done(struct jr_curl *c)
{
    struct curl_side *s;

    jr_timer_cancel(c->loop, &c->sweep);
    while ((s = LIST_FIRST(&c->left)) != NULL) {
        LIST_REMOVE(s, link);
        jr_curl_side_free(s);
    }
}
