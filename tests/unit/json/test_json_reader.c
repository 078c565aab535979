/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tests/unit/json/json_test.h"

/* A string literal that may hold NUL bytes. */
#define TEXT(lit)            \
    {                        \
        lit, sizeof(lit) - 1 \
    }

static const struct {
    const char *name;
    struct jr_str text;
} right[] = {
    { "null", TEXT("null") },
    { "true", TEXT("true") },
    { "false", TEXT("false") },
    { "space around", TEXT(" \t\r\n1 \t\r\n") },
    { "zero", TEXT("0") },
    { "negative zero", TEXT("-0") },
    { "fraction", TEXT("-0.10") },
    { "exponents", TEXT("[1e5,1E+5,1.5e-05,0e0]") },
    { "beyond a double", TEXT("1e400") },
    { "beyond 64 bits", TEXT("123456789012345678901234567890") },
    { "empty string", TEXT("\"\"") },
    { "all escapes", TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"") },
    { "a pair of surrogates", TEXT("\"\\ud83d\\ude00\"") },
    { "half a pair", TEXT("\"\\ud83d\"") },
    { "U+0000 in a string", TEXT("\"\\u0000\"") },
    { "U+0000 in keys", TEXT("{\"a\\u0000\":1,\"a\\u0000b\":2,\"a\":3}") },
    { "U+007F", TEXT("\"\x7f\"") },
    { "two bytes, least and most", TEXT("\"\xc2\x80\xdf\xbf\"") },
    { "three bytes, least and most", TEXT("\"\xe0\xa0\x80\xef\xbf\xbf\"") },
    { "around the surrogates", TEXT("\"\xed\x9f\xbf\xee\x80\x80\"") },
    { "four bytes, least and most", TEXT("\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"") },
    { "BOM inside a string", TEXT("\"\xef\xbb\xbf\"") },
    { "empty object", TEXT("{}") },
    { "empty array", TEXT("[ ]") },
    { "nested", TEXT("{\"a\" : [ { } , [ 1 , \"x\" ] , null ] , \"b\" : { \"c\" : true } }") },
    { "keys that differ by case", TEXT("{\"a\":1,\"A\":2}") },
    { "the empty key", TEXT("{\"\":1}") },
    { "equal keys in different objects",
      TEXT("{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}") },
};

static void accepts(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(right); i++) {
        struct jr_reader_opts opts = JR_READER_STRICT;
        struct jr_error err = { 0 };
        enum jr_status st = jr_json_check(right[i].text, &opts, &err);
        DOC *doc = NULL;

        if (st != JR_OK)
            fail_msg("%s: %s", right[i].name, err.msg);
        WANT_STATUS(right[i].name, jr_doc_parse(right[i].text, &opts, &doc, &err), JR_OK);
    }
}

