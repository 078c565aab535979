/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/kube/lease_world.h"

static void on_started(void *ctx)
{
    struct world *w = ctx;

    w->started++;
    if (w->stop_when_started)
        jr_elector_stop(w->e);
}

static void on_stopped(void *ctx)
{
    struct world *w = ctx;

    w->stopped++;
    if (w->free_when_stopped) {
        jr_elector_free(w->e);
        w->e = NULL;
    }
}

const struct jr_elector_options usual = {
    .namespace = "ns",
    .name = "jobs",
    .identity = "me",
    .lease_duration_ms = 15000,
    .renew_deadline_ms = 10000,
    .retry_period_ms = 2000,
    .release_on_stop = true,
};

void world_with(struct world *w, const struct jr_elector_options *o)
{
    struct jr_elector_handler h = { on_started, on_stopped, w };
    struct jr_error error = { 0 };

    *w = (struct world){ 0 };
    fake_init(&w->f);
    assert_ok(jr_elector_new(&w->f.env, o, &h, NULL, NULL, &w->e, &error), &error);
    assert_false(jr_elector_may_write(w->e));
    jr_elector_start(w->e);
    jr_elector_start(w->e); /* is one start */
}

void world_init(struct world *w)
{
    world_with(w, &usual);
}

void world_done(struct world *w)
{
    jr_elector_free(w->e);
    fake_done(&w->f);
}

void answer_lease(struct jr_call *c, int status, const char *holder, int rv, int transitions,
                  int duration_s)
{
    char text[512];

    (void)snprintf(
        text, sizeof(text),
        "{\"metadata\":{\"name\":\"jobs\",\"resourceVersion\":\"%d\"},\"spec\":{\"holderIdentity\":"
        "\"%s\",\"leaseDurationSeconds\":%d,\"acquireTime\":\"2026-03-01T11:00:00.000000Z\","
        "\"renewTime\":\"2026-03-01T11:59:%02d.000000Z\",\"leaseTransitions\":%d}}",
        rv, holder, duration_s, rv % 60, transitions);
    fake_answer(c, status, text);
}

void held_by(struct jr_call *c, const char *holder, int rv)
{
    answer_lease(c, 200, holder, rv, 4, 15);
}

struct jr_lease written(const struct jr_call *c, struct jr_arena *arena)
{
    struct jr_lease l = { 0 };
    struct jr_error error = { 0 };

    assert_ok(jr_lease_decode(jr_buf_str(&c->body), arena, &l, &error), &error);
    return l;
}

void assert_write(const struct jr_call *c, const char *holder, const char *rv, int transitions,
                  int duration_s)
{
    JR_ARENA arena = { 0 };
    struct jr_lease l;

    jr_arena_init(&arena, 0);
    l = written(c, &arena);
    assert_str(l.holder_identity, holder);
    assert_str(l.meta.resource_version, rv);
    assert_str(l.meta.name, "jobs");
    assert_str(l.meta.namespace, "ns");
    assert_int_equal(jr_i32_or(l.lease_transitions, -1), transitions);
    assert_int_equal(jr_i32_or(l.lease_duration_s, -1), duration_s);
}

void lead(struct world *w)
{
    struct jr_call *c;

    fake_answer(fake_expect(&w->f, "GET", PATH "/jobs"), 404, "");
    c = fake_expect(&w->f, "POST", PATH);
    assert_string_equal(c->path, PATH);
    assert_write(c, "me", "", 0, 15);
    answer_lease(c, 201, "me", 1, 0, 15);
    assert_int_equal(w->started, 1);
    assert_true(jr_elector_may_write(w->e));
}

void renew(struct world *w, int rv)
{
    answer_lease(fake_expect(&w->f, "PUT", PATH "/jobs"), 200, "me", rv, 0, 15);
}
