/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of Jobs beside what Jobs come to: runs of the sync machine never exceed a bound while
 * the assumptions hold, and of small Jobs some run reaches the Pods that it may ever make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/reconcile/facts_jobs.h"

#define WORLDS 24000      /* JR_FACTS_WORLDS: another number */
#define BROKEN_PERCENT 15 /* of them */
#define SHAPES_STEP 3     /* of so many small shapes one; JR_FACTS_SHAPES: 1 is all */
#define RUNS_MAX 3000     /* for a small shape to reach its bound */

static int64_t current; /* the seed, for whoever has to replay it */

/* ---- random Jobs ---- */

/** Whether failures that are ignored made more of it than they could if they were counted. */
static bool is_beyond_count(const struct jr_job_facts *f, const struct facts_seen *seen)
{
    const struct jr_job_spec *spec = f->spec;

    return f->ignoring_rule >= 0 && spec->completions.set &&
           seen->ever > (int64_t)spec->completions.v + spec->backoff_limit.v;
}

struct tally {
    unsigned runs[FACTS_N_BROKEN];
    unsigned exceeded[FACTS_N_BROKEN];
    unsigned bounded, finished;
    unsigned ignoring, beyond_count;
    unsigned equal[FACTS];
};

static void random_run(uint64_t seed, struct tally *t)
{
    struct dice d;
    struct subject s = { 0 };
    struct facts_seen seen;
    const char *what;
    enum facts_broken broken = FACTS_BROKEN_NOTHING;

    d.rand = jr_rand_of_seed(&d.seed, seed);
    jr_buf_init(&s.spec, SPEC_MAX);
    draw_spec(&d, &s.spec);
    subject_open(&s);
    if (chance(&d, BROKEN_PERCENT))
        broken = (enum facts_broken)(1 + below(&d, FACTS_N_BROKEN - 1));
    s.run.broken = broken;
    seen = facts_world_run(seed, &s.run);
    what = exceeded(&s.facts, &seen, broken == FACTS_BROKEN_NOTHING ? t->equal : NULL);
    if (what != NULL && broken == FACTS_BROKEN_NOTHING)
        fail_msg("%s: ever %lld, at once %lld, held %lld, runtime %lld, Pod seconds %lld; %s", what,
                 (long long)seen.ever, (long long)seen.at_once, (long long)seen.held,
                 (long long)seen.runtime_s, (long long)seen.pod_seconds, s.spec.p);
    t->runs[broken]++;
    t->exceeded[broken] += what != NULL;
    t->bounded += s.facts.pods_ever.reasons == 0;
    t->finished += seen.finished;
    t->ignoring += s.facts.ignoring_rule >= 0;
    t->beyond_count += broken == FACTS_BROKEN_NOTHING && is_beyond_count(&s.facts, &seen);
    subject_done(&s);
}

static void never_exceeded(void **state)
{
    const int64_t worlds = setting("JR_FACTS_WORLDS", WORLDS);
    const int64_t first = setting("JR_FACTS_FIRST", 1);
    struct tally t = { .bounded = 0 };

    (void)state;
    for (int64_t seed = first; seed < first + worlds; seed++) {
        current = seed;
        random_run((uint64_t)seed, &t);
    }
    print_message("%lld runs: %u bounded, %u came to an end\n", (long long)worlds, t.bounded,
                  t.finished);
    print_message("%u in which failures are ignored, %u make more Pods than if they were counted\n",
                  t.ignoring, t.beyond_count);
    assert_true(t.beyond_count > 0);
    for (size_t i = 0; i < FACTS; i++) {
        print_message("%6u come to the bound of %s\n", t.equal[i], fact_names[i]);
        assert_true(t.equal[i] > 0);
    }
    for (int b = 0; b < FACTS_N_BROKEN; b++) {
        print_message("%6u runs in which this doesn't hold: %s; %u exceed a bound\n", t.runs[b],
                      facts_broken_words((enum facts_broken)b), t.exceeded[b]);
        /* The control: what breaks an assumption is seen, in as many runs. */
        assert_true(b == FACTS_BROKEN_NOTHING || t.exceeded[b] > 0 || worlds < WORLDS);
    }
}

