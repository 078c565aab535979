/* SPDX-License-Identifier: Apache-2.0 */
/* A transport that answers what the test says, when it says so. */
#ifndef JR_UNIT_KUBE_FAKE_TRANSPORT_H
#define JR_UNIT_KUBE_FAKE_TRANSPORT_H

#include <sys/queue.h>

#include "common/kube/transport.h"

/** A request that was sent. It stays readable until fake_done, whatever became of it. */
struct jr_call {
    TAILQ_ENTRY(jr_call) link;
    char *method, *path, *accept, *content_type;
    struct jr_buf body;
    int64_t timeout_ms, idle_timeout_ms;
    bool own_connection, fresh_connection;
    size_t body_max;
    bool (*may_send)(void *ctx);
    void *may_send_ctx;
    struct jr_http_handler h;
    bool taken;     /* by fake_next */
    bool cancelled; /* by the code under test */
    bool over;      /* answered */
};

/** A virtual loop with this transport and seeded randomness. */
struct fake {
    struct jr_clock_virtual clock;
    struct jr_rand_seeded seed;
    struct jr_loop *loop;
    struct jr_env env;
    TAILQ_HEAD(fake_calls, jr_call) calls;
    unsigned n_sent;
};
void fake_init(struct fake *f);
void fake_done(struct fake *f);

/** The next request that was not yet taken; turns the loop, and with it time, until there is one.
 * One that may_send forbids is ended as not sent, and passed over. */
struct jr_call *fake_next(struct fake *f);
/** As fake_next; fails unless method and path begin as said. */
struct jr_call *fake_expect(struct fake *f, const char *method, const char *path);
/** Turns the loop for so long, and answers nothing. */
void fake_wait(struct fake *f, int64_t ns);
/** How many requests are neither over, nor cancelled, nor taken. */
size_t fake_untaken(const struct fake *f);

/** Ends a call with an answer. */
void fake_answer(struct jr_call *c, int status, const char *body);
void fake_answer_after(struct jr_call *c, int status, int retry_after_s, const char *body);
/** Brings bytes of a stream. A handler that refuses them ends the call, as the real one does; then
 * false. */
bool fake_chunk(struct jr_call *c, struct jr_str chunk);
/** The stream is over as it should be. */
void fake_close(struct jr_call *c);
/** No answer. */
void fake_fail(struct jr_call *c, enum jr_http_outcome outcome);
/** The same, with what is wrong. */
void fake_fail_with(struct jr_call *c, enum jr_http_outcome outcome, enum jr_status why);
/** A stream that was answered with 200 says nothing for too long. */
void fake_silence(struct jr_call *c);

#endif
