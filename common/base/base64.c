/* SPDX-License-Identifier: Apache-2.0 */
/* Base64 (RFC 4648, section 4). */
#include "common/base/base64.h"

#include <stdint.h>

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum jr_status jr_base64_encode(struct jr_str in, struct jr_buf *out)
{
    const unsigned char *p = (const unsigned char *)in.p;

    (void)jr_buf_reserve(out, in.n / 3 * 4 + 4);
    for (size_t i = 0; i < in.n && out->failed == JR_OK; i += 3) {
        size_t have = in.n - i < 3 ? in.n - i : 3;
        uint32_t v = (uint32_t)p[i] << 16;
        char quad[4] = "====";

        v |= have > 1 ? (uint32_t)p[i + 1] << 8 : 0;
        v |= have > 2 ? (uint32_t)p[i + 2] : 0;
        quad[0] = base64_digits[v >> 18 & 63];
        quad[1] = base64_digits[v >> 12 & 63];
        if (have > 1)
            quad[2] = base64_digits[v >> 6 & 63];
        if (have > 2)
            quad[3] = base64_digits[v & 63];
        (void)jr_buf_add(out, (struct jr_str){ quad, sizeof(quad) });
    }
    return out->failed;
}

/** The value of a digit, -1 for anything else. */
static int base64_value(char c)
{
    const char *at = c == '\0' ? NULL : strchr(base64_digits, c);

    return at == NULL ? -1 : (int)(at - base64_digits);
}

/** Decodes four digits, the last `pad` of them '='. The bits that padding leaves over must be 0. */
static bool base64_quad(const char *p, size_t pad, struct jr_buf *out)
{
    uint32_t v = 0;
    char bytes[3];

    for (size_t i = 0; i < 4; i++) {
        int digit = i >= 4 - pad ? 0 : base64_value(p[i]);

        if (digit < 0)
            return false;
        v = v << 6 | (uint32_t)digit;
    }
    if (pad > 0 && (v & (pad == 1 ? 0xffu : 0xffffu)) != 0)
        return false;
    bytes[0] = (char)(v >> 16 & 0xff);
    bytes[1] = (char)(v >> 8 & 0xff);
    bytes[2] = (char)(v & 0xff);
    (void)jr_buf_add(out, (struct jr_str){ bytes, 3 - pad });
    return true;
}

enum jr_status jr_base64_decode(struct jr_str in, struct jr_buf *out)
{
    size_t start = out->n;
    size_t pad = 0;

    if (in.n % 4 != 0)
        return JR_SYNTAX;
    if (in.n > 0 && in.p[in.n - 1] == '=')
        pad = in.p[in.n - 2] == '=' ? 2 : 1;
    (void)jr_buf_reserve(out, in.n / 4 * 3 + 1);
    for (size_t i = 0; i < in.n && out->failed == JR_OK; i += 4) {
        if (base64_quad(in.p + i, i + 4 == in.n ? pad : 0, out))
            continue;
        if (out->failed == JR_OK) { /* leave no half behind */
            out->n = start;
            if (out->p != NULL)
                out->p[start] = '\0';
        }
        return JR_SYNTAX;
    }
    return out->failed;
}
