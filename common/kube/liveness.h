/* SPDX-License-Identifier: Apache-2.0 */
/* Whether connections still answer. A peer whose kernel, or a balancer that has lost its server,
 * acknowledges bytes and answers nothing: TCP sees no fault there. The rules of all transports, as
 * data and a `now`; together they bound what such a connection costs to JR_LIVENESS_BOUND_NS:
 *
 * - requests share connections, and a new one goes only where bytes came in the last seconds;
 * - where requests wait and nothing comes, the server is asked for something small on the same
 *   connection, and has some seconds to answer;
 * - a deadline that has passed, of any request, makes all connections suspect that are older and
 *   have brought nothing since;
 * - a stream that brings nothing goes on by a new connection (the informer's affair). */
#ifndef JR_KUBE_LIVENESS_H
#define JR_KUBE_LIVENESS_H

#include "common/base/time.h"

/** From the moment that a connection goes silent until a Job that was made since has its Pod. */
#define JR_LIVENESS_BOUND_NS (45 * JR_SEC)
/** A stream is silent after so long without a byte of its body. */
#define JR_LIVENESS_STREAM_MS 30000
/** A probe has so long to answer. */
#define JR_LIVENESS_ANSWER_MS 15000
/** A request is given up after so long without a byte, where its connection can't be asked. */
#define JR_LIVENESS_REQUEST_NS (30 * JR_SEC)

/** The connections that requests share. */
struct jr_liveness {
    struct jr_mono opened; /* none of them is older */
    struct jr_mono heard;  /* when bytes came last; at first as opened */
    struct jr_mono waits;  /* since when requests have waited, without a gap */
    struct jr_mono asked;  /* when the probe was sent; 0: there was none */
};

/** Starts the record of new connections. */
void jr_liveness_open(struct jr_liveness *l, struct jr_mono now);
/** Tells whether new requests may go there. */
bool jr_liveness_trusted(const struct jr_liveness *l, struct jr_mono now);
/** Tells, while requests wait, whether to send a probe on the same connection now, with
 * JR_LIVENESS_ANSWER_MS to answer; true counts as sent. after_ns: how much later to look again. */
bool jr_liveness_ask(struct jr_liveness *l, struct jr_mono now, int64_t *after_ns);
/** Tells whether a deadline that has passed speaks against a connection: it was opened no later
 * than the late request was sent, perhaps for that request, and has brought nothing since. */
bool jr_liveness_suspect(struct jr_mono opened, struct jr_mono heard, struct jr_mono sent);

#endif
