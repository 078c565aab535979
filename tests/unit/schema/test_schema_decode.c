/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding by the tables, from text and from a tree. */
#include "common/json/doc.h"
#include "common/schema/copy.h"
#include "common/schema/decode.h"
#include "common/schema/decode_tree.h"
#include "common/schema/macros.h"
#include "tests/unit/json/json_test.h"

struct item {
    struct jr_str name;
    int32_t count;
    struct jr_strs tags;
};
struct part {
    bool set;
    struct jr_str text;
};
struct texted {
    struct jr_str source;
    int32_t count;
};
struct thing {
    struct jr_str name;
    struct jr_opt_i32 parallelism;
    struct jr_opt_i64 deadline;
    struct jr_opt_bool suspend;
    int32_t i32;
    int64_t i64;
    bool flag;
    struct jr_time start;
    struct jr_str raw;
    struct item item;
    struct {
        struct item *v;
        size_t n;
    } items;
    struct jr_labels labels;
    struct jr_i32s codes;
    struct part part;
    bool present;
    struct jr_str inner; /* flat.inner */
    struct texted texted;
    struct {
        struct texted *v;
        size_t n;
    } listed;
};

TYPE_WITH(item, "Item", DECODED(struct item),
    STRING("name", AT(struct item, name)),
    INT32("count", AT(struct item, count)),
    STRINGS("tags", AT(struct item, tags)));

TYPE_WITH(texted, "Texted", DECODED(struct texted), INT32("count", AT(struct texted, count)));

TYPE(part, "Part",
    STRING("text", AT(struct part, text)),
    STRING("other"));

/* The same of which less is kept. */
TYPE(kept_part, "Part", STRING("text", AT(struct thing, inner)));

TYPE_WITH(thing, "Thing", DECODED(struct thing),
    STRING("name", AT(struct thing, name)),
    INT32_PTR("parallelism", AT(struct thing, parallelism)),
    INT64_PTR("deadline", AT(struct thing, deadline)),
    BOOL_PTR("suspend", AT(struct thing, suspend)),
    INT32("i32", AT(struct thing, i32)),
    INT64("i64", AT(struct thing, i64)),
    BOOL("flag", AT(struct thing, flag)),
    TIME("start", AT(struct thing, start)),
    ANY("raw", AT(struct thing, raw)),
    STRUCT("item", item, AT(struct thing, item)),
    LIST("items", item, AT(struct thing, items), FIRST(6)),
    STRING_MAP("labels", AT(struct thing, labels)),
    INT32S("codes", AT(struct thing, codes)),
    STRUCT_PTR("part", part, AT(struct thing, part)),
    STRUCT_PTR("present", part, AT(struct thing, present)),
    STRUCT_PTR("flat", part, FLAT, AS(kept_part)),
    STRUCT("texted", texted, AT(struct thing, texted), WITH_TEXT),
    LIST("listed", texted, AT(struct thing, listed), WITH_TEXT),
    INT32("unkept"),
    INT32("later", SINCE(37)),
    INT32("once", UNTIL(35)));

static enum jr_status decode(struct jr_arena *arena, bool copy, const char *text, struct thing *out,
                             struct jr_error *err)
{
    memset(out, 0, sizeof(*out));
    return jr_decode(jr_str(text), arena, copy, jr_schema_decode, &thing, out, err);
}

static const char whole[] =
    "{\"unknown\":{\"name\":[1,2,{\"x\":null}]},\"labels\":{\"a/b\":\"1\",\"c\\u0041\":\"2\","
    "\"d\":null},"
    "\"name\":\"n\\u00e9\",\"parallelism\":0,\"deadline\":9007199254740993,\"suspend\":false,"
    "\"i32\":-2147483648,\"i64\":9223372036854775807,\"flag\":true,"
    "\"start\":\"2026-03-01T12:00:00Z\",\"raw\": { \"v\" : [ 1.0 ] } ,"
    "\"items\":[{\"name\":\"a\",\"tags\":[\"x\",\"\",null]},null,{\"count\":7,\"tags\":[]},{},{},{}"
    "],\"item\":{\"count\":3},\"codes\":[1,null,-3],\"part\":{\"text\":\"p\",\"other\":\"o\"},"
    "\"present\":{},\"flat\":{\"text\":\"f\"},\"unkept\":5,\"texted\": {\"count\" :1},"
    "\"listed\":[{},{ \"count\":2}]}";

