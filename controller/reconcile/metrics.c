/* SPDX-License-Identifier: Apache-2.0 */
/* The Job controller's metric families. */
#include "controller/reconcile/metrics.h"

#define PREFIX "job_controller_"
#define LABELS(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define COUNTER(name_, help_, labels_)                                                 \
    {                                                                                  \
        .name = PREFIX name_, .help = (help_), .kind = JR_COUNTER, .labels = (labels_) \
    }

/* 0.004 x 2^i, as upstream. */
static const double sync_buckets[] = { 0.004, 0.008, 0.016, 0.032, 0.064,  0.128,  0.256, 0.512,
                                       1.024, 2.048, 4.096, 8.192, 16.384, 32.768, 65.536 };

const struct jr_metric_desc jr_metric_job_sync_duration_seconds = {
    .name = PREFIX "job_sync_duration_seconds",
    .help = "The time it took to sync a job",
    .kind = JR_HISTOGRAM,
    .labels = LABELS("completion_mode", "result", "action"),
    .buckets = sync_buckets,
    .n_buckets = JR_ARRAY_SIZE(sync_buckets),
};

const struct jr_metric_desc jr_metric_job_syncs_total = COUNTER(
    "job_syncs_total", "The number of job syncs", LABELS("completion_mode", "result", "action"));

const struct jr_metric_desc jr_metric_jobs_finished_total =
    COUNTER("jobs_finished_total", "The number of finished jobs",
            LABELS("completion_mode", "result", "reason"));

const struct jr_metric_desc jr_metric_jobs_by_external_controller_total =
    COUNTER("jobs_by_external_controller_total", "The number of Jobs managed by other controllers",
            LABELS("controller_name"));

const struct jr_metric_desc jr_metric_job_pods_finished_total =
    COUNTER("job_pods_finished_total", "The number of finished Pods that are fully tracked",
            LABELS("completion_mode", "result"));

const struct jr_metric_desc jr_metric_pod_failures_handled_total =
    COUNTER("pod_failures_handled_by_failure_policy_total",
            "The number of failed Pods handled by failure policy, by the action that applied",
            LABELS("action"));

const struct jr_metric_desc jr_metric_terminated_pods_tracking_finalizer_total = COUNTER(
    "terminated_pods_tracking_finalizer_total",
    "The number of terminated Pods that got (add) or lost (delete) their tracking finalizer",
    LABELS("event"));

const struct jr_metric_desc jr_metric_job_finished_indexes_total =
    COUNTER("job_finished_indexes_total", "The number of finished indexes",
            LABELS("status", "backoffLimit"));

const struct jr_metric_desc jr_metric_job_pods_creation_total =
    COUNTER("job_pods_creation_total", "The number of Pods created by the Job controller",
            LABELS("reason", "status"));

const struct jr_metric_desc jr_metric_stale_sync_skips_total =
    COUNTER("stale_sync_skips_total",
            "The number of syncs skipped because the cache was older than the last write",
            LABELS("group", "resource"));
