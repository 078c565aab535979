/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a Deployment to zero replicas and waits until none of its Pods runs. */
#ifndef JR_KUBE_SCALE_DOWN_H
#define JR_KUBE_SCALE_DOWN_H

#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_scale_down_handler {
    /** Nothing of it runs any more; once. May free it. */
    void (*on_done)(void *ctx);
    /** It takes more time, since this went wrong or is waited for. */
    void (*on_waiting)(void *ctx, const struct jr_error *why);
    void *ctx;
};

struct jr_scale_down;
/** env is copied, and so are the names, which must be proper ones; log may be NULL. */
struct jr_scale_down *jr_scale_down_new(const struct jr_env *env, const char *namespace,
                                        const char *name,
                                        const struct jr_scale_down_handler *handler,
                                        struct jr_log *log);
/** Begins. It goes on for as long as it takes, whatever the API server answers: who can't wait
 * frees it. A Deployment that isn't there has no Pods. One that somebody scales up meanwhile is
 * scaled down again. Needs the rights to patch deployments/scale, to get the Deployment and to list
 * Pods. */
void jr_scale_down_start(struct jr_scale_down *s);
/** s may be NULL. */
void jr_scale_down_free(struct jr_scale_down *s);

#endif
