/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates looked at: PEM in, what matters out. Pure. */
#ifndef JR_CERTS_CHECK_H
#define JR_CERTS_CHECK_H

#include "certs/make.h"
#include "common/base/arena.h"

/** A certificate's validity. */
struct jr_cert_life {
    struct jr_time from;
    struct jr_time until;
};

/** Reads a certificate (of a chain the first) and checks that the key, where there is one, is its
 * own. Errors: JR_INVALID, in words that say which of the two is wrong. */
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
/** The DNS names and IP addresses of a certificate's subjectAltName, as text in the arena. What is
 * of another kind, or has a NUL or a comma in it, is left out. Errors: JR_INVALID (no certificate).
 */
enum jr_status jr_cert_names(const char *pem, struct jr_arena *a, const char *const **ret,
                             size_t *ret_n, struct jr_error *err) JR_MUST_USE;
/** Whether a caller that trusts these CAs, and asks for this DNS name at this moment, takes the
 * certificate with the chain behind it. False too for what can't be read. */
bool jr_cert_is_trusted(const char *chain_pem, const char *bundle_pem, const char *name,
                        struct jr_time now);
/** Adds the CA certificates of text that *bundle (from malloc; NULL: empty) lacks, in their order,
 * up to max of them in all; what is no CA's certificate is left out. */
void jr_cert_bundle_add(char **bundle, struct jr_str text, size_t max);

#endif
