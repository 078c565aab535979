/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for their Namespace. Where as many are read already as may be at once, one
 * more goes on without it; who still waits at the end goes on then. libmicrohttpd's part is played.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "tests/support/scripted_api.h"
#include "webhook/net/namespace_wait.h"

#define AT_ONCE 64
#define ALL (AT_ONCE + 1)

/* A connection is the place of one of these. */
static struct request {
    struct jr_namespace_waiter waiter;
    char name[16];
    unsigned suspended, resumed;
} requests[ALL];
static unsigned n_resumed;
static struct jr_loop *stopped_by_one;

void MHD_suspend_connection(struct MHD_Connection *connection)
{
    ((struct request *)connection)->suspended++;
}

void MHD_resume_connection(struct MHD_Connection *connection)
{
    ((struct request *)connection)->resumed++;
    n_resumed++;
    if (stopped_by_one != NULL)
        jr_loop_stop(stopped_by_one);
}

static struct jr_scripted_answer never(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    (void)ctx;
    (void)n;
    (void)call;
    return (struct jr_scripted_answer){ .never = true };
}

static void on_too_late(void *ctx)
{
    (void)ctx;
    fail_msg("nobody went on");
}

static void one_too_many(void **state)
{
    struct jr_namespaces *table = jr_namespaces_new();
    struct jr_rand_seeded seed;
    struct jr_env env = { .rand = jr_rand_of_seed(&seed, 3) };
    struct jr_namespace_lookups *lookups;
    struct jr_namespace_wait wait;
    struct jr_scripted_api *api;
    struct jr_timer *late = NULL;

    (void)state;
    assert_int_equal(jr_loop_new(&jr_clock_system, &env.loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(env.loop, never, NULL, &api), JR_OK);
    env.transport = jr_scripted_transport(api);
    lookups = jr_namespace_lookups_new(&env, table, NULL);
    assert_int_equal(jr_namespace_wait_init(&wait, env.loop, lookups, NULL), JR_OK);
    for (size_t i = 0; i < ALL; i++) {
        struct request *r = &requests[i];

        (void)snprintf(r->name, sizeof(r->name), "ns-%zu", i);
        assert_true(jr_namespace_wait_add(&wait, &r->waiter, (struct MHD_Connection *)(void *)r,
                                          jr_str(r->name)));
        assert_int_equal(r->suspended, 1);
    }
    stopped_by_one = env.loop;
    jr_xloop_after(env.loop, 60 * JR_SEC, on_too_late, NULL, &late);
    assert_int_equal(jr_loop_run(env.loop, NULL), JR_OK);
    stopped_by_one = NULL;
    assert_int_equal(n_resumed, 1);
    assert_int_equal(requests[AT_ONCE].resumed, 1);
    jr_timer_cancel(env.loop, &late);
    jr_namespace_lookups_free(lookups);
    jr_namespace_wait_close(&wait);
    for (size_t i = 0; i < ALL; i++)
        assert_int_equal(requests[i].resumed, 1);
    assert_false(jr_namespace_wait_add(&wait, &requests[0].waiter,
                                       (struct MHD_Connection *)(void *)&requests[0],
                                       jr_str(requests[0].name)));
    assert_int_equal(requests[0].suspended, 1);
    jr_namespace_wait_done(&wait);
    jr_scripted_api_free(api);
    jr_namespaces_free(table);
    jr_loop_free(env.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_too_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
