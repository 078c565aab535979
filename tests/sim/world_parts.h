/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated world, as its parts share it. Not for others. */
#ifndef JR_TESTS_SIM_WORLD_PARTS_H
#define JR_TESTS_SIM_WORLD_PARTS_H

#include "tests/sim/invariants.h"
#include "tests/sim/process.h"
#include "tests/sim/setup.h"
#include "tests/sim/users.h"

#define SIM_CONTROLLERS 3 /* the last one is decommission */
#define SIM_START_MONO_NS (1000 * JR_SEC)

/** Where the Jobs are on their way out. */
enum sim_leaving { SIM_STAYS, SIM_SCALED_DOWN, SIM_LEAVES, SIM_LEFT };

struct sim_world {
    uint64_t seed;
    const struct sim_choice *choice;
    struct sim_report *report;
    struct sim_plan plan;
    struct sim_climate climate;
    struct sim_setup setup;
    struct jr_clock_virtual clock;
    struct jr_loop *loop; /* the server's, and the world's */
    struct jr_rand_seeded store_rand;
    struct jr_dev_store *store;
    struct sim_net *net;
    struct sim_book book;
    struct sim_users users;
    struct sim_invariants *invariants;
    struct jr_arena timers;
    struct sim_process kubelet;
    struct sim_process controllers[SIM_CONTROLLERS];
    uint64_t n_writes;     /* of the controllers */
    uint64_t n_requests;   /* that are writes, made by the controllers */
    int64_t last_work_ns;  /* when a Job or a Pod was last written */
    int64_t last_count_ns; /* when a Job's status last counted more */
    int64_t look_ns;       /* when to see whether all is at rest */
    int64_t quiet_ns;      /* since when it is; 0: it isn't */
    enum sim_leaving leaving;
    int64_t leaving_ns; /* since when */
    bool calm;
    bool both; /* two have led at a time */
};

/** Something that is to happen once. */
struct sim_timer {
    struct sim_world *w;
    const struct sim_job *job;
    const struct sim_action *action;
    const struct sim_process_fault_plan *process_fault;
    struct sim_process *process;
    struct sim_seen_pod *pod;
};

/** Since the world's beginning. */
static inline int64_t sim_now_ns(const struct sim_world *w)
{
    return w->clock.mono.ns - SIM_START_MONO_NS;
}
/** Lets something happen then. */
void sim_at(struct sim_world *w, int64_t ns, void (*fn)(void *ctx), struct sim_timer e);

/* process_faults.c */
void sim_process_later(struct sim_world *w, struct sim_process *p, int64_t ns);
/** And begins it anew after this time. */
void sim_kill(struct sim_world *w, struct sim_process *p, int64_t down_ns);
void sim_note_process_fault(struct sim_world *w, const struct sim_process_fault_plan *t);
void sim_stop(struct sim_world *w, struct sim_process *p, const struct sim_process_fault_plan *t);
/** Sets up what hands the Jobs back. */
void sim_make_releaser(struct sim_world *w);
/** A process has had its turn: one that has to go goes, one that has gone comes again. */
void sim_look_after(struct sim_world *w, struct sim_process *p);
/** Timers. */
void sim_on_process_fault(void *ctx);
void sim_on_release(void *ctx);

#endif
