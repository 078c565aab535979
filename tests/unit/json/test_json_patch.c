/* SPDX-License-Identifier: Apache-2.0 */
#include "common/json/patch.h"

#include "tests/unit/json/json_test.h"

static const char shop[] =
    "{\"stock\":[\"nut\",\"bolt\",\"gear\"],\"a/b\":1,\"c%d\":2,\"e~f\":3,\"\":4,\" \":5,\"~1\":6,"
    "\"g\\\\h\":7,\"q\\\"\":8,\"deep\":{\"\":{\"x\":[[10,11]]}}}";

static void points(void **state)
{
    static const struct {
        const char *pointer;
        const char *want; /* NULL: nothing there */
    } rows[] = {
        { "/stock/0", "\"nut\"" },
        { "/stock/2", "\"gear\"" },
        { "/a~1b", "1" },
        { "/c%d", "2" },
        { "/e~0f", "3" },
        { "/", "4" },
        { "/ ", "5" },
        { "/~01", "6" },
        { "/g\\h", "7" },
        { "/q\"", "8" },
        { "/deep//x/0/1", "11" },
        { "/stock/3", NULL },
        { "/stock/-", NULL },
        { "/stock/00", NULL },
        { "/stock/01", NULL },
        { "/stock/+1", NULL },
        { "/stock/-1", NULL },
        { "/stock/1e0", NULL },
        { "/stock/ 1", NULL },
        { "/stock/", NULL },
        { "/stock/18446744073709551616", NULL },
        { "/a/b", NULL },
        { "/e~f", NULL },
        { "/e~2f", NULL },
        { "/e~", NULL },
        { "/~1", NULL },
        { "stock", NULL },
        { "/none", NULL },
        { "/none/x", NULL },
        { "/a~1b/x", NULL },
        { "/stoc", NULL },
        { "/stock/0/0", NULL },
    };
    DOC *doc = must_parse("shop", jr_str(shop));

    (void)state;
    assert_ptr_equal(jr_pointer_get(jr_doc_root(doc), JR_S("")), jr_doc_root(doc));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct jr_node *n = jr_pointer_get(jr_doc_root(doc), jr_str(rows[i].pointer));

        if ((n == NULL) != (rows[i].want == NULL))
            fail_msg("%s: %s", rows[i].pointer, n == NULL ? "not found" : "found");
        if (n != NULL)
            want_json(rows[i].pointer, n, rows[i].want);
    }
}

static void tokens_are_escaped(void **state)
{
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, 100);
    assert_int_equal(jr_pointer_add(&out, JR_S("a/b~c~1/")), JR_OK);
    assert_int_equal(jr_pointer_add(&out, JR_S("")), JR_OK);
    assert_int_equal(jr_pointer_add(&out, JR_S("plain")), JR_OK);
    WANT_STR("token", out.p, "a~1b~0c~01~1plain");
}

