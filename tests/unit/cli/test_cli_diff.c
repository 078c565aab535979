/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/diff.h"
#include "common/base/clock.h"

static void check(const char *name, const char *a, const char *b, const char *want)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, 1 << 20);
    assert_int_equal(jr_diff_write(jr_str(a), "a", jr_str(b), "b", &out), JR_OK);
    if (!jr_str_is(jr_buf_str(&out), want))
        fail_msg("%s: got\n%.*s\nwant\n%s", name, JR_P(jr_buf_str(&out)), want);
}

static void test_cases(void **state)
{
    (void)state;
    check("equal", "x\ny\n", "x\ny\n", "");
    check("added to nothing", "", "x\n", "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
    check("all removed", "x\n", "", "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
    check("one line in the middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
          "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    check("two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n",
          "--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+"
          "ten\n");
}

/* Applies a diff: kept and added lines of the hunks, and what lies between them. */
static void patched(struct jr_str a, struct jr_str diff, struct jr_buf *out)
{
    struct jr_str line, rest = diff, from = a, taken;
    size_t at = 0;
    int64_t first;

    while (jr_str_cut(&rest, '\n', &line)) {
        if (jr_str_starts(line, JR_S("@@ -"))) {
            struct jr_str n = jr_str_from(line, 4), count;
            ptrdiff_t comma = jr_str_find(n, ',');
            count = jr_str_from(n, (size_t)comma + 1);
            assert_true(comma > 0);
            int64_t k = 0;
            for (ptrdiff_t i = 0; i < comma; i++)
                k = k * 10 + (n.p[i] - '0');
            first = count.p[0] == '0' && count.p[1] == ' ' ? k : k - 1;
            for (; (int64_t)at < first; at++) {
                assert_true(jr_str_cut(&from, '\n', &taken));
                assert_int_equal(jr_buf_addf(out, "%.*s\n", JR_P(taken)), JR_OK);
            }
        } else if (line.n > 0 && (line.p[0] == ' ' || (line.p[0] == '-' && line.n < 4))) {
            assert_true(jr_str_cut(&from, '\n', &taken));
            assert_true(jr_str_eq(taken, jr_str_from(line, 1)));
            at++;
            if (line.p[0] == ' ')
                assert_int_equal(jr_buf_addf(out, "%.*s\n", JR_P(taken)), JR_OK);
        } else if (line.n > 0 && line.p[0] == '+' && line.n < 4) {
            assert_int_equal(jr_buf_addf(out, "%.*s\n", JR_P(jr_str_from(line, 1))), JR_OK);
        }
    }
    while (jr_str_cut(&from, '\n', &taken))
        assert_int_equal(jr_buf_addf(out, "%.*s\n", JR_P(taken)), JR_OK);
}

static void test_a_diff_applied_gives_the_other_text(void **state)
{
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 7);

    (void)state;
    for (int round = 0; round < 500; round++) {
        JR_BUF a = { 0 };
        JR_BUF b = { 0 };
        JR_BUF diff = { 0 };
        JR_BUF got = { 0 };

        jr_buf_init(&a, 65536);
        jr_buf_init(&b, 65536);
        jr_buf_init(&diff, 65536);
        jr_buf_init(&got, 65536);
        for (uint64_t i = jr_rand_below(&rand, 30); i > 0; i--)
            assert_int_equal(jr_buf_addf(&a, "%d\n", (int)jr_rand_below(&rand, 5)), JR_OK);
        for (uint64_t i = jr_rand_below(&rand, 30); i > 0; i--)
            assert_int_equal(jr_buf_addf(&b, "%d\n", (int)jr_rand_below(&rand, 5)), JR_OK);
        assert_int_equal(jr_diff_write(jr_buf_str(&a), "a", jr_buf_str(&b), "b", &diff), JR_OK);
        patched(jr_buf_str(&a), jr_buf_str(&diff), &got);
        if (!jr_str_eq(jr_buf_str(&got), jr_buf_str(&b)))
            fail_msg("round %d: from\n%.*s\ndiff\n%.*s", round, JR_P(jr_buf_str(&a)),
                     JR_P(jr_buf_str(&diff)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_a_diff_applied_gives_the_other_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
