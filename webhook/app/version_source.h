/* SPDX-License-Identifier: Apache-2.0 */
/* The API servers' versions, for this process: as --kubernetes-version says, or as they do. */
#ifndef JR_WEBHOOK_APP_VERSION_SOURCE_H
#define JR_WEBHOOK_APP_VERSION_SOURCE_H

#include "common/kube/version_watch.h"
#include "webhook/net/version_in_force.h"
#include "webhook/options.h"

/** Zeroed: not begun. */
struct jr_app_versions {
    struct jr_versions *in_force; /* for the server */
    struct jr_version_watch *watch;
};

/** Goes by the options; where these leave it open, asks the API server, and until it has answered
 * goes by all known versions. env NULL: there is no API server to ask; it stays at that. options,
 * log and metrics are borrowed; v stays where it is. */
void jr_app_versions_begin(struct jr_app_versions *v, const struct jr_webhook_options *options,
                           const struct jr_env *env, struct jr_log *log,
                           struct jr_metrics *metrics);
/** First half of the end: nothing is asked any more. */
void jr_app_versions_stop(struct jr_app_versions *v);
/** Second half, when no request is under way. */
void jr_app_versions_done(struct jr_app_versions *v);

#endif
