/* SPDX-License-Identifier: Apache-2.0 */
/* The serving certificate where it is in a Secret that a keeper writes (--tls-secret): the API
 * server is found, and the Secret read. */
#ifndef JR_WEBHOOK_NET_OWN_CERTS_H
#define JR_WEBHOOK_NET_OWN_CERTS_H

#include "common/base/log.h"
#include "common/tls/tls.h"
#include "webhook/api.h"
#include "webhook/options.h"

struct jr_own_certs_handler {
    /** A certificate to serve with from now on; the reference is the handler's. */
    void (*on_cred)(void *ctx, struct jr_tls_cred *cred);
    /** One could not be got; what is served stays. */
    void (*on_failure)(void *ctx);
    /** By how much our clock is ahead of the API server's, with each look. */
    void (*on_skew)(void *ctx, int64_t skew_ns);
    void *ctx;
};

struct jr_own_certs;
/** Begins at once. All is borrowed but handler. */
struct jr_own_certs *jr_own_certs_start(const struct jr_webhook_api *api,
                                        const struct jr_webhook_options *options,
                                        const struct jr_own_certs_handler *handler,
                                        struct jr_log *log);
void jr_own_certs_free(struct jr_own_certs *o);
#endif
