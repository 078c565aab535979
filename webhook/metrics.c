/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the webhook's metrics. */
#include "webhook/metrics.h"

#include <stdio.h>

/* Prometheus' default buckets, and finer ones below: an answer takes less than a millisecond. */
static const double latency[] = { 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                  0.1,     0.25,   0.5,   1,      2.5,   5,    10 };

/* A hundred policies take some 10 us. */
static const double policy_latency[] = { 0.000005, 0.00001, 0.000025, 0.00005, 0.0001, 0.00025,
                                         0.0005,   0.001,   0.0025,   0.01,    0.1 };

static const struct jr_metric_desc requests =
    JR_METRIC(COUNTER, "controller_runtime_webhook_requests_total",
              "Total number of admission requests by HTTP status code.", "code", "webhook", NULL);
static const struct jr_metric_desc in_flight =
    JR_METRIC(GAUGE, "controller_runtime_webhook_requests_in_flight",
              "Current number of admission requests being served.", "webhook", NULL);
static const struct jr_metric_desc seconds_taken = JR_METRIC_HISTOGRAM(
    latency, "controller_runtime_webhook_latency_seconds",
    "Histogram of the latency of processing admission requests.", "webhook", NULL);
static const struct jr_metric_desc reviews =
    JR_METRIC(COUNTER, "jobreeve_webhook_admission_total",
              "Reviews answered, by operation, result and a denial's "
              "reason: its Status', or Policy.",
              "allowed", "operation", "reason", "webhook", NULL);
static const struct jr_metric_desc patches = JR_METRIC(
    COUNTER, "jobreeve_webhook_patches_total", "Reviews answered with a patch.", "webhook", NULL);
static const struct jr_metric_desc closed = JR_METRIC(
    COUNTER, "jobreeve_webhook_connections_closed_total",
    "Connections closed by us: past a deadline, evicted for a new one, refused, or no TLS.",
    "reason", NULL);
static const struct jr_metric_desc connections =
    JR_METRIC(GAUGE, "jobreeve_webhook_connections", "Open connections.", NULL);
static const struct jr_metric_desc memory = JR_METRIC(
    GAUGE, "jobreeve_webhook_request_memory_bytes",
    "Memory taken from the budget of all requests in flight (--max-request-memory).", NULL);
static const struct jr_metric_desc not_after =
    JR_METRIC(GAUGE, "jobreeve_webhook_certificate_not_after_timestamp_seconds",
              "When the serving certificate expires, in Unix time.", NULL);
static const struct jr_metric_desc reloads = JR_METRIC(
    COUNTER, "jobreeve_webhook_certificate_reloads_total",
    "Reloads of the serving certificate that changed it, and that failed.", "result", NULL);

static const struct jr_metric_desc skew =
    JR_METRIC(GAUGE, "jobreeve_webhook_clock_skew_seconds",
              "By how much our clock is ahead of the API server's.", NULL);
static const struct jr_metric_desc ca_not_after =
    JR_METRIC(GAUGE, "jobreeve_webhook_ca_not_after_timestamp_seconds",
              "When the CA that signs the serving certificate expires, in Unix time.", NULL);
static const struct jr_metric_desc old_ca =
    JR_METRIC(GAUGE, "jobreeve_webhook_old_ca_trusted",
              "1 while a former CA is trusted beside the one that signs.", NULL);
static const struct jr_metric_desc looks = JR_METRIC(
    COUNTER, "jobreeve_webhook_keeper_looks_total",
    "Looks of the keeper at Secret and webhook configurations, by how they ended.", "result", NULL);

static const struct jr_metric_desc policy_seconds =
    JR_METRIC_HISTOGRAM(policy_latency, "jobreeve_policy_evaluation_duration_seconds",
                        "Histogram of how long all policies together took in a review.", NULL);
static const struct jr_metric_desc policies_known = JR_METRIC(
    GAUGE, "jobreeve_policy_snapshot_timestamp_seconds",
    "Until when policies and Namespaces are known to have been as the API server has them, in Unix "
    "time.",
    NULL);

#define VALUES(...) ((const char *const[]){ __VA_ARGS__, NULL })

