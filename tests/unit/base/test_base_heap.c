/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: against a search of all, through many additions, moves and removals. */
#include "common/base/clock.h"
#include "common/base/heap.h"
#include "common/base/map.h"
#include "tests/support/failalloc.h"
#include "tests/unit/base/want.h"

#define ENTRIES 200

struct thing {
    struct jr_heap_entry in_heap;
    size_t rank;
    bool there;
};

static bool is_before(struct jr_heap_entry *a, struct jr_heap_entry *b)
{
    return jr_of(a, struct thing, in_heap)->rank < jr_of(b, struct thing, in_heap)->rank;
}

static size_t lowest_rank(const struct thing *things)
{
    size_t lowest = SIZE_MAX;

    for (size_t i = 0; i < ENTRIES; i++) {
        if (things[i].there && things[i].rank < lowest)
            lowest = things[i].rank;
    }
    return lowest;
}

static void random_operations(void **state)
{
    static struct thing things[ENTRIES];
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 7);
    struct jr_heap heap = { .before = is_before };
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct thing *t = &things[jr_rand_below(&rand, ENTRIES)];
        const bool drop = jr_rand_below(&rand, 5) < 2;

        if (t->there && drop) {
            jr_heap_remove(&heap, &t->in_heap);
            t->there = false;
            n--;
        } else if (t->there) {
            t->rank = (size_t)jr_rand_below(&rand, 100);
            jr_heap_move(&heap, &t->in_heap);
        } else {
            t->rank = (size_t)jr_rand_below(&rand, 100);
            assert_int_equal(jr_heap_room(&heap, heap.n), JR_OK);
            jr_heap_add(&heap, &t->in_heap);
            t->there = true;
            n++;
        }
        assert_int_equal(heap.n, n);
        if (n > 0)
            assert_int_equal(jr_of(heap.v[0], struct thing, in_heap)->rank, lowest_rank(things));
    }
    jr_heap_done(&heap);
}

static void no_memory(void **state)
{
    struct jr_heap heap = { .before = is_before };

    (void)state;
    jr_failalloc_arm(1);
    assert_int_equal(jr_heap_room(&heap, 0), JR_NOMEM);
    jr_failalloc_disarm();
    assert_int_equal(jr_heap_room(&heap, 0), JR_OK);
    jr_heap_done(&heap);
    assert_null(heap.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations),
        cmocka_unit_test(no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
