/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tests/unit/json/json_test.h"

static void prints_what_it_parsed(void **state)
{
    static const char *const rows[] = {
        "null",
        "true",
        "-0",
        "1.0",
        "1e400",
        "123456789012345678901234567890",
        "[9007199254740993,9223372036854775807,-9223372036854775808,1E+2]",
        "\"\"",
        "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"",
        "{\"b\":1,\"a\":{\"\":[]},\"B\":[{},[[]]],\"é\":\"\U0001f600\"}",
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        DOC *doc = must_parse("print", jr_str(rows[i]));
        DOC *copy = NULL;

        want_json("parsed", jr_doc_root_const(doc), rows[i]);
        assert_int_equal(jr_doc_of(jr_doc_root(doc), &copy), JR_OK);
        assert_true(jr_node_equal(jr_doc_root(doc), jr_doc_root(copy)));
        jr_doc_free(jr_steal(&doc));
        want_json("copied", jr_doc_root_const(copy), rows[i]);
    }
}

static void prints_pretty(void **state)
{
    static const char want[] = "{\n"
                               "  \"a\": 1,\n"
                               "  \"b\": [\n"
                               "    {\n"
                               "      \"c\": \"x\"\n"
                               "    },\n"
                               "    []\n"
                               "  ],\n"
                               "  \"d\": {}\n"
                               "}\n";
    DOC *doc = must_parse("pretty", JR_S("{\"a\":1,\"b\":[{\"c\":\"x\"},[]],\"d\":{}}"));
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 1000);
    assert_int_equal(jr_node_print_pretty(jr_doc_root(doc), &out), JR_OK);
    WANT_STR("pretty", out.p, want);
    out.max = out.n + 10;
    assert_int_equal(jr_node_print(jr_doc_root(doc), &out), JR_LIMIT);
}

static void reads(void **state)
{
    DOC *doc = must_parse(
        "reads",
        JR_S(
            "{\"s\":\"a\\u0000b\",\"n\":-7,\"f\":1.0,\"big\":9223372036854775808,\"t\":true,\"x\":"
            "null,"
            "\"o\":{\"p\":{\"q\":\"deep\"}},\"l\":[10,20,30,40,50],\"S\":\"other\",\"no\":false}"));
    struct jr_node *root = jr_doc_root(doc), *c;
    int64_t v = 0;
    size_t n = 0;

    (void)state;
    assert_int_equal(jr_node_kind(root), JR_OBJECT);
    assert_int_equal(jr_size(root), 10);
    WANT_VIEW("s", jr_get_str(root, "s"), ((struct jr_str){ "a\0b", 3 }));
    WANT_VIEW("S", jr_get_str(root, "S"), JR_S("other"));
    assert_null(jr_get_str(root, "n").p);
    assert_null(jr_get_str(root, "none").p);
    assert_int_equal(jr_node_i64(jr_get(root, "n"), &v), JR_OK);
    assert_int_equal(v, -7);
    WANT_VIEW("f", jr_node_number(jr_get(root, "f")), JR_S("1.0"));
    assert_null(jr_node_number(jr_get(root, "s")).p);
    assert_int_equal(jr_node_i64(jr_get(root, "f"), &v), JR_TYPE);
    assert_int_equal(jr_node_i64(jr_get(root, "s"), &v), JR_TYPE);
    assert_int_equal(jr_node_i64(NULL, &v), JR_TYPE);
    assert_int_equal(jr_node_i64(jr_get(root, "big"), &v), JR_RANGE);
    assert_int_equal(v, -7);
    assert_int_equal(jr_node_i64_or(jr_get(root, "big"), 5), 5);
    assert_int_equal(jr_node_i64_or(jr_get(root, "n"), 5), -7);
    assert_true(jr_node_bool_or(jr_get(root, "t"), false));
    assert_false(jr_node_bool_or(jr_get(root, "no"), true));
    assert_true(jr_node_bool_or(jr_get(root, "none"), true));
    assert_false(jr_node_bool_or(jr_get(root, "s"), false));
    assert_true(jr_unset(jr_get(root, "x")));
    assert_true(jr_unset(jr_get(root, "none")));
    assert_false(jr_unset(jr_get(root, "no")));
    WANT_VIEW("path", jr_node_str(jr_path(root, "o.p.q")), JR_S("deep"));
    assert_null(jr_path(root, "o.p.q.r"));
    assert_null(jr_path(root, "o..q"));
    assert_null(jr_path(NULL, "o"));
    assert_null(jr_get(jr_get(jr_get(NULL, "a"), "b"), "c"));
    assert_null(jr_get(jr_get(root, "l"), "0"));
    assert_null(jr_getn(root, JR_S("l\0")));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(jr_node_i64_or(jr_at(jr_get(root, "l"), i), 0), 10 * (int64_t)(i + 1));
    assert_null(jr_at(jr_get(root, "l"), 5));
    assert_null(jr_at(root, 0));
    for (c = jr_first(jr_get(root, "l")); c != NULL; c = jr_next(c), n++)
        assert_null(jr_key(c).p);
    assert_int_equal(n, 5);
    WANT_VIEW("key", jr_key(jr_first(root)), JR_S("s"));
    assert_null(jr_key(root).p);
    assert_null(jr_first(jr_get(root, "s")));
    assert_null(jr_next(NULL));
    assert_int_equal(jr_size(NULL), 0);
    assert_int_equal(jr_size(jr_get(root, "s")), 0);
    assert_int_equal(jr_node_kind(NULL), JR_NULL);
}

