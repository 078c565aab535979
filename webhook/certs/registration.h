/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps both webhook configurations as they should be: whom they trust (caBundle), that they go
 * with the release's Namespace (ownerReferences), and that they fail closed where that is wanted,
 * but not before a replica answers (failurePolicy). What each of these is, registration_patch.h
 * says. */
#ifndef JR_WEBHOOK_CERTS_REGISTRATION_H
#define JR_WEBHOOK_CERTS_REGISTRATION_H

#include "common/base/log.h"
#include "common/kube/transport.h"
#include "webhook/certs/replicas.h"

/** What a reconciliation found. */
struct jr_registration_seen {
    bool patched; /* a caBundle was not as it should be; it may be now */
    const char
        *trusted; /* PEM, borrowed: the CAs that the caBundles had before, each once; NULL: none
                   */
};
struct jr_registration_handler {
    /** The end of a reconciliation. err NULL: both are as they should be, or were just written;
     * else why that isn't known. */
    void (*on_reconciled)(void *ctx, const struct jr_registration_seen *seen,
                          const struct jr_error *err);
    void *ctx;
};

struct jr_registration_options {
    /* The name of the Mutating- and of the ValidatingWebhookConfiguration; one that isn't there has
     * nothing to set. A proper one, copied. */
    const char *configuration;
    const char *namespace;        /* the release's; copied */
    const char *server_name;      /* what callers call a replica, "NAME.NAMESPACE.svc"; copied */
    struct jr_replicas *replicas; /* borrowed, and used only during a reconciliation */
};

struct jr_registration;
/** env is copied; log may be NULL. */
struct jr_registration *jr_registration_new(const struct jr_env *env,
                                            const struct jr_registration_options *options,
                                            const struct jr_registration_handler *handler,
                                            struct jr_log *log);
/** Reads both and patches what differs; one reconciliation at a time. pem: what they are to trust,
 * borrowed until on_reconciled is called, which may be before this returns; NULL: caBundle is not
 * ours to set. */
void jr_registration_reconcile(struct jr_registration *b, const char *pem);
/** How long to wait before the next reconciliation: poll_ns; less at first while a configuration is
 * missing (Helm makes Pods before webhook configurations) or waits for a replica that answers. */
int64_t jr_registration_pace_ns(struct jr_registration *b, int64_t poll_ns);
void jr_registration_free(struct jr_registration *b);

#endif
