/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for tests: a CA, a server and a client of it. */
#ifndef JR_UNIT_KUBE_PEM_H
#define JR_UNIT_KUBE_PEM_H

#include <openssl/evp.h>
#include <openssl/x509.h>

struct pem_set {
    X509 *ca, *server, *client;
    EVP_PKEY *ca_key, *server_key, *client_key;
};
/** names: the server's, "DNS:api.test,IP:127.0.0.1". */
void pem_make(struct pem_set *p, const char *names);
void pem_done(struct pem_set *p);
/** PEM texts; the caller frees. */
char *pem_cert_text(X509 *x);
char *pem_key_text(EVP_PKEY *key);
/** The same under a passphrase. */
char *pem_locked_key_text(EVP_PKEY *key);

#endif
