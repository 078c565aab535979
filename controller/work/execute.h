/* SPDX-License-Identifier: Apache-2.0 */
/* The executor: runs a stage's operations through the transport. It decides nothing but the
 * doubling of slow-start batches and whether an operation's precursor lets it go. Requests in
 * flight are bounded, and shared out evenly between the stages that run at one time. */
#ifndef JR_CONTROLLER_WORK_EXECUTE_H
#define JR_CONTROLLER_WORK_EXECUTE_H

#include "common/kube/transport.h"
#include "controller/reconcile/stage.h"

struct jr_executor_options {
    size_t max_inflight; /* at least 1 */
    int64_t timeout_ms;  /* of one request */
    unsigned max_retries;
    bool (*may_send)(void *ctx); /* NULL: always */
    void *ctx;
};

struct jr_executor;
/** env is borrowed and outlives the executor. */
struct jr_executor *jr_executor_new(const struct jr_env *env,
                                    const struct jr_executor_options *options);
/** Cancels what runs. */
void jr_executor_free(struct jr_executor *x);

/** A stage under way. */
struct jr_exec;
/** Runs the stage's operations. stage, with all it points at, and the names are borrowed until
 * on_done, which is called once, from the loop, with a result per operation in their order; unless
 * it is cancelled before.
 * @param namespace, name  of the Job, for the paths of what has no Pod; name may be empty where no
 * such operation is */
void jr_execute(struct jr_executor *x, const struct jr_stage *stage, struct jr_str namespace,
                struct jr_str name, void (*on_done)(void *ctx, const struct jr_results *results),
                void *ctx, struct jr_exec **ret);
/** How many of its requests are in flight, and how many have no result yet. */
void jr_exec_look(const struct jr_exec *e, size_t *ret_inflight, size_t *ret_left);
/** Forgets a stage: whether its requests in flight happen is unknown. NULL-safe. */
void jr_exec_cancel(struct jr_exec **e);

#endif
