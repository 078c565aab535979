/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/arena.h"
#include "common/base/buf.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

#include <stdio.h>

static void appends(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, 1000);
    assert_int_equal(jr_buf_add(&b, JR_S("ab")), JR_OK);
    assert_int_equal(jr_buf_addc(&b, 'c'), JR_OK);
    assert_int_equal(jr_buf_adds(&b, "de"), JR_OK);
    assert_int_equal(jr_buf_addf(&b, "%d-%s", 7, "x"), JR_OK);
    assert_int_equal(jr_buf_add(&b, (struct jr_str){ NULL, 0 }), JR_OK);
    assert_string_equal(b.p, "abcde7-x");
    assert_int_equal(b.n, 8);
    WANT_VIEW("view", jr_buf_str(&b), JR_S("abcde7-x"));
}

/** A secret's end is an end like any other, also twice and of nothing. */
static void wipes(void **state)
{
    JR_SECRET_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, 7);
    jr_buf_wipe(&b);
    assert_int_equal(jr_buf_adds(&b, "secret"), JR_OK);
    jr_buf_wipe(&b);
    assert_null(b.p);
    assert_int_equal(b.n, 0);
    assert_int_equal(jr_buf_adds(&b, "another"), JR_OK);
}

static void grows_over_any_formatting(void **state)
{
    char text[400];

    (void)state;
    memset(text, 'y', sizeof(text));
    for (size_t n = 0; n < sizeof(text); n += 7) {
        JR_BUF b = { 0 };

        jr_buf_init(&b, SIZE_MAX);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(jr_buf_addf(&b, "<%.*s>", (int)n, text), JR_OK);
        assert_int_equal(b.n, 3 * (n + 2));
        assert_int_equal(strlen(b.p), b.n);
        assert_int_equal(b.p[b.n - 1], '>');
    }
}

static void integers(void **state)
{
    static const struct {
        const char *want;
        int64_t v;
    } rows[] = {
        { "0", 0 },
        { "-1", -1 },
        { "1200", 1200 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF b = { 0 };

        jr_buf_init(&b, 100);
        assert_int_equal(jr_buf_add_i64(&b, rows[i].v), JR_OK);
        WANT_STR(rows[i].want, b.p, rows[i].want);
    }
}

static void maximum_is_exact_and_sticky(void **state)
{
    JR_BUF b = { 0 };
    char *p = NULL;

    (void)state;
    jr_buf_init(&b, 5);
    assert_int_equal(jr_buf_addf(&b, "%s", "abcde"), JR_OK);
    assert_int_equal(jr_buf_addf(&b, "%s", "f"), JR_LIMIT);
    assert_int_equal(b.failed, JR_LIMIT);
    assert_string_equal(b.p, "abcde");
    assert_int_equal(jr_buf_add(&b, JR_S("")), JR_LIMIT);
    assert_int_equal(jr_buf_take(&b, &p, NULL), JR_LIMIT);
    assert_null(p);
    jr_buf_reset(&b);
    assert_int_equal(b.failed, JR_OK);
    assert_string_equal(b.p, "");
    assert_int_equal(jr_buf_adds(&b, "abcdef"), JR_LIMIT);
    assert_int_equal(b.n, 0);
}

/** What there is no room for is left out, of whatever is added, and that is no failure. */
static void cuts(void **state)
{
    JR_BUF b = { .max = 6, .cuts = true };

    (void)state;
    assert_int_equal(jr_buf_adds(&b, "ab"), JR_OK);
    assert_int_equal(jr_buf_addf(&b, "%s-", "cde"), JR_OK);
    assert_string_equal(b.p, "abcde-");
    assert_int_equal(jr_buf_addc(&b, 'x'), JR_OK);
    assert_int_equal(jr_buf_addf(&b, "%.*s %d", 1, "y", 7), JR_OK);
    assert_int_equal(jr_buf_add(&b, JR_S("z")), JR_OK);
    assert_string_equal(b.p, "abcde-");
    assert_int_equal(b.failed, JR_OK);
}

static void reserve(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, 100);
    assert_int_equal(jr_buf_reserve(&b, 100), JR_OK);
    assert_string_equal(b.p, "");
    assert_int_equal(jr_buf_reserve(&b, 101), JR_LIMIT);
    jr_buf_reset(&b);
    assert_int_equal(jr_buf_reserve(&b, SIZE_MAX), JR_LIMIT);
    jr_buf_done(&b);
    jr_buf_init(&b, SIZE_MAX);
    assert_int_equal(jr_buf_reserve(&b, SIZE_MAX), JR_NOMEM);
}

static void consume(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, 100);
    jr_buf_consume(&b, 3);
    (void)jr_buf_adds(&b, "abcdef");
    jr_buf_consume(&b, 2);
    assert_string_equal(b.p, "cdef");
    jr_buf_consume(&b, 0);
    assert_int_equal(b.n, 4);
    jr_buf_consume(&b, 99);
    assert_int_equal(b.n, 0);
    assert_string_equal(b.p, "");
}