void jr_webhook_metrics_init(struct jr_metrics *m)
{
    static const char *const reasons[] = { "deadline", "evicted", "refused", "not-tls" };

    jr_metrics_process(m);
    for (unsigned e = 0; e < JR_ENDPOINT_COUNT; e++) {
        const char *path = jr_endpoint_path((enum jr_endpoint)e);

        jr_metrics_declare(m, &requests, VALUES("200", path));
        jr_metrics_declare(m, &in_flight, VALUES(path));
        jr_metrics_declare(m, &seconds_taken, VALUES(path));
        if (jr_endpoint_mutates((enum jr_endpoint)e))
            jr_metrics_declare(m, &patches, VALUES(path));
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(reasons); i++)
        jr_metrics_declare(m, &closed, VALUES(reasons[i]));
    jr_metrics_declare(m, &reloads, VALUES("success"));
    jr_metrics_declare(m, &reloads, VALUES("error"));
}

void jr_webhook_metrics_begin(struct jr_metrics *m, enum jr_endpoint e)
{
    jr_metrics_add(m, &in_flight, VALUES(jr_endpoint_path(e)), 1);
}

void jr_webhook_metrics_end(struct jr_metrics *m, enum jr_endpoint e, unsigned code, double seconds)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%u", code);
    jr_metrics_add(m, &in_flight, VALUES(jr_endpoint_path(e)), -1);
    jr_metrics_add(m, &requests, VALUES(text, jr_endpoint_path(e)), 1);
    jr_metrics_observe(m, &seconds_taken, VALUES(jr_endpoint_path(e)), seconds);
}

void jr_webhook_metrics_review(struct jr_metrics *m, enum jr_endpoint e,
                               const struct jr_review_outcome *o)
{
    jr_metrics_add(
        m, &reviews,
        VALUES(o->allowed ? "true" : "false", o->operation, o->reason, jr_endpoint_path(e)), 1);
    if (o->patched)
        jr_metrics_add(m, &patches, VALUES(jr_endpoint_path(e)), 1);
}

void jr_webhook_metrics_policies_init(struct jr_metrics *m)
{
    jr_metrics_declare(m, &policy_seconds, NULL);
}

void jr_webhook_metrics_policies(struct jr_metrics *m, double seconds)
{
    jr_metrics_observe(m, &policy_seconds, NULL, seconds);
}

void jr_webhook_metrics_policies_known(struct jr_metrics *m, struct jr_time until)
{
    jr_metrics_set(m, &policies_known, NULL, (double)until.ns / (double)JR_SEC);
}

void jr_webhook_metrics_closed(struct jr_metrics *m, const char *reason, size_t n)
{
    if (n > 0)
        jr_metrics_add(m, &closed, VALUES(reason), (double)n);
}

void jr_webhook_metrics_gauges(struct jr_metrics *m, const struct jr_webhook_gauges *g)
{
    jr_metrics_set(m, &connections, NULL, (double)g->connections);
    jr_metrics_set(m, &memory, NULL, (double)g->memory_bytes);
    jr_metrics_set(m, &not_after, NULL, g->cert_not_after_s);
}

void jr_webhook_metrics_reload(struct jr_metrics *m, bool ok)
{
    jr_metrics_add(m, &reloads, VALUES(ok ? "success" : "error"), 1);
}

void jr_webhook_metrics_skew(struct jr_metrics *m, int64_t skew_ns)
{
    jr_metrics_set(m, &skew, NULL, (double)skew_ns / (double)JR_SEC);
}

void jr_webhook_metrics_kept(struct jr_metrics *m, const struct jr_cert_keeper_seen *seen, bool ok)
{
    jr_metrics_add(m, &looks, VALUES(ok ? "success" : "error"), 1);
    jr_webhook_metrics_skew(m, seen->skew_ns);
    jr_metrics_set(m, &old_ca, NULL, seen->old_trusted ? 1 : 0);
    if (jr_time_set(seen->serving_until))
        jr_metrics_set(m, &not_after, NULL, (double)seen->serving_until.ns / (double)JR_SEC);
    if (jr_time_set(seen->ca_until))
        jr_metrics_set(m, &ca_not_after, NULL, (double)seen->ca_until.ns / (double)JR_SEC);
}
