/* What events do beyond the rows of the scenario file: objects that are replaced, dropped, swept,
 * and the mode in which Jobs name their controller. */
#include "controller/orphans.h"
#include "tests/support/failalloc.h"
#include "tests/unit/controller/controller_test.h"

#define FINALIZER "batch.kubernetes.io/job-tracking"

static const struct jr_now now = { { INT64_C(1772366400) * JR_SEC }, { 1000 * JR_SEC } };

static void state_init(struct jr_state *s, struct jr_metrics **m)
{
    const struct jr_reconcile_options o = jr_reconcile_options_default();

    assert_int_equal(jr_metrics_new(m), JR_OK);
    assert_int_equal(jr_state_init(s, &o, false, *m), JR_OK);
}

static void state_done(struct jr_state *s, struct jr_metrics *m)
{
    jr_state_done(s);
    jr_metrics_free(m);
}

static void tell_pod(struct jr_state *s, const struct pod_made *m)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(m);

    assert_int_equal(jr_handle_pod(s, pod, now), JR_OK);
}

static void tell_pod_gone(struct jr_state *s, const struct pod_made *m)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(m);

    assert_int_equal(jr_handle_pod_gone(s, pod, now), JR_OK);
}

static void tell_job(struct jr_state *s, const char *name, const char *uid)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job(name, uid, NULL, 1);

    assert_int_equal(jr_handle_job(s, job, now), JR_OK);
}

#define DELETED ",\"deletionTimestamp\":\"2026-03-01T12:00:00Z\""
#define FINISHED "{\"type\":\"Failed\",\"status\":\"True\"}"

/** The Job j with more metadata, more in its selector, and a condition. */
static struct jr_job *job_selecting(const char *meta, const char *selector, const char *condition)
{
    char text[2048];
    struct jr_job *job = NULL;

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\","
                   "\"resourceVersion\":\"9\"%s},\"spec\":{\"selector\":{\"matchLabels\":{"
                   "\"" JR_LABEL_CONTROLLER_UID "\":\"u1\"}%s},\"template\":{}},"
                   "\"status\":{\"conditions\":[%s]}}",
                   meta, selector, condition);
    assert_int_equal(jr_job_decode(jr_str(text), &job, NULL), JR_OK);
    return job;
}

static struct jr_job *job_text(const char *meta, const char *condition)
{
    return job_selecting(meta, "", condition);
}

static struct jr_job_key key_of(const char *name, const char *uid)
{
    return (struct jr_job_key){ JR_S("ns"), jr_str(name), jr_str(uid) };
}

static void expect_counts(const struct jr_state *s, const struct jr_job_key *key, int32_t add,
                          int32_t del)
{
    struct jr_expect_counts c = jr_expectations_get(s->expectations, key);

    assert_int_equal(c.add, add);
    assert_int_equal(c.del, del);
}

/** Takes what waits and forgets it; the delayed add of a batch stays. */
static void drain(struct jr_state *s)
{
    struct jr_str key;

    while (jr_queue_get(s->jobs, (struct jr_mono){ INT64_MAX }, &key) == JR_OK)
        jr_queue_done(s->jobs, key, now.mono);
}

static size_t orphans_waiting(struct jr_state *s)
{
    return jr_queue_depth(jr_orphans_queue(s->orphans));
}

/** A Pod that bears the name of one whose deletion was missed: the one is gone, the other is new.
 */
static void test_pod_replaced(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_job_key key = key_of("j", "u1");

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x1", .owner = "j", .owner_uid = "u1" });
    assert_int_equal(jr_expectations_set(s.expectations, &key, 1, 1, now.mono), JR_OK);
    tell_pod(&s, &(struct pod_made){ .name = "p", .uid = "x2", .owner = "j", .owner_uid = "u1" });
    expect_counts(&s, &key, 0, 0);
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 1);
    state_done(&s, m);
}

