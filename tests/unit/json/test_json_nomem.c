/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of each parser fails in turn: that is said, nothing leaks (under ASan), nothing
 * is half done. */
#include "common/json/patch.h"
#include "common/json/yaml.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"
#include "tests/support/failalloc.h"

#include "tests/unit/json/json_test.h"

static const char text[] = "{\"a\":[1,2.5,\"x\\n\",{\"b\\u0041\":null}],\"k01\":1,\"k02\":1,"
                           "\"k03\":1,\"k04\":1,\"k05\":1,\"k06\":1,"
                           "\"k07\":1,\"k08\":1,\"k09\":1,\"k10\":1,\"k11\":1,\"k12\":1,\"k13\":1,"
                           "\"k14\":1,\"k15\":1,\"k16\":1,"
                           "\"k17\":1,\"k18\":1,\"k19\":1,\"k20\":1,\"k21\":1,\"k22\":1,\"k23\":1,"
                           "\"k24\":1,\"k25\":1,\"z\":{\"a/b\":\"c\"}}";

static const char other[] =
    "{\"z\":{\"a/"
    "b\":\"d\",\"new\":{\"x\":[]}},\"a\":[1,\"x\\n\",{\"bA\":0}],\"n01\":1,\"n02\":1,\"n03\":1,"
    "\"n04\":1,\"n05\":1,\"n06\":1,\"n07\":1,\"n08\":1,\"n09\":1,\"n10\":1,\"n11\":1,\"n12\":1,"
    "\"n13\":1,"
    "\"n14\":1,\"n15\":1,\"n16\":1,\"n17\":1,\"n18\":1,\"k01\":null}";

/* Runs subject until no allocation is left to fail; it gives its status, or fails the test. */
static void each_allocation(const char *name, enum jr_status (*subject)(void *ctx), void *ctx)
{
    long n;

    for (n = 1; n < 100000; n++) {
        enum jr_status st;

        jr_failalloc_arm(n);
        st = subject(ctx);
        jr_failalloc_disarm();
        if (!jr_failalloc_hit()) {
            WANT_STATUS(name, st, JR_OK);
            break;
        }
        WANT_STATUS(name, st, JR_NOMEM);
    }
    assert_true(n > 1);
}

static enum jr_status check(void *ctx)
{
    struct jr_reader_opts opts = JR_READER_STRICT;
    struct jr_error err = { 0 };

    (void)ctx;
    return jr_json_check(jr_str(text), &opts, &err);
}

static enum jr_status parse(void *ctx)
{
    struct jr_reader_opts opts = JR_READER_STRICT;
    DOC *doc = NULL;

    (void)ctx;
    return jr_doc_parse(jr_str(text), &opts, &doc, NULL);
}

static enum jr_status build_from_tape(void *ctx)
{
    struct jr_reader_opts opts = JR_READER_STRICT;
    struct jr_tape tape = { .values = 0 };
    JR_ARENA arena = { 0 };
    struct jr_reader reader;
    DOC *doc = NULL;
    enum jr_status st;

    (void)ctx;
    jr_reader_init(&reader, jr_str(text), 0);
    st = jr_tape_read(&reader, &arena, &tape, NULL);
    return st == JR_OK ? jr_doc_build(&tape, &opts, &doc, NULL) : st;
}

static enum jr_status copy(void *ctx)
{
    DOC *doc = NULL;

    return jr_doc_of(ctx, &doc);
}

static enum jr_status print(void *ctx)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_TEXT);
    return jr_node_print(ctx, &out);
}

static enum jr_status print_yaml(void *ctx)
{
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_TEXT);
    return jr_yaml_print(ctx, &out);
}

static enum jr_status build(void *ctx)
{
    DOC *doc = NULL;
    struct jr_node *root, *o = NULL, *l = NULL;
    enum jr_status st = jr_doc_new(&doc);

    if (st != JR_OK)
        return st;
    root = jr_doc_root(doc);
#define TRY(expr)        \
    do {                 \
        st = (expr);     \
        if (st != JR_OK) \
            return st;   \
    } while (0)
    TRY(jr_set_str(root, "s", JR_S("x")));
    TRY(jr_set_i64(root, "i", 1));
    TRY(jr_set_bool(root, "b", true));
    TRY(jr_set_null(root, "n"));
    TRY(jr_ensure_object(root, "o", &o));
    TRY(jr_ensure_array(o, "l", &l));
    TRY(jr_push_str(l, JR_S("x")));
    TRY(jr_push_object(l, NULL));
    TRY(jr_insert_copy(l, 1, ctx, NULL));
    TRY(jr_set_copy(root, JR_S("c"), ctx, NULL));
    TRY(jr_node_assign(jr_get(root, "s"), ctx));
#undef TRY
    return JR_OK;
}

static void trees(void **state)
{
    DOC *doc = must_parse("doc", jr_str(text));
    struct jr_node *root = jr_doc_root(doc);

    (void)state;
    each_allocation("check", check, NULL);
    each_allocation("parse", parse, NULL);
    each_allocation("build from a tape", build_from_tape, NULL);
    each_allocation("copy", copy, root);
    each_allocation("print", print, root);
    each_allocation("print as YAML", print_yaml, root);
    each_allocation("build", build, root);
    want_json("as it was", root,
              "{\"a\":[1,2.5,\"x\\n\",{\"bA\":null}],\"k01\":1,\"k02\":1,\"k03\":1,"
              "\"k04\":1,\"k05\":1,\"k06\":1,\"k07\":1,\"k08\":1,\"k09\":1,\"k10\":1,"
              "\"k11\":1,\"k12\":1,\"k13\":1,\"k14\":1,\"k15\":1,\"k16\":1,\"k17\":1,"
              "\"k18\":1,\"k19\":1,\"k20\":1,\"k21\":1,\"k22\":1,\"k23\":1,\"k24\":1,"
              "\"k25\":1,\"z\":{\"a/b\":\"c\"}}");
}

