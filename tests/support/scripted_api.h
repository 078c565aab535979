/* SPDX-License-Identifier: Apache-2.0 */
/* A transport whose answers a test makes up: every request is recorded and answered from the loop,
 * after a delay if one is asked for. */
#ifndef JR_TESTS_SCRIPTED_API_H
#define JR_TESTS_SCRIPTED_API_H

#include "common/kube/transport.h"

/** A request as it was sent; owned by the API. */
struct jr_scripted_call {
    struct jr_str method;
    struct jr_str path;
    struct jr_str accept;       /* {NULL, 0}: none given */
    struct jr_str content_type; /* {NULL, 0}: none given */
    struct jr_str body;
};

/** What comes of it. */
struct jr_scripted_answer {
    enum jr_http_outcome outcome;
    int status;
    int retry_after_s;
    struct jr_time date; /* of the server's clock; 0: it doesn't say */
    struct jr_str body;  /* copied; one longer than the request's body_max is lost, as JR_LIMIT */
    int64_t delay_ns;
    bool never;  /* no answer at all: the call hangs */
    bool stream; /* the body is a first chunk, and there is no end: jr_scripted_push brings more */
};

struct jr_scripted_api;
/** answer is asked once per request, in the order of sending, when it is sent; n counts from 0. */
enum jr_status jr_scripted_api_new(
    struct jr_loop *loop,
    struct jr_scripted_answer (*answer)(void *ctx, size_t n, const struct jr_scripted_call *call),
    void *ctx, struct jr_scripted_api **ret) JR_MUST_USE;
void jr_scripted_api_free(struct jr_scripted_api *api);
struct jr_transport jr_scripted_transport(struct jr_scripted_api *api);

/** Hands text to each open stream whose path begins so, from inside the call. How many there were.
 */
size_t jr_scripted_push(struct jr_scripted_api *api, const char *path, struct jr_str text);

size_t jr_scripted_count(const struct jr_scripted_api *api);
const struct jr_scripted_call *jr_scripted_call_at(const struct jr_scripted_api *api, size_t n);
/** Calls without an answer: now, and the most there ever were at one time. */
size_t jr_scripted_open(const struct jr_scripted_api *api);
size_t jr_scripted_peak(const struct jr_scripted_api *api);

#endif
