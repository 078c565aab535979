/* SPDX-License-Identifier: Apache-2.0 */
/* Where values stand. */
#include "common/json/yaml.h"

#include "tests/support/field_path.h"
#include "tests/unit/json/json_test.h"

/* Keeps the document's positions. */
static enum jr_status keep(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    struct jr_positions **ret = ctx;

    (void)err;
    jr_doc_free(doc);
    *ret = pos;
    return JR_OK;
}

static enum jr_status keep_first(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                 struct jr_error *err)
{
    (void)keep(ctx, doc, pos, NULL);
    return jr_fail(err, JR_CANCELLED, NULL, "enough");
}

static enum jr_status keep_last(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                struct jr_error *err)
{
    struct jr_positions **ret = ctx;

    jr_positions_free(*ret);
    return keep(ctx, doc, pos, err);
}

static const char placed[] = "# a comment\n"
                             "metadata:\n"
                             "  name: pi\n"
                             "  labels: {a/b: 1, x.y/z: 2, plain: 3}\n"
                             "spec:\n"
                             "  template:\n"
                             "    spec:\n"
                             "      containers:\n"
                             "      - name: one\n"
                             "      - name: two\n"
                             "        env: &e\n"
                             "        - x\n"
                             "      other: *e\n"
                             "      a:\n"
                             "      a.b:\n"
                             "        c: 1\n";

static const char placed_json[] = "\n{ \"metadata\": {\"labels\":\n"
                                  "  {\"a/b\": \"1\"}},\n"
                                  "\t\"spec\": [1,\n"
                                  " [ 2, {\"x\": null}]]}\n"
                                  "  {\"second\": 1}";

static void positions(void **state)
{
    static const struct {
        const char *text;
        const char *path;
        unsigned line, column;
    } rows[] = {
        { placed, "", 2, 1 },
        { placed, "metadata", 3, 3 },
        { placed, "metadata.name", 3, 9 },
        { placed, "metadata.name.more", 3, 9 },
        { placed, "metadata.labels[a/b]", 4, 17 },
        { placed, "metadata.labels[x.y/z]", 4, 27 },
        { placed, "metadata.labels[plain]", 4, 37 },
        { placed, "metadata.labels.plain", 4, 37 },
        { placed, "metadata.labels[none]", 4, 11 },
        { placed, "metadata.labelsX", 3, 3 },
        { placed, "metadata.label", 3, 3 },
        { placed, "spec.template.spec.containers[0].name", 9, 15 },
        { placed, "spec.template.spec.containers[1].name", 10, 15 },
        { placed, "spec.template.spec.containers[1].env[0]", 12, 11 },
        { placed, "spec.template.spec.containers[1].env[1]", 12, 9 },
        { placed, "spec.template.spec.containers[2]", 9, 7 },
        { placed, "spec.template.spec.containers[01]", 9, 7 },
        { placed, "spec.template.spec.other[0]", 13, 14 },
        { placed, "spec.template.spec[a.b].c", 16, 12 },
        { placed, "none", 2, 1 },
        { placed_json, "", 2, 1 },
        { placed_json, "metadata.labels", 3, 3 },
        { placed_json, "metadata.labels[a/b]", 3, 11 },
        { placed_json, "spec[0]", 4, 11 },
        { placed_json, "spec[1][1].x", 5, 13 },
        /* behind anchors and tags */
        { "a: &x  b\n", "a", 1, 8 },
        { "\u00e9: &x 1\na: &y # z\n  b: &z !!str c\n", "a", 3, 3 },
        { "\u00e9: &x 1\na: &y # z\n  b: &z !!str c\n", "a.b", 3, 15 },
        { "a: [&x {b: 1}, &y [2]]\n", "a[0]", 1, 8 },
        { "a: [&x {b: 1}, &y [2]]\n", "a[1]", 1, 19 },
        { "a: &x\nb: *x\n", "a", 1, 4 },
        { "a: &x \"&y\"\n", "a", 1, 7 },
        /* columns are in characters, in YAML and in JSON */
        { "{k: \"\u00e9\u00e9\", a: 1}\n", "a", 1, 14 },
        { "{\"k\": \"\u00e9\u00e9\", \"a\": 1}\n", "a", 1, 18 },
    };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_CLEANUP(jr_positions_freep) struct jr_positions *p = NULL;
        struct path_text path;
        unsigned line, column;

        assert_int_equal(jr_yaml_read(jr_str(rows[i].text), NULL, keep_first, &p, NULL),
                         JR_CANCELLED);
        jr_positions_place(p, jr_positions_find(p, 0, path_of_text(rows[i].path, &path)), &line,
                           &column);
        WANT_INT(rows[i].path, line, rows[i].line);
        WANT_INT(rows[i].path, column, rows[i].column);
    }
}

