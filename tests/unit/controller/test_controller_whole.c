/* The whole controller over a small API: from the first list to the last event, with lost answers,
 * lost leadership and a process that stood still. */
#include "controller/controller.h"
#include "tests/support/failalloc.h"
#include "tests/support/scripted_api.h"
#include "tests/unit/controller/controller_test.h"

#define JOBS "/apis/batch/v1/jobs"
#define PODS "/api/v1/pods"
#define LEASE "/apis/coordination.k8s.io/v1/namespaces/sys/leases/jobreeve"
#define JOB                                                                                   \
    "{\"apiVersion\":\"batch/"                                                                \
    "v1\",\"kind\":\"Job\",\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\","                \
    "\"uid\":\"u1\",\"resourceVersion\":\"5\",\"generation\":1},\"spec\":{\"parallelism\":2," \
    "\"completions\":2,\"backoffLimit\":6,\"completionMode\":\"NonIndexed\",\"selector\":{"   \
    "\"matchLabels\":{\"batch.kubernetes.io/"                                                 \
    "controller-uid\":\"u1\"}},\"template\":{\"metadata\":{"                                  \
    "\"labels\":{\"batch.kubernetes.io/"                                                      \
    "controller-uid\":\"u1\"}},\"spec\":{\"restartPolicy\":\"Never\","                        \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}"

enum create { CREATE_OK, CREATE_LOST, CREATE_HANGS };

struct world {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_loop *loop;
    struct jr_scripted_api *api;
    struct jr_metrics *metrics;
    struct jr_controller *c;
    int ended; /* how often on_end was called */
    int code;
    const char *jobs; /* items of the lists */
    char pods[4096];
    enum create create;
    bool happens;       /* what is lost happens all the same */
    const char *holder; /* of the Lease; NULL: there is none */
    char taken[128];    /* by whom it was taken */
    bool lease_fails;
    unsigned version;
    char text[8192];
};

/* ---- the API ---- */

/** The text of a Pod of the Job. */
static const char *pod_text(char *out, size_t cap, const char *name, const char *phase,
                            bool finalizer, unsigned version)
{
    (void)snprintf(
        out, cap,
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":"
        "\"%u\",\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"},"
        "\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\","
        "\"uid\":\"u1\",\"controller\":true}]%s},\"status\":{\"phase\":\"%s\"}}",
        name, name, version,
        finalizer ? ",\"finalizers\":[\"batch.kubernetes.io/job-tracking\"]" : "", phase);
    return out;
}

static bool has(struct jr_str s, const char *part)
{
    return s.n > 0 && memmem(s.p, s.n, part, strlen(part)) != NULL;
}

static struct jr_scripted_answer list(struct world *w, const struct jr_scripted_call *call,
                                      const char *items)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };

    if (has(call->path, "watch=")) {
        a.stream = true;
        return a;
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"resourceVersion\":\"%u\"},\"items\":[%s]}", w->version++,
                   items);
    a.body = jr_str(w->text);
    return a;
}

static struct jr_scripted_answer on_lease(struct world *w, const struct jr_scripted_call *call)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };
    const char *holder;

    if (w->lease_fails)
        return (struct jr_scripted_answer){ .outcome = JR_HTTP_NOT_SENT };
    if (!jr_str_is(call->method, "GET")) { /* what is written is from now on what is there */
        holder = memmem(call->body.p, call->body.n, "\"holderIdentity\":\"", 18);
        assert_non_null(holder);
        (void)snprintf(w->taken, sizeof(w->taken), "%.*s", (int)strcspn(holder + 18, "\""),
                       holder + 18);
        w->holder = w->taken;
    }
    if (w->holder == NULL) {
        a.status = 404;
        return a;
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"name\":\"jobreeve\",\"resourceVersion\":\"%u\"},\"spec\":{"
                   "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":15,\"leaseTransitions\":1}}",
                   w->version++, w->holder);
    a.body = jr_str(w->text);
    return a;
}

static struct jr_scripted_answer on_create(struct world *w)
{
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 201 };

    a.never = w->create == CREATE_HANGS;
    if (w->create == CREATE_LOST) { /* once */
        w->create = CREATE_OK;
        a.outcome = JR_HTTP_AMBIGUOUS;
        if (w->happens)
            (void)pod_text(w->pods, sizeof(w->pods), "p1", "Running", true, w->version++);
    }
    (void)snprintf(w->text, sizeof(w->text),
                   "{\"metadata\":{\"name\":\"new\",\"uid\":\"new\",\"resourceVersion\":\"%u\"}}",
                   w->version);
    a.body = jr_str(w->text);
    return a;
}

