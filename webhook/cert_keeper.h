/* Keeps the webhook's own certificates: made, stored in a Secret, renewed, and trusted by the
 * webhook configurations. Any number of replicas do so at once: whoever writes first is right, the
 * others read. */
#ifndef JR_WEBHOOK_CERT_KEEPER_H
#define JR_WEBHOOK_CERT_KEEPER_H

#include "certs/rotate.h"
#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_cert_keeper_options {
    struct jr_certs_options certs;
    const char *namespace; /* of the Secret */
    const char *secret;
    /* The name of the Mutating- and of the ValidatingWebhookConfiguration whose caBundle is kept;
     * one that isn't there is waited for. */
    const char *configuration;
    int64_t poll_ms;   /* how often all is looked at */
    int64_t settle_ms; /* how long a bundle stands before a new CA signs: API servers learn of it by
                          a watch */
};

struct jr_cert_keeper_handler {
    /** A serving certificate to use from now on: the first, a new one, or another replica's.
     * Borrowed. */
    void (*on_serving)(void *ctx, const struct jr_cert *serving);
    /** A look at all of it came to its end, or broke off: err says why, NULL: all is well. */
    void (*on_round)(void *ctx, const struct jr_error *err);
    void *ctx;
};

struct jr_cert_keeper;
/** env is copied, the options' strings and names must stay, and be proper names; log may be NULL.
 */
enum jr_status jr_cert_keeper_new(const struct jr_env *env,
                                  const struct jr_cert_keeper_options *options,
                                  const struct jr_cert_keeper_handler *handler, struct jr_log *log,
                                  struct jr_cert_keeper **ret) JR_MUST_USE;
/** Begins with a look at once. */
enum jr_status jr_cert_keeper_start(struct jr_cert_keeper *k) JR_MUST_USE;
void jr_cert_keeper_free(struct jr_cert_keeper *k);
static inline void jr_cert_keeper_freep(struct jr_cert_keeper **k)
{
    jr_cert_keeper_free(*k);
}

#endif
