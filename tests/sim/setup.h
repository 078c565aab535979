/* SPDX-License-Identifier: Apache-2.0 */
/* How a seed sets up its controllers, and the faults of their processes. */
#ifndef JR_TESTS_SIM_SETUP_H
#define JR_TESTS_SIM_SETUP_H

#include "controller/controller.h"
#include "tests/sim/faults.h"
#include "tests/sim/plan.h"
#include "tests/sim/rules.h"

#define SIM_PROCESS_FAULTS_MAX 6

struct sim_process_fault_plan {
    enum sim_process_fault kind;
    uint64_t number;
    unsigned who;         /* which controller; of stops the leader */
    uint64_t after_write; /* CRASH: the controllers' writes so far */
    uint64_t at_request;  /* STOP: as this one is about to go out; 0: at a time */
    int64_t at_ns;        /* others */
    int64_t down_ns;      /* until it is started again, or goes on */
    int64_t skew_ns;      /* of jumps */
};

/** The Jobs are handed back, as by an uninstall, and later taken over again. */
struct sim_release_plan {
    bool is; /* there is one */
    int64_t at_ns;
    int64_t away_ns; /* from its end until the controllers begin anew */
};

/** How the controllers of a seed are set up. */
struct sim_setup {
    unsigned n_controllers;
    bool paged[2];
    enum jr_scheduling_api gang_api;      /* gang scheduling is on, as the API server has it */
    int64_t qps;                          /* 0: no limit */
    struct jr_controller_options options; /* less identity */
    struct sim_process_fault_plan process_faults[SIM_PROCESS_FAULTS_MAX];
    size_t n_process_faults;
    struct sim_release_plan release;
};
struct sim_setup sim_setup_of(uint64_t seed, const struct sim_choice *choice,
                              const struct sim_plan *plan);

#endif
