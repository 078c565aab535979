#include "common/json/decode.h"

#include "tests/unit/json/json_test.h"

struct item {
    struct jr_str name;
    int32_t count;
    struct {
        struct jr_str *v;
        size_t n;
    } tags;
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
    struct {
        struct jr_str key[4], value[4];
        size_t n;
    } labels;
};

static enum jr_status decode_labels(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    struct thing *t = out;
    bool more;
    enum jr_status st = jr_decode_object_begin(d, &more, err);

    (void)arg;
    while (st == JR_OK && more) {
        size_t i = t->labels.n;

        st = jr_decode_object_next(d, &t->labels.key[i], &more, err);
        if (st == JR_OK && more) {
            st = jr_decode_str(d, &t->labels.value[i], NULL, err);
            t->labels.n++;
        }
    }
    return st;
}

static const struct jr_array_desc tags_desc = { sizeof(struct jr_str), jr_decode_str, NULL, 3 };
static const struct jr_field item_fields[] = {
    { "name", offsetof(struct item, name), jr_decode_str, NULL },
    { "count", offsetof(struct item, count), jr_decode_i32, NULL },
    { "tags", offsetof(struct item, tags), jr_decode_array, &tags_desc },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc item_desc = { item_fields };
static const struct jr_array_desc items_desc = { sizeof(struct item), jr_decode_object, &item_desc,
                                                 0 };
static const struct jr_field thing_fields[] = {
    { "name", offsetof(struct thing, name), jr_decode_str, NULL },
    { "parallelism", offsetof(struct thing, parallelism), jr_decode_opt_i32, NULL },
    { "deadline", offsetof(struct thing, deadline), jr_decode_opt_i64, NULL },
    { "suspend", offsetof(struct thing, suspend), jr_decode_opt_bool, NULL },
    { "i32", offsetof(struct thing, i32), jr_decode_i32, NULL },
    { "i64", offsetof(struct thing, i64), jr_decode_i64, NULL },
    { "flag", offsetof(struct thing, flag), jr_decode_bool, NULL },
    { "start", offsetof(struct thing, start), jr_decode_time, NULL },
    { "raw", offsetof(struct thing, raw), jr_decode_raw, NULL },
    { "item", offsetof(struct thing, item), jr_decode_object, &item_desc },
    { "items", offsetof(struct thing, items), jr_decode_array, &items_desc },
    { "labels", 0, decode_labels, NULL },
    { NULL, 0, NULL, NULL },
};
static const struct jr_object_desc thing_desc = { thing_fields };

static enum jr_status decode(struct jr_arena *arena, bool copy, const char *text, struct thing *out,
                             struct jr_error *err)
{
    memset(out, 0, sizeof(*out));
    return jr_decode(jr_str(text), arena, copy, jr_decode_object, &thing_desc, out, err);
}

static const char whole[] =
    "{\"unknown\":{\"name\":[1,2,{\"x\":null}]},\"labels\":{\"a/b\":\"1\",\"c\\u0041\":\"2\"},"
    "\"name\":\"n\\u00e9\",\"parallelism\":0,\"deadline\":9007199254740993,\"suspend\":false,"
    "\"i32\":-2147483648,\"i64\":9223372036854775807,\"flag\":true,"
    "\"start\":\"2026-03-01T12:00:00Z\",\"raw\": { \"v\" : [ 1.0 ] } ,"
    "\"items\":[{\"name\":\"a\",\"tags\":[\"x\",\"\",null]},null,{\"count\":7,\"tags\":[]},{},{},{}"
    "],"
    "\"item\":{\"count\":3}}";

static void decodes_by_table(void **state)
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
        WANT_VIEW("name", t.name, JR_S("n\u00e9"));
        assert_true(t.parallelism.set && t.parallelism.v == 0);
        assert_true(t.deadline.set && t.deadline.v == INT64_C(9007199254740993));
        assert_true(t.suspend.set && !t.suspend.v);
        assert_int_equal(t.i32, INT32_MIN);
        assert_true(t.i64 == INT64_MAX);
        assert_true(t.flag);
        assert_true(t.start.ns == INT64_C(1772366400) * JR_SEC);
        WANT_VIEW("raw", t.raw, JR_S("{ \"v\" : [ 1.0 ] }"));
        assert_int_equal(t.item.count, 3);
        assert_int_equal(t.items.n, 6);
        WANT_VIEW("items[0]", t.items.v[0].name, JR_S("a"));
        assert_int_equal(t.items.v[0].tags.n, 3);
        WANT_VIEW("tags[0]", t.items.v[0].tags.v[0], JR_S("x"));
        assert_non_null(t.items.v[0].tags.v[1].p); /* "" is there */
        assert_null(t.items.v[0].tags.v[2].p);     /* null is not */
        assert_null(t.items.v[1].name.p);
        assert_int_equal(t.items.v[2].count, 7);
        assert_non_null(t.items.v[2].tags.v);
        assert_int_equal(t.items.v[2].tags.n, 0);
        assert_null(t.items.v[3].tags.v);
        assert_int_equal(t.labels.n, 2);
        WANT_VIEW("key", t.labels.key[0], JR_S("a/b"));
        WANT_VIEW("key", t.labels.key[1], JR_S("cA"));
        WANT_VIEW("value", t.labels.value[1], JR_S("2"));
    }
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
    { "too many", "{\"item\":{\"tags\":[\"\",\"\",\"\",\"\"]}}", "item.tags[3]",
      "more than 3 elements", JR_LIMIT },
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

static enum jr_status decode_nested(struct jr_decoder *d, void *out, const void *arg,
                                    struct jr_error *err)
{
    static const struct jr_array_desc deeper = { 1, decode_nested, NULL, 0 };
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
        cmocka_unit_test(decodes_by_table),    cmocka_unit_test(absent_null_and_twice),
        cmocka_unit_test(refuses_with_a_path), cmocka_unit_test(deep_paths_are_cut),
        cmocka_unit_test(values_must_be_read), cmocka_unit_test(arena_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