/** raw: it is kept. */
static void want_whole(const struct thing *t, bool raw)
{
    WANT_VIEW("name", t->name, JR_S("n\u00e9"));
    assert_true(t->parallelism.set && t->parallelism.v == 0);
    assert_true(t->deadline.set && t->deadline.v == INT64_C(9007199254740993));
    assert_true(t->suspend.set && !t->suspend.v);
    assert_int_equal(t->i32, INT32_MIN);
    assert_true(t->i64 == INT64_MAX);
    assert_true(t->flag);
    assert_true(t->start.ns == INT64_C(1772366400) * JR_SEC);
    if (raw) {
        WANT_VIEW("raw", t->raw, JR_S("{ \"v\" : [ 1.0 ] }"));
        WANT_VIEW("texted", t->texted.source, JR_S("{\"count\" :1}"));
        WANT_VIEW("listed[0]", t->listed.v[0].source, JR_S("{}"));
        WANT_VIEW("listed[1]", t->listed.v[1].source, JR_S("{ \"count\":2}"));
    }
    assert_int_equal(t->texted.count, 1);
    assert_int_equal(t->listed.n, 2);
    assert_int_equal(t->listed.v[1].count, 2);
    assert_int_equal(t->item.count, 3);
    assert_int_equal(t->items.n, 6);
    WANT_VIEW("items[0]", t->items.v[0].name, JR_S("a"));
    assert_int_equal(t->items.v[0].tags.n, 3);
    WANT_VIEW("tags[0]", t->items.v[0].tags.v[0], JR_S("x"));
    assert_non_null(t->items.v[0].tags.v[1].p);
    assert_non_null(t->items.v[0].tags.v[2].p); /* null is "" */
    assert_null(t->items.v[1].name.p);
    assert_int_equal(t->items.v[2].count, 7);
    assert_non_null(t->items.v[2].tags.v);
    assert_int_equal(t->items.v[2].tags.n, 0);
    assert_null(t->items.v[3].tags.v);
    assert_int_equal(t->labels.n, 3);
    WANT_VIEW("key", t->labels.v[0].key, JR_S("a/b"));
    WANT_VIEW("key", t->labels.v[1].key, JR_S("cA"));
    WANT_VIEW("value", t->labels.v[1].value, JR_S("2"));
    assert_non_null(t->labels.v[2].value.p);
    assert_int_equal(t->codes.n, 3);
    assert_int_equal(t->codes.v[2], -3);
    assert_true(t->part.set);
    WANT_VIEW("part", t->part.text, JR_S("p"));
    assert_true(t->present);
    WANT_VIEW("flat", t->inner, JR_S("f"));
}

static void from_text(void **state)
{
    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        JR_ARENA arena = { 0 };
        JR_FREE char *text = strdup(whole);
        struct thing t;
        struct jr_error err = { 0 };

        jr_arena_init(&arena, 0);
        if (decode(&arena, copy == 1, text, &t, &err) != JR_OK)
            fail_msg("%s: %s", err.path, err.msg);
        if (copy == 1)
            memset(text, '?', sizeof(whole) - 1); /* all of it was copied */
        want_whole(&t, true);
    }
}

static void from_a_tree(void **state)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = must_parse("whole", jr_str(whole));

    (void)state;
    for (int served = 0; served < 2; served++) {
        JR_ARENA arena = { 0 };
        struct thing t = { .i32 = 0 };
        struct jr_type_error wrong;

        jr_arena_init(&arena, 0);
        assert_int_equal(jr_schema_decode_tree(&thing, jr_doc_root(doc), served == 1 ? 0 : 36,
                                               &arena, &t, &wrong),
                         JR_OK);
        if (wrong.why != NULL)
            fail_msg("%s: %s", wrong.field.p, wrong.why);
        want_whole(&t, false);
    }
}

