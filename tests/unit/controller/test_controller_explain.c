/* SPDX-License-Identifier: Apache-2.0 */
/* Why a Job waits, as it is told to whoever asks. */
#include "common/json/doc.h"
#include "controller/explain.h"
#include "tests/unit/controller/controller_test.h"

#define SUSPENDED                                                                           \
    "The Job is suspended, and no queue stands behind it. It goes on when spec.suspend is " \
    "set to false."
#define PARALLELISM "The Job has parallelism 0: it makes no Pods until that is raised."

static const struct jr_now now = { { 1772366400 * JR_SEC }, { 5000 * JR_SEC } };

static void want(const char *row, const struct jr_state *s, const char *key, const char *const *why)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *e;
    size_t i = 0;
    JR_BUF out = { 0 };

    jr_buf_init(&out, 65536);
    jr_explain_job(s, NULL, jr_str(key), now, &out);
    assert_int_equal(out.failed, JR_OK);
    if (jr_doc_parse(jr_buf_str(&out), &JR_READER_STRICT, &doc, NULL) != JR_OK)
        fail_msg("%s: no JSON: %s", row, out.p);
    for (e = jr_first(jr_get(jr_doc_root(doc), "why")); e != NULL && why[i] != NULL;
         e = jr_next(e), i++) {
        if (!jr_str_is(jr_node_str(e), why[i]))
            fail_msg("%s: got \"%.*s\", expected \"%s\"", row, JR_P(jr_node_str(e)), why[i]);
    }
    if (e != NULL || why[i] != NULL)
        fail_msg("%s: %s", row, out.p);
}
static void want_plain(const char *row, const struct jr_state *s, const char *key, const char *why)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, 65536);
    jr_explain_why(s, NULL, jr_str(key), now, &out);
    assert_int_equal(out.failed, JR_OK);
    if (!jr_str_is(jr_buf_str(&out), why))
        fail_msg("%s: got \"%s\", expected \"%s\"", row, out.p, why);
}

#define WANT(row, s, key, ...) want(row, s, key, (const char *const[]){ __VA_ARGS__, NULL })

static void add(struct jr_state *s, const char *name, const char *uid, int parallelism)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job(name, uid, NULL, parallelism);

    jr_cache_apply(jr_store_cache(s->store, JR_STORE_JOBS), job, NULL, NULL);
}

static void test_reasons(void **state)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    const struct jr_object_key key = { JR_S("ns"), JR_S("a"), JR_S("u-a") };
    struct jr_record record = { .written_job_version = 9, .finished_mark = true };
    struct jr_str taken;
    struct jr_state s;

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    add(&s, "a", "u-a", 1);
    add(&s, "b", "u-b", 0);
    WANT("unknown", &s, "ns/none", "no such Job is in the cache");
    WANT("nothing", &s, "ns/a", "nothing is known to hold it up");
    WANT("parallelism", &s, "ns/b", PARALLELISM);

    jr_queue_add(s.jobs, JR_S("ns/a"), now.mono);
    WANT("queued", &s, "ns/a", "it waits for a worker");
    assert_int_equal(jr_queue_get(s.jobs, now.mono, &taken), JR_OK);
    jr_queue_add_limited(s.jobs, taken, JR_S("quota exceeded"), now.mono);
    jr_queue_done(s.jobs, taken, now.mono);
    WANT("failed", &s, "ns/a", "the last 1 syncs failed, the last one: quota exceeded",
         "its next sync is due in 1.0 s");
    want_plain("failed", &s, "ns/a",
               "the last 1 syncs failed, the last one: quota exceeded; its next sync is due in "
               "1.0 s");
    jr_queue_forget(s.jobs, JR_S("ns/a"));

    jr_expectations_set(s.expectations, &key, 2, 1, now.mono);
    jr_expectations_await(s.expectations, &key, JR_S("p"));
    WANT("expects", &s, "ns/a", "its next sync is due in 1.0 s",
         "2 creations and 1 deletions are not seen in the cache yet",
         "1 finalizer removals are not seen in the cache yet");
    jr_expectations_drop(s.expectations, key.namespace, key.name);

    record.backoff_written = true;
    record.backoff = (struct jr_backoff_record){ 2, { now.wall.ns - 5 * JR_SEC } };
    jr_records_put(s.records, &key, &record);
    WANT("backoff", &s, "ns/a", "its next sync is due in 1.0 s",
         "the cache is older than what was written last",
         "the controller waits with the next Pod (back-off), for another 15.0 s after 2 failures",
         "its last status is written and not seen in the cache yet");
    jr_state_done(&s);
}

