/* SPDX-License-Identifier: Apache-2.0 */
/* What a process must know by what it was told: of the Pods and the Jobs up to which version of the
 * store. What it does goes by no older state than the one it was told of before it began to be
 * busy: a sync goes by what it began with, and until a request has its answer none need be over. */
#ifndef JR_TESTS_SIM_KNOWN_H
#define JR_TESTS_SIM_KNOWN_H

#include "tests/sim/model.h"

enum sim_told { SIM_TOLD_NOTHING, SIM_TOLD_PODS, SIM_TOLD_JOBS, SIM_TOLD_WORKLOADS, SIM_N_TOLD };
/** What a list or a watch of this path tells of. */
enum sim_told sim_told_by(const char *path);

struct sim_known {
    struct {
        uint64_t now;    /* told so far */
        uint64_t before; /* until at_ns */
        int64_t at_ns;   /* when it was told last */
    } told[SIM_N_TOLD];
    uint64_t first[SIM_N_TOLD]; /* told first of all */
    uint64_t most_jobs;         /* told of Jobs, before its cache went back */
    uint64_t untold;            /* no write without an answer is newer */
    struct sim_hand hand;       /* since it is busy */
    size_t open;                /* requests of syncs without an answer */
    int64_t busy_until_ns;      /* a request may be about to be tried again */
};

void sim_known_told(struct sim_known *k, enum sim_told what, uint64_t revision, int64_t now_ns);
/** Its cache may go back: what it was told is told anew. */
void sim_known_back(struct sim_known *k);
/** What it was told before this moment. */
struct sim_hand sim_known_at(const struct sim_known *k, int64_t now_ns);
/** A request of a sync is made; what it goes by. */
struct sim_hand sim_known_begin(struct sim_known *k, int64_t now_ns);
/** The process stood still all the while: it tries again so much later. */
void sim_known_stood(struct sim_known *k, int64_t from_ns, int64_t until_ns);
/** It is over; again: it may be made once more. */
void sim_known_end(struct sim_known *k, bool again, int retry_after_s, int64_t now_ns);

#endif
