/* SPDX-License-Identifier: Apache-2.0 */
/* What events do beyond the rows of the scenario file: objects that are replaced, dropped, swept,
 * and the mode in which Jobs name their controller. */
#include "tests/support/without_memory.h"
#include "tests/unit/controller/handlers_scene.h"

static void expect_counts(const struct jr_state *s, const struct jr_object_key *key, int32_t add,
                          int32_t del)
{
    struct jr_expect_counts c = jr_expectations_get(s->expectations, key);

    assert_int_equal(c.add, add);
    assert_int_equal(c.del, del);
}

/** A Pod that bears the name of one whose deletion was missed: the one is gone, the other is new.
 */
static void test_pod_replaced(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key key = key_of("j", "u1");

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x1", .owner = "j", .owner_uid = "u1" });
    jr_expectations_set(s.expectations, &key, 1, 1, now.mono);
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x2", .owner = "j", .owner_uid = "u1" });
    expect_counts(&s, &key, 0, 0);
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 1);
    state_done(&s, m);
}

/** One that bears its name and is none of ours: the one is gone, and the other is not taken in. */
static void test_pod_replaced_by_anothers(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key key = key_of("j", "u1");

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x1", .owner = "j", .owner_uid = "u1" });
    jr_expectations_set(s.expectations, &key, 1, 1, now.mono);
    tell_pod(&s, &(struct pod_made){ .name = "p",
                                     .uid = "x2",
                                     .owner_kind = "ReplicaSet",
                                     .owner = "r",
                                     .owner_uid = "u9" });
    expect_counts(&s, &key, 1, 0);
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    assert_int_equal(orphans_waiting(&s), 0);
    state_done(&s, m);
}

/** A late deletion of the older Pod leaves the newer one alone. */
static void test_late_deletion(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x2", .owner = "j", .owner_uid = "u1" });
    tell_pod_gone(&s,
                  &(struct pod_made){ .name = "p", .uid = "x1", .owner = "j", .owner_uid = "u1" });
    tell_pod_gone(&s,
                  &(struct pod_made){ .name = "q", .uid = "x1", .owner = "j", .owner_uid = "u1" });
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 1);
    tell_pod_gone(&s,
                  &(struct pod_made){ .name = "p", .uid = "x2", .owner = "j", .owner_uid = "u1" });
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    state_done(&s, m);
}

/** What is of no interest is never stored, and leaves the store when it becomes so: the Job it had
 * is synced. */
static void test_unwanted(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){
                     .name = "r", .owner_kind = "ReplicaSet", .owner = "r", .owner_uid = "u9" });
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    tell_pod(&s, &(struct pod_made){ .name = "p", .owner = "j", .owner_uid = "u1" });
    drain(&s);
    tell_pod(&s, &(struct pod_made){ .name = "p",
                                     .version = "2",
                                     .owner_kind = "ReplicaSet",
                                     .owner = "r",
                                     .owner_uid = "u9" });
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).delayed);
    state_done(&s, m);
}

/** A Pod whose deletion failed is remembered until it is gone, whatever happens to it before. */
static void test_finalizer_lost_until_gone(void **state)
{
    const struct pod_made pod = { .name = "p", .owner = "j", .owner_uid = "u1" };
    struct pod_made later = pod;
    struct jr_object_key key = key_of("j", "u1");
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *gone = make_pod(&pod);
    struct jr_metrics *m;
    struct jr_state s;
    struct jr_strs list;
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    state_of_one_job(&s, &m);
    tell_pod(&s, &pod);
    jr_expectations_finalizer_lost(s.expectations, &key, JR_S("p"));
    later.version = "2";
    later.phase = "Succeeded";
    tell_pod(&s, &later);
    list = jr_expectations_finalizers_lost(s.expectations, &key, &arena);
    assert_int_equal(list.n, 1);
    jr_handle_gone(&s, JR_STORE_PODS, gone, now);
    list = jr_expectations_finalizers_lost(s.expectations, &key, &arena);
    assert_int_equal(list.n, 0);
    state_done(&s, m);
}

/** A Job made anew under its name owes nothing to its predecessor. */
static void test_job_recreated(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key old = key_of("j", "u1"), new = key_of("j", "u2");

    (void)state;
    state_of_one_job(&s, &m);
    jr_expectations_set(s.expectations, &old, 3, 0, now.mono);
    jr_records_put(s.records, &old, &(struct jr_record){ .finished_mark = true });
    tell_job(&s, "j", "u2");
    assert_true(jr_expectations_satisfied(s.expectations, &new, now.mono));
    assert_int_equal(jr_expectations_count(s.expectations), 0);
    assert_int_equal(jr_records_count(s.records), 0);
    assert_int_equal(orphans_waiting(&s), 1); /* the predecessor's selector */
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).waiting);
    state_done(&s, m);
}

