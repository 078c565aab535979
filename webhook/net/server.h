/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTPS listener: libmicrohttpd with a pool of threads. */
#ifndef JR_WEBHOOK_NET_SERVER_H
#define JR_WEBHOOK_NET_SERVER_H

#include "common/base/log.h"
#include "common/base/loop.h"
#include "common/http/tls_conn.h"
#include "webhook/metrics.h"
#include "webhook/net/client_auth.h"
#include "webhook/net/request_policies.h"
#include "webhook/net/version_in_force.h"
#include "webhook/options.h"

struct jr_server;

/** What a server uses. */
struct jr_server_deps {
    const struct jr_tls_terms *tls; /* there is a certificate */
    struct jr_client_auth *clients; /* NULL: anybody may call */
    struct jr_policy_sources policies;
    struct jr_versions *versions;
    struct jr_metrics *metrics;
    struct jr_log *log;
};

/** Listens on the loop, and serves by threads. Everything is borrowed and must outlive the server;
 * the signals that the program handles must be blocked already, since the threads inherit the mask.
 * Errors: JR_USAGE (err->path names the flag), JR_IO, JR_NOMEM. */
enum jr_status jr_server_start(struct jr_loop *loop, const struct jr_webhook_options *options,
                               const struct jr_server_deps *deps, struct jr_server **ret,
                               struct jr_error *err) JR_MUST_USE;
/** Where it really listens, "127.0.0.1:43211"; "[::]:9443" for all addresses. */
const char *jr_server_address(const struct jr_server *s);
/** Ends connections that are past their deadline, and gives back memory that they held; in
 * *ret_wait_ns when to call again. */
void jr_server_reap(struct jr_server *s, int64_t *ret_wait_ns);
/** The CAs of clients have changed: each client is validated again by its next request, and until
 * then nobody is known. */
void jr_server_distrust(struct jr_server *s);
/** What is read at each scrape. */
void jr_server_gauges(struct jr_server *s, struct jr_webhook_gauges *ret);

/** Ending, first step: answers say "Connection: close". */
void jr_server_close_after_answers(struct jr_server *s);
/** Second step: no new connections. */
void jr_server_stop_accepting(struct jr_server *s);
/** Requests that have no answer yet. */
size_t jr_server_in_flight(const struct jr_server *s);
/** Last step: ends whatever is left, and the threads. */
void jr_server_free(struct jr_server *s);
JR_DEFINE_CLEANUP(struct jr_server *, jr_server_free)

#endif