static const struct {
    const char *name;
    const char *doc;
    const char *patch;
    const char *want; /* NULL: the patch is refused */
    enum jr_status st;
} applied[] = {
    { "nothing", "{\"a\":1}", "[]", "{\"a\":1}", JR_OK },
    { "add a member", "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":[2]}]",
      "{\"a\":1,\"b\":[2]}", JR_OK },
    { "add where there is one", "{\"a\":1,\"z\":0}",
      "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null,\"z\":0}", JR_OK },
    { "add with escapes", "{}", "[{\"op\":\"add\",\"path\":\"/a~1b~0c~01\",\"value\":1}]",
      "{\"a/b~c~1\":1}", JR_OK },
    { "add the empty key", "{}", "[{\"op\":\"add\",\"path\":\"/\",\"value\":1}]", "{\"\":1}",
      JR_OK },
    { "add before", "[1,2]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":0}]", "[0,1,2]", JR_OK },
    { "add between", "[1,2]", "[{\"op\":\"add\",\"path\":\"/1\",\"value\":9}]", "[1,9,2]", JR_OK },
    { "add at the length", "[1,2]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":3}]", "[1,2,3]",
      JR_OK },
    { "append", "[1,2]", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":3}]", "[1,2,3]", JR_OK },
    { "append to the empty array", "{\"a\":[]}",
      "[{\"op\":\"add\",\"path\":\"/a/-\",\"value\":{}}]", "{\"a\":[{}]}", JR_OK },
    { "an array as one element", "[1]", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":[2,3]}]",
      "[1,[2,3]]", JR_OK },
    { "\"-\" in an object is a key", "{}", "[{\"op\":\"add\",\"path\":\"/-\",\"value\":1}]",
      "{\"-\":1}", JR_OK },
    { "add the root", "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", "[1]", JR_OK },
    { "add past the length", "[1,2]", "[{\"op\":\"add\",\"path\":\"/3\",\"value\":3}]", NULL,
      JR_NOTFOUND },
    { "add at no index", "[1,2]", "[{\"op\":\"add\",\"path\":\"/one\",\"value\":3}]", NULL,
      JR_INVALID },
    { "add at a leading zero", "[1,2]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":3}]", NULL,
      JR_INVALID },
    { "add below nothing", "{}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]", NULL,
      JR_NOTFOUND },
    { "add below a scalar", "{\"a\":\"x\"}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]",
      NULL, JR_NOTFOUND },
    { "U+0000 in a key", "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\\u0000\",\"value\":2}]",
      "{\"a\":1,\"a\\u0000\":2}", JR_OK },
    { "below a key with U+0000 and a slash", "{\"a\":{},\"a\\u0000/\":{},\"a\\u0000\":{}}",
      "[{\"op\":\"add\",\"path\":\"/a\\u0000~1/x\",\"value\":2}]",
      "{\"a\":{},\"a\\u0000/\":{\"x\":2},\"a\\u0000\":{}}", JR_OK },
    { "remove a member", "{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "{\"b\":2}",
      JR_OK },
    { "remove an element", "[1,2,3]", "[{\"op\":\"remove\",\"path\":\"/1\"}]", "[1,3]", JR_OK },
    { "remove what is not there", "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]", NULL,
      JR_NOTFOUND },
    { "remove past the end", "[1]", "[{\"op\":\"remove\",\"path\":\"/1\"}]", NULL, JR_NOTFOUND },
    { "remove \"-\"", "[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]", NULL, JR_NOTFOUND },
    { "remove the root", "{}", "[{\"op\":\"remove\",\"path\":\"\"}]", NULL, JR_INVALID },
    { "replace a member in its place", "{\"a\":1,\"b\":2}",
      "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":{\"x\":[]}}]", "{\"a\":{\"x\":[]},\"b\":2}",
      JR_OK },
    { "replace an element", "[1,2,3]", "[{\"op\":\"replace\",\"path\":\"/2\",\"value\":9}]",
      "[1,2,9]", JR_OK },
    { "replace the root", "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":\"x\"}]",
      "\"x\"", JR_OK },
    { "replace what is not there", "{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":1}]", NULL,
      JR_NOTFOUND },
    { "move a member", "{\"a\":{\"b\":1},\"c\":{}}",
      "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/c/d\"}]", "{\"a\":{},\"c\":{\"d\":1}}",
      JR_OK },
    { "move an element forward", "[1,2,3,4]", "[{\"op\":\"move\",\"from\":\"/1\",\"path\":\"/3\"}]",
      "[1,3,4,2]", JR_OK },
    { "move an element back", "[1,2,3,4]", "[{\"op\":\"move\",\"from\":\"/3\",\"path\":\"/0\"}]",
      "[4,1,2,3]", JR_OK },
    { "move onto a member", "{\"a\":1,\"b\":2}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]", "{\"b\":1}", JR_OK },
    { "move to itself", "{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]",
      "{\"a\":1,\"b\":2}", JR_OK },
    { "move into itself", "{\"a\":{\"b\":{}}}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b/c\"}]", NULL, JR_INVALID },
    { "move beside a like name", "{\"a\":1}",
      "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]", "{\"ab\":1}", JR_OK },
    { "move to the root", "{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"\"}]",
      "{\"b\":1}", JR_OK },
    { "move from the root", "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/b\"}]", NULL,
      JR_INVALID },
    { "move past the end that it leaves", "[1,2]",
      "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/2\"}]", NULL, JR_NOTFOUND },
    { "move what is not there", "{}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]", NULL,
      JR_NOTFOUND },
    { "move from nowhere", "{\"a\":1}", "[{\"op\":\"move\",\"path\":\"/a\"}]", NULL, JR_INVALID },
    { "copy", "{\"a\":{\"b\":[1]}}",
      "[{\"op\":\"copy\",\"from\":\"/a/b\",\"path\":\"/c\"},{\"op\":\"add\",\"path\":\"/c/"
      "-\",\"value\":2}]",
      "{\"a\":{\"b\":[1]},\"c\":[1,2]}", JR_OK },
    { "copy into itself", "{\"a\":{}}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/a/b\"}]",
      "{\"a\":{\"b\":{\"a\":{}}}}", JR_OK },
    { "copy of nothing", "{}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]", NULL,
      JR_NOTFOUND },
    { "copy from a number", "{\"a\":1}", "[{\"op\":\"copy\",\"from\":1,\"path\":\"/a\"}]", NULL,
      JR_INVALID },
    { "test: equal", "{\"a\":{\"x\":1,\"y\":[2]}}",
      "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":[2],\"x\":1}}]",
      "{\"a\":{\"x\":1,\"y\":[2]}}", JR_OK },
    { "test: null", "{\"a\":null}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]",
      "{\"a\":null}", JR_OK },
    { "test: another", "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":2}]", NULL,
      JR_CONFLICT },
    { "test: string and number", "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":\"1\"}]",
      NULL, JR_CONFLICT },
    { "test: not there", "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]", NULL,
      JR_NOTFOUND },
    { "test: escapes in order", "{\"/\":9,\"~1\":10}",
      "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]", "{\"/\":9,\"~1\":10}", JR_OK },
    { "members that mean nothing", "{}",
      "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1,\"from\":7,\"x\":[]}]", "{\"a\":1}", JR_OK },
    { "unknown operation", "{}", "[{\"op\":\"merge\",\"path\":\"/a\",\"value\":1}]", NULL,
      JR_INVALID },
    { "operation in capitals", "{}", "[{\"op\":\"Add\",\"path\":\"/a\",\"value\":1}]", NULL,
      JR_INVALID },
    { "no operation", "{}", "[{\"path\":\"/a\",\"value\":1}]", NULL, JR_INVALID },
    { "no path", "{}", "[{\"op\":\"add\",\"value\":1}]", NULL, JR_INVALID },
    { "no value", "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", NULL, JR_INVALID },
    { "path without a slash", "{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]", NULL,
      JR_INVALID },
    { "bad escape in a path", "{}", "[{\"op\":\"add\",\"path\":\"/a~2\",\"value\":1}]", NULL,
      JR_INVALID },
    { "path that is null", "{}", "[{\"op\":\"add\",\"path\":null,\"value\":1}]", NULL, JR_INVALID },
    { "operation that is no object", "{}", "[1]", NULL, JR_INVALID },
    { "patch that is no array", "{}", "{\"op\":\"add\",\"path\":\"/a\",\"value\":1}", NULL,
      JR_INVALID },
    { "one after the other", "{\"a\":[]}",
      "[{\"op\":\"add\",\"path\":\"/a/0\",\"value\":{}},{\"op\":\"add\",\"path\":\"/a/0/"
      "b\",\"value\":1},{\"op\":\"replace\",\"path\":\"/a/0/"
      "b\",\"value\":2},{\"op\":\"move\",\"from\":\"/a/0/b\",\"path\":\"/c\"}]",
      "{\"a\":[{}],\"c\":2}", JR_OK },
    { "all or nothing", "{\"a\":[1,2],\"b\":{\"c\":3}}",
      "[{\"op\":\"remove\",\"path\":\"/a/0\"},{\"op\":\"add\",\"path\":\"/a/"
      "-\",\"value\":9},{\"op\":\"replace\",\"path\":\"/b/c\",\"value\":4},"
      "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a/"
      "0\"},{\"op\":\"add\",\"path\":\"\",\"value\":{\"new\":1}},{\"op\":\"add\",\"path\":\"/"
      "new\",\"value\":2},"
      "{\"op\":\"remove\",\"path\":\"/new\"},{\"op\":\"test\",\"path\":\"/new\",\"value\":2}]",
      NULL, JR_NOTFOUND },
};

