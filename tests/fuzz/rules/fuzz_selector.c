/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and a label selector, both JSON, a NUL byte between them. A selector that can't be parsed
 * matches nothing; each of its terms only narrows what it matches. */
#include "common/rules/selector.h"
#include "common/schema/decode.h"

#include "tests/fuzz/fuzz.h"

/** A selector without its first expression, and one without expressions. */
static void check_narrowing(const struct jr_selector *s, const struct jr_labels *labels)
{
    struct jr_selector fewer = *s, none = *s;

    none.match_expressions.n = 0;
    MUST(jr_selector_matches(&none, labels));
    if (s->match_expressions.n == 0)
        return;
    fewer.match_expressions.v++;
    fewer.match_expressions.n--;
    MUST(jr_selector_matches(&fewer, labels));
}

static void check_labels(const struct jr_selector *s, const struct jr_labels *labels)
{
    for (size_t i = 0; i < s->match_labels.n; i++) {
        const struct jr_label *want = &s->match_labels.v[i];

        MUST(jr_str_eq(jr_labels_get(labels, want->key), want->value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jr_str second = view_of(data, size), first;
    JR_ARENA arena = { 0 };
    struct jr_labels labels = { NULL, 0 };
    struct jr_selector s = { .set = false };
    struct jr_error err;

    jr_arena_init(&arena, 0);
    if (!jr_str_cut(&second, '\0', &first) ||
        jr_decode(first, &arena, true, jr_decode_labels, NULL, &labels, &err) != JR_OK ||
        jr_decode(second, &arena, true, jr_schema_decode, &jr_schema_label_selector, &s, &err) !=
            JR_OK)
        return 0;
    s.set = true;
    if (!jr_selector_matches(&s, &labels))
        return 0;
    MUST(jr_selector_valid(&s));
    check_narrowing(&s, &labels);
    check_labels(&s, &labels);
    return 0;
}
