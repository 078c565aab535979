/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a sync of a Job and Pods given as text step by step, with answers given by the test. */
#ifndef JR_TEST_RECONCILE_RIG_H
#define JR_TEST_RECONCILE_RIG_H

#include "controller/reconcile/sync.h"

#define RIG_PODS 8192

struct rig {
    struct jr_job *job;
    struct jr_pod *pods[RIG_PODS];
    size_t n_pods;
    struct jr_reconcile_options options;
    struct jr_snapshot snap;
    struct jr_sync *sync;
    const struct jr_stage *stage;
    struct jr_arena arena;
};

/** A Job demo in ns1 with uid job-uid; members of its spec and its status as JSON, spec without the
 * braces. The selector wants app=x, and so are the template's labels unless spec has a template. */
void rig_open(struct rig *r, const char *spec, const char *status);
void rig_close(struct rig *r);
/** A Pod of the Job with label app=x and the finalizer; members of its metadata and whole status.
 */
void rig_pod(struct rig *r, const char *name, const char *metadata, const char *status);
/** A Pod as it is. */
void rig_pod_text(struct rig *r, const char *text);

/** Begins the sync and takes the first step. */
const struct jr_stage *rig_begin(struct rig *r);
/** Takes a step; results for the stage's operations, as many as it has. */
const struct jr_stage *rig_step(struct rig *r, const struct jr_op_result *v);
/** Takes a step in which all went well: created Pods are called new-N, a PUT is echoed. */
const struct jr_stage *rig_step_ok(struct rig *r);

#define RIG_OK ((struct jr_op_result){ .outcome = JR_OP_OK, .http = 200 })
#define RIG_REFUSED(code) \
    ((struct jr_op_result){ .outcome = JR_OP_REFUSED, .http = (code), .message = JR_S("refused") })
#define RIG_LOST ((struct jr_op_result){ .outcome = JR_OP_AMBIGUOUS, .message = JR_S("lost") })
#define RIG_HELD_BACK       \
    ((struct jr_op_result){ \
        .outcome = JR_OP_REFUSED, .held_back = true, .message = JR_S("not sent") })
#define RIG_SKIPPED ((struct jr_op_result){ .outcome = JR_OP_SKIPPED })

/** The now of every sync: 2026-03-01T12:00:00Z. */
struct jr_time rig_now(void);
/** Whether an event with this reason and message is in the stage. */
bool rig_event(const struct jr_stage *stage, const char *reason, const char *message);

#endif
