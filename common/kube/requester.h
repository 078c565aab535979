/* SPDX-License-Identifier: Apache-2.0 */
/* One request to the API server at a time, and the pause before the next one: for what takes
 * several steps, each by the answer to the one before. */
#ifndef JR_KUBE_REQUESTER_H
#define JR_KUBE_REQUESTER_H

#include "common/json/doc.h"
#include "common/kube/request.h"

/** Set env and ctx; the rest is zero at first. */
struct jr_requester {
    struct jr_env env;
    void *ctx; /* of steps and answers */
    struct jr_kube_call *call;
    struct jr_timer *timer;
    void (*step)(void *ctx); /* what the timer does */
    void (*on_answer)(void *ctx, const struct jr_kube_result *r);
};

/** Sends a request, without retries; without a timeout_ms ten seconds are for the answer, without a
 * body_max it may have 16 MiB, far more than an object. Nothing may be under way. */
void jr_requester_send(struct jr_requester *q, const struct jr_http_request *http,
                       void (*on_answer)(void *ctx, const struct jr_kube_result *r));
void jr_requester_get(struct jr_requester *q, const char *path,
                      void (*on_answer)(void *ctx, const struct jr_kube_result *r));
/** Calls step(ctx) in so many nanoseconds, in place of a step that was to come. */
void jr_requester_after(struct jr_requester *q, int64_t ns, void (*step)(void *ctx));
/** The same after the n-th failure in a row, from 0: half a second and more, at most cap_ns. */
void jr_requester_retry(struct jr_requester *q, unsigned n, int64_t cap_ns, double jitter,
                        void (*step)(void *ctx));
/** Cancels what is under way. */
void jr_requester_done(struct jr_requester *q);

/** The object that was answered, *ret. Errors: why there is none. */
enum jr_status jr_kube_object(const struct jr_kube_result *r, struct jr_doc **ret,
                              struct jr_error *err) JR_MUST_USE;

#endif
