/* SPDX-License-Identifier: Apache-2.0 */
/* Admission webhooks: which are to be asked, what they are asked, what their answers do. */
#ifndef JR_DEVCLUSTER_APISERVER_ADMISSION_H
#define JR_DEVCLUSTER_APISERVER_ADMISSION_H

#include "devcluster/apiserver/op.h"

/** A webhook that is to be asked in the phase under way. In the operation's arena. */
struct jr_dev_hook {
    struct jr_dev_hook *next;
    bool mutating;
    bool fail;         /* failurePolicy */
    bool side_effects; /* it may have some: no dry run with it */
    int timeout_s;
    const char *name;
    const char *url; /* NULL: it can't be reached from here */
    const char *ca_pem;
    const char *service; /* "namespace/name", for the words */
};

/** Finds the webhooks of the phase for what op does; op->hook is the first. */
void jr_dev_hooks_collect(struct jr_dev_op *op, bool mutating);
/** Prepares the call of op->hook: fills op->call and its body; *ret_call is false where it is
 * passed over instead. A step of op. */
bool jr_dev_hook_begin(struct jr_dev_op *op, bool *ret_call) JR_MUST_USE;
/** Takes the answer; *ret_patched: op->doc was changed. A step of op. */
bool jr_dev_hook_end(struct jr_dev_op *op, const struct jr_dev_webhook_result *result,
                     bool *ret_patched) JR_MUST_USE;
/** Fills op->review with the AdmissionReview. */
void jr_dev_review_write(struct jr_dev_op *op);

#endif
