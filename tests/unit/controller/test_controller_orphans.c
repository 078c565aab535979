/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that have the finalizer and no Job that would take it off: who they are, when they are
 * looked at, and what is sent. */
#include "tests/unit/controller/handlers_scene.h"

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

static size_t orphan_targets(const struct jr_state *s, const char *pod)
{
    const struct jr_orphan orphan = { .namespace = JR_S("ns"), .name = jr_str(pod) };
    JR_POD_LIST list = { 0 };

    jr_orphans_targets(s, &orphan, &list);
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
    struct jr_object_key key = key_of("j", "u1");
    struct jr_state s;
    struct jr_metrics *m;

    (void)state;
    state_init(&s, &m);
    assert_int_equal(jr_job_decode(jr_str(text), &job, NULL), JR_OK);
    jr_handle(&s, JR_STORE_JOBS, job, now);
    tell_pod(&s, &made);
    assert_int_equal(orphan_targets(&s, "p"), 1);
    jr_expectations_await(s.expectations, &key, pod->uid);
    assert_int_equal(orphan_targets(&s, "p"), 0);
    jr_expectations_unawait(s.expectations, &key, pod->uid); /* it failed */
    assert_int_equal(orphan_targets(&s, "p"), 1);
    state_done(&s, m);
}

/** How many Pods a sync of the Job is told not to count. */
static size_t not_to_count(struct jr_state *s, const struct jr_object_key *key)
{
    JR_ARENA arena = { 0 };
    struct jr_strs list = { 0 };

    list = jr_expectations_awaited(s->expectations, key, true, &arena);
    return list.n;
}

/** An adoption that was asked for by an earlier life comes late, when another one has been made and
 * the Pod was counted: it isn't counted again. Of a Pod that was made so much can't happen. */
static void test_adopted_late(void **state)
{
    struct jr_object_key key = key_of("j", "u1");

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
        jr_expectations_await(s.expectations, &key, JR_S("p"));
        assert_int_equal(not_to_count(&s, &key), 1);
        jr_expectations_unawait(s.expectations, &key,
                                JR_S("p")); /* it failed: still to be counted */
        assert_int_equal(not_to_count(&s, &key), 0);
        jr_expectations_await(s.expectations, &key, JR_S("p"));
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

/** An entry that fails comes again; the Job of a selector is kept until it is done, and no longer.
 */
static void test_orphans_again(void **state)
{
    struct jr_job *edited;
    struct jr_state s;
    struct jr_metrics *m;
    struct jr_orphan o;
    struct jr_mono later = { now.mono.ns + JR_SEC };
    struct jr_job *job = make_job("j", "u1", NULL, 1);

    (void)state;
    state_init(&s, &m);
    jr_orphans_add_job(s.orphans, job, now.mono);
    jr_orphans_add_job(s.orphans, job, now.mono);
    jr_job_unref(job);
    assert_int_equal(jr_orphans_get(s.orphans, now.mono, &o), JR_OK);
    assert_true(jr_str_is(o.job->meta.name, "j"));
    jr_orphans_done(s.orphans, &o, true, now.mono);
    assert_int_equal(jr_orphans_get(s.orphans, now.mono, &o), JR_NOTFOUND);
    assert_int_equal(jr_orphans_get(s.orphans, later, &o), JR_OK);
    assert_true(jr_str_is(o.job->meta.uid, "u1"));
    jr_orphans_done(s.orphans, &o, false, later);
    assert_int_equal(orphans_waiting(&s), 0);
    edited = make_job("j", "u1", NULL, 2);
    jr_orphans_add_job(s.orphans, edited, later);
    assert_int_equal(jr_orphans_get(s.orphans, later, &o), JR_OK);
    assert_ptr_equal(o.job, edited);
    jr_orphans_done(s.orphans, &o, false, later);
    jr_job_unref(edited);
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
        jr_handle(&s, JR_STORE_JOBS, job, now);
        check_int(rows[i].name, orphans_waiting(&s), *rows[i].meta != 0 || *rows[i].status != 0);
        jr_orphans_targets(&s, &of_job, &list);
        check_int(rows[i].name, list.n, rows[i].target);
        /* The Pod's coming does as well. */
        tell_pod_gone(&s, &pod);
        while (jr_orphans_get(s.orphans, now.mono, &of_job) == JR_OK)
            jr_orphans_done(s.orphans, &of_job, false, now.mono);
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
    jr_handle(&s, JR_STORE_JOBS, job, now);
    tell_pod(
        &s,
        &(struct pod_made){
            .name = "p", .owner = "j", .owner_uid = "u1", .finalizer = FINALIZER, .label = "u1" });
    jr_orphans_targets(&s, &of_job, &list);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orphan_awaited),
        cmocka_unit_test(test_adopted_late),
        cmocka_unit_test(test_orphans_again),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_stray_of_an_unreadable_selector),
        cmocka_unit_test(test_terminating_pod_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
