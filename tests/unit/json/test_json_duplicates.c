/* SPDX-License-Identifier: Apache-2.0 */
/* Duplicate keys where they are taken: the last counts, and each is told with its path. */
#include "common/json/yaml.h"

#include "tests/unit/json/json_test.h"

struct sink {
    struct jr_buf out; /* the paths, a line each, then the document as JSON */
    unsigned line;     /* of `a` */
    const struct jr_positions *pos;
};

static void sink_done(struct sink *s)
{
    jr_buf_done(&s->out);
}

#define SINK JR_CLEANUP(sink_done) struct sink

static enum jr_status gather(void *ctx, size_t at)
{
    struct sink *s = ctx;
    JR_BUF path = { 0 };

    jr_buf_init(&path, MAX_TEXT);
    jr_positions_write(s->pos, 0, at, &path);
    return jr_buf_addf(&s->out, "%.*s\n", JR_P(jr_buf_str(&path)));
}

static enum jr_status take_duplicates(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                                      struct jr_error *err)
{
    struct sink *s = ctx;
    unsigned column;
    enum jr_status st;

    (void)err;
    s->pos = pos;
    st = jr_positions_duplicates(pos, gather, s);
    jr_positions_place(pos, jr_positions_find(pos, 0, &JR_FIELD(NULL, "a")), &s->line, &column);
    if (st == JR_OK)
        st = jr_node_print(jr_doc_root(doc), &s->out);
    jr_positions_free(pos);
    jr_doc_free(doc);
    return st;
}

static void duplicates_are_told(void **state)
{
    static const struct {
        const char *text;
        const char *want;
        unsigned line;
    } rows[] = {
        { "a: 1\nb: 2\n", "{\"a\":1,\"b\":2}", 1 },
        { "a: 1\nb: 2\na: 3\n", "a\n{\"b\":2,\"a\":3}", 3 },
        { "{\"a\": 1,\n\"a\": 2,\n\"a\": 3}", "a\n{\"a\":3}", 3 },
        { "l:\n- x: 1\n  \"x\": 2\n- x: 1\na: {b/c: 1, b/c: 2}\n",
          "l[0].x\na.b/c\n{\"l\":[{\"x\":2},{\"x\":1}],\"a\":{\"b/c\":2}}", 5 },
        { "b: &b {a: 1}\n<<: *b\na: 2\n", "{\"b\":{\"a\":1},\"a\":2}", 3 },
        { "b: &b {a: 1}\na: 1\n<<: *b\na: 2\n", "a\n{\"b\":{\"a\":1},\"a\":2}", 4 },
    };
    const struct jr_yaml_limits limits = { .dup = JR_DUP_LAST };

    (void)state;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        SINK s = { .line = 0 };
        struct jr_error err = { 0 };

        jr_buf_init(&s.out, MAX_TEXT);
        if (jr_yaml_read(jr_str(rows[i].text), &limits, take_duplicates, &s, &err) != JR_OK)
            fail_msg("%s: %s", rows[i].text, err.msg);
        WANT_STR(rows[i].text, s.out.p, rows[i].want);
        WANT_INT(rows[i].text, s.line, rows[i].line);
    }
    assert_int_equal(jr_positions_duplicates(NULL, gather, NULL), JR_OK);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicates_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
