/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: what is kept, and under which index it is found again. */
#include "tests/unit/controller/controller_test.h"

#define FINALIZER "batch.kubernetes.io/job-tracking"

static struct jr_store *new_store(void)
{
    struct jr_store *s;

    s = jr_store_new(JR_S(FINALIZER));
    return s;
}

static void put_pod(struct jr_store *s, const struct pod_made *m)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(m);

    jr_cache_apply(jr_store_cache(s, JR_STORE_PODS), pod, NULL, NULL);
}

static void put_job(struct jr_store *s, const char *name, const char *uid, const char *app)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job(name, uid, app, 1);

    jr_cache_apply(jr_store_cache(s, JR_STORE_JOBS), job, NULL, NULL);
}

static void remove_pod(struct jr_store *s, const char *name)
{
    const struct jr_pod *pod = jr_store_pod(s, JR_S("ns"), jr_str(name));

    assert_non_null(pod);
    jr_cache_remove(jr_store_cache(s, JR_STORE_PODS), pod, NULL, NULL);
    assert_null(jr_store_pod(s, JR_S("ns"), jr_str(name)));
}

/** The names of a list, in its order. */
static const char *names_of(const struct jr_pod_list *l, char *out, size_t cap)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < l->n; i++)
        n += (size_t)snprintf(out + n, cap - n, "%s%.*s", i == 0 ? "" : " ", JR_P(l->v[i]->name));
    return out;
}

static void expect_candidates(const struct jr_store *s, const char *job, const char *want)
{
    const struct jr_job *j = jr_store_job(s, JR_S("ns"), jr_str(job));
    char text[256];
    JR_POD_LIST list = { 0 };

    assert_non_null(j);
    jr_store_candidates(s, j, &list);
    assert_string_equal(names_of(&list, text, sizeof(text)), want);
}

static void test_wants(void **state)
{
    static const struct {
        struct pod_made pod;
        bool want;
    } rows[] = {
        { { .name = "bare" }, true },
        { { .name = "bare-with-finalizer", .finalizer = FINALIZER }, true },
        { { .name = "of-a-job", .owner = "j", .owner_uid = "u" }, true },
        { { .name = "of-a-set", .owner_kind = "ReplicaSet", .owner = "r", .owner_uid = "u" },
          false },
        { { .name = "of-a-set-with-finalizer",
            .owner_kind = "ReplicaSet",
            .owner = "r",
            .owner_uid = "u",
            .finalizer = FINALIZER },
          true },
        { { .name = "other-finalizer",
            .owner_kind = "ReplicaSet",
            .owner = "r",
            .owner_uid = "u",
            .finalizer = "x/y" },
          false },
    };
    struct jr_store *s = new_store();

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(&rows[i].pod);

        check_int(rows[i].pod.name, jr_store_wants(s, pod), rows[i].want);
    }
    jr_store_free(s);
}

static void test_owner(void **state)
{
    static const struct {
        struct pod_made pod;
        bool want;
    } rows[] = {
        { { .name = "its", .owner = "j", .owner_uid = "u1" }, true },
        { { .name = "other-uid", .owner = "j", .owner_uid = "u2" }, false },
        { { .name = "other-name", .owner = "k", .owner_uid = "u1" }, false },
        { { .name = "other-kind", .owner_kind = "CronJob", .owner = "j", .owner_uid = "u1" },
          false },
        { { .name = "bare" }, false },
    };
    struct jr_store *s = new_store();

    (void)state;
    put_job(s, "j", "u1", NULL);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(&rows[i].pod);

        check_int(rows[i].pod.name, jr_store_owner(s, pod) != NULL, rows[i].want);
    }
    jr_store_free(s);
}

