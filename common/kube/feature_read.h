/* SPDX-License-Identifier: Apache-2.0 */
/* Asks an API server which feature gates it has on. */
#ifndef JR_KUBE_FEATURE_READ_H
#define JR_KUBE_FEATURE_READ_H

#include "common/kube/transport.h"
#include "common/schema/feature_metrics.h"

/** Zeroed: nothing is under way. */
struct jr_feature_read {
    struct jr_call *call;
    struct jr_feature_metrics metrics; /* what was read */
    size_t bytes;
    void (*on_done)(void *ctx, const struct jr_http_answer *answer);
    void *ctx;
};

/** Sends GET /metrics over a fresh connection, once; its body, which may have many megabytes, is
 * read as it comes and not kept. on_done is called once, from the loop, unless cancelled: whatever
 * answer->status is but 200, r->metrics is worthless. The server lets only those read this path who
 * have the right to get it (nonResourceURLs). Nothing may be under way. */
void jr_feature_read_start(struct jr_feature_read *r, const struct jr_env *env,
                           void (*on_done)(void *ctx, const struct jr_http_answer *answer),
                           void *ctx);
void jr_feature_read_cancel(struct jr_feature_read *r, const struct jr_env *env);

#endif
