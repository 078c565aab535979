/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a CustomResourceDefinition is there and stays: an API server that deletes one deletes its
 * objects first, and tells of that as if somebody had deleted each. */
#ifndef JR_POLICY_WATCH_CRD_H
#define JR_POLICY_WATCH_CRD_H

#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_crd_handler {
    /** It is the one that was there at the first question, and isn't being deleted. number: of the
     * latest question that this answers. */
    void (*on_there)(void *ctx, uint64_t number);
    /** It is gone, being deleted, or another one has taken its place. */
    void (*on_lost)(void *ctx);
    void *ctx;
};

struct jr_crd;
/** name: of the CustomResourceDefinition; constant. env and handler are copied; log may be NULL. */
struct jr_crd *jr_crd_new(const struct jr_env *env, const char *name,
                          const struct jr_crd_handler *handler, struct jr_log *log);
/** Asks the API server. Returns the question's number, from 1. What fails is tried again. */
uint64_t jr_crd_ask(struct jr_crd *c);
/** Whichever is there at the next question is the right one. */
void jr_crd_forget(struct jr_crd *c);
/** NULL-safe. */
void jr_crd_free(struct jr_crd *c);

#endif