static void test_candidates(void **state)
{
    struct jr_store *s = new_store();

    (void)state;
    put_job(s, "j", "u1", NULL);
    put_job(s, "manual", "u2", "x");
    expect_candidates(s, "j", "");
    put_pod(s, &(struct pod_made){ .name = "p1", .owner = "j", .owner_uid = "u1" });
    put_pod(s, &(struct pod_made){ .name = "p2", .owner = "j", .owner_uid = "u1", .label = "u1" });
    put_pod(s,
            &(struct pod_made){ .name = "other", .owner = "k", .owner_uid = "u9", .label = "u1" });
    put_pod(s, &(struct pod_made){ .name = "orphan", .label = "u1" });
    put_pod(s, &(struct pod_made){ .name = "stray", .label = "u7" });
    put_pod(s, &(struct pod_made){ .name = "bare" });
    expect_candidates(s, "j", "p1 p2 orphan");
    expect_candidates(s, "manual", "");

    /* An orphan is adopted, another is released, one loses its label. */
    put_pod(s,
            &(struct pod_made){ .name = "orphan", .owner = "j", .owner_uid = "u1", .label = "u1" });
    put_pod(s, &(struct pod_made){ .name = "p1" });
    expect_candidates(s, "j", "p2 orphan");
    put_pod(s, &(struct pod_made){ .name = "p1", .label = "u1" });
    expect_candidates(s, "j", "p2 orphan p1");
    put_pod(s, &(struct pod_made){ .name = "p1", .label = "u7" });
    remove_pod(s, "p2");
    expect_candidates(s, "j", "orphan");
    remove_pod(s, "orphan");
    expect_candidates(s, "j", "");
    assert_int_equal(jr_store_count(s, JR_STORE_PODS), 4);
    jr_store_free(s);
}

static void collect(void *ctx, const struct jr_job *job)
{
    char *text = ctx;

    (void)snprintf(text + strlen(text), 256 - strlen(text), "%.*s ", JR_P(job->meta.name));
}

static void test_matches(void **state)
{
    static const struct {
        struct pod_made pod;
        const char *want;
    } rows[] = {
        { { .name = "labelled", .label = "u1" }, "j legacy " },
        { { .name = "unlabelled" }, "" },
        { { .name = "unknown", .label = "u9" }, "" },
        { { .name = "manual", .label = "u3" }, "" }, /* that Job asks for app=x, not for its uid */
    };
    struct jr_store *s = new_store();

    (void)state;
    put_job(s, "j", "u1", NULL);
    put_job(s, "manual", "u3", "x");
    {
        /* A selector like a generated one, but for another Job's uid. */
        JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job("legacy", "u1", NULL, 1);

        job->meta.uid = JR_S("u5");
        jr_cache_apply(jr_store_cache(s, JR_STORE_JOBS), job, NULL, NULL);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = make_pod(&rows[i].pod);
        char got[256] = "";

        jr_store_each_match(s, pod, collect, got);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got \"%s\", expected \"%s\"", rows[i].pod.name, got, rows[i].want);
    }
    jr_store_free(s);
}

static void test_select(void **state)
{
    struct jr_store *s = new_store();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = make_job("j", "u1", NULL, 1);
    struct jr_selector all = { .set = true };
    char text[256];
    JR_POD_LIST list = { 0 };
    JR_POD_LIST every = { 0 };

    (void)state;
    put_pod(s, &(struct pod_made){ .name = "p1", .owner = "j", .owner_uid = "u1", .label = "u1" });
    put_pod(s, &(struct pod_made){ .name = "p2", .owner = "j", .owner_uid = "u1" });
    put_pod(s, &(struct pod_made){ .name = "o", .label = "u1" });
    jr_store_select(s, JR_S("ns"), &job->spec.selector, &list);
    assert_string_equal(names_of(&list, text, sizeof(text)), "p1 o");
    jr_store_select(s, JR_S("ns"), &all, &every);
    assert_int_equal(every.n, 3);
    jr_store_select(s, JR_S("other"), &all, &every);
    assert_int_equal(every.n, 3);
    jr_store_free(s);
}

static void count_pod(void *ctx, const void *object)
{
    const struct jr_pod *pod = object;

    assert_true(jr_str_starts(pod->name, JR_S("gone")));
    ++*(int *)ctx;
}

static void count_job(void *ctx, const void *object)
{
    const struct jr_job *job = object;

    assert_true(jr_str_is(job->meta.name, "gone"));
    ++*(int *)ctx;
}

