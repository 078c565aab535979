/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL 3 looks all its decoders up for each certificate and each key that it reads, which takes
 * about a millisecond. A test that links jr_pem_memo reads each text once: the linker sends the
 * calls here, and equal texts give the same object again. For worlds in which a few certificates
 * are read thousands of times; that the readers are right, and free what they read, is for
 * tests/unit/certs, which reads without this. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/pem.h>

#define KEPT 256           /* texts of each kind; a world has fewer at a time */
#define TEXT_MAX (1 << 18) /* more than any bundle of a test */

/* NOLINTBEGIN(bugprone-reserved-identifier): the names are the linker's */
X509 *__real_PEM_read_bio_X509(BIO *bio, X509 **x, pem_password_cb *cb, void *u);
EVP_PKEY *__real_PEM_read_bio_PrivateKey(BIO *bio, EVP_PKEY **x, pem_password_cb *cb, void *u);
X509 *__wrap_PEM_read_bio_X509(BIO *bio, X509 **x, pem_password_cb *cb, void *u);
EVP_PKEY *__wrap_PEM_read_bio_PrivateKey(BIO *bio, EVP_PKEY **x, pem_password_cb *cb, void *u);

struct entry {
    char *text;
    size_t n;
    void *object;
};

struct memo {
    struct entry entries[KEPT];
    size_t next; /* the oldest, or a free one */
};

static struct memo certs, keys;

static void *find_object(const struct memo *m, const char *text, size_t n)
{
    for (size_t i = 0; i < KEPT; i++) {
        const struct entry *e = &m->entries[i];

        if (e->text != NULL && e->n == n && memcmp(e->text, text, n) == 0)
            return e->object;
    }
    return NULL;
}

/** Puts the object in the place of the oldest one. Returns the one before, NULL: none. */
static void *keep_object(struct memo *m, const char *text, size_t n, void *object)
{
    struct entry *e = &m->entries[m->next++ % KEPT];
    void *before = e->object;
    char *copy = malloc(n);

    if (copy == NULL)
        abort();
    memcpy(copy, text, n);
    free(e->text);
    *e = (struct entry){ copy, n, object };
    return before;
}

/** Moves lines from bio to text, up to the end of the first certificate or, of all that is left.
 * Returns how many bytes. */
static size_t read_lines(BIO *bio, bool one_cert, char *text)
{
    static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END ";
    bool in_cert = false;
    size_t n = 0;
    int got;

    while ((got = BIO_gets(bio, text + n, (int)(TEXT_MAX - n))) > 0) {
        const char *line = text + n;

        n += (size_t)got;
        if (n + 1 >= TEXT_MAX)
            abort();
        in_cert = in_cert || strncmp(line, begin, sizeof(begin) - 1) == 0;
        if (one_cert && in_cert && strncmp(line, end, sizeof(end) - 1) == 0)
            break;
    }
    return n;
}

static BIO *open_text(const char *text, size_t n)
{
    BIO *bio = BIO_new_mem_buf(text, (int)n);

    if (bio == NULL)
        abort();
    return bio;
}

X509 *__wrap_PEM_read_bio_X509(BIO *bio, X509 **x, pem_password_cb *cb, void *u)
{
    static char text[TEXT_MAX];
    size_t n = read_lines(bio, true, text);
    X509 *cert = find_object(&certs, text, n);

    if (cert == NULL) {
        BIO *again = open_text(text, n);

        cert = __real_PEM_read_bio_X509(again, x, cb, u);
        BIO_free(again);
        if (cert != NULL)
            X509_free(keep_object(&certs, text, n, cert));
    }
    if (cert != NULL)
        X509_up_ref(cert);
    return cert;
}

EVP_PKEY *__wrap_PEM_read_bio_PrivateKey(BIO *bio, EVP_PKEY **x, pem_password_cb *cb, void *u)
{
    static char text[TEXT_MAX];
    size_t n = read_lines(bio, false, text);
    EVP_PKEY *key = find_object(&keys, text, n);

    if (key == NULL) {
        BIO *again = open_text(text, n);

        key = __real_PEM_read_bio_PrivateKey(again, x, cb, u);
        BIO_free(again);
        if (key != NULL)
            EVP_PKEY_free(keep_object(&keys, text, n, key));
    }
    if (key != NULL)
        EVP_PKEY_up_ref(key);
    return key;
}
/* NOLINTEND(bugprone-reserved-identifier) */
