/* SPDX-License-Identifier: Apache-2.0 */
/* Asks an address which certificate it serves: one TLS handshake on a new connection, and no byte
 * of a request. */
#ifndef JR_CERTS_HANDSHAKE_H
#define JR_CERTS_HANDSHAKE_H

#include "common/base/loop.h"

struct jr_handshake_handler {
    /** chain_pem: what was shown, the leaf first, borrowed; nothing of it is verified. NULL: there
     * was no answer, and err says why. Never called from inside start; the handshake is gone when
     * it returns. */
    void (*on_done)(void *ctx, const char *chain_pem, const struct jr_error *err);
    void *ctx;
};

struct jr_handshake;
/** Who asks; tests have their own. */
struct jr_handshaker {
    /** address: IPv4 or IPv6. Errors: JR_INVALID, JR_IO. */
    enum jr_status (*start)(void *self, const char *address, unsigned port,
                            const struct jr_handshake_handler *h, struct jr_handshake **ret,
                            struct jr_error *err);
    /** Forgets one; *h becomes NULL. NULL-safe. */
    void (*cancel)(void *self, struct jr_handshake **h);
    void *self;
};

struct jr_tls_asker;
/** Asks by sockets and OpenSSL. name: of the server, for SNI; copied. A handshake that takes longer
 * than timeout_ns is given up. */
struct jr_tls_asker *jr_tls_asker_new(struct jr_loop *loop, const char *name, int64_t timeout_ns);
/** Its handshakes must be over. NULL-safe. */
void jr_tls_asker_free(struct jr_tls_asker *a);
struct jr_handshaker jr_tls_asker_handshaker(struct jr_tls_asker *a);

#endif
