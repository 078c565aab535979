/* SPDX-License-Identifier: Apache-2.0 */
/* Leader election by a Lease (coordination.k8s.io/v1), by client-go's rules and with a margin. */
#ifndef JR_KUBE_LEADER_ELECTION_H
#define JR_KUBE_LEADER_ELECTION_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/transport.h"

struct jr_elector_options {
    const char *namespace;
    const char *name;
    const char *identity;      /* <hostname>_<uuid> */
    int64_t lease_duration_ms; /* 15,000 */
    int64_t renew_deadline_ms; /* 10,000, below lease_duration */
    int64_t retry_period_ms;   /* 2,000, below renew_deadline / 1.2 */
    bool release_on_stop;
};
struct jr_elector_handler {
    void (*on_started)(void *ctx); /* we lead */
    /* The end, once: we lead no more, or jr_elector_stop was called and the release is done.
     * Nothing is tried after it. May free the elector. */
    void (*on_stopped)(void *ctx);
    void *ctx;
};

struct jr_elector;
/** Errors: JR_INVALID, err->path is the flag. */
enum jr_status jr_elector_new(const struct jr_env *env, const struct jr_elector_options *options,
                              const struct jr_elector_handler *handler, struct jr_log *log,
                              struct jr_metrics *metrics, struct jr_elector **ret,
                              struct jr_error *err) JR_MUST_USE;
/** Begins; a second call does nothing. */
void jr_elector_start(struct jr_elector *e);
/** Stops; with release_on_stop the Lease is given up (holderIdentity "") before on_stopped comes.
 */
void jr_elector_stop(struct jr_elector *e);
/** The right to write, now: ends a margin (a tenth of the lease, at least 500 ms) before the Lease
 * does, counted from the moment the last successful renewal was sent, on CLOCK_BOOTTIME. Fit for
 * jr_http_request.may_send. */
bool jr_elector_may_write(void *elector);
/** To be told of a gap in the loop: until the Lease was read again, jr_elector_may_write says no.
 */
void jr_elector_gap(struct jr_elector *e);
/** Whether it stands by and has neither read nor written the Lease for the Lease's duration: it
 * would not take over from a leader that is gone. *ret says why the last attempt failed. */
bool jr_elector_blind(const struct jr_elector *e, struct jr_error *ret);
void jr_elector_free(struct jr_elector *e);

#endif
