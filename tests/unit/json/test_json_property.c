/* SPDX-License-Identifier: Apache-2.0 */
/* Properties over generated values. The seed is fixed: a failure names the round it came from. */
#include "common/base/clock.h"
#include "common/json/patch.h"
#include "common/json/write.h"
#include "common/json/yaml.h"

#include "tests/unit/json/json_test.h"

struct gen {
    struct jr_rand_seeded seed;
    struct jr_rand rand;
    bool plain_numbers; /* only integers: all that YAML gives back as it was written */
};

static size_t below(struct gen *g, size_t n)
{
    return (size_t)jr_rand_below(&g->rand, n);
}

/* Few keys, so that values meet; nasty ones among them. */
static struct jr_str gen_key(struct gen *g)
{
    static const char *const keys[] = { "a",     "b",      "c",  "A",  "",
                                        "a/b",   "m~n",    "~1", "0",  "-",
                                        "x.y/z", "\u00e9", "\"", "\\", "key with spaces",
                                        "true",  "null",   "1" };

    return jr_str(keys[below(g, JR_ARRAY_SIZE(keys))]);
}

static void gen_string(struct gen *g, struct jr_buf *out)
{
    static const char *const parts[] = { "a",      "b ",     " ",    "\n",       "\t",
                                         "\"",     "\\",     "/",    "\u00e9",   "\U0001f600",
                                         "\u2028", "\ufeff", "\x7f", "\x01",     ": ",
                                         " #",     "- ",     "yes",  "0x1f",     "1:30",
                                         "---",    "{",      "%",    "\xc2\x85", "'" };
    JR_BUF s = { 0 };

    jr_buf_init(&s, 1000);
    for (size_t n = below(g, 4); n > 0; n--)
        jr_buf_adds(&s, parts[below(g, JR_ARRAY_SIZE(parts))]);
    if (below(g, 20) == 0)
        jr_buf_addc(&s, '\0');
    assert_int_equal(jr_json_quote(jr_buf_str(&s), out), JR_OK);
}

static void gen_number(struct gen *g, struct jr_buf *out)
{
    static const char *const numbers[] = { "0",
                                           "1",
                                           "-1",
                                           "7",
                                           "2147483648",
                                           "9007199254740993",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "1.0",
                                           "-0",
                                           "1e400",
                                           "0.1",
                                           "1E+2",
                                           "12345678901234567890123" };

    jr_buf_adds(out, numbers[below(g, g->plain_numbers ? 8 : JR_ARRAY_SIZE(numbers))]);
}

#define DEPTH 5u

static void gen_value(struct gen *g, unsigned depth, struct jr_buf *out)
{
    size_t kind = depth == DEPTH ? 3 + below(g, 6) : below(g, depth == 0 ? 5 : 9);

    if (kind < 3) {
        static const char *const words[] = { "null", "true", "false" };

        jr_buf_adds(out, words[kind]);
    } else if (kind == 3) {
        gen_number(g, out);
    } else if (kind == 4) {
        gen_string(g, out);
    } else {
        const bool object = kind < 7;
        size_t n = below(g, 5);

        jr_buf_addc(out, object ? '{' : '[');
        for (size_t i = 0; i < n; i++) {
            if (i > 0)
                jr_buf_addc(out, ',');
            if (object) {
                assert_int_equal(jr_json_quote(gen_key(g), out), JR_OK);
                jr_buf_addc(out, ':');
            }
            gen_value(g, depth - 1, out);
        }
        jr_buf_addc(out, object ? '}' : ']');
    }
}

static struct jr_doc *gen_doc(struct gen *g)
{
    struct jr_reader_opts opts = JR_READER_LENIENT;
    struct jr_doc *doc = NULL;
    JR_BUF text = { 0 };

    jr_buf_init(&text, MAX_TEXT);
    gen_value(g, DEPTH, &text);
    assert_int_equal(jr_doc_parse(jr_buf_str(&text), &opts, &doc, NULL), JR_OK);
    return doc;
}