/** A late deletion of the older Pod leaves the newer one alone. */
static void test_late_deletion(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
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
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
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
static void test_spared_until_gone(void **state)
{
    const struct pod_made pod = { .name = "p", .owner = "j", .owner_uid = "u1" };
    struct pod_made later = pod;
    struct jr_job_key key = key_of("j", "u1");
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *gone = make_pod(&pod);
    struct jr_metrics *m;
    struct jr_state s;
    struct jr_strs list;
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    tell_pod(&s, &pod);
    assert_int_equal(jr_expectations_spare(s.expectations, &key, JR_S("p")), JR_OK);
    later.version = "2";
    later.phase = "Succeeded";
    tell_pod(&s, &later);
    assert_int_equal(jr_expectations_spared(s.expectations, &key, &arena, &list), JR_OK);
    assert_int_equal(list.n, 1);
    assert_int_equal(jr_handle_pod_gone(&s, gone, now), JR_OK);
    assert_int_equal(jr_expectations_spared(s.expectations, &key, &arena, &list), JR_OK);
    assert_int_equal(list.n, 0);
    state_done(&s, m);
}

/** A Job made anew under its name owes nothing to its predecessor. */
static void test_job_recreated(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_job_key old = key_of("j", "u1"), new = key_of("j", "u2");

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    assert_int_equal(jr_expectations_set(s.expectations, &old, 3, 0, now.mono), JR_OK);
    assert_int_equal(jr_records_put(s.records, &old, &(struct jr_record){ .finished_mark = true }),
                     JR_OK);
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
    struct jr_job_key key = key_of("j", "u1");
    struct jr_store_round round;

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    tell_pod(&s, &(struct pod_made){
                     .name = "p", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER });
    assert_int_equal(jr_expectations_set(s.expectations, &key, 0, 1, now.mono), JR_OK);
    assert_int_equal(jr_expectations_await(s.expectations, &key, JR_S("p")), JR_OK);
    round = jr_store_begin(s.store, ALL_NAMESPACES);
    assert_int_equal(jr_handle_sweep(&s, JR_STORE_PODS, &round, now), JR_OK);
    expect_counts(&s, &key, 0, 0);
    assert_int_equal(jr_store_count(s.store, JR_STORE_PODS), 0);
    drain(&s);
    round = jr_store_begin(s.store, ALL_NAMESPACES);
    assert_int_equal(jr_handle_sweep(&s, JR_STORE_JOBS, &round, now), JR_OK);
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).waiting);
    assert_int_equal(jr_expectations_count(s.expectations), 0);
    assert_int_equal(orphans_waiting(&s), 1);
    state_done(&s, m);
}

/** A relist tells the same Pod again: nothing happened. */
static void test_told_again(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_job_key key = key_of("j", "u1");

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    tell_pod(&s, &(struct pod_made){ .name = "p", .owner = "j", .owner_uid = "u1" });
    drain(&s);
    assert_int_equal(jr_expectations_set(s.expectations, &key, 1, 1, now.mono), JR_OK);
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
    assert_int_equal(jr_state_init(&s, &o, false, NULL), JR_OK);
    tell_job(&s, "j", "u1");
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_orphan orphan = { .namespace = JR_S("ns"),
                                          .name = jr_str(rows[i].pod.name) };
        JR_POD_LIST list = { 0 };

        tell_pod(&s, &rows[i].pod);
        assert_int_equal(jr_orphans_targets(&s, &orphan, &list), JR_OK);
        check_int(rows[i].name, list.n, rows[i].target);
    }
    jr_state_done(&s);
}

static size_t orphan_targets(const struct jr_state *s, const char *pod)
{
    const struct jr_orphan orphan = { .namespace = JR_S("ns"), .name = jr_str(pod) };
    JR_POD_LIST list = { 0 };

    assert_int_equal(jr_orphans_targets(s, &orphan, &list), JR_OK);
    return list.n;
}