static struct jr_scripted_answer answer(void *ctx, size_t n, const struct jr_scripted_call *call)
{
    struct world *w = ctx;
    struct jr_scripted_answer a = { .outcome = JR_HTTP_DONE, .status = 200 };

    (void)n;
    if (jr_str_starts(call->path, JR_S(JOBS "?")))
        return list(w, call, w->jobs);
    if (jr_str_starts(call->path, JR_S(PODS "?")))
        return list(w, call, w->pods);
    if (has(call->path, "/leases"))
        return on_lease(w, call);
    if (jr_str_is(call->method, "POST") && jr_str_ends(call->path, JR_S("/pods")))
        return on_create(w);
    if (jr_str_is(call->method, "PUT"))
        a.body = call->body;
    else if (jr_str_is(call->method, "POST"))
        a.status = 201;
    return a;
}

/* ---- the world ---- */

static void on_end(void *ctx, int code)
{
    struct world *w = ctx;

    w->ended++;
    w->code = code;
}

static void world_init(struct world *w, bool elect)
{
    const struct jr_controller_handler h = { on_end, w };
    struct jr_controller_options o = { .reconcile = jr_reconcile_options_default(),
                                       .leader_elect = elect,
                                       .election = { .namespace = "sys",
                                                     .name = "jobreeve",
                                                     .identity = "me",
                                                     .lease_duration_ms = 15000,
                                                     .renew_deadline_ms = 10000,
                                                     .retry_period_ms = 2000,
                                                     .release_on_stop = true },
                                       .paged_lists = true };
    struct jr_error err = { 0 };
    struct jr_env env;

    *w = (struct world){ .jobs = JOB, .version = 100 };
    w->clock.wall = jr_time_s(1772366400);
    w->clock.mono = AT_S(1000);
    assert_int_equal(jr_loop_new_virtual(&w->clock, &w->loop, NULL), JR_OK);
    assert_int_equal(jr_scripted_api_new(w->loop, answer, w, &w->api), JR_OK);
    assert_int_equal(jr_metrics_new(&w->metrics), JR_OK);
    env = (struct jr_env){ w->loop, jr_rand_of_seed(&w->seed, 1), jr_scripted_transport(w->api) };
    if (jr_controller_new(&env, &o, &h, NULL, w->metrics, &w->c, &err) != JR_OK)
        fail_msg("controller: %s", err.msg);
}

static void world_start(struct world *w)
{
    assert_int_equal(jr_controller_start(w->c, NULL), JR_OK);
}

static void world_done(struct world *w)
{
    jr_controller_free(w->c);
    jr_scripted_api_free(w->api);
    jr_loop_free(w->loop);
    jr_metrics_free(w->metrics);
}

/** Lets so much time pass. */
static void pass(struct world *w, double s)
{
    int64_t until = w->clock.mono.ns + (int64_t)(s * (double)JR_SEC);
    bool idle;

    while (w->clock.mono.ns < until)
        assert_int_equal(jr_loop_turn(w->loop, until - w->clock.mono.ns, &idle, NULL), JR_OK);
}

/** Calls whose method and path are these; path: its beginning, up to the query. */
static size_t calls(const struct world *w, const char *method, const char *path)
{
    size_t n = 0;

    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        n += jr_str_is(c->method, method) && jr_str_starts(c->path, jr_str(path));
    }
    return n;
}

static size_t creates(const struct world *w)
{
    return calls(w, "POST", "/api/v1/namespaces/ns/pods");
}

static size_t puts_seen(const struct world *w)
{
    return calls(w, "PUT", "/apis/batch/v1/namespaces/ns/jobs/j/status");
}

static void push_pod(struct world *w, const char *type, const char *name, const char *phase,
                     bool finalizer)
{
    char pod[2048], frame[4096];

    (void)snprintf(frame, sizeof(frame), "{\"type\":\"%s\",\"object\":%s}\n", type,
                   pod_text(pod, sizeof(pod), name, phase, finalizer, w->version++));
    assert_int_equal(jr_scripted_push(w->api, PODS, jr_str(frame)), 1);
}

/* ---- tests ---- */

