/* SPDX-License-Identifier: Apache-2.0 */
/* What the Pods of a Job do, and the policies that check it. The codes below tell them apart. */
#include <stdio.h>

#include "common/json/write.h"
#include "devcluster/kubelet/plan.h"
#include "tests/sim/plan_draw.h"

#define CODES_MAX 24
#define RULES_MAX 4
#define TEXT_MAX 160

/* Exit codes that rules name. An ignored one never stands last in a list: its Job would go on for
 * ever. 143 is what the kubelet gives a Pod that it kills. */
#define CODE_FAIL_JOB 42
#define CODE_IGNORE 43
#define CODE_FAIL_INDEX 44
#define CODE_COUNT 45

static const struct rule {
    const char *text;
    bool per_index; /* only with backoffLimitPerIndex */
    bool side;      /* only with the container "side" */
} rules[] = {
#define ON_EXIT(action, container, operator, values)                           \
    "{\"action\":\"" action "\",\"onExitCodes\":{" container "\"operator\":\"" \
    operator"\","                                                              \
            "\"values\":[" values "]}}"
#define ON_CONDITION(action) \
    "{\"action\":\"" action  \
    "\",\"onPodConditions\":[{\"type\":\"DisruptionTarget\",\"status\":\"True\"}]}"
#define MAIN "\"containerName\":\"main\","
    { ON_EXIT("FailJob", "", "In", "42"), false, false },
    { ON_EXIT("FailJob", MAIN, "In", "42,99"), false, false },
    { ON_EXIT("FailJob", MAIN, "NotIn", "1,43,44,45,137,143"), false, false },
    { ON_EXIT("FailJob", "\"containerName\":\"side\",", "In", "1,42"), false, true },
    { ON_EXIT("FailJob", "", "In", "143"), false, false },
    { ON_EXIT("Ignore", "", "In", "43"), false, false },
    { ON_EXIT("Ignore", MAIN, "In", "43,143"), false, false },
    { ON_EXIT("Ignore", "", "NotIn", "1,42,44,45"), false, false },
    { ON_EXIT("Count", MAIN, "In", "45"), false, false },
    { ON_EXIT("Count", "", "NotIn", "42,43,44"), false, false },
    { ON_EXIT("FailIndex", MAIN, "In", "44"), true, false },
    { ON_EXIT("FailIndex", "", "NotIn", "1,42,43,45"), true, false },
    { ON_CONDITION("Ignore"), false, false },
    { ON_CONDITION("Ignore"), false, false },
    { ON_CONDITION("Count"), false, false },
    { ON_CONDITION("FailJob"), false, false },
    { ON_CONDITION("FailIndex"), true, false },
};

static const char *const fails_index[] = {
    ON_EXIT("FailIndex", MAIN, "In", "44,143"),
    ON_EXIT("FailIndex", "", "NotIn", "1,42,43,45"),
    ON_EXIT("FailIndex", MAIN, "In", "1,44"),
};

void sim_failure_policy_write(const struct sim_drawing *d, const struct sim_shape *shape,
                              struct jr_writer *w)
{
    uint64_t n = 1 + sim_draw(d, SIM_FOR_RULE, of_job(shape->job, 0), RULES_MAX);

    jr_w_key(w, "podFailurePolicy");
    jr_w_object(w);
    jr_w_key(w, "rules");
    jr_w_array(w);
    /* Few Jobs can have it, and often another rule would come first. */
    if (sim_has(shape, SIM_FEATURE_PER_INDEX) && sim_percent(d, SIM_FOR_FIRST_RULE, shape->job, 60))
        jr_w_raw(w, jr_str(fails_index[sim_draw(d, SIM_FOR_FIRST_RULE, of_job(shape->job, 1),
                                                JR_ARRAY_SIZE(fails_index))]));
    for (uint64_t i = 0; i < n; i++) {
        const struct rule *r =
            &rules[sim_draw(d, SIM_FOR_RULE, of_job(shape->job, 1 + i), JR_ARRAY_SIZE(rules))];
        if ((!r->per_index || sim_has(shape, SIM_FEATURE_PER_INDEX)) && (!r->side || shape->side))
            jr_w_raw(w, jr_str(r->text));
    }
    jr_w_array_end(w);
    jr_w_object_end(w);
}

