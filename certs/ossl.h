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

static inline void jr_pkey_freep(EVP_PKEY **k)
{
    EVP_PKEY_free(*k);
}
static inline void jr_x509_freep(X509 **x)
{
    X509_free(*x);
}
static inline void jr_bio_freep(BIO **b)
{
    BIO_free_all(*b);
}

/** A text to read, borrowed; NULL: it is empty. */
BIO *jr_bio_of(struct jr_str text);
/** A text to write. */
BIO *jr_bio_new(void);
/** What was written, from malloc. */
char *jr_bio_text(BIO *bio);
/** The next certificate of a text (NULL: an empty one); NULL: there is none, or none that can be
 * read. */
X509 *jr_next_cert(BIO *bio);

#define PKEY JR_CLEANUP(jr_pkey_freep) EVP_PKEY
#define CERT JR_CLEANUP(jr_x509_freep) X509
#define MEM_BIO JR_CLEANUP(jr_bio_freep) BIO

#endif
