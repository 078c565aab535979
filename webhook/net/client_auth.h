/* SPDX-License-Identifier: Apache-2.0 */
/* Who may call: clients with a certificate of our CAs (--client-ca-file), and of the right name. */
#ifndef JR_WEBHOOK_NET_CLIENT_AUTH_H
#define JR_WEBHOOK_NET_CLIENT_AUTH_H

#include <gnutls/gnutls.h>

#include "common/base/flags.h"

struct jr_client_auth;
/** Reads the CAs. names: a client's certificate has to bear one of them, as its common name or a
 * DNS name; none: any will do. All borrowed. Errors: JR_IO, JR_INVALID, JR_NOMEM; err->path is
 * --client-ca-file. */
enum jr_status jr_client_auth_new(const char *ca_file, const struct jr_flag_list *names,
                                  struct jr_client_auth **ret, struct jr_error *err) JR_MUST_USE;
void jr_client_auth_free(struct jr_client_auth *a);
/** Reads the CAs again; on an error the former ones stay. One thread only. */
enum jr_status jr_client_auth_reload(struct jr_client_auth *a, bool *ret_changed,
                                     struct jr_error *err) JR_MUST_USE;
/** The CAs' text as it was read first, for the server's request of a certificate. */
const char *jr_client_auth_pem(const struct jr_client_auth *a);
/** Goes up with each change of the CAs: what was validated under another number is to be validated
 * again. Never 0. Safe from several threads. */
uint64_t jr_client_auth_generation(struct jr_client_auth *a);
/** Validates the client of a session after its handshake; why it is refused, NULL: it is not.
 * Constant text. Safe from several threads. */
const char *jr_client_auth_refusal(struct jr_client_auth *a, gnutls_session_t session);

#endif
