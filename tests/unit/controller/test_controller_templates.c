/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that are cached without their template: which, and how a sync gets it that needs it. */
#include "tests/unit/controller/handlers_scene.h"
#include "tests/unit/controller/whole_world.h"

/* ---- the cache ---- */

/** Makes a Job of ours. more: metadata's further members; spec: likewise; each with a comma behind.
 */
static struct jr_job *job_of(const char *name, const char *more, const char *spec,
                             const char *status)
{
    struct jr_job *job = NULL;
    struct jr_error err = { 0 };
    JR_BUF text = { .max = SIZE_MAX };

    (void)jr_buf_addf(&text,
                      "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",%s\"uid\":\"%s\"},"
                      "\"spec\":{%s\"selector\":{\"matchLabels\":{\"app\":\"a\"}},\"template\":{"
                      "\"metadata\":{\"labels\":{\"app\":\"a\"}}}},\"status\":{%s}}",
                      name, more, name, spec, status);
    if (jr_job_decode(jr_buf_str(&text), &job, &err) != JR_OK)
        fail_msg("%s: %s", name, err.msg);
    return job;
}

static void tell(struct jr_state *s, const char *more, const char *spec, const char *status)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = job_of("j", more, spec, status);

    jr_handle(s, JR_STORE_JOBS, job, now);
}

static const struct jr_job *cached(const struct jr_state *s, const char *name)
{
    const struct jr_job *job = jr_store_job(s->store, JR_S("ns"), jr_str(name));

    assert_non_null(job);
    return job;
}

#define SUSPENDED "\"conditions\":[{\"type\":\"Suspended\",\"status\":\"True\"}]"

