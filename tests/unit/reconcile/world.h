/* SPDX-License-Identifier: Apache-2.0 */
/* A small cluster around the sync machine: an API server's Job and Pods, a kubelet, lagging
 * informers, and a shell that forgets all it knows when it is killed. From a seed. */
#ifndef JR_TEST_RECONCILE_WORLD_H
#define JR_TEST_RECONCILE_WORLD_H

#include "common/base/clock.h"
#include "controller/reconcile/sync.h"

#define WORLD_PODS 400
#define WORLD_EVENTS 8192
#define WORLD_JOBS 2048

/** A Pod, as the server has it or as the cache saw it last. Its uid is u<position>. */
struct mpod {
    bool exists;
    bool owned;
    bool finalizer;
    bool deleting;
    bool ready;
    enum jr_pod_phase phase;
    int64_t index; /* -1: none */
    int64_t failures;
    int32_t exit_code; /* of its container, where it failed; 0: 1 */
    bool disrupted;    /* has the condition DisruptionTarget */
    struct jr_time born, deleted, finished;
    uint64_t version;
};

/** What is known to be true of a Pod, for the invariants. */
struct truth {
    bool listed_succeeded;
    bool listed_failed;
    unsigned counted; /* times */
    bool failed;      /* counted so */
    bool let_go;      /* lost its finalizer otherwise than by being counted */
};

struct world_plan {
    bool indexed;
    bool per_index;
    bool work_queue; /* completions null */
    bool replace_failed;
    bool orphans;
    bool toggles;   /* spec.suspend goes up and down */
    bool forgetful; /* StaleControllerConsistencyJob is off: stale caches are acted upon */
    bool deletes;   /* the Job is deleted at some point */
    bool reliable;  /* each request is answered, and the process is never killed */
    bool ignores;   /* podFailurePolicy ignores failures */
    bool rescaled;  /* completions have changed, and indexes beyond them don't count */
    int32_t parallelism;
    int32_t completions;
    int32_t backoff_limit;
    int32_t per_index_limit;
    int64_t deadline_s; /* 0: none */
    int64_t grace_s;    /* of deletions */
    const char *spec;   /* JSON, in place of what the above make; NULL: none */
};

struct world {
    struct world_plan plan;
    void (*live)(struct world *w);
    void *owner; /* the test's */
    struct jr_rand_seeded seed;
    struct jr_rand rand;
    struct jr_time now;
    uint64_t version;
    bool calm; /* no more faults, crashes and evictions; Pods succeed */

    /* The server. */
    struct mpod pods[WORLD_PODS];
    struct truth truth[WORLD_PODS];
    size_t n_pods;
    struct jr_job *jobs[WORLD_JOBS]; /* every version of the one Job */
    size_t n_jobs;
    unsigned writes;

    /* The informers. */
    struct mpod cache[WORLD_PODS];
    struct world_event {
        size_t pod;
        struct mpod after;
    } events[WORLD_EVENTS];
    size_t n_events, seen_events;
    size_t seen_job;
    uint64_t cache_pod_version;

    /* The shell. */
    int32_t expect_add, expect_del;
    bool awaited[WORLD_PODS];
    bool gone[WORLD_PODS];
    struct jr_backoff_record record;
    bool mark;
    uint64_t written_job, written_pod, ambiguous_job;
    struct jr_reconcile_options options;
    unsigned crashes, ambiguous, syncs;
};

/** With a plan drawn from the seed. */
struct world *world_new(uint64_t seed);
/** With this one; live: what happens to Pods while a sync runs, NULL: world_live. */
struct world *world_new_planned(uint64_t seed, const struct world_plan *plan,
                                void (*live)(struct world *w));
void world_free(struct world *w);

/** True in so many of a hundred cases. */
bool world_chance(struct world *w, unsigned percent);
uint64_t world_below(struct world *w, uint64_t n);

const struct jr_job *world_job(const struct world *w); /* the server's */
/** Changes a member of the Job: spec.suspend, spec.parallelism, metadata.deletionTimestamp. */
void world_suspend(struct world *w, bool on);
void world_scale(struct world *w, int32_t parallelism);
void world_delete_job(struct world *w);
/** Kubelet, garbage collection, evictions: something happens to each Pod, or not. */
void world_live(struct world *w);
/** The Pod comes to its end. */
void world_end_pod(struct world *w, size_t pod, enum jr_pod_phase phase);
/** Its deletion begins. */
void world_delete_pod(struct world *w, size_t pod);
/** The informers take in some of what happened; all: until they are up to date. */
void world_observe(struct world *w, bool all);
void world_relist(struct world *w);
/** The process is killed and starts again: memory gone, caches from a consistent list. */
void world_crash(struct world *w);

/** One sync, with faults as they come. False: killed on the way. */
bool world_sync(struct world *w);
/** Pods on the server. */
size_t world_count(const struct world *w, bool (*is)(const struct mpod *p));

/* world_server.c */
struct jr_op_result world_apply(struct world *w, const struct jr_op *op, enum jr_stage_kind stage,
                                struct jr_arena *a);
void world_changed(struct world *w, size_t pod);
void world_set_job(struct world *w, struct jr_str text);
size_t world_pod_of(const struct jr_pod *pod);
bool world_reap(struct world *w, size_t pod);
struct jr_pod *world_pod(const struct world *w, const struct mpod *p, size_t at);

#endif