static const struct {
    const char *name;
    const char *a, *b;
    bool equal;
} equals[] = {
    { "null", "null", "null", true },
    { "kinds", "null", "false", false },
    { "booleans", "true", "false", false },
    { "order of members", "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true },
    { "order of elements", "[1,2]", "[2,1]", false },
    { "more members", "{\"a\":1}", "{\"a\":1,\"b\":1}", false },
    { "other key", "{\"a\":1,\"b\":1}", "{\"a\":1,\"c\":1}", false },
    { "other key, other order", "{\"x\":0,\"a\":1,\"b\":1}", "{\"b\":1,\"x\":0,\"c\":1}", false },
    { "case", "{\"a\":1}", "{\"A\":1}", false },
    { "escapes", "\"\\u0041\"", "\"A\"", true },
    { "keys with U+0000", "{\"a\\u0000b\":1}", "{\"a\\u0000c\":1}", false },
    { "keys with U+0000, in another order", "{\"a\\u0000b\":1,\"a\":2}",
      "{\"a\":2,\"a\\u0000b\":1}", true },
    { "strings with U+0000", "\"a\\u0000b\"", "\"a\\u0000c\"", false },
    { "number and string", "1", "\"1\"", false },
    { "integers", "9007199254740993", "9007199254740992", false },
    { "minus zero", "-0", "0", true },
    { "fraction", "1.0", "1", false },
    { "same text", "1.50", "1.50", true },
    { "huge", "123456789012345678901234567890", "123456789012345678901234567890", true },
    { "empty containers", "{}", "[]", false },
    { "null and absent", "{\"a\":null}", "{}", false },
};

static void compares(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(equals); i++) {
        DOC *a = must_parse(equals[i].name, jr_str(equals[i].a));
        DOC *b = must_parse(equals[i].name, jr_str(equals[i].b));

        WANT_INT(equals[i].name, jr_node_equal(jr_doc_root(a), jr_doc_root(b)), equals[i].equal);
        WANT_INT(equals[i].name, jr_node_equal(jr_doc_root(b), jr_doc_root(a)), equals[i].equal);
        assert_true(jr_node_equal(jr_doc_root(a), jr_doc_root(a)));
        assert_false(jr_node_equal(jr_doc_root(a), NULL));
    }
    assert_true(jr_node_equal(NULL, NULL));
}

