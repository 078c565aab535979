/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the webhook's certificates: makes them, stores them in a Secret from which the replicas
 * serve them, renews them, and has the webhook configurations trust them. Several keepers may run:
 * the first write wins, the others read it. */
#ifndef JR_WEBHOOK_CERTS_CERT_KEEPER_H
#define JR_WEBHOOK_CERTS_CERT_KEEPER_H

#include "certs/rotate.h"
#include "webhook/certs/registration.h"

struct jr_cert_keeper_options {
    struct jr_certs_options certs;
    const char *namespace; /* of the Secret */
    const char *secret;
    struct jr_registration_options registration;
    int64_t poll_ms;        /* between two reconciliations */
    int64_t propagation_ms; /* how long a bundle stands before a new CA signs: API servers learn of
                          it by a watch; and a new certificate before replicas are asked for it */
};

/** What a reconciliation found. */
struct jr_cert_keeper_seen {
    struct jr_time serving_until; /* when the Secret's serving certificate ends; 0: there is none */
    struct jr_time ca_until;      /* the same of its CA */
    bool old_trusted;             /* a former CA is trusted beside it */
    int64_t skew_ns;              /* by how much our clock is ahead of the API server's */
};
struct jr_cert_keeper_handler {
    /** The end of a reconciliation. err: why it failed; NULL: all is as it should be. */
    void (*on_reconciled)(void *ctx, const struct jr_cert_keeper_seen *seen,
                          const struct jr_error *err);
    void *ctx;
};

struct jr_cert_keeper;
/** Reconciles at once, and then every poll_ms. env is copied; the options' strings are borrowed,
 * and names must be valid; log may be NULL. */
struct jr_cert_keeper *jr_cert_keeper_start(const struct jr_env *env,
                                            const struct jr_cert_keeper_options *options,
                                            const struct jr_cert_keeper_handler *handler,
                                            struct jr_log *log);
void jr_cert_keeper_free(struct jr_cert_keeper *k);

#endif
