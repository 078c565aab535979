/* SPDX-License-Identifier: Apache-2.0 */
/* GET /metrics, of which two families are read. */
#include "common/kube/feature_read.h"

#define TIMEOUT_MS 15000
/* Of a refusal, and of what comes between two turns of the loop. */
#define BUFFER_MAX ((size_t)16 << 20)
/* Of a server with many kinds and clients some tens of megabytes were seen. */
#define BYTES_MAX ((size_t)512 << 20)

static enum jr_status on_chunk(void *ctx, struct jr_str chunk)
{
    struct jr_feature_read *r = ctx;

    r->bytes += chunk.n;
    if (r->bytes > BYTES_MAX)
        return JR_LIMIT;
    jr_feature_metrics_feed(&r->metrics, chunk);
    return JR_OK;
}

static void on_done(void *ctx, const struct jr_http_answer *answer)
{
    struct jr_feature_read *r = ctx;

    r->call = NULL;
    r->on_done(r->ctx, answer);
}

void jr_feature_read_start(struct jr_feature_read *r, const struct jr_env *env,
                           void (*done)(void *ctx, const struct jr_http_answer *answer), void *ctx)
{
    const struct jr_http_request http = { .method = "GET",
                                          .path = "/metrics",
                                          .accept = "text/plain;version=0.0.4",
                                          .timeout_ms = TIMEOUT_MS,
                                          .body_max = BUFFER_MAX,
                                          .own_connection = true,
                                          .fresh_connection = true };
    const struct jr_http_handler handler = { .on_chunk = on_chunk, .on_done = on_done, .ctx = r };

    *r = (struct jr_feature_read){ .on_done = done, .ctx = ctx };
    r->call = env->transport.send(env->transport.self, &http, &handler);
}

void jr_feature_read_cancel(struct jr_feature_read *r, const struct jr_env *env)
{
    if (r->call != NULL)
        env->transport.cancel(env->transport.self, r->call);
    r->call = NULL;
}