static void the_first_elements(void **state)
{
    JR_ARENA arena = { 0 };
    struct thing t;
    struct jr_error err = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    assert_int_equal(decode(&arena, false,
                            "{\"items\":[{},{},{},{},{},{\"count\":6},{\"count\":7},{}],\"i32\":8}",
                            &t, &err),
                     JR_OK);
    assert_int_equal(t.items.n, 6);
    assert_int_equal(t.items.v[5].count, 6);
    assert_int_equal(t.i32, 8);
}

static void absent_null_and_twice(void **state)
{
    JR_ARENA arena = { 0 };
    struct thing t;
    struct jr_error err = { 0 };

    (void)state;
    jr_arena_init(&arena, 0);
    assert_int_equal(decode(&arena, false, "{}", &t, &err), JR_OK);
    assert_null(t.name.p);
    assert_false(t.parallelism.set || t.deadline.set || t.suspend.set || t.flag);
    assert_int_equal(decode(&arena, false, "null", &t, &err), JR_OK);
    assert_int_equal(
        decode(&arena, false,
               "{\"name\":null,\"parallelism\":null,\"suspend\":null,\"flag\":null,\"start\":null,"
               "\"raw\":null,\"item\":null,\"items\":null,\"labels\":null,\"i32\":null}",
               &t, &err),
        JR_OK);
    assert_null(t.name.p);
    assert_null(t.raw.p);
    assert_null(t.items.v);
    assert_false(t.parallelism.set || t.suspend.set || jr_time_set(t.start));
    assert_int_equal(
        decode(&arena, false,
               "{\"name\":\"a\",\"i32\":1,\"name\":\"b\",\"Name\":\"c\",\"start\":\"\"}", &t, &err),
        JR_OK);
    WANT_VIEW("the last one", t.name, JR_S("b"));
    assert_false(jr_time_set(t.start));
}

static const struct {
    const char *name;
    const char *text;
    const char *path, *msg;
    enum jr_status st;
} faults[] = {
    { "string", "{\"name\":1}", "name", "cannot unmarshal number into string", JR_TYPE },
    { "int32", "{\"i32\":\"1\"}", "i32", "cannot unmarshal string into int32", JR_TYPE },
    { "int64", "{\"i64\":[]}", "i64", "cannot unmarshal array into int64", JR_TYPE },
    { "optional int32", "{\"parallelism\":true}", "parallelism", "cannot unmarshal bool into int32",
      JR_TYPE },
    { "optional int64", "{\"deadline\":{}}", "deadline", "cannot unmarshal object into int64",
      JR_TYPE },
    { "bool", "{\"flag\":\"true\"}", "flag", "cannot unmarshal string into bool", JR_TYPE },
    { "optional bool", "{\"suspend\":0}", "suspend", "cannot unmarshal number into bool", JR_TYPE },
    { "time", "{\"start\":0}", "start", "cannot unmarshal number into time", JR_TYPE },
    { "object", "{\"item\":[]}", "item", "cannot unmarshal array into object", JR_TYPE },
    { "array", "{\"items\":{}}", "items", "cannot unmarshal object into array", JR_TYPE },
    { "root", "[]", "", "cannot unmarshal array into object", JR_TYPE },
    { "fraction", "{\"i32\":1.0}", "i32", "cannot unmarshal number 1.0 into int32", JR_TYPE },
    { "exponent", "{\"i64\":1e3}", "i64", "cannot unmarshal number 1e3 into int64", JR_TYPE },
    { "past int32", "{\"parallelism\":2147483648}", "parallelism",
      "cannot unmarshal number 2147483648 into int32", JR_RANGE },
    { "past int64", "{\"deadline\":9223372036854775808}", "deadline",
      "cannot unmarshal number 9223372036854775808 into int64", JR_RANGE },
    { "no time", "{\"start\":\"yesterday\"}", "start",
      "cannot parse \"yesterday\" as an RFC 3339 time", JR_INVALID },
    { "in an element", "{\"items\":[{},{\"tags\":[\"a\",{}]}]}", "items[1].tags[1]",
      "cannot unmarshal object into string", JR_TYPE },
    { "after an array", "{\"items\":[{\"tags\":[\"a\"]}],\"name\":{}}", "name",
      "cannot unmarshal object into string", JR_TYPE },
    { "in a map", "{\"labels\":{\"a/b\":\"\",\"x.y/z\":5}}", "labels[x.y/z]",
      "cannot unmarshal number into string", JR_TYPE },
    { "in a map, plain", "{\"labels\":{\"app-1\":5}}", "labels.app-1",
      "cannot unmarshal number into string", JR_TYPE },
    { "syntax", "{\"item\":{\"count\":01}}", "", "line 1, column 18: number with a leading zero",
      JR_SYNTAX },
    { "syntax in what is unknown", "{\"what\":[nul]}", "", "line 1, column 10: expected a value",
      JR_SYNTAX },
    { "text behind", "{} {}", "", "line 1, column 4: text after the value", JR_SYNTAX },
    { "nothing", "", "", "line 1, column 1: unexpected end of the text", JR_SYNTAX },
};

