/* SPDX-License-Identifier: Apache-2.0 */
/* Strings are read and written by words of several bytes: each byte value, at each place of strings
 * of each length about theirs. */
#include "common/json/write.h"
#include "tests/unit/json/json_test.h"

#define LENGTH_MAX 40u

/** {"k":"aaa"} with the byte at `at` of n; the text's length. */
static size_t object_with(char *text, size_t n, size_t at, unsigned char byte)
{
    static const char head[] = "{\"k\":\"", tail[] = "\"}";
    const size_t begin = sizeof(head) - 1;

    memcpy(text, head, begin);
    memset(text + begin, 'a', n);
    text[begin + at] = (char)byte;
    memcpy(text + begin + n, tail, sizeof(tail));
    return begin + n + sizeof(tail) - 1;
}

static bool is_plain(unsigned byte)
{
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/** Whether the text is read; *ret is the string then. The text stands in memory of its own size. */
static enum jr_status read_string(struct jr_str text, struct jr_str *ret)
{
    struct jr_reader g;
    struct jr_tok tok;
    enum jr_status st = JR_OK;

    jr_reader_init(&g, text, 0);
    do {
        st = jr_reader_next(&g, &tok, NULL);
        if (st == JR_OK && tok.kind == JR_TOK_STRING)
            *ret = tok.raw;
    } while (st == JR_OK && tok.kind != JR_TOK_END);
    return st;
}

static void read_strictly(const char *text, size_t size, size_t n, unsigned byte)
{
    JR_FREE char *exact = malloc(size);
    struct jr_str got = { NULL, 0 };
    enum jr_status st;

    memcpy(exact, text, size);
    st = read_string((struct jr_str){ exact, size }, &got);
    if (st != (is_plain(byte) ? JR_OK : JR_SYNTAX) || (st == JR_OK && got.n != n))
        fail_msg("byte %u: status %d, %zu of %zu bytes: %.*s", byte, st, got.n, n, (int)size, text);
}

/** What is passed over ends where its brackets and strings say, whatever is in them. */
static void pass_over(const char *text, size_t size, size_t n, size_t at, unsigned byte)
{
    JR_FREE char *exact = malloc(size);
    struct jr_reader g;
    struct jr_str value = { NULL, 0 };
    const bool swallows =
        byte == '\\' && at == n - 1; /* the closing quote, and the bracket's end */
    enum jr_status st;

    memcpy(exact, text, size);
    jr_reader_init(&g, (struct jr_str){ exact, size }, 0);
    g.lenient = true;
    st = jr_reader_skip(&g, &value, NULL);
    /* A quote in it ends it, and the closing one begins another that doesn't end. */
    if (st != (swallows || byte == '"' ? JR_SYNTAX : JR_OK) || (st == JR_OK && value.n != size))
        fail_msg("byte %u: status %d, %zu of %zu bytes: %.*s", byte, st, value.n, size, (int)size,
                 text);
}

static void each_byte_at_each_place(void **state)
{
    size_t rows = 0;

    (void)state;
    for (size_t n = 1; n <= LENGTH_MAX; n++) {
        for (size_t at = 0; at < n; at++) {
            for (unsigned byte = 0; byte < 256; byte++, rows++) {
                char text[LENGTH_MAX + 16];
                const size_t size = object_with(text, n, at, (unsigned char)byte);

                read_strictly(text, size, n, byte);
                pass_over(text, size, n, at, byte);
            }
        }
    }
    assert_int_equal(rows, 256 * LENGTH_MAX * (LENGTH_MAX + 1) / 2);
}

/** Nothing is read behind a text that ends in a string. */
static void strings_without_an_end(void **state)
{
    (void)state;
    for (size_t size = 1; size <= LENGTH_MAX; size++) {
        JR_FREE char *exact = malloc(size);
        struct jr_str got = { NULL, 0 };
        struct jr_reader g;

        memset(exact, 'a', size);
        exact[0] = '"';
        assert_int_equal(read_string((struct jr_str){ exact, size }, &got), JR_SYNTAX);
        jr_reader_init(&g, (struct jr_str){ exact, size }, 0);
        g.lenient = true;
        assert_int_equal(jr_reader_skip(&g, NULL, NULL), JR_SYNTAX);
    }
}

/** Characters of each length in UTF-8 across the words' bounds, and what the writer makes of a byte
 * that has to be escaped. */
static void wide_and_escaped(void **state)
{
    static const char *const parts[] = {
        "\u00e9", "\u20ac", "\U0001f600", "\"", "\\", "\n", "\x01"
    };

    (void)state;
    for (size_t p = 0; p < JR_ARRAY_SIZE(parts); p++) {
        for (size_t n = 0; n <= LENGTH_MAX; n++) {
            JR_BUF plain = { 0 }, text = { 0 };
            JR_ARENA arena = { 0 };
            struct jr_reader g;
            struct jr_tok tok;
            struct jr_str got;

            jr_buf_init(&plain, 200);
            jr_buf_init(&text, 1000);
            for (size_t i = 0; i < n; i++)
                assert_int_equal(jr_buf_addc(&plain, 'a'), JR_OK);
            assert_int_equal(jr_buf_adds(&plain, parts[p]), JR_OK);
            assert_int_equal(jr_buf_adds(&plain, "bcdefgh"), JR_OK);
            assert_int_equal(jr_json_quote(jr_buf_str(&plain), &text), JR_OK);
            jr_reader_init(&g, jr_buf_str(&text), 0);
            assert_int_equal(jr_reader_next(&g, &tok, NULL), JR_OK);
            assert_int_equal(tok.kind, JR_TOK_STRING);
            assert_int_equal(tok.escaped, p > 2);
            assert_int_equal(jr_tok_text(&tok, &arena, &got), JR_OK);
            WANT_VIEW("read again", got, jr_buf_str(&plain));
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_byte_at_each_place),
        cmocka_unit_test(strings_without_an_end),
        cmocka_unit_test(wide_and_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
