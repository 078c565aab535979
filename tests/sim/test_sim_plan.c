/* SPDX-License-Identifier: Apache-2.0 */
/* Plans over many seeds: everything is drawn, every Job is one that an API server admits, and what
 * is drawn can end. */
#include "common/base/num.h"
#include "common/job/prepare.h"
#include "devcluster/kubelet/plan.h"
#include "tests/sim/plan_draw.h"
#include "tests/support/object.h"
#include "tests/unit/job/job_test.h"

#define SEEDS 1000
#define SEED_OFTEN 15 /* at least so many of each, in SEEDS seeds */

#define PLAN JR_CLEANUP(sim_plan_done) struct sim_plan

static const char *named(uint64_t seed)
{
    static char name[64];

    (void)snprintf(name, sizeof(name), "seed %llu", (unsigned long long)seed);
    return name;
}

static void draw(uint64_t seed, struct sim_plan *ret)
{
    if (sim_plan_draw(seed, ret) != JR_OK)
        fail_msg("%s: no plan", named(seed));
}

static void all_is_drawn(void **state)
{
    unsigned features[SIM_N_FEATURES] = { 0 }, actions[SIM_N_ACTIONS] = { 0 };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++)
            for (unsigned f = 0; f < SIM_N_FEATURES; f++)
                features[f] += p.jobs[i].features >> f & 1;
        for (size_t i = 0; i < p.n_actions; i++)
            actions[p.actions[i].kind]++;
    }
    for (unsigned f = 0; f < SIM_N_FEATURES; f++)
        if (features[f] < (f == SIM_FEATURE_HUGE ? 1 : SEED_OFTEN)) /* it costs much */
            fail_msg("%s: drawn %u times", sim_feature_words((enum sim_feature)f), features[f]);
    for (unsigned a = 0; a < SIM_N_ACTIONS; a++)
        if (actions[a] < SEED_OFTEN)
            fail_msg("%s: drawn %u times", sim_action_words((enum sim_action_kind)a), actions[a]);
}

/* ---- admission ---- */

static void want_admitted(uint64_t seed, const struct sim_job *job)
{
    struct jr_profile profile = jr_profile_default();
    struct jr_doc *doc = must_parse(named(seed), job->manifest.p);
    OBJECT checked = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_error err = { 0 };
    struct jr_errlist errs;

    assert_int_equal(jr_set_str(jr_path(jr_doc_root(doc), "metadata"), "uid", JR_S("u-1")), JR_OK);
    assert_int_equal(jr_job_complete(jr_doc_root(doc), &profile, NULL), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    if (open_tree(&jr_schema_job, doc, &checked, &err) != JR_OK)
        fail_msg("%s: %s: %s\n%s", named(seed), err.path, err.msg, job->manifest.p);
    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&checked, &profile, &errs);
    assert_int_equal(errs.failed, JR_OK);
    if (errs.n > 0)
        fail_msg("%s: %.*s: %.*s\n%s", named(seed), JR_P(errs.v[0].field), JR_P(errs.v[0].detail),
                 job->manifest.p);
}

static void all_are_admitted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++)
            want_admitted(seed, &p.jobs[i]);
    }
}

/** The bits are what the manifest says. */
static void features_are_true(void **state)
{
    static const struct {
        enum sim_feature feature;
        const char *path;
        const char *text; /* NULL: any */
    } rows[] = {
        { SIM_FEATURE_INDEXED, "spec.completionMode", "Indexed" },
        { SIM_FEATURE_PER_INDEX, "spec.backoffLimitPerIndex", NULL },
        { SIM_FEATURE_MAX_FAILED_INDEXES, "spec.maxFailedIndexes", NULL },
        { SIM_FEATURE_BACKOFF_LIMIT, "spec.backoffLimit", NULL },
        { SIM_FEATURE_FAILURE_POLICY, "spec.podFailurePolicy", NULL },
        { SIM_FEATURE_SUCCESS_POLICY, "spec.successPolicy", NULL },
        { SIM_FEATURE_SUSPENDED, "spec.suspend", NULL },
        { SIM_FEATURE_DEADLINE, "spec.activeDeadlineSeconds", NULL },
        { SIM_FEATURE_TTL, "spec.ttlSecondsAfterFinished", NULL },
        { SIM_FEATURE_MANUAL_SELECTOR, "spec.manualSelector", NULL },
        { SIM_FEATURE_ON_FAILURE, "spec.template.spec.restartPolicy", "OnFailure" },
        { SIM_FEATURE_EXTERNAL, "spec.managedBy", "example.com/other" },
    };

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++) {
            DOC *doc = must_parse(named(seed), p.jobs[i].manifest.p);

            for (size_t r = 0; r < JR_ARRAY_SIZE(rows); r++) {
                const struct jr_node *n = jr_path(jr_doc_root(doc), rows[r].path);
                bool there =
                    n != NULL && (rows[r].text == NULL || jr_str_is(jr_node_str(n), rows[r].text));

                if (there != ((p.jobs[i].features >> rows[r].feature & 1) != 0))
                    fail_msg("%s: %s\n%s", named(seed), rows[r].path, p.jobs[i].manifest.p);
            }
        }
    }
}

