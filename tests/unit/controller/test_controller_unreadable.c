/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that can't be read: what is told of them, and that the others and the cache go on. */
#include "controller/explain.h"
#include "controller/intake/feed.h"
#include "tests/unit/controller/handlers_scene.h"

/** A feed of each kind over one state, and what its log said. */
struct scene {
    struct jr_clock_virtual clock;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_state s;
    struct jr_feed feeds[2];
    struct jr_informer_handler h[2];
    unsigned version;
    int listed;
};

static void on_changed(void *ctx)
{
    (void)ctx;
}

static void on_listed(void *ctx, enum jr_store_kind kind, struct jr_str namespace)
{
    struct scene *x = ctx;

    (void)kind;
    (void)namespace;
    x->listed++;
}

static void scene_init(struct scene *x)
{
    *x = (struct scene){ .clock = { .wall = jr_time_s(1772366400), .mono = AT_S(1000) } };
    assert_int_equal(jr_loop_new_virtual(&x->clock, &x->loop, NULL), JR_OK);
    state_init(&x->s, &x->metrics);
    jr_store_split(x->s.store, &ALL_NAMESPACES, 1);
    for (int kind = JR_STORE_JOBS; kind <= JR_STORE_PODS; kind++) {
        x->feeds[kind] = (struct jr_feed){ .kind = (enum jr_store_kind)kind,
                                           .state = &x->s,
                                           .loop = x->loop,
                                           .on_changed = on_changed,
                                           .on_listed = on_listed,
                                           .ctx = x };
        x->h[kind] = jr_feed_handler(&x->feeds[kind]);
    }
}

static void scene_done(struct scene *x)
{
    state_done(&x->s, x->metrics);
    jr_loop_free(x->loop);
}

#define JOB_OF(name, parallelism)                                                 \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"u-" name \
    "\",\"resourceVersion\":\"%u\"},\"spec\":{\"parallelism\":" parallelism       \
    ",\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u-" name "\"}}}}"
#define POD_OF(name, uid, job, restarts)                                                        \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"" name "\",\"uid\":\"" uid                  \
    "\",\"resourceVersion\":\"%u\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u-" job \
    "\"},\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"" job    \
    "\",\"uid\":\"u-" job "\",\"controller\":true}],\"finalizers\":[\"" FINALIZER               \
    "\"]},\"status\":{"                                                                         \
    "\"phase\":\"Running\",\"containerStatuses\":[{\"restartCount\":" restarts "}]}}"
#define BAD_JOB(name) JOB_OF(name, "\"many\"")
#define GOOD_JOB(name) JOB_OF(name, "1")
#define BAD_POD(name, uid, job) POD_OF(name, uid, job, "99999999999")
#define GOOD_POD(name, uid, job) POD_OF(name, uid, job, "1")

static const char *text_of(char *out, size_t cap, const char *format, unsigned version)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(out, cap, format, version);
#pragma GCC diagnostic pop
    return out;
}

static void tell(struct scene *x, enum jr_store_kind kind, enum jr_event_type type,
                 const char *object)
{
    char text[2048];

    x->h[kind].on_event(&x->feeds[kind], type,
                        jr_str(text_of(text, sizeof(text), object, ++x->version)));
}

/** A whole list, with each object in the version that it had before: none of them is new. */
static void list(struct scene *x, enum jr_store_kind kind, const char *const *objects)
{
    char text[2048];
    int listed = x->listed;

    x->h[kind].on_replace_begin(&x->feeds[kind]);
    for (; *objects != NULL; objects++)
        x->h[kind].on_replace_item(&x->feeds[kind],
                                   jr_str(text_of(text, sizeof(text), *objects, x->version)));
    x->h[kind].on_replace_end(&x->feeds[kind], JR_S("99"));
    assert_int_equal(x->listed, listed + 1);
}
#define LIST(x, kind, ...) list(x, kind, (const char *const[]){ __VA_ARGS__, NULL })

static double metric(const struct scene *x, const char *name, const char *resource)
{
    return jr_metrics_get(x->metrics, name, &resource);
}
#define TOTAL(x, resource) ((int)metric(x, "jobreeve_unreadable_objects_total", resource))
#define STANDING(x, resource) ((int)metric(x, "jobreeve_unreadable_objects", resource))

