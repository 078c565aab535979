/* SPDX-License-Identifier: Apache-2.0 */
/* Two quantities, a NUL byte between them. What is written reads back as the same value and is
 * written the same again; the order is one; rounding goes away from zero and only once. */
#include "common/schema/quantity.h"

#include "tests/fuzz/fuzz.h"

#define EXA_DIGITS 21

static void write_to(const struct jr_quantity *q, struct jr_buf *out)
{
    jr_buf_init(out, MAX_TEXT);
    MUST(jr_quantity_write(q, out) == JR_OK);
}

/** From 1000E on upstream has no suffix for it, and prints none: "1000E" becomes "1". */
static bool is_beyond_suffixes(const struct jr_quantity *q)
{
    return (int64_t)q->n + q->exp > EXA_DIGITS;
}

/** A binary one with a fraction is written as a number, "1.5Ki" as "1536", and that is read as a
 * decimal one: from the second time on the text stays. */
static void check_written(const struct jr_quantity *q)
{
    JR_BUF once = { 0 };
    JR_BUF twice = { 0 };
    JR_BUF thrice = { 0 };
    struct jr_quantity again, third;

    write_to(q, &once);
    if (is_beyond_suffixes(q) && jr_quantity_parse(jr_buf_str(&once), &again) != JR_OK)
        return; /* too many digits, or too great an exponent */
    MUST(jr_quantity_parse(jr_buf_str(&once), &again) == JR_OK);
    MUST(jr_quantity_cmp(q, &again) == 0 || is_beyond_suffixes(q));
    write_to(&again, &twice);
    MUST(jr_quantity_parse(jr_buf_str(&twice), &third) == JR_OK);
    MUST(jr_quantity_cmp(&again, &third) == 0 || is_beyond_suffixes(&again));
    write_to(&third, &thrice);
    MUST(jr_str_eq(jr_buf_str(&twice), jr_buf_str(&thrice)) || is_beyond_suffixes(&again));
}

static void check_rounded(const struct jr_quantity *q, int32_t scale)
{
    struct jr_quantity r = *q;
    bool changed = jr_quantity_round_up(&r, scale);
    int c = jr_quantity_cmp(&r, q);

    MUST(changed == (c != 0));
    MUST(!changed || c == jr_quantity_sign(q));
    MUST(!jr_quantity_round_up(&r, scale));
    MUST(scale < 0 || jr_quantity_whole(&r));
}

static void check_order(const struct jr_quantity *a, const struct jr_quantity *b)
{
    const struct jr_quantity zero = { .n = 0 };

    MUST(jr_quantity_cmp(a, b) == -jr_quantity_cmp(b, a));
    MUST(jr_quantity_cmp(a, a) == 0);
    MUST(jr_quantity_cmp(a, &zero) == jr_quantity_sign(a));
}

/** A sum lies on the side of its second part; commutes. */
static void check_sum(const struct jr_quantity *a, const struct jr_quantity *b)
{
    struct jr_quantity ab = *a, ba = *b;

    if (!jr_quantity_add(&ab, b))
        return;
    MUST(jr_quantity_add(&ba, a));
    MUST(jr_quantity_cmp(&ab, &ba) == 0);
    MUST(jr_quantity_cmp(&ab, a) == jr_quantity_sign(b));
}

/** Whole numbers that fit into 64 bits are what they are in any unit. */
static void check_scaled(const struct jr_quantity *q)
{
    int64_t whole = jr_quantity_scaled(q, 0), milli = jr_quantity_scaled(q, -3);

    if (jr_quantity_whole(q) && (int64_t)q->n + q->exp <= 15)
        MUST(milli == whole * 1000 && (whole > 0) - (whole < 0) == jr_quantity_sign(q));
}

/** The same text as a member of an object, as admission sees it. */
static void check_node(struct jr_str text, enum jr_status st)
{
    DOC *doc = NULL;
    DOC *number = NULL;
    struct jr_quantity q;

    MUST(jr_doc_new(&doc) == JR_OK);
    MUST(jr_set_str(jr_doc_root(doc), "q", text) == JR_OK);
    /* and more: white space around it */
    MUST(jr_quantity_of(jr_get(jr_doc_root(doc), "q"), &q) == JR_OK || st != JR_OK);
    MUST(jr_quantity_of(jr_get(jr_doc_root(doc), "none"), &q) == JR_OK && q.n == 0);
    MUST(jr_quantity_of(jr_doc_root(doc), &q) == JR_TYPE);
    if (st == JR_OK && jr_doc_parse(text, &JR_READER_LENIENT, &number, NULL) == JR_OK)
        MUST(jr_quantity_of(jr_doc_root(number), &q) == JR_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str second = view_of(data, size), first;
    struct jr_quantity a, b;
    enum jr_status st;

    if (!jr_str_cut(&second, '\0', &first))
        first = second;
    st = jr_quantity_parse(first, &a);
    check_node(first, st);
    if (st != JR_OK)
        return 0;
    check_written(&a);
    check_rounded(&a, -9);
    check_rounded(&a, -3);
    check_rounded(&a, 0);
    check_rounded(&a, 3);
    check_scaled(&a);
    if (jr_quantity_parse(second, &b) != JR_OK)
        return 0;
    check_order(&a, &b);
    check_sum(&a, &b);
    return 0;
}
