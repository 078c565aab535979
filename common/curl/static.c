/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve without shared libraries. */
#include "common/curl/static.h"

#include <nss.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void jr_static_init(void)
{
    (void)__nss_configure_lookup("hosts", "files dns");
    (void)__nss_configure_lookup("services", "files");
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

const char *jr_static_authorities(void)
{
    static const char *const files[] = {
        "/etc/ssl/certs/ca-certificates.crt", /* Debian, Alpine */
        "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
        "/etc/ssl/ca-bundle.pem",             /* SUSE */
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (access(files[i], R_OK) == 0)
            return files[i];
    }
    return NULL;
}

/* ---- what libcurl names beyond HTTPS ---- */

/* What it asks when it starts, or to tell its version: none of these libraries is there. A host
 * that isn't ASCII is refused. */
const char *idn2_check_version(const char *wanted);
int ldap_get_option(void *ld, int option, void *value);
int libssh2_init(int flags);
const char *libssh2_version(int wanted);
_Noreturn void jr_static_absent(void);

const char *idn2_check_version(const char *wanted)
{
    (void)wanted;
    return NULL;
}

int ldap_get_option(void *ld, int option, void *value)
{
    (void)ld;
    (void)option;
    (void)value;
    return -1;
}

int libssh2_init(int flags)
{
    (void)flags;
    return 0;
}

const char *libssh2_version(int wanted)
{
    (void)wanted;
    return "none";
}

/** In place of all else. Nothing comes here: only HTTP and HTTPS are allowed, and of ways to log in
 * only those without GSSAPI (target.c). */
void jr_static_absent(void)
{
    (void)fputs("jobreeve: libcurl wants what the static build has not\n", stderr);
    abort();
}
