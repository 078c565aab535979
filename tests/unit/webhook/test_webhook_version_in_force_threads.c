/* SPDX-License-Identifier: Apache-2.0 */
/* The versions in force, read and replaced by many threads: each reading is of one time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>

#include <cmocka.h>

#include "webhook/net/version_in_force.h"

#define READERS 4
#define READINGS 5000

struct shared {
    struct jr_versions *versions;
    atomic_uint wrong, over;
};

static struct jr_profiles of(unsigned minor)
{
    const struct jr_profile p = jr_profile_of(jr_kube_newest_patch(minor));

    return jr_profiles_of(&p);
}

static void *read_all(void *ctx)
{
    struct shared *s = ctx;

    for (int i = 0; i < READINGS; i++) {
        struct jr_profiles got, want;

        jr_versions_get(s->versions, &got);
        want = of(got.common.version.minor);
        if (got.n != 1 || memcmp(got.v[0].gates, want.v[0].gates, sizeof(want.v[0].gates)) != 0 ||
            memcmp(got.common.gates, want.common.gates, sizeof(want.common.gates)) != 0)
            (void)atomic_fetch_add(&s->wrong, 1);
    }
    (void)atomic_fetch_add(&s->over, 1);
    return NULL;
}

static void test_threads(void **state)
{
    const struct jr_profiles first = of(33);
    struct shared s = { .versions = jr_versions_new(&first) };
    pthread_t readers[READERS];

    (void)state;
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_all, &s), 0);
    for (unsigned i = 0; atomic_load(&s.over) < READERS; i++) {
        const struct jr_profiles next = of(i % 2 == 0 ? 36 : 33);

        jr_versions_put(s.versions, &next);
    }
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(s.wrong, 0);
    jr_versions_free(s.versions);
    jr_versions_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
