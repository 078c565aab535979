/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of Jobs into the cache: a server that has fallen behind changes nothing of a Job. */
#include "controller/intake/feed.h"
#include "tests/unit/controller/handlers_scene.h"

/** A feed of Jobs over a state. */
struct scene {
    struct jr_clock_virtual clock;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_state s;
    struct jr_feed feed;
    struct jr_informer_handler h;
};

static void on_changed(void *ctx)
{
    (void)ctx;
}

static void on_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    (void)ctx;
    (void)kind;
    (void)namespace;
}

static void scene_init(struct scene *x)
{
    *x = (struct scene){ .clock = { .wall = jr_time_s(1772366400), .mono = AT_S(1000) } };
    assert_int_equal(jr_loop_new_virtual(&x->clock, &x->loop, NULL), JR_OK);
    state_init(&x->s, &x->metrics);
    jr_store_split(x->s.store, &ALL_NAMESPACES, 1);
    x->feed = (struct jr_feed){ .kind = JR_STORE_JOBS,
                                .state = &x->s,
                                .loop = x->loop,
                                .on_changed = on_changed,
                                .on_listed = on_listed };
    x->h = jr_feed_handler(&x->feed);
}

static void scene_done(struct scene *x)
{
    state_done(&x->s, x->metrics);
    jr_loop_free(x->loop);
}

/** The Job "a", whose status differs from version to version. */
static void item(const struct scene *x, const char *uid, const char *version, const char *status)
{
    char text[512];

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"a\",\"uid\":\"%s\","
                   "\"resourceVersion\":\"%s\"},\"spec\":{\"parallelism\":1},\"status\":%s}",
                   uid, version, status);
    x->h.on_replace_item(x->h.ctx, jr_str(text));
}

#define ENDED                                                             \
    "{\"succeeded\":1,\"conditions\":[{\"type\":\"Complete\",\"status\":" \
    "\"True\"}]}"

/** Begins with a list of the Job, which has ended. */
static void scene_listed(struct scene *x)
{
    scene_init(x);
    x->h.on_replace_begin(x->h.ctx);
    item(x, "u", "20", ENDED);
    x->h.on_replace_end(x->h.ctx, JR_S("20"));
}

static void assert_cached(const struct scene *x, const char *uid, const char *version)
{
    const struct jr_job *job = jr_store_job(x->s.store, JR_S("ns"), JR_S("a"));

    assert_non_null(job);
    assert_true(jr_str_is(job->meta.uid, uid));
    assert_true(jr_str_is(job->meta.resource_version, version));
}

static double foreign(const struct scene *x)
{
    return jr_metrics_get(x->metrics, "jobreeve_job_status_foreign_writes_total", NULL);
}

/** A list that shows the Job as it was: its end stays known, and no list has missed it. */
static void test_an_older_state(void **state)
{
    struct scene x;

    (void)state;
    scene_listed(&x);
    x.h.on_replace_begin(x.h.ctx);
    item(&x, "u", "9", "{\"active\":1}");
    assert_cached(&x, "u", "20");
    assert_true(foreign(&x) == 0);
    x.h.on_replace_end(x.h.ctx, JR_S("21")); /* of other Jobs it was new */
    assert_cached(&x, "u", "20");
    x.h.on_replace_begin(x.h.ctx);
    item(&x, "u", "100", "{\"active\":1}"); /* versions are numbers */
    assert_cached(&x, "u", "100");
    assert_true(foreign(&x) == 1);
    scene_done(&x);
}

/** Another Job of that name is another Job, whatever its version. */
static void test_another_uid(void **state)
{
    struct scene x;

    (void)state;
    scene_listed(&x);
    x.h.on_replace_begin(x.h.ctx);
    item(&x, "v", "9", "{}");
    assert_cached(&x, "v", "9");
    scene_done(&x);
}

/** A server that was restored from a backup counts, in the list that the informer says so of. */
static void test_restored(void **state)
{
    struct scene x;

    (void)state;
    scene_listed(&x);
    x.h.on_replace_begin(x.h.ctx);
    x.h.on_restored(x.h.ctx);
    item(&x, "u", "12", "{\"active\":1}");
    assert_cached(&x, "u", "12");
    x.h.on_replace_end(x.h.ctx, JR_S("12"));
    x.h.on_replace_begin(x.h.ctx);
    item(&x, "u", "9", "{}");
    assert_cached(&x, "u", "12");
    scene_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_older_state),
        cmocka_unit_test(test_another_uid),
        cmocka_unit_test(test_restored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
