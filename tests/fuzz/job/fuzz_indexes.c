/* SPDX-License-Identifier: Apache-2.0 */
/* "COMPLETIONS LIST": the strict and the lenient reader of index lists. What the strict one accepts
 * the lenient one counts alike, and written again it is read as the same set. */
#include "common/base/num.h"
#include "common/job/indexes.h"

#include "tests/fuzz/fuzz.h"

#define INDEXES JR_CLEANUP(jr_indexes_done) struct jr_indexes

static bool same(const struct jr_indexes *a, const struct jr_indexes *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0);
}

static void check_set(const struct jr_indexes *s, int32_t completions)
{
    for (size_t i = 0; i < s->n; i++) {
        MUST(s->v[i].first <= s->v[i].last && s->v[i].first >= 0 && s->v[i].last < completions);
        MUST(i == 0 || s->v[i - 1].last + 1 < s->v[i].first);
        MUST(jr_indexes_has(s, s->v[i].first) && jr_indexes_has(s, s->v[i].last));
        MUST(!jr_indexes_has(s, s->v[i].first - 1));
    }
    MUST(jr_indexes_common(s, s) == (s->n == 0 ? -1 : s->v[0].first));
}

static void check_written(const struct jr_indexes *s, int32_t completions)
{
    INDEXES lenient = { 0 }, merged = { 0 };
    JR_BUF text = { 0 };
    int64_t count;

    jr_buf_init(&text, MAX_TEXT);
    MUST(jr_indexes_write(s, &text) == JR_OK);
    MUST(jr_indexes_check(jr_buf_str(&text), completions, &count, NULL) == JR_OK);
    MUST(count == jr_indexes_count(s));
    MUST(jr_indexes_read(jr_buf_str(&text), completions, &lenient) == JR_OK);
    MUST(same(s, &lenient));
    MUST(jr_indexes_merge(&merged, s) == JR_OK);
    MUST(jr_indexes_merge(&merged, s) == JR_OK);
    MUST(same(s, &merged));
    if (s->n > 0) {
        MUST(jr_indexes_add(&merged, s->v[0].first) == JR_OK);
        MUST(same(s, &merged));
    }
}

/** s: the set that the lenient reader has found. */
static void check_strict(struct jr_str list, int64_t completions, const struct jr_indexes *s)
{
    JR_BUF why = { 0 };
    int64_t count = 0;
    enum jr_status st;

    jr_buf_init(&why, MAX_TEXT);
    st = jr_indexes_check(list, completions, &count, &why);
    MUST((st == JR_OK) == (why.n == 0));
    if (st == JR_OK)
        MUST(count == jr_indexes_count(s));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str list = view_of(data, size), head;
    INDEXES s = { 0 };
    int64_t completions;

    if (!jr_str_cut(&list, ' ', &head) || jr_parse_i64(head, 0, INT32_MAX, &completions) != JR_OK)
        return 0;
    MUST(jr_indexes_read(list, (int32_t)completions, &s) == JR_OK);
    check_strict(list, completions, &s);
    check_set(&s, (int32_t)completions);
    check_written(&s, (int32_t)completions);
    return 0;
}