/* The indexes of one rule, as text, and how many they are. */
static uint64_t success_indexes(const struct sim_drawing *d, const struct sim_shape *s, uint64_t at,
                                char out[TEXT_MAX])
{
    int last = s->completions - 1;
    int from = (int)sim_draw(d, SIM_FOR_RULE, at, (uint64_t)last + 1);

    switch (sim_draw(d, SIM_FOR_RULE, at + 1, 3)) {
    case 0:
        (void)snprintf(out, TEXT_MAX, "%d", from);
        return 1;
    case 1:
        if (from < last) {
            (void)snprintf(out, TEXT_MAX, "%d-%d", from, last);
            return (uint64_t)(last - from) + 1;
        }
        (void)snprintf(out, TEXT_MAX, "%d", last);
        return 1;
    default:
        if (from > 1) {
            (void)snprintf(out, TEXT_MAX, "0,%d", from);
            return 2;
        }
        (void)snprintf(out, TEXT_MAX, "0");
        return 1;
    }
}

void sim_success_policy_write(const struct sim_drawing *d, const struct sim_shape *shape,
                              struct jr_writer *w)
{
    enum { OF_SUCCESS = 100, PER_RULE = 8 };
    uint64_t at = of_job(shape->job, OF_SUCCESS);
    uint64_t n = 1 + sim_draw(d, SIM_FOR_RULE, at, 2);

    jr_w_key(w, "successPolicy");
    jr_w_object(w);
    jr_w_key(w, "rules");
    jr_w_array(w);
    for (uint64_t i = 0; i < n; i++) {
        char text[TEXT_MAX];
        uint64_t count = (uint64_t)shape->completions;
        uint64_t kind;

        at += PER_RULE;
        kind = sim_draw(d, SIM_FOR_RULE, at, 3); /* indexes, a number, both */
        jr_w_object(w);
        if (kind != 1) {
            count = success_indexes(d, shape, at + 1, text);
            jr_w_kstr(w, "succeededIndexes", jr_str(text));
        }
        if (kind != 0)
            jr_w_ki64(w, "succeededCount", 1 + (int64_t)sim_draw(d, SIM_FOR_RULE, at + 4, count));
        jr_w_object_end(w);
    }
    jr_w_array_end(w);
    jr_w_object_end(w);
}

/* ---- the kubelet's annotations ---- */

static void write_duration(const struct sim_drawing *d, const struct sim_shape *s,
                           struct jr_writer *w)
{
    static const uint64_t most_ms[] = { 1, 100, 1000, 3000, 3000, 10000, 20000, 60000 };
    uint64_t most = most_ms[sim_draw(d, SIM_FOR_DURATION, s->job, JR_ARRAY_SIZE(most_ms))];
    char text[TEXT_MAX];

    if (sim_has(s, SIM_FEATURE_HUGE)) { /* all are there by then */
        jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "duration", JR_S("20s"));
        return;
    }
    /* For ever: only where the deadline ends it. */
    if (sim_has(s, SIM_FEATURE_DEADLINE) &&
        sim_percent(d, SIM_FOR_DURATION, of_job(s->job, 1), 15)) {
        jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "duration", JR_S("forever"));
        return;
    }
    (void)snprintf(text, sizeof(text), "%llums",
                   (unsigned long long)sim_draw(d, SIM_FOR_DURATION, of_job(s->job, 2), most));
    jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "duration", jr_str(text));
}

struct codes {
    char text[CODES_MAX * 4];
    size_t n;
};

static void add_code(struct codes *c, int code)
{
    int k = snprintf(c->text + c->n, sizeof(c->text) - c->n, "%s%d", c->n > 0 ? "," : "", code);

    if (k > 0 && c->n + (size_t)k < sizeof(c->text))
        c->n += (size_t)k;
}