static const struct jr_cache_events pods_swept = { .gone = count_pod };
static const struct jr_cache_events jobs_swept = { .gone = count_job };

static void test_sweep(void **state)
{
    struct jr_store *s = new_store();
    struct jr_cache_round round;
    int swept = 0;

    (void)state;
    put_job(s, "stays", "u1", NULL);
    put_job(s, "gone", "u2", "x");
    for (int i = 0; i < 200; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "gone%d", i);
        put_pod(s, &(struct pod_made){ .name = name, .owner = "gone", .owner_uid = "u2" });
    }
    put_pod(s, &(struct pod_made){ .name = "stays", .owner = "stays", .owner_uid = "u1" });
    round = jr_cache_begin(jr_store_cache(s, JR_STORE_PODS), ALL_NAMESPACES);
    put_pod(s, &(struct pod_made){ .name = "stays", .owner = "stays", .owner_uid = "u1" });
    jr_cache_sweep(jr_store_cache(s, JR_STORE_PODS), &round, &pods_swept, &swept);
    assert_int_equal(swept, 200);
    assert_int_equal(jr_store_count(s, JR_STORE_PODS), 1);
    assert_int_equal(jr_store_count(s, JR_STORE_JOBS), 2);
    round = jr_cache_begin(jr_store_cache(s, JR_STORE_JOBS), ALL_NAMESPACES);
    put_job(s, "stays", "u1", NULL);
    swept = 0;
    jr_cache_sweep(jr_store_cache(s, JR_STORE_JOBS), &round, &jobs_swept, &swept);
    assert_int_equal(swept, 1);
    expect_candidates(s, "stays", "stays");
    jr_store_free(s);
}

static void test_versions(void **state)
{
    struct jr_store *s = new_store();

    (void)state;
    assert_int_equal(jr_store_version(s, JR_STORE_JOBS, JR_S("any")), 0);
    jr_store_progress(s, JR_STORE_JOBS, ALL_NAMESPACES, JR_S("17"));
    jr_store_progress(s, JR_STORE_PODS, ALL_NAMESPACES, JR_S("18446744073709551615"));
    assert_int_equal(jr_store_version(s, JR_STORE_JOBS, JR_S("any")), 17);
    assert_true(jr_store_version(s, JR_STORE_PODS, JR_S("any")) == UINT64_MAX);
    jr_store_progress(s, JR_STORE_JOBS, ALL_NAMESPACES, JR_S("not a number"));
    assert_int_equal(jr_store_version(s, JR_STORE_JOBS, JR_S("any")), 0);
    jr_store_free(s);
}

/** A Pod of a namespace of its own. */
static void put_pod_in(struct jr_store *s, const char *namespace, const char *name)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    char text[256];

    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\"}}",
                   namespace, name, name);
    assert_int_equal(jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
    jr_cache_apply(jr_store_cache(s, JR_STORE_PODS), pod, NULL, NULL);
}

/** Namespaces that are listed one by one don't take what is the others', however their lists
 * overlap, and each is as new as its own stream. */
static void test_namespaces_apart(void **state)
{
    const struct jr_str names[] = { JR_S("a"), JR_S("b") };
    struct jr_store *s = new_store();
    struct jr_cache_round a, b;
    int swept = 0;

    (void)state;
    jr_store_split(s, names, 2);
    put_pod_in(s, "a", "gone-a");
    put_pod_in(s, "b", "gone-b");
    a = jr_cache_begin(jr_store_cache(s, JR_STORE_PODS), names[0]);
    put_pod_in(s, "a", "a-early");
    b = jr_cache_begin(jr_store_cache(s, JR_STORE_PODS), names[1]);
    put_pod_in(s, "a", "a-late");
    put_pod_in(s, "b", "b-late");
    jr_cache_sweep(jr_store_cache(s, JR_STORE_PODS), &a, &pods_swept, &swept);
    assert_int_equal(swept, 1);
    assert_null(jr_store_pod(s, JR_S("a"), JR_S("gone-a")));
    assert_non_null(jr_store_pod(s, JR_S("a"), JR_S("a-early")));
    assert_non_null(jr_store_pod(s, JR_S("b"), JR_S("gone-b")));
    jr_cache_sweep(jr_store_cache(s, JR_STORE_PODS), &b, &pods_swept, &swept);
    assert_int_equal(swept, 2);
    assert_int_equal(jr_store_count(s, JR_STORE_PODS), 3);
    jr_store_progress(s, JR_STORE_PODS, names[1], JR_S("9"));
    assert_int_equal(jr_store_version(s, JR_STORE_PODS, JR_S("a")), 0);
    assert_int_equal(jr_store_version(s, JR_STORE_PODS, JR_S("b")), 9);
    assert_int_equal(jr_store_version(s, JR_STORE_PODS, JR_S("c")), 0);
    jr_store_free(s);
}

