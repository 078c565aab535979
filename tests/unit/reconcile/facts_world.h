/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of one Job by the sync machine, in which Pods fail, are evicted and succeed as it is worst,
 * and what they came to. Nothing of common/job/facts in here. */
#ifndef JR_TEST_FACTS_WORLD_H
#define JR_TEST_FACTS_WORLD_H

#include "tests/unit/reconcile/world.h"

/** Which of the assumptions of facts.h doesn't hold in a run. */
#define FACTS_BROKEN_MAP(X)                                      \
    X(NOTHING, "nothing")                                        \
    X(SCALED, "parallelism is raised")                           \
    X(SUSPENDED, "the Job is stopped and run again")             \
    X(KUBELET, "kubelets finish deletions late")                 \
    X(CONTROLLER, "the controller is away when time is up")      \
    X(ANSWERS, "answers get lost, and the controller is killed") \
    X(STRIPPED, "others take finalizers off Pods and delete them")

enum facts_broken {
#define X(name, words) FACTS_BROKEN_##name,
    FACTS_BROKEN_MAP(X)
#undef X
        FACTS_N_BROKEN
};
const char *facts_broken_words(enum facts_broken b);

struct facts_run {
    const char *spec;     /* JSON of the JobSpec, defaulted */
    int64_t pod_deadline; /* the template's activeDeadlineSeconds; 0: none */
    int64_t grace_s;
    bool ignores; /* podFailurePolicy ignores failures */
    enum facts_broken broken;
    /* Others change the Job, once in each round; NULL: nobody does. */
    void (*meddle)(struct world *w, void *ctx);
    void *ctx;
};

/** What it came to. */
struct facts_seen {
    int64_t ever;        /* Pods made */
    int64_t at_once;     /* most active at one time */
    int64_t held;        /* most active and terminating at one time */
    int64_t runtime_s;   /* from each start on */
    int64_t pod_seconds; /* of all Pods together */
    bool finished;
};

/** Counts anew from here on, for whoever meddles: what is seen in the end is the most of all runs
 * of the Job. */
void facts_world_new_run(struct world *w);
/** Whether no Pod is left that isn't over. */
bool facts_world_is_idle(const struct world *w);

struct facts_seen facts_world_run(uint64_t seed, const struct facts_run *run);

#endif
