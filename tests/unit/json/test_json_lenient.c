/* SPDX-License-Identifier: Apache-2.0 */
/* The lenient reader: what nobody asks for is passed over, whatever is in it. */
#include "common/schema/decode.h"
#include "common/schema/macros.h"
#include "tests/unit/json/json_test.h"

#define DEEP 100000

/** Texts with `a`, which is asked for, in front of and behind what is passed over. */
static const struct {
    const char *text;
    bool strict; /* a strict reader takes it, too */
} texts[] = {
    { "{\"a\":1,\"x\":{\"k\\u0000\":1},\"a\":2}", true },
    { "{\"a\":1,\"x\\u0000\":[{}],\"a\":2}", true },
    { "{\"a\":1,\"x\":{\"f:\xff\":{\"\xc0\x80\":\"\xed\xa0\x80\"}},\"a\":2}", false },
    { "{\"a\":1,\"x\":\"\xff\\\"}\",\"a\":2}", false },
    { "{\"a\":1,\"x\":[\"\\\\\",\"]\",\"\\\"]\"],\"a\":2}", true },
    { "{\"a\":1,\"x\":[\"\x01\",\"\\q\",01,tru],\"a\":2}", false },
    { "{\"a\\u0000\":7,\"a\":1,\"a\":2,\"a\\u0000b\":3}", true },
};

struct asked {
    int32_t a;
};
TYPE(asked, "Asked", INT32("a", AT(struct asked, a)));

static void the_rest_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts); i++) {
        const char *text = texts[i].text;
        struct asked v = { 0 };
        JR_ARENA arena = { 0 };

        jr_arena_init(&arena, 0);
        WANT_INT(text,
                 jr_decode(jr_str(text), &arena, false, jr_schema_decode, &asked, &v, NULL) ==
                     JR_OK,
                 texts[i].strict);
        WANT_STATUS(
            text,
            jr_decode_lenient(jr_str(text), &arena, false, jr_schema_decode, &asked, &v, NULL),
            JR_OK);
        WANT_INT(text, v.a, 2);
    }
}

static void any_depth(void **state)
{
    struct asked v = { 0 };
    JR_ARENA arena = { 0 };
    JR_BUF b = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    jr_buf_init(&b, MAX_TEXT);
    (void)jr_buf_adds(&b, "{\"x\":");
    for (int i = 0; i < DEEP; i++)
        (void)jr_buf_adds(&b, "[{\"\":");
    (void)jr_buf_adds(&b, "0");
    for (int i = 0; i < DEEP; i++)
        (void)jr_buf_adds(&b, "}]");
    (void)jr_buf_adds(&b, ",\"a\":3}");
    assert_int_equal(b.failed, JR_OK);
    assert_int_equal(
        jr_decode_lenient(jr_buf_str(&b), &arena, false, jr_schema_decode, &asked, &v, NULL),
        JR_OK);
    assert_int_equal(v.a, 3);
    b.n -= 3; /* its own end is missing */
    assert_int_equal(
        jr_decode_lenient(jr_buf_str(&b), &arena, false, jr_schema_decode, &asked, &v, NULL),
        JR_SYNTAX);
}

/** What is asked for is read as strictly as ever. */
static void tokens_are_strict(void **state)
{
    static const struct {
        const char *text;
        enum jr_status st;
    } rows[] = {
        { "\"\xff\"", JR_SYNTAX }, { "01", JR_SYNTAX },  { "\"\\q\"", JR_SYNTAX },
        { "\"\x01\"", JR_SYNTAX }, { "tru", JR_SYNTAX }, { "", JR_SYNTAX },
        { "{\"\xff\":1}", JR_OK },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_reader g;
        struct jr_tok t;

        jr_reader_init(&g, jr_str(rows[i].text), 0);
        g.lenient = true;
        WANT_STATUS(rows[i].text, jr_reader_next(&g, &t, NULL), rows[i].st);
        if (rows[i].st == JR_OK)
            WANT_STATUS(rows[i].text, jr_reader_next(&g, &t, NULL), JR_SYNTAX);
    }
}

static void a_key_with_a_nul(void **state)
{
    struct jr_arena arena;
    struct jr_reader g;
    struct jr_tok t;
    struct jr_str key;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_reader_init(&g, JR_S("{\"a\\u0000b\":1}"), 0);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_tok_text(&t, &arena, &key), JR_OK);
    assert_true(jr_str_eq(key, JR_S("a\0b")));
    jr_arena_done(&arena);
}

/** Where no value is next, the reader says so and stays. */
static void there_must_be_a_value(void **state)
{
    struct jr_reader g;
    struct jr_tok t;
    struct jr_str raw;

    (void)state;
    jr_reader_init(&g, JR_S(" {\"a\" : [ ] ,\"b\":\"x\" } "), 0);
    g.lenient = true;
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_USAGE); /* a key */
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
    WANT_VIEW("array", raw, JR_S("[ ]"));
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_USAGE);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    WANT_VIEW("key", t.raw, JR_S("b"));
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
    WANT_VIEW("string", raw, JR_S("\"x\""));
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_USAGE); /* an end */
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(t.kind, JR_TOK_OBJECT_END);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_USAGE);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(t.kind, JR_TOK_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_is_read),      cmocka_unit_test(any_depth),
        cmocka_unit_test(tokens_are_strict),     cmocka_unit_test(a_key_with_a_nul),
        cmocka_unit_test(there_must_be_a_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
