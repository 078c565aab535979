/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as an API server expects them: 429 and Retry-After obeyed, safe retries with backoff and
 * jitter, errors read out of Status bodies. */
#ifndef JR_KUBE_REQUEST_H
#define JR_KUBE_REQUEST_H

#include "common/api/meta.h"
#include "common/kube/transport.h"

/** What came of a request, as the layers above want to know it. */
enum jr_result_kind {
    JR_RESULT_OK,        /* 2xx */
    JR_RESULT_REFUSED,   /* 4xx or 5xx with an answer: it did not happen (5xx of a write may be
                            ambiguous: see below) */
    JR_RESULT_AMBIGUOUS, /* no answer, or 504 and "timeout" 500s: it may have happened */
    JR_RESULT_NOT_SENT,  /* it did not happen */
};
struct jr_kube_result {
    enum jr_result_kind kind;
    bool ambiguous; /* an attempt had no answer: the refusal of a later one may be its work */
    int http;
    int retry_after_s;
    struct jr_time date;         /* the server's clock, to the second; 0: it didn't say */
    struct jr_str body;          /* of an OK answer; borrowed */
    struct jr_api_status status; /* of a refusal; zeroed if the body was none; borrowed */
    struct jr_error error; /* words for logs and events: the Status's message where there is one */
};

/** Whether the answer was that there is no such object. */
static inline bool jr_kube_is_gone(const struct jr_kube_result *r)
{
    return r->kind == JR_RESULT_REFUSED && r->http == 404;
}

/** For Accept: of objects the metadata alone, or all of them where a server can't. kind:
 * "PartialObjectMetadata", of lists "PartialObjectMetadataList". */
#define JR_ACCEPT_METADATA(kind) "application/json;as=" kind ";g=meta.k8s.io;v=v1,application/json"

struct jr_kube_request {
    struct jr_http_request http;
    /* 429 and, for what is idempotent (GET, DELETE, PATCH and PUT with their preconditions inside),
     * connection errors before an answer are retried up to so many times; 0: never. Creates are
     * retried only on 429 and NOT_SENT. */
    unsigned max_retries;
};

struct jr_kube_call;
/** Sends; on_done is called exactly once, from the loop, unless cancelled. The call may be
 * cancelled until then. */
struct jr_kube_call *jr_kube_send(const struct jr_env *env, const struct jr_kube_request *req,
                                  void (*on_done)(void *ctx, const struct jr_kube_result *r),
                                  void *ctx);
void jr_kube_cancel(struct jr_kube_call **call);

/** Appends the path of a resource, of one namespace or ({NULL, 0}) of all: api "/apis/batch/v1" and
 * resource "jobs". A failure sticks to out. */
void jr_resource_path(const char *api, struct jr_str namespace, const char *resource,
                      struct jr_buf *out);
/** The same of one object. */
void jr_object_path(const char *api, struct jr_str namespace, const char *resource,
                    struct jr_str name, struct jr_buf *out);
/** Appends s percent-encoded as a path segment or query value (RFC 3986 unreserved stay). As the
 * jr_buf_add calls: a failure sticks to out. */
enum jr_status jr_url_escape(struct jr_str s, struct jr_buf *out);
/** Appends s with its percent-encoding undone. Errors: JR_SYNTAX (a '%' without two hexadecimal
 * digits), those of the buffer. */
enum jr_status jr_url_unescape(struct jr_str s, struct jr_buf *out) JR_MUST_USE;

/** Exponential backoff with full jitter where asked: base * 2^n, at most cap; jitter 1.0 adds up to
 * 100 %. */
int64_t jr_backoff_ns(unsigned n, int64_t base_ns, int64_t cap_ns, double jitter,
                      const struct jr_rand *rand);

#endif