static void builds(void **state)
{
    DOC *doc = NULL;
    struct jr_node *root, *o, *l;

    (void)state;
    assert_int_equal(jr_doc_new(&doc), JR_OK);
    root = jr_doc_root(doc);
    want_json("new", root, "{}");
    assert_int_equal(jr_set_str(root, "s", JR_S("a\"b")), JR_OK);
    assert_int_equal(jr_set_strn(root, JR_S("t"), (struct jr_str){ "\0", 1 }), JR_OK);
    assert_int_equal(jr_set_str(root, "e", (struct jr_str){ NULL, 0 }), JR_OK);
    assert_int_equal(jr_set_i64(root, "min", INT64_MIN), JR_OK);
    assert_int_equal(jr_set_i64(root, "max", INT64_MAX), JR_OK);
    assert_int_equal(jr_set_bool(root, "b", true), JR_OK);
    assert_int_equal(jr_set_null(root, "n"), JR_OK);
    assert_int_equal(jr_set_object(root, "o", &o), JR_OK);
    assert_int_equal(jr_set_array(o, "l", &l), JR_OK);
    assert_int_equal(jr_push_str(l, JR_S("x")), JR_OK);
    assert_int_equal(jr_push_object(l, NULL), JR_OK);
    want_json("built", root,
              "{\"s\":\"a\\\"b\",\"t\":\"\\u0000\",\"e\":\"\",\"min\":-9223372036854775808,"
              "\"max\":9223372036854775807,\"b\":true,\"n\":null,\"o\":{\"l\":[\"x\",{}]}}");
    assert_int_equal(jr_set_i64(l, "a", 1), JR_TYPE);
    assert_int_equal(jr_push_str(root, JR_S("x")), JR_TYPE);
    assert_int_equal(jr_set_bool(NULL, "a", true), JR_TYPE);
    assert_int_equal(jr_insert_copy(root, 0, l, NULL), JR_TYPE);
    WANT_VIEW("set strings are copied", jr_get_str(root, "s"), JR_S("a\"b"));
    assert_null(jr_first(jr_get(root, "s")));
}

/* Both on what was parsed and on what was added. */
static void changes(void **state)
{
    DOC *doc =
        must_parse("changes", JR_S("{\"a\":1,\"b\":{\"c\":[1,2,3]},\"d\":\"x\",\"z\":null}"));
    struct jr_node *root = jr_doc_root(doc), *n, *l;
    bool was;

    (void)state;
    assert_int_equal(jr_set_str(root, "a", JR_S("first")), JR_OK);
    want_json("replaced in its place", root,
              "{\"a\":\"first\",\"b\":{\"c\":[1,2,3]},\"d\":\"x\",\"z\":null}");
    assert_int_equal(jr_set_str(root, "a", jr_get_str(root, "a")), JR_OK); /* from itself */
    assert_int_equal(jr_set_copy(root, JR_S("d"), jr_path(root, "b.c"), &n), JR_OK);
    assert_ptr_equal(n, jr_get(root, "d"));
    l = jr_path(root, "b.c");
    jr_remove_child(l, jr_at(l, 1));
    assert_int_equal(jr_insert_copy(l, 0, jr_get(root, "a"), &n), JR_OK);
    assert_ptr_equal(n, jr_at(l, 0));
    assert_int_equal(jr_insert_copy(l, 3, NULL, NULL), JR_OK);
    assert_int_equal(jr_insert_copy(l, 2, n, NULL), JR_OK);
    assert_int_equal(jr_insert_copy(l, 6, n, NULL), JR_RANGE);
    want_json("array", l, "[\"first\",1,\"first\",3,null]");
    want_json("the copy stays", jr_get(root, "d"), "[1,2,3]");
    jr_remove(root, JR_S("a"), &was);
    assert_true(was);
    jr_remove(root, JR_S("a"), &was);
    assert_false(was);
    jr_remove(l, JR_S("a"), NULL);
    assert_int_equal(jr_ensure_object(root, "b", &n), JR_OK);
    assert_ptr_equal(n, jr_get(root, "b"));
    assert_int_equal(jr_ensure_object(root, "d", &n), JR_TYPE);
    assert_int_equal(jr_ensure_array(root, "d", NULL), JR_OK);
    assert_int_equal(jr_ensure_object(root, "z", NULL), JR_OK);
    assert_int_equal(jr_ensure_array(root, "y", &n), JR_OK);
    assert_int_equal(jr_ensure_array(l, "y", &n), JR_TYPE);
    want_json("ensured", root,
              "{\"b\":{\"c\":[\"first\",1,\"first\",3,null]},\"d\":[1,2,3],\"z\":{},\"y\":[]}");
    assert_int_equal(jr_size(root), 4);
}

