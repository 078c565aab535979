/* SPDX-License-Identifier: Apache-2.0 */
/* What a scenario expects against what was done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/reconcile/driver.h"

struct jr_doc *scenario_expect(const struct jr_node *row)
{
    const struct jr_node *fixed = jr_get(row, "expectFixed");
    struct jr_doc *doc;

    assert_int_equal(jr_doc_of(jr_get(row, "expect"), &doc), JR_OK);
    for (const struct jr_node *f = jr_first(fixed); f != NULL; f = jr_next(f)) {
        jr_remove(jr_doc_root(doc), jr_key(f), NULL);
        if (!jr_unset(f))
            assert_int_equal(jr_set_copy(jr_doc_root(doc), jr_key(f), f, NULL), JR_OK);
    }
    return doc;
}

static unsigned differ(const struct jr_node *row, const char *key, const struct jr_node *want,
                       const struct jr_node *got)
{
    char *w = want == NULL ? NULL : node_text(want), *g = got == NULL ? NULL : node_text(got);

    print_error("%.*s: %s\n  want %s\n  got  %s\n", JR_P(jr_get_str(row, "name")), key,
                w == NULL ? "nothing" : w, g == NULL ? "nothing" : g);
    free(w);
    free(g);
    return 1;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/** A list as a sorted one of its elements' texts. */
static char **sorted(const struct jr_node *list)
{
    char **v = calloc(jr_size(list) + 1, sizeof(*v));
    size_t n = 0;

    assert_non_null(v);
    for (const struct jr_node *e = jr_first(list); e != NULL; e = jr_next(e))
        v[n++] = node_text(e);
    if (n > 1)
        qsort(v, n, sizeof(*v), compare_texts);
    return v;
}

static void free_texts(char **v)
{
    for (size_t i = 0; v[i] != NULL; i++)
        free(v[i]);
    free(v);
}

static bool equal_sets(const struct jr_node *a, const struct jr_node *b)
{
    char **x = sorted(a), **y = sorted(b);
    bool equal = jr_size(a) == jr_size(b);

    for (size_t i = 0; equal && x[i] != NULL; i++)
        equal = strcmp(x[i], y[i]) == 0;
    free_texts(x);
    free_texts(y);
    return equal;
}

/* ---- sets of names ---- */

static unsigned compare_set(const struct jr_node *row, const char *key,
                            const struct jr_node *expect, const struct jr_node *got)
{
    const struct jr_node *want = jr_get(expect, key), *have = jr_get(got, key), *count;
    char count_key[64];

    (void)snprintf(count_key, sizeof(count_key), "%sCount", key);
    count = jr_get(expect, count_key);
    if (count != NULL)
        return jr_node_i64_or(count, -1) == (int64_t)jr_size(have) ? 0
                                                                   : differ(row, key, count, have);
    return equal_sets(want, have) ? 0 : differ(row, key, want, have);
}

/* ---- status ---- */

static unsigned compare_uncounted(const struct jr_node *want, const struct jr_node *got,
                                  const char *key, const char *count_key)
{
    const struct jr_node *count = jr_get(want, count_key);

    if (count != NULL)
        return jr_node_i64_or(count, -1) != (int64_t)jr_size(jr_get(got, key));
    return !equal_sets(jr_get(want, key), jr_get(got, key));
}

static unsigned compare_status(const struct jr_node *row, const char *key,
                               const struct jr_node *want, const struct jr_node *got)
{
    const struct jr_node *wu = jr_get(want, "uncountedTerminatedPods");
    const struct jr_node *gu = jr_get(got, "uncountedTerminatedPods");
    struct jr_doc *w, *g;
    bool equal;

    if (jr_unset(want) || jr_unset(got))
        return jr_unset(want) == jr_unset(got) ? 0 : differ(row, key, want, got);
    if ((wu == NULL) != (gu == NULL) ||
        compare_uncounted(wu, gu, "succeeded", "succeededCount") > 0 ||
        compare_uncounted(wu, gu, "failed", "failedCount") > 0)
        return differ(row, key, want, got);
    assert_int_equal(jr_doc_of(want, &w), JR_OK);
    assert_int_equal(jr_doc_of(got, &g), JR_OK);
    jr_remove(jr_doc_root(w), JR_S("uncountedTerminatedPods"), NULL);
    jr_remove(jr_doc_root(g), JR_S("uncountedTerminatedPods"), NULL);
    equal = jr_node_equal(jr_doc_root(w), jr_doc_root(g));
    jr_doc_free(w);
    jr_doc_free(g);
    return equal ? 0 : differ(row, key, want, got);
}

/* ---- creations ---- */

static bool equal_create(const struct jr_node *want, const struct jr_node *got)
{
    struct jr_doc *w, *g;
    bool equal;

    assert_int_equal(jr_doc_of(want, &w), JR_OK);
    assert_int_equal(jr_doc_of(got, &g), JR_OK);
    if (jr_get(want, "pod") == NULL)
        jr_remove(jr_doc_root(g), JR_S("pod"), NULL);
    equal = jr_node_equal(jr_doc_root(w), jr_doc_root(g));
    jr_doc_free(w);
    jr_doc_free(g);
    return equal;
}

