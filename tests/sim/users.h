/* SPDX-License-Identifier: Apache-2.0 */
/* The users, and others with the right to: they post the plan's Jobs and carry out its actions. */
#ifndef JR_TESTS_SIM_USERS_H
#define JR_TESTS_SIM_USERS_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

struct sim_users {
    struct sim_net *net;
    struct sim_book *book;
    struct sim_report *report;
    bool *node_is_down; /* borrowed */
    uint64_t n_pods;    /* made by them */
};

/** Posts a Job. False: the name is taken, try again. */
bool sim_users_post(struct sim_users *u, const struct sim_job *job);
/** Another controller takes a Pod that was made just now. */
void sim_users_snatch(struct sim_users *u, const struct sim_seen_pod *p);
/** Lets go of all that they hold. */
void sim_users_free(struct sim_users *u);
/** Carries an action out, as far as there is something to do it to. False: try again later. */
bool sim_users_act(struct sim_users *u, const struct sim_action *a);

#endif
