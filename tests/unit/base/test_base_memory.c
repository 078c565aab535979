/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that end without memory: nothing here gives NULL, and the end says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/memory.h"
#include "tests/support/without_memory.h"

struct thing {
    struct jr_link link;
    int n;
};

/** One of each. */
static void allocate(void *ctx)
{
    JR_ARENA arena = { 0 };
    struct jr_map map = { 0 };
    struct thing t = { 0 };
    size_t cap = 0;
    int *v = jr_xvec_room(NULL, 0, &cap, sizeof(*v));
    int *zeros = jr_xcalloc(0, sizeof(*zeros));
    char *copy = jr_xstrndup(JR_S("copy"));
    char *twin = jr_xstrdup(copy);
    char *line = jr_xasprintf("%s %d", twin, 2);

    jr_arena_init(&arena, 0);
    jr_xmap_add(&map, &t.link, 7);
    assert_true(cap > 0);
    assert_non_null(zeros);
    assert_string_equal(copy, "copy");
    assert_string_equal(twin, "copy");
    assert_string_equal(line, "copy 2");
    assert_null(jr_xstrdup(NULL));
    assert_string_equal(jr_xarena_str(&arena, JR_S("kept")).p, "kept");
    assert_string_equal(jr_xarena_text(&arena, "%s %d", "kept", 3).p, "kept 3");
    memset(jr_xarena_calloc(&arena, 1 << 10, 1 << 6), 1, 1 << 16);
    jr_map_done(&map);
    free(v);
    free(zeros);
    free(copy);
    free(twin);
    free(line);
    *(size_t *)ctx = 1;
}

static void test_each_allocation(void **state)
{
    size_t done = 0;

    (void)state;
    allocate(&done);
    assert_int_equal(done, 1);
    assert_int_equal(jr_each_without_memory(allocate, &done), 8);
}

static void end_of_a_status(void *ctx)
{
    (void)jr_need(*(enum jr_status *)ctx);
}

static void must(void *ctx)
{
    jr_must(*(enum jr_status *)ctx);
}

/** Only want of memory ends what may fail otherwise, too. */
static void test_statuses(void **state)
{
    enum jr_status st = JR_IO;

    (void)state;
    assert_int_equal(jr_need(JR_OK), JR_OK);
    assert_int_equal(jr_need(JR_IO), JR_IO);
    jr_must(JR_OK);
    assert_false(jr_ends_without_memory(end_of_a_status, &st));
    st = JR_NOMEM;
    assert_true(jr_ends_without_memory(end_of_a_status, &st));
    assert_true(jr_ends_without_memory(must, &st));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation),
        cmocka_unit_test(test_statuses),
    };

    return cmocka_run_group_tests_name("base_memory", tests, NULL, NULL);
}
