/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the certificate that a replica serves from the Secret that a keeper writes, periodically.
 * Needs only the right to get that Secret. */
#ifndef JR_WEBHOOK_CERTS_CERT_READER_H
#define JR_WEBHOOK_CERTS_CERT_READER_H

#include "certs/make.h"
#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_cert_reader_handler {
    /** A serving certificate to use from now on: the first, or a new one. Borrowed. */
    void (*on_serving)(void *ctx, const struct jr_cert *serving);
    /** The Secret was read. err: what is wrong with it; NULL: nothing, or there is no certificate
     * yet. skew_ns: by how much our clock is ahead of the API server's. */
    void (*on_read)(void *ctx, int64_t skew_ns, const struct jr_error *err);
    void *ctx;
};

struct jr_cert_reader;
/** Reads at once, and then every poll_ms; sooner until there is a first certificate. env is copied;
 * the names are proper ones, and copied; log may be NULL. */
struct jr_cert_reader *jr_cert_reader_start(const struct jr_env *env, const char *namespace,
                                            const char *secret, int64_t poll_ms,
                                            const struct jr_cert_reader_handler *handler,
                                            struct jr_log *log);
void jr_cert_reader_free(struct jr_cert_reader *r);

#endif