/* By attempt: some that fail, then one that goes on. */
static void attempts_write(const struct sim_drawing *d, const struct sim_shape *s, bool ends_well,
                           struct jr_writer *w)
{
    static const int pool[] = {
        1, 1, 137, 0, CODE_FAIL_JOB, CODE_IGNORE, CODE_IGNORE, CODE_FAIL_INDEX, CODE_COUNT
    };
    uint64_t n = sim_draw(d, SIM_FOR_CODE, of_job(s->job, 0), 6) + (ends_well ? 1 : 0);
    struct codes c = { 0 };

    for (uint64_t i = 0; i < n; i++)
        add_code(&c, pool[sim_draw(d, SIM_FOR_CODE, of_job(s->job, 1 + i), JR_ARRAY_SIZE(pool))]);
    /* A Pod that restarts must come to an end even where its Job has let go of it. */
    for (uint64_t i = n; sim_has(s, SIM_FEATURE_ON_FAILURE) && !ends_well && i < CODES_MAX - 1; i++)
        add_code(&c, 1);
    add_code(&c, ends_well || sim_has(s, SIM_FEATURE_ON_FAILURE) ? 0 : 1);
    jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "exit-code", jr_str(c.text));
}

static void indexes_write(const struct sim_drawing *d, const struct sim_shape *s,
                          struct jr_writer *w)
{
    static const int pool[] = { 0, 0, 0, 1, 1, CODE_FAIL_JOB, CODE_FAIL_INDEX, CODE_COUNT };
    uint64_t n = 1 + sim_draw(d, SIM_FOR_CODE, of_job(s->job, 100), 8);
    struct codes c = { 0 };

    for (uint64_t i = 0; i < n; i++)
        add_code(&c, pool[sim_draw(d, SIM_FOR_CODE, of_job(s->job, 101 + i), JR_ARRAY_SIZE(pool))]);
    jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "exit-code-by-index", jr_str(c.text));
}

static void write_outcome(const struct sim_drawing *d, const struct sim_shape *s,
                          struct jr_writer *w)
{
    uint64_t mood = sim_draw(d, SIM_FOR_OUTCOME, s->job, 100);

    if (sim_has(s, SIM_FEATURE_HUGE))
        return; /* all end well */
    if (mood >= 35)
        attempts_write(d, s, mood < 80, w);
    if (sim_has(s, SIM_FEATURE_INDEXED) && !sim_has(s, SIM_FEATURE_ON_FAILURE) &&
        sim_percent(d, SIM_FOR_OUTCOME, of_job(s->job, 1), 45))
        indexes_write(d, s, w);
}

void sim_pod_plan_write(const struct sim_drawing *d, const struct sim_shape *shape,
                        struct jr_writer *w)
{
    char text[TEXT_MAX];

    jr_w_object(w);
    write_duration(d, shape, w);
    write_outcome(d, shape, w);
    if (sim_has(shape, SIM_FEATURE_NEVER_READY))
        jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "ready", JR_S("false"));
    if (sim_has(shape, SIM_FEATURE_SLOW_DEATH)) {
        (void)snprintf(
            text, sizeof(text), "%llums",
            (unsigned long long)(500 + sim_draw(d, SIM_FOR_VALUE,
                                                of_job(shape->job, SIM_FEATURE_SLOW_DEATH),
                                                20000)));
        jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "termination-delay", jr_str(text));
    }
    /* Never none: a Pod that restarts at once would let no time pass. */
    if (sim_has(shape, SIM_FEATURE_ON_FAILURE) &&
        sim_percent(d, SIM_FOR_VALUE, of_job(shape->job, SIM_FEATURE_ON_FAILURE), 50)) {
        (void)snprintf(
            text, sizeof(text), "%llums",
            (unsigned long long)(500 + sim_draw(d, SIM_FOR_DURATION, of_job(shape->job, 3), 8000)));
        jr_w_kstr(w, JR_DEV_KUBELET_PREFIX "restart-delay", jr_str(text));
    }
    jr_w_object_end(w);
}
