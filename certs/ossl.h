/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's objects with one owner and one end each. Inside this folder only. */
#ifndef JR_CERTS_OSSL_H
#define JR_CERTS_OSSL_H

#include "common/base/error.h"
#include "common/base/str.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

JR_DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)
JR_DEFINE_CLEANUP(X509 *, X509_free)
JR_DEFINE_CLEANUP(BIO *, BIO_free_all)

/** A text to read, borrowed; NULL: it is empty. */
BIO *jr_bio_of(struct jr_str text);
/** A text to write. */
BIO *jr_bio_new(void);
/** What was written, from malloc. */
char *jr_bio_text(BIO *bio);
/** The next certificate of a text (NULL: an empty one); NULL: there is none, or none that can be
 * read. */
X509 *jr_next_cert(BIO *bio);

#define PKEY JR_CLEANUP(EVP_PKEY_freep) EVP_PKEY
#define CERT JR_CLEANUP(X509_freep) X509
#define MEM_BIO JR_CLEANUP(BIO_free_allp) BIO

#endif
