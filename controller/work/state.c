/* SPDX-License-Identifier: Apache-2.0 */
/* Making and ending of the state, and what goes into its queues. */
#include "controller/work/state.h"

#include <stdio.h>

#include "controller/work/orphans.h"
#include "controller/work/ttl.h"

static const struct jr_metric_desc cache_bytes =
    JR_METRIC(GAUGE, "jobreeve_job_cache_bytes", "Memory that cached Jobs take.", NULL);
static const struct jr_metric_desc cache_limit = JR_METRIC(
    GAUGE, "jobreeve_job_cache_limit_bytes",
    "What they may take (--job-cache-bytes): beyond, the largest have no template.", NULL);

void jr_state_init(struct jr_state *s, const struct jr_reconcile_options *options, bool ttl,
                   struct jr_metrics *metrics)
{
    *s = (struct jr_state){ .options = *options,
                            .metrics = metrics,
                            .store = jr_store_new(options->tracking_finalizer),
                            .expectations = jr_expectations_new(),
                            .records = jr_records_new(),
                            .unreadables = jr_unreadables_new(metrics),
                            .jobs = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, metrics),
                            .orphans = jr_orphans_new(metrics) };
    if (ttl)
        s->expired = jr_queue_new("ttl_jobs_to_delete", &JR_QUEUE_LIMITS_DEFAULT, metrics);
    jr_metrics_declare(metrics, &jr_metric_foreign_writes, NULL);
}

void jr_state_done(struct jr_state *s)
{
    jr_queue_free(s->expired);
    jr_orphans_free(s->orphans);
    jr_queue_free(s->jobs);
    jr_unreadables_free(s->unreadables);
    jr_records_free(s->records);
    jr_expectations_free(s->expectations);
    jr_store_free(s->store);
    *s = (struct jr_state){ 0 };
}

static void add_key(struct jr_queue *q, struct jr_str namespace, struct jr_str name,
                    int64_t delay_ns, struct jr_mono now)
{
    char text[JR_OBJECT_KEY_MAX];
    int n = snprintf(text, sizeof(text), "%.*s/%.*s", JR_P(namespace), JR_P(name));

    if (n >= 0 && (size_t)n < sizeof(text)) /* no API server has longer names */
        jr_queue_add_after(q, (struct jr_str){ text, (size_t)n }, delay_ns, now);
}

void jr_state_enqueue(struct jr_state *s, struct jr_str namespace, struct jr_str name,
                      int64_t delay_ns, struct jr_mono now)
{
    add_key(s->jobs, namespace, name, delay_ns, now);
}

void jr_state_enqueue_expiring(struct jr_state *s, const struct jr_job *job, struct jr_mono now)
{
    if (s->expired != NULL && jr_ttl_applies(job))
        add_key(s->expired, job->meta.namespace, job->meta.name, 0, now);
}

void jr_state_measure(const struct jr_state *s, struct jr_mono now)
{
    jr_metrics_set(s->metrics, &cache_bytes, NULL, (double)jr_store_job_bytes(s->store));
    jr_metrics_set(s->metrics, &cache_limit, NULL, (double)jr_store_job_bytes_max(s->store));
    jr_queue_measure(s->jobs, now);
    jr_queue_measure(jr_orphans_queue(s->orphans), now);
    if (s->expired != NULL)
        jr_queue_measure(s->expired, now);
}
