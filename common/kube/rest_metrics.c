#include "common/kube/rest_metrics.h"

static const double seconds[] = { 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60 };
static const double bytes[] = { 64,    256,    512,     1024,    4096,    16384,
                                65536, 262144, 1048576, 4194304, 16777216 };

static const char *const by_code_method[] = { "code", "method", "host", NULL };
static const char *const by_code_verb[] = { "code", "verb", "host", NULL };
static const char *const by_verb[] = { "verb", "host", NULL };

const struct jr_metric_desc jr_rest_requests_total = {
    .name = "rest_client_requests_total",
    .help = "Number of HTTP requests, partitioned by status code, method, and host.",
    .kind = JR_COUNTER,
    .labels = by_code_method,
};
const struct jr_metric_desc jr_rest_retries_total = {
    .name = "rest_client_request_retries_total",
    .help = "Number of request retries, partitioned by the status code that led to it, verb, and "
            "host.",
    .kind = JR_COUNTER,
    .labels = by_code_verb,
};
#define HISTOGRAM(name_, help_, buckets_)                                            \
    {                                                                                \
        .name = (name_), .help = (help_), .kind = JR_HISTOGRAM, .labels = by_verb,   \
        .buckets = (buckets_), .n_buckets = sizeof(buckets_) / sizeof((buckets_)[0]) \
    }
const struct jr_metric_desc jr_rest_duration_seconds =
    HISTOGRAM("rest_client_request_duration_seconds",
              "Request latency in seconds. Broken down by verb, and host.", seconds);
const struct jr_metric_desc jr_rest_limiter_seconds = HISTOGRAM(
    "rest_client_rate_limiter_duration_seconds",
    "Client side rate limiter latency in seconds. Broken down by verb, and host.", seconds);
const struct jr_metric_desc jr_rest_request_size_bytes =
    HISTOGRAM("rest_client_request_size_bytes",
              "Request size in bytes. Broken down by verb and host.", bytes);
const struct jr_metric_desc jr_rest_response_size_bytes =
    HISTOGRAM("rest_client_response_size_bytes",
              "Response size in bytes. Broken down by verb and host.", bytes);