/** From nothing to two Pods, and on to the end. */
static void test_a_job(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    assert_false(jr_controller_ready(w.c));
    pass(&w, 0.5);
    assert_true(jr_controller_ready(w.c));
    assert_true(jr_controller_working(w.c));
    assert_int_equal(creates(&w), 2);
    assert_int_equal(puts_seen(&w), 1);
    pass(&w, 0.5);
    assert_true(calls(&w, "POST", "/api/v1/namespaces/ns/events") >= 1);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    pass(&w, 2);
    assert_int_equal(creates(&w), 2);
    push_pod(&w, "MODIFIED", "p1", "Succeeded", true);
    push_pod(&w, "MODIFIED", "p2", "Succeeded", true);
    pass(&w, 0.9); /* events are gathered for a second */
    assert_int_equal(calls(&w, "PATCH", "/api/v1/namespaces/ns/pods/"), 0);
    pass(&w, 1.1);
    assert_int_equal(calls(&w, "PATCH", "/api/v1/namespaces/ns/pods/"), 2);
    assert_true(puts_seen(&w) >= 3);
    assert_int_equal(creates(&w), 2);
    jr_controller_measure(w.c);
    world_done(&w);
}

/** Nothing is done before both lists are complete. */
static void test_both_caches_first(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    (void)snprintf(w.pods, sizeof(w.pods), "this is no list");
    world_start(&w);
    pass(&w, 5);
    assert_false(jr_controller_ready(w.c));
    assert_int_equal(creates(&w), 0);
    w.pods[0] = '\0';
    pass(&w, 60);
    assert_true(jr_controller_ready(w.c));
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

/** A creation without an answer: no other one until a list has shown what came of it. */
static void in_doubt(bool happened)
{
    struct world w;

    world_init(&w, false);
    w.create = CREATE_LOST;
    w.happens = happened;
    world_start(&w);
    pass(&w, 30);
    assert_int_equal(calls(&w, "GET", PODS "?limit"), 2);
    /* The first batch is one Pod. */
    assert_int_equal(creates(&w), happened ? 2 : 3);
    world_done(&w);
}

static void test_doubt_happened(void **state)
{
    (void)state;
    in_doubt(true);
}

static void test_doubt_did_not_happen(void **state)
{
    (void)state;
    in_doubt(false);
}

/** A Pod that was made and never seen, as another took it at once: the Job is looked at when it is
 * no longer expected. */
static void test_pod_never_seen(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    world_start(&w);
    pass(&w, 0.5);
    assert_int_equal(creates(&w), 2);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    pass(&w, 250);
    assert_int_equal(creates(&w), 2);
    pass(&w, 60);
    assert_int_equal(creates(&w), 3);
    world_done(&w);
}

/** Lists are made only by who leads; who stands by is ready. */
static void test_stands_by(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    w.holder = "another";
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_ready(w.c));
    assert_false(jr_controller_working(w.c));
    assert_int_equal(calls(&w, "GET", JOBS), 0);
    pass(&w, 30); /* the other does not renew */
    assert_true(jr_controller_working(w.c));
    assert_string_equal(w.taken, "me");
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

static void test_lease_lost(void **state)
{
    struct world w;
    size_t n;

    (void)state;
    world_init(&w, true);
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_working(w.c));
    w.lease_fails = true;
    pass(&w, 20);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 1);
    assert_false(jr_controller_ready(w.c));
    n = jr_scripted_count(w.api);
    pass(&w, 60);
    assert_int_equal(jr_scripted_count(w.api), n);
    assert_int_equal(w.ended, 1);
    world_done(&w);
}

/** A process that was stopped for a while writes nothing until it has read the Lease again. */
static void test_stood_still(void **state)
{
    struct world w;
    size_t before, writes;

    (void)state;
    world_init(&w, true);
    w.jobs = "";
    world_start(&w);
    pass(&w, 5);
    assert_true(jr_controller_working(w.c));
    w.version = 200;
    assert_int_equal(
        jr_scripted_push(w.api, JOBS, JR_S("{\"type\":\"ADDED\",\"object\":" JOB "}\n")), 1);
    before = jr_scripted_count(w.api);
    jr_clock_virtual_advance(&w.clock, 5 * JR_SEC); /* less than the Lease's time */
    w.lease_fails = true;
    pass(&w, 1);
    writes = creates(&w) + puts_seen(&w);
    assert_int_equal(writes, 0);
    assert_true(jr_scripted_count(w.api) > before); /* it asks for the Lease */
    w.lease_fails = false;
    pass(&w, 20);
    assert_int_equal(w.ended, 0);
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

/** A stop waits for what is under way, sends the events, gives the Lease back. */
static void test_stop(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    world_start(&w);
    pass(&w, 2);
    jr_controller_stop(w.c);
    jr_controller_stop(w.c);
    assert_false(jr_controller_ready(w.c));
    pass(&w, 2);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 0);
    assert_string_equal(w.taken, ""); /* the Lease is free */
    world_done(&w);
}