static void assigns(void **state)
{
    DOC *doc = must_parse("assigns", JR_S("{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"k\":2}"));
    struct jr_node *root = jr_doc_root(doc), *b = jr_path(root, "a.b");

    (void)state;
    assert_int_equal(jr_node_assign(jr_get(root, "k"), b), JR_OK);
    want_json("a member keeps its key", root,
              "{\"a\":{\"b\":[1,{\"c\":\"x\"}]},\"k\":[1,{\"c\":\"x\"}]}");
    assert_int_equal(jr_node_assign(b, jr_at(b, 1)), JR_OK); /* from inside */
    want_json("inside", root, "{\"a\":{\"b\":{\"c\":\"x\"}},\"k\":[1,{\"c\":\"x\"}]}");
    assert_int_equal(jr_node_assign(root, jr_get(root, "k")), JR_OK);
    want_json("root", root, "[1,{\"c\":\"x\"}]");
    assert_int_equal(jr_push_str(root, JR_S("y")), JR_OK);
    assert_int_equal(jr_node_assign(root, NULL), JR_OK);
    want_json("null", jr_doc_root(doc), "null");
}

static void links_hold(void **state)
{
    DOC *doc = must_parse("links", JR_S("{\"l\":[0,1,2,3,4,5,6,7,8,9]}"));
    struct jr_node *l = jr_get(jr_doc_root(doc), "l");

    (void)state;
    jr_remove_child(l, jr_at(l, 9));
    jr_remove_child(l, jr_at(l, 0));
    jr_remove_child(l, jr_at(l, 4));
    assert_int_equal(jr_push_str(l, JR_S("ten")), JR_OK);
    want_json("ends", l, "[1,2,3,4,6,7,8,\"ten\"]");
    for (size_t i = 0; i < 8; i++)
        assert_non_null(jr_at(l, i));
    while (jr_size(l) > 0)
        jr_remove_child(l, jr_at(l, jr_size(l) / 2));
    want_json("emptied", l, "[]");
    assert_int_equal(jr_push_str(l, JR_S("one")), JR_OK);
    jr_remove_child(l, jr_at(l, 0));
    assert_int_equal(jr_insert_copy(l, 0, NULL, NULL), JR_OK);
    want_json("begun again", l, "[null]");
}

/* Would take minutes if anything were quadratic. */
static void many_members(void **state)
{
    enum { N = 200000 };
    JR_BUF text = { 0 };
    JR_BUF back = { 0 };
    DOC *a = NULL;
    DOC *b = NULL;

    (void)state;
    jr_buf_init(&text, MAX_TEXT);
    jr_buf_init(&back, MAX_TEXT);
    jr_buf_addc(&text, '{');
    jr_buf_addc(&back, '{');
    for (int i = 0; i < N; i++) {
        jr_buf_addf(&text, "%s\"some-prefix-%d-suffix\":[%d]", i == 0 ? "" : ",", i, i);
        jr_buf_addf(&back, "%s\"some-prefix-%d-suffix\":[%d]", i == 0 ? "" : ",", N - 1 - i,
                    N - 1 - i);
    }
    jr_buf_addc(&text, '}');
    jr_buf_addc(&back, '}');
    a = must_parse("many", jr_buf_str(&text));
    b = must_parse("many", jr_buf_str(&back));
    assert_int_equal(jr_size(jr_doc_root(a)), N);
    assert_true(jr_node_equal(jr_doc_root(a), jr_doc_root(b)));
    want_json("many", jr_doc_root(b), back.p);
}

