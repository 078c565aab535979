/* Certificates looked at: PEM in, what matters out. Pure. */
#ifndef JR_CERTS_CHECK_H
#define JR_CERTS_CHECK_H

#include "certs/make.h"

/** A certificate's validity. */
struct jr_cert_life {
    struct jr_time from;
    struct jr_time until;
};

/** Reads a certificate (of a chain the first) and proves that the key, where there is one, is its
 * own. Errors: JR_INVALID, in words that say which of the two is wrong; JR_NOMEM. */
enum jr_status jr_cert_check(const struct jr_cert *c, struct jr_cert_life *ret,
                             struct jr_error *err) JR_MUST_USE;
/** The same for each certificate of a bundle of CAs, which must be such; ret: where all are valid.
 */
enum jr_status jr_cert_check_bundle(const char *pem, struct jr_cert_life *ret,
                                    struct jr_error *err) JR_MUST_USE;
/** Whether ca signed leaf. False too for what can't be read. */
bool jr_cert_signed_by(const char *leaf_pem, const char *ca_pem);
/** Whether the certificate is good for all of these DNS names and IP addresses. */
bool jr_cert_names_all(const char *pem, const char *const *names, size_t n);

#endif
