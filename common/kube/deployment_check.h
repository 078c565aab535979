/* SPDX-License-Identifier: Apache-2.0 */
/* Asks whether a Deployment bears an annotation, before something that only its owner may ask for:
 * helm writes meta.helm.sh/release-name on what it installs, `helm template` doesn't. */
#ifndef JR_KUBE_DEPLOYMENT_CHECK_H
#define JR_KUBE_DEPLOYMENT_CHECK_H

#include "common/base/log.h"
#include "common/kube/transport.h"

/** All are called from the loop. on_bears and on_lacks: one of them, once; both may free the check.
 */
struct jr_deployment_check_handler {
    /** It bears the annotation, whatever its value, or there is no such Deployment. */
    void (*on_bears)(void *ctx);
    /** It is there without the annotation; why->path says which Deployment. */
    void (*on_lacks)(void *ctx, const struct jr_error *why);
    /** There is no answer yet, for this reason; it is asked again. */
    void (*on_waiting)(void *ctx, const struct jr_error *why);
    void *ctx;
};

struct jr_deployment_check;
/** Asks until there is an answer: who can't wait frees it. env and the names are copied; the names
 * must be proper ones; log may be NULL. Needs the right to get the Deployment. */
struct jr_deployment_check *
jr_deployment_check_start(const struct jr_env *env, const char *namespace, const char *name,
                          const char *annotation, const struct jr_deployment_check_handler *handler,
                          struct jr_log *log);
/** c may be NULL. */
void jr_deployment_check_free(struct jr_deployment_check *c);

#endif
