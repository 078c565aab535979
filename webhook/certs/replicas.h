/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the webhook's replicas what they serve: the EndpointSlices of its Service name them, and a
 * TLS handshake with each shows the certificate. */
#ifndef JR_WEBHOOK_CERTS_REPLICAS_H
#define JR_WEBHOOK_CERTS_REPLICAS_H

#include "certs/handshake.h"
#include "common/kube/transport.h"

/** What came of it; by address. */
struct jr_replicas_seen {
    size_t n_ready;  /* the Service sends requests to them */
    size_t n_good;   /* answered each time by what was asked for */
    size_t n_bad;    /* answered, ready or not, by something else */
    size_t n_silent; /* ready, and no answer */
    const char *who; /* one of the bad or silent ones, borrowed; "": none */
};
struct jr_replicas_question {
    /* New connections in a row to each address: two processes may share its port, and the system
     * picks one of them each time. */
    unsigned tries;
    /** Whether this is the certificate that was asked for: PEM, the leaf first, not verified. */
    bool (*validate)(void *ctx, const char *chain_pem);
    /** Once. err: the Service's addresses could not be had, or are more than 1,000; NULL: seen says
     * it. Never from inside jr_replicas_ask. */
    void (*on_asked)(void *ctx, const struct jr_replicas_seen *seen, const struct jr_error *err);
    void *ctx;
};

struct jr_replicas;
/** All are proper names, and copied; so are env and shaker. */
struct jr_replicas *jr_replicas_new(const struct jr_env *env, const struct jr_handshaker *shaker,
                                    const char *namespace, const char *service);
/** One question at a time; q is copied. */
void jr_replicas_ask(struct jr_replicas *r, const struct jr_replicas_question *q);
void jr_replicas_free(struct jr_replicas *r);

#endif