static bool has_job(const struct scene *x, const char *name)
{
    return jr_store_job(x->s.store, JR_S("ns"), jr_str(name)) != NULL;
}

static const struct jr_pod *pod(const struct scene *x, const char *name)
{
    return jr_store_pod(x->s.store, JR_S("ns"), jr_str(name));
}

static bool held(const struct scene *x, const char *name, const char *uid)
{
    const struct jr_object_key key = key_of(name, uid);

    return jr_unreadables_hold(x->s.unreadables, &key);
}

/** A list with a bad one among the others: they are taken in, what is gone is swept, and the bad
 * one is told of once, however often it is listed. */
static void test_a_list(void **state)
{
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_PODS, GOOD_POD("p1", "1", "a"), GOOD_POD("p2", "2", "b"));
    assert_int_equal(TOTAL(&x, "pods"), 0);
    for (int i = 0; i < 3; i++) {
        LIST(&x, JR_STORE_PODS, BAD_POD("bad", "9", "a"), GOOD_POD("p3", "3", "b"));
        assert_null(pod(&x, "p1")); /* swept, whatever stands beside it */
        assert_null(pod(&x, "p2"));
        assert_non_null(pod(&x, "p3"));
        assert_null(pod(&x, "bad"));
        assert_int_equal(TOTAL(&x, "pods"), 1);
        assert_int_equal(STANDING(&x, "pods"), 1);
        assert_int_equal(STANDING(&x, "jobs"), 0);
    }
    x.version++; /* a new version of it is told of again */
    LIST(&x, JR_STORE_PODS, BAD_POD("bad", "9", "a"), "{\"metadata\":{\"uid\":\"%u\"}}", "null",
         "7");
    assert_null(pod(&x, "p3"));
    assert_int_equal(TOTAL(&x, "pods"), 3);
    assert_int_equal(STANDING(&x, "pods"), 2); /* those without a name are one */
    LIST(&x, JR_STORE_PODS, GOOD_POD("bad", "9", "a"));
    assert_int_equal(STANDING(&x, "pods"), 0);
    assert_non_null(pod(&x, "bad"));
    assert_int_equal(TOTAL(&x, "pods"), 3);
    scene_done(&x);
}

/** What was known of an object stays, through events and lists, until it is gone. */
static void test_one_that_was_known(void **state)
{
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"), GOOD_JOB("b"));
    LIST(&x, JR_STORE_PODS, GOOD_POD("p1", "1", "a"), GOOD_POD("p2", "2", "b"));
    tell(&x, JR_STORE_PODS, JR_EV_MODIFIED, BAD_POD("p1", "1", "a"));
    tell(&x, JR_STORE_JOBS, JR_EV_MODIFIED, BAD_JOB("b"));
    LIST(&x, JR_STORE_PODS, BAD_POD("p1", "1", "a"), GOOD_POD("p2", "2", "b"));
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"), BAD_JOB("b"));
    assert_true(has_job(&x, "a") && has_job(&x, "b"));
    assert_non_null(pod(&x, "p1"));
    assert_false(held(&x, "a", "u-a")); /* its Pod is known, if only from before */
    assert_true(held(&x, "b", "u-b"));  /* the Job's own text is not */
    assert_false(held(&x, "c", "u-c"));
    LIST(&x, JR_STORE_PODS, GOOD_POD("p2", "2", "b"));
    assert_null(pod(&x, "p1"));
    tell(&x, JR_STORE_JOBS, JR_EV_DELETED, BAD_JOB("b"));
    assert_false(has_job(&x, "b"));
    assert_int_equal(STANDING(&x, "pods") + STANDING(&x, "jobs"), 0);
    assert_false(held(&x, "b", "u-b"));
    scene_done(&x);
}

