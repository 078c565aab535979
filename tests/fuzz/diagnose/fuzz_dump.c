/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps: each Job, CronJob and Pod of a List gets a diagnosis, and the same one in whatever order
 * the objects come. */
#include "common/base/memory.h"
#include "common/diagnose/diagnosis.h"
#include "tests/fuzz/fuzz.h"

#define ITEMS_MAX 200

/** The evidence of the items, from the last one on where they are to come backwards. */
static struct jr_evidence *evidence_of(const struct jr_node *items, bool backwards)
{
    struct jr_evidence *ev = jr_evidence_new();
    const size_t n = jr_size(items) < ITEMS_MAX ? jr_size(items) : ITEMS_MAX;
    JR_BUF text = { 0 };

    jr_buf_init(&text, MAX_TEXT);
    for (size_t i = 0; i < n; i++) {
        must_print(jr_at(items, backwards ? n - 1 - i : i), &text);
        if (jr_evidence_add(ev, NULL, jr_buf_str(&text), NULL) != JR_OK)
            continue; /* it is no evidence */
    }
    jr_evidence_is_file(ev);
    jr_evidence_seal(ev);
    return ev;
}

static void check(const struct jr_diagnosis *d)
{
    MUST(d->n_causes > 0 && d->n_causes <= JR_CAUSES_MAX);
    MUST(d->n_next <= JR_NEXT_MAX && d->n_unseen <= JR_UNSEEN_MAX);
    MUST(d->who.n > 0 && d->causes[0].text.n > 0);
    MUST(!jr_time_set(d->when) || d->when_is != NULL);
}

/** How many objects of that kind have that name: which of several answers hangs on the order. */
static size_t namesakes(const struct jr_node *items, const struct jr_node *of)
{
    size_t n = 0;

    for (const struct jr_node *i = jr_first(items); i != NULL; i = jr_next(i))
        n += jr_str_eq(jr_get_str(i, "kind"), jr_get_str(of, "kind")) &&
             jr_str_eq(jr_get_str(jr_get(i, "metadata"), "name"),
                       jr_get_str(jr_get(of, "metadata"), "name"));
    return n;
}

static void diagnose(const struct jr_evidence *ev, const struct jr_evidence *backwards,
                     const struct jr_node *items, const struct jr_node *item)
{
    static const char *const kinds[] = { "Job", "CronJob", "Pod" };
    const struct jr_node *meta = jr_get(item, "metadata");
    const struct jr_time now = jr_evidence_newest(ev);

    for (size_t k = 0; k < JR_ARRAY_SIZE(kinds); k++) {
        JR_CLEANUP(jr_diagnosis_freep) struct jr_diagnosis *d = NULL;
        JR_CLEANUP(jr_diagnosis_freep) struct jr_diagnosis *other = NULL;

        if (!jr_str_is(jr_get_str(item, "kind"), kinds[k]))
            continue;
        d = jr_diagnose(ev, kinds[k], jr_get_str(meta, "namespace"), jr_get_str(meta, "name"), now);
        other = jr_diagnose(backwards, kinds[k], jr_get_str(meta, "namespace"),
                            jr_get_str(meta, "name"), now);
        MUST((d == NULL) == (other == NULL) || namesakes(items, item) > 1);
        if (d == NULL)
            continue;
        check(d);
        if (other != NULL)
            check(other);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST, .max_bytes = (size_t)1 << 20 };
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = NULL;
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *backwards = NULL;
    const struct jr_node *items;
    DOC *doc = NULL;
    size_t n = 0;

    if (jr_doc_parse(view_of(data, size), &opts, &doc, NULL) != JR_OK)
        return 0;
    items = jr_get(jr_doc_root(doc), "items");
    ev = evidence_of(items, false);
    backwards = evidence_of(items, true);
    for (const struct jr_node *i = jr_first(items); i != NULL && n++ < ITEMS_MAX; i = jr_next(i))
        diagnose(ev, backwards, items, i);
    return 0;
}
