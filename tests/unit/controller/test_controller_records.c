/* SPDX-License-Identifier: Apache-2.0 */
/* What is remembered of Jobs: expectations, awaited removals, records. */
#include "tests/unit/controller/controller_test.h"

static const struct jr_object_key a1 = { { "ns", 2 }, { "a", 1 }, { "uid-1", 5 } };
static const struct jr_object_key a2 = { { "ns", 2 }, { "a", 1 }, { "uid-2", 5 } };
static const struct jr_object_key b1 = { { "n", 1 }, { "sa", 2 }, { "uid-3", 5 } };

/** A list resolves what was ambiguous when it began, not what was expected since. */
static void test_clear_older(void **state)
{
    const struct jr_object_key key = { JR_S("ns"), JR_S("a"), JR_S("1") };
    struct jr_expectations *e;
    uint64_t serial;

    (void)state;
    e = jr_expectations_new();
    assert_int_equal(jr_expectations_serial(e, &key), 0);
    jr_expectations_set(e, &key, 1, 0, AT_S(0));
    serial = jr_expectations_serial(e, &key);
    jr_expectations_set(e, &key, 2, 0, AT_S(1));
    jr_expectations_clear(e, &key, serial);
    assert_false(jr_expectations_satisfied(e, &key, AT_S(1)));
    jr_expectations_clear(e, &key, jr_expectations_serial(e, &key));
    assert_true(jr_expectations_satisfied(e, &key, AT_S(1)));
    jr_expectations_free(e);
}

static void test_counts(void **state)
{
    static const struct {
        const char *name;
        int32_t add, del, lower_add, lower_del;
        int at_s;
        bool want;
    } rows[] = {
        { "nothing left", 0, 0, 0, 0, 0, true },
        { "creations left", 1, 0, 0, 0, 0, false },
        { "deletions left", 0, 1, 0, 0, 0, false },
        { "both seen", 2, 3, 2, 3, 0, true },
        { "one not seen", 2, 3, 2, 2, 0, false },
        { "below zero", 0, 0, 5, 5, 0, true },
        { "one below zero, one left", 2, 0, 0, 5, 0, false },
        { "not yet too old", 1, 0, 0, 0, 300, false },
        { "too old", 1, 0, 0, 0, 301, true },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_expectations *e;

        e = jr_expectations_new();
        jr_expectations_set(e, &a1, rows[i].add, rows[i].del, AT_S(0));
        jr_expectations_lower(e, &a1, rows[i].lower_add, rows[i].lower_del);
        check_int(rows[i].name, jr_expectations_satisfied(e, &a1, AT_S(rows[i].at_s)),
                  rows[i].want);
        jr_expectations_free(e);
    }
}

static void test_counts_belong_to_a_uid(void **state)
{
    struct jr_expectations *e;

    (void)state;
    e = jr_expectations_new();
    assert_true(jr_expectations_satisfied(e, &a1, AT_S(0)));
    jr_expectations_lower(e, &a1, 1, 1); /* nothing to lower, nothing made */
    assert_false(jr_expectations_get(e, &a1).set);
    assert_int_equal(jr_expectations_count(e), 0);

    jr_expectations_set(e, &a1, 1, 0, AT_S(0));
    assert_true(jr_expectations_satisfied(e, &a2, AT_S(0)));
    assert_true(jr_expectations_satisfied(e, &b1, AT_S(0)));
    jr_expectations_lower(e, &a2, 1, 0);
    assert_false(jr_expectations_satisfied(e, &a1, AT_S(0)));
    jr_expectations_set(e, &b1, 1, 1, AT_S(0));

    /* The successor takes the place of the record. */
    jr_expectations_set(e, &a2, 0, 2, AT_S(0));
    assert_true(jr_expectations_satisfied(e, &a1, AT_S(0)));
    assert_int_equal(jr_expectations_get(e, &a2).del, 2);
    assert_int_equal(jr_expectations_count(e), 2);
    jr_expectations_drop(e, a2.namespace, a2.name);
    assert_true(jr_expectations_satisfied(e, &a2, AT_S(0)));
    assert_false(jr_expectations_satisfied(e, &b1, AT_S(0)));
    jr_expectations_free(e);
}

static void test_counts_end_at_the_type(void **state)
{
    struct jr_expectations *e;

    (void)state;
    e = jr_expectations_new();
    jr_expectations_set(e, &a1, INT32_MIN + 1, 0, AT_S(0));
    jr_expectations_lower(e, &a1, 2, 0);
    assert_int_equal(jr_expectations_get(e, &a1).add, INT32_MIN);
    jr_expectations_free(e);
}

