/* SPDX-License-Identifier: Apache-2.0 */
#include "common/base/arena.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

static bool all_zero(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0)
            return false;
    }
    return true;
}

/** Takes pieces of many sizes, twice over. */
static void fill_twice(struct jr_arena *arena)
{
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 700, 1500, 5000, 70000, 300000, 3 };
    unsigned char *p[300];

    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(p); i++) {
            size_t n = sizes[i % JR_ARRAY_SIZE(sizes)];

            p[i] = jr_arena_alloc(arena, n);
            assert_non_null(p[i]);
            assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
            assert_true(all_zero(p[i], n));
            memset(p[i], (int)(i & 0xff), n);
        }
        for (size_t i = 0; i < JR_ARRAY_SIZE(p); i++) {
            for (size_t k = 0; k < sizes[i % JR_ARRAY_SIZE(sizes)]; k++)
                assert_int_equal(p[i][k], i & 0xff);
        }
        jr_arena_reset(arena);
        assert_int_equal(arena->used, 0);
    }
}

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    JR_ARENA a = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    fill_twice(&a);
}

static void kept_pieces_too(void **state)
{
    static const size_t firsts[] = { 0, 1, 64, 3000, 400000 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(firsts); i++) {
        JR_ARENA a = { 0 };

        jr_arena_init_kept(&a, 0, firsts[i]);
        fill_twice(&a);
    }
}

static void limit(void **state)
{
    JR_ARENA a = { 0 };
    struct jr_str s = JR_S("untouched");

    (void)state;
    jr_arena_init(&a, 100);
    assert_null(jr_arena_alloc(&a, 101));
    assert_non_null(jr_arena_alloc(&a, 100));
    assert_null(jr_arena_alloc(&a, 1));
    assert_null(jr_arena_alloc(&a, 0));
    assert_false(jr_arena_str(&a, JR_S("x"), &s));
    assert_string_equal(s.p, "untouched");
    assert_null(jr_arena_printf(&a, "%d", 1));
    jr_arena_reset(&a);
    assert_non_null(jr_arena_alloc(&a, 100));
}

static void limit_counts_many_small_pieces(void **state)
{
    JR_ARENA a = { 0 };
    size_t n = 0;

    (void)state;
    jr_arena_init(&a, 10000);
    while (n < 20000 && jr_arena_alloc(&a, 0) != NULL)
        n++;
    assert_in_range(n, 1, 10000);
    assert_null(jr_arena_alloc(&a, 0));
}

static void absurd_sizes(void **state)
{
    JR_ARENA a = { 0 };

    (void)state;
    jr_arena_init(&a, 0);
    assert_null(jr_arena_alloc(&a, SIZE_MAX));
    assert_null(jr_arena_calloc(&a, SIZE_MAX / 2, 3));
    assert_non_null(jr_arena_calloc(&a, 3, 5));
    assert_non_null(jr_arena_calloc(&a, 0, 5));
}

static void texts(void **state)
{
    JR_ARENA a = { 0 };
    struct jr_str s;
    char big[1000];
    const char *p;

    (void)state;
    jr_arena_init(&a, 0);
    assert_true(jr_arena_str(&a, (struct jr_str){ "abcd", 3 }, &s));
    assert_int_equal(s.n, 3);
    assert_string_equal(s.p, "abc");
    assert_true(jr_arena_str(&a, (struct jr_str){ NULL, 0 }, &s));
    assert_int_equal(s.n, 0);
    assert_string_equal(s.p, "");
    p = jr_arena_printf(&a, "%s-%d", "pod", 3);
    assert_non_null(p);
    assert_string_equal(p, "pod-3");
    memset(big, 'z', sizeof(big) - 1);
    big[sizeof(big) - 1] = '\0';
    p = jr_arena_printf(&a, "%s", big);
    assert_non_null(p);
    assert_string_equal(p, big);
}

static void done_is_safe_twice(void **state)
{
    struct jr_arena a = { 0 };

    (void)state;
    jr_arena_done(&a);
    assert_non_null(jr_arena_alloc(&a, 10)); /* a zeroed arena is an empty one without a limit */
    jr_arena_done(&a);
    jr_arena_done(&a);
    jr_arena_reset(&a);
    assert_null(a.head);
}

static void no_memory(void **state)
{
    (void)state;
    for (long nth = 1; nth < 50; nth++) {
        JR_ARENA a = { 0 };
        bool failed = false;

        jr_arena_init(&a, 0);
        jr_failalloc_arm(nth);
        for (int i = 0; i < 100; i++)
            failed = jr_arena_alloc(&a, (size_t)i * 40) == NULL || failed;
        jr_failalloc_disarm();
        assert_int_equal(failed, jr_failalloc_hit());
        if (!jr_failalloc_hit())
            return;
    }
    fail_msg("allocations without end");
}

static void adopted_pieces_live_on(void **state)
{
    JR_ARENA a = { 0 };
    struct jr_arena from;
    char *first, *big, *later;

    (void)state;
    jr_arena_init(&a, 100);
    jr_arena_init(&from, 0);
    jr_arena_adopt(&a, &from); /* nothing */
    assert_int_equal(a.used, 0);
    first = jr_arena_alloc(&from, 64);
    big = jr_arena_alloc(&from, 300000);
    assert_non_null(first);
    assert_non_null(big);
    memset(first, 'a', 64);
    memset(big, 'b', 300000);
    jr_arena_adopt(&a, &from);
    assert_null(from.head);
    assert_true(a.used >= 300064 && from.used == 0);
    assert_null(jr_arena_alloc(&a, 1)); /* past its limit */
    a.limit = 0;
    later = jr_arena_alloc(&a, 64);
    assert_non_null(later);
    memset(later, 'c', 64);
    assert_true(first[0] == 'a' && first[63] == 'a' && big[0] == 'b' && big[299999] == 'b');
    assert_non_null(jr_arena_alloc(&from, 64));
    jr_arena_adopt(&a, &from); /* behind its own */
    assert_true(later[63] == 'c');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(kept_pieces_too),
        cmocka_unit_test(limit),
        cmocka_unit_test(limit_counts_many_small_pieces),
        cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(texts),
        cmocka_unit_test(done_is_safe_twice),
        cmocka_unit_test(adopted_pieces_live_on),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
