/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of certificates, as OpenSSL reads and writes them. */
#include "certs/ossl.h"

#include <limits.h>

#include "common/base/memory.h"

BIO *jr_bio_of(struct jr_str text)
{
    return text.n == 0 || text.n > INT_MAX ? NULL
                                           : jr_must_have(BIO_new_mem_buf(text.p, (int)text.n));
}

BIO *jr_bio_new(void)
{
    return jr_must_have(BIO_new(BIO_s_mem()));
}

char *jr_bio_text(BIO *bio)
{
    char *p = NULL;
    long n = BIO_get_mem_data(bio, &p);

    return jr_xstrndup((struct jr_str){ p, n > 0 ? (size_t)n : 0 });
}

X509 *jr_next_cert(BIO *bio)
{
    X509 *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);

    ERR_clear_error();
    return cert;
}
