/* SPDX-License-Identifier: Apache-2.0 */
/* Syncs under way: takes a key's snapshot, steps the sync machine, does to the records what a stage
 * asks for, has its operations executed, and requeues as it says in the end. */
#ifndef JR_CONTROLLER_WORK_RUN_H
#define JR_CONTROLLER_WORK_RUN_H

#include "common/base/log.h"
#include "controller/work/execute.h"
#include "controller/work/state.h"

/** Where syncs tell what they see. All are called from the loop; none may free the runner. */
struct jr_run_sink {
    /** An event on the Job. */
    void (*event)(void *ctx, const struct jr_job *job, const char *type, const char *reason,
                  struct jr_str message);
    /** A Pod's creation had no answer: its expectation stays until a consistent list has resolved
     * it. */
    void (*ambiguous)(void *ctx, const struct jr_object_key *key);
    /** A sync is over, its key is given back; last: its last stage, NULL if the Job was left alone
     * because it, or an object of its own, can't be read. */
    void (*over)(void *ctx, struct jr_str key, const struct jr_stage *last);
    /** There may be room for another sync, or for another read (jr_runner_fetch). */
    void (*room)(void *ctx);
    void *ctx;
};

struct jr_runner;
/** All borrowed, and outlive the runner; log may be NULL. */
struct jr_runner *jr_runner_new(const struct jr_env *env, struct jr_state *state,
                                struct jr_executor *x, const struct jr_run_sink *sink,
                                struct jr_log *log);
/** Breaks off what runs. */
void jr_runner_free(struct jr_runner *r);

/** Begins the sync of a key just taken from the queue, to which it is given back when it is over,
 * perhaps at once. */
void jr_runner_start(struct jr_runner *r, struct jr_str key);
/** Syncs under way, less those that wait for their turn to read the whole Job. */
size_t jr_runner_active(const struct jr_runner *r);
size_t jr_runner_waiting(const struct jr_runner *r);
/** Lets the next of those have its turn, which is active from then on. False: there is none, or
 * another one reads. */
bool jr_runner_fetch(struct jr_runner *r);

/** The sync of a key. */
struct jr_run_look {
    bool running;
    struct jr_mono started;
    enum jr_stage_kind stage;
    size_t inflight; /* requests of the stage */
    size_t left;     /* and those that have no answer yet, sent or not */
};
struct jr_run_look jr_runner_look(const struct jr_runner *r, struct jr_str key);

#endif
