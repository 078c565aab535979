/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a Deployment bears an annotation; what can't be told is asked again. */
#include "common/kube/deployment_check.h"
#include "tests/unit/kube/fake_transport.h"
#include "tests/unit/kube/kube_test.h"

#define PATH "/apis/apps/v1/namespaces/ns/deployments/hook"
#define KEY "meta.helm.sh/release-name"

struct world {
    struct fake f;
    struct jr_deployment_check *c;
    unsigned bears, lacks, waits;
    struct jr_error why;
};

static void on_bears(void *ctx)
{
    struct world *w = ctx;

    w->bears++;
    jr_deployment_check_free(w->c);
    w->c = NULL;
}

static void on_lacks(void *ctx, const struct jr_error *why)
{
    struct world *w = ctx;

    w->lacks++;
    w->why = *why;
    jr_deployment_check_free(w->c);
    w->c = NULL;
}

static void on_waiting(void *ctx, const struct jr_error *why)
{
    struct world *w = ctx;

    w->waits++;
    w->why = *why;
}

static void begin(struct world *w)
{
    const struct jr_deployment_check_handler h = { on_bears, on_lacks, on_waiting, w };

    *w = (struct world){ .c = NULL };
    fake_init(&w->f);
    w->c = jr_deployment_check_start(&w->f.env, "ns", "hook", KEY, &h, NULL);
}

static void test_answers(void **state)
{
    static const struct {
        const char *name;
        int status;
        const char *body;
        bool bears;
    } rows[] = {
        { "installed by helm", 200, "{\"metadata\":{\"annotations\":{\"" KEY "\":\"jr\"}}}", true },
        { "an empty value", 200, "{\"metadata\":{\"annotations\":{\"" KEY "\":\"\"}}}", true },
        { "another annotation", 200,
          "{\"metadata\":{\"annotations\":{\"deployment.kubernetes.io/revision\":\"1\"}}}", false },
        { "a label of that name", 200, "{\"metadata\":{\"labels\":{\"" KEY "\":\"jr\"}}}", false },
        { "of its Pods", 200,
          "{\"metadata\":{},\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"" KEY
          "\":\"jr\"}}}}}",
          false },
        { "none", 200, "{\"metadata\":{}}", false },
        { "it isn't there", 404, "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}",
          true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        begin(&w);
        fake_answer(fake_expect(&w.f, "GET", PATH), rows[i].status, rows[i].body);
        if (w.bears != rows[i].bears || w.lacks != !rows[i].bears || w.waits != 0)
            fail_msg("%s: %u, %u, %u", rows[i].name, w.bears, w.lacks, w.waits);
        if (w.lacks > 0) {
            assert_string_equal(w.why.path, "deployments/hook");
            assert_non_null(strstr(w.why.msg, KEY));
        }
        fake_done(&w.f);
    }
}

static void test_asked_again(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    fake_fail(fake_expect(&w.f, "GET", PATH), JR_HTTP_AMBIGUOUS);
    fake_answer(fake_expect(&w.f, "GET", PATH), 403, "{}");
    fake_answer(fake_expect(&w.f, "GET", PATH), 200, "no JSON");
    assert_int_equal(w.waits, 3);
    assert_string_equal(w.why.path, "deployments/hook");
    assert_int_equal(w.bears + w.lacks, 0);
    fake_answer(fake_expect(&w.f, "GET", PATH), 200,
                "{\"metadata\":{\"annotations\":{\"" KEY "\":\"jr\"}}}");
    assert_int_equal(w.bears, 1);
    assert_int_equal(fake_untaken(&w.f), 0);
    fake_done(&w.f);
}

static void test_broken_off(void **state)
{
    (void)state;
    for (int waiting = 0; waiting < 2; waiting++) {
        struct world w;
        struct jr_call *call;

        begin(&w);
        call = fake_expect(&w.f, "GET", PATH);
        if (waiting)
            fake_fail(call, JR_HTTP_AMBIGUOUS);
        jr_deployment_check_free(w.c);
        assert_int_equal(fake_untaken(&w.f), 0);
        fake_done(&w.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_asked_again),
        cmocka_unit_test(test_broken_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