static void applies(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(applied); i++) {
        DOC *doc = must_parse(applied[i].name, jr_str(applied[i].doc));
        DOC *patch = must_parse(applied[i].name, jr_str(applied[i].patch));
        struct jr_node *root = jr_doc_root(doc);
        struct jr_error err = { 0 };

        WANT_STATUS(applied[i].name, jr_patch_apply(doc, jr_doc_root(patch), &err), applied[i].st);
        want_json(applied[i].name, jr_doc_root(doc),
                  applied[i].want == NULL ? applied[i].doc : applied[i].want);
        assert_ptr_equal(root, jr_doc_root(doc));
        if (applied[i].want == NULL)
            assert_int_not_equal(jr_patch_apply(doc, jr_doc_root(patch), NULL), JR_OK);
    }
}

static void names_the_operation(void **state)
{
    DOC *doc = must_parse("doc", JR_S("{\"a\":1}"));
    DOC *patch = must_parse("patch", JR_S("[{\"op\":\"test\",\"path\":\"/a\",\"value\":1},"
                                          "{\"op\":\"remove\",\"path\":\"/b/c\"}]"));
    struct jr_error err = { 0 };

    (void)state;
    assert_int_equal(jr_patch_apply(doc, jr_doc_root(patch), &err), JR_NOTFOUND);
    WANT_STR("message", err.msg, "operation 1 (remove /b/c): no such path");
}

