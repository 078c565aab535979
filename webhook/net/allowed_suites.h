/* SPDX-License-Identifier: Apache-2.0 */
/* Which cipher suites a handshake may have (--tls-cipher-suites). */
#ifndef JR_WEBHOOK_NET_ALLOWED_SUITES_H
#define JR_WEBHOOK_NET_ALLOWED_SUITES_H

#include <gnutls/gnutls.h>

#include "common/tls/tls.h"
#include "webhook/cipher_suites.h"

/** Safe from several threads once it is made. */
struct jr_cipher_suites {
    bool limited;                        /* else whatever GnuTLS likes */
    gnutls_priority_t of[JR_SUITE_KEYS]; /* of TLS 1.2; NULL: none for such a certificate */
};
/** No names: not limited. Errors: JR_NOMEM; JR_INVALID where GnuTLS has no such suite. */
enum jr_status jr_cipher_suites_init(struct jr_cipher_suites *s, const struct jr_flag_list *names,
                                     struct jr_error *err) JR_MUST_USE;
/** Safe on a zeroed one. No session that was limited by it may be left. */
void jr_cipher_suites_done(struct jr_cipher_suites *s);
/** For a session whose client has said hello, and the certificate that it will be shown: leaves TLS
 * 1.2 the suites that were named. TLS 1.3 stays as it is. Returns GnuTLS' code: negative ends the
 * handshake. */
int jr_cipher_suites_limit(const struct jr_cipher_suites *s, gnutls_session_t session,
                           struct jr_tls_cred *c);

#endif