/* A key is its bytes, U+0000 among them: in a few members, in many (which are looked up by an
 * index), when one is put in, and when the whole is copied. */
static void keys_with_nul(void **state)
{
    static const size_t sizes[] = { 0, 100 };

    (void)state;
    for (size_t s = 0; s < JR_ARRAY_SIZE(sizes); s++) {
        JR_BUF text = { 0 };
        DOC *doc = NULL;
        DOC *copy = NULL;
        struct jr_node *root;

        jr_buf_init(&text, MAX_TEXT);
        jr_buf_add(&text, JR_S("{\"a\":1,\"a\\u0000\":2,\"a\\u0000b\":3"));
        for (size_t i = 0; i < sizes[s]; i++)
            jr_buf_addf(&text, ",\"k\\u0000%zu\":%zu", i, i);
        jr_buf_addc(&text, '}');
        doc = must_parse("keys", jr_buf_str(&text));
        root = jr_doc_root(doc);
        want_json("keys", root, text.p);
        assert_int_equal(jr_node_i64_or(jr_get(root, "a"), 0), 1);
        assert_int_equal(jr_node_i64_or(jr_getn(root, (struct jr_str){ "a\0", 2 }), 0), 2);
        assert_int_equal(jr_node_i64_or(jr_getn(root, (struct jr_str){ "a\0b", 3 }), 0), 3);
        assert_null(jr_getn(root, (struct jr_str){ "a\0c", 3 }));
        WANT_VIEW("the key", jr_key(jr_next(jr_first(root))), ((struct jr_str){ "a\0", 2 }));
        assert_int_equal(jr_set_strn(root, (struct jr_str){ "a\0c", 3 }, JR_S("")), JR_OK);
        assert_int_equal(jr_size(root), 4 + sizes[s]);
        assert_int_equal(jr_doc_of(root, &copy), JR_OK);
        assert_true(jr_node_equal(jr_doc_root(copy), root));
        assert_int_equal(jr_set_strn(root, (struct jr_str){ "a\0c", 3 }, JR_S("x")), JR_OK);
        assert_int_equal(jr_size(root), 4 + sizes[s]);
        assert_false(jr_node_equal(jr_doc_root(copy), root));
    }
}

/* Texts of the parsed document and those that were put in later, at any depth; keys stay. */
static void wipes(void **state)
{
    static const char text[] = "{\"a\":\"secret\",\"b\":[{\"c\":\"hidden\"}],\"n\":12345678901234}";
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_str was[3];

    (void)state;
    assert_int_equal(jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, NULL), JR_OK);
    assert_int_equal(jr_set_str(jr_doc_root(doc), "d", JR_S("later")), JR_OK);
    was[0] = jr_get_str(jr_doc_root(doc), "a");
    was[1] = jr_get_str(jr_at(jr_get(jr_doc_root(doc), "b"), 0), "c");
    was[2] = jr_get_str(jr_doc_root(doc), "d");
    jr_node_wipe(jr_doc_root(doc));
    jr_node_wipe(NULL);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(was[i].n, i == 2 ? 5 : 6);
        for (size_t k = 0; k < was[i].n; k++)
            assert_int_equal(was[i].p[k], 0);
    }
    assert_non_null(jr_get(jr_doc_root(doc), "d"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_what_it_parsed),
        cmocka_unit_test(wipes),
        cmocka_unit_test(prints_pretty),
        cmocka_unit_test(reads),
        cmocka_unit_test(compares),
        cmocka_unit_test(builds),
        cmocka_unit_test(changes),
        cmocka_unit_test(assigns),
        cmocka_unit_test(links_hold),
        cmocka_unit_test(many_members),
        cmocka_unit_test(keys_with_nul),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
