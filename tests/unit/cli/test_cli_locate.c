#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/locate.h"

static const char text[] =
    "{\"metadata\":{\"labels\":{\"a/b.c\":\"1\",\"d\":\"x y\"},\"f\":[\"p\",\"q\"]},"
    "\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"-\":\"v\"}},"
    "\"spec\":{\"containers\":[{\"name\":\"a\",\"probe\":{\"x\":1}},"
    "{\"name\":\"b\"},{\"probe\":null}]}}}}";

static void test_values(void **state)
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
        { "metadata.f[", NULL },
        { "spec.template.spec.containers[1].name", "\"b\"" },
        { "spec.none.more", NULL },
        { "metadata.labels[d].more", NULL },
    };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    (void)state;
    assert_int_equal(jr_doc_parse(jr_str(text), &JR_GATE_STRICT, &doc, NULL), JR_OK);
    assert_ptr_equal(jr_locate(jr_doc_root(doc), JR_S("")), jr_doc_root(doc));
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_node *n = jr_locate(jr_doc_root(doc), jr_str(rows[i].path));
        JR_BUF have = { 0 };

        jr_buf_init(&have, 1000);
        if (n != NULL)
            assert_int_equal(jr_node_print(n, &have), JR_OK);
        if (!jr_str_eq(jr_buf_str(&have), jr_str(rows[i].want)))
            fail_msg("%s: %s", rows[i].path, have.p);
    }
}

static void test_causes(void **state)
{
    static const struct {
        const char *field, *value;
        const char *want;
    } rows[] = {
        { "metadata.labels", "\"d\"", "metadata.labels[d]" },   /* a key */
        { "metadata.labels", "\"x y\"", "metadata.labels[d]" }, /* a value */
        { "metadata.labels", "\"none\"", "metadata.labels" },
        { "metadata.labels", "{\"d\":1}", "metadata.labels" },
        { "metadata.labels", NULL, "metadata.labels" },
        { "metadata.f", "\"q\"", "metadata.f[1]" },
        { "spec.template.labels", "\"-\"", "spec.template.metadata.labels[-]" },
        { "spec.template.annotations", NULL, "spec.template.metadata.annotations" },
        { "none", "\"q\"", "none" },
    };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_ARENA arena = { 0 };

    (void)state;
    assert_int_equal(jr_doc_parse(jr_str(text), &JR_GATE_STRICT, &doc, NULL), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        const struct jr_field_error e = { .field = jr_str(rows[i].field),
                                          .value = jr_str(rows[i].value) };
        struct jr_str have = jr_locate_cause(jr_doc_root(doc), &e, &arena);

        if (!jr_str_is(have, rows[i].want))
            fail_msg("%s: %.*s, want %s", rows[i].field, JR_P(have), rows[i].want);
    }
}

static enum jr_status gather(void *ctx, struct jr_str path)
{
    return jr_buf_addf(ctx, "%.*s\n", JR_P(path));
}

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern;
        const char *want;
    } rows[] = {
        { "template.spec.containers[*].name",
          "spec.template.spec.containers[0].name\nspec.template.spec.containers[1].name\n" },
        { "template.spec.containers[*].probe", "spec.template.spec.containers[0].probe\n" },
        { "template.metadata", "spec.template.metadata\n" },
        { "template[*].x", "" },
        { "none.x[*]", "" },
    };
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;

    (void)state;
    assert_int_equal(jr_doc_parse(jr_str(text), &JR_GATE_STRICT, &doc, NULL), JR_OK);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        JR_BUF have = { 0 };

        jr_buf_init(&have, 1000);
        assert_int_equal(jr_locate_each(jr_get(jr_doc_root(doc), "spec"), JR_S("spec"),
                                        rows[i].pattern, gather, &have),
                         JR_OK);
        if (!jr_str_is(jr_buf_str(&have), rows[i].want))
            fail_msg("%s: %s", rows[i].pattern, have.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