static void refuses_with_a_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(faults); i++) {
        JR_ARENA arena = { 0 };
        struct thing t;
        struct jr_error err = { 0 };

        jr_arena_init(&arena, 0);
        WANT_STATUS(faults[i].name, decode(&arena, true, faults[i].text, &t, &err), faults[i].st);
        WANT_STR(faults[i].name, err.path, faults[i].path);
        WANT_STR(faults[i].name, err.msg, faults[i].msg);
        WANT_STATUS(faults[i].name, decode(&arena, false, faults[i].text, &t, NULL), faults[i].st);
    }
}

/* From a tree: Go's words. Of what an API server has read only what is kept is looked at. */
static const struct {
    const char *text;
    const char *path, *why;
    const char *served; /* path of what is wrong then; NULL: nothing */
} mistypes[] = {
    { "{\"name\":1}", "name",
      "json: cannot unmarshal number into Go struct field Thing.name of type string", "name" },
    { "{\"i32\":2147483648}", "i32",
      "json: cannot unmarshal number 2147483648 into Go struct field Thing.i32 of type int32",
      "i32" },
    { "{\"unkept\":\"x\"}", "unkept",
      "json: cannot unmarshal string into Go struct field Thing.unkept of type int32", NULL },
    { "{\"part\":{\"other\":1}}", "part.other",
      "json: cannot unmarshal number into Go struct field Part.part.other of type string", NULL },
    { "{\"flat\":{\"other\":1}}", "flat.other",
      "json: cannot unmarshal number into Go struct field Part.flat.other of type string", NULL },
    { "{\"present\":{\"text\":1}}", "present.text",
      "json: cannot unmarshal number into Go struct field Part.present.text of type string", NULL },
    { "{\"present\":1}", "present",
      "json: cannot unmarshal number into Go struct field Thing.present of type v1.Part",
      "present" },
    { "{\"flat\":{\"text\":1}}", "flat.text",
      "json: cannot unmarshal number into Go struct field Part.flat.text of type string",
      "flat.text" },
    { "{\"items\":[{},{\"tags\":[\"a\",{}]}]}", "items[1].tags[1]",
      "json: cannot unmarshal object into Go struct field Item.items.tags of type string",
      "items[1].tags[1]" },
    { "{\"items\":{}}", "items",
      "json: cannot unmarshal object into Go struct field Thing.items of type []v1.Item", "items" },
    { "{\"labels\":{\"a\":5}}", "labels.a",
      "json: cannot unmarshal number into Go struct field Thing.labels of type string",
      "labels.a" },
    { "{\"codes\":[1,\"2\"]}", "codes[1]",
      "json: cannot unmarshal string into Go struct field Thing.codes of type int32", "codes[1]" },
    { "{\"suspend\":0}", "suspend",
      "json: cannot unmarshal number into Go struct field Thing.suspend of type bool", "suspend" },
    { "{\"start\":\"12026-03-01T12:00:00Z\"}", "start",
      "parsing time \"12026-03-01T12:00:00Z\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
      "\"12026-03-01T12:00:00Z\" as \"2006\"",
      NULL },
    { "{\"start\":\"yesterday\"}", "start",
      "parsing time \"yesterday\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
      "\"yesterday\" as \"2006\"",
      "start" },
    { "{\"later\":\"x\",\"once\":\"y\"}", NULL, NULL, NULL }, /* 1.36 doesn't know them */
    { "[]", "", "json: cannot unmarshal array into Go value of type v1.Thing", "" },
    { "{\"start\":\"1600-03-01T12:00:00Z\",\"raw\":[{}],\"x\":{}}", NULL, NULL, NULL },
};

