/* SPDX-License-Identifier: Apache-2.0 */
/* The Job controller's metric families. */
#include "controller/reconcile/metrics.h"

#define PREFIX "job_controller_"

/* 0.004 x 2^i, as upstream. */
static const double sync_buckets[] = { 0.004, 0.008, 0.016, 0.032, 0.064,  0.128,  0.256, 0.512,
                                       1.024, 2.048, 4.096, 8.192, 16.384, 32.768, 65.536 };

const struct jr_metric_desc jr_metric_job_sync_duration_seconds = JR_METRIC_HISTOGRAM(
    sync_buckets, PREFIX "job_sync_duration_seconds", "The time it took to sync a job",
    "completion_mode", "result", "action", NULL);

const struct jr_metric_desc jr_metric_job_syncs_total =
    JR_METRIC(COUNTER, PREFIX "job_syncs_total", "The number of job syncs", "completion_mode",
              "result", "action", NULL);

const struct jr_metric_desc jr_metric_jobs_finished_total =
    JR_METRIC(COUNTER, PREFIX "jobs_finished_total", "The number of finished jobs",
              "completion_mode", "result", "reason", NULL);

const struct jr_metric_desc jr_metric_jobs_by_external_controller_total =
    JR_METRIC(COUNTER, PREFIX "jobs_by_external_controller_total",
              "The number of Jobs managed by other controllers", "controller_name", NULL);

const struct jr_metric_desc jr_metric_job_pods_finished_total = JR_METRIC(
    COUNTER, PREFIX "job_pods_finished_total", "The number of finished Pods that are fully tracked",
    "completion_mode", "result", NULL);

const struct jr_metric_desc jr_metric_pod_failures_handled_total =
    JR_METRIC(COUNTER, PREFIX "pod_failures_handled_by_failure_policy_total",
              "The number of failed Pods handled by failure policy, by the action that applied",
              "action", NULL);

const struct jr_metric_desc jr_metric_terminated_pods_tracking_finalizer_total = JR_METRIC(
    COUNTER, PREFIX "terminated_pods_tracking_finalizer_total",
    "The number of terminated Pods that got (add) or lost (delete) their tracking finalizer",
    "event", NULL);

const struct jr_metric_desc jr_metric_job_finished_indexes_total =
    JR_METRIC(COUNTER, PREFIX "job_finished_indexes_total", "The number of finished indexes",
              "status", "backoffLimit", NULL);

const struct jr_metric_desc jr_metric_job_pods_creation_total =
    JR_METRIC(COUNTER, PREFIX "job_pods_creation_total",
              "The number of Pods created by the Job controller", "reason", "status", NULL);

const struct jr_metric_desc jr_metric_stale_sync_skips_total =
    JR_METRIC(COUNTER, PREFIX "stale_sync_skips_total",
              "The number of syncs skipped because the cache was older than the last write",
              "group", "resource", NULL);