/* What a small patch may do to memory, time and the stack. */
static void patches_are_bounded(void **state)
{
    struct jr_error err = { 0 };
    DOC *doc = must_parse("doc", JR_S("{\"a\":\"0123456789\"}"));
    DOC *bomb = NULL;
    DOC *deep = NULL;
    JR_BUF text = { 0 };

    (void)state;
    jr_buf_init(&text, MAX_TEXT);
    jr_buf_addc(&text, '[');
    for (int i = 0; i < 60; i++)
        jr_buf_addf(&text, "%s{\"op\":\"copy\",\"from\":\"\",\"path\":\"/k%d\"}", i == 0 ? "" : ",",
                    i);
    jr_buf_addc(&text, ']');
    bomb = must_parse("bomb", jr_buf_str(&text));
    assert_int_equal(jr_patch_apply(doc, jr_doc_root(bomb), &err), JR_LIMIT);
    want_json("as it was", jr_doc_root(doc), "{\"a\":\"0123456789\"}");

    jr_buf_reset(&text);
    jr_buf_addc(&text, '[');
    for (int i = 0; i < 2000; i++) {
        jr_buf_addf(&text, "%s{\"op\":\"add\",\"path\":\"", i == 0 ? "" : ",");
        for (int k = 0; k <= i && k < 600; k++)
            jr_buf_adds(&text, "/a");
        jr_buf_adds(&text, "\",\"value\":{}}");
    }
    jr_buf_addc(&text, ']');
    deep = must_parse("deep", jr_buf_str(&text));
    assert_int_equal(jr_patch_apply(doc, jr_doc_root(deep), &err), JR_LIMIT);

    jr_buf_reset(&text);
    jr_buf_addc(&text, '[');
    for (int i = 0; i <= JR_PATCH_MAX_OPS; i++)
        jr_buf_addf(&text, "%s{\"op\":\"test\",\"path\":\"\",\"value\":1}", i == 0 ? "" : ",");
    jr_buf_addc(&text, ']');
    jr_doc_free(jr_steal(&deep));
    deep = must_parse("many", jr_buf_str(&text));
    assert_int_equal(jr_patch_apply(doc, jr_doc_root(deep), &err), JR_LIMIT);
    jr_remove_child(jr_doc_root(deep), jr_first(jr_doc_root(deep)));
    assert_int_equal(jr_patch_apply(doc, jr_doc_root(deep), &err), JR_CONFLICT);
    want_json("as it was", jr_doc_root(doc), "{\"a\":\"0123456789\"}");
}