/** Another of its name: what was known is gone. */
static void test_another_of_its_name(void **state)
{
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"));
    LIST(&x, JR_STORE_PODS, GOOD_POD("p1", "1", "a"), GOOD_POD("p2", "2", "a"));
    tell(&x, JR_STORE_PODS, JR_EV_ADDED, BAD_POD("p1", "7", "a"));
    assert_null(pod(&x, "p1"));
    LIST(&x, JR_STORE_PODS, BAD_POD("p2", "8", "a"), BAD_POD("p1", "7", "a"));
    assert_null(pod(&x, "p2"));
    assert_true(held(&x, "a", "u-a"));
    tell(&x, JR_STORE_PODS, JR_EV_DELETED, BAD_POD("p1", "7", "a"));
    assert_true(held(&x, "a", "u-a"));
    tell(&x, JR_STORE_PODS, JR_EV_DELETED, BAD_POD("p2", "8", "a"));
    assert_false(held(&x, "a", "u-a"));
    scene_done(&x);
}

/** A Pod that was never known holds up its Job, which would make another in its place; the Job goes
 * on when the Pod can be read, or is gone. */
static void test_a_hidden_pod(void **state)
{
    struct jr_str key;
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"), GOOD_JOB("b"));
    LIST(&x, JR_STORE_PODS, BAD_POD("p1", "1", "a"), BAD_POD("p2", "2", "b"),
         GOOD_POD("p3", "3", "b"));
    assert_true(held(&x, "a", "u-a") && held(&x, "b", "u-b"));
    assert_false(held(&x, "a", "u-other")); /* not a Job that has taken its name */
    drain(&x.s);
    assert_int_equal(jr_queue_get(x.s.jobs, now.mono, &key), JR_NOTFOUND);
    LIST(&x, JR_STORE_PODS, BAD_POD("p1", "1", "a"), GOOD_POD("p3", "3", "b"));
    assert_true(held(&x, "a", "u-a"));
    assert_false(held(&x, "b", "u-b"));
    assert_int_equal(jr_queue_get(x.s.jobs, now.mono, &key), JR_OK);
    assert_true(jr_str_is(key, "ns/b"));
    jr_queue_done(x.s.jobs, key, now.mono);
    tell(&x, JR_STORE_PODS, JR_EV_MODIFIED, GOOD_POD("p1", "1", "a"));
    assert_false(held(&x, "a", "u-a"));
    assert_int_equal(jr_queue_get(x.s.jobs, now.mono, &key), JR_OK);
    assert_true(jr_str_is(key, "ns/a"));
    scene_done(&x);
}

/** The Pods of a Job that is there and was never known are not nobody's. */
static void test_pods_of_a_hidden_job(void **state)
{
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, BAD_JOB("a"));
    LIST(&x, JR_STORE_PODS, GOOD_POD("p1", "1", "a"), GOOD_POD("p2", "2", "none"));
    assert_false(jr_orphans_is_target(&x.s, pod(&x, "p1")));
    assert_true(jr_orphans_is_target(&x.s, pod(&x, "p2")));
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("b"));
    assert_true(jr_orphans_is_target(&x.s, pod(&x, "p1")));
    scene_done(&x);
}

/** What is no event names what it is about, as far as it does. */
static void test_lines(void **state)
{
    const struct jr_error why = { .status = JR_LIMIT, .msg = "too long" };
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"));
    x.h[JR_STORE_JOBS].on_unread(&x.feeds[JR_STORE_JOBS],
                                 JR_S("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":"
                                      "\"a\",\"namespace\":\"ns\",\"uid\":\"u-a\",\"labels\":{\"x"),
                                 &why);
    assert_true(held(&x, "a", "u-a"));
    assert_true(has_job(&x, "a"));
    tell(&x, JR_STORE_JOBS, JR_EV_MODIFIED, GOOD_JOB("a"));
    assert_false(held(&x, "a", "u-a"));
    scene_done(&x);
}

