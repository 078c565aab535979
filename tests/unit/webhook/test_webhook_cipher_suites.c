/* SPDX-License-Identifier: Apache-2.0 */
/* The cipher suites of --tls-cipher-suites: which names are taken, and what GnuTLS makes of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <gnutls/gnutls.h>

#include "webhook/cipher_suites.h"

/* By the registry of IANA. */
static const struct {
    const char *name;
    enum jr_suite_key key;
    unsigned char id[2];
} rows[] = {
    { "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", JR_SUITE_ECDSA, { 0xc0, 0x2b } },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", JR_SUITE_ECDSA, { 0xc0, 0x2c } },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", JR_SUITE_ECDSA, { 0xcc, 0xa9 } },
    { "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", JR_SUITE_ECDSA, { 0xcc, 0xa9 } },
    { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", JR_SUITE_ECDSA, { 0xc0, 0x09 } },
    { "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", JR_SUITE_ECDSA, { 0xc0, 0x0a } },
    { "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", JR_SUITE_RSA, { 0xc0, 0x2f } },
    { "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", JR_SUITE_RSA, { 0xc0, 0x30 } },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", JR_SUITE_RSA, { 0xcc, 0xa8 } },
    { "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", JR_SUITE_RSA, { 0xcc, 0xa8 } },
    { "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", JR_SUITE_RSA, { 0xc0, 0x13 } },
    { "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", JR_SUITE_RSA, { 0xc0, 0x14 } },
};

/** The suites that GnuTLS has by these priorities; ids of two bytes each. */
static unsigned suites_by(const char *priorities, unsigned char ids[16][2])
{
    gnutls_priority_t p = NULL;
    unsigned n = 0, at;

    assert_int_equal(gnutls_priority_init(&p, priorities, NULL), 0);
    for (unsigned i = 0; n < 16; i++) {
        gnutls_protocol_t version;
        int e = gnutls_priority_get_cipher_suite_index(p, i, &at);

        if (e == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
            break;
        if (e != 0 || gnutls_cipher_suite_info(at, ids[n], NULL, NULL, NULL, &version) == NULL)
            continue;
        n++;
    }
    gnutls_priority_deinit(p);
    return n;
}

/** Each name alone is that one suite, and for the other kind of key none. */
static void test_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_flag_list one = { .v = { jr_str(rows[i].name) }, .n = 1 };
        const enum jr_suite_key other = rows[i].key == JR_SUITE_RSA ? JR_SUITE_ECDSA : JR_SUITE_RSA;
        char text[JR_SUITE_PRIORITIES_MAX];
        unsigned char ids[16][2];
        unsigned n;

        assert_int_equal(jr_cipher_suite_check("--f", one.v[0], NULL), JR_OK);
        assert_true(jr_cipher_suite_priorities(&one, rows[i].key, text));
        n = suites_by(text, ids);
        if (n != 1 || memcmp(ids[0], rows[i].id, 2) != 0)
            fail_msg("%s: %u suites, the first is %02x %02x", rows[i].name, n, ids[0][0],
                     ids[0][1]);
        assert_false(jr_cipher_suite_priorities(&one, other, text));
    }
}

/** All at once fit, in both names of those that have two. */
static void test_all(void **state)
{
    struct jr_flag_list all = { .n = 0 };
    char text[JR_SUITE_PRIORITIES_MAX];
    unsigned char ids[16][2];

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        all.v[all.n++] = jr_str(rows[i].name);
    all.v[all.n++] = jr_str("TLS_AES_128_GCM_SHA256");
    assert_true(jr_cipher_suite_priorities(&all, JR_SUITE_ECDSA, text));
    assert_int_equal(suites_by(text, ids), 5);
    assert_true(jr_cipher_suite_priorities(&all, JR_SUITE_RSA, text));
    assert_int_equal(suites_by(text, ids), 5);
}

static void test_tls13(void **state)
{
    const struct jr_flag_list l = { .v = { jr_str("TLS_AES_128_GCM_SHA256"),
                                           jr_str("TLS_AES_256_GCM_SHA384"),
                                           jr_str("TLS_CHACHA20_POLY1305_SHA256") },
                                    .n = 3 };
    char text[JR_SUITE_PRIORITIES_MAX];

    (void)state;
    for (size_t i = 0; i < l.n; i++)
        assert_int_equal(jr_cipher_suite_check("--f", l.v[i], NULL), JR_OK);
    assert_false(jr_cipher_suite_priorities(&l, JR_SUITE_ECDSA, text));
    assert_false(jr_cipher_suite_priorities(&l, JR_SUITE_RSA, text));
}

static void test_refused(void **state)
{
    static const struct {
        const char *name;
        const char *words;
    } bad[] = {
        { "TLS_RSA_WITH_AES_128_GCM_SHA256", "\"TLS_RSA_WITH_AES_128_GCM_SHA256\" is insecure" },
        { "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "is insecure" },
        { "TLS_ECDHE_RSA_WITH_RC4_128_SHA", "is insecure" },
        { "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "is insecure" },
        { "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "is insecure" },
        { "TLS_DH_anon_WITH_AES_128_GCM_SHA256", "is insecure" },
        { "AES-128-GCM", "\"AES-128-GCM\" is no suite that is known" },
        { "ECDHE-RSA-AES128-GCM-SHA256", "is no suite that is known" },
        { "tls_aes_128_gcm_sha256", "is no suite that is known" },
        { "TLS_AES_128_GCM_SHA256 ", "is no suite that is known" },
        { "TLS_ECDHE_ECDSA_WITH_AES_128_CCM", "is no suite that is known" },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(bad); i++) {
        struct jr_error err = { .status = JR_OK };

        assert_int_equal(jr_cipher_suite_check("--f", jr_str(bad[i].name), &err), JR_USAGE);
        assert_string_equal(err.path, "--f");
        if (strstr(err.msg, bad[i].words) == NULL ||
            strstr(err.msg, "TLS_ECDHE_ECDSA_WITH_ or ") == NULL)
            fail_msg("%s: %s", bad[i].name, err.msg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_tls13),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
