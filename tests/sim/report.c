/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/report.h"

#include <stdarg.h>
#include <stdio.h>

#define BACKOFF_PERCENT 6 /* of the seeds */

static const struct {
    const char *heading;
    const char *words;
} rules[] = {
#define X(name, heading, words) { heading, words },
    SIM_RULE_MAP(X)
#undef X
};

static const char *const process_faults[] = {
#define X(name, words) words,
    SIM_PROCESS_FAULT_MAP(X)
#undef X
};

/* All of it is counters of one type. */
_Static_assert(sizeof(struct sim_counts) % sizeof(uint64_t) == 0, "counters only");

void sim_counts_add(struct sim_counts *to, const struct sim_counts *more)
{
    uint64_t *a = (uint64_t *)to;
    const uint64_t *b = (const uint64_t *)more;

    for (size_t i = 0; i < sizeof(*to) / sizeof(*a); i++)
        a[i] += b[i];
}

/* ---- printing ---- */

static bool line(uint64_t n, const char *what, const char *words)
{
    (void)printf("  %10llu  %s%s%s\n", (unsigned long long)n, what, what[0] == '\0' ? "" : ": ",
                 words);
    return n > 0;
}

static bool print_faults(const struct sim_counts *c)
{
    bool all = true;

    (void)printf("faults by verb\n  %-28s", "");
    for (int v = 0; v < SIM_N_VERBS; v++)
        (void)printf("%8s", sim_verb_word((enum sim_verb)v));
    for (int f = 1; f < SIM_N_FAULTS; f++) {
        (void)printf("\n  %-28s", sim_fault_words((enum sim_fault)f));
        for (int v = 0; v < SIM_N_VERBS; v++) {
            if (!sim_fault_fits((enum sim_fault)f, (enum sim_verb)v)) {
                (void)printf("%8s", ".");
                continue;
            }
            (void)printf("%8llu", (unsigned long long)c->faults[f][v]);
            all = all && c->faults[f][v] > 0;
        }
    }
    (void)printf("\n");
    return all;
}

bool sim_counts_print(const struct sim_counts *c)
{
    bool all = print_faults(c);

    (void)printf("what befell the controllers\n");
    for (int i = 0; i < SIM_N_PROCESS_FAULTS; i++)
        all &= line(c->process_faults[i], "", process_faults[i]);
    (void)printf("features drawn\n");
    for (int i = 0; i < SIM_N_FEATURES; i++)
        all &= line(c->features[i], "", sim_feature_words((enum sim_feature)i));
    (void)printf("actions carried out\n");
    for (int i = 0; i < SIM_N_ACTIONS; i++)
        all &= line(c->actions[i], "", sim_action_words((enum sim_action_kind)i));
    (void)printf("rules of controller.md met\n");
    for (int i = 0; i < SIM_N_RULES; i++)
        all &= line(c->rules[i], rules[i].heading, rules[i].words);
    return all;
}

bool sim_excuses_print(const struct sim_counts *c)
{
    static const struct {
        const char *invariant, *words;
        uint64_t most;
    } excuses[] = {
#define X(name, invariant, words, most) { invariant, words, most },
        SIM_EXCUSE_MAP(X)
#undef X
    };
    bool few = true;

    (void)printf("excused, and the most in 1,000 seeds\n");
    for (int i = 0; i < SIM_N_EXCUSES; i++) {
        (void)printf("  %10llu  %llu  %s: %s\n", (unsigned long long)c->excuses[i],
                     (unsigned long long)excuses[i].most, excuses[i].invariant, excuses[i].words);
        few = few && c->excuses[i] * 1000 <= excuses[i].most * c->seeds;
    }
    (void)printf("  %10llu  seeds in which a creation was held to the backoff, of %llu at least\n",
                 (unsigned long long)c->backoff_seeds,
                 (unsigned long long)(c->seeds * BACKOFF_PERCENT / 100));
    return few && c->backoff_seeds * 100 >= c->seeds * BACKOFF_PERCENT;
}

/* ---- one run ---- */

void sim_report_done(struct sim_report *r)
{
    free(r->faults.v);
    free(r->process_faults.v);
    r->faults = (struct sim_numbers){ 0 };
    r->process_faults = (struct sim_numbers){ 0 };
}

static void JR_PRINTF(2, 0) tell(struct sim_report *r, const char *fmt, va_list ap)
{
    char *to = r->lines[r->n_lines++ % SIM_LINES_KEPT];
    int n = snprintf(to, SIM_LINE_MAX, "%10.6f ", (double)r->now_ns / (double)JR_SEC);

    (void)vsnprintf(to + n, SIM_LINE_MAX - (size_t)n, fmt, ap);
    if (r->print)
        (void)puts(to);
}

void sim_trace(struct sim_report *r, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tell(r, fmt, ap);
    va_end(ap);
}

void sim_trace_aside(struct sim_report *r, const char *fmt, ...)
{
    va_list ap;

    if (!r->print)
        return;
    va_start(ap, fmt);
    tell(r, fmt, ap);
    va_end(ap);
    r->n_lines--;
}

void sim_fail(struct sim_report *r, const char *invariant, const char *fmt, ...)
{
    va_list ap;

    if (r->failed)
        return;
    r->failed = true;
    (void)snprintf(r->invariant, sizeof(r->invariant), "%s", invariant);
    va_start(ap, fmt);
    (void)vsnprintf(r->why, sizeof(r->why), fmt, ap);
    va_end(ap);
    sim_trace(r, "FAILED %s: %s", invariant, r->why);
}

void sim_rule(struct sim_report *r, enum sim_rule rule)
{
    r->counts.rules[rule]++;
}

void sim_excuse(struct sim_report *r, enum sim_excuse e)
{
    if (e == SIM_N_EXCUSES)
        return;
    r->counts.excuses[e]++;
    sim_trace(r, "     excused");
}
