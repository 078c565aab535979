/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers out of text, strictly; optional scalars, since 0 is not absent. */
#ifndef JR_BASE_NUM_H
#define JR_BASE_NUM_H

#include <stdint.h>

#include "common/base/error.h"

struct jr_opt_i32 {
    bool set;
    int32_t v;
};
struct jr_opt_i64 {
    bool set;
    int64_t v;
};
struct jr_opt_bool {
    bool set;
    bool v;
};

#define JR_I32(x) ((struct jr_opt_i32){ true, (x) })
#define JR_I64(x) ((struct jr_opt_i64){ true, (x) })
#define JR_BOOL(x) ((struct jr_opt_bool){ true, (x) })

static inline int32_t jr_i32_or(struct jr_opt_i32 o, int32_t fallback)
{
    return o.set ? o.v : fallback;
}
static inline int64_t jr_i64_or(struct jr_opt_i64 o, int64_t fallback)
{
    return o.set ? o.v : fallback;
}
static inline bool jr_bool_or(struct jr_opt_bool o, bool fallback)
{
    return o.set ? o.v : fallback;
}

/** The value of a hexadecimal digit; -1: it is none. */
static inline int jr_hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/** Takes the decimal digits off the front of *s. */
struct jr_str jr_take_digits(struct jr_str *s);
/** The one integer parser: an optional '-', then decimal digits without leading zeros ("0" itself
 * is fine); no spaces, no '+', nothing after. Errors: JR_SYNTAX, JR_RANGE (outside min..max or 64
 * bits). */
enum jr_status jr_parse_i64(struct jr_str s, int64_t min, int64_t max, int64_t *ret) JR_MUST_USE;
enum jr_status jr_parse_u64(struct jr_str s, uint64_t *ret) JR_MUST_USE;
/** As Go's strconv.Atoi: optional '+' or '-', leading zeros allowed. */
enum jr_status jr_parse_go_int(struct jr_str s, int64_t *ret) JR_MUST_USE;
/** A decimal number, as "20", "0.5", "-1" or "1e+06": what Go's strconv.ParseFloat takes but
 * infinities, NaN, hexadecimal and underscores. Errors: JR_SYNTAX, JR_RANGE (it is too large). */
enum jr_status jr_parse_real(struct jr_str s, double *ret) JR_MUST_USE;
/** A Go duration, "15s", "1m30s", "500ms", in milliseconds (rounded down); "0" is 0. Errors:
 * JR_SYNTAX, JR_RANGE. */
enum jr_status jr_parse_duration_ms(struct jr_str s, int64_t *ret) JR_MUST_USE;

#endif