static const struct {
    const char *name;
    const char *from, *to;
    const char *want;
} diffs[] = {
    { "equal", "{\"a\":[1,{\"b\":null}],\"c\":1}", "{\"c\":1,\"a\":[1,{\"b\":null}]}", "[]" },
    { "scalar root", "1", "2", "[{\"op\":\"replace\",\"path\":\"\",\"value\":2}]" },
    { "other kind", "{}", "[]", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]" },
    { "members", "{\"a\":1,\"b\":2,\"c\":3}", "{\"b\":2,\"c\":4,\"d\":{\"x\":[]}}",
      "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"replace\",\"path\":\"/c\",\"value\":4},"
      "{\"op\":\"add\",\"path\":\"/d\",\"value\":{\"x\":[]}}]" },
    { "null is a value", "{\"a\":null}", "{}", "[{\"op\":\"remove\",\"path\":\"/a\"}]" },
    { "to null", "{\"a\":1}", "{\"a\":null}",
      "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":null}]" },
    { "nested, escaped", "{\"m\":{\"l\":{\"a/b~c\":\"1\",\"\\\"\":1}}}",
      "{\"m\":{\"l\":{\"a/b~c\":\"2\",\"\\\"\":2}}}",
      "[{\"op\":\"replace\",\"path\":\"/m/l/a~1b~0c\",\"value\":\"2\"},"
      "{\"op\":\"replace\",\"path\":\"/m/l/\\\"\",\"value\":2}]" },
    { "append", "[1]", "[1,2,3]",
      "[{\"op\":\"add\",\"path\":\"/1\",\"value\":2},{\"op\":\"add\",\"path\":\"/"
      "2\",\"value\":3}]" },
    { "prepend", "[1,2]", "[0,1,2]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":0}]" },
    { "cut", "[1,2,3,4]", "[1]",
      "[{\"op\":\"remove\",\"path\":\"/3\"},{\"op\":\"remove\",\"path\":\"/"
      "2\"},{\"op\":\"remove\",\"path\":\"/1\"}]" },
    { "from the middle", "[1,2,3,4]", "[1,4]",
      "[{\"op\":\"remove\",\"path\":\"/2\"},{\"op\":\"remove\",\"path\":\"/1\"}]" },
    { "inside an element", "[{\"n\":\"a\",\"v\":1},{\"n\":\"b\"}]",
      "[{\"n\":\"a\",\"v\":2},{\"n\":\"b\"}]",
      "[{\"op\":\"replace\",\"path\":\"/0/v\",\"value\":2}]" },
    { "to empty", "[1]", "[]", "[{\"op\":\"remove\",\"path\":\"/0\"}]" },
    { "exact numbers", "[9007199254740992,1]", "[9007199254740993,1.0]",
      "[{\"op\":\"replace\",\"path\":\"/0\",\"value\":9007199254740993},"
      "{\"op\":\"replace\",\"path\":\"/1\",\"value\":1.0}]" },
};

