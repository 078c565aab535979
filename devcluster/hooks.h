/* Calls admission webhooks for the store: HTTPS by the project's own transport, one per origin and
 * CA. */
#ifndef JR_DEVCLUSTER_HOOKS_H
#define JR_DEVCLUSTER_HOOKS_H

#include "common/base/loop.h"
#include "devcluster/apiserver/store.h"

struct jr_hooks;
enum jr_status jr_hooks_new(struct jr_loop *loop, struct jr_hooks **ret) JR_MUST_USE;
void jr_hooks_free(struct jr_hooks *h);
static inline void jr_hooks_freep(struct jr_hooks **h)
{
    jr_hooks_free(*h);
}

struct jr_hook_call;
/** Calls; done comes once, from the loop, unless cancelled. Errors: JR_INVALID (url), JR_NOMEM,
 * JR_IO. */
enum jr_status jr_hooks_call(struct jr_hooks *h, const struct jr_api_webhook *w,
                             void (*done)(void *ctx, const struct jr_api_webhook_result *r),
                             void *ctx, struct jr_hook_call **ret,
                             struct jr_error *err) JR_MUST_USE;
/** NULL-safe; *call becomes NULL. */
void jr_hook_cancel(struct jr_hook_call **call);

#endif