/** A finished Job is told while the cache still shows finalizers that its last sync took off. */
static void test_orphan_awaited(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"namespace\":\"ns\",\"name\":\"j\",\"uid\":\"u1\"},\"spec\":{},\"status\":"
        "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}}";
    const struct pod_made made = {
        .name = "p", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER
    };
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(&made);
    struct jr_job_key key = key_of("j", "u1");
    struct jr_state s;
    struct jr_metrics *m;

    (void)state;
    state_init(&s, &m);
    assert_int_equal(jr_job_decode(jr_str(text), &job, NULL), JR_OK);
    assert_int_equal(jr_handle_job(&s, job, now), JR_OK);
    tell_pod(&s, &made);
    assert_int_equal(orphan_targets(&s, "p"), 1);
    assert_int_equal(jr_expectations_await(s.expectations, &key, pod->uid), JR_OK);
    assert_int_equal(orphan_targets(&s, "p"), 0);
    jr_expectations_unawait(s.expectations, &key, pod->uid); /* it failed */
    assert_int_equal(orphan_targets(&s, "p"), 1);
    state_done(&s, m);
}

/** How many Pods a sync of the Job is told not to count. */
static size_t not_to_count(struct jr_state *s, const struct jr_job_key *key)
{
    JR_ARENA arena = { 0 };
    struct jr_strs list = { 0 };

    assert_int_equal(jr_expectations_awaited(s->expectations, key, true, &arena, &list), JR_OK);
    return list.n;
}

/** An adoption that was asked for by an earlier life comes late, when another one has been made and
 * the Pod was counted: it isn't counted again. Of a Pod that was made so much can't happen. */
static void test_adopted_late(void **state)
{
    struct jr_job_key key = key_of("j", "u1");

    (void)state;
    for (int adopted = 0; adopted < 2; adopted++) {
        struct pod_made p = { .name = "p", .version = "1", .label = "u1" };
        struct jr_state s;
        struct jr_metrics *m;

        state_init(&s, &m);
        tell_job(&s, "j", "u1");
        if (adopted)
            tell_pod(&s, &p);
        p.version = "2";
        p.owner = "j";
        p.owner_uid = "u1";
        p.finalizer = FINALIZER;
        tell_pod(&s, &p);
        assert_int_equal(not_to_count(&s, &key), 0);
        assert_int_equal(jr_expectations_await(s.expectations, &key, JR_S("p")), JR_OK);
        assert_int_equal(not_to_count(&s, &key), 1);
        p.version = "3";
        p.finalizer = NULL;
        tell_pod(&s, &p);
        assert_int_equal(not_to_count(&s, &key), adopted);
        p.version = "4";
        p.finalizer = FINALIZER;
        tell_pod(&s, &p);
        assert_int_equal(not_to_count(&s, &key), adopted);
        tell_pod_gone(&s, &p);
        assert_int_equal(not_to_count(&s, &key), 0);
        state_done(&s, m);
    }
}

/** An entry that fails comes again; the Job of a selector is kept until it is done. */
static void test_orphans_again(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_orphan o;
    struct jr_mono later = { now.mono.ns + JR_SEC };
    struct jr_job *job = make_job("j", "u1", NULL, 1);

    (void)state;
    state_init(&s, &m);
    assert_int_equal(jr_orphans_add_job(s.orphans, job, now.mono), JR_OK);
    assert_int_equal(jr_orphans_add_job(s.orphans, job, now.mono), JR_OK);
    jr_job_unref(job);
    assert_int_equal(jr_orphans_get(s.orphans, now.mono, &o), JR_OK);
    assert_true(jr_str_is(o.job->meta.name, "j"));
    assert_int_equal(jr_orphans_done(s.orphans, &o, true, now.mono), JR_OK);
    assert_int_equal(jr_orphans_get(s.orphans, now.mono, &o), JR_NOTFOUND);
    assert_int_equal(jr_orphans_get(s.orphans, later, &o), JR_OK);
    assert_true(jr_str_is(o.job->meta.uid, "u1"));
    assert_int_equal(jr_orphans_done(s.orphans, &o, false, later), JR_OK);
    assert_int_equal(orphans_waiting(&s), 0);
    state_done(&s, m);
}

/** Pods that no sync lets go: of a Job that has finished, or is being deleted and doesn't match
 * them.
 */
