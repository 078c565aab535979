/* SPDX-License-Identifier: Apache-2.0 */
/* A Deployment is brought to nothing, whatever comes in between. */
#include "common/kube/scale_down.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define DEPLOYMENT "/apis/apps/v1/namespaces/ns/deployments/hook"
#define PODS "/api/v1/namespaces/ns/pods?"
#define SCALE(N)                                                                     \
    "{\"kind\":\"Scale\",\"spec\":{\"replicas\":0},\"status\":{\"replicas\":" #N "," \
    "\"selector\":\"app=jobreeve,part in (a,b)\"}}"
#define SEEN(GENERATION, OBSERVED, SPEC, STATUS)                                        \
    "{\"metadata\":{\"generation\":" #GENERATION "},\"spec\":{\"replicas\":" #SPEC "}," \
    "\"status\":{\"observedGeneration\":" #OBSERVED STATUS "}}"
#define NONE "{\"kind\":\"PodList\",\"items\":[]}"
#define ONE "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"hook-1\"}}]}"

struct world {
    struct fake f;
    struct jr_scale_down *s;
    unsigned done, waits;
    struct jr_error why;
};

static void on_done(void *ctx)
{
    struct world *w = ctx;

    w->done++;
    jr_scale_down_free(w->s);
    w->s = NULL;
}

static void on_waiting(void *ctx, const struct jr_error *why)
{
    struct world *w = ctx;

    w->waits++;
    w->why = *why;
}

static void begin(struct world *w)
{
    const struct jr_scale_down_handler h = { on_done, on_waiting, w };

    *w = (struct world){ .s = NULL };
    fake_init(&w->f);
    w->s = jr_scale_down_new(&w->f.env, "ns", "hook", &h, NULL);
    jr_scale_down_start(w->s);
}

static void end(struct world *w, unsigned waits)
{
    assert_int_equal(w->done, 1);
    assert_int_equal(w->waits, waits);
    assert_null(w->s);
    assert_int_equal(fake_untaken(&w->f), 0);
    fake_done(&w->f);
}

static void answer(struct world *w, const char *method, const char *path, int status,
                   const char *body)
{
    fake_answer(fake_expect(&w->f, method, path), status, body);
}

static void test_straight(void **state)
{
    struct world w;
    struct jr_call *c;

    (void)state;
    begin(&w);
    c = fake_expect(&w.f, "PATCH", DEPLOYMENT "/scale");
    assert_string_equal(c->content_type, "application/merge-patch+json");
    assert_str(jr_buf_str(&c->body), "{\"spec\":{\"replicas\":0}}");
    fake_answer(c, 200, SCALE(2));
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 2, 0, ""));
    c = fake_expect(&w.f, "GET", PODS);
    assert_has(c->path, "labelSelector=app%3Djobreeve%2Cpart%20in%20%28a%2Cb%29");
    assert_has(c->path, "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed");
    fake_answer(c, 200, NONE);
    end(&w, 0);
}

static void test_not_there(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 404, "");
    end(&w, 0);
}

/* Its controller is slow, then its Pods are. */
static void test_waits(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, SCALE(2));
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 1, 0, ""));
    assert_has(w.why.msg, "has not seen it");
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 2, 0, ",\"replicas\":2"));
    assert_has(w.why.msg, "2 replicas still");
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 2, 0, ",\"replicas\":0"));
    answer(&w, "GET", PODS, 200, ONE);
    assert_has(w.why.msg, "pod hook-1 still runs");
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 2, 0, ""));
    answer(&w, "GET", PODS, 200, NONE);
    end(&w, 3);
}

static void test_scaled_up_meanwhile(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, SCALE(2));
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(3, 3, 2, ",\"replicas\":2"));
    assert_has(w.why.msg, "scaled it up again");
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, SCALE(2));
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(4, 4, 0, ""));
    answer(&w, "GET", PODS, 200, NONE);
    end(&w, 1);
}

/* It is deleted while it is waited for, and its Pods outlive it. */
static void test_deleted_meanwhile(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, SCALE(2));
    answer(&w, "GET", DEPLOYMENT, 404, "");
    answer(&w, "GET", PODS, 200, ONE);
    answer(&w, "GET", DEPLOYMENT, 404, "");
    answer(&w, "GET", PODS, 200, NONE);
    end(&w, 1);
}

/* Whatever fails is done again. */
static void test_failures(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    fake_fail(fake_expect(&w.f, "PATCH", DEPLOYMENT "/scale"), JR_HTTP_NOT_SENT);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 403, "");
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, "{");
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, "{\"status\":{}}");
    assert_has(w.why.path, "status.selector");
    fake_fail_with(fake_expect(&w.f, "PATCH", DEPLOYMENT "/scale"), JR_HTTP_AMBIGUOUS, JR_OK);
    answer(&w, "PATCH", DEPLOYMENT "/scale", 200, SCALE(0));
    fake_fail(fake_expect(&w.f, "GET", DEPLOYMENT), JR_HTTP_AMBIGUOUS);
    answer(&w, "GET", DEPLOYMENT, 200, SEEN(2, 2, 0, ""));
    answer(&w, "GET", PODS, 500, "");
    answer(&w, "GET", PODS, 200, NONE);
    end(&w, 7);
}

/* Given up in the middle, with a request under way and without. */
static void test_given_up(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct world w;
        struct jr_call *c;

        begin(&w);
        c = fake_expect(&w.f, "PATCH", DEPLOYMENT "/scale");
        if (way == 1)
            fake_answer(c, 500, "");
        jr_scale_down_free(w.s);
        assert_int_equal(c->cancelled, way == 0);
        fake_wait(&w.f, 60 * JR_SEC);
        assert_int_equal(w.f.n_sent, 1);
        fake_done(&w.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_scaled_up_meanwhile),
        cmocka_unit_test(test_deleted_meanwhile),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