static const struct {
    const char *name;
    struct jr_str text;
    const char *msg;
    enum jr_status st;
} wrong[] = {
    { "nothing", TEXT(""), "line 1, column 1: unexpected end of the text", JR_SYNTAX },
    { "only space", TEXT(" \n "), "line 2, column 2: unexpected end of the text", JR_SYNTAX },
    { "BOM", TEXT("\xef\xbb\xbf{}"), "line 1, column 1: expected a value (byte order mark?)",
      JR_SYNTAX },
    { "text behind", TEXT("{} x"), "line 1, column 4: text after the value", JR_SYNTAX },
    { "NUL behind", TEXT("{}\0"), "line 1, column 3: text after the value", JR_SYNTAX },
    { "second value", TEXT("1\n2"), "line 2, column 1: text after the value", JR_SYNTAX },
    { "leading zero", TEXT("[01]"), "line 1, column 2: number with a leading zero", JR_SYNTAX },
    { "negative leading zero", TEXT("-00"), "line 1, column 2: number with a leading zero",
      JR_SYNTAX },
    { "plus", TEXT("+1"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "no digit before the point", TEXT(".5"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "no digit behind the point", TEXT("[1.]"),
      "line 1, column 4: expected a digit after the point", JR_SYNTAX },
    { "no digit in the exponent", TEXT("[1e+]"),
      "line 1, column 5: expected a digit in the exponent", JR_SYNTAX },
    { "minus alone", TEXT("[-]"), "line 1, column 3: expected a digit", JR_SYNTAX },
    { "minus at the end", TEXT("-"), "line 1, column 2: unexpected end of the text", JR_SYNTAX },
    { "hex", TEXT("0x10"), "line 1, column 2: text after the value", JR_SYNTAX },
    { "infinity", TEXT("Infinity"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "literal cut off", TEXT("tru"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "literal too long", TEXT("nulll"), "line 1, column 5: text after the value", JR_SYNTAX },
    { "literal in capitals", TEXT("True"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "open string", TEXT("\"abc"), "line 1, column 5: unexpected end of the text", JR_SYNTAX },
    { "string ends in a backslash", TEXT("\"abc\\"), "line 1, column 5: invalid escape in a string",
      JR_SYNTAX },
    { "single quotes", TEXT("'a'"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "unknown escape", TEXT("\"\\x41\""), "line 1, column 2: invalid escape in a string",
      JR_SYNTAX },
    { "short hex", TEXT("\"\\u12\""), "line 1, column 2: invalid escape in a string", JR_SYNTAX },
    { "no hex", TEXT("\"\\u12g4\""), "line 1, column 2: invalid escape in a string", JR_SYNTAX },
    { "new line in a string", TEXT("\"a\nb\""), "line 1, column 3: control character in a string",
      JR_SYNTAX },
    { "NUL in a string", TEXT("\"a\0b\""), "line 1, column 3: control character in a string",
      JR_SYNTAX },
    { "tab in a long string", TEXT("\"0123456789abcdef\t\""),
      "line 1, column 18: control character in a string", JR_SYNTAX },
    { "form feed as space", TEXT("[\f]"), "line 1, column 2: expected a value", JR_SYNTAX },
    { "UTF-8: lone continuation", TEXT("\"\x80\""), "line 1, column 2: invalid UTF-8 in a string",
      JR_SYNTAX },
    { "UTF-8: overlong, two bytes", TEXT("\"\xc0\xaf\""),
      "line 1, column 2: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: overlong, C1", TEXT("\"\xc1\xbf\""), "line 1, column 2: invalid UTF-8 in a string",
      JR_SYNTAX },
    { "UTF-8: overlong, three bytes", TEXT("\"\xe0\x9f\xbf\""),
      "line 1, column 2: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: overlong, four bytes", TEXT("\"\xf0\x8f\xbf\xbf\""),
      "line 1, column 2: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: surrogate", TEXT("\"\xed\xa0\x80\""), "line 1, column 2: invalid UTF-8 in a string",
      JR_SYNTAX },
    { "UTF-8: past U+10FFFF", TEXT("\"\xf4\x90\x80\x80\""),
      "line 1, column 2: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: F5", TEXT("\"\xf5\x80\x80\x80\""), "line 1, column 2: invalid UTF-8 in a string",
      JR_SYNTAX },
    { "UTF-8: cut by the quote", TEXT("\"\xe2\x82\""),
      "line 1, column 2: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: cut by the end", TEXT("\"abcdefgh\xf0\x9f\x98"),
      "line 1, column 10: invalid UTF-8 in a string", JR_SYNTAX },
    { "UTF-8: in a key", TEXT("{\"\xff\":1}"), "line 1, column 3: invalid UTF-8 in a string",
      JR_SYNTAX },
    { "comma at the end of an array", TEXT("[1,]"), "line 1, column 4: expected a value",
      JR_SYNTAX },
    { "comma at the end of an object", TEXT("{\"a\":1,}"), "line 1, column 8: expected a key",
      JR_SYNTAX },
    { "comma first", TEXT("[,1]"), "line 1, column 2: expected a value", JR_SYNTAX },
    { "two commas", TEXT("[1,,2]"), "line 1, column 4: expected a value", JR_SYNTAX },
    { "no comma", TEXT("[1 2]"), "line 1, column 4: expected ',' or ']'", JR_SYNTAX },
    { "no comma in an object", TEXT("{\"a\":1 \"b\":2}"), "line 1, column 8: expected ',' or '}'",
      JR_SYNTAX },
    { "no colon", TEXT("{\"a\" 1}"), "line 1, column 6: expected ':'", JR_SYNTAX },
    { "no value", TEXT("{\"a\":}"), "line 1, column 6: expected a value", JR_SYNTAX },
    { "a number as key", TEXT("{1:2}"), "line 1, column 2: expected a key or '}'", JR_SYNTAX },
    { "wrong end of an array", TEXT("[1}"), "line 1, column 3: expected ',' or ']'", JR_SYNTAX },
    { "wrong end of an object", TEXT("{]"), "line 1, column 2: expected a key or '}'", JR_SYNTAX },
    { "end without a beginning", TEXT("]"), "line 1, column 1: expected a value", JR_SYNTAX },
    { "comment", TEXT("[/**/1]"), "line 1, column 2: expected a value", JR_SYNTAX },
    { "position", TEXT("{\n  \"a\": 1,\r\n  \"b\": ?\n}"), "line 3, column 8: expected a value",
      JR_SYNTAX },
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(wrong); i++) {
        struct jr_reader_opts opts = JR_READER_STRICT;
        struct jr_error err = { 0 };
        struct jr_doc *doc = NULL;

        WANT_STATUS(wrong[i].name, jr_json_check(wrong[i].text, &opts, &err), wrong[i].st);
        WANT_STR(wrong[i].name, err.msg, wrong[i].msg);
        WANT_STATUS(wrong[i].name, jr_doc_parse(wrong[i].text, &opts, &doc, &err), wrong[i].st);
        assert_null(doc);
        WANT_STATUS(wrong[i].name, jr_json_check(wrong[i].text, &opts, NULL), wrong[i].st);
    }
}

/* Every place of a string is looked at, whatever the alignment and the length. */
static void finds_bad_bytes_anywhere(void **state)
{
    static const char bad[] = { '\0', '\x1f', '\n', '\x80', '\xff', '\xc0' };

    (void)state;
    for (size_t n = 1; n < 40; n++) {
        for (size_t at = 0; at < n; at++) {
            char text[64];
            struct jr_reader_opts opts = JR_READER_STRICT;

            memset(text, 'x', sizeof(text));
            text[0] = text[n + 1] = '"';
            assert_int_equal(jr_json_check((struct jr_str){ text, n + 2 }, &opts, NULL), JR_OK);
            for (size_t b = 0; b < sizeof(bad); b++) {
                text[at + 1] = bad[b];
                assert_int_equal(jr_json_check((struct jr_str){ text, n + 2 }, &opts, NULL),
                                 JR_SYNTAX);
            }
            text[at + 1] = '"';
            assert_int_equal(jr_json_check((struct jr_str){ text, at + 2 }, &opts, NULL), JR_OK);
        }
    }
}

static void depth(void **state)
{
    static const unsigned limits[] = { 0, 1, 7, 100, 511, 512, 9999 };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(limits); i++) {
        struct jr_reader_opts opts = { .max_depth = limits[i] };
        unsigned max = limits[i] == 0 ? 100 : limits[i] > 512 ? 512 : limits[i];
        char text[2000];
        struct jr_error err = { 0 };
        DOC *doc = NULL;

        for (unsigned d = max; d <= max + 1; d++) {
            for (unsigned k = 0; k < d; k++) {
                text[k] = '[';
                text[d + k] = ']';
            }
            assert_int_equal(jr_json_check((struct jr_str){ text, (size_t)2 * d }, &opts, &err),
                             d == max ? JR_OK : JR_LIMIT);
        }
        assert_int_equal(
            jr_doc_parse((struct jr_str){ text, (size_t)2 * (max + 1) }, &opts, &doc, &err),
            JR_LIMIT);
    }
}

static void size(void **state)
{
    struct jr_reader_opts opts = { .max_bytes = 4 };
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(jr_json_check(JR_S("true"), &opts, &err), JR_OK);
    assert_int_equal(jr_json_check(JR_S("true "), &opts, &err), JR_LIMIT);
    WANT_STR("size", err.msg, "5 bytes, more than 4");
    /* Before anything is parsed. */
    assert_int_equal(jr_json_check(JR_S("[[[[["), &opts, &err), JR_LIMIT);
    opts.max_bytes = 0;
    assert_int_equal(jr_json_check(JR_S("[[[[[]]]]]"), &opts, &err), JR_OK);
    opts.max_values = 3;
    assert_int_equal(jr_json_check(JR_S("[1,{}]"), &opts, &err), JR_OK);
    assert_int_equal(jr_json_check(JR_S("[1,{},1]"), &opts, &err), JR_LIMIT);
    WANT_STR("values", err.msg, "more than 3 values");
}

static const struct {
    const char *name;
    const char *text;
    const char *first; /* the path in the error under JR_DUP_REJECT */
    const char *all;   /* the paths reported under JR_DUP_LAST */
    const char *tree;  /* what remains then */
} duplicates[] = {
    { "top", "{\"a\":1,\"b\":2,\"a\":3}", "a", "a;", "{\"b\":2,\"a\":3}" },
    { "three", "{\"a\":1,\"a\":2,\"a\":3}", "a", "a;", "{\"a\":3}" },
    { "escaped", "{\"a\":1,\"\\u0061\":2}", "a", "a;", "{\"a\":2}" },
    { "nested",
      "{\"spec\":{\"template\":{\"containers\":[{},{\"name\":1,\"x\":{},\"name\":[2]}]}}}",
      "spec.template.containers[1].name", "spec.template.containers[1].name;",
      "{\"spec\":{\"template\":{\"containers\":[{},{\"x\":{},\"name\":[2]}]}}}" },
    { "several, in order", "{\"z\":1,\"a\":1,\"a\":2,\"z\":2}", "a", "a;z;", "{\"a\":2,\"z\":2}" },
    { "in what is dropped", "{\"a\":{\"b\":1,\"b\":2},\"a\":0}", "a.b", "a.b;a;", "{\"a\":0}" },
    { "empty key", "{\"\":1,\"\":2}", "", ";", "{\"\":2}" },
    { "array at the root", "[[{\"k\":1,\"k\":2}]]", "[0][0].k", "[0][0].k;", "[[{\"k\":2}]]" },
    { "same ends", "{\"abcdefgh1hgfedcba\":1,\"abcdefgh2hgfedcba\":2,\"abcdefgh1hgfedcba\":3}",
      "abcdefgh1hgfedcba", "abcdefgh1hgfedcba;",
      "{\"abcdefgh2hgfedcba\":2,\"abcdefgh1hgfedcba\":3}" },
};

static void note(void *ctx, const char *path)
{
    jr_buf_addf(ctx, "%s;", path);
}

static void refuses_or_reports_duplicates(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(duplicates); i++) {
        struct jr_str text = jr_str(duplicates[i].text);
        JR_BUF seen = { 0 };
        struct jr_reader_opts opts = JR_READER_STRICT;
        struct jr_error err = { 0 };
        DOC *doc = NULL;

        WANT_STATUS(duplicates[i].name, jr_json_check(text, &opts, &err), JR_INVALID);
        WANT_STR(duplicates[i].name, err.path, duplicates[i].first);
        WANT_STR(duplicates[i].name, err.msg, "duplicate key");
        WANT_STATUS(duplicates[i].name, jr_doc_parse(text, &opts, &doc, &err), JR_INVALID);
        jr_buf_init(&seen, 10000);
        opts = JR_READER_LENIENT;
        opts.on_dup = note;
        opts.ctx = &seen;
        WANT_STATUS(duplicates[i].name, jr_json_check(text, &opts, &err), JR_OK);
        WANT_STR(duplicates[i].name, seen.p, duplicates[i].all);
        jr_buf_reset(&seen);
        WANT_STATUS(duplicates[i].name, jr_doc_parse(text, &opts, &doc, &err), JR_OK);
        WANT_STR(duplicates[i].name, seen.p, duplicates[i].all);
        want_json(duplicates[i].name, jr_doc_root(doc), duplicates[i].tree);
    }
}

/* The number of members at which sorting takes the place of comparing pairs lies somewhere in here.
 */
static void duplicates_in_objects_of_any_size(void **state)
{
    (void)state;
    for (int n = 2; n < 80; n++) {
        JR_BUF text = { 0 };
        struct jr_reader_opts opts = JR_READER_STRICT;
        struct jr_error err = { 0 };

        jr_buf_init(&text, 100000);
        jr_buf_addc(&text, '{');
        for (int k = 0; k < n; k++)
            jr_buf_addf(&text, "%s\"key%d\":%d", k == 0 ? "" : ",", k, k);
        jr_buf_addc(&text, '}');
        assert_int_equal(jr_json_check(jr_buf_str(&text), &opts, &err), JR_OK);
        for (int k = 0; k < n; k += 7) {
            size_t was = text.n - 1;
            char want[32];

            text.n = was;
            jr_buf_addf(&text, ",\"key%d\":0}", k);
            assert_int_equal(jr_json_check(jr_buf_str(&text), &opts, &err), JR_INVALID);
            (void)snprintf(want, sizeof(want), "key%d", k);
            WANT_STR("path", err.path, want);
            text.n = was;
            jr_buf_addc(&text, '}');
        }
    }
}

static void reads_tokens(void **state)
{
    static const enum jr_tok_kind kinds[] = {
        JR_TOK_OBJECT, JR_TOK_KEY,        JR_TOK_ARRAY, JR_TOK_NUMBER, JR_TOK_STRING,
        JR_TOK_TRUE,   JR_TOK_ARRAY_END,  JR_TOK_KEY,   JR_TOK_NULL,   JR_TOK_KEY,
        JR_TOK_FALSE,  JR_TOK_OBJECT_END, JR_TOK_END,   JR_TOK_END,
    };
    static const char *const raws[] = { "{",        "a",    "[", "-1.5",  "x\\n", "true", "]",
                                        "b\\u0041", "null", "c", "false", "}",    "",     "" };
    static const size_t ats[] = { 0, 2, 7, 8, 13, 20, 24, 28, 39, 44, 48, 53, 54, 54 };
    struct jr_reader g;

    (void)state;
    jr_reader_init(&g, JR_S("{ \"a\" :[-1.5,\"x\\n\" ,true],  \"b\\u0041\": null,\"c\":false}"), 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        struct jr_tok t;

        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        WANT_INT(raws[i], t.kind, kinds[i]);
        WANT_VIEW(raws[i], t.raw, jr_str(raws[i]));
        WANT_INT(raws[i], t.escaped, i == 4 || i == 7);
        WANT_INT(raws[i], t.at, ats[i]);
    }
}

static void stays_where_it_failed(void **state)
{
    struct jr_reader g;
    struct jr_tok t;
    struct jr_str raw = JR_S("untouched");

    (void)state;
    jr_reader_init(&g, JR_S("[1,[2,?]]"), 0);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_SYNTAX);
        WANT_VIEW("raw", raw, JR_S("untouched"));
    }
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(t.kind, JR_TOK_ARRAY);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_SYNTAX);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_SYNTAX);
}

