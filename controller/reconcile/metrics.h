/* SPDX-License-Identifier: Apache-2.0 */
/* The Job controller's metric families, under upstream's names. Constant tables. */
#ifndef JR_RECONCILE_METRICS_H
#define JR_RECONCILE_METRICS_H

#include "common/base/metrics.h"

extern const struct jr_metric_desc jr_metric_job_sync_duration_seconds;
extern const struct jr_metric_desc jr_metric_job_syncs_total;
extern const struct jr_metric_desc jr_metric_jobs_finished_total;
extern const struct jr_metric_desc jr_metric_jobs_by_external_controller_total;
extern const struct jr_metric_desc jr_metric_job_pods_finished_total;
extern const struct jr_metric_desc jr_metric_pod_failures_handled_total;
extern const struct jr_metric_desc jr_metric_terminated_pods_tracking_finalizer_total;
extern const struct jr_metric_desc jr_metric_job_finished_indexes_total;
extern const struct jr_metric_desc jr_metric_job_pods_creation_total;
extern const struct jr_metric_desc jr_metric_stale_sync_skips_total;

#endif
