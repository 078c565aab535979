/* SPDX-License-Identifier: Apache-2.0 */
/* GnuTLS' priorities name key exchanges and ciphers, each for itself: all pairs of them would be
 * suites. So one key exchange is left, that of the certificate, once the client's hello has said
 * that it is TLS 1.2. */
#include "webhook/net/allowed_suites.h"

enum jr_status jr_cipher_suites_init(struct jr_cipher_suites *s, const struct jr_flag_list *names,
                                     struct jr_error *err)
{
    char text[JR_SUITE_PRIORITIES_MAX];

    *s = (struct jr_cipher_suites){ .limited = names->n > 0 };
    for (size_t i = 0; i < JR_SUITE_KEYS; i++) {
        int e;

        if (!jr_cipher_suite_priorities(names, (enum jr_suite_key)i, text))
            continue;
        e = gnutls_priority_init(&s->of[i], text, NULL);
        if (e < 0)
            return jr_fail(err, e == GNUTLS_E_MEMORY_ERROR ? JR_NOMEM : JR_INVALID,
                           "--tls-cipher-suites", "GnuTLS: %s", gnutls_strerror(e));
    }
    return JR_OK;
}

void jr_cipher_suites_done(struct jr_cipher_suites *s)
{
    for (size_t i = 0; i < JR_SUITE_KEYS; i++) {
        if (s->of[i] != NULL)
            gnutls_priority_deinit(s->of[i]);
        s->of[i] = NULL;
    }
}

static enum jr_suite_key key_of(struct jr_tls_cred *c)
{
    gnutls_pcert_st *certs;
    gnutls_privkey_t key;
    unsigned n;
    int algorithm;

    jr_tls_cred_get(c, &certs, &n, &key);
    algorithm = gnutls_pubkey_get_pk_algorithm(certs[0].pubkey, NULL);
    return algorithm == GNUTLS_PK_RSA || algorithm == GNUTLS_PK_RSA_PSS ? JR_SUITE_RSA
                                                                        : JR_SUITE_ECDSA;
}

int jr_cipher_suites_limit(const struct jr_cipher_suites *s, gnutls_session_t session,
                           struct jr_tls_cred *c)
{
    gnutls_priority_t priorities;

    if (gnutls_protocol_get_version(session) != GNUTLS_TLS1_2)
        return 0;
    priorities = s->of[key_of(c)];
    return priorities == NULL ? GNUTLS_E_NO_CIPHER_SUITES
                              : gnutls_priority_set(session, priorities);
}
