/* SPDX-License-Identifier: Apache-2.0 */
/* Draws Jobs, and compares their facts with what runs came to. */
#include "tests/unit/reconcile/facts_jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/base/clock.h"
#include "common/job/validate.h"
#include "tests/support/object.h"

int64_t setting(const char *name, int64_t fallback)
{
    int64_t v;

    return jr_parse_i64(jr_str(secure_getenv(name)), 1, INT64_MAX, &v) == JR_OK ? v : fallback;
}

/* ---- a Job ---- */

void subject_open(struct subject *s)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_facts_options o = { .disruptions_aside = false };
    const struct jr_node *spec, *pod;
    struct jr_errlist errs;
    struct jr_error err;
    JR_BUF text = { 0 };

    jr_buf_init(&text, SPEC_MAX);
    (void)jr_buf_adds(&text, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":"
                             "\"job\",\"namespace\":\"ns\",\"uid\":\"job\"},\"spec\":");
    (void)jr_buf_add(&text, jr_buf_str(&s->spec));
    assert_int_equal(jr_buf_addc(&text, '}'), JR_OK);
    if (open_job_text(jr_buf_str(&text), &profile, &s->job, &err) != JR_OK)
        fail_msg("%s: %s", err.msg, text.p);
    jr_arena_init(&s->arena, 0);
    jr_errlist_init(&errs, &s->arena);
    jr_job_validate_create(&s->job, &profile, &errs);
    if (errs.n > 0)
        fail_msg("%.*s: %.*s: %s", JR_P(errs.v[0].field), JR_P(errs.v[0].detail), text.p);
    spec = jr_object_node(&s->job, "spec");
    pod = jr_path(spec, "template.spec");
    assert_int_equal(jr_job_facts_init(&s->facts, &s->job.job->spec, pod, &o, &s->arena), JR_OK);
    jr_buf_reset(&s->spec);
    assert_int_equal(jr_node_print(spec, &s->spec), JR_OK);
    s->run = (struct facts_run){ .spec = s->spec.p,
                                 .grace_s = s->facts.grace_s,
                                 .pod_deadline = s->facts.pod_deadline.v,
                                 .ignores = s->facts.ignoring_rule >= 0 };
}

void subject_done(struct subject *s)
{
    jr_object_done(&s->job);
    jr_arena_done(&s->arena);
    jr_buf_done(&s->spec);
}

/* ---- bounds ---- */

const char *const fact_names[FACTS] = { "podsEver", "podsAtOnce", "podsHeld", "runtime",
                                        "Pod seconds" };

const char *exceeded(const struct jr_job_facts *f, const struct facts_seen *seen,
                     unsigned equal[FACTS])
{
    const struct jr_fact *facts[] = { &f->pods_ever, &f->pods_at_once, &f->pods_held, &f->runtime_s,
                                      &f->pod_seconds };
    const int64_t values[] = { seen->ever, seen->at_once, seen->held, seen->runtime_s,
                               seen->pod_seconds };
    const char *first = NULL;

    for (size_t i = FACTS; i-- > 0;) {
        if (facts[i]->reasons != 0)
            continue;
        if (values[i] > facts[i]->v)
            first = fact_names[i];
        if (equal != NULL && values[i] == facts[i]->v && values[i] > 0)
            equal[i]++;
    }
    return first;
}

/* ---- random Jobs ---- */

int below(struct dice *d, uint64_t n)
{
    return (int)jr_rand_below(&d->rand, n);
}

bool chance(struct dice *d, unsigned percent)
{
    return jr_rand_below(&d->rand, 100) < percent;
}

static void add_failure_policy(struct dice *d, bool per_index, struct jr_buf *b)
{
    static const char *const rules[] = {
        "{\"action\":\"FailJob\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[42]}}",
        "{\"action\":\"Ignore\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[3]}}",
        "{\"action\":\"Ignore\",\"onExitCodes\":{\"operator\":\"NotIn\",\"values\":[1,2]}}",
        "{\"action\":\"Count\",\"onExitCodes\":{\"operator\":\"NotIn\",\"values\":[42]}}",
        "{\"action\":\"Count\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[1,3]}}",
        "{\"action\":\"Ignore\",\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":"
        "\"True\"}]}",
        "{\"action\":\"Count\",\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":"
        "\"True\"}]}",
        "{\"action\":\"FailIndex\",\"onExitCodes\":{\"operator\":\"In\",\"values\":[2]}}",
    };
    int n = 1 + below(d, 3);

    (void)jr_buf_adds(b, "\"podFailurePolicy\":{\"rules\":[");
    for (int i = 0; i < n; i++) {
        const size_t all = JR_ARRAY_SIZE(rules);

        (void)jr_buf_addf(b, "%s%s", i > 0 ? "," : "", rules[below(d, per_index ? all : all - 1)]);
    }
    (void)jr_buf_adds(b, "]},");
}

static void add_success_policy(struct dice *d, int completions, struct jr_buf *b)
{
    const int last = completions - 1, from = below(d, (uint64_t)completions);

    (void)jr_buf_adds(b, "\"successPolicy\":{\"rules\":[");
    if (chance(d, 50))
        (void)jr_buf_addf(b, "{\"succeededCount\":%d}", 1 + below(d, (uint64_t)completions));
    else if (from == last)
        (void)jr_buf_addf(b, "{\"succeededIndexes\":\"%d\"}", last);
    else
        (void)jr_buf_addf(b, "{\"succeededIndexes\":\"%d-%d\",\"succeededCount\":%d}", from, last,
                          1 + below(d, (uint64_t)(completions - from)));
    (void)jr_buf_adds(b, "]},");
}

void draw_spec(struct dice *d, struct jr_buf *b)
{
    const bool indexed = chance(d, 60), queue = !indexed && chance(d, 40);
    const bool per_index = indexed && chance(d, 50), policy = chance(d, 30);
    const int completions = below(d, 9);

    (void)jr_buf_addf(b, "{\"parallelism\":%d,\"completionMode\":\"%s\",",
                      below(d, 20) == 0 ? 0 : 1 + below(d, 6), indexed ? "Indexed" : "NonIndexed");
    if (!queue)
        (void)jr_buf_addf(b, "\"completions\":%d,", completions);
    if (per_index)
        (void)jr_buf_addf(b, "\"backoffLimitPerIndex\":%d,", below(d, 4));
    if (!per_index || chance(d, 50))
        (void)jr_buf_addf(b, "\"backoffLimit\":%d,", below(d, 7));
    if (per_index && chance(d, 30))
        (void)jr_buf_addf(b, "\"maxFailedIndexes\":%d,", below(d, (uint64_t)completions + 1));
    if (policy)
        add_failure_policy(d, per_index, b);
    if (indexed && completions > 0 && chance(d, 30))
        add_success_policy(d, completions, b);
    (void)jr_buf_addf(b, "\"podReplacementPolicy\":\"%s\",",
                      policy || chance(d, 40) ? "Failed" : "TerminatingOrFailed");
    if (chance(d, 40))
        (void)jr_buf_addf(b, "\"activeDeadlineSeconds\":%d,", 1 + below(d, 2000));
    (void)jr_buf_adds(b, TEMPLATE);
    if (chance(d, 50))
        (void)jr_buf_addf(b, ",\"terminationGracePeriodSeconds\":%d", below(d, 600));
    if (chance(d, 30))
        (void)jr_buf_addf(b, ",\"activeDeadlineSeconds\":%d", 1 + below(d, 1000));
    assert_int_equal(jr_buf_adds(b, "}}}"), JR_OK);
}