#define ROUNDS 4000

static void start(struct gen *g, unsigned round)
{
    g->plain_numbers = false;
    g->rand = jr_rand_of_seed(&g->seed, 0x6a6f62 + (uint64_t)round);
}

static void print(const struct jr_node *n, struct jr_buf *out)
{
    jr_buf_reset(out);
    assert_int_equal(jr_node_print(n, out), JR_OK);
}

static void diff_then_apply_gives_the_other(void **state)
{
    JR_BUF out = { 0 };
    JR_BUF other = { 0 };

    (void)state;
    jr_buf_init(&out, MAX_TEXT);
    jr_buf_init(&other, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        DOC *patch = NULL;

        start(&g, round);
        a = gen_doc(&g);
        b = gen_doc(&g);
        jr_buf_reset(&out);
        assert_int_equal(jr_patch_diff(jr_doc_root(a), jr_doc_root(a), &out), JR_OK);
        WANT_STR("no difference", out.p, "[]");
        jr_buf_reset(&out);
        assert_int_equal(jr_patch_diff(jr_doc_root(a), jr_doc_root(b), &out), JR_OK);
        patch = must_parse("patch", jr_buf_str(&out));
        if (jr_patch_apply(a, jr_doc_root(patch), NULL) != JR_OK ||
            !jr_node_equal(jr_doc_root(a), jr_doc_root(b))) {
            print(jr_doc_root(a), &other);
            fail_msg("round %u: %s gave %s", round, out.p, other.p);
        }
    }
}

/* A patch whose last operation fails leaves no trace of the others. */
static void failing_patches_change_nothing(void **state)
{
    JR_BUF before = { 0 };
    JR_BUF after = { 0 };

    (void)state;
    jr_buf_init(&before, MAX_TEXT);
    jr_buf_init(&after, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        DOC *patch = NULL;
        struct jr_node *op;

        start(&g, round);
        a = gen_doc(&g);
        b = gen_doc(&g);
        jr_buf_reset(&before);
        assert_int_equal(jr_patch_diff(jr_doc_root(a), jr_doc_root(b), &before), JR_OK);
        patch = must_parse("patch", jr_buf_str(&before));
        assert_int_equal(jr_push_object(jr_doc_root(patch), &op), JR_OK);
        assert_int_equal(jr_set_str(op, "op", JR_S("remove")), JR_OK);
        assert_int_equal(jr_set_str(op, "path", JR_S("/not/there")), JR_OK);
        print(jr_doc_root(a), &before);
        assert_int_equal(jr_patch_apply(a, jr_doc_root(patch), NULL), JR_NOTFOUND);
        print(jr_doc_root(a), &after);
        WANT_STR("as it was", after.p, before.p);
    }
}

static void print_then_parse_is_the_same(void **state)
{
    JR_BUF one = { 0 };
    JR_BUF two = { 0 };

    (void)state;
    jr_buf_init(&one, MAX_TEXT);
    jr_buf_init(&two, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        DOC *c = NULL;

        start(&g, round);
        a = gen_doc(&g);
        print(jr_doc_root(a), &one);
        b = must_parse("printed", jr_buf_str(&one));
        assert_true(jr_node_equal(jr_doc_root(a), jr_doc_root(b)));
        print(jr_doc_root(b), &two);
        WANT_STR("stable", two.p, one.p);
        jr_buf_reset(&two);
        assert_int_equal(jr_node_print_pretty(jr_doc_root(a), &two), JR_OK);
        c = must_parse("pretty", jr_buf_str(&two));
        print(jr_doc_root(c), &two);
        WANT_STR("pretty", two.p, one.p);
    }
}

static bool has_null(const struct jr_node *n)
{
    if (jr_node_kind(n) == JR_NULL)
        return true;
    if (jr_node_kind(n) == JR_OBJECT) {
        for (const struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c)) {
            if (has_null(c))
                return true;
        }
    }
    return false;
}