struct pair {
    struct jr_doc *a, *b, *patch;
};

static enum jr_status diff(void *ctx)
{
    const struct pair *p = ctx;
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_TEXT);
    return jr_patch_diff(jr_doc_root(p->a), jr_doc_root(p->b), &out);
}

/* On a document of its own, made while nothing fails. */
static enum jr_status apply(void *ctx)
{
    const struct pair *p = ctx;
    struct jr_error err = { 0 };
    enum jr_status st = jr_patch_apply(p->a, jr_doc_root(p->patch), &err);

    jr_failalloc_disarm();
    if (st != JR_OK)
        want_json("as it was", jr_doc_root(p->a), "{\"a\":{\"b\":[1,2,3]},\"c\":\"x\"}");
    return st;
}

static enum jr_status merge(void *ctx)
{
    const struct pair *p = ctx;
    DOC *doc = NULL;
    enum jr_status st = jr_doc_of(jr_doc_root(p->a), &doc);

    return st == JR_OK ? jr_merge_apply(jr_doc_root(doc), jr_doc_root(p->b)) : st;
}

static void patches(void **state)
{
    DOC *a = must_parse("a", jr_str(text));
    DOC *b = must_parse("b", jr_str(other));
    DOC *small = must_parse("small", JR_S("{\"a\":{\"b\":[1,2,3]},\"c\":\"x\"}"));
    DOC *patch = must_parse(
        "patch", JR_S("[{\"op\":\"add\",\"path\":\"/new~1key\",\"value\":{\"x\":[\"y\"]}},"
                      "{\"op\":\"remove\",\"path\":\"/a/b/1\"},{\"op\":\"replace\",\"path\":\"/"
                      "c\",\"value\":[]},"
                      "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c/"
                      "-\"},{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/d\"},"
                      "{\"op\":\"add\",\"path\":\"\",\"value\":{\"last\":1}},{\"op\":\"add\","
                      "\"path\":\"/z\",\"value\":\"end\"}]"));
    struct pair p = { a, b, NULL };

    (void)state;
    each_allocation("diff", diff, &p);
    each_allocation("merge", merge, &p);
    p = (struct pair){ small, NULL, patch };
    each_allocation("apply", apply, &p);
    want_json("applied", jr_doc_root(small), "{\"last\":1,\"z\":\"end\"}");
}

/* The one that has no way to fail gets slow instead. */
static void equality(void **state)
{
    DOC *a = must_parse("a", jr_str(text));
    DOC *b = must_parse("b", jr_str(text));
    DOC *c = NULL;
    DOC *d = must_parse("d", jr_str(other));

    (void)state;
    /* Another order. */
    assert_int_equal(jr_doc_of(jr_get(jr_doc_root(b), "a"), &c), JR_OK);
    jr_remove(jr_doc_root(b), JR_S("a"), NULL);
    assert_int_equal(jr_set_copy(jr_doc_root(b), JR_S("a"), jr_doc_root(c), NULL), JR_OK);
    jr_failalloc_arm(1);
    assert_true(jr_node_equal(jr_doc_root(a), jr_doc_root(b)));
    assert_true(jr_failalloc_hit());
    jr_failalloc_arm(1);
    assert_false(jr_node_equal(jr_doc_root(a), jr_doc_root(d)));
    jr_failalloc_disarm();
}

struct item {
    struct jr_str name;
    struct jr_i32s numbers;
};

TYPE_WITH(item, "Item", DECODED(struct item),
    STRING("name", AT(struct item, name)),
    INT32S("numbers", AT(struct item, numbers)));

static enum jr_status decode(void *ctx)
{
    JR_ARENA arena = { 0 };
    struct jr_slice out = { 0 };
    struct jr_error err = { 0 };

    (void)ctx;
    jr_arena_init(&arena, 0);
    return jr_decode(
        JR_S(
            "[{\"name\":\"\\n\",\"numbers\":[1,2,3,4,5,6,7,8,9]},{\"n\\u0061me\":\"x\"},{},{},{}]"),
        &arena, true, jr_schema_decode_list, &item, &out, &err);
}

static enum jr_status take(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    (void)ctx;
    (void)err;
    jr_positions_free(pos);
    jr_doc_free(doc);
    return JR_OK;
}

static enum jr_status read_yaml(void *ctx)
{
    struct jr_error err = { 0 };

    return jr_yaml_read(jr_str(ctx), NULL, take, NULL, &err);
}

static void parsers(void **state)
{
    char yaml[] = "a: &x {p: [1, yes, \"q\"], r: ~}\nb: *x\nc:\n  <<: [*x, {s: 1}]\n  p: 2\n&k d: "
                  "*k\n---\n- e\n";
    char json[] = "{\"a\\n\":[1,{\"b\":\"x\"}]}\n{\"c\":1}";

    (void)state;
    each_allocation("decode", decode, NULL);
    each_allocation("YAML", read_yaml, yaml);
    each_allocation("JSON as YAML", read_yaml, json);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees),
        cmocka_unit_test(patches),
        cmocka_unit_test(equality),
        cmocka_unit_test(parsers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