/** What the Job's own text says. */
static void test_of_the_job(void **state)
{
    static const struct {
        const char *name, *meta, *spec, *status, *why;
    } rows[] = {
        { "suspended", "", "\"suspend\":true", "", SUSPENDED },
        { "none", "", "\"parallelism\":0", "", PARALLELISM },
        { "one", "", "\"parallelism\":1", "", "nothing is known to hold it up" },
        { "deleted", ",\"deletionTimestamp\":\"2026-03-01T12:00:00Z\"", "", "",
          "The Job is being deleted: it runs nothing any more." },
        { "active", "", "", "\"active\":1", "1 Pods are active, 0 of them ready" },
        { "ready", "", "", "\"active\":3,\"ready\":2", "3 Pods are active, 2 of them ready" },
        { "terminating", "", "", "\"terminating\":1", "1 Pods are terminating" },
        { "several", "", "\"suspend\":true", "\"active\":1,\"ready\":1,\"terminating\":2",
          SUSPENDED "; 1 Pods are active, 1 of them ready; 2 Pods are terminating" },
        { "over", "", "",
          "\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"R\",\"message\":"
          "\"why\"}]",
          "The Job has failed: R: why." },
    };
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    struct jr_state s;

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        char key[64];

        add_job_text(&s, rows[i].name, "u", rows[i].meta, rows[i].spec, rows[i].status);
        (void)snprintf(key, sizeof(key), "ns/%s", rows[i].name);
        want_plain(rows[i].name, &s, key, rows[i].why);
    }
    jr_state_done(&s);
}

/** What this process remembers of it, each in a sentence. */
static void test_of_the_record(void **state)
{
    const struct {
        const char *name;
        struct jr_record record;
        const char *why;
    } rows[] = {
        { "Job", { .written_job_version = 10 }, "the cache is older than what was written last" },
        { "Pods", { .written_pod_version = 10 }, "the cache is older than what was written last" },
        { "as new",
          { .written_job_version = 9, .written_pod_version = 9 },
          "nothing is known to hold it up" },
        { "ambiguous",
          { .ambiguous_job_version = 1 },
          "its last status write was refused for its version, or had no answer: it is read anew "
          "unless the cache gets a newer one" },
        { "mark",
          { .finished_mark = true },
          "its last status is written and not seen in the cache yet" },
        { "backoff",
          { .backoff = { 1, { now.wall.ns - 10 * JR_SEC + 1 } } },
          "the controller waits with the next Pod (back-off), for another 0.0 s after 1 failures" },
        { "no backoff",
          { .backoff = { 1, { now.wall.ns - 10 * JR_SEC } } },
          "nothing is known to hold it up" },
    };
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    const struct jr_object_key key = { JR_S("ns"), JR_S("a"), JR_S("u-a") };
    struct jr_state s;

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    jr_store_split(s.store, &ALL_NAMESPACES, 1);
    jr_store_progress(s.store, JR_STORE_JOBS, ALL_NAMESPACES, JR_S("9"));
    jr_store_progress(s.store, JR_STORE_PODS, ALL_NAMESPACES, JR_S("9"));
    add(&s, "a", "u-a", 1);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        jr_records_put(s.records, &key, &rows[i].record);
        want_plain(rows[i].name, &s, "ns/a", rows[i].why);
    }
    jr_state_done(&s);
}

/** Whose the Job is, as the spec says it. */
static void test_managed_by(void **state)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *managed = make_job("x", "u-x", NULL, 1);
    struct jr_state s;
    JR_BUF out = { 0 };

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    jr_store_split(s.store, &ALL_NAMESPACES, 1);
    managed->spec.managed_by = JR_S("example.com/x");
    jr_cache_apply(jr_store_cache(s.store, JR_STORE_JOBS), managed, NULL, NULL);
    jr_buf_init(&out, 65536);
    jr_explain_job(&s, NULL, JR_S("ns/x"), now, &out);
    assert_int_equal(out.failed, JR_OK);
    assert_non_null(
        strstr(out.p, "\"uid\":\"u-x\",\"managedBy\":\"example.com/x\",\"ours\":false,"));
    jr_state_done(&s);
}

