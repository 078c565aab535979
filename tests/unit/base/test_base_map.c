/* SPDX-License-Identifier: Apache-2.0 */
/* The map: against a plain array, through many additions and removals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "common/base/clock.h"
#include "common/base/hash.h"
#include "common/base/map.h"

#define KEYS 300

struct entry {
    struct jr_link link;
    size_t key;
    bool there;
};

static struct entry *find_entry(const struct jr_map *m, size_t key)
{
    /* Few hashes, so that many keys share one. */
    struct jr_link *l = jr_map_first(m, key % 64);

    while (l != NULL && jr_of(l, struct entry, link)->key != key)
        l = jr_map_again(l);
    return l == NULL ? NULL : jr_of(l, struct entry, link);
}

static void check_all(const struct jr_map *m, const struct entry *entries)
{
    size_t n = 0;

    for (struct jr_link *l = NULL; (l = jr_map_next(m, l)) != NULL; n++)
        assert_true(jr_of(l, struct entry, link)->there);
    assert_int_equal(n, m->n);
    for (size_t k = 0; k < KEYS; k++)
        assert_true((find_entry(m, k) == &entries[k]) == entries[k].there);
}

static void test_random_operations(void **state)
{
    static struct entry entries[KEYS];
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 11);
    struct jr_map map = { .n = 0 };
    size_t n = 0;

    (void)state;
    assert_null(jr_map_first(&map, 0));
    assert_null(jr_map_next(&map, NULL));
    for (int i = 0; i < 20000; i++) {
        struct entry *e = &entries[jr_rand_below(&rand, KEYS)];
        bool drop = jr_rand_below(&rand, 5) < 2;

        e->key = (size_t)(e - entries);
        if (drop && e->there)
            jr_map_remove(&map, &e->link);
        else if (!drop && !e->there)
            assert_int_equal(jr_map_add(&map, &e->link, e->key % 64), JR_OK);
        n = n + (!drop && !e->there ? 1 : 0) - (drop && e->there ? 1 : 0);
        e->there = !drop;
        assert_int_equal(map.n, n);
        e = &entries[jr_rand_below(&rand, KEYS)];
        assert_true((find_entry(&map, (size_t)(e - entries)) == e) == e->there);
        if (i % 1000 == 0)
            check_all(&map, entries);
    }
    check_all(&map, entries);
    jr_map_done(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
