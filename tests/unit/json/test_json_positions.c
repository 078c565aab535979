/* Where values stand: lookups in what is large. (What is small: test_json_yaml.c.) */
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
    static const struct CMUnitTest tests[] = { cmocka_unit_test(positions_in_what_is_large) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