/* ---- small Jobs come to their bound ---- */

enum mode { FIXED, QUEUE, INDEXES, PER_INDEX, N_MODES };
struct shape {
    enum mode mode;
    int completions, parallelism, backoff_limit, per_index;
    bool failed_only;
};

static void write_shape(const struct shape *h, struct jr_buf *b)
{
    (void)jr_buf_addf(b, "{\"parallelism\":%d,\"completionMode\":\"%s\",", h->parallelism,
                      h->mode >= INDEXES ? "Indexed" : "NonIndexed");
    if (h->mode != QUEUE)
        (void)jr_buf_addf(b, "\"completions\":%d,", h->completions);
    if (h->mode == PER_INDEX)
        (void)jr_buf_addf(b, "\"backoffLimitPerIndex\":%d,", h->per_index);
    if (h->mode != PER_INDEX || h->backoff_limit > 0)
        (void)jr_buf_addf(b, "\"backoffLimit\":%d,", h->backoff_limit);
    (void)jr_buf_addf(b, "\"podReplacementPolicy\":\"%s\"," TEMPLATE "}}}",
                      h->failed_only ? "Failed" : "TerminatingOrFailed");
    assert_int_equal(b->failed, JR_OK);
}

/** Runs until one reaches the bound. Returns how many it took. */
static unsigned reach(const struct shape *h)
{
    struct subject s = { 0 };
    int64_t most = 0;
    unsigned runs = 0;

    jr_buf_init(&s.spec, SPEC_MAX);
    write_shape(h, &s.spec);
    subject_open(&s);
    assert_int_equal(s.facts.pods_ever.reasons, 0);
    while (most < s.facts.pods_ever.v) {
        struct facts_seen seen;

        current = runs++;
        seen = facts_world_run(runs, &s.run);
        if (exceeded(&s.facts, &seen, NULL) != NULL)
            fail_msg("%s exceeded: %s", exceeded(&s.facts, &seen, NULL), s.spec.p);
        most = seen.ever > most ? seen.ever : most;
        if (runs == RUNS_MAX && most < s.facts.pods_ever.v)
            fail_msg("%lld Pods ever, at most %lld seen; %s", (long long)s.facts.pods_ever.v,
                     (long long)most, s.spec.p);
    }
    subject_done(&s);
    return runs;
}

/** The n-th of all small shapes; false: there is none. */
static bool shape_of(int n, struct shape *ret)
{
    struct shape h;

    h.mode = (enum mode)(n % N_MODES);
    n /= N_MODES;
    h.failed_only = n % 2 == 1;
    n /= 2;
    h.backoff_limit = n % 4;
    n /= 4;
    h.per_index = n % 3;
    n /= 3;
    h.parallelism = 1 + n % 5;
    n /= 5;
    h.completions = 1 + n % 5;
    *ret = h;
    return n < 5;
}

static void reached(void **state)
{
    const int64_t step = setting("JR_FACTS_SHAPES", SHAPES_STEP);
    struct shape h;
    unsigned runs = 0, most = 0;
    int64_t shapes = 0;

    (void)state;
    for (int n = 0; shape_of(n, &h); n++) {
        /* What a shape doesn't use is at its first value, or it would come again and again. */
        if ((h.mode != PER_INDEX && h.per_index > 0) || (h.mode == QUEUE && h.completions > 1))
            continue;
        if (shapes++ % step != 0)
            continue;
        unsigned k = reach(&h);
        runs += k;
        most = k > most ? k : most;
    }
    print_message("%lld shapes, one of %lld: %u runs, at most %u for one\n", (long long)shapes,
                  (long long)step, runs, most);
}

static int tell_seed(void **state)
{
    (void)state;
    print_message("last seed: %lld\n", (long long)current);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(never_exceeded, tell_seed),
        cmocka_unit_test_teardown(reached, tell_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