static unsigned compare_creates(const struct jr_node *row, const struct jr_node *expect,
                                const struct jr_node *got)
{
    const struct jr_node *want = jr_get(expect, "creates"), *have = jr_get(got, "creates");
    const struct jr_node *w = jr_first(want), *h = jr_first(have);
    int64_t n = jr_node_i64_or(jr_get(expect, "createCount"), 0);
    unsigned bad = 0;

    for (; w != NULL && h != NULL; w = jr_next(w), h = jr_next(h)) {
        if (!equal_create(w, h))
            bad += differ(row, "creates", w, h);
    }
    /* Of many equal ones the file shows one. */
    if (w != NULL || (h != NULL && (n <= 8 || jr_size(want) != 1)))
        bad += differ(row, "creates", want, have);
    return bad;
}

/* ---- events ---- */

/** The texts of the expected events, each as often as it counts. */
static struct jr_doc *spread(const struct jr_node *events)
{
    struct jr_doc *doc;
    struct jr_node *list, *e;

    assert_int_equal(jr_doc_new(&doc), JR_OK);
    assert_int_equal(jr_set_array(jr_doc_root(doc), "v", &list), JR_OK);
    for (const struct jr_node *x = jr_first(events); x != NULL; x = jr_next(x)) {
        int64_t n = jr_node_i64_or(jr_get(x, "count"), 1);

        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(jr_push_object(list, &e), JR_OK);
            assert_int_equal(jr_set_str(e, "type", jr_get_str(x, "type")), JR_OK);
            assert_int_equal(jr_set_str(e, "reason", jr_get_str(x, "reason")), JR_OK);
            assert_int_equal(jr_set_str(e, "message", jr_get_str(x, "message")), JR_OK);
        }
    }
    return doc;
}

static unsigned compare_events(const struct jr_node *row, const struct jr_node *expect,
                               const struct jr_node *got)
{
    struct jr_doc *want = spread(jr_get(expect, "events"));
    unsigned bad = 0;

    /* Rows with very many Pods leave their events out. */
    if (jr_get(row, "podsRepeat") != NULL && jr_get(expect, "events") == NULL) {
        jr_doc_free(want);
        return 0;
    }
    if (!equal_sets(jr_get(jr_doc_root(want), "v"), jr_get(got, "events")))
        bad = differ(row, "events", jr_get(expect, "events"), jr_get(got, "events"));
    jr_doc_free(want);
    return bad;
}

/* ---- all of it ---- */

static unsigned compare_plain(const struct jr_node *row, const char *key,
                              const struct jr_node *expect, const struct jr_node *got)
{
    const struct jr_node *want = jr_get(expect, key), *have = jr_get(got, key);

    if (jr_unset(want) && jr_unset(have))
        return 0;
    return !jr_unset(want) && !jr_unset(have) && jr_node_equal(want, have)
               ? 0
               : differ(row, key, want, have);
}

/** Patches that the row shows; it leaves those out that are as everywhere. */
static unsigned compare_patches(const struct jr_node *row, const struct jr_node *expect,
                                const struct jr_node *got)
{
    const struct jr_node *want = jr_get(expect, "patchBodies"), *have = jr_get(got, "patchBodies");
    unsigned bad = 0;

    for (const struct jr_node *w = jr_first(want); w != NULL; w = jr_next(w)) {
        if (!jr_node_equal(w, jr_getn(have, jr_key(w))))
            bad += differ(row, "patchBodies", w, jr_getn(have, jr_key(w)));
    }
    return bad;
}

unsigned scenario_compare(const struct jr_node *row, const struct jr_node *expect,
                          const struct jr_node *got)
{
    static const char *const sets[] = {
        "deletes",  "finalizerRemovals",          "adopts",
        "releases", "finalizerExpectationsAfter", "apiValidationErrors"
    };
    static const char *const plain[] = {
        "createCount",       "createAttempts",     "error",   "requeueAfterSeconds",
        "expectationsAfter", "backoffRecordAfter", "metrics", "callOrder"
    };
    unsigned bad = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(sets); i++)
        bad += compare_set(row, sets[i], expect, got);
    for (size_t i = 0; i < JR_ARRAY_SIZE(plain); i++)
        bad += compare_plain(row, plain[i], expect, got);
    if (jr_node_i64_or(jr_get(expect, "statusWriteCount"), 0) !=
        jr_node_i64_or(jr_get(got, "statusWriteCount"), 0))
        bad += differ(row, "statusWriteCount", jr_get(expect, "statusWriteCount"),
                      jr_get(got, "statusWriteCount"));
    bad += compare_status(row, "status", jr_get(expect, "status"), jr_get(got, "status"));
    bad += compare_status(row, "interimStatus", jr_get(expect, "interimStatus"),
                          jr_get(got, "interimStatus"));
    bad += compare_creates(row, expect, got);
    bad += compare_events(row, expect, got);
    bad += compare_patches(row, expect, got);
    return bad;
}
