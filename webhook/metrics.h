/* SPDX-License-Identifier: Apache-2.0 */
/* The webhook's metrics, under controller-runtime's names where it has them. Those of JobPolicies
 * are in common/policy/watch/store.c and watch.c. */
#ifndef JR_WEBHOOK_METRICS_H
#define JR_WEBHOOK_METRICS_H

#include "common/base/metrics.h"
#include "webhook/certs/cert_keeper.h"
#include "webhook/review/review.h"

/** Makes all families show up, with zeros where the labels are known. */
void jr_webhook_metrics_init(struct jr_metrics *m);

/** A request came in, and went out with this HTTP status after so many seconds. */
void jr_webhook_metrics_begin(struct jr_metrics *m, enum jr_endpoint e);
void jr_webhook_metrics_end(struct jr_metrics *m, enum jr_endpoint e, unsigned code,
                            double seconds);
/** A review was answered. */
void jr_webhook_metrics_review(struct jr_metrics *m, enum jr_endpoint e,
                               const struct jr_review_outcome *o);
/** Policies will be evaluated: their family shows up. */
void jr_webhook_metrics_policies_init(struct jr_metrics *m);
/** Policies were evaluated in a review, in so many seconds. */
void jr_webhook_metrics_policies(struct jr_metrics *m, double seconds);
/** Connections that we closed: "deadline", "evicted", "refused" or "not-tls". */
void jr_webhook_metrics_closed(struct jr_metrics *m, const char *reason, size_t n);
/** What is read at each scrape. */
struct jr_webhook_gauges {
    size_t connections;
    size_t memory_bytes;
    double cert_not_after_s;
};
/** Until when policies and Namespaces are known, read at each scrape too; 0: never. */
void jr_webhook_metrics_policies_known(struct jr_metrics *m, struct jr_time until);
void jr_webhook_metrics_gauges(struct jr_metrics *m, const struct jr_webhook_gauges *g);
void jr_webhook_metrics_reload(struct jr_metrics *m, bool ok);
/** By how much our clock is ahead of the API server's. */
void jr_webhook_metrics_skew(struct jr_metrics *m, int64_t skew_ns);
/** A keeper has looked at everything. */
void jr_webhook_metrics_kept(struct jr_metrics *m, const struct jr_cert_keeper_seen *seen, bool ok);

#endif
