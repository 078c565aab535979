/* SPDX-License-Identifier: Apache-2.0 */
/* The gate, the reader and the tree agree on every text; what was parsed prints and parses again.
 */
#include "common/schema/decode.h"
#include "common/schema/macros.h"

#include "tests/fuzz/fuzz.h"

/* The reader alone; it sees no duplicates. */
static enum jr_status read_tokens(struct jr_str text, size_t *ret_values)
{
    struct jr_reader g;
    struct jr_tok t = { .kind = JR_TOK_NULL };
    JR_ARENA arena = { 0 };
    enum jr_status st = JR_OK;

    jr_arena_init(&arena, 0);
    jr_reader_init(&g, text, 0);
    *ret_values = 0;
    while (st == JR_OK && t.kind != JR_TOK_END) {
        struct jr_str s;
        size_t was = g.at;

        st = jr_reader_next(&g, &t, NULL);
        if (st != JR_OK) {
            MUST(g.at == was);
            MUST(jr_reader_next(&g, &t, NULL) == st);
            break;
        }
        MUST(t.kind == JR_TOK_END || g.at > was);
        MUST(t.raw.p >= text.p && t.raw.p + t.raw.n <= text.p + text.n);
        if (t.kind == JR_TOK_STRING || t.kind == JR_TOK_KEY) {
            MUST(jr_tok_text(&t, &arena, &s) == JR_OK);
            MUST(s.n <= t.raw.n);
        }
        *ret_values += t.kind != JR_TOK_KEY && t.kind != JR_TOK_OBJECT_END &&
                       t.kind != JR_TOK_ARRAY_END && t.kind != JR_TOK_END;
    }
    return st;
}

static size_t count(const struct jr_node *n)
{
    size_t sum = 1;

    for (const struct jr_node *c = jr_first(n); c != NULL; c = jr_next(c))
        sum += count(c);
    return sum;
}

struct any {
    struct jr_str name;
    struct jr_opt_i64 number;
    struct jr_time time;
    struct jr_str raw;
    struct jr_slice list;
};

static const struct jr_schema_type any;
TYPE_WITH(any, "Any", DECODED(struct any),
    STRING("a", AT(struct any, name)),
    INT64_PTR("b", AT(struct any, number)),
    TIME("c", AT(struct any, time)),
    ANY("d", AT(struct any, raw)),
    LIST("e", any, AT(struct any, list)));

/* What decoding accepts, the gate accepts, duplicates aside. */
static void try_decode(struct jr_str text, bool copy, enum jr_status read)
{
    JR_ARENA arena = { 0 };
    struct any out = { 0 };
    struct jr_error err;
    enum jr_status st;

    jr_arena_init(&arena, 0);
    st = jr_decode(text, &arena, copy, jr_schema_decode, &any, &out, &err);
    MUST(st != JR_OK || read == JR_OK);
    MUST(st != JR_USAGE);
}

static void check_tree(const struct jr_doc *doc)
{
    const struct jr_node *root = jr_doc_root_const(doc);
    struct jr_reader_opts opts = JR_READER_STRICT;
    DOC *again = NULL;
    DOC *copy = NULL;
    JR_BUF one = { 0 };
    JR_BUF two = { 0 };

    jr_buf_init(&one, MAX_TEXT);
    jr_buf_init(&two, MAX_TEXT);
    must_print(root, &one);
    opts.max_bytes = 0;
    MUST(jr_doc_parse(jr_buf_str(&one), &opts, &again, NULL) == JR_OK);
    must_print(jr_doc_root(again), &two);
    MUST(jr_str_eq(jr_buf_str(&one), jr_buf_str(&two)));
    MUST(jr_node_equal(root, jr_doc_root(again)));
    MUST(jr_doc_of(root, &copy) == JR_OK);
    MUST(jr_node_equal(jr_doc_root(copy), root));
}

/* However a text is passed over, the same comes of it where it has passed the gate. */
static void check_skip(struct jr_str text, enum jr_status read)
{
    struct jr_reader slow, fast;
    struct jr_str a = { NULL, 0 }, b = { NULL, 0 };
    enum jr_status st;

    jr_reader_init(&slow, text, 0);
    jr_reader_init(&fast, text, 0);
    fast.lenient = true;
    st = jr_reader_skip(&fast, &b, NULL);
    MUST(st != JR_OK || (b.p >= text.p && b.p + b.n <= text.p + text.n));
    if (read != JR_OK)
        return;
    MUST(st == JR_OK && jr_reader_skip(&slow, &a, NULL) == JR_OK);
    MUST(a.p == b.p && a.n == b.n);
}

