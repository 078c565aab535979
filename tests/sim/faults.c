/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/faults.h"

#define POISONED_PERCENT 8

const char *sim_verb_word(enum sim_verb v)
{
    static const char *const names[] = {
#define X(name) #name,
        SIM_VERB_MAP(X)
#undef X
    };

    return names[v];
}

enum sim_verb sim_verb_of(const char *method, const char *path)
{
    if (strcmp(method, "GET") == 0) {
        if (strstr(path, "watch=1") != NULL)
            return SIM_VERB_WATCH;
        return strstr(path, "limit=") != NULL ? SIM_VERB_LIST : SIM_VERB_GET;
    }
    for (int v = SIM_VERB_POST; v < SIM_N_VERBS; v++) {
        if (strcmp(method, sim_verb_word((enum sim_verb)v)) == 0)
            return (enum sim_verb)v;
    }
    return SIM_VERB_GET;
}

static const struct {
    const char *words;
    unsigned verbs;
    unsigned weight;
} faults[] = { [SIM_FAULT_NONE] = { "none", 0, 0 },
#define X(name, words, verbs, weight) { words, verbs, weight },
               SIM_FAULT_MAP(X)
#undef X
};

const char *sim_fault_words(enum sim_fault f)
{
    return faults[f].words;
}

bool sim_fault_fits(enum sim_fault f, enum sim_verb v)
{
    return (faults[f].verbs & 1u << v) != 0;
}

/** One seed in three has no faults; the others have some kinds of them, so that one kind doesn't
 * hide what another would show. */
struct sim_climate sim_climate_of(uint64_t seed)
{
    static const unsigned percents[] = { 0, 0, 4, 10, 20, 35 };
    static const int64_t latencies[] = { 2 * JR_MSEC, 20 * JR_MSEC, 200 * JR_MSEC };
    static const int64_t lags[] = { 0, 5 * JR_MSEC, 100 * JR_MSEC, 2 * JR_SEC };
    struct sim_dice d = sim_dice(seed, SIM_DICE_SETUP, 0);
    struct sim_climate c = { .seed = seed };

    c.percent = percents[sim_below(&d, JR_ARRAY_SIZE(percents))];
    c.latency_ns = latencies[sim_below(&d, JR_ARRAY_SIZE(latencies))];
    c.lag_ns = lags[sim_below(&d, JR_ARRAY_SIZE(lags))];
    c.chunks = sim_chance(&d, 50);
    if (sim_chance(&d, 45) && c.percent > 0)
        c.ambiguous = 20 + (unsigned)sim_below(&d, 60);
    for (uint32_t f = 1; f < SIM_N_FAULTS; f++) {
        if (sim_chance(&d, 60))
            c.faults |= 1u << f;
    }
    if (sim_chance(&d, 60)) /* a server may give less than it is asked for */
        c.page = 1 + (unsigned)sim_below(&d, 5);
    d = sim_dice(seed, SIM_DICE_POISON, 0);
    c.poisoned = sim_chance(&d, POISONED_PERCENT);
    return c;
}

static enum sim_fault pick(const struct sim_climate *c, struct sim_dice *d, enum sim_verb verb)
{
    unsigned total = 0;
    uint64_t at;

    for (uint32_t f = 1; f < SIM_N_FAULTS; f++) {
        if ((c->faults & 1u << f) != 0 && sim_fault_fits((enum sim_fault)f, verb))
            total += faults[f].weight;
    }
    if (total == 0)
        return SIM_FAULT_NONE;
    at = sim_below(d, total);
    for (uint32_t f = 1; f < SIM_N_FAULTS; f++) {
        if ((c->faults & 1u << f) == 0 || !sim_fault_fits((enum sim_fault)f, verb))
            continue;
        if (at < faults[f].weight)
            return (enum sim_fault)f;
        at -= faults[f].weight;
    }
    return SIM_FAULT_NONE;
}

static bool is_rare(enum sim_verb v)
{
    return v == SIM_VERB_WATCH || v == SIM_VERB_LIST || v == SIM_VERB_DELETE;
}

struct sim_fate sim_fate_draw(const struct sim_climate *c, const struct sim_choice *choice,
                              const struct sim_about *a)
{
    const enum sim_verb verb = a->verb;
    uint64_t number = sim_fault_number(a->process, a->n);
    struct sim_dice d = sim_dice(c->seed, SIM_DICE_LATENCY, number);
    struct sim_fate f = { .fault = SIM_FAULT_NONE };
    bool hit, ambiguous, late, old;

    f.hold_ns = sim_chance(&d, 70) ? 0 : sim_between(&d, 0, c->latency_ns);
    f.there_ns = sim_between(&d, 1000, c->latency_ns);
    f.back_ns = sim_between(&d, 1000, c->latency_ns);
    f.lag_ns = sim_chance(&d, 30) ? 0 : c->lag_ns;
    d = sim_dice(c->seed, SIM_DICE_FAULT, number);
    /* Some are few: more of them meet something. */
    hit = sim_chance(&d, is_rare(verb) ? c->percent * 2 : c->percent);
    ambiguous = verb == SIM_VERB_POST && sim_chance(&d, c->ambiguous);
    late =
        c->ambiguous > 0 && (verb == SIM_VERB_LIST || verb == SIM_VERB_WATCH) && sim_chance(&d, 50);
    old = a->relist && c->percent > 0 && (c->faults & 1u << SIM_FAULT_OLD_STATE) != 0 &&
          sim_chance(&d, 50);
    if ((!hit && !ambiguous && !late && !old) || a->calm ||
        !sim_chosen(choice, SIM_ITEM_FAULT, number))
        return f;
    f.fault = pick(c, &d, verb);
    if (ambiguous)
        f.fault = sim_chance(&d, 75) ? SIM_FAULT_LOST_DONE : SIM_FAULT_LOST_UNDONE;
    if (late)
        f.fault = SIM_FAULT_SLOW;
    if (old)
        f.fault = SIM_FAULT_OLD_STATE;
    f.retry_after_s = (int)sim_between(&d, 1, 3);
    f.life_ns = sim_chance(&d, 50) ? sim_between(&d, 0, JR_SEC) : sim_between(&d, 0, 40 * JR_SEC);
    if (f.fault == SIM_FAULT_SLOW) {
        f.there_ns += sim_between(&d, 0, 4 * JR_SEC);
        f.back_ns += sim_between(&d, 0, 4 * JR_SEC);
    }
    if (f.fault == SIM_FAULT_STREAM_LAG || f.fault == SIM_FAULT_OLD_STATE)
        f.lag_ns = sim_between(&d, JR_SEC, 15 * JR_SEC);
    return f;
}
