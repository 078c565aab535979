/* SPDX-License-Identifier: Apache-2.0 */
#include "common/job/indexes.h"

#include "common/base/clock.h"
#include "tests/support/failalloc.h"
#include "tests/unit/job/job_test.h"

#define INDEXES JR_CLEANUP(jr_indexes_done) struct jr_indexes

static void want_text(const char *name, const struct jr_indexes *s, const char *want)
{
    JR_BUF b = { 0 };

    jr_buf_init(&b, (size_t)1 << 20);
    assert_int_equal(jr_indexes_write(s, &b), JR_OK);
    WANT_STR(name, b.p == NULL ? "" : b.p, want);
}

static void added(void **state)
{
    static const struct {
        int32_t v[12];
        const char *want;
    } rows[] = {
        { { -1 }, "" },
        { { 0, -1 }, "0" },
        { { 1, 3, 4, 5, 7, -1 }, "1,3-5,7" },
        { { 0, 1, -1 }, "0,1" },
        { { 7, 5, 3, 4, 1, -1 }, "1,3-5,7" },
        { { 5, 5, 5, -1 }, "5" },
        { { 1, 3, 2, -1 }, "1-3" },
        { { 9, 1, 5, 3, 7, 8, 4, 6, 2, -1 }, "1-9" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        INDEXES s = { 0 };

        for (const int32_t *v = rows[i].v; *v >= 0; v++)
            assert_int_equal(jr_indexes_add(&s, *v), JR_OK);
        want_text(rows[i].want, &s, rows[i].want);
    }
}

/** A set that is done is empty, and takes new ones. */
static void added_again(void **state)
{
    INDEXES s = { 0 };

    (void)state;
    assert_int_equal(jr_indexes_add(&s, 3), JR_OK);
    jr_indexes_done(&s);
    want_text("done", &s, "");
    assert_int_equal(jr_indexes_add(&s, 4), JR_OK);
    want_text("again", &s, "4");
}

/** Against an array of bits. */
static void random_sets(void **state)
{
    struct jr_rand_seeded seed;
    struct jr_rand r = jr_rand_of_seed(&seed, 7);

    (void)state;
    for (int run = 0; run < 200; run++) {
        INDEXES a = { 0 }, b = { 0 };
        bool in_a[64] = { false }, in_b[64] = { false };
        int64_t n = 0;
        int32_t common = -1;

        for (int k = 0; k < 40; k++) {
            int32_t v = (int32_t)jr_rand_below(&r, 64);
            int32_t w = (int32_t)jr_rand_below(&r, 64);

            in_a[v] = true;
            assert_int_equal(jr_indexes_add(&a, v), JR_OK);
            if (k % 4 == 0) {
                in_b[w] = true;
                assert_int_equal(jr_indexes_add(&b, w), JR_OK);
            }
        }
        for (int32_t v = 63; v >= 0; v--) {
            if (in_a[v] && in_b[v])
                common = v;
            assert_int_equal(jr_indexes_has(&a, v), in_a[v]);
        }
        assert_int_equal(jr_indexes_common(&a, &b), common);
        assert_int_equal(jr_indexes_merge(&a, &b), JR_OK);
        for (int32_t v = 0; v < 64; v++) {
            assert_int_equal(jr_indexes_has(&a, v), in_a[v] || in_b[v]);
            n += in_a[v] || in_b[v];
        }
        assert_int_equal(jr_indexes_count(&a), n);
        for (size_t i = 1; i < a.n; i++)
            assert_true(a.v[i - 1].last + 1 < a.v[i].first);
    }
}

static void read_back(void **state)
{
    static const struct {
        const char *text;
        int32_t completions;
        const char *want;
    } rows[] = {
        { "", 5, "" },
        { "0-2,4", 5, "0-2,4" },
        { "0-2,4", 4, "0-2" },
        { "0-9", 5, "0-4" },
        { "0,1,2", 5, "0-2" },
        { "0-1,2-3", 5, "0-3" },
        { "a,1,2-x,3", 5, "1,3" },
        { "1,,3", 5, "1,3" },
        { "-1,3", 5, "3" },
        { "7,1", 5, "" }, /* it stops at the first one that is too large */
        { "1-2-3", 5, "1,2" },
        { "3,1", 5, "1,3" },
        { "5-3", 9, "" },
        { "99999999999999999999,1", 5, "1" },
        { "2147483646", INT32_MAX, "2147483646" },
        { "0-2147483646", INT32_MAX, "0-2147483646" },
        { "0", 0, "" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        INDEXES s = { 0 };

        assert_int_equal(jr_indexes_add(&s, 1234), JR_OK); /* is replaced */
        assert_int_equal(jr_indexes_read(jr_str(rows[i].text), rows[i].completions, &s), JR_OK);
        want_text(rows[i].text, &s, rows[i].want);
    }
}

static void parsed(void **state)
{
    static const struct {
        const char *text;
        int64_t completions;
        const char *want; /* the set, or the error's words */
        enum jr_status st;
    } rows[] = {
        { "", 5, "", JR_OK },
        { "1,3-5,7", 8, "1,3-5,7", JR_OK },
        { "+0,01-003", 9, "0-3", JR_OK },
        { "0,1", 9, "0,1", JR_OK },
        { "1-2-3", 5,
          "the fragment \"1-2-3\" violates the requirement that an index interval can have at most "
          "two parts separated by '-'",
          JR_INVALID },
        { "a", 5, "cannot convert string to integer for index: \"a\"", JR_INVALID },
        { "-1", 5, "cannot convert string to integer for index: \"\"", JR_INVALID },
        { "1,", 5, "cannot convert string to integer for index: \"\"", JR_INVALID },
        { "1, 2", 5, "cannot convert string to integer for index: \" 2\"", JR_INVALID },
        { "1\n", 5, "cannot convert string to integer for index: \"1\\n\"", JR_INVALID },
        { "99999999999999999999", 5,
          "cannot convert string to integer for index: \"99999999999999999999\"", JR_INVALID },
        { "5", 5, "too large index: \"5\"", JR_INVALID },
        { "3-05", 5, "too large index: \"05\"", JR_INVALID },
        { "0", -1, "too large index: \"0\"", JR_INVALID },
        { "3-1", 5, "non-increasing order, previous: 3, current: 1", JR_INVALID },
        { "2-2", 5, "non-increasing order, previous: 2, current: 2", JR_INVALID },
        { "0-2,2", 5, "non-increasing order, previous: 2, current: 2", JR_INVALID },
        { "3,1", 5, "non-increasing order, previous: 3, current: 1", JR_INVALID },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_str text = jr_str(rows[i].text);
        JR_BUF why = { 0 };
        INDEXES s = { 0 };
        int64_t count = -1;
        enum jr_status st;

        jr_buf_init(&why, 1000);
        st = jr_indexes_check(text, rows[i].completions, &count, &why);
        WANT_INT(rows[i].text, st, rows[i].st);
        if (st != JR_OK) {
            WANT_VIEW(rows[i].text, jr_buf_str(&why), jr_str(rows[i].want));
            continue;
        }
        assert_int_equal(jr_indexes_read(text, (int32_t)rows[i].completions, &s), JR_OK);
        want_text(rows[i].text, &s, rows[i].want);
        WANT_INT(rows[i].text, count, jr_indexes_count(&s));
    }
}

static void without_memory(void **state)
{
    (void)state;
    for (long n = 1;; n++) {
        INDEXES s = { 0 };
        enum jr_status st;

        jr_failalloc_arm(n);
        st = jr_indexes_read(JR_S("0,2,4,6,8,10,12,14,16,18"), 20, &s);
        if (st == JR_OK)
            st = jr_indexes_merge(&s, &(struct jr_indexes){ &(struct jr_interval){ 1, 1 }, 1, 1 });
        if (jr_failalloc_over(st))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added),       cmocka_unit_test(added_again),
        cmocka_unit_test(random_sets), cmocka_unit_test(read_back),
        cmocka_unit_test(parsed),      cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
