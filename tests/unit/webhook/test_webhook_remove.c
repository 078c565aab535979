/* SPDX-License-Identifier: Apache-2.0 */
/* What remove asks of the API server, in its order: the Deployment between the configurations and
 * the Secret. What comes in between a Deployment and its end: test_kube_scale_down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/scripted_api.h"
#include "webhook/commands/remove.h"

#define ADMISSION "/apis/admissionregistration.k8s.io/v1/"
#define DEPLOYMENT "/apis/apps/v1/namespaces/ns/deployments/hook"

struct line {
    const char *method;
    const char *path; /* begins so */
    int status;       /* 0: the connection is lost */
    const char *body;
};

struct world {
    const struct line *script;
    size_t n;
    size_t asked;
    unsigned done;
    struct jr_error why;
};

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    const struct line *l = &w->script[n];

    w->asked = n + 1;
    if (n >= w->n || !jr_str_is(call->method, l->method) ||
        !jr_str_starts(call->path, jr_str(l->path))) {
        print_error("request %zu: %.*s %.*s\n", n, JR_P(call->method), JR_P(call->path));
        return (struct jr_scripted_answer){ .never = true };
    }
    return (struct jr_scripted_answer){ .outcome =
                                            l->status == 0 ? JR_HTTP_AMBIGUOUS : JR_HTTP_DONE,
                                        .status = l->status,
                                        .body = jr_str(l->body) };
}

static void on_done(void *ctx)
{
    struct world *w = ctx;

    w->done++;
}

static void on_waiting(void *ctx, const struct jr_error *why)
{
    struct world *w = ctx;

    w->why = *why;
}

/** Runs the script; the reason of the last wait is in *ret. */
static void check(const struct jr_remover_options *o, const struct line *script, size_t n,
                  struct jr_error *ret)
{
    struct world w = { .script = script, .n = n };
    const struct jr_remover_handler h = { on_done, on_waiting, &w };
    struct jr_clock_virtual clock = { .wall = jr_time_s(1772366400), .mono = { 1000 * JR_SEC } };
    struct jr_rand_seeded seed;
    struct jr_env env = { .rand = jr_rand_of_seed(&seed, 3) };
    struct jr_scripted_api *api;
    struct jr_remover *r;

    assert_int_equal(jr_loop_new_virtual(&clock, &env.loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(env.loop, answer, &w, &api), JR_OK);
    env.transport = jr_scripted_transport(api);
    r = jr_remover_new(&env, o, &h, NULL);
    jr_remover_start(r);
    assert_int_equal(jr_loop_run(env.loop, NULL), JR_OK);
    assert_int_equal(w.done, 1);
    assert_int_equal(w.asked, n);
    if (ret != NULL)
        *ret = w.why;
    jr_remover_free(r);
    jr_scripted_api_free(api);
    jr_loop_free(env.loop);
}

static void test_order(void **state)
{
    static const struct jr_remover_options o = {
        .configuration = "jobreeve", .namespace = "ns", .deployment = "hook", .secret = "tls"
    };
    static const struct line script[] = {
        { "DELETE", ADMISSION "mutatingwebhookconfigurations/jobreeve", 200, "{}" },
        { "DELETE", ADMISSION "mutatingwebhookconfigurations/jobreeve", 404, "" },
        { "DELETE", ADMISSION "validatingwebhookconfigurations/jobreeve", 200, "{}" },
        { "DELETE", ADMISSION "validatingwebhookconfigurations/jobreeve", 404, "" },
        { "PATCH", DEPLOYMENT "/scale", 200, "{\"status\":{\"selector\":\"a=b\"}}" },
        { "GET", DEPLOYMENT, 200,
          "{\"metadata\":{\"generation\":2},\"spec\":{\"replicas\":0},\"status\":{"
          "\"observedGeneration\":1}}" },
        { "GET", DEPLOYMENT, 200,
          "{\"metadata\":{\"generation\":2},\"spec\":{\"replicas\":0},\"status\":{"
          "\"observedGeneration\":2}}" },
        { "GET", "/api/v1/namespaces/ns/pods?", 200, "{\"items\":[]}" },
        { "DELETE", "/api/v1/namespaces/ns/secrets/tls", 200, "{}" },
        { "DELETE", "/api/v1/namespaces/ns/secrets/tls", 404, "" },
    };
    struct jr_error why;

    (void)state;
    check(&o, script, JR_ARRAY_SIZE(script), &why);
    assert_string_equal(why.path, "deployments/hook");
}

static void test_configurations_alone(void **state)
{
    static const struct jr_remover_options o = { .configuration = "jobreeve", .namespace = "ns" };
    static const struct line script[] = {
        { "DELETE", ADMISSION "mutatingwebhookconfigurations/jobreeve", 0, "" },
        { "DELETE", ADMISSION "mutatingwebhookconfigurations/jobreeve", 404, "" },
        { "DELETE", ADMISSION "validatingwebhookconfigurations/jobreeve", 200, "{}" },
        { "DELETE", ADMISSION "validatingwebhookconfigurations/jobreeve", 200, "{}" },
        { "DELETE", ADMISSION "validatingwebhookconfigurations/jobreeve", 404, "" },
    };
    struct jr_error why;

    (void)state;
    check(&o, script, JR_ARRAY_SIZE(script), &why);
    assert_non_null(strstr(why.path, "validatingwebhookconfigurations/jobreeve"));
    assert_non_null(strstr(why.msg, "finalizer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_configurations_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