static void merging(void **state)
{
    JR_BUF out = { 0 };

    (void)state;
    jr_buf_init(&out, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        DOC *empty = NULL;
        bool nulls;

        start(&g, round);
        a = gen_doc(&g);
        b = gen_doc(&g);
        nulls = has_null(jr_doc_root(b));
        assert_int_equal(jr_merge_apply(jr_doc_root(a), jr_doc_root(b)), JR_OK);
        print(jr_doc_root(a), &out);
        assert_int_equal(jr_merge_apply(jr_doc_root(a), jr_doc_root(b)), JR_OK);
        want_json("twice is once", jr_doc_root(a), out.p);
        if (nulls)
            continue;
        assert_int_equal(jr_doc_new(&empty), JR_OK);
        assert_int_equal(jr_merge_apply(jr_doc_root(empty), jr_doc_root(b)), JR_OK);
        assert_true(jr_node_equal(jr_doc_root(empty), jr_doc_root(b)));
    }
}

static enum jr_status take(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    (void)err;
    jr_positions_free(pos);
    jr_doc_free(*(struct jr_doc **)ctx);
    *(struct jr_doc **)ctx = doc;
    return JR_OK;
}

static void yaml_gives_back_what_was_printed(void **state)
{
    JR_BUF out = { 0 };
    JR_BUF want = { 0 };

    (void)state;
    jr_buf_init(&out, MAX_TEXT);
    jr_buf_init(&want, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        struct jr_error err = { 0 };

        start(&g, round);
        g.plain_numbers = true;
        a = gen_doc(&g);
        if (jr_unset(jr_doc_root(a)))
            continue; /* an empty document */
        jr_buf_reset(&out);
        assert_int_equal(jr_yaml_print(jr_doc_root(a), &out), JR_OK);
        print(jr_doc_root(a), &want);
        if (jr_yaml_read(jr_buf_str(&out), NULL, take, &b, &err) != JR_OK)
            fail_msg("round %u: %s\n%s\n%s", round, err.msg, want.p, out.p);
        assert_non_null(b);
        want_json(out.p, jr_doc_root(b), want.p);
    }
}

/* JSON is YAML: what the gate reads, libyaml reads too, and the same. */
static void json_as_yaml(void **state)
{
    JR_BUF text = { 0 };
    JR_BUF want = { 0 };

    (void)state;
    jr_buf_init(&text, MAX_TEXT);
    jr_buf_init(&want, MAX_TEXT);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct gen g;
        DOC *a = NULL;
        DOC *b = NULL;
        DOC *c = NULL;
        struct jr_error err = { 0 };

        start(&g, round);
        g.plain_numbers = true;
        a = gen_doc(&g);
        print(jr_doc_root(a), &want);
        /* U+007F is no character of YAML, others end lines there. */
        if (jr_size(jr_doc_root(a)) == 0 || strstr(want.p, "\x7f") != NULL ||
            strstr(want.p, "\u2028") != NULL || strstr(want.p, "\xc2\x85") != NULL)
            continue;
        assert_int_equal(jr_yaml_read(jr_buf_str(&want), NULL, take, &b, &err), JR_OK);
        want_json("as JSON", jr_doc_root(b), want.p);
        jr_buf_reset(&text);
        jr_buf_addf(&text, "---\n%s\n", want.p);
        if (jr_yaml_read(jr_buf_str(&text), NULL, take, &c, &err) != JR_OK)
            fail_msg("round %u: %s\n%s", round, err.msg, text.p);
        want_json("as YAML", jr_doc_root(c), want.p);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(diff_then_apply_gives_the_other),
        cmocka_unit_test(failing_patches_change_nothing),
        cmocka_unit_test(print_then_parse_is_the_same),
        cmocka_unit_test(merging),
        cmocka_unit_test(yaml_gives_back_what_was_printed),
        cmocka_unit_test(json_as_yaml),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