static void skips_values(void **state)
{
    struct jr_reader g;
    struct jr_tok t;
    struct jr_str raw;

    (void)state;
    jr_reader_init(&g, JR_S("{\"a\": [1, {\"b\": \"]\"}] ,\"c\":\"x\"}"), 0);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_USAGE); /* a key is no value */
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(t.kind, JR_TOK_KEY);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
    WANT_VIEW("array", raw, JR_S("[1, {\"b\": \"]\"}]"));
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
    WANT_VIEW("string, with its quotes", raw, JR_S("\"x\""));
    assert_int_equal(jr_reader_skip(&g, NULL, NULL), JR_USAGE);
    assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
    assert_int_equal(t.kind, JR_TOK_OBJECT_END);
    assert_int_equal(jr_reader_skip(&g, NULL, NULL), JR_USAGE);
    jr_reader_init(&g, JR_S(" [] "), 0);
    assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
    WANT_VIEW("whole", raw, JR_S("[]"));
}

/* A text that has passed the gate is passed over faster, and to the same place; one that has not
 * may get another result, but nothing is read beyond its end. */
static void skips_leniently(void **state)
{
    static const char *const values[] = {
        "[]",
        "{}",
        "[[],{},[{}]]",
        "[\"]\"]",
        "{\"}\":\"{\"}",
        "[\"\\\"]\",\"\\\\\"]",
        "[\"\u00e9]\xf0\x9f\x98\x80}\"]",
        "{\"a\":[1,-2.5e3,true,null,\"\"],\"b\":{\"c\":\"\\u005d\"}}",
        "\"]\"",
        "17",
        "null",
    };
    static const char *const broken[] = { "[", "{\"", "[\"\\", "[\"\\\"", "[[]", "{\"a\":\"x" };
    struct jr_str raw = JR_S("untouched");
    struct jr_reader g;
    struct jr_tok t;

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(values); i++) {
        char text[200];

        (void)snprintf(text, sizeof(text), "{\"k\" : %s ,\"z\":[3]}", values[i]);
        jr_reader_init(&g, jr_str(text), 0);
        g.lenient = true;
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
        WANT_VIEW(values[i], raw, jr_str(values[i]));
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        WANT_VIEW(values[i], t.raw, JR_S("z"));
        assert_int_equal(jr_reader_skip(&g, &raw, NULL), JR_OK);
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        WANT_INT(values[i], t.kind, JR_TOK_END);
    }
    for (size_t i = 0; i < JR_ARRAY_SIZE(broken); i++) {
        JR_FREE char *exact = malloc(strlen(broken[i])); /* a sanitizer sees the end */

        assert_non_null(exact);
        memcpy(exact, broken[i], strlen(broken[i]));
        raw = JR_S("untouched");
        jr_reader_init(&g, (struct jr_str){ exact, strlen(broken[i]) }, 0);
        g.lenient = true;
        WANT_INT(broken[i], jr_reader_skip(&g, &raw, NULL), JR_SYNTAX);
        WANT_VIEW(broken[i], raw, JR_S("untouched"));
    }
}

