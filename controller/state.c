#include "controller/state.h"

#include <stdio.h>

#include "controller/orphans.h"
#include "controller/ttl.h"

enum jr_status jr_state_init(struct jr_state *s, const struct jr_reconcile_options *options,
                             bool ttl, struct jr_metrics *metrics)
{
    enum jr_status st;

    *s = (struct jr_state){ .options = *options, .metrics = metrics };
    st = jr_store_new(options->tracking_finalizer, &s->store);
    if (st == JR_OK)
        st = jr_expectations_new(&s->expectations);
    if (st == JR_OK)
        st = jr_records_new(&s->records);
    if (st == JR_OK)
        st = jr_unreadables_new(metrics, &s->unreadables);
    if (st == JR_OK)
        st = jr_queue_new("job", &JR_QUEUE_LIMITS_JOB, metrics, &s->jobs);
    if (st == JR_OK)
        st = jr_orphans_new(metrics, &s->orphans);
    if (st == JR_OK && ttl)
        st = jr_queue_new("ttl_jobs_to_delete", &JR_QUEUE_LIMITS_DEFAULT, metrics, &s->expired);
    jr_metrics_declare(metrics, &jr_metric_foreign_writes, NULL);
    if (st != JR_OK)
        jr_state_done(s);
    return st;
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

static enum jr_status add(struct jr_queue *q, struct jr_str namespace, struct jr_str name,
                          int64_t delay_ns, struct jr_mono now)
{
    char text[JR_KEY_MAX];
    int n = snprintf(text, sizeof(text), "%.*s/%.*s", JR_P(namespace), JR_P(name));

    if (n < 0 || (size_t)n >= sizeof(text))
        return JR_OK; /* no API server has such names */
    return jr_queue_add_after(q, (struct jr_str){ text, (size_t)n }, delay_ns, now);
}

enum jr_status jr_state_enqueue(struct jr_state *s, struct jr_str namespace, struct jr_str name,
                                int64_t delay_ns, struct jr_mono now)
{
    return add(s->jobs, namespace, name, delay_ns, now);
}

enum jr_status jr_state_enqueue_expiring(struct jr_state *s, const struct jr_job *job,
                                         struct jr_mono now)
{
    if (s->expired == NULL || !jr_ttl_applies(job))
        return JR_OK;
    return add(s->expired, job->meta.namespace, job->meta.name, 0, now);
}