/* Of the second document of a text, too. */
static void positions_of_a_later_document(void **state)
{
    JR_CLEANUP(jr_positions_freep) struct jr_positions *p = NULL;
    unsigned line, column;

    (void)state;
    assert_int_equal(jr_yaml_read(jr_str(placed_json), NULL, keep_last, &p, NULL), JR_OK);
    jr_positions_place(p, jr_positions_find(p, 0, &JR_FIELD(NULL, "second")), &line, &column);
    assert_int_equal(line, 6);
    assert_int_equal(column, 14);
}

static void positions_of_nothing(void **state)
{
    unsigned line = 0, column = 0;

    (void)state;
    assert_int_equal(jr_positions_find(NULL, 0, &JR_FIELD(NULL, "a")), 0);
    jr_positions_place(NULL, 0, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
    jr_positions_free(NULL);
}

/* A long list and a wide object, a value a line, with and without the index. */
static void positions_in_what_is_large(void **state)
{
    static const struct {
        const char *path;
        unsigned line;
    } rows[] = {
        { "wide.k0", 1003 },       { "wide.k39", 1042 },    { "wide[k7]", 1010 },
        { "wide.a", 1046 },        { "wide.a.b", 1046 },    { "wide.a.b.c", 1046 },
        { "wide[a.b.c.d]", 1045 }, { "wide.a.x", 1046 },    { "wide[a.b]", 1044 },
        { "wide[a.b].c", 1044 },   { "wide.none", 1003 },   { "wide[none]", 1003 },
        { "wide.k", 1003 },        { "wide.k40", 1003 },    { "wide[]", 1003 },
        { "wide.", 1003 },         { "wide[a.b.c]", 1003 }, { "list[1000]", 2 },
        { "list[-1]", 2 },         { "list.0", 2 },         { "list[00]", 2 },
        { "wide[0]", 1003 },
    };
    const struct jr_yaml_limits limits = { .dup = JR_DUP_LAST };
    JR_CLEANUP(jr_positions_freep) struct jr_positions *p = NULL;
    JR_BUF text = { 0 };
    struct path_text path;
    unsigned line, column;

    (void)state;
    jr_buf_init(&text, MAX_TEXT);
    jr_buf_adds(&text, "list:\n");
    for (int i = 0; i < 1000; i++)
        jr_buf_adds(&text, "- x\n");
    jr_buf_adds(&text, "wide:\n");
    for (int i = 0; i < 40; i++)
        jr_buf_addf(&text, " k%d: 1\n", i);
    jr_buf_adds(&text, " a: {b: 1}\n a.b: 1\n a.b.c.d: 1\n a: 1\n");
    assert_int_equal(jr_yaml_read(jr_buf_str(&text), &limits, keep, &p, NULL), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        jr_positions_place(p, jr_positions_find(p, 0, path_of_text(rows[i].path, &path)), &line,
                           &column);
        WANT_INT(rows[i].path, line, rows[i].line);
    }
    for (unsigned i = 0; i < 1000; i++) {
        const struct jr_field_path list = JR_FIELD(NULL, "list");
        const size_t place = jr_positions_find(p, 0, &list);

        jr_positions_place(p, jr_positions_find(p, place, &JR_FIELD_AT(NULL, i)), &line, &column);
        assert_int_equal(line, i + 2);
        assert_true(jr_positions_below(p, jr_positions_find(p, 0, &JR_FIELD_AT(&list, i)), place));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions),
        cmocka_unit_test(positions_of_a_later_document),
        cmocka_unit_test(positions_of_nothing),
        cmocka_unit_test(positions_in_what_is_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