/** Both may be NULL. */
static void want_text(const char *row, const char *got, const char *want)
{
    WANT_STR(row, got == NULL ? "nothing" : got, want == NULL ? "nothing" : want);
}

static void mistyped_in_a_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(mistypes); i++) {
        const char *text = mistypes[i].text;
        JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = must_parse(text, jr_str(text));
        JR_ARENA arena = { 0 };
        struct thing t = { .i32 = 0 };
        struct jr_type_error wrong;

        jr_arena_init(&arena, 0);
        assert_int_equal(jr_schema_decode_tree(&thing, jr_doc_root(doc), 36, &arena, &t, &wrong),
                         JR_OK);
        want_text(text, wrong.field.p, mistypes[i].path);
        want_text(text, wrong.why, mistypes[i].why);
        assert_int_equal(jr_schema_type_error(&thing, jr_doc_root(doc), 36, &arena, &wrong), JR_OK);
        want_text(text, wrong.field.p, mistypes[i].path);
        t = (struct thing){ .i32 = 0 };
        assert_int_equal(jr_schema_decode_tree(&thing, jr_doc_root(doc), 0, &arena, &t, &wrong),
                         JR_OK);
        want_text(text, wrong.field.p, mistypes[i].served);
    }
}

static enum jr_status decode_nested(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    static const struct jr_array_desc deeper = { .size = 1, .fn = decode_nested };
    struct jr_slice slice = { 0 };

    (void)arg;
    (void)out;
    return jr_decode_array(d, &slice, &deeper, err);
}

/* Deeper than the decoder remembers its path. */
static void deep_paths_are_cut(void **state)
{
    JR_ARENA arena = { 0 };
    struct jr_error err = { 0 };
    JR_BUF text = { 0 };
    char out;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_buf_init(&text, 1000);
    for (int i = 0; i < 40; i++)
        jr_buf_addc(&text, '[');
    jr_buf_addc(&text, '1');
    for (int i = 0; i < 40; i++)
        jr_buf_addc(&text, ']');
    assert_int_equal(jr_decode(jr_buf_str(&text), &arena, false, decode_nested, NULL, &out, &err),
                     JR_TYPE);
    assert_int_equal(strlen(err.path), 24 * strlen("[0]"));
    text.p[40] = ' ';
    assert_int_equal(jr_decode(jr_buf_str(&text), &arena, false, decode_nested, NULL, &out, &err),
                     JR_OK);
}

/* A decoder that forgets to read a value is told so. */
static void values_must_be_read(void **state)
{
    struct jr_decoder d;
    JR_ARENA arena = { 0 };
    struct jr_str key;
    struct jr_error err = { 0 };
    bool more;

    (void)state;
    jr_arena_init(&arena, 0);
    jr_decoder_init(&d, JR_S("{\"a\":1,\"b\":2}"), &arena, false);
    assert_int_equal(jr_decode_object_begin(&d, &more, &err), JR_OK);
    assert_true(more);
    assert_int_equal(jr_decode_object_next(&d, &key, &more, &err), JR_OK);
    assert_int_equal(jr_decode_object_next(&d, &key, &more, &err), JR_USAGE);
    WANT_STR("path", err.path, "a");
}

/* ---- deep copies ---- */

/** What the struct was decoded from, and into, may go. */
static void a_copy_stands_alone(void **state)
{
    (void)state;
    for (int copy = 0; copy < 2; copy++) {
        JR_ARENA decoded = { 0 }, kept = { 0 };
        JR_FREE char *text = strdup(whole);
        JR_FREE char *other = strdup(whole);
        const size_t n = sizeof(whole) - 1;
        struct thing t, deep;
        const struct jr_schema_copy c = { .arena = &kept, .from = { text, n }, .to = { other, n } };

        assert_int_equal(decode(&decoded, copy == 1, text, &t, NULL), JR_OK);
        kept.limit = decoded.used; /* all of it fits into as much */
        assert_int_equal(jr_schema_deep_copy(&c, &thing, &t, &deep), JR_OK);
        memset(text, '?', n);
        for (size_t i = 0; i < t.items.n; i++)
            t.items.v[i] = (struct item){ .count = -1 };
        jr_arena_done(&decoded);
        want_whole(&deep, true);
        assert_true((deep.raw.p >= other && deep.raw.p < other + n) == (copy == 0));
    }
}