static size_t awaited(const struct jr_expectations *e, const struct jr_object_key *key,
                      const char *uid)
{
    struct jr_strs list;
    JR_ARENA arena = { 0 };
    size_t n;

    jr_arena_init(&arena, 0);
    list = jr_expectations_awaited(e, key, true, &arena);
    n = list.n;
    if (uid != NULL && !jr_strs_has(&list, jr_str(uid)))
        n = SIZE_MAX;
    return n;
}

static void test_awaited(void **state)
{
    struct jr_expectations *e;

    (void)state;
    e = jr_expectations_new();
    jr_expectations_unawait(e, &a1, JR_S("x"));
    assert_int_equal(awaited(e, &a1, NULL), 0);
    jr_expectations_await(e, &a1, JR_S("x"));
    jr_expectations_await(e, &a1, JR_S("x"));
    jr_expectations_await(e, &a1, JR_S("y"));
    assert_int_equal(awaited(e, &a1, "y"), 2);
    assert_int_equal(awaited(e, &a2, NULL), 0);
    jr_expectations_unawait(e, &a2, JR_S("x"));
    jr_expectations_clear(e, &a1, jr_expectations_serial(e, &a1)); /* the counts only */
    assert_int_equal(awaited(e, &a1, "x"), 2);
    jr_expectations_unawait(e, &a1, JR_S("x"));
    assert_int_equal(awaited(e, &a1, "y"), 1);
    jr_expectations_unawait(e, &a1, JR_S("y"));
    assert_int_equal(awaited(e, &a1, NULL), 0);
    for (int i = 0; i < 1000; i++) {
        char uid[16];

        (void)snprintf(uid, sizeof(uid), "u%d", i);
        jr_expectations_await(e, &a1, jr_str(uid));
    }
    assert_int_equal(awaited(e, &a1, "u999"), 1000);
    jr_expectations_await(e, &a2, JR_S("z"));
    assert_int_equal(awaited(e, &a2, "z"), 1);
    assert_int_equal(awaited(e, &a1, NULL), 0);
    jr_expectations_free(e);
}

/* A Pod that the server has lost stays with the awaited ones until it is seen, but is not under
 * way. */
static void test_gone(void **state)
{
    struct jr_expectations *e;
    struct jr_strs list;
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    e = jr_expectations_new();
    jr_expectations_await(e, &a1, JR_S("x"));
    jr_expectations_gone(e, &a1, JR_S("x"));
    jr_expectations_gone(e, &a1, JR_S("y"));
    assert_int_equal(awaited(e, &a1, "x"), 2);
    list = jr_expectations_awaited(e, &a1, false, &arena);
    assert_int_equal(list.n, 0);
    jr_expectations_unawait(e, &a1, JR_S("x"));
    jr_expectations_unawait(e, &a1, JR_S("y"));
    assert_int_equal(awaited(e, &a1, NULL), 0);
    jr_expectations_free(e);
}

/** Pods that lost their finalizer are kept apart from the awaited, until somebody says otherwise or
 * the Job has ended. */
static void test_finalizer_lost(void **state)
{
    struct jr_expectations *e;
    struct jr_strs list;
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    e = jr_expectations_new();
    jr_expectations_finalizer_lost(e, &a1, JR_S("x"));
    jr_expectations_finalizer_lost(e, &a1, JR_S("x"));
    jr_expectations_finalizer_lost(e, &a1, JR_S("y"));
    assert_int_equal(awaited(e, &a1, NULL), 0);
    jr_expectations_unawait(e, &a1, JR_S("x"));
    jr_expectations_forget_finalizer_lost(e, &a1, JR_S("y"));
    jr_expectations_forget_finalizer_lost(e, &a2, JR_S("x"));
    list = jr_expectations_finalizers_lost(e, &a1, &arena);
    assert_int_equal(list.n, 1);
    assert_true(jr_str_is(list.v[0], "x"));
    list = jr_expectations_finalizers_lost(e, &a2, &arena);
    assert_int_equal(list.n, 0);
    jr_expectations_trim(e, &a1);
    assert_int_equal(jr_expectations_count(e), 0);
    jr_expectations_finalizer_lost(e, &a1, JR_S("x"));
    jr_expectations_free(e);
}

/** What is known of an adopted Pod while its removal is asked for, fails, goes well, and is asked
 * for again: a failed one is to be counted still, one that went well never again. Others are
 * forgotten when nothing is under way. */
