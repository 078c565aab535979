/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the simulated world: its clock, its loop, its connections, and what runs in it. */
#ifndef JR_TESTS_SIM_PROCESS_H
#define JR_TESTS_SIM_PROCESS_H

#include "common/kube/rest.h"
#include "controller/controller.h"
#include "devcluster/kubelet/kubelet.h"
#include "tests/sim/network.h"

struct sim_process {
    const char *name;
    unsigned ordinal;
    bool is_kubelet;
    struct jr_controller_options options;
    int64_t qps;         /* 0: no limit */
    struct sim_net *net; /* borrowed */
    struct sim_report *report;
    /* Its life. */
    unsigned life;
    bool up;
    bool stopped;
    int64_t stopped_ns; /* since when, until its next turn; 0: it isn't */
    bool ended;         /* of itself: the code is `code` */
    bool told;          /* to end, by a fault */
    bool worked;        /* before its last turn */
    int code;
    int64_t skew_ns; /* of its wall clock */
    struct jr_clock_virtual clock;
    struct jr_loop *loop;
    struct sim_client *client;
    struct jr_transport below;
    struct jr_rest *rest;
    uint64_t n_requests;
    struct jr_rand_seeded rand;
    struct jr_env env;
    char identity[64];
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_controller *controller;
    struct jr_dev_kubelet *kubelet;
};

/** Begins a life; the last one has to be over. */
void sim_process_begin(struct sim_process *p, uint64_t seed, const struct jr_clock_virtual *now);
/** Ends it, as kill -9 does. */
void sim_process_kill(struct sim_process *p);
/** Sets its clock. */
void sim_process_sync(struct sim_process *p, const struct jr_clock_virtual *now);
/** When it has something to do; INT64_MAX: nothing, or it can't. */
int64_t sim_process_due(const struct sim_process *p);
/** One turn of its loop, now. */
void sim_process_turn(struct sim_process *p, const struct jr_clock_virtual *now);

#endif