static void differs(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(diffs); i++) {
        DOC *from = must_parse(diffs[i].name, jr_str(diffs[i].from));
        DOC *to = must_parse(diffs[i].name, jr_str(diffs[i].to));
        DOC *patch = NULL;
        JR_BUF out = { 0 };

        jr_buf_init(&out, 10000);
        assert_int_equal(jr_patch_diff(jr_doc_root(from), jr_doc_root(to), &out), JR_OK);
        WANT_STR(diffs[i].name, out.p, diffs[i].want);
        patch = must_parse(diffs[i].name, jr_buf_str(&out));
        assert_int_equal(jr_patch_apply(from, jr_doc_root(patch), NULL), JR_OK);
        assert_true(jr_node_equal(jr_doc_root(from), jr_doc_root(to)));
    }
}

/* More than a patch may hold: the whole is replaced, and what stood in the buffer stays. */
static void large_differences(void **state)
{
    JR_BUF a = { 0 };
    JR_BUF b = { 0 };
    JR_BUF out = { 0 };
    DOC *from = NULL;
    DOC *to = NULL;
    DOC *patch = NULL;

    (void)state;
    jr_buf_init(&a, MAX_TEXT);
    jr_buf_init(&b, MAX_TEXT);
    jr_buf_init(&out, MAX_TEXT);
    for (int i = 0; i < JR_PATCH_MAX_OPS + 1; i++) {
        jr_buf_addf(&a, "%c%d", i == 0 ? '[' : ',', i);
        jr_buf_addf(&b, "%c\"%d\"", i == 0 ? '[' : ',', i);
    }
    jr_buf_addc(&a, ']');
    jr_buf_addc(&b, ']');
    from = must_parse("from", jr_buf_str(&a));
    to = must_parse("to", jr_buf_str(&b));
    jr_buf_adds(&out, "patch: ");
    assert_int_equal(jr_patch_diff(jr_doc_root(from), jr_doc_root(to), &out), JR_OK);
    jr_buf_consume(&out, strlen("patch: "));
    patch = must_parse("patch", jr_buf_str(&out));
    assert_int_equal(jr_size(jr_doc_root(patch)), 1);
    jr_remove_child(jr_doc_root(from), jr_first(jr_doc_root(from)));
    jr_remove_child(jr_doc_root(to), jr_first(jr_doc_root(to)));
    jr_buf_reset(&out);
    assert_int_equal(jr_patch_diff(jr_doc_root(from), jr_doc_root(to), &out), JR_OK);
    jr_doc_free(jr_steal(&patch));
    patch = must_parse("patch", jr_buf_str(&out));
    assert_int_equal(jr_size(jr_doc_root(patch)), JR_PATCH_MAX_OPS);
    assert_int_equal(jr_patch_apply(from, jr_doc_root(patch), NULL), JR_OK);
    assert_true(jr_node_equal(jr_doc_root(from), jr_doc_root(to)));
}

static void a_full_buffer_is_said(void **state)
{
    DOC *from = must_parse("from", JR_S("{}"));
    DOC *to = must_parse("to", JR_S("{\"a\":\"0123456789\"}"));
    JR_BUF out = { 0 };

    (void)state;
    for (size_t max = 0; max < strlen("[{'op':'add','path':'/a','value':'0123456789'}]"); max++) {
        jr_buf_init(&out, max);
        assert_int_equal(jr_patch_diff(jr_doc_root(from), jr_doc_root(to), &out), JR_LIMIT);
        jr_buf_done(&out);
    }
}

