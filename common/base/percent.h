/* SPDX-License-Identifier: Apache-2.0 */
/* Percent-encoding (RFC 3986), read back. */
#ifndef JR_BASE_PERCENT_H
#define JR_BASE_PERCENT_H

#include "common/base/num.h"

/** The byte that the escape at the beginning of s ("%2F") stands for; -1: there is none. */
static inline int jr_percent_byte(struct jr_str s)
{
    if (s.n < 3 || s.p[0] != '%' || jr_hex_value(s.p[1]) < 0 || jr_hex_value(s.p[2]) < 0)
        return -1;
    return jr_hex_value(s.p[1]) * 16 + jr_hex_value(s.p[2]);
}

#endif
