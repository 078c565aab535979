/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP request, from its headers to its answer: libmicrohttpd's callbacks. */
#ifndef JR_WEBHOOK_NET_REQUEST_H
#define JR_WEBHOOK_NET_REQUEST_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "common/base/log.h"
#include "common/http/conns.h"
#include "common/http/tls_conn.h"
#include "webhook/metrics.h"
#include "webhook/net/client_auth.h"
#include "webhook/net/memory_budget.h"
#include "webhook/net/namespace_wait.h"
#include "webhook/net/request_policies.h"
#include "webhook/net/version_in_force.h"
#include "webhook/options.h"

/** What all requests share. But for the counters, which have their own guards, it does not change
 * while the server runs. */
struct jr_serving {
    const struct jr_webhook_options *options;
    const struct jr_clock *clock;
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_tls_server tls;
    struct jr_client_auth *clients; /* NULL: anybody may call */
    struct jr_conns conns;
    struct jr_policy_sources policies;
    struct jr_versions *versions;
    struct jr_namespace_wait wait;
    struct jr_budget budget;
    atomic_bool closing;     /* answers carry "Connection: close" */
    atomic_size_t in_flight; /* requests whose headers are read and whose answer is not sent yet */
};

/** What we keep of a connection: its libmicrohttpd "socket context". */
struct jr_http_conn {
    struct jr_tls_conn tls; /* must be the first */
    struct jr_serving *serving;
    uint64_t known; /* by which generation of CAs its client may call; 0: by none */
};

/** Validates the client's certificate, once for each generation of the CAs (--client-ca-file); who
 * may call is trusted. Why it may not, constant text; NULL: it may. */
const char *jr_http_conn_check(struct jr_http_conn *c, gnutls_session_t session) JR_MUST_USE;

/** The access handler and the completion callback; cls is a struct jr_serving. Each request has a
 * record of its own and touches no other's. */
enum MHD_Result jr_request_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_n, void **req_cls);
void jr_request_done(void *cls, struct MHD_Connection *connection, void **req_cls,
                     enum MHD_RequestTerminationCode how);

#endif
