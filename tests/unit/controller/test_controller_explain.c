/* Why a Job waits, as it is told to whoever asks. */
#include "controller/explain.h"
#include "common/json/doc.h"
#include "tests/unit/controller/controller_test.h"

static const struct jr_now now = { { 1772366400 * JR_SEC }, { 5000 * JR_SEC } };

static void want(const char *row, const struct jr_state *s, const char *key, const char *const *why)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *e;
    size_t i = 0;
    JR_BUF out = { 0 };

    jr_buf_init(&out, 65536);
    check_int(row, jr_explain_job(s, NULL, jr_str(key), now, &out), JR_OK);
    if (jr_doc_parse(jr_buf_str(&out), &JR_GATE_STRICT, &doc, NULL) != JR_OK)
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
    check_int(row, jr_explain_why(s, NULL, jr_str(key), now, &out), JR_OK);
    if (!jr_str_is(jr_buf_str(&out), why))
        fail_msg("%s: got \"%s\", expected \"%s\"", row, out.p, why);
}

#define WANT(row, s, key, ...) want(row, s, key, (const char *const[]){ __VA_ARGS__, NULL })

static void add(struct jr_state *s, const char *name, const char *uid, int parallelism)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job(name, uid, NULL, parallelism);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *old = NULL;

    assert_int_equal(jr_store_put_job(s->store, job, &old), JR_OK);
}

static void test_reasons(void **state)
{
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    const struct jr_job_key key = { JR_S("ns"), JR_S("a"), JR_S("u-a") };
    struct jr_record record = { .written_job_version = 9, .finished_mark = true };
    struct jr_str taken;
    struct jr_state s;

    (void)state;
    assert_int_equal(jr_state_init(&s, &options, false, NULL), JR_OK);
    add(&s, "a", "u-a", 1);
    add(&s, "b", "u-b", 0);
    WANT("unknown", &s, "ns/none", "no such Job is in the cache");
    WANT("nothing", &s, "ns/a", "nothing is known to hold it up");
    WANT("parallelism", &s, "ns/b", "its parallelism is 0");

    assert_int_equal(jr_queue_add(s.jobs, JR_S("ns/a"), now.mono), JR_OK);
    WANT("queued", &s, "ns/a", "it waits for a worker");
    assert_int_equal(jr_queue_get(s.jobs, now.mono, &taken), JR_OK);
    assert_int_equal(jr_queue_add_limited(s.jobs, taken, JR_S("quota exceeded"), now.mono), JR_OK);
    jr_queue_done(s.jobs, taken, now.mono);
    WANT("failed", &s, "ns/a", "the last 1 syncs failed, the last one: quota exceeded",
         "its next sync is due in 1.0 s");
    want_plain("failed", &s, "ns/a",
               "the last 1 syncs failed, the last one: quota exceeded; its next sync is due in "
               "1.0 s");
    jr_queue_forget(s.jobs, JR_S("ns/a"));

    assert_int_equal(jr_expectations_set(s.expectations, &key, 2, 1, now.mono), JR_OK);
    assert_int_equal(jr_expectations_await(s.expectations, &key, JR_S("p")), JR_OK);
    WANT("expects", &s, "ns/a", "its next sync is due in 1.0 s",
         "2 creations and 1 deletions are not seen in the cache yet",
         "1 finalizer removals are not seen in the cache yet");
    jr_expectations_drop(s.expectations, key.namespace, key.name);

    record.backoff_written = true;
    record.backoff = (struct jr_backoff_record){ 2, { now.wall.ns - 5 * JR_SEC } };
    assert_int_equal(jr_records_put(s.records, &key, &record), JR_OK);
    WANT("backoff", &s, "ns/a", "its next sync is due in 1.0 s",
         "the cache is older than what was written last",
         "new Pods wait for another 15.0 s, after 2 failures",
         "its last status is written and not seen in the cache yet");
    jr_state_done(&s);
}

static void test_of_others(void **state)
{
    struct jr_reconcile_options options = jr_reconcile_options_default();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *managed = make_job("x", "u-x", NULL, 1);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *old = NULL;
    struct jr_state s;

    (void)state;
    assert_int_equal(jr_state_init(&s, &options, false, NULL), JR_OK);
    managed->spec.managed_by = JR_S("x");
    assert_int_equal(jr_store_put_job(s.store, managed, &old), JR_OK);
    WANT("another's", &s, "ns/x", "another controller sees to it: spec.managedBy is \"x\"");
    jr_state_done(&s);
    options.replace_builtin = false;
    assert_int_equal(jr_state_init(&s, &options, false, NULL), JR_OK);
    add(&s, "a", "u-a", 1);
    WANT("not ours", &s, "ns/a", "the built-in controller sees to it: spec.managedBy is not set");
    jr_state_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