/** What is absent, null or empty stays what it is. */
static void a_copy_of_nothing(void **state)
{
    static const char text[] = "{\"name\":\"\",\"items\":[],\"labels\":{},\"codes\":[]}";
    JR_ARENA decoded = { 0 }, kept = { 0 };
    const struct jr_schema_copy c = { .arena = &kept };
    struct thing t, deep;

    (void)state;
    assert_int_equal(decode(&decoded, false, text, &t, NULL), JR_OK);
    assert_int_equal(jr_schema_deep_copy(&c, &thing, &t, &deep), JR_OK);
    jr_arena_done(&decoded);
    assert_true(deep.name.p != NULL && deep.name.n == 0);
    assert_true(deep.items.v != NULL && deep.items.n == 0);
    assert_true(deep.labels.v != NULL && deep.labels.n == 0);
    assert_true(deep.codes.v != NULL && deep.codes.n == 0);
    assert_int_equal(decode(&decoded, false, "{}", &t, NULL), JR_OK);
    assert_int_equal(jr_schema_deep_copy(&c, &thing, &t, &deep), JR_OK);
    assert_null(deep.name.p);
    assert_null(deep.items.v);
    assert_null(deep.labels.v);
    assert_null(deep.item.tags.v);
}

/** Each allocation of a copy fails once: by the arena's limit. */
static void a_copy_without_memory(void **state)
{
    JR_ARENA decoded = { 0 };
    struct thing t;
    size_t refused = 0;

    (void)state;
    assert_int_equal(decode(&decoded, true, whole, &t, NULL), JR_OK);
    for (size_t limit = 1; limit <= decoded.used; limit++) {
        JR_ARENA kept = { .limit = limit };
        const struct jr_schema_copy c = { .arena = &kept };
        struct thing deep;
        const enum jr_status st = jr_schema_deep_copy(&c, &thing, &t, &deep);

        refused += st == JR_NOMEM;
        assert_true(st == JR_NOMEM || st == JR_OK);
    }
    assert_in_range(refused, 1, decoded.used - 1);
}

struct holder {
    struct jr_tape tape;
};
TYPE_WITH(holder, "Holder", DECODED(struct holder), ANY("tape", AT(struct holder, tape)));

/** Tokens of a tape stand in a text that the copy may not have. */
static void a_tape_is_not_copied(void **state)
{
    struct holder h = { .tape = { .values = 0 } }, deep;
    JR_ARENA kept = { 0 };
    const struct jr_schema_copy c = { .arena = &kept };

    (void)state;
    assert_int_equal(jr_schema_deep_copy(&c, &holder, &h, &deep), JR_USAGE);
}

/* The arena's limit is a limit on what a text may make. */
static void arena_limit(void **state)
{
    JR_ARENA arena = { 0 };
    struct thing t;
    struct jr_error err = { 0 };

    (void)state;
    jr_arena_init(&arena, 20);
    assert_int_equal(decode(&arena, true, whole, &t, &err), JR_NOMEM);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_text),
        cmocka_unit_test(absent_null_and_twice),
        cmocka_unit_test(from_a_tree),
        cmocka_unit_test(the_first_elements),
        cmocka_unit_test(mistyped_in_a_tree),
        cmocka_unit_test(refuses_with_a_path),
        cmocka_unit_test(deep_paths_are_cut),
        cmocka_unit_test(values_must_be_read),
        cmocka_unit_test(a_copy_stands_alone),
        cmocka_unit_test(a_copy_of_nothing),
        cmocka_unit_test(a_copy_without_memory),
        cmocka_unit_test(a_tape_is_not_copied),
        cmocka_unit_test(arena_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
