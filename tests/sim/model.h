/* SPDX-License-Identifier: Apache-2.0 */
/* The model: says from what really happened to a Job and to its Pods on the API server what has to
 * have become of the Job. Written from docs/reference/controller.md and apart from the controller:
 * it includes nothing of controller/. Pure. */
#ifndef JR_TESTS_SIM_MODEL_H
#define JR_TESTS_SIM_MODEL_H

#include "common/base/buf.h"
#include "tests/sim/excuses.h"
#include "tests/sim/plan.h"

/** Who made a version of an object, and what he had to know: he may have gone by no older versions
 * of Pods and Jobs than those that stood at these versions of the store. 0: by any. */
struct sim_hand {
    bool other;           /* not a controller, and not the server by itself */
    bool decommissioning; /* decommission: it lets go of what runs */
    bool late;            /* its sender had given it up before it came */
    bool back;            /* his cache of Jobs has gone back, and not come up again */
    uint64_t life;        /* of which process; 0: of none */
    uint64_t pods;
    uint64_t jobs;
    uint64_t workloads;
};

/** One version of an object, as the API server stored it. */
struct sim_version {
    int64_t at_ns;
    struct jr_str text; /* JSON */
    struct sim_hand hand;
};

/** All versions of an object, oldest first. */
struct sim_life {
    struct jr_str uid;
    struct sim_version *versions;
    size_t n;
    int64_t gone_ns; /* removed from the store; -1: still there */
    struct sim_hand gone_by;
    bool stripped;     /* a Pod that somebody else took the finalizer off (STRIP_POD) */
    uint64_t let_go;   /* its version as a controller asked first for its finalizer to be taken off,
                          and wasn't refused, also of one that had it no more; 0: none did */
    bool adopted_late; /* a Pod that a patch of the dead adopted anew: it may count once more */
};

/** Undisturbed, no controller is that far behind the store. */
#define SIM_PROMPT_NS (30 * JR_SEC)

/** What the API server saw of one Job: one uid. */
struct sim_history {
    const struct sim_job *plan;
    struct sim_life job;
    const struct sim_life
        *pods; /* all that the Job ever controlled, or that it could have adopted */
    size_t n_pods;
    bool external;      /* managed by another: ours must not have touched it */
    size_t surplus_max; /* creates that overlapping leaders or lost answers may have made beyond
                           need */
    bool ttl;           /* the controllers delete expired Jobs */
    bool undisturbed;   /* no faults of requests, controllers and clocks: what is due is done
                           within SIM_PROMPT_NS, and what was seen is remembered */
};

struct jr_job;
/** FailureTarget or SuccessCriteriaMet is True. */
bool sim_is_finishing(const struct jr_job *job);
/** spec.backoffLimit, or what it is without one. */
int64_t sim_backoff_limit(const struct jr_job *job);

/** Checks a Job when the world has come to rest: whether it had to end and has, by which condition
 * and reason, with which counters and index lists, each finished Pod counted exactly once, and no
 * finalizer left on any. Where that page leaves a choice (of two failures at one moment, of
 * when a Pod was deleted) every permitted outcome is taken. False: why says what is wrong and what
 * was expected. */
bool sim_model_agrees(const struct sim_history *h, struct jr_buf *why);

/** Checks that a Pod, the pod-th of h, has just lost its tracking finalizer, or gone with it: it
 * has been counted, or nobody who could know that it had ended took it off, and the reference
 * lets go of what he did know. *ret gets what excuses it, SIM_N_EXCUSES if it needs no excuse. */
bool sim_model_removal(const struct sim_history *h, size_t pod, enum sim_excuse *ret,
                       struct jr_buf *why);

/** Checks one step: next is the new version of a Job's status or of a Pod, prev the one before (n =
 * 0: none). Counters never fall (but for what the reference lets fall), conditions follow their
 * order, no terminal condition before the Pods are gone, finalizer and uncounted lists agree. pods:
 * the newest versions of the Job's Pods at this moment. */
bool sim_model_step(const struct sim_job *plan, struct jr_str prev, struct jr_str next,
                    const struct sim_life *pods, size_t n_pods, struct jr_buf *why);

#endif
