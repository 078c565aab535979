/* SPDX-License-Identifier: Apache-2.0 */
/* The serving certificate and its key: from two files, checked, swapped while connections live. */
#ifndef JR_TLS_TLS_H
#define JR_TLS_TLS_H

#include <gnutls/abstract.h>

#include "common/base/buf.h"
#include "common/base/time.h"

/** An immutable, counted snapshot. A connection holds a reference for as long as it lives. */
struct jr_tls_cred;
/** Both files, and the flags that gave their names, as errors have them: "--tls-cert-file". */
struct jr_tls_files {
    const char *cert;
    const char *key;
    const char *cert_flag;
    const char *key_flag;
};
/** Reads and checks both files: PEM, the key is the certificate's. Errors: JR_IO, JR_INVALID,
 * JR_LIMIT; err->path is the flag that gave the file's name, err->msg starts with the name. */
enum jr_status jr_tls_cred_load(const struct jr_tls_files *files, struct jr_tls_cred **ret,
                                struct jr_error *err) JR_MUST_USE;
/** The same from texts. */
enum jr_status jr_tls_cred_make(struct jr_str cert_pem, struct jr_str key_pem,
                                struct jr_tls_cred **ret, struct jr_error *err) JR_MUST_USE;
void jr_tls_cred_unref(struct jr_tls_cred *c);
JR_DEFINE_CLEANUP(struct jr_tls_cred *, jr_tls_cred_unref)
/** The chain and the key, borrowed, for a handshake. */
void jr_tls_cred_get(struct jr_tls_cred *c, gnutls_pcert_st **ret_certs, unsigned *ret_n,
                     gnutls_privkey_t *ret_key);
/** The end of the certificate's validity. */
struct jr_time jr_tls_cred_not_after(const struct jr_tls_cred *c);

/** Where the current snapshot is. Safe from several threads. */
struct jr_tls_store;
/** Loads for the first time. Errors as jr_tls_cred_load. files is copied, its texts are borrowed.
 */
enum jr_status jr_tls_store_new(const struct jr_tls_files *files, struct jr_tls_store **ret,
                                struct jr_error *err) JR_MUST_USE;
/** A store without files, empty until jr_tls_store_put. Errors: JR_NOMEM. */
enum jr_status jr_tls_store_new_empty(struct jr_tls_store **ret, struct jr_error *err) JR_MUST_USE;
/** Makes c the current one; its reference is the store's. One thread only. */
void jr_tls_store_put(struct jr_tls_store *s, struct jr_tls_cred *c);
void jr_tls_store_free(struct jr_tls_store *s);
JR_DEFINE_CLEANUP(struct jr_tls_store *, jr_tls_store_free)
/** The current snapshot, with a reference for the caller; NULL: the store is empty. */
struct jr_tls_cred *jr_tls_store_get(struct jr_tls_store *s);
/** Reads the files again; where their contents differ from the current ones and are good, they are
 * swapped in. On an error the current ones stay (a writer may be half-way). One thread only. */
enum jr_status jr_tls_store_reload(struct jr_tls_store *s, bool *ret_changed,
                                   struct jr_error *err) JR_MUST_USE;

/** Appends the line of GnuTLS to what --version prints. */
void jr_tls_about(struct jr_buf *out);

#endif
