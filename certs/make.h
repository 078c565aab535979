/* SPDX-License-Identifier: Apache-2.0 */
/* CA and serving certificates: ECDSA P-256, X.509 v3 (OpenSSL). */
#ifndef JR_CERTS_MAKE_H
#define JR_CERTS_MAKE_H

#include "common/base/error.h"
#include "common/base/time.h"

/** A certificate and its private key as PEM text, from malloc. */
struct jr_cert {
    char *cert_pem;
    char *key_pem;
};
/** Frees, and wipes the key; safe on a zeroed cert and twice. */
void jr_cert_done(struct jr_cert *c);

/** A self-signed CA named common_name, valid from an hour before now for so many days. It may sign
 * serving certificates alone, no further CA (pathlen:0). Errors: JR_IO (OpenSSL's words). */
enum jr_status jr_cert_make_ca(const char *common_name, struct jr_time now, unsigned days,
                               struct jr_cert *ret, struct jr_error *err) JR_MUST_USE;

/** A serving certificate signed by ca. names: DNS names and IP addresses for subjectAltName, the
 * first is the common name too. Errors: JR_INVALID (ca unreadable, no names), JR_IO. */
enum jr_status jr_cert_make_serving(const struct jr_cert *ca, const char *const *names,
                                    size_t n_names, struct jr_time now, unsigned days,
                                    struct jr_cert *ret, struct jr_error *err) JR_MUST_USE;

#endif
