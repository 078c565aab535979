/* SPDX-License-Identifier: Apache-2.0 */
/* The devcluster's API server as a pure state machine: requests in, answers and watch frames out.
 * No I/O, no clock, no threads: time and randomness are handed in, admission webhooks are asked of
 * the caller. */
#ifndef JR_DEVCLUSTER_APISERVER_STORE_H
#define JR_DEVCLUSTER_APISERVER_STORE_H

#include "common/base/buf.h"
#include "common/base/clock.h"
#include "common/schema/profile.h"

struct jr_dev_store_options {
    struct jr_rand rand; /* uids, generated names */
    struct jr_profile profile;
    size_t history;        /* events kept for watches; older versions answer 410; 0: 10,000 */
    size_t max_body_bytes; /* 0: 3 MiB, as the API server */
};

struct jr_dev_store; /* the API server's state */
struct jr_dev_store *jr_dev_store_new(const struct jr_dev_store_options *options,
                                      struct jr_time now);
void jr_dev_store_free(struct jr_dev_store *s);

/** One request. All borrowed until the call returns. */
struct jr_dev_request {
    const char *method;
    const char *path;         /* with query */
    const char *accept;       /* NULL: application/json */
    const char *content_type; /* NULL: application/json; application/yaml is taken too */
    struct jr_str body;
    const char *user;  /* for events and reviews: userInfo.username */
    bool more_of_user; /* groups, a uid, or more is asked for: it is refused, but for discovery */
    uint64_t as_of; /* of a watch's initial events: the version whose state they tell, as a server
                       does that has fallen behind; 0, or one that is forgotten: the newest */
};

enum jr_dev_next {
    JR_DEV_NEXT_ANSWER,  /* done: answer is filled */
    JR_DEV_NEXT_WEBHOOK, /* an admission webhook must be called, then jr_dev_resume */
    JR_DEV_NEXT_WATCH, /* a stream: answer holds the head (200), frames come from jr_dev_watch_read
                        */
};

struct jr_dev_answer {
    int status;
    const char *content_type; /* static text */
    int retry_after_s;        /* 0: none */
    struct jr_buf body;       /* owned by the operation */
    /* Response header "Warning" values (RFC 7234, `299 - "..."`). */
    const char *const *warnings;
    size_t n_warnings;
};

/** A call that the caller has to make: POST body to url, within timeout. */
struct jr_dev_webhook {
    const char *name;
    const char *url;    /* with ?timeout=10s */
    const char *ca_pem; /* caBundle decoded; NULL: system roots */
    struct jr_str body; /* AdmissionReview */
    int timeout_s;
};
/** What came of it. */
struct jr_dev_webhook_result {
    bool failed; /* no usable HTTP answer: connection, TLS, timeout; failurePolicy decides */
    int status;  /* HTTP status */
    struct jr_str body;
    const char *error; /* words of a failure */
};

struct jr_dev_op; /* an operation under way */

/** Begins a request. The operation is the caller's, to be freed with jr_dev_op_free whatever comes
 * next. The state changes only at the moment the operation ends (ANSWER), so operations may
 * interleave; conflicts are found then. */
enum jr_dev_next jr_dev_begin(struct jr_dev_store *s, const struct jr_dev_request *req,
                              struct jr_time now, struct jr_dev_op **ret);
/** Goes on after a webhook's answer. */
enum jr_dev_next jr_dev_resume(struct jr_dev_op *op, const struct jr_dev_webhook_result *result,
                               struct jr_time now);
/** Valid after ANSWER and WATCH; borrowed. */
const struct jr_dev_answer *jr_dev_op_answer(const struct jr_dev_op *op);
/** Valid after WEBHOOK; borrowed. */
const struct jr_dev_webhook *jr_dev_op_webhook(const struct jr_dev_op *op);
/** Whether the operation changed the state (a write that took effect). */
bool jr_dev_op_wrote(const struct jr_dev_op *op);
void jr_dev_op_free(struct jr_dev_op *op);

/** Watches. Appends the frames (JSON lines) that are due up to `revision` (at most max_bytes beyond
 * the first frame), 0 = all there is: a caller that wants lag asks for less than jr_dev_revision.
 * True: the stream is over (timeoutSeconds ran out, or an ERROR frame, 410, was written): close it
 * after the frames. */
bool jr_dev_watch_read(struct jr_dev_op *op, uint64_t revision, size_t max_bytes,
                       struct jr_time now, struct jr_buf *out) JR_MUST_USE;
/** When the stream has something to say though nothing is written: a bookmark, its end. */
struct jr_time jr_dev_watch_due(const struct jr_dev_op *op);
/** The newest revision. */
uint64_t jr_dev_revision(const struct jr_dev_store *s);

/** Work that an API server and the generic controllers do by themselves: garbage collection by
 * owner references, namespace deletion, event expiry, bookmarks. Does what is due; returns in how
 * long there may be more (INT64_MAX: only after another request). */
int64_t jr_dev_tick(struct jr_dev_store *s, struct jr_time now);
/** Forgets history up to revision: watches and lists from before answer 410. For tests. */
void jr_dev_compact(struct jr_dev_store *s, uint64_t revision);

#endif
