/* SPDX-License-Identifier: Apache-2.0 */
/* The table of cipher suites, and the GnuTLS priorities that they are. */
#include "webhook/cipher_suites.h"

#include <stdio.h>

/** A suite in GnuTLS' words. It has a name for each part, and none for the whole. */
struct suite {
    const char *name;
    enum jr_suite_key key;
    const char *cipher; /* NULL: of TLS 1.3, where all are spoken */
    const char *mac;
};

/* Those that Go calls secure, which are kube-apiserver's "preferred values". Two have had another
 * name in Go before. */
static const struct suite suites[] = {
    { "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", JR_SUITE_ECDSA, "AES-128-GCM", "AEAD" },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", JR_SUITE_ECDSA, "AES-256-GCM", "AEAD" },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", JR_SUITE_ECDSA, "CHACHA20-POLY1305",
      "AEAD" },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", JR_SUITE_ECDSA, "CHACHA20-POLY1305", "AEAD" },
    { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", JR_SUITE_ECDSA, "AES-128-CBC", "SHA1" },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", JR_SUITE_ECDSA, "AES-256-CBC", "SHA1" },
    { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", JR_SUITE_RSA, "AES-128-GCM", "AEAD" },
    { "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", JR_SUITE_RSA, "AES-256-GCM", "AEAD" },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", JR_SUITE_RSA, "CHACHA20-POLY1305", "AEAD" },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", JR_SUITE_RSA, "CHACHA20-POLY1305", "AEAD" },
    { "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", JR_SUITE_RSA, "AES-128-CBC", "SHA1" },
    { "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", JR_SUITE_RSA, "AES-256-CBC", "SHA1" },
    { .name = "TLS_AES_128_GCM_SHA256" },
    { .name = "TLS_AES_256_GCM_SHA384" },
    { .name = "TLS_CHACHA20_POLY1305_SHA256" },
};

static const struct suite *find(struct jr_str name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(suites); i++) {
        if (jr_str_is(name, suites[i].name))
            return &suites[i];
    }
    return NULL;
}

/** By what Go calls insecure: no forward secrecy, broken ciphers, and CBC whose time tells. */
static bool is_insecure(struct jr_str name)
{
    static const char *const parts[] = { "_RC4_", "_3DES_", "_NULL_", "_anon_", "_EXPORT_" };

    if (!jr_str_starts(name, JR_S("TLS_")))
        return false;
    for (size_t i = 0; i < JR_ARRAY_SIZE(parts); i++) {
        if (memmem(name.p, name.n, parts[i], strlen(parts[i])) != NULL)
            return true;
    }
    return jr_str_starts(name, JR_S("TLS_RSA_WITH_")) || jr_str_ends(name, JR_S("_CBC_SHA256"));
}

enum jr_status jr_cipher_suite_check(const char *flag, struct jr_str name, struct jr_error *err)
{
    if (find(name) != NULL)
        return JR_OK;
    return jr_fail(err, JR_USAGE, flag,
                   is_insecure(name)
                       ? "\"%.*s\" is insecure: expected " JR_CIPHER_SUITES
                       : "\"%.*s\" is no suite that is known: expected " JR_CIPHER_SUITES,
                   JR_P(name));
}

/** Appends ":+WORD", once. */
static void add_word(const char *word, char out[static JR_SUITE_PRIORITIES_MAX])
{
    const size_t n = strlen(out);
    char part[32];

    (void)snprintf(part, sizeof(part), ":+%s", word);
    if (strstr(out, part) == NULL)
        (void)snprintf(out + n, JR_SUITE_PRIORITIES_MAX - n, "%s", part);
}

bool jr_cipher_suite_priorities(const struct jr_flag_list *names, enum jr_suite_key key,
                                char out[static JR_SUITE_PRIORITIES_MAX])
{
    bool any = false;

    (void)snprintf(out, JR_SUITE_PRIORITIES_MAX,
                   "NORMAL:-VERS-ALL:+VERS-TLS1.2:-KX-ALL:+%s:-CIPHER-ALL:-MAC-ALL",
                   key == JR_SUITE_RSA ? "ECDHE-RSA" : "ECDHE-ECDSA");
    for (size_t i = 0; i < names->n; i++) {
        const struct suite *s = find(names->v[i]);

        if (s == NULL || s->cipher == NULL || s->key != key)
            continue;
        add_word(s->cipher, out);
        add_word(s->mac, out);
        any = true;
    }
    return any;
}