static void test_who_needs_none(void **state)
{
    static const struct {
        const char *row, *spec, *status;
        bool slim;
    } rows[] = {
        { "ours", "", "", false },
        { "another's", "\"managedBy\":\"example.com/x\",", "", true },
        { "complete", "", "\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]", true },
        { "failed", "", "\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\"}]", true },
        { "to fail", "", "\"conditions\":[{\"type\":\"FailureTarget\",\"status\":\"True\"}]",
          false },
        { "suspended", "\"suspend\":true,", SUSPENDED, true },
        { "not yet told", "\"suspend\":true,", "", false },
        { "active", "\"suspend\":true,", "\"active\":1," SUSPENDED, false },
        { "terminating", "\"suspend\":true,", "\"terminating\":1," SUSPENDED, false },
        { "uncounted", "\"suspend\":true,",
          "\"uncountedTerminatedPods\":{\"failed\":[\"u\"]}," SUSPENDED, false },
        { "resumed", "\"suspend\":false,", SUSPENDED, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_metrics *m;
        struct jr_state s;

        state_init(&s, &m);
        tell(&s, "", rows[i].spec, rows[i].status);
        check_int(rows[i].row, cached(&s, "j")->template_dropped, rows[i].slim);
        check_int(rows[i].row, cached(&s, "j")->spec.template.labels.n, rows[i].slim ? 0 : 1);
        tell(&s, "", "", ""); /* the next event has it again */
        check_int(rows[i].row, cached(&s, "j")->spec.template.labels.n, 1);
        state_done(&s, m);
    }
}

#define PADDING_MAX ((size_t)1 << 17)
/** Writes an annotation of n bytes, and a comma. */
static const char *padding(char out[PADDING_MAX], int n)
{
    (void)snprintf(out, PADDING_MAX, "\"annotations\":{\"a\":\"%0*d\"},", n, 0);
    return out;
}

/** No tenant's Jobs take more than the bound by what nobody reads. */
static void test_small_without(void **state)
{
    static char more[PADDING_MAX];
    struct jr_metrics *m;
    struct jr_state s;

    (void)state;
    state_init(&s, &m);
    tell(&s, padding(more, 100000), "\"managedBy\":\"example.com/x\",", "");
    assert_true(jr_store_job_bytes(s.store) < 5000);
    tell(&s, padding(more, 100000), "", "");
    assert_true(jr_store_job_bytes(s.store) > 100000);
    jr_handle_gone(&s, JR_STORE_JOBS, cached(&s, "j"), now);
    assert_int_equal(jr_store_job_bytes(s.store), 0);
    state_done(&s, m);
}

static void put(struct jr_state *s, const char *name, int bytes)
{
    static char more[PADDING_MAX];
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = job_of(name, padding(more, bytes), "", "");

    jr_handle(s, JR_STORE_JOBS, job, now);
}

static void test_largest_first(void **state)
{
    struct jr_metrics *m;
    struct jr_state s;

    (void)state;
    state_init(&s, &m);
    jr_store_bound_jobs(s.store, 100000);
    put(&s, "small", 100);
    put(&s, "middle", 30000);
    put(&s, "large", 60000);
    assert_false(cached(&s, "large")->template_dropped);
    put(&s, "last", 20000);
    assert_true(cached(&s, "large")->template_dropped);
    assert_false(cached(&s, "middle")->template_dropped);
    assert_false(cached(&s, "last")->template_dropped);
    put(&s, "large", 60000); /* its next event has its text, and so it is the largest again */
    assert_true(cached(&s, "large")->template_dropped);
    put(&s, "middle", 31000);
    put(&s, "like", 30000);
    put(&s, "alike", 30500);
    assert_true(cached(&s, "middle")->template_dropped); /* of those the one that waited longest */
    assert_false(cached(&s, "like")->template_dropped);
    assert_true(jr_store_job_bytes(s.store) <= 100000);
    jr_store_bound_jobs(s.store, 1);
    put(&s, "small", 100);
    assert_true(cached(&s, "small")->template_dropped);
    assert_int_equal(jr_store_count(s.store, JR_STORE_JOBS), 6);
    state_done(&s, m);
}

/** Sizes between two powers of two are told apart, too. */
static void test_largest_of_a_kind_first(void **state)
{
    static const struct {
        const char *name;
        int bytes;
    } rows[] = { { "b", 41500 }, { "d", 57500 }, { "a", 33500 }, { "c", 49500 } };
    struct jr_metrics *m;
    struct jr_state s;

    (void)state;
    state_init(&s, &m);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        put(&s, rows[i].name, rows[i].bytes);
    for (char next[] = "d"; next[0] >= 'a'; next[0]--) {
        char others[] = "a";

        jr_store_bound_jobs(s.store, jr_store_job_bytes(s.store));
        put(&s, "small", 100);
        for (; others[0] < next[0]; others[0]++)
            assert_false(cached(&s, others)->template_dropped);
        assert_true(cached(&s, next)->template_dropped);
    }
    state_done(&s, m);
}

#define NINE "\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\",\"i\""
#define SELECTOR(values)                                                                       \
    "\"manualSelector\":true,\"selector\":{\"matchExpressions\":[{\"key\":\"k\",\"operator\":" \
    "\"NotIn\",\"values\":[" values "]}]},"

/** A selector that is longer than a generated one goes where nobody needs it, and a long one where
 * the bound asks for it; but not of a Job that is being deleted. */
static void test_selectors(void **state)
{
    static const struct {
        const char *row, *meta, *spec;
        size_t bound;
        bool dropped;
    } rows[] = {
        { "of another", "", "\"managedBy\":\"example.com/x\"," SELECTOR("\"a\""), SIZE_MAX, true },
        { "ours", "", SELECTOR(NINE), SIZE_MAX, false },
        { "ours, too large", "", SELECTOR(NINE), 1, true },
        { "ours, too large for a short one", "", SELECTOR("\"a\""), 1, false },
        { "ours, too large and being deleted", "\"deletionTimestamp\":\"2026-03-01T00:00:00Z\",",
          SELECTOR(NINE), 1, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_metrics *m;
        struct jr_state s;
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
        JR_BUF text = { .max = SIZE_MAX };

        state_init(&s, &m);
        jr_store_bound_jobs(s.store, rows[i].bound);
        (void)jr_buf_addf(&text,
                          "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",%s\"uid\":\"u\"},"
                          "\"spec\":{%s\"template\":{}}}",
                          rows[i].meta, rows[i].spec);
        assert_int_equal(jr_job_decode(jr_buf_str(&text), &job, NULL), JR_OK);
        jr_handle(&s, JR_STORE_JOBS, job, now);
        check_int(rows[i].row, cached(&s, "j")->selector_dropped, rows[i].dropped);
        check_int(rows[i].row, cached(&s, "j")->spec.selector.set, !rows[i].dropped);
        state_done(&s, m);
    }
}

/** Under way while a list is: what the list has shown stays shown. */
static void test_shed_within_a_list(void **state)
{
    struct jr_cache_round round;
    struct jr_metrics *m;
    struct jr_state s;

    (void)state;
    state_init(&s, &m);
    put(&s, "a", 30000);
    put(&s, "gone", 100);
    jr_store_bound_jobs(s.store, 40000);
    round = jr_cache_begin(jr_store_cache(s.store, JR_STORE_JOBS), ALL_NAMESPACES);
    put(&s, "a", 30000);
    put(&s, "b", 20000);
    assert_true(cached(&s, "a")->template_dropped);
    jr_handle_sweep(&s, JR_STORE_JOBS, &round, now);
    assert_int_equal(jr_store_count(s.store, JR_STORE_JOBS), 2);
    state_done(&s, m);
}

/* ---- the reads ---- */

#define JOB_PATH "/apis/batch/v1/namespaces/ns/jobs/"

static void begin_without(struct world *w, size_t concurrent_syncs, size_t cache)
{
    world_init_by(w, &(struct world_options){ .concurrent_syncs = concurrent_syncs,
                                              .job_cache_bytes = cache });
    w->live_job = JOB;
    world_start(w);
}

static size_t reads(const struct world *w, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), JOB_PATH "%s", name);
    return calls(w, "GET", path);
}

