/* SPDX-License-Identifier: Apache-2.0 */
/* Calls admission webhooks for the store: HTTPS by the project's own transport, one per origin and
 * CA. */
#ifndef JR_DEVCLUSTER_HOOKS_H
#define JR_DEVCLUSTER_HOOKS_H

#include "common/base/loop.h"
#include "devcluster/apiserver/store.h"

struct jr_dev_hooks;
struct jr_dev_hooks *jr_dev_hooks_new(struct jr_loop *loop);
void jr_dev_hooks_free(struct jr_dev_hooks *h);

struct jr_dev_hook_call;
/** Calls; done comes once, from the loop, unless cancelled. Errors: JR_INVALID (url), JR_IO. */
enum jr_status jr_dev_hooks_call(struct jr_dev_hooks *h, const struct jr_dev_webhook *w,
                                 void (*done)(void *ctx, const struct jr_dev_webhook_result *r),
                                 void *ctx, struct jr_dev_hook_call **ret,
                                 struct jr_error *err) JR_MUST_USE;
/** NULL-safe; *call becomes NULL. */
void jr_dev_hook_cancel(struct jr_dev_hook_call **call);

#endif
