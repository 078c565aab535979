/* SPDX-License-Identifier: Apache-2.0 */
/* What is hidden, and how it is written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "common/base/show.h"
#include "tests/unit/base/want.h"

static void test_classes(void **state)
{
    static const struct {
        const char *name;
        uint32_t first, last;
        bool hidden;
    } rows[] = {
        { "C0", 0, 0x1f, true },
        { "ASCII", 0x20, 0x7e, false },
        { "delete and C1", 0x7f, 0x9f, true },
        { "Latin-1", 0xa0, 0xac, false },
        { "soft hyphen", 0xad, 0xad, true },
        { "letters", 0xae, 0x34e, false },
        { "grapheme joiner", 0x34f, 0x34f, true },
        { "Arabic letter mark", 0x61c, 0x61c, true },
        { "Mongolian selectors", 0x180b, 0x180f, true },
        { "spaces", 0x2000, 0x200a, false },
        { "zero widths, marks of direction", 0x200b, 0x200f, true },
        { "dashes and quotes", 0x2010, 0x2027, false },
        { "separators, embeddings, overrides", 0x2028, 0x202e, true },
        { "marks", 0x202f, 0x205f, false },
        { "joiner, invisible operators, isolates", 0x2060, 0x206f, true },
        { "Hangul filler", 0x3164, 0x3164, true },
        { "ideographs", 0x4e00, 0x9fff, false },
        { "variation selectors", 0xfe00, 0xfe0f, true },
        { "byte order mark", 0xfeff, 0xfeff, true },
        { "interlinear annotation", 0xfff9, 0xfffb, true },
        { "replacement character", 0xfffd, 0xfffd, false },
        { "none", 0xfffe, 0xffff, true },
        { "shorthand controls", 0x1bca0, 0x1bca3, true },
        { "musical controls", 0x1d173, 0x1d17a, true },
        { "pictures", 0x1f300, 0x1f64f, false },
        { "tags", 0xe0000, 0xe007f, true },
        { "more variation selectors", 0xe0100, 0xe01ef, true },
        { "private use", 0xf0000, 0x10fffd, false },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        for (uint32_t c = rows[i].first; c <= rows[i].last; c++) {
            if (jr_is_hidden(c) != rows[i].hidden)
                fail_msg("%s: U+%04X", rows[i].name, (unsigned)c);
        }
    }
}

static const struct {
    const char *name;
    struct jr_str s;
    const char *shown;
    const char *json; /* of a text of JSON, in which there is nothing below U+0020 */
} texts[] = {
    { "nothing", { "", 0 }, "", "" },
    { "plain", { "a\xc3\xa9\\", 4 }, "a\xc3\xa9\\", "a\xc3\xa9\\" },
    { "delete", { "\x7f", 1 }, "\\x7f", "\\u007f" },
    { "C1", { "a\xc2\x9b[", 4 }, "a\\u009b[", "a\\u009b[" },
    { "override", { "\xe2\x80\xae", 3 }, "\\u202e", "\\u202e" },
    { "Arabic letter mark", { "\xd8\x9c", 2 }, "\\u061c", "\\u061c" },
    { "word joiner", { "\xe2\x81\xa0", 3 }, "\\u2060", "\\u2060" },
    { "a tag", { "\xf3\xa0\x81\x81z", 5 }, "\\U000e0041z", "\\udb40\\udc41z" },
};

static void test_texts(void **state)
{
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 1000);
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        jr_buf_reset(&out);
        jr_show(texts[i].s, &out);
        if (!jr_str_is(jr_buf_str(&out), texts[i].shown))
            fail_msg("%s: %.*s", texts[i].name, JR_P(jr_buf_str(&out)));
        jr_buf_reset(&out);
        jr_show_json(texts[i].s, &out);
        if (!jr_str_is(jr_buf_str(&out), texts[i].json))
            fail_msg("%s: JSON: %.*s", texts[i].name, JR_P(jr_buf_str(&out)));
    }
    jr_buf_reset(&out);
    jr_show(JR_S("\x1b\n\xff"), &out);
    assert_string_equal(out.p, "\\x1b\\x0a\\xff");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
