/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving connections that don't answer, by the rules of common/kube/liveness.h. libcurl keeps a
 * connection for new requests after one of them was given up, and asks nothing of the peer in
 * between (it sends HTTP/2's PING only on demand, and doesn't look for the answer). So we look
 * ourselves, and leave whole multi handles: their connections get no further requests. */
#include "common/curl/curl_parts.h"

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

/** Gives up calls over HTTP/1.1, each of which has a connection of its own that can't be asked. */
static void end_silent_calls(const struct curl_side *s, struct jr_mono now)
{
    struct jr_call *call;

    TAILQ_FOREACH(call, &s->owner->live, link)
    {
        if (call->side == s && call->sent && now.ns - call->last_byte.ns >= JR_LIVENESS_REQUEST_NS)
            jr_curl_end_soon(call, false);
    }
}

static void on_liveness_timer(void *ctx)
{
    struct curl_side *s = ctx;
    const struct jr_mono now = jr_loop_mono(s->owner->loop);
    int64_t after_ns = 0;
    bool ask;

    s->liveness_timer = NULL;
    if (s->n == 0)
        return;
    ask = jr_liveness_ask(&s->life, now, &after_ns);
    if (!s->owner->multiplexes)
        after_ns = JR_SEC;
    /* Set before the probe, which is a call too: jr_curl_side_count sets a timer where there is
     * none. */
    jr_xloop_after(s->owner->loop, after_ns, on_liveness_timer, s, &s->liveness_timer);
    if (!s->owner->multiplexes)
        end_silent_calls(s, now);
    else if (ask)
        jr_curl_probe(s);
}

void jr_curl_side_count(struct curl_side *s, int by)
{
    struct jr_curl *c = s->owner;

    if (s->n == 0)
        s->life.waits = jr_loop_mono(c->loop);
    s->n = by > 0 ? s->n + 1 : s->n - 1;
    if (s->n == 0 && s != c->shared && s != c->own)
        sweep_soon(c);
    if (s->shared && s->n > 0 && s->liveness_timer == NULL)
        jr_xloop_after(c->loop, JR_SEC, on_liveness_timer, s, &s->liveness_timer);
}

void jr_curl_leave(struct jr_curl *c, struct curl_side **side)
{
    LIST_INSERT_HEAD(&c->left, *side, link);
    *side = jr_curl_side_new(c, (*side)->shared);
    sweep_soon(c);
}

struct curl_side *jr_curl_trusted(struct jr_curl *c)
{
    if (!jr_liveness_trusted(&c->shared->life, jr_loop_mono(c->loop)))
        jr_curl_leave(c, &c->shared);
    return c->shared;
}

void jr_curl_retire(struct jr_curl *c, struct jr_mono sent)
{
    struct jr_call *call;

    if (c->shared->life.opened.ns <= sent.ns)
        jr_curl_leave(c, &c->shared);
    if (c->own->life.opened.ns <= sent.ns)
        jr_curl_leave(c, &c->own);
    TAILQ_FOREACH(call, &c->live, link)
    {
        const struct jr_liveness *l = &call->side->life;

        if (call->side->shared ? jr_liveness_suspect(l->opened, l->heard, sent)
                               : jr_liveness_suspect(call->began, call->last_byte, sent))
            jr_curl_end_soon(call, true);
    }
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
