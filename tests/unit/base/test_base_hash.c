/* SPDX-License-Identifier: Apache-2.0 */
/* SipHash-1-3 by reference vectors (made by OpenSSL's SIPHASH with c-rounds 1 and d-rounds 3), and
 * what the process' key promises. */
#include "common/base/hash.h"

#include "tests/unit/base/want.h"

static const struct jr_hash_key counting = { UINT64_C(0x0706050403020100),
                                             UINT64_C(0x0f0e0d0c0b0a0908) };

/** Bytes 0, 1, 2, ... under the key 00 01 02 ... 0f. */
static void vectors(void **state)
{
    static const struct {
        size_t n;
        unsigned char want[8];
    } rows[] = {
        { 0, { 0xdc, 0xc4, 0x0f, 0x05, 0x58, 0x01, 0xac, 0xab } },
        { 1, { 0x93, 0xca, 0x57, 0x7d, 0xf3, 0x9b, 0xf4, 0xc9 } },
        { 2, { 0x4d, 0xd4, 0xc7, 0x4d, 0x02, 0x9b, 0xcb, 0x82 } },
        { 3, { 0xfb, 0xf7, 0xdd, 0xe7, 0xb8, 0x0a, 0xf8, 0x8b } },
        { 7, { 0x40, 0x11, 0xb1, 0x9b, 0x98, 0x7d, 0x92, 0xd3 } },
        { 8, { 0x8e, 0x9a, 0x29, 0x8d, 0x11, 0x95, 0x90, 0x36 } },
        { 9, { 0xe4, 0x3d, 0x06, 0x6c, 0xb3, 0x8e, 0xa4, 0x25 } },
        { 15, { 0x56, 0x99, 0x51, 0x2a, 0x6d, 0xd8, 0x20, 0xd3 } },
        { 16, { 0x66, 0x8b, 0x90, 0x7d, 0x1a, 0xdd, 0x4f, 0xcc } },
        { 17, { 0x0c, 0xd8, 0xdb, 0x63, 0x90, 0x68, 0xf2, 0x9c } },
        { 31, { 0xbc, 0xd1, 0x21, 0x8c, 0x1f, 0xdd, 0x70, 0x23 } },
        { 63, { 0xa8, 0xb3, 0xbb, 0xb7, 0x62, 0x90, 0x19, 0x9d } },
    };
    char text[64];

    (void)state;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)i;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        uint64_t want = 0;

        for (size_t k = sizeof(rows[i].want); k-- > 0;)
            want = want << 8 | rows[i].want[k];
        assert_int_equal(jr_siphash(counting, (struct jr_str){ text, rows[i].n }), want);
    }
    assert_int_equal(jr_siphash(counting, (struct jr_str){ NULL, 0 }),
                     jr_siphash(counting, JR_S("")));
}

/** "a/b" is neither "b/a" nor "ab/", and a known key gives known hashes. */
static void behind(void **state)
{
    const uint64_t a = jr_hash(JR_S("a")), b = jr_hash(JR_S("b"));

    (void)state;
    assert_int_not_equal(a, b);
    assert_int_not_equal(jr_hash_more(a, JR_S("b")), jr_hash_more(b, JR_S("a")));
    assert_int_not_equal(jr_hash_more(a, JR_S("b")), jr_hash_more(jr_hash(JR_S("ab")), JR_S("")));
    jr_hash_replay(counting);
    assert_int_equal(jr_hash(JR_S("a")), jr_siphash(counting, JR_S("a")));
    assert_int_not_equal(jr_hash(JR_S("a")), a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vectors), cmocka_unit_test(behind) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
