/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the webhook out of a cluster's way, in the order in which nobody is blocked: first the API
 * servers forget it, then it ends, then its certificates go. */
#ifndef JR_WEBHOOK_COMMANDS_REMOVE_H
#define JR_WEBHOOK_COMMANDS_REMOVE_H

#include "common/base/log.h"
#include "common/kube/transport.h"

struct jr_remover_options {
    const char *configuration;     /* of both webhook configurations */
    const char *namespace;         /* of what follows */
    const char *deployment;        /* NULL: none is scaled down */
    const char *keeper_deployment; /* the same, before that one: it would make the secret anew */
    const char *secret;            /* NULL: none is deleted */
};

struct jr_remover_handler {
    /** All of it is gone; once. */
    void (*on_done)(void *ctx);
    /** It takes more time: err->path says which object, err->msg why. */
    void (*on_waiting)(void *ctx, const struct jr_error *why);
    void *ctx;
};

struct jr_remover;
/** env is copied, and so are the names, which must be proper ones; log may be NULL. */
struct jr_remover *jr_remover_new(const struct jr_env *env,
                                  const struct jr_remover_options *options,
                                  const struct jr_remover_handler *handler, struct jr_log *log);
/** Begins, and goes on until all is gone, for as long as that takes. What isn't there is fine. */
void jr_remover_start(struct jr_remover *r);
void jr_remover_free(struct jr_remover *r);

#endif
