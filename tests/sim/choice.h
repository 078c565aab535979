/* SPDX-License-Identifier: Apache-2.0 */
/* What of a seed is to happen: all that it draws, but for what is left out. That is how a failing
 * seed is made small, and how its replay is written down. */
#ifndef JR_TESTS_SIM_CHOICE_H
#define JR_TESTS_SIM_CHOICE_H

#include "common/base/buf.h"

#define SIM_ITEM_MAP(X)                                               \
    X(JOB, "job")                                                     \
    X(ACTION, "action")                                               \
    X(FAULT, "fault")                                                 \
    X(PROCESS_FAULT, "process") /* crashes, stops, jumps of clocks */ \
    X(SETUP, "setup")           /* a second controller, streams, gangs, a release, poison */

enum sim_item {
#define X(name, word) SIM_ITEM_##name,
    SIM_ITEM_MAP(X)
#undef X
        SIM_N_ITEMS
};

struct sim_numbers {
    uint64_t *v;
    size_t n;
    size_t cap;
};
/** Of each kind: either only some, or all but some. */
struct sim_choice {
    struct {
        bool only;
        struct sim_numbers list;
    } of[SIM_N_ITEMS];
};

void sim_choice_done(struct sim_choice *c);
bool sim_chosen(const struct sim_choice *c, enum sim_item item, uint64_t number);
enum jr_status sim_numbers_add(struct sim_numbers *l, uint64_t number) JR_MUST_USE;
bool sim_numbers_has(const struct sim_numbers *l, uint64_t number);
/** Reads one element of "action:3,5-9,job:1": with a kind, which then is that of what follows, or
 * without one. keep: only these are kept, else they are left out. Errors: JR_USAGE. */
enum jr_status sim_choice_parse(struct sim_choice *c, struct jr_str element, bool keep,
                                enum sim_item *kind, struct jr_error *err) JR_MUST_USE;
/** Appends it as arguments of the command: " --keep fault:17,30". */
enum jr_status sim_choice_write(const struct sim_choice *c, struct jr_buf *out);
enum jr_status sim_choice_copy(const struct sim_choice *from, struct sim_choice *to) JR_MUST_USE;

#endif
