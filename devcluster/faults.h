/* SPDX-License-Identifier: Apache-2.0 */
/* Faults on purpose: what a client may meet on a bad day, switched on per request class; and the
 * hold, which stops a client dead right after its k-th write, so that a test can kill it there.
 * Pure. */
#ifndef JR_DEVCLUSTER_FAULTS_H
#define JR_DEVCLUSTER_FAULTS_H

#include "common/json/doc.h"

enum jr_dev_fault_action {
    JR_DEV_FAULT_NONE,
    JR_DEV_FAULT_STATUS, /* answered with `status`, not done */
    JR_DEV_FAULT_DROP,   /* connection closed, not done */
    JR_DEV_FAULT_LOST,   /* done, and the connection closed instead of an answer */
    JR_DEV_FAULT_DELAY,  /* answered after delay_ms; a watch's frames lag by as much */
};

struct jr_dev_fault {
    enum jr_dev_fault_action action;
    int status;
    int64_t delay_ms;
};

struct jr_dev_faults;
struct jr_dev_faults *jr_dev_faults_new(void);
void jr_dev_faults_free(struct jr_dev_faults *f);

/** Replaces the rules by
 * {"rules":[{"userAgent":"jobreeve-controller","method":"PUT","path":"/status","every":3,"times":5,
 *  "action":"status","status":409,"delayMilliseconds":0}]}: a rule is for requests whose User-Agent
 * starts so, whose method is that and whose path contains that (all optional); of these it takes
 * every n-th (1), at most `times` (0: always). The first rule that takes a request decides. Errors:
 * JR_INVALID with the path of the member. */
enum jr_status jr_dev_faults_set(struct jr_dev_faults *f, const struct jr_node *config,
                                 struct jr_error *err) JR_MUST_USE;
/** Takes all rules away. */
void jr_dev_faults_clear(struct jr_dev_faults *f);
struct jr_dev_fault jr_dev_faults_next(struct jr_dev_faults *f, struct jr_str user_agent,
                                       struct jr_str method, struct jr_str path);

/** {"userAgent":"jobreeve-controller","afterWrites":7,"answer":true}: after its 7th write from now
 * on the client is held: its requests, watches too, get nothing any more. With answer, the 7th
 * write itself is still answered. */
enum jr_status jr_dev_hold_set(struct jr_dev_faults *f, const struct jr_node *config,
                               struct jr_error *err) JR_MUST_USE;
void jr_dev_hold_clear(struct jr_dev_faults *f);
/** Whether this client gets nothing now. */
bool jr_dev_hold_on(const struct jr_dev_faults *f, struct jr_str user_agent);
/** Tells of a write that took effect; those of Events and Leases don't count. *ret_answer: whether
 * its answer goes out. */
void jr_dev_hold_wrote(struct jr_dev_faults *f, struct jr_str user_agent, struct jr_str path,
                       bool *ret_answer);
/** {"held":true,"writes":7,"rules":[{"seen":30,"taken":5}]} */
void jr_dev_faults_write(const struct jr_dev_faults *f, struct jr_buf *out);

#endif
