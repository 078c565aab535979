/* The map: against a plain array, through many additions and removals. */
#include <stdio.h>

#include "common/base/clock.h"
#include "devcluster/apiserver/map.h"
#include "tests/unit/devcluster/api.h"

#define KEYS 300

static void test_random_operations(void **state)
{
    struct jr_rand_seeded seed;
    struct jr_rand rand = jr_rand_of_seed(&seed, 11);
    struct jr_dev_map map = { .slots = { .n = 0 } };
    size_t counts[KEYS] = { 0 };
    bool there[KEYS] = { false };
    size_t n = 0;

    (void)state;
    assert_null(jr_dev_map_get(&map, JR_S("x")));
    jr_dev_map_drop(&map, JR_S("x"));
    for (int i = 0; i < 20000; i++) {
        size_t k = (size_t)jr_rand_below(&rand, KEYS);
        char key[16];

        (void)snprintf(key, sizeof(key), "key-%zu", k);
        if (jr_rand_below(&rand, 5) < 2) {
            jr_dev_map_drop(&map, jr_str(key));
            n -= there[k] ? 1 : 0;
            there[k] = false;
            counts[k] = 0;
        } else {
            struct jr_dev_map_slot *slot = jr_dev_map_put(&map, jr_str(key));

            assert_non_null(slot);
            n += there[k] ? 0 : 1;
            there[k] = true;
            assert_int_equal(slot->count, counts[k]);
            slot->count = ++counts[k];
        }
        assert_int_equal(map.slots.n, n);
        k = (size_t)jr_rand_below(&rand, KEYS);
        (void)snprintf(key, sizeof(key), "key-%zu", k);
        assert_true((jr_dev_map_get(&map, jr_str(key)) != NULL) == there[k]);
    }
    jr_dev_map_done(&map);
    assert_int_equal(map.slots.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