/** What a relist doesn't show any more is gone, with all that follows from it. */
static void test_sweep(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key key = key_of("j", "u1");
    struct jr_cache_round round;

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){
                     .name = "p", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER });
    jr_expectations_set(s.expectations, &key, 0, 1, now.mono);
    jr_expectations_await(s.expectations, &key, JR_S("p"));
    round = jr_cache_begin(jr_store_cache(s.store, JR_STORE_PODS), ALL_NAMESPACES);
    jr_handle_sweep(&s, JR_STORE_PODS, &round, now);
    expect_counts(&s, &key, 0, 0);
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    drain(&s);
    round = jr_cache_begin(jr_store_cache(s.store, JR_STORE_JOBS), ALL_NAMESPACES);
    jr_handle_sweep(&s, JR_STORE_JOBS, &round, now);
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).waiting);
    assert_int_equal(jr_expectations_count(s.expectations), 0);
    assert_int_equal(orphans_waiting(&s), 1);
    state_done(&s, m);
}

/** A Pod that nobody controlled when it was last seen: the Job that may have adopted it since looks
 * again. Kubernetes 1.36.0 counts it as terminating until the resync. */
static void test_adopted_unseen(void **state)
{
    const struct pod_made pod = { .name = "p", .label = "u1" };
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key key = key_of("j", "u1");
    struct jr_cache_round round;

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &pod);
    drain(&s);
    jr_expectations_await(s.expectations, &key, JR_S("p"));
    round = jr_cache_begin(jr_store_cache(s.store, JR_STORE_PODS), ALL_NAMESPACES);
    jr_handle_sweep(&s, JR_STORE_PODS, &round, now);
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).delayed);
    assert_false(jr_expectations_awaits(s.expectations, &key, JR_S("p")));
    assert_int_equal(orphans_waiting(&s), 0);
    state_done(&s, m);
}

/** A relist tells the same Pod again: nothing happened. */
static void test_told_again(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_object_key key = key_of("j", "u1");

    (void)state;
    state_of_one_job(&s, &m);
    tell_pod(&s, &(struct pod_made){ .name = "p", .owner = "j", .owner_uid = "u1" });
    drain(&s);
    jr_expectations_set(s.expectations, &key, 1, 1, now.mono);
    tell_pod(&s, &(struct pod_made){ .name = "p", .owner = "j", .owner_uid = "u1" });
    expect_counts(&s, &key, 1, 1);
    assert_false(jr_queue_look(s.jobs, JR_S("ns/j")).delayed);
    state_done(&s, m);
}

/** In the managedBy mode finalizer and Jobs are this controller's own. */
static void test_managed_by(void **state)
{
    static const struct {
        const char *name;
        struct pod_made pod;
        bool target;
    } rows[] = {
        { "own finalizer, no owner",
          { .name = "a", .finalizer = "jobreeve.dev/job-tracking" },
          true },
        { "the built-in one's finalizer", { .name = "b", .finalizer = FINALIZER }, false },
        { "of a Job of the built-in one",
          { .name = "c",
            .owner = "j",
            .owner_uid = "u1",
            .finalizer = "jobreeve.dev/job-tracking" },
          false },
        { "of a Job that is gone",
          { .name = "d",
            .owner = "k",
            .owner_uid = "u3",
            .finalizer = "jobreeve.dev/job-tracking" },
          true },
    };
    struct jr_reconcile_options o = jr_reconcile_options_default();
    struct jr_state s;

    (void)state;
    o.replace_builtin = false;
    o.tracking_finalizer = JR_S("jobreeve.dev/job-tracking");
    jr_state_init(&s, &o, false, NULL);
    tell_job(&s, "j", "u1");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_orphan orphan = { .namespace = JR_S("ns"),
                                          .name = jr_str(rows[i].pod.name) };
        JR_POD_LIST list = { 0 };

        tell_pod(&s, &rows[i].pod);
        jr_orphans_targets(&s, &orphan, &list);
        check_int(rows[i].name, list.n, rows[i].target);
    }
    jr_state_done(&s);
}

