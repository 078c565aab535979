/* Lets the webhook configurations trust CAs: the caBundle of every webhook in both of them. */
#ifndef JR_WEBHOOK_CA_BUNDLE_H
#define JR_WEBHOOK_CA_BUNDLE_H

#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_ca_bundle_handler {
    /** Both were looked at. err NULL: they are as they should be, or were just written; patched:
     * one of them was not. Else why that is not known. */
    void (*on_looked)(void *ctx, bool patched, const struct jr_error *err);
    void *ctx;
};

struct jr_ca_bundle;
/** configuration: the name of the Mutating- and of the ValidatingWebhookConfiguration, a proper one
 * and copied; one that isn't there has nothing to set. env is copied; log may be NULL. */
enum jr_status jr_ca_bundle_new(const struct jr_env *env, const char *configuration,
                                const struct jr_ca_bundle_handler *handler, struct jr_log *log,
                                struct jr_ca_bundle **ret) JR_MUST_USE;
/** Looks at both and sets what isn't so; one look at a time. pem is borrowed until on_looked comes,
 * which may be from inside. */
void jr_ca_bundle_look(struct jr_ca_bundle *b, const char *pem);
/** How long to wait before the next look, all being well: poll_ns; less at first while one isn't
 * there, as Helm makes Pods before webhook configurations. */
int64_t jr_ca_bundle_pace_ns(struct jr_ca_bundle *b, int64_t poll_ns);
void jr_ca_bundle_free(struct jr_ca_bundle *b);

#endif