/** Orphans of a selector that somebody wrote, in a namespace of one letter. */
static void test_manual_selector(void **state)
{
    struct jr_store *s = new_store();
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    char text[256];
    JR_POD_LIST list = { 0 };

    (void)state;
    assert_int_equal(jr_job_decode(JR_S("{\"metadata\":{\"namespace\":\"a\",\"name\":\"j\","
                                        "\"uid\":\"u\"},\"spec\":{\"selector\":{"
                                        "\"matchLabels\":{\"app\":\"x\"}}}}"),
                                   &job, NULL),
                     JR_OK);
    for (int i = 0; i < 6; i++) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;

        (void)snprintf(text, sizeof(text),
                       "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"p%d\",\"uid\":\"%d\","
                       "\"labels\":{\"app\":\"%s\"}}}",
                       i == 1 ? "b" : "a", i, i, i == 3 ? "y" : "x");
        assert_int_equal(jr_pod_decode(jr_str(text), &pod, NULL), JR_OK);
        jr_cache_apply(jr_store_cache(s, JR_STORE_PODS), pod, NULL, NULL);
    }
    jr_store_candidates(s, job, &list);
    assert_string_equal(names_of(&list, text, sizeof(text)), "p0 p2 p4 p5");
    jr_store_free(s);
}

/** Random changes: the indexes agree with a look at everything. */
static void test_indexes_agree(void **state)
{
    static const char *const uids[] = { "u0", "u1", "u2" };
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 3);
    struct jr_store *s = new_store();
    int owner[40], label[40]; /* -1: none, -2 (owner): not there */

    (void)state;
    for (int i = 0; i < 40; i++)
        owner[i] = -2;
    for (int j = 0; j < 3; j++)
        put_job(s, uids[j], uids[j], NULL);
    for (int step = 0; step < 4000; step++) {
        int i = (int)jr_rand_below(&rand, 40), job = (int)jr_rand_below(&rand, 3);
        char name[16];
        size_t want = 0;
        JR_POD_LIST list = { 0 };

        (void)snprintf(name, sizeof(name), "p%d", i);
        if (jr_rand_below(&rand, 4) == 0 && owner[i] != -2) {
            remove_pod(s, name);
            owner[i] = -2;
        } else {
            owner[i] = (int)jr_rand_below(&rand, 4) - 1;
            label[i] = (int)jr_rand_below(&rand, 4) - 1;
            put_pod(s, &(struct pod_made){ .name = name,
                                           .owner = owner[i] < 0 ? NULL : uids[owner[i]],
                                           .owner_uid = owner[i] < 0 ? NULL : uids[owner[i]],
                                           .label = label[i] < 0 ? NULL : uids[label[i]] });
        }
        for (int k = 0; k < 40; k++)
            want += owner[k] == job || (owner[k] == -1 && label[k] == job);
        jr_store_candidates(s, jr_store_job(s, JR_S("ns"), jr_str(uids[job])), &list);
        assert_int_equal(list.n, want);
    }
    jr_store_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wants),           cmocka_unit_test(test_owner),
        cmocka_unit_test(test_candidates),      cmocka_unit_test(test_matches),
        cmocka_unit_test(test_select),          cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_namespaces_apart),
        cmocka_unit_test(test_manual_selector), cmocka_unit_test(test_indexes_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
