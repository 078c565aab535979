/* SPDX-License-Identifier: Apache-2.0 */
/* resource.Quantity: exact decimal numbers with SI suffixes ("100m", "1.5Gi", "12e6"). */
#ifndef JR_SCHEMA_QUANTITY_H
#define JR_SCHEMA_QUANTITY_H

#include "common/base/buf.h"
#include "common/json/doc.h"

#define JR_QUANTITY_DIGITS 320

enum jr_quantity_format { JR_QUANTITY_DECIMAL, JR_QUANTITY_BINARY, JR_QUANTITY_EXPONENT };

/** digits * 10^exp, the digits without zeros in front and behind; n = 0 is zero. */
struct jr_quantity {
    bool negative;
    bool wide; /* upstream computes with it without a limit, not in 64 bits */
    enum jr_quantity_format format;
    int32_t scale; /* of the number as it was written, if it is not wide: "1.50k" is 150 * 10^1 */
    int32_t exp;
    uint32_t n;
    char digits[JR_QUANTITY_DIGITS]; /* most significant first, '0' to '9' */
    struct jr_str verbatim; /* the source, where upstream prints that instead of the canonical form;
                               borrowed */
};

/** Reads a quantity as upstream does: at most nano (rounded away from zero), binary ones at most
 * 2^63-1. Errors: JR_SYNTAX, JR_LIMIT (more digits than we hold). */
enum jr_status jr_quantity_parse(struct jr_str text, struct jr_quantity *ret) JR_MUST_USE;
/** The same of a JSON string or number; null and absent are zero. Errors: also JR_TYPE. */
enum jr_status jr_quantity_of(const struct jr_node *node, struct jr_quantity *ret) JR_MUST_USE;
/** -1, 0, 1 */
int jr_quantity_cmp(const struct jr_quantity *a, const struct jr_quantity *b);
int jr_quantity_sign(const struct jr_quantity *q);
/** Rounds away from zero to a multiple of 10^scale; false if it was one. */
bool jr_quantity_round_up(struct jr_quantity *q, int32_t scale);
/** Whether it is an integer. */
bool jr_quantity_whole(const struct jr_quantity *q);
/** Adds b to *a; zero takes over b's format. False: more digits than we hold. */
bool jr_quantity_add(struct jr_quantity *a, const struct jr_quantity *b) JR_MUST_USE;
/** Multiplies *q. False: more digits than we hold. */
bool jr_quantity_multiply(struct jr_quantity *q, uint64_t by) JR_MUST_USE;
/** The nearest double; infinite beyond their range. */
double jr_quantity_double(const struct jr_quantity *q);
/** In units of 10^scale, rounded up, as upstream's Value (0) and MilliValue (-3): what doesn't fit
 * gives 0, or its low bits where it is wide or upstream gets there in one multiplication. */
int64_t jr_quantity_scaled(const struct jr_quantity *q, int32_t scale);
/** Whether 64 bits hold it in units of 10^scale, rounded up. */
bool jr_quantity_fits(const struct jr_quantity *q, int32_t scale);
/** Appends what upstream prints. */
enum jr_status jr_quantity_write(const struct jr_quantity *q, struct jr_buf *out) JR_MUST_USE;

#endif
