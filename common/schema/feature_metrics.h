/* SPDX-License-Identifier: Apache-2.0 */
/* What an API server says of itself in GET /metrics: its version, and which feature gates are on.
 * Pure: chunks go in. */
#ifndef JR_SCHEMA_FEATURE_METRICS_H
#define JR_SCHEMA_FEATURE_METRICS_H

#include "common/schema/kube_version.h"
#include "common/schema/profile.h"

/** No line that is of interest is longer. */
#define JR_FEATURE_METRICS_LINE_MAX 1024

/** Zeroed: nothing was read. */
struct jr_feature_metrics {
    struct jr_kube_version version; /* kubernetes_build_info; minor 0: it wasn't there */
    struct jr_gates_seen gates;     /* kubernetes_feature_enabled */
    size_t n;                       /* how many gates were named, those that we don't know too */
    char line[JR_FEATURE_METRICS_LINE_MAX];
    size_t line_n; /* bytes of the line that has begun; more than fit: it is passed over */
};

/** Reads what comes next, in pieces of any size. Source: the text exposition format of Prometheus
 * 0.0.4; k8s.io/component-base/metrics/prometheus/feature. What isn't of these two families, or
 * can't be understood, is passed over. */
void jr_feature_metrics_feed(struct jr_feature_metrics *m, struct jr_str chunk);

#endif
