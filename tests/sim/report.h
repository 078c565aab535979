/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of a run: the lines of what happens, the first thing that is wrong, and how often
 * each thing happened. */
#ifndef JR_TESTS_SIM_REPORT_H
#define JR_TESTS_SIM_REPORT_H

#include "tests/sim/excuses.h"
#include "tests/sim/faults.h"
#include "tests/sim/plan.h"
#include "tests/sim/rules.h"

#define SIM_LINE_MAX 320
#define SIM_LINES_KEPT 200

/** Sums over seeds; plain numbers, so that they can be sent through a pipe. */
struct sim_counts {
    uint64_t seeds;
    uint64_t failed;
    uint64_t requests;
    uint64_t writes;
    uint64_t faults[SIM_N_FAULTS][SIM_N_VERBS];
    uint64_t process_faults[SIM_N_PROCESS_FAULTS];
    uint64_t features[SIM_N_FEATURES];
    uint64_t actions[SIM_N_ACTIONS];
    uint64_t rules[SIM_N_RULES];
    uint64_t excuses[SIM_N_EXCUSES];
    uint64_t backoff_seeds; /* in which a creation was held to the backoff */
};
void sim_counts_add(struct sim_counts *to, const struct sim_counts *more);
/** Prints them; false: something that has to happen never did. */
bool sim_counts_print(const struct sim_counts *c);
/** Prints what was excused; false: more than may be. */
bool sim_excuses_print(const struct sim_counts *c);

struct sim_report {
    bool print;     /* every line, as it comes */
    int64_t now_ns; /* since the beginning */
    char lines[SIM_LINES_KEPT][SIM_LINE_MAX];
    size_t n_lines;
    bool failed;
    char invariant[64];
    char why[2048];
    struct sim_counts counts;
    /* The faults that there were, for making the seed smaller. */
    struct sim_numbers faults;
    struct sim_numbers process_faults;
};
void sim_report_done(struct sim_report *r);
void sim_trace(struct sim_report *r, const char *fmt, ...) JR_PRINTF(2, 3);
/** As sim_trace, but only for who wants to read everything: not kept. */
void sim_trace_aside(struct sim_report *r, const char *fmt, ...) JR_PRINTF(2, 3);
/** The first one stays. */
void sim_fail(struct sim_report *r, const char *invariant, const char *fmt, ...) JR_PRINTF(3, 4);
void sim_rule(struct sim_report *r, enum sim_rule rule);
/** Counts an excuse; of SIM_N_EXCUSES nothing. */
void sim_excuse(struct sim_report *r, enum sim_excuse e);

#endif
