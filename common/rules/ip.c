/* SPDX-License-Identifier: Apache-2.0 */
/* Parses and validates IP addresses. */
#include "common/rules/ip.h"

#include <stdio.h>

/* No number is read beyond this. */
#define NUMBER_MAX 0xffffff

/** A number at the front of *s, which is moved behind it. */
static bool take_number(struct jr_str *s, unsigned base, size_t digits, unsigned max,
                        struct jr_ip *ip, unsigned *ret)
{
    unsigned v = 0;
    size_t i = 0;

    for (; i < s->n; i++) {
        char c = s->p[i];
        unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                            : base;

        if (d >= base)
            break;
        v = v * base + d;
        if (v >= NUMBER_MAX)
            return false;
    }
    if (i == 0 || v > max)
        return false;
    if (i > digits || (base == 10 && i > 1 && s->p[0] == '0'))
        ip->padded = true;
    *s = jr_str_from(*s, i);
    *ret = v;
    return true;
}

/** Four numbers with dots between them, and nothing else. */
static bool parse_v4(struct jr_str s, uint8_t *to, struct jr_ip *ip)
{
    for (size_t i = 0; i < 4; i++) {
        unsigned v;

        if (i > 0) {
            if (s.n == 0 || s.p[0] != '.')
                return false;
            s = jr_str_from(s, 1);
        }
        if (!take_number(&s, 10, 3, UINT8_MAX, ip, &v))
            return false;
        to[i] = (uint8_t)v;
    }
    return s.n == 0;
}

/** Whether the number in front ends with a dot. */
static bool is_v4_tail(struct jr_str s)
{
    for (size_t i = 0; i < s.n && s.p[i] != ':'; i++) {
        if (s.p[i] == '.')
            return i > 0;
    }
    return false;
}

/** Groups up to the end; *gap is where "::" was, or stays negative. Returns the bytes that were
 * written, or -1. */
static int parse_groups(struct jr_str s, struct jr_ip *ip, int *gap)
{
    int at = 0;

    if (jr_str_starts(s, JR_S("::"))) {
        *gap = 0;
        s = jr_str_from(s, 2);
    }
    while (at < 16 && !(s.n == 0 && *gap == at)) {
        unsigned v;

        if (is_v4_tail(s)) {
            if (at > 12 || (*gap < 0 && at != 12) || !parse_v4(s, ip->bytes + at, ip))
                return -1;
            return at + 4;
        }
        if (!take_number(&s, 16, 4, UINT16_MAX, ip, &v))
            return -1;
        ip->bytes[at++] = (uint8_t)(v >> 8);
        ip->bytes[at++] = (uint8_t)v;
        if (s.n == 0)
            return at;
        if (s.p[0] != ':' || s.n == 1)
            return -1;
        s = jr_str_from(s, 1);
        if (s.p[0] == ':') {
            if (*gap >= 0)
                return -1;
            *gap = at;
            s = jr_str_from(s, 1);
        }
    }
    return s.n == 0 ? at : -1;
}

static bool parse_v6(struct jr_str s, struct jr_ip *ip)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    int gap = -1;
    int n = parse_groups(s, ip, &gap);
    size_t tail;

    if (n < 0 || (n < 16) != (gap >= 0))
        return false;
    if (n < 16) {
        tail = (size_t)(n - gap);
        memmove(ip->bytes + 16 - tail, ip->bytes + gap, tail);
        memset(ip->bytes + gap, 0, 16 - tail - (size_t)gap);
    }
    ip->mapped = memcmp(ip->bytes, mapped, sizeof(mapped)) == 0;
    return true;
}

bool jr_ip_parse(struct jr_str text, struct jr_ip *ret)
{
    struct jr_ip ip = { .v4 = false };
    bool ok;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '.' && text.p[i] != ':')
            continue;
        ip.v4 = text.p[i] == '.';
        ok = ip.v4 ? parse_v4(text, ip.bytes + 12, &ip) : parse_v6(text, &ip);
        if (ok)
            *ret = ip;
        return ok;
    }
    return false;
}

/** The longest run of zero groups, two at least; the first of equals. */
static void find_gap(const uint8_t *bytes, size_t *ret_at, size_t *ret_n)
{
    *ret_at = 8;
    *ret_n = 1;
    for (size_t i = 0; i < 8; i++) {
        size_t n = 0;

        while (i + n < 8 && bytes[2 * (i + n)] == 0 && bytes[2 * (i + n) + 1] == 0)
            n++;
        if (n > *ret_n) {
            *ret_at = i;
            *ret_n = n;
        }
        i += n;
    }
}

const char *jr_ip_format(const struct jr_ip *ip, char text[JR_IP_TEXT_MAX])
{
    const uint8_t *b = ip->bytes;
    size_t gap, gap_n, at = 0;

    if (ip->v4 || ip->mapped) {
        (void)snprintf(text, JR_IP_TEXT_MAX, "%u.%u.%u.%u", b[12], b[13], b[14], b[15]);
        return text;
    }
    find_gap(b, &gap, &gap_n);
    for (size_t i = 0; i < 8;) {
        if (i == gap) {
            at += (size_t)snprintf(text + at, JR_IP_TEXT_MAX - at, "::");
            i += gap_n;
        } else {
            at += (size_t)snprintf(text + at, JR_IP_TEXT_MAX - at, "%s%x",
                                   i > 0 && i != gap + gap_n ? ":" : "",
                                   (unsigned)(b[2 * i] << 8 | b[2 * i + 1]));
            i++;
        }
    }
    return text;
}

void jr_validate_ip(struct jr_str text, bool strict, const struct jr_field_path *path,
                    struct jr_errlist *errs)
{
    const struct jr_str value = jr_errlist_quote(errs, text);
    struct jr_ip ip;

    if (!jr_ip_parse(text, &ip)) {
        jr_rule_violated(errs, JR_RULE_IP_ADDRESS, path, value);
        return;
    }
    if (strict && ip.padded)
        jr_rule_violated(errs, JR_RULE_IP_ZEROS, path, value);
    else if (strict && ip.mapped)
        jr_rule_violated(errs, JR_RULE_IP_MAPPED, path, value);
}
