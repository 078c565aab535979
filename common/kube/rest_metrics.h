/* The metrics of client-go's REST client. */
#ifndef JR_KUBE_REST_METRICS_H
#define JR_KUBE_REST_METRICS_H

#include "common/base/metrics.h"

extern const struct jr_metric_desc jr_rest_requests_total;      /* code, method, host */
extern const struct jr_metric_desc jr_rest_retries_total;       /* code, verb, host */
extern const struct jr_metric_desc jr_rest_duration_seconds;    /* verb, host */
extern const struct jr_metric_desc jr_rest_limiter_seconds;     /* verb, host */
extern const struct jr_metric_desc jr_rest_request_size_bytes;  /* verb, host */
extern const struct jr_metric_desc jr_rest_response_size_bytes; /* verb, host */

#endif
