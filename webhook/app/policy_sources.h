/* SPDX-License-Identifier: Apache-2.0 */
/* The policies of this process: out of files, and watched. */
#ifndef JR_WEBHOOK_APP_POLICY_SOURCES_H
#define JR_WEBHOOK_APP_POLICY_SOURCES_H

#include "common/policy/watch/policy_files.h"
#include "common/policy/watch/watch.h"
#include "webhook/metrics.h"
#include "webhook/net/request_policies.h"
#include "webhook/options.h"

/** Zeroed: there are none. */
struct jr_app_policies {
    struct jr_policy_sources sources; /* for the server */
    struct jr_policy_files *files;
    struct jr_policy_watch *watch;
};

/** Reads --policy-file. Errors: JR_USAGE, err->path names the flag; what is wrong in files is in
 * the log. */
enum jr_status jr_app_policies_load(struct jr_app_policies *p, const struct jr_webhook_options *o,
                                    struct jr_time now, struct jr_log *log,
                                    struct jr_error *err) JR_MUST_USE;
/** Whether an API server is needed for them. */
bool jr_app_policies_need_api(const struct jr_app_policies *p, const struct jr_webhook_options *o);
/** Begins to watch what is needed of the API server; env NULL: it isn't. on_listed: called after
 * each list from when jr_app_policies_ready is true. */
void jr_app_policies_watch(struct jr_app_policies *p, const struct jr_webhook_options *o,
                           const struct jr_env *env, void (*on_listed)(void *ctx), void *ctx,
                           struct jr_log *log, struct jr_metrics *metrics);
/** Reads the files again. *ret_changed: they were put in force. Errors: what is wrong; then all
 * stays as it was. */
enum jr_status jr_app_policies_reload(struct jr_app_policies *p, struct jr_time now,
                                      bool *ret_changed, struct jr_error *err) JR_MUST_USE;
/** Whether all is known that is to be in force: before, nothing can be decided. */
bool jr_app_policies_ready(const struct jr_app_policies *p);
/** What is read at each scrape. */
void jr_app_policies_gauges(const struct jr_app_policies *p, struct jr_time now,
                            struct jr_metrics *metrics);
/** First half of the end: no call comes any more. */
void jr_app_policies_stop(struct jr_app_policies *p);
/** Second half, when no request is under way. */
void jr_app_policies_done(struct jr_app_policies *p);

#endif
