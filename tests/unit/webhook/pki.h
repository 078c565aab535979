/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for tests, made on the spot. */
#ifndef JR_TEST_WEBHOOK_PKI_H
#define JR_TEST_WEBHOOK_PKI_H

#include <stdbool.h>

#define PKI_PATH_MAX 128

/** A directory of its own, with a pair of files in it that may or may not be there. */
struct pki {
    char dir[64];
    char cert[PKI_PATH_MAX];
    char key[PKI_PATH_MAX];
};
/** Makes the directory. All functions end the test on a failure. */
void pki_begin(struct pki *p);
/** Removes the directory with all that is in it. */
void pki_end(struct pki *p);

enum pki_kind { PKI_EC, PKI_RSA, PKI_EC_K1 /* a curve that GnuTLS lacks */ };
/** Writes a new key and a self-signed certificate for 127.0.0.1, ::1 and localhost, valid from an
 * hour ago for so many seconds (negative: expired). Files are written anew and renamed into place.
 * password: NULL, or the key is encrypted. */
void pki_make(const struct pki *p, enum pki_kind kind, long valid_s, const char *password);
/** A file in the directory: its path in out. */
void pki_path(const struct pki *p, const char *name, char out[PKI_PATH_MAX]);
void pki_write(const char *path, const char *text);

#endif
