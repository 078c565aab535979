/* SPDX-License-Identifier: Apache-2.0 */
/* Field paths: rendered, kept, followed. */
#include "tests/support/field_path.h"
#include "tests/unit/json/json_test.h"

static void want_path(const struct jr_field_path *path, const char *want, const char *want_go)
{
    JR_BUF b = { 0 };
    JR_BUF go = { 0 };
    JR_ARENA arena = { 0 };

    jr_buf_init(&b, MAX_TEXT);
    jr_buf_init(&go, MAX_TEXT);
    assert_int_equal(jr_field_path_write(path, &b), JR_OK);
    assert_int_equal(jr_field_path_write_go(path, &go), JR_OK);
    WANT_STR(want, b.p == NULL ? "" : b.p, want);
    WANT_STR(want, go.p == NULL ? "" : go.p, want_go);
    assert_true(jr_str_is(jr_field_path_text(path, &arena), want));
}

static void rendered(void **state)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path template = JR_FIELD(&spec, "template");
    const struct jr_field_path meta = JR_FIELD_HIDDEN(&template, JR_S("metadata"));
    const struct jr_field_path labels = JR_FIELD(&meta, "labels");
    const struct jr_field_path label = JR_FIELD_KEY(&labels, JR_S("a.b/c"));
    const struct jr_field_path culprit = JR_FIELD_HIDDEN(&labels, JR_S("d"));
    const struct jr_field_path list = JR_FIELD(&spec, "list");
    const struct jr_field_path element = JR_FIELD_AT(&list, 12);
    const struct jr_field_path hidden = JR_FIELD_HIDDEN_AT(&list, 3);
    struct jr_field_path embedded = JR_FIELD(&element, "name");

    (void)state;
    embedded.via = "VolumeSource";
    want_path(NULL, "", "");
    want_path(&labels, "spec.template.labels", "spec.template.labels");
    want_path(&label, "spec.template.labels[a.b/c]", "spec.template.labels[a.b/c]");
    want_path(&culprit, "spec.template.labels", "spec.template.labels");
    want_path(&hidden, "spec.list", "spec.list");
    want_path(&embedded, "spec.list[12].name", "spec.list.VolumeSource.name");
    want_path(&JR_FIELD_AT(NULL, 0), "[0]", "");
    want_path(&JR_FIELD_KEY(NULL, JR_S("")), "[]", "[]");
    assert_true(jr_field_path_begins(&culprit, "spec"));
    assert_false(jr_field_path_begins(&culprit, "metadata"));
    assert_false(jr_field_path_begins(NULL, "spec"));
}

/* Text that is appended to is no part of the path. */
static void rendered_behind_text(void **state)
{
    JR_BUF b = { 0 };

    (void)state;
    jr_buf_init(&b, MAX_TEXT);
    assert_int_equal(jr_buf_adds(&b, "at "), JR_OK);
    assert_int_equal(jr_field_path_write(&JR_FIELD(NULL, "spec"), &b), JR_OK);
    assert_string_equal(b.p, "at spec");
}

/* What is kept doesn't borrow, and shares its beginning with what was kept before. */
static void kept(void **state)
{
    char name[] = "name", other[] = "image";
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path element = JR_FIELD_AT(&spec, 1);
    const struct jr_field_path *one, *two, *three;
    JR_ARENA arena = { 0 };

    (void)state;
    assert_true(jr_field_path_keep(&JR_FIELD(&element, name), NULL, &arena, &one));
    assert_true(jr_field_path_keep(&JR_FIELD(&element, other), one, &arena, &two));
    assert_true(jr_field_path_keep(&JR_FIELD_AT(&spec, 2), two, &arena, &three));
    name[0] = other[0] = 'x';
    want_path(one, "spec[1].name", "spec.name");
    want_path(two, "spec[1].image", "spec.image");
    want_path(three, "spec[2]", "spec");
    assert_ptr_equal(one->parent, two->parent);
    assert_ptr_equal(one->parent->parent, three->parent);
    assert_true(jr_field_path_keep(NULL, one, &arena, &two));
    assert_null(two);
}

static void kept_within_bounds(void **state)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path *copy;
    JR_ARENA arena = { 0 };

    (void)state;
    jr_arena_init(&arena, sizeof(spec) + 8);
    assert_false(jr_field_path_keep(&JR_FIELD(&spec, "template"), NULL, &arena, &copy));
}

static const char text[] =
    "{\"metadata\":{\"labels\":{\"a/b.c\":\"1\",\"d\":\"x y\"},\"f\":[\"p\",\"q\"]},"
    "\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}}}";

static void followed(void **state)
{
    static const struct {
        const char *path;
        const char *want; /* as JSON; NULL: not there */
    } rows[] = {
        { "metadata.labels[a/b.c]", "\"1\"" },
        { "metadata.f[1]", "\"q\"" },
        { "metadata.f[2]", NULL },
        { "metadata.f[01]", NULL },
        { "metadata.f[x]", NULL },
        { "spec.template.spec.containers[1].name", "\"b\"" },
        { "spec.none.more", NULL },
        { "metadata.labels[d].more", NULL },
    };
    DOC *doc = NULL;

    (void)state;
    assert_int_equal(jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, NULL), JR_OK);
    assert_ptr_equal(jr_field_find(jr_doc_root(doc), NULL), jr_doc_root(doc));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        struct path_text path;
        const struct jr_node *n =
            jr_field_find(jr_doc_root(doc), path_of_text(rows[i].path, &path));
        JR_BUF have = { 0 };

        jr_buf_init(&have, MAX_TEXT);
        if (n != NULL)
            assert_int_equal(jr_node_print(n, &have), JR_OK);
        WANT_STR(rows[i].path, have.p == NULL ? "" : have.p,
                 rows[i].want == NULL ? "" : rows[i].want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(rendered), cmocka_unit_test(rendered_behind_text),
        cmocka_unit_test(kept),     cmocka_unit_test(kept_within_bounds),
        cmocka_unit_test(followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
