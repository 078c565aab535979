/* Nobody waits longer than the rules say, nor less: the latter in all worlds, of what a controller
 * must have known, the rest in worlds in which nothing goes wrong. */
#ifndef JR_TESTS_SIM_PATIENCE_H
#define JR_TESTS_SIM_PATIENCE_H

#include "tests/sim/history.h"
#include "tests/sim/network.h"

/** A Pod was created by a request, in any world: no sooner than the backoff says of the failures
 * that its maker itself has listed, and had the answer. */
void sim_patience_known(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_request *by, struct jr_time now);
/** A Pod was created: not later than its Job's backoff ("Backoff") and what has happened since
 * explain. */
void sim_patience_check(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_seen_pod *p, int64_t now_ns);
/** A controller has begun to delete a Pod: with its finalizer on only where the Job ends, as its
 * next status has to say. */
void sim_patience_deleted(struct sim_seen_job *j, const struct sim_seen_pod *p);
void sim_patience_status(struct sim_report *r, const struct sim_seen_job *j);
/** A request was answered. A status that ends the Job may be refused for its version: by the newer
 * one it may not have to end, though its Pods are deleted, as upstream's are. */
void sim_patience_answered(const struct sim_book *b, const struct sim_request *q, int status);
/** A controller has taken the finalizer off an active Pod, to remove it. */
void sim_patience_removed(struct sim_report *r, const struct sim_seen_job *j,
                          const struct sim_seen_pod *p, int64_t now_ns);
/** The Job or one of its Pods was written. */
static inline void sim_patience_stir(struct sim_seen_job *j, int64_t now_ns)
{
    j->stirred_ns = now_ns;
}

#endif