static void counts_values(void **state)
{
    static const struct {
        const char *text;
        struct jr_reader_counts want;
    } rows[] = {
        { "1", { 1, 0, 0 } },
        { " \"a:{[\" ", { 1, 0, 0 } },
        { "{}", { 0, 0, 1 } },
        { "[]", { 1, 0, 0 } },
        { "{\"a\" : {\"b\":{}, \"c\":[{}, {\"d\":null}]}}", { 2, 2, 3 } },
        { "[1,-2.5e3,true,null,\"x\",\"\\\"{\",[ ],{ \"k\":\"v\"}]", { 9, 0, 1 } },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_reader g;

        jr_reader_init(&g, jr_str(rows[i].text), 0);
        assert_int_equal(jr_reader_skip(&g, NULL, NULL), JR_OK);
        WANT_INT(rows[i].text, g.counts.values, rows[i].want.values);
        WANT_INT(rows[i].text, g.counts.members, rows[i].want.members);
        WANT_INT(rows[i].text, g.counts.elements, rows[i].want.elements);
    }
}

static void text_of_strings(void **state)
{
    static const struct {
        const char *name;
        struct jr_str text;
        struct jr_str want;
    } rows[] = {
        { "plain", TEXT("\"abc\""), TEXT("abc") },
        { "empty", TEXT("\"\""), TEXT("") },
        { "escapes", TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), TEXT("\"\\/\b\f\n\r\t") },
        { "one to four bytes", TEXT("\"\\u0041\\u00e9\\u20AC\\uD83D\\uDE00\""),
          TEXT("A\u00e9\u20ac\U0001f600") },
        { "U+0000", TEXT("\"a\\u0000b\""), TEXT("a\0b") },
        { "high half alone", TEXT("\"\\ud83dx\""), TEXT("\ufffdx") },
        { "low half alone", TEXT("\"\\ude00\""), TEXT("\ufffd") },
        { "two high halves", TEXT("\"\\ud83d\\ud83d\\ude00\""), TEXT("\ufffd\U0001f600") },
        { "high half, other escape", TEXT("\"\\ud83d\\u0041\""), TEXT("\ufffdA") },
        { "high half at the end", TEXT("\"\\ud83d\\\\\""), TEXT("\ufffd\\") },
        { "U+FFFF", TEXT("\"\\uffff\""), TEXT("\uffff") },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_ARENA arena = { 0 };
        struct jr_reader g;
        struct jr_tok t;
        struct jr_str got;

        jr_arena_init(&arena, 0);
        jr_reader_init(&g, rows[i].text, 0);
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        assert_int_equal(jr_tok_text(&t, &arena, &got), JR_OK);
        WANT_VIEW(rows[i].name, got, rows[i].want);
        assert_true(t.escaped || got.p == rows[i].text.p + 1);
    }
}

