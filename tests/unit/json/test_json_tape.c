/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that are built of noted tokens are those that the texts give. */
#include "tests/unit/json/json_test.h"

/* The tape of the member "v" of text. */
static struct jr_tape tape_of(const char *text, struct jr_arena *arena)
{
    struct jr_tape tape = { .values = 0 };
    struct jr_reader reader;
    struct jr_tok tok;

    jr_reader_init(&reader, jr_str(text), 0);
    do
        assert_int_equal(jr_reader_next(&reader, &tok, NULL), JR_OK);
    while (tok.kind != JR_TOK_KEY || !jr_str_is(tok.raw, "v"));
    assert_int_equal(jr_tape_read(&reader, arena, &tape, NULL), JR_OK);
    assert_int_equal(jr_reader_next(&reader, &tok, NULL), JR_OK);
    assert_int_equal(tok.kind, JR_TOK_OBJECT_END);
    return tape;
}

static void builds_what_it_read(void **state)
{
    static const struct {
        const char *text, *value;
        size_t values;
    } rows[] = {
        { "{\"a\":[1],\"v\": 1.50 }", "1.50", 1 },
        { "{\"v\":\"\\u00e9\\\"\\u0000\"}", "\"\303\251\\\"\\u0000\"", 1 },
        { "{\"v\" : { \"a\" : [ true, false, null, {} ], \"b\\n\" : \"c\" } }",
          "{\"a\":[true,false,null,{}],\"b\\n\":\"c\"}", 7 },
        { "{\"v\":[]}", "[]", 1 },
    };
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA arena = { 0 };
        struct jr_tape tape = tape_of(rows[i].text, &arena);
        DOC *doc = NULL;

        WANT_INT(rows[i].text, tape.values, rows[i].values);
        assert_int_equal(jr_doc_build(&tape, &opts, &doc, NULL), JR_OK);
        want_json(rows[i].text, jr_doc_root(doc), rows[i].value);
    }
}

static void null_is_absent(void **state)
{
    JR_ARENA arena = { 0 };
    struct jr_tape tape = tape_of("{\"v\":null}", &arena);

    (void)state;
    assert_null(tape.text.p);
}

/* As many as need several blocks; and no more memory than eight bytes for each of the text. */
static void holds_many(void **state)
{
    enum { MANY = 20000 };
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT };
    JR_ARENA arena = { 0 };
    JR_BUF text = { 0 };
    struct jr_tape tape;
    DOC *doc = NULL;

    (void)state;
    jr_buf_init(&text, MAX_TEXT);
    (void)jr_buf_adds(&text, "{\"v\":[0");
    for (int i = 0; i < MANY; i++)
        (void)jr_buf_adds(&text, ",[[[[]]]]");
    (void)jr_buf_adds(&text, "]}");
    assert_int_equal(text.failed, JR_OK);
    tape = tape_of(text.p, &arena);
    assert_in_range(arena.used, 1, 8 * text.n + ((size_t)20 << 10));
    assert_int_equal(jr_doc_build(&tape, &opts, &doc, NULL), JR_OK);
    want_json("many", jr_doc_root(doc),
              jr_arena_printf(&arena, "%.*s", (int)tape.text.n, tape.text.p));
}

/* What is left out of the tree is checked all the same. */
static void leaves_out(void **state)
{
    static const struct {
        const char *text, *value; /* of an error its path */
    } rows[] = {
        { "{\"v\":{\"metadata\":{\"a\":1,\"managedFields\":[{\"b\":[2]}],\"c\":{}},\"d\":3}}",
          "{\"metadata\":{\"a\":1,\"c\":{}},\"d\":3}" },
        { "{\"v\":{\"metadata\":{\"m\\u0061nagedFields\":1}}}", "{\"metadata\":{}}" },
        { "{\"v\":{\"managedFields\":1,\"spec\":{\"managedFields\":{}},"
          "\"metadata\":[{\"managedFields\":2}]}}",
          "{\"managedFields\":1,\"spec\":{\"managedFields\":{}},"
          "\"metadata\":[{\"managedFields\":2}]}" },
        { "{\"v\":[{\"managedFields\":1}]}", "[{\"managedFields\":1}]" },
        { "{\"v\":{\"metadata\":{\"managedFields\":[{\"a\":1,\"\\u0061\":2}]}}}",
          "metadata.managedFields[0].a" },
        { "{\"v\":{\"metadata\":{\"managedFields\":1,\"managedFields\":[]}}}",
          "metadata.managedFields" },
    };
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT,
                                         .leave_out = { "metadata", "managedFields" } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA arena = { 0 };
        struct jr_tape tape = tape_of(rows[i].text, &arena);
        struct jr_error err = { .status = JR_OK };
        DOC *doc = NULL;
        enum jr_status st = jr_doc_build(&tape, &opts, &doc, &err);

        if (st == JR_OK) {
            want_json(rows[i].text, jr_doc_root(doc), rows[i].value);
            continue;
        }
        WANT_STATUS(rows[i].text, st, JR_INVALID);
        WANT_STR(rows[i].text, err.path, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builds_what_it_read),
        cmocka_unit_test(null_is_absent),
        cmocka_unit_test(holds_many),
        cmocka_unit_test(leaves_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