static void test_explained(void **state)
{
    static const struct {
        const char *key, *want, *fact;
    } rows[] = {
        { "ns/a",
          "its Pod p1 can't be read, and it is left alone until it can be: "
          "status.containerStatuses[0].restartCount: cannot unmarshal number 99999999999 "
          "into int32; it waits for a worker",
          "\"unreadable\":[{\"resource\":\"pods\",\"name\":\"p1\",\"uid\":\"1\","
          "\"resourceVersion\":\"0\",\"hidden\":true,\"why\":\"status.containerStatuses" },
        { "ns/b",
          "it can't be read, and is left alone until it can be: spec.parallelism: cannot "
          "unmarshal string into int32",
          "\"unreadable\":[{\"resource\":\"jobs\",\"name\":\"b\",\"uid\":\"u-b\","
          "\"resourceVersion\":\"0\",\"hidden\":true,\"why\":\"spec.parallelism" },
        { "ns/c",
          "its Pod p2 can't be read, and is taken for what it was before: "
          "status.containerStatuses[0].restartCount: cannot unmarshal number 99999999999 "
          "into int32; it waits for a worker",
          "\"unreadable\":[{\"resource\":\"pods\",\"name\":\"p2\",\"uid\":\"2\","
          "\"resourceVersion\":\"0\",\"hidden\":false,\"why\":\"status." },
        { "ns/none", "no such Job is in the cache", "\"unreadable\":[]" },
    };
    struct scene x;

    (void)state;
    scene_init(&x);
    LIST(&x, JR_STORE_JOBS, GOOD_JOB("a"), BAD_JOB("b"), GOOD_JOB("c"));
    LIST(&x, JR_STORE_PODS, GOOD_POD("p2", "2", "c"));
    LIST(&x, JR_STORE_PODS, BAD_POD("p1", "1", "a"), BAD_POD("p2", "2", "c"));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF out = { 0 };
        JR_BUF all = { 0 };

        jr_buf_init(&out, 65536);
        jr_buf_init(&all, 65536);
        jr_explain_why(&x.s, NULL, jr_str(rows[i].key), now, &out);
        assert_int_equal(out.failed, JR_OK);
        if (!jr_str_is(jr_buf_str(&out), rows[i].want))
            fail_msg("%s: %s", rows[i].key, out.p);
        jr_explain_job(&x.s, NULL, jr_str(rows[i].key), now, &all);
        assert_int_equal(all.failed, JR_OK);
        if (strstr(all.p, rows[i].fact) == NULL)
            fail_msg("%s: %s", rows[i].key, all.p);
    }
    scene_done(&x);
}

/** The series are there before anything is wrong: an alert sees them rise. */
static void test_declared(void **state)
{
    struct scene x;
    JR_BUF out = { 0 };

    (void)state;
    scene_init(&x);
    jr_buf_init(&out, 1 << 20);
    jr_unreadables_declare(x.s.unreadables, "pods");
    assert_int_equal(jr_metrics_render(x.metrics, &out), JR_OK);
    assert_non_null(strstr(out.p, "jobreeve_unreadable_objects{resource=\"pods\"} 0\n"));
    assert_non_null(strstr(out.p, "jobreeve_unreadable_objects_total{resource=\"pods\"} 0\n"));
    scene_done(&x);
}

/** More than are remembered: they are counted, and nothing grows. */
static void test_a_flood(void **state)
{
    struct scene x;

    (void)state;
    scene_init(&x);
    for (int round = 0; round < 2; round++) {
        x.h[JR_STORE_PODS].on_replace_begin(&x.feeds[JR_STORE_PODS]);
        for (int i = 0; i < JR_UNREADABLE_MAX + 500; i++) {
            char text[200];

            (void)snprintf(text, sizeof(text),
                           "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"p%d\",\"uid\":\"u%d\"},"
                           "\"status\":7}",
                           (i * 7919) % (JR_UNREADABLE_MAX + 500), i);
            x.h[JR_STORE_PODS].on_replace_item(&x.feeds[JR_STORE_PODS], jr_str(text));
        }
        x.h[JR_STORE_PODS].on_replace_end(&x.feeds[JR_STORE_PODS], JR_S("9"));
        assert_int_equal(STANDING(&x, "pods"), JR_UNREADABLE_MAX);
        assert_int_equal(TOTAL(&x, "pods"), JR_UNREADABLE_MAX + 500 * (round + 1));
    }
    list(&x, JR_STORE_PODS, (const char *const[]){ NULL });
    assert_int_equal(STANDING(&x, "pods"), 0);
    scene_done(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_list),
        cmocka_unit_test(test_one_that_was_known),
        cmocka_unit_test(test_another_of_its_name),
        cmocka_unit_test(test_a_hidden_pod),
        cmocka_unit_test(test_pods_of_a_hidden_job),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_explained),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_a_flood),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
