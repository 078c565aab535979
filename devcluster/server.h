/* SPDX-License-Identifier: Apache-2.0 */
/* The devcluster's HTTP shell: TLS, a bearer token, requests into the store, watches out of it,
 * webhooks called. On the event loop, no thread. Besides the API it answers /healthz, /livez and
 * /readyz without a token, and /devcluster/faults and /devcluster/hold (GET, PUT, DELETE; see
 * faults.h). */
#ifndef JR_DEVCLUSTER_SERVER_H
#define JR_DEVCLUSTER_SERVER_H

#include "certs/make.h"
#include "common/base/log.h"
#include "common/base/loop.h"
#include "devcluster/apiserver/store.h"

struct jr_dev_server_options {
    const char *host; /* 127.0.0.1 */
    uint16_t port;    /* 0: a free one */
    const struct jr_cert *cert;
    const char *token;
};

struct jr_dev_server;
/** store and the options' strings are borrowed. */
enum jr_status jr_dev_server_new(struct jr_loop *loop, struct jr_dev_store *store,
                                 const struct jr_dev_server_options *options, struct jr_log *log,
                                 struct jr_dev_server **ret, struct jr_error *err) JR_MUST_USE;
/** "127.0.0.1:43211". */
const char *jr_dev_server_address(const struct jr_dev_server *s);
/** Breaks off all watches, once: for tests and /devcluster. */
void jr_dev_server_drop_watches(struct jr_dev_server *s);
void jr_dev_server_free(struct jr_dev_server *s);
JR_DEFINE_CLEANUP(struct jr_dev_server *, jr_dev_server_free)

#endif