static void test_strays(void **state)
{
    static const struct {
        const char *name;
        const char *meta;
        const char *status;
        struct pod_made pod;
        bool target;
    } rows[] = {
        { "works", "", "", { .name = "p", .finalizer = FINALIZER }, false },
        { "works and matches",
          "",
          "",
          { .name = "p", .finalizer = FINALIZER, .label = "u1" },
          false },
        { "deleted, doesn't match", DELETED, "", { .name = "p", .finalizer = FINALIZER }, true },
        { "deleted, matches",
          DELETED,
          "",
          { .name = "p", .finalizer = FINALIZER, .label = "u1" },
          false },
        { "finished", "", FINISHED, { .name = "p", .finalizer = FINALIZER, .label = "u1" }, true },
        { "finished, doesn't match", "", FINISHED, { .name = "p", .finalizer = FINALIZER }, true },
        { "finished, no finalizer", "", FINISHED, { .name = "p" }, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = job_text(rows[i].meta, rows[i].status);
        struct jr_orphan of_job = { .namespace = JR_S("ns"), .job = job };
        struct pod_made pod = rows[i].pod;
        struct jr_state s;
        struct jr_metrics *m;
        JR_POD_LIST list = { 0 };

        state_init(&s, &m);
        pod.owner = "j";
        pod.owner_uid = "u1";
        tell_job(&s, "j", "u1");
        tell_pod(&s, &pod);
        assert_int_equal(orphans_waiting(&s), 0);
        assert_int_equal(jr_handle_job(&s, job, now), JR_OK);
        check_int(rows[i].name, orphans_waiting(&s), *rows[i].meta != 0 || *rows[i].status != 0);
        assert_int_equal(jr_orphans_targets(&s, &of_job, &list), JR_OK);
        check_int(rows[i].name, list.n, rows[i].target);
        /* The Pod's coming does as well. */
        tell_pod_gone(&s, &pod);
        while (jr_orphans_get(s.orphans, now.mono, &of_job) == JR_OK)
            assert_int_equal(jr_orphans_done(s.orphans, &of_job, false, now.mono), JR_OK);
        tell_pod(&s, &pod);
        check_int(rows[i].name, orphans_waiting(&s), rows[i].target);
        state_done(&s, m);
    }
}

/** Its words would match, but it is no selector: the Job claims nothing, and as it goes its Pods
 * are let go. */
static void test_stray_of_an_unreadable_selector(void **state)
{
    JR_CLEANUP(jr_job_unrefp)
    struct jr_job *job = job_selecting(
        DELETED, ",\"matchExpressions\":[{\"key\":\"no key!\",\"operator\":\"DoesNotExist\"}]", "");
    struct jr_orphan of_job = { .namespace = JR_S("ns"), .job = job };
    struct jr_state s;
    struct jr_metrics *m;
    JR_POD_LIST list = { 0 };

    (void)state;
    state_init(&s, &m);
    assert_int_equal(jr_handle_job(&s, job, now), JR_OK);
    tell_pod(
        &s,
        &(struct pod_made){
            .name = "p", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER, .label = "u1" });
    assert_int_equal(jr_orphans_targets(&s, &of_job, &list), JR_OK);
    assert_int_equal(list.n, 1);
    state_done(&s, m);
}

/** A terminating Pod that another controller takes: the Job that had it may wait for its end. */
static void test_terminating_pod_taken(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    struct pod_made pod = {
        .name = "p", .owner = "j", .owner_uid = "u1", .deleted = "2026-03-01T12:00:00Z"
    };

    (void)state;
    state_init(&s, &m);
    tell_job(&s, "j", "u1");
    tell_pod(&s, &pod);
    drain(&s);
    pod.version = "2";
    pod.owner_uid = "u7";
    pod.owner = "k";
    tell_pod(&s, &pod);
    assert_true(jr_queue_look(s.jobs, JR_S("ns/j")).delayed);
    state_done(&s, m);
}

static void test_orphan_patch(void **state)
{
    struct jr_state s;
    struct jr_metrics *m;
    JR_CLEANUP(jr_pod_unrefp)
    struct jr_pod *pod = make_pod(&(struct pod_made){ .name = "p", .uid = "x", .version = "7" });
    JR_BUF out = { 0 };

    (void)state;
    state_init(&s, &m);
    jr_buf_init(&out, 1024);
    assert_int_equal(jr_orphans_patch(&s, pod, &out), JR_OK);
    assert_string_equal(out.p, "{\"metadata\":{\"uid\":\"x\",\"resourceVersion\":\"7\","
                               "\"$deleteFromPrimitiveList/finalizers\":[\"" FINALIZER "\"]}}");
    state_done(&s, m);
}

/** One of everything. Decoding is done before: it has tests of its own. */
static enum jr_status live(struct jr_state *s, const struct jr_job *job,
                           const struct jr_job *manual, struct jr_pod *const *pods, size_t n)
{
    struct jr_job_key key = key_of("j", "u1");
    struct jr_orphan o;
    enum jr_status st = jr_handle_job(s, job, now);
    struct jr_store_round round;

    if (st == JR_OK)
        st = jr_handle_job(s, manual, now);
    if (st == JR_OK)
        st = jr_handle_job(s, manual, now);
    for (size_t i = 0; st == JR_OK && i < n; i++)
        st = jr_handle_pod(s, pods[i], now);
    if (st == JR_OK)
        st = jr_expectations_set(s->expectations, &key, 1, 1, now.mono);
    if (st == JR_OK)
        st = jr_expectations_await(s->expectations, &key, JR_S("x"));
    if (st == JR_OK)
        st = jr_records_put(s->records, &key, &(struct jr_record){ .finished_mark = true });
    if (st == JR_OK)
        st = jr_queue_add_limited(s->jobs, JR_S("ns/j"), JR_S("why"), now.mono);
    if (st == JR_OK)
        st = jr_handle_job_gone(s, job, now);
    if (st == JR_OK)
        st = jr_orphans_get(s->orphans, now.mono, &o);
    if (st == JR_OK) {
        JR_POD_LIST list = { 0 };

        st = jr_orphans_targets(s, &o, &list);
        if (st == JR_OK)
            st = jr_orphans_done(s->orphans, &o, true, now.mono);
    }
    round = jr_store_begin(s->store, ALL_NAMESPACES);
    return st == JR_OK ? jr_handle_sweep(s, JR_STORE_PODS, &round, now) : st;
}

static void test_no_memory(void **state)
{
    struct jr_reconcile_options options = jr_reconcile_options_default();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job("j", "u1", NULL, 1);
    JR_CLEANUP(jr_job_unrefp) struct jr_job *manual = make_job("m", "u2", "x", 1);
    struct jr_pod *pods[] = {
        make_pod(&(struct pod_made){
            .name = "a", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER }),
        make_pod(&(struct pod_made){ .name = "b", .label = "u1", .finalizer = FINALIZER }),
        make_pod(&(struct pod_made){ .name = "b", .version = "2", .label = "u2" }),
        make_pod(&(struct pod_made){ .name = "c" }),
    };
    bool hit = true;

    (void)state;
    for (long n = 1; hit; n++) {
        struct jr_state s;
        enum jr_status st;

        jr_failalloc_arm(n);
        st = jr_state_init(&s, &options, false, NULL);
        if (st == JR_OK)
            st = live(&s, job, manual, pods, JR_ARRAY_SIZE(pods));
        jr_failalloc_disarm();
        hit = jr_failalloc_hit();
        assert_true(st == (hit ? JR_NOMEM : JR_OK));
        assert_true(hit || n > 20);
        jr_state_done(&s);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(pods); i++)
        jr_pod_unref(pods[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pod_replaced),
        cmocka_unit_test(test_late_deletion),
        cmocka_unit_test(test_unwanted),
        cmocka_unit_test(test_job_recreated),
        cmocka_unit_test(test_spared_until_gone),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_told_again),
        cmocka_unit_test(test_managed_by),
        cmocka_unit_test(test_orphans_again),
        cmocka_unit_test(test_adopted_late),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_stray_of_an_unreadable_selector),
        cmocka_unit_test(test_terminating_pod_taken),
        cmocka_unit_test(test_orphan_patch),
        cmocka_unit_test(test_orphan_awaited),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