static void test_stop_in_the_middle(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.create = CREATE_HANGS;
    world_start(&w);
    pass(&w, 2);
    assert_int_equal(creates(&w), 1);
    jr_controller_stop(w.c);
    pass(&w, 9);
    assert_int_equal(w.ended, 0); /* it may still come to its end */
    pass(&w, 2);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 0);
    world_done(&w);
}

static void test_stop_while_standing_by(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, true);
    w.holder = "another";
    world_start(&w);
    pass(&w, 2);
    jr_controller_stop(w.c);
    pass(&w, 1);
    assert_int_equal(w.ended, 1);
    assert_int_equal(w.code, 0);
    assert_string_equal(w.holder, "another");
    world_done(&w);
}

/** Freed at any moment, as a crash would end it: nothing leaks, nothing is called. */
static void test_crashes(void **state)
{
    (void)state;
    for (int ms = 0; ms < 40; ms++) {
        struct world w;

        world_init(&w, true);
        world_start(&w);
        for (int turn = 0; turn < ms; turn++)
            assert_int_equal(jr_loop_turn(w.loop, 10 * JR_MSEC, &(bool){ false }, NULL), JR_OK);
        world_done(&w);
        assert_int_equal(w.ended, 0);
    }
}

/** An object that can't be read is not taken for gone, and holds nothing else up. */
static void test_unreadable_object(void **state)
{
    struct world w;

    (void)state;
    world_init(&w, false);
    w.jobs = "{\"metadata\":{\"name\":7}}," JOB;
    world_start(&w);
    pass(&w, 2);
    assert_true(jr_controller_ready(w.c));
    assert_int_equal(creates(&w), 2);
    world_done(&w);
}

/** Whatever allocation fails: the controller goes on, or ends and says so; nothing leaks. */
static void test_no_memory(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        struct world w;
        bool hit, idle;

        world_init(&w, true);
        w.create = CREATE_LOST;
        w.happens = true;
        jr_failalloc_arm(n);
        if (jr_controller_start(w.c, NULL) == JR_OK) {
            for (int turn = 0; turn < 60 && w.ended == 0; turn++)
                (void)!jr_loop_turn(w.loop, JR_SEC / 4, &idle, NULL);
            jr_controller_stop(w.c);
            for (int turn = 0; turn < 60 && w.ended == 0; turn++)
                (void)!jr_loop_turn(w.loop, JR_SEC / 4, &idle, NULL);
        }
        jr_failalloc_disarm();
        hit = jr_failalloc_hit();
        assert_true(hit || (w.ended == 1 && w.code == 0));
        world_done(&w);
        assert_true(hit || n > 200);
        if (!hit)
            break;
    }
}

static void test_no_memory_to_begin(void **state)
{
    const struct jr_controller_options o = { .reconcile = jr_reconcile_options_default() };
    const struct jr_controller_handler h = { on_end, NULL };
    struct world w;

    (void)state;
    world_init(&w, false);
    for (long n = 1;; n++) {
        const struct jr_env env = { w.loop, jr_rand_of_seed(&w.seed, 1),
                                    jr_scripted_transport(w.api) };
        struct jr_controller *c = NULL;
        enum jr_status st;

        jr_failalloc_arm(n);
        st = jr_controller_new(&env, &o, &h, NULL, NULL, &c, NULL);
        jr_failalloc_disarm();
        if (st == JR_OK)
            jr_controller_free(c);
        if (!jr_failalloc_hit())
            break;
        assert_int_equal(st, JR_NOMEM);
    }
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_job),
        cmocka_unit_test(test_both_caches_first),
        cmocka_unit_test(test_doubt_happened),
        cmocka_unit_test(test_doubt_did_not_happen),
        cmocka_unit_test(test_pod_never_seen),
        cmocka_unit_test(test_stands_by),
        cmocka_unit_test(test_lease_lost),
        cmocka_unit_test(test_stood_still),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_stop_in_the_middle),
        cmocka_unit_test(test_stop_while_standing_by),
        cmocka_unit_test(test_crashes),
        cmocka_unit_test(test_unreadable_object),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_memory_to_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
