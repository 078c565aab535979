/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions of Kubernetes the API servers of a cluster have, as it is upgraded, and which
 * feature gates are on. */
#ifndef JR_KUBE_VERSION_WATCH_H
#define JR_KUBE_VERSION_WATCH_H

#include "common/base/log.h"
#include "common/base/metrics.h"
#include "common/kube/transport.h"
#include "common/schema/profiles.h"

/** Called from the loop; none may free the watch. */
struct jr_version_watch_handler {
    /** The servers are others than before, or their gates are; first when the first one was asked
     * for these. profiles:
     * of all of them, borrowed for the call. */
    void (*on_change)(void *ctx, const struct jr_profiles *profiles);
    /** Once at most, and before any on_change: the server answers, but doesn't say its version (it
     * is forbidden, or can't be understood). It is asked again. NULL: that is of no interest. */
    void (*on_untold)(void *ctx);
    void *ctx;
};

struct jr_version_watch;
/** Asks GET /version at once, then each minute, over a fresh connection each time: a kept one shows
 * one server of several. A question without an answer changes nothing; while there never was one it
 * is asked again sooner. GET /metrics says which gates are on: each ten minutes, and
 * for ten questions in a row when there are other servers or other gates, since any server may
 * answer. Servers of one version that have other gates are told apart; where that can't be read the
 * defaults of the version are assumed. Needs no right but system:discovery, and for the gates to
 * get /metrics. gates: what --feature-gates says, which counts more; borrowed. In the log is what
 * was learned, which gates were passed over, and once that nothing can be learned; in metrics,
 * jobreeve_kubernetes_version_info and jobreeve_kubernetes_feature_enabled. env and handler are
 * copied; log and metrics may be NULL and outlive the watch. */
struct jr_version_watch *jr_version_watch_start(const struct jr_env *env,
                                                const struct jr_flag_list *gates,
                                                const struct jr_version_watch_handler *handler,
                                                struct jr_log *log, struct jr_metrics *metrics);
/** NULL-safe. */
void jr_version_watch_free(struct jr_version_watch *w);

/** Sets these two metrics: also for who goes by a version that was asked for. */
void jr_version_metrics(struct jr_metrics *metrics, const struct jr_profiles *profiles);

#endif