/** All of it, as it is told at /debug/jobs. */
static void test_facts(void **state)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    const struct jr_object_key key = { JR_S("ns"), JR_S("a"), JR_S("u-a") };
    const struct jr_record record = { .backoff = { 2, { now.wall.ns - 5 * JR_SEC } },
                                      .written_job_version = 8,
                                      .written_pod_version = 7 };
    struct jr_str taken;
    struct jr_state s;
    JR_BUF out = { 0 };

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    jr_store_split(s.store, &ALL_NAMESPACES, 1);
    jr_store_progress(s.store, JR_STORE_JOBS, ALL_NAMESPACES, JR_S("9"));
    jr_store_progress(s.store, JR_STORE_PODS, ALL_NAMESPACES, JR_S("10"));
    add(&s, "a", "u-a", 1);
    jr_queue_add_limited(s.jobs, JR_S("ns/a"), JR_S("no quota"), now.mono);
    jr_queue_add(s.jobs, JR_S("ns/a"), now.mono);
    assert_int_equal(jr_queue_get(s.jobs, now.mono, &taken), JR_OK);
    jr_queue_add(s.jobs, JR_S("ns/a"), now.mono);
    jr_expectations_set(s.expectations, &key, 3, 2, now.mono);
    jr_expectations_await(s.expectations, &key, JR_S("p"));
    jr_records_put(s.records, &key, &record);
    jr_buf_init(&out, 65536);
    jr_explain_job(&s, NULL, JR_S("ns/a"), now, &out);
    assert_int_equal(out.failed, JR_OK);
    assert_string_equal(
        out.p,
        "{\"job\":\"ns/"
        "a\",\"cached\":true,\"uid\":\"u-a\",\"ours\":true,\"finished\":false,\"suspended\":false,"
        "\"queue\":{\"waiting\":true,\"working\":true,\"dueInMilliseconds\":1000,\"failures\":1,"
        "\"lastError\":\"no quota\"},"
        "\"expectations\":{\"creations\":3,\"deletions\":2,\"met\":false,\"finalizerRemovals\":1},"
        "\"backoff\":{\"failures\":2,\"lastFailure\":\"2026-03-01T11:59:55Z\",\"until\":\"2026-03-"
        "01T12:00:15Z\"},"
        "\"versions\":{\"jobsCached\":9,\"jobWritten\":8,\"podsCached\":10,\"podsWritten\":7},"
        "\"unreadable\":[],"
        "\"why\":[\"the last 1 syncs failed, the last one: no quota\",\"it waits for a worker\","
        "\"3 creations and 2 deletions are not seen in the cache yet\",\"1 finalizer removals are "
        "not seen in the cache yet\","
        "\"the controller waits with the next Pod (back-off), for another 15.0 s after 2 "
        "failures\"]}");
    jr_state_done(&s);
}

static void test_of_others(void **state)
{
    struct jr_reconcile_options options = jr_reconcile_options_default();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *managed = make_job("x", "u-x", NULL, 1);
    struct jr_state s;

    (void)state;
    jr_state_init(&s, &options, false, NULL);
    managed->spec.managed_by = JR_S("x");
    jr_cache_apply(jr_store_cache(s.store, JR_STORE_JOBS), managed, NULL, NULL);
    WANT("another's", &s, "ns/x", "another controller sees to it: spec.managedBy is \"x\"");
    jr_state_done(&s);
    options.replace_builtin = false;
    jr_state_init(&s, &options, false, NULL);
    add(&s, "a", "u-a", 1);
    WANT("not ours", &s, "ns/a", "the built-in controller sees to it: spec.managedBy is not set");
    jr_state_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),       cmocka_unit_test(test_of_the_job),
        cmocka_unit_test(test_of_the_record), cmocka_unit_test(test_facts),
        cmocka_unit_test(test_managed_by),    cmocka_unit_test(test_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