static double read_count(const struct world *w, const char *result)
{
    return jr_metrics_get(w->metrics, "jobreeve_job_template_reads_total", &result);
}

static bool sent_with(const struct world *w, const char *method, const char *part)
{
    for (size_t i = 0; i < jr_scripted_count(w->api); i++) {
        const struct jr_scripted_call *c = jr_scripted_call_at(w->api, i);

        if (jr_str_is(c->method, method) &&
            memmem(c->body.p, c->body.n, part, strlen(part)) != NULL)
            return true;
    }
    return false;
}

static void test_read_when_needed(void **state)
{
    struct world w;

    (void)state;
    begin_without(&w, 0, 1);
    pass(&w, 0.5);
    assert_int_equal(reads(&w, "j"), 1);
    assert_int_equal(creates(&w), 2);
    assert_true(sent_with(&w, "POST", "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]"));
    assert_int_equal(puts_seen(&w), 1);
    assert_true(sent_with(&w, "PUT", "\"template\":{"));
    assert_int_equal(read_count(&w, "success"), 1);
    w.version = 200;
    push_pod(&w, "ADDED", "p1", "Running", true);
    push_pod(&w, "ADDED", "p2", "Running", true);
    push_status(&w, "{\"active\":2,\"terminating\":0,\"ready\":0,\"uncountedTerminatedPods\":{},"
                    "\"startTime\":\"2026-03-01T12:00:00Z\"}");
    pass(&w, 5);
    assert_int_equal(reads(&w, "j"), 1); /* nothing was to be done */
    world_done(&w);
}