/* ---- order and end ---- */

static void same_seed_same_plan(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        PLAN a = { 0 };
        PLAN b = { 0 };

        draw(seed, &a);
        draw(seed, &b);
        assert_int_equal(a.n_jobs, b.n_jobs);
        assert_int_equal(a.n_actions, b.n_actions);
        assert_int_equal(a.calm_ns, b.calm_ns);
        for (size_t i = 0; i < a.n_jobs; i++)
            WANT_VIEW(named(seed), a.jobs[i].manifest, b.jobs[i].manifest);
        if (a.n_actions > 0)
            assert_memory_equal(a.actions, b.actions, a.n_actions * sizeof(*a.actions));
    }
}

/** A decision depends on its seed, purpose and ordinal, and on each of them. */
static void decisions_are_apart(void **state)
{
    const struct sim_drawing one = { .seed = 1 }, two = { .seed = 2 };
    unsigned same[3] = { 0 };

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t v = sim_draw(&one, SIM_FOR_ARG, i, 10);

        assert_int_equal(v, sim_draw(&one, SIM_FOR_ARG, i, 10));
        same[0] += v == sim_draw(&two, SIM_FOR_ARG, i, 10);
        same[1] += v == sim_draw(&one, SIM_FOR_WHEN, i, 10);
        same[2] += v == sim_draw(&one, SIM_FOR_ARG, i + 1, 10);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(same); i++)
        if (same[i] < 50 || same[i] > 150)
            fail_msg("%zu: %u of 1000 equal, 100 is chance", i, same[i]);
}

static void actions_are_in_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++)
            if (p.jobs[i].at_ns < 0 || p.jobs[i].at_ns >= p.calm_ns)
                fail_msg("%s: a Job after calm", named(seed));
        for (size_t i = 0; i < p.n_actions; i++) {
            const struct sim_action *a = &p.actions[i];

            assert_true(a->job < p.n_jobs);
            if (a->at_ns < p.jobs[a->job].at_ns || a->at_ns >= p.calm_ns)
                fail_msg("%s: action %zu out of time", named(seed), i);
            if (i > 0 && a->at_ns < p.actions[i - 1].at_ns)
                fail_msg("%s: action %zu out of order", named(seed), i);
        }
    }
}

/** Whether the Job still stands suspended when all was done. */
static bool left_suspended(const struct sim_plan *p, size_t job)
{
    bool suspended = (p->jobs[job].features >> SIM_FEATURE_SUSPENDED & 1) != 0;
    bool made = suspended;

    for (size_t i = 0; i < p->n_actions; i++) {
        const struct sim_action *a = &p->actions[i];

        if (a->job != job)
            continue;
        if (a->kind == SIM_ACTION_SUSPEND)
            suspended = true;
        else if (a->kind == SIM_ACTION_RESUME)
            suspended = false;
        else if (a->kind == SIM_ACTION_REMAKE_JOB)
            suspended = made;
    }
    return suspended;
}

static void few_stay_suspended(void **state)
{
    unsigned n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++)
            n += left_suspended(&p, i);
    }
    if (n == 0 || n > SEEDS / 10)
        fail_msg("%u Jobs stay suspended", n);
}

static struct jr_dev_pod_plan pod_plan(uint64_t seed, const struct sim_job *job, unsigned attempt,
                                       struct jr_doc **ret)
{
    DOC *doc = must_parse(named(seed), job->manifest.p);

    assert_int_equal(jr_doc_of(jr_path(jr_doc_root(doc), "spec.template"), ret), JR_OK);
    return jr_dev_pod_plan_of(jr_doc_root(*ret), attempt, 0);
}

/** Pods run a minute at most, or until a deadline; what restarts stops at last, and takes time. */
static void pods_end(void **state)
{
    unsigned forever = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        PLAN p = { 0 };

        draw(seed, &p);
        for (size_t i = 0; i < p.n_jobs; i++) {
            const struct sim_job *job = &p.jobs[i];
            DOC *pod = NULL;
            struct jr_dev_pod_plan plan = pod_plan(seed, job, 1000, &pod);

            forever += plan.run_ns < 0;
            if (plan.run_ns < 0 && (job->features >> SIM_FEATURE_DEADLINE & 1) == 0)
                fail_msg("%s: for ever without a deadline", named(seed));
            if (plan.run_ns > 60 * JR_SEC)
                fail_msg("%s: runs too long", named(seed));
            if (plan.restart || plan.restart_ns < 500 * JR_MSEC)
                fail_msg("%s: restarts for ever", named(seed));
            if (plan.exit_code != 0 && plan.exit_code != 1)
                fail_msg("%s: ends with %d", named(seed), plan.exit_code);
        }
    }
    assert_true(forever > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_drawn),        cmocka_unit_test(all_are_admitted),
        cmocka_unit_test(features_are_true),   cmocka_unit_test(same_seed_same_plan),
        cmocka_unit_test(decisions_are_apart), cmocka_unit_test(actions_are_in_order),
        cmocka_unit_test(few_stay_suspended),  cmocka_unit_test(pods_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