/* What was counted is what the tokens are. */
static void check_counts(struct jr_str text, enum jr_status read)
{
    struct jr_reader_counts want = { 0 };
    struct jr_tok t = { .kind = JR_TOK_NULL };
    struct jr_reader g;
    bool member = false;

    if (read != JR_OK)
        return;
    jr_reader_init(&g, text, 0);
    while (jr_reader_next(&g, &t, NULL) == JR_OK && t.kind != JR_TOK_END) {
        if (t.kind == JR_TOK_OBJECT)
            *(member ? &want.members : &want.elements) += 1;
        else if (t.kind != JR_TOK_KEY && t.kind != JR_TOK_OBJECT_END && t.kind != JR_TOK_ARRAY_END)
            want.values++;
        member = t.kind == JR_TOK_KEY;
    }
    MUST(g.counts.values == want.values && g.counts.members == want.members &&
         g.counts.elements == want.elements);
}

/* A tree that leaves a member out is the whole one without it. */
static void check_leave_out(const struct jr_tape *tape, enum jr_status parsed,
                            const struct jr_doc *doc)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT, .leave_out = { "a", "b" } };
    DOC *built = NULL;
    DOC *want = NULL;

    MUST(jr_doc_build(tape, &opts, &built, NULL) == parsed);
    if (parsed != JR_OK)
        return;
    MUST(jr_doc_of(jr_doc_root_const(doc), &want) == JR_OK);
    jr_remove(jr_get(jr_doc_root(want), "a"), JR_S("b"), NULL);
    MUST(jr_node_equal(jr_doc_root(built), jr_doc_root(want)));
}

/* Noted tokens give the same tree as the text, or the same error. */
static void check_tape(struct jr_str text, enum jr_status read, const struct jr_error *parsed,
                       const struct jr_doc *doc)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_REJECT };
    struct jr_tape tape = { .values = 0 };
    JR_ARENA arena = { 0 };
    struct jr_error err = { .status = JR_OK };
    struct jr_reader g;
    struct jr_tok t;
    DOC *built = NULL;

    jr_reader_init(&g, text, 0);
    if (jr_tape_read(&g, &arena, &tape, NULL) != JR_OK || jr_reader_next(&g, &t, NULL) != JR_OK) {
        MUST(read != JR_OK);
        return;
    }
    MUST(read == JR_OK && arena.used <= 8 * text.n + ((size_t)20 << 10));
    if (tape.text.p == NULL) /* a null */
        return;
    MUST(jr_doc_build(&tape, &opts, &built, &err) == parsed->status);
    MUST(parsed->status == JR_OK || strcmp(err.path, parsed->path) == 0);
    MUST(parsed->status != JR_OK || jr_node_equal(jr_doc_root(built), jr_doc_root_const(doc)));
    check_leave_out(&tape, parsed->status, doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str text = view_of(data, size);
    struct jr_reader_opts strict = JR_READER_STRICT, lenient = JR_READER_LENIENT;
    DOC *a = NULL;
    DOC *b = NULL;
    struct jr_error err, parsed = { .status = JR_OK };
    size_t values;
    enum jr_status read = read_tokens(text, &values);
    enum jr_status st = jr_json_check(text, &strict, &err);

    MUST(jr_doc_parse(text, &strict, &a, &parsed) == st);
    MUST(st == read || (st == JR_INVALID && read != JR_INVALID));
    MUST(jr_json_check(text, &lenient, &err) == read);
    MUST(jr_doc_parse(text, &lenient, &b, &err) == read);
    if (st == JR_OK) {
        MUST(jr_node_equal(jr_doc_root(a), jr_doc_root(b)));
        MUST(count(jr_doc_root(a)) == values);
    }
    if (read == JR_OK)
        check_tree(b);
    check_tape(text, read, &parsed, a);
    check_skip(text, read);
    check_counts(text, read);
    try_decode(text, false, read);
    try_decode(text, true, read);
    return 0;
}