/** Nothing is done by a text that isn't the cached Job's, or isn't there. */
static void test_not_to_be_had(void **state)
{
#define OTHER(uid, version)                                                               \
    "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"" uid "\","             \
    "\"resourceVersion\":\"" version "\"},\"spec\":{\"suspend\":false,\"completions\":2," \
    "\"selector\":{\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}},"     \
    "\"template\":{\"metadata\":{\"labels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}}}}}"
    static const struct {
        const char *row, *live;
        int status;
    } rows[] = {
        { "gone", "", 404 },
        { "forbidden", "", 403 },
        { "broken", "", 500 },
        { "made anew", OTHER("u2", "9"), 200 },
        { "older", OTHER("u1", "4"), 200 },
        { "malformed", "{", 200 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        begin_without(&w, 0, 1);
        w.live_job = rows[i].live;
        w.get_status = rows[i].status;
        pass(&w, 30);
        check(rows[i].row, reads(&w, "j") > 1); /* it is tried again */
        check_int(rows[i].row, creates(&w) + puts_seen(&w), 0);
        check(rows[i].row, read_count(&w, "error") >= 1);
        w.live_job = JOB;
        w.get_status = 200;
        pass(&w, 100);
        check_int(rows[i].row, creates(&w), 2);
        world_done(&w);
    }
}

/** A newer one is what the next event would bring: the sync goes by it. */
static void test_newer(void **state)
{
    static const struct {
        const char *row, *live;
    } rows[] = {
        { "suspended", "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\","
                       "\"resourceVersion\":\"9\"},\"spec\":{\"suspend\":true,\"selector\":{"
                       "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"u1\"}},"
                       "\"template\":{}}}" },
        { "finished", "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\","
                      "\"resourceVersion\":\"9\"},\"spec\":{\"template\":{}},\"status\":{"
                      "\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}" },
        { "another's", "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\","
                       "\"resourceVersion\":\"9\"},\"spec\":{\"template\":{},\"managedBy\":"
                       "\"example.com/x\"}}" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct world w;

        begin_without(&w, 0, 1);
        w.live_job = rows[i].live;
        pass(&w, 10);
        check_int(rows[i].row, reads(&w, "j"), 1);
        check_int(rows[i].row, creates(&w), 0);
        check_int(rows[i].row, puts_seen(&w), i == 0 ? 1 : 0);
        check(rows[i].row, i > 0 || sent_with(&w, "PUT", "\"resourceVersion\":\"9\""));
        world_done(&w);
    }
}

/** Three Jobs whose template isn't cached, and a small one. */
static void begin_four(struct world *w)
{
    static char jobs[131072], more[PADDING_MAX];
    static const char *const names[] = { "a", "b", "c", "small" };
    JR_BUF text = { .max = SIZE_MAX };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++)
        (void)jr_buf_addf(&text,
                          "%s{\"metadata\":{\"namespace\":\"ns\",\"name\":\"%s\",\"uid\":\"%s\",%s"
                          "\"resourceVersion\":\"5\"},\"spec\":{\"parallelism\":1,\"selector\":{"
                          "\"matchLabels\":{\"batch.kubernetes.io/controller-uid\":\"%s\"}},"
                          "\"template\":{\"metadata\":{\"labels\":{"
                          "\"batch.kubernetes.io/controller-uid\":\"%s\"}}}}}",
                          i == 0 ? "" : ",", names[i], names[i], i < 3 ? padding(more, 20000) : "",
                          names[i], names[i]);
    (void)snprintf(jobs, sizeof(jobs), "%.*s", JR_P(jr_buf_str(&text)));
    world_init_by(w, &(struct world_options){ .concurrent_syncs = 2, .job_cache_bytes = 15000 });
    w->jobs = jobs;
    w->live_job = JOB;
}

/** One read at a time, whoever waits for it; who needs none goes on. */
static void test_one_at_a_time(void **state)
{
    struct world w;

    (void)state;
    begin_four(&w);
    w.gets_hang = true;
    world_start(&w);
    pass(&w, 20);
    assert_int_equal(reads(&w, "a") + reads(&w, "b") + reads(&w, "c"), 1);
    assert_int_equal(creates(&w), 1);
    assert_true(sent_with(&w, "POST", "\"uid\":\"small\""));
    jr_controller_stop(w.c);
    pass(&w, 11); /* those that wait for their turn are not waited for */
    assert_int_equal(w.ended, 1);
    assert_int_equal(reads(&w, "a") + reads(&w, "b") + reads(&w, "c"), 1);
    world_done(&w);
}

static void test_each_has_its_turn(void **state)
{
    struct world w;

    (void)state;
    begin_four(&w);
    world_start(&w);
    pass(&w, 5);
    assert_true(reads(&w, "a") > 0 && reads(&w, "b") > 0 && reads(&w, "c") > 0);
    assert_int_equal(creates(&w), 1); /* what they got was of another uid */
    world_done(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_needs_none),
        cmocka_unit_test(test_small_without),
        cmocka_unit_test(test_largest_first),
        cmocka_unit_test(test_largest_of_a_kind_first),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_shed_within_a_list),
        cmocka_unit_test(test_read_when_needed),
        cmocka_unit_test(test_not_to_be_had),
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_one_at_a_time),
        cmocka_unit_test(test_each_has_its_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