static const struct {
    const char *name;
    const char *target, *patch, *want;
} merges[] = {
    { "replace", "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "add", "{\"a\":\"b\"}", "{\"b\":[1]}", "{\"a\":\"b\",\"b\":[1]}" },
    { "remove", "{\"a\":\"b\",\"c\":1}", "{\"a\":null}", "{\"c\":1}" },
    { "remove nothing", "{\"c\":1}", "{\"a\":null}", "{\"c\":1}" },
    { "arrays are values", "{\"a\":[1,{\"b\":2}]}", "{\"a\":[{\"c\":null}]}",
      "{\"a\":[{\"c\":null}]}" },
    { "array to object", "{\"a\":[1]}", "{\"a\":{\"b\":1,\"c\":null}}", "{\"a\":{\"b\":1}}" },
    { "nested", "{\"a\":{\"b\":1,\"c\":{\"d\":2,\"e\":3}}}", "{\"a\":{\"b\":9,\"c\":{\"d\":null}}}",
      "{\"a\":{\"b\":9,\"c\":{\"e\":3}}}" },
    { "nulls in what is new", "{}", "{\"a\":{\"b\":{\"c\":null}}}", "{\"a\":{\"b\":{}}}" },
    { "null in the target stays", "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
    { "a patch that is an array", "{\"a\":1}", "[1]", "[1]" },
    { "a patch that is null", "{\"a\":1}", "null", "null" },
    { "a patch that is a string", "[1]", "\"x\"", "\"x\"" },
    { "a target that is an array", "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
    { "empty", "{\"a\":1}", "{}", "{\"a\":1}" },
};

static void merges_as_rfc_7386(void **state)
{
    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(merges); i++) {
        DOC *doc = must_parse(merges[i].name, jr_str(merges[i].target));
        DOC *patch = must_parse(merges[i].name, jr_str(merges[i].patch));

        for (int twice = 0; twice < 2; twice++) {
            assert_int_equal(jr_merge_apply(jr_doc_root(doc), jr_doc_root(patch)), JR_OK);
            want_json(merges[i].name, jr_doc_root(doc), merges[i].want);
        }
    }
}

/* Wide objects go by sorted keys: no member is lost on the way. */
static void wide_objects(void **state)
{
    enum { N = 5000 };
    JR_BUF a = { 0 };
    JR_BUF b = { 0 };
    JR_BUF out = { 0 };
    DOC *from = NULL;
    DOC *to = NULL;
    DOC *patch = NULL;

    (void)state;
    jr_buf_init(&a, MAX_TEXT);
    jr_buf_init(&b, MAX_TEXT);
    jr_buf_init(&out, MAX_TEXT);
    for (int i = 0; i < N; i++) {
        jr_buf_addf(&a, "%c\"k%d\":%d", i == 0 ? '{' : ',', i, i);
        jr_buf_addf(&b, "%c\"k%d\":%s", i == 0 ? '{' : ',', N + N / 2 - i,
                    i % 3 == 0 ? "null" : "1");
    }
    jr_buf_addc(&a, '}');
    jr_buf_addc(&b, '}');
    from = must_parse("from", jr_buf_str(&a));
    to = must_parse("to", jr_buf_str(&b));
    assert_int_equal(jr_patch_diff(jr_doc_root(from), jr_doc_root(to), &out), JR_OK);
    patch = must_parse("patch", jr_buf_str(&out));
    assert_int_equal(jr_patch_apply(from, jr_doc_root(patch), NULL), JR_OK);
    assert_true(jr_node_equal(jr_doc_root(from), jr_doc_root(to)));
    jr_doc_free(jr_steal(&from));
    from = must_parse("from", jr_buf_str(&a));
    assert_int_equal(jr_merge_apply(jr_doc_root(from), jr_doc_root(to)), JR_OK);
    for (const struct jr_node *p = jr_first(jr_doc_root(to)); p != NULL; p = jr_next(p)) {
        const struct jr_node *got = jr_getn(jr_doc_root(from), jr_key(p));

        assert_int_equal(got == NULL, jr_unset(p));
    }
    WANT_INT("what the patch does not name", jr_node_i64_or(jr_get(jr_doc_root(from), "k7"), 0), 7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(points),
        cmocka_unit_test(tokens_are_escaped),
        cmocka_unit_test(applies),
        cmocka_unit_test(names_the_operation),
        cmocka_unit_test(patches_are_bounded),
        cmocka_unit_test(differs),
        cmocka_unit_test(large_differences),
        cmocka_unit_test(a_full_buffer_is_said),
        cmocka_unit_test(merges_as_rfc_7386),
        cmocka_unit_test(wide_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