static void integers_of_numbers(void **state)
{
    static const struct {
        const char *text;
        int64_t min, max, want;
        enum jr_status st;
    } rows[] = {
        { "0", INT64_MIN, INT64_MAX, 0, JR_OK },
        { "-0", INT64_MIN, INT64_MAX, 0, JR_OK },
        { "9007199254740993", INT64_MIN, INT64_MAX, INT64_C(9007199254740993), JR_OK },
        { "9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX, JR_OK },
        { "-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN, JR_OK },
        { "9223372036854775808", INT64_MIN, INT64_MAX, 0, JR_RANGE },
        { "-9223372036854775809", INT64_MIN, INT64_MAX, 0, JR_RANGE },
        { "2147483648", INT32_MIN, INT32_MAX, 0, JR_RANGE },
        { "-2147483648", INT32_MIN, INT32_MAX, INT32_MIN, JR_OK },
        { "1.0", INT64_MIN, INT64_MAX, 0, JR_TYPE },
        { "1e3", INT64_MIN, INT64_MAX, 0, JR_TYPE },
        { "1E400", INT64_MIN, INT64_MAX, 0, JR_TYPE },
        { "\"1\"", INT64_MIN, INT64_MAX, 0, JR_TYPE },
        { "true", INT64_MIN, INT64_MAX, 0, JR_TYPE },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_reader g;
        struct jr_tok t;
        int64_t v = 0;

        jr_reader_init(&g, jr_str(rows[i].text), 0);
        assert_int_equal(jr_reader_next(&g, &t, NULL), JR_OK);
        WANT_STATUS(rows[i].text, jr_tok_i64(&t, rows[i].min, rows[i].max, &v), rows[i].st);
        WANT_INT(rows[i].text, v, rows[i].want);
    }
}

static void positions(void **state)
{
    const struct jr_str text = JR_S("ab\n\ncd\n");
    static const struct {
        size_t at;
        unsigned line, column;
    } rows[] = { { 0, 1, 1 }, { 2, 1, 3 }, { 3, 2, 1 }, { 4, 3, 1 },
                 { 6, 3, 3 }, { 7, 4, 1 }, { 99, 4, 1 } };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        unsigned line, column;

        jr_text_position(text, rows[i].at, &line, &column);
        WANT_INT("line", line, rows[i].line);
        WANT_INT("column", column, rows[i].column);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),
        cmocka_unit_test(refuses),
        cmocka_unit_test(finds_bad_bytes_anywhere),
        cmocka_unit_test(depth),
        cmocka_unit_test(size),
        cmocka_unit_test(refuses_or_reports_duplicates),
        cmocka_unit_test(duplicates_in_objects_of_any_size),
        cmocka_unit_test(reads_tokens),
        cmocka_unit_test(stays_where_it_failed),
        cmocka_unit_test(skips_values),
        cmocka_unit_test(skips_leniently),
        cmocka_unit_test(counts_values),
        cmocka_unit_test(text_of_strings),
        cmocka_unit_test(integers_of_numbers),
        cmocka_unit_test(positions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