static void take(void **state)
{
    JR_BUF b = { 0 };
    char *p = NULL;
    size_t n = 99;

    (void)state;
    jr_buf_init(&b, 100);
    assert_int_equal(jr_buf_take(&b, &p, &n), JR_OK);
    assert_string_equal(p, "");
    assert_int_equal(n, 0);
    free(p);
    (void)jr_buf_adds(&b, "ab");
    assert_int_equal(jr_buf_take(&b, &p, &n), JR_OK);
    assert_string_equal(p, "ab");
    assert_int_equal(n, 2);
    free(p);
    assert_null(b.p);
    assert_int_equal(jr_buf_adds(&b, "again"), JR_OK);
    assert_string_equal(b.p, "again");
}

static void done_is_safe_twice(void **state)
{
    struct jr_buf b = { 0 };

    (void)state;
    jr_buf_done(&b);
    jr_buf_init(&b, 10);
    (void)jr_buf_adds(&b, "x");
    jr_buf_done(&b);
    jr_buf_done(&b);
    assert_null(b.p);
}

/* A counted text is added whole, whatever is in it; all else is as the C library has it. */
static void counted_texts(void **state)
{
    const struct jr_str nul = { "a\0b", 3 };
    struct jr_buf b;
    char want[256];

    (void)state;
    jr_buf_init(&b, 4096);
    assert_int_equal(jr_buf_addf(&b, "<%.*s> %s%c %d %05d %3d %u %x %zu %ld %lld %llu %% %.*s",
                                 JR_P(nul), "x", 'y', -7, -42, 5, 7U, 255U, (size_t)9, -1L, -2LL,
                                 3ULL, JR_P(JR_S("end"))),
                     JR_OK);
    assert_int_equal(b.n, snprintf(want, sizeof(want),
                                   "<a.b> %s%c %d %05d %3d %u %x %zu %ld %lld %llu %% end", "x",
                                   'y', -7, -42, 5, 7U, 255U, (size_t)9, -1L, -2LL, 3ULL));
    want[2] = '\0';
    assert_memory_equal(b.p, want, b.n + 1);
    jr_buf_done(&b);

    jr_buf_init(&b, 8);
    assert_int_equal(jr_buf_adds(&b, "before"), JR_OK);
    assert_int_equal(jr_buf_addf(&b, "ab%.*s", JR_P(nul)), JR_LIMIT);
    assert_string_equal(b.p, "before");
    assert_int_equal(b.n, 6);
    jr_buf_done(&b);
}

static void formats_into_an_arena(void **state)
{
    const struct jr_str nul = { "a\0b", 3 };
    enum jr_status failed = JR_OK;
    struct jr_arena tight;
    JR_ARENA arena = { 0 };
    struct jr_str text;

    (void)state;
    jr_arena_init(&arena, 0);
    text = jr_format(&arena, &failed, "%.*s-%d", JR_P(nul), 3);
    assert_int_equal(failed, JR_OK);
    assert_int_equal(text.n, 5);
    assert_memory_equal(text.p, "a\0b-3", 6);

    jr_arena_init(&tight, 4);
    text = jr_format(&tight, &failed, "%s", "more than four");
    assert_int_equal(failed, JR_NOMEM);
    assert_string_equal(text.p, "");
    jr_arena_done(&tight);
}

static void no_memory(void **state)
{
    (void)state;
    for (long nth = 1; nth < 50; nth++) {
        JR_BUF b = { 0 };
        bool hit;
        size_t n = 0;

        jr_buf_init(&b, 1 << 20);
        jr_failalloc_arm(nth);
        for (int i = 0; i < 100 && jr_buf_addf(&b, "line %d\n", i) == JR_OK; i++)
            n = b.n;
        jr_failalloc_disarm();
        hit = jr_failalloc_hit();
        assert_int_equal(b.failed, hit ? JR_NOMEM : JR_OK);
        assert_int_equal(b.n, n);
        if (b.p != NULL)
            assert_int_equal(strlen(b.p), n);
        if (!hit)
            return;
    }
    fail_msg("allocations without end");
}

/* An empty buffer has no memory, which UBSan would name. A full device fails. */
static void prints(void **state)
{
    FILE *f = tmpfile(), *full = fopen("/dev/full", "we");
    char text[8] = { 0 };
    JR_BUF b = { 0 };

    (void)state;
    assert_non_null(f);
    assert_non_null(full);
    jr_buf_init(&b, 64);
    assert_true(jr_buf_print(&b, f));
    assert_true(jr_buf_print(&b, full));
    assert_int_equal(jr_buf_adds(&b, "abc"), JR_OK);
    assert_true(jr_buf_print(&b, f));
    assert_false(jr_buf_print(&b, full));
    rewind(f);
    assert_int_equal(fread(text, 1, sizeof(text), f), 3);
    assert_string_equal(text, "abc");
    (void)fclose(f);
    (void)fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appends),
        cmocka_unit_test(wipes),
        cmocka_unit_test(grows_over_any_formatting),
        cmocka_unit_test(integers),
        cmocka_unit_test(maximum_is_exact_and_sticky),
        cmocka_unit_test(cuts),
        cmocka_unit_test(reserve),
        cmocka_unit_test(consume),
        cmocka_unit_test(counted_texts),
        cmocka_unit_test(formats_into_an_arena),
        cmocka_unit_test(take),
        cmocka_unit_test(done_is_safe_twice),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(prints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
