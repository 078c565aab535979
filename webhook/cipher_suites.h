/* SPDX-License-Identifier: Apache-2.0 */
/* The cipher suites of --tls-cipher-suites, by the names that IANA gives them and kube-apiserver
 * takes. */
#ifndef JR_WEBHOOK_CIPHER_SUITES_H
#define JR_WEBHOOK_CIPHER_SUITES_H

#include "common/base/flags.h"

/** What a suite of TLS 1.2 needs the certificate's key to be. */
enum jr_suite_key { JR_SUITE_ECDSA, JR_SUITE_RSA, JR_SUITE_KEYS };

/** For the help: all that are taken for TLS 1.2. */
#define JR_CIPHER_SUITES                                                     \
    "TLS_ECDHE_ECDSA_WITH_ or TLS_ECDHE_RSA_WITH_, and AES_128_GCM_SHA256, " \
    "AES_256_GCM_SHA384, CHACHA20_POLY1305_SHA256, AES_128_CBC_SHA or AES_256_CBC_SHA"

/** Whether it is one of these, or of TLS 1.3. Errors: JR_USAGE, which says whether it is insecure
 * or unknown. */
enum jr_status jr_cipher_suite_check(const char *flag, struct jr_str name,
                                     struct jr_error *err) JR_MUST_USE;

#define JR_SUITE_PRIORITIES_MAX 256
/** Of the names, which have passed the check: what GnuTLS is to be told for TLS 1.2 and a
 * certificate with such a key. false: none of them is for that. */
bool jr_cipher_suite_priorities(const struct jr_flag_list *names, enum jr_suite_key key,
                                char out[static JR_SUITE_PRIORITIES_MAX]);

#endif