static void test_adopted(void **state)
{
    enum { UNDER_WAY, NOT_TO_COUNT };
    static const struct {
        const char *name;
        const char *steps; /* A adopted, w await, u unawait, g gone, r removed, l lost */
        size_t under_way, not_to_count;
    } rows[] = {
        { "made", "w", 1, 1 },
        { "made, failed", "wu", 0, 0 },
        { "made, gone", "wg", 0, 1 },
        { "made, gone, seen", "wgr", 0, 0 },
        { "made, removed", "wr", 0, 0 },
        { "adopted", "A", 0, 0 },
        { "under way", "Aw", 1, 1 },
        { "failed", "Awu", 0, 0 },
        { "again", "Awuw", 1, 1 },
        { "gone", "Awg", 0, 1 },
        { "gone, then failed", "Awgu", 0, 1 },
        { "removed", "Awr", 0, 1 },
        { "removed, failed", "Awru", 0, 1 },
        { "removed twice", "Awrr", 0, 1 },
        { "lost", "Awl", 0, 0 },
        { "removed, lost", "Awrl", 0, 0 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_expectations *e;
        struct jr_strs list;
        JR_ARENA arena = { 0 };

        jr_arena_init(&arena, 0);
        e = jr_expectations_new();
        for (const char *s = rows[i].steps; *s != '\0'; s++) {
            if (*s == 'A')
                jr_expectations_adopted(e, &a1, JR_S("x"));
            else if (*s == 'w')
                jr_expectations_await(e, &a1, JR_S("x"));
            else if (*s == 'g')
                jr_expectations_gone(e, &a1, JR_S("x"));
            else if (*s == 'u')
                jr_expectations_unawait(e, &a1, JR_S("x"));
            else if (*s == 'r')
                jr_expectations_removed(e, &a1, JR_S("x"));
            else
                jr_expectations_lost(e, &a1, JR_S("x"));
        }
        for (int kind = UNDER_WAY; kind <= NOT_TO_COUNT; kind++) {
            list = jr_expectations_awaited(e, &a1, kind == NOT_TO_COUNT, &arena);
            check_int(rows[i].name, list.n,
                      kind == NOT_TO_COUNT ? rows[i].not_to_count : rows[i].under_way);
        }
        check_int(rows[i].name, jr_expectations_awaits(e, &a1, JR_S("x")), rows[i].under_way);
        jr_expectations_free(e);
    }
}

static void test_trim(void **state)
{
    struct jr_expectations *e;

    (void)state;
    e = jr_expectations_new();
    jr_expectations_trim(e, &a1);
    jr_expectations_set(e, &a1, 0, 1, AT_S(0));
    jr_expectations_trim(e, &a1);
    assert_int_equal(jr_expectations_count(e), 1);
    jr_expectations_lower(e, &a1, 0, 1);
    jr_expectations_await(e, &a1, JR_S("x"));
    jr_expectations_trim(e, &a1);
    jr_expectations_unawait(e, &a1, JR_S("x"));
    jr_expectations_trim(e, &a2);
    assert_int_equal(jr_expectations_count(e), 1);
    jr_expectations_trim(e, &a1);
    assert_int_equal(jr_expectations_count(e), 0);
    jr_expectations_free(e);
}

static void test_records(void **state)
{
    const struct jr_record rec = { .backoff_written = true, .written_job_version = 7 };
    struct jr_records *r;

    (void)state;
    r = jr_records_new();
    assert_false(jr_records_get(r, &a1).backoff_written);
    jr_records_put(r, &a1, &rec);
    assert_int_equal(jr_records_get(r, &a1).written_job_version, 7);
    assert_false(jr_records_get(r, &a2).backoff_written);
    jr_records_put(r, &a2, &(struct jr_record){ .finished_mark = true });
    assert_int_equal(jr_records_get(r, &a1).written_job_version, 0);
    assert_true(jr_records_get(r, &a2).finished_mark);
    jr_records_put(r, &b1, &rec);
    assert_int_equal(jr_records_count(r), 2);
    jr_records_drop(r, a1.namespace, a1.name);
    jr_records_drop(r, a1.namespace, a1.name);
    assert_false(jr_records_get(r, &a2).finished_mark);
    assert_int_equal(jr_records_count(r), 1);
    jr_records_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_counts_belong_to_a_uid),
        cmocka_unit_test(test_counts_end_at_the_type),
        cmocka_unit_test(test_awaited),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_adopted),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_finalizer_lost),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_clear_older),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
