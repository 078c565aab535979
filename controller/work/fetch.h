/* SPDX-License-Identifier: Apache-2.0 */
/* Reads of Jobs that are cached without their template, for syncs that need it: one at a time, in
 * the order in which they were asked for. What was read is its sync's alone, and lives as long. */
#ifndef JR_CONTROLLER_WORK_FETCH_H
#define JR_CONTROLLER_WORK_FETCH_H

#include <sys/queue.h>

#include "controller/work/execute.h"
#include "controller/work/state.h"

/** One read, in whoever asks for it. */
struct jr_fetch {
    TAILQ_ENTRY(jr_fetch) in_waiting;
    bool waiting;
    struct jr_exec *exec;
    size_t bytes; /* of what was read */
    struct jr_object_key id;
    /** job: the caller's reference; NULL: it can't be had now, err says why. */
    void (*on_done)(void *ctx, struct jr_job *job, struct jr_str err);
    void *ctx;
};
TAILQ_HEAD(jr_fetch_list, jr_fetch);

struct jr_fetches {
    struct jr_state *state;
    struct jr_executor *x;
    struct jr_fetch_list waiting;
    size_t n_waiting;
    struct jr_fetch *reading; /* NULL: none is */
    size_t bytes;             /* of all that were read and are not dropped */
};

/** state and x are borrowed. */
void jr_fetches_init(struct jr_fetches *fs, struct jr_state *state, struct jr_executor *x);
/** Puts a read last. id, on_done and ctx are set, id's strings borrowed until on_done. */
void jr_fetch_wait(struct jr_fetches *fs, struct jr_fetch *f);
/** Begins the next read, unless one is under way or syncs hold as much as they may. False: none was
 * begun. */
bool jr_fetch_next(struct jr_fetches *fs);
/** Forgets a read, wherever it is, and what it has read. Safe on a zeroed one. */
void jr_fetch_drop(struct jr_fetches *fs, struct jr_fetch *f);

#endif
