/* SPDX-License-Identifier: Apache-2.0 */
/* The proof of the counting protocol (KEP-2307): in a small cluster full of faults, with the
 * process killed at any point, each Pod is counted once and each Job comes to its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/reconcile/world.h"

#define SEEDS 1000u
#define WILD_ROUNDS 120u
#define CALM_ROUNDS 400u

static int64_t current; /* the seed, for whoever has to replay it */

static bool is_active(const struct mpod *p)
{
    return p->owned && !p->deleting && (p->phase == JR_POD_PENDING || p->phase == JR_POD_RUNNING);
}

static bool has_finalizer(const struct mpod *p)
{
    return p->finalizer;
}

/** Never more Pods at once than there may be. */
static void check_active(const struct world *w)
{
    size_t limit = (size_t)w->plan.parallelism + (w->plan.orphans ? 3 : 0);

    if (w->plan.forgetful)
        return;
    if (world_count(w, is_active) > limit)
        fail_msg("%zu active Pods, parallelism %d", world_count(w, is_active),
                 (int)w->plan.parallelism);
    for (size_t i = 0; w->plan.indexed && i < w->n_pods; i++) {
        for (size_t j = i + 1; j < w->n_pods && is_active(&w->pods[i]); j++) {
            if (w->pods[i].exists && w->pods[j].exists && is_active(&w->pods[j]) &&
                w->pods[i].index == w->pods[j].index)
                fail_msg("u%zu and u%zu share index %lld", i, j, (long long)w->pods[i].index);
        }
    }
}

static void wild_round(struct world *w, unsigned round)
{
    w->now.ns += (int64_t)world_below(w, 15) * JR_SEC + (int64_t)world_below(w, 1000) * JR_MSEC;
    world_live(w);
    if (world_chance(w, 5))
        world_relist(w);
    else
        world_observe(w, false);
    if (!jr_job_finished(&world_job(w)->status)) {
        if (w->plan.toggles && world_chance(w, 5))
            world_suspend(w, !jr_bool_or(world_job(w)->spec.suspend, false));
        if (w->plan.deletes && round == WILD_ROUNDS / 2)
            world_delete_job(w);
    }
    if (world_chance(w, 60))
        (void)world_sync(w);
    if (world_chance(w, 1)) {
        w->crashes++;
        world_crash(w);
    }
    check_active(w);
}

/** Without faults it must come to an end, and stay there. */
static void quiesce(struct world *w)
{
    unsigned round;

    w->calm = true;
    if (jr_bool_or(world_job(w)->spec.suspend, false) && !jr_job_finished(&world_job(w)->status))
        world_suspend(w, false);
    for (round = 0; round < CALM_ROUNDS && !jr_job_finished(&world_job(w)->status); round++) {
        w->now.ns += 700 * JR_SEC;
        world_live(w);
        world_relist(w);
        (void)world_sync(w);
        check_active(w);
        if (w->plan.deletes && world_count(w, has_finalizer) == 0 && round > 10)
            return;
    }
    if (!jr_job_finished(&world_job(w)->status))
        fail_msg("the Job never ends: %.*s", JR_P(world_job(w)->raw));
}

/** KEP-3850: an index fails for good after so many failures, whoever was killed in between. What
 * still runs when a Job fails is one more. (Suspension forgets, and so does a scale-down, which a
 * Pod that succeeds though it was replaced brings about: with the active Pod goes its count.) */
static void check_index_failures(const struct world *w)
{
    int64_t limit = (int64_t)w->plan.per_index_limit + 2;

    if (w->plan.forgetful || w->plan.toggles || !w->plan.replace_failed)
        return;
    for (int64_t index = 0; w->plan.per_index && index < w->plan.completions; index++) {
        int64_t n = 0;

        for (size_t i = 0; i < w->n_pods; i++)
            n += w->pods[i].index == index && w->truth[i].failed;
        if (n > limit)
            fail_msg("index %lld failed %lld times", (long long)index, (long long)n);
    }
}

static void check_end(struct world *w)
{
    const struct jr_job_status *st = &world_job(w)->status;
    unsigned writes = w->writes;
    size_t counted = 0;
    int32_t late = 0;

    for (size_t i = 0; i < w->n_pods; i++) {
        counted += w->truth[i].counted;
        /* One that was replaced when its deletion began, and then succeeded before that was on
         * record, is a success more than was asked for. */
        late += w->pods[i].deleting && w->pods[i].phase == JR_POD_SUCCEEDED;
    }
    if (!w->plan.indexed)
        assert_int_equal(counted, st->succeeded + st->failed);
    if (!w->plan.indexed && !w->plan.work_queue && !w->plan.orphans && !w->plan.forgetful &&
        jr_job_condition_true(&st->conditions, "Complete"))
        assert_true(st->succeeded <= w->plan.completions + late);
    check_index_failures(w);
    /* What is over stays as it is. */
    world_observe(w, true);
    (void)world_sync(w);
    if (jr_job_finished(st))
        assert_int_equal(w->writes, writes);
}

static int64_t setting(const char *name, int64_t fallback)
{
    int64_t v;

    return jr_parse_i64(jr_str(secure_getenv(name)), 1, INT32_MAX, &v) == JR_OK ? v : fallback;
}

static void test_world(void **state)
{
    unsigned complete = 0, failed = 0, crashes = 0, ambiguous = 0, syncs = 0;

    int64_t seeds, first;

    (void)state;
    /* For longer searches: how many, and from which one on. */
    seeds = setting("JR_WORLD_SEEDS", SEEDS);
    first = setting("JR_WORLD_FIRST", 1);
    for (int64_t seed = first; seed < first + seeds; seed++) {
        struct world *w = world_new((uint64_t)seed);

        current = seed;
        for (unsigned i = 0; i < WILD_ROUNDS; i++)
            wild_round(w, i);
        quiesce(w);
        check_end(w);
        complete += jr_job_condition_true(&world_job(w)->status.conditions, "Complete");
        failed += jr_job_condition_true(&world_job(w)->status.conditions, "Failed");
        crashes += w->crashes;
        ambiguous += w->ambiguous;
        syncs += w->syncs;
        world_free(w);
    }
    print_message("%lld seeds: %u complete, %u failed; %u syncs, %u crashes, %u lost answers\n",
                  (long long)seeds, complete, failed, syncs, crashes, ambiguous);
}

static int tell_seed(void **state)
{
    (void)state;
    print_message("last seed: %lld\n", (long long)current);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_teardown(test_world, tell_seed) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
