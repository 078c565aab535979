/* SPDX-License-Identifier: Apache-2.0 */
/* Two values, a NUL byte between them. The diff turns the first into the second; the second as a
 * patch is applied whole or not at all; merging twice is merging once. */
#include "common/json/patch.h"

#include "tests/fuzz/fuzz.h"

static void check_diff(const struct jr_doc *a, const struct jr_doc *b)
{
    const struct jr_node *from = jr_doc_root_const(a), *to = jr_doc_root_const(b);
    struct jr_reader_opts opts = { .max_depth = JR_READER_DEPTH_MAX };
    DOC *doc = NULL;
    DOC *patch = NULL;
    JR_BUF out = { 0 };

    jr_buf_init(&out, MAX_TEXT);
    MUST(jr_doc_of(from, &doc) == JR_OK);
    MUST(jr_patch_diff(from, to, &out) == JR_OK);
    MUST(jr_node_equal(from, to) == jr_str_eq(jr_buf_str(&out), JR_S("[]")));
    MUST(jr_doc_parse(jr_buf_str(&out), &opts, &patch, NULL) == JR_OK);
    MUST(jr_patch_apply(doc, jr_doc_root(patch), NULL) == JR_OK);
    MUST(jr_node_equal(jr_doc_root(doc), to));
}

static void check_apply(const struct jr_doc *a, const struct jr_doc *patch)
{
    struct jr_reader_opts opts = { .max_depth = JR_READER_DEPTH_MAX };
    DOC *doc = NULL;
    DOC *again = NULL;
    JR_BUF before = { 0 };
    JR_BUF after = { 0 };
    enum jr_status st;

    jr_buf_init(&before, MAX_TEXT);
    jr_buf_init(&after, MAX_TEXT);
    MUST(jr_doc_of(jr_doc_root_const(a), &doc) == JR_OK);
    must_print(jr_doc_root(doc), &before);
    st = jr_patch_apply(doc, jr_doc_root_const(patch), NULL);
    must_print(jr_doc_root(doc), &after);
    MUST(st == JR_OK || jr_str_eq(jr_buf_str(&before), jr_buf_str(&after)));
    MUST(jr_doc_parse(jr_buf_str(&after), &opts, &again, NULL) == JR_OK);
    MUST(jr_node_equal(jr_doc_root(doc), jr_doc_root(again)));
}

static void check_merge(const struct jr_doc *a, const struct jr_doc *patch)
{
    DOC *doc = NULL;
    JR_BUF once = { 0 };
    JR_BUF twice = { 0 };

    jr_buf_init(&once, MAX_TEXT);
    jr_buf_init(&twice, MAX_TEXT);
    MUST(jr_doc_of(jr_doc_root_const(a), &doc) == JR_OK);
    MUST(jr_merge_apply(jr_doc_root(doc), jr_doc_root_const(patch)) == JR_OK);
    must_print(jr_doc_root(doc), &once);
    MUST(jr_merge_apply(jr_doc_root(doc), jr_doc_root_const(patch)) == JR_OK);
    must_print(jr_doc_root(doc), &twice);
    MUST(jr_str_eq(jr_buf_str(&once), jr_buf_str(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str second = view_of(data, size), first;
    struct jr_reader_opts opts = JR_READER_LENIENT;
    DOC *a = NULL;
    DOC *b = NULL;

    if (!jr_str_cut(&second, '\0', &first))
        return 0;
    if (jr_doc_parse(first, &opts, &a, NULL) != JR_OK)
        return 0;
    (void)jr_pointer_get(jr_doc_root(a), second);
    if (jr_doc_parse(second, &opts, &b, NULL) != JR_OK)
        return 0;
    check_diff(a, b);
    check_apply(a, b);
    check_merge(a, b);
    return 0;
}