/* Finding: each name that a tenant writes into spec.managedBy made a series. */
static void test_others_bounded(void **state)
{
    struct jr_reconcile_options o = jr_reconcile_options_default();
    struct jr_metrics *m;
    struct jr_state s;
    JR_BUF text = { 0 };
    size_t series = 0;

    (void)state;
    o.replace_builtin = false;
    assert_int_equal(jr_metrics_new(&m), JR_OK);
    jr_state_init(&s, &o, false, m);
    for (int i = 0; i < 1000; i++) {
        char name[16], by[64];
        struct jr_job job = { .meta = { .namespace = JR_S("ns") } };

        (void)snprintf(name, sizeof(name), "j%d", i);
        (void)snprintf(by, sizeof(by), "example.com/n%d", i);
        job.meta.name = jr_str(name);
        job.meta.uid = jr_str(name);
        job.spec.managed_by = jr_str(by);
        jr_on_job_add(&s, &job, (struct jr_now){ .mono = { 0 } });
    }
    jr_buf_init(&text, SIZE_MAX);
    assert_int_equal(jr_metrics_render(m, &text), JR_OK);
    for (const char *p = text.p; (p = strstr(p, "{controller_name=")) != NULL; p++)
        series++;
    assert_int_equal(series, JR_LABEL_LIMIT_VALUES + 1);
    assert_non_null(strstr(text.p, "{controller_name=\"example.com/n0\"} 1"));
    assert_non_null(strstr(text.p, "{controller_name=\"other\"} 980"));
    jr_state_done(&s);
    jr_metrics_free(m);
}

/** What the events of one of everything are told of. */
struct everything {
    struct jr_job *job, *manual;
    struct jr_pod *pods[4];
};

/** One of everything. Decoding is done before: it has tests of its own. */
static void live(void *ctx)
{
    const struct everything *x = ctx;
    const struct jr_reconcile_options options = jr_reconcile_options_default();
    struct jr_object_key key = key_of("j", "u1");
    struct jr_state s;
    struct jr_orphan o;
    struct jr_cache_round round;
    JR_POD_LIST list = { 0 };

    jr_state_init(&s, &options, false, NULL);
    jr_handle(&s, JR_STORE_JOBS, x->job, now);
    jr_handle(&s, JR_STORE_JOBS, x->manual, now);
    jr_handle(&s, JR_STORE_JOBS, x->manual, now);
    for (size_t i = 0; i < JR_ARRAY_SIZE(x->pods); i++)
        jr_handle(&s, JR_STORE_PODS, x->pods[i], now);
    jr_expectations_set(s.expectations, &key, 1, 1, now.mono);
    jr_expectations_await(s.expectations, &key, JR_S("x"));
    jr_records_put(s.records, &key, &(struct jr_record){ .finished_mark = true });
    jr_queue_add_limited(s.jobs, JR_S("ns/j"), JR_S("why"), now.mono);
    jr_handle_gone(&s, JR_STORE_JOBS, x->job, now);
    assert_int_equal(jr_orphans_get(s.orphans, now.mono, &o), JR_OK);
    jr_orphans_targets(&s, &o, &list);
    jr_orphans_done(s.orphans, &o, true, now.mono);
    round = jr_cache_begin(jr_store_cache(s.store, JR_STORE_PODS), ALL_NAMESPACES);
    jr_handle_sweep(&s, JR_STORE_PODS, &round, now);
    jr_state_done(&s);
}

static void test_no_memory(void **state)
{
    struct everything x = {
        .job = make_job("j", "u1", NULL, 1),
        .manual = make_job("m", "u2", "x", 1),
        .pods = { make_pod(&(struct pod_made){
                      .name = "a", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER }),
                  make_pod(
                      &(struct pod_made){ .name = "b", .label = "u1", .finalizer = FINALIZER }),
                  make_pod(&(struct pod_made){ .name = "b", .version = "2", .label = "u2" }),
                  make_pod(&(struct pod_made){ .name = "c" }) },
    };

    (void)state;
    assert_true(jr_each_without_memory(live, &x) > 35);
    live(&x);
    for (size_t i = 0; i < JR_ARRAY_SIZE(x.pods); i++)
        jr_pod_unref(x.pods[i]);
    jr_job_unref(x.job);
    jr_job_unref(x.manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod_replaced),
        cmocka_unit_test(test_late_deletion),
        cmocka_unit_test(test_pod_replaced_by_anothers),
        cmocka_unit_test(test_unwanted),
        cmocka_unit_test(test_job_recreated),
        cmocka_unit_test(test_finalizer_lost_until_gone),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_adopted_unseen),
        cmocka_unit_test(test_told_again),
        cmocka_unit_test(test_managed_by),
        cmocka_unit_test(test_others_bounded),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
