/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of common/policy/watch share. */
#ifndef JR_UNIT_POLICY_TEST_H
#define JR_UNIT_POLICY_TEST_H

#include <stdio.h>

#include "common/policy/watch/store.h"
#include "tests/support/doc.h"

/** Fails with both texts where they differ. */
#define assert_str(got, want) assert_str_at(got, want, __FILE__, __LINE__)
static inline void assert_str_at(struct jr_str got, const char *want, const char *file, int line)
{
    if (!jr_str_eq(got, jr_str(want))) {
        print_error("got  \"%.*s\"\nwant \"%s\"\n", JR_P(got), want);
        _fail(file, line);
    }
}

#define SNAPSHOT JR_CLEANUP(jr_policy_snapshot_unrefp) struct jr_policy_snapshot

/** A policy with the spec, which may have faults. */
static inline struct jr_job_policy *policy_of(const char *name, int generation, const char *spec)
{
    struct jr_job_policy *p = NULL;
    struct jr_arena arena;
    struct jr_errlist errs;
    struct jr_warnings warnings = { .arena = &arena };
    struct jr_doc *doc;
    JR_BUF text = { 0 };

    jr_buf_init(&text, SIZE_MAX);
    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    assert_int_equal(jr_buf_addf(&text,
                                 "{\"metadata\":{\"name\":\"%s\",\"generation\":%d},\"spec\":%s}",
                                 name, generation, spec),
                     JR_OK);
    doc = doc_of(jr_buf_str(&text));
    assert_int_equal(
        jr_job_policy_compile(jr_doc_root_const(doc), jr_time_s(1772366400), &errs, &warnings, &p),
        JR_OK);
    jr_doc_free(doc);
    jr_arena_done(&arena);
    return p;
}

/** "a@1 b@2": the names and generations of what is in force. */
#define assert_in_force(store, want) assert_in_force_at(store, want, __FILE__, __LINE__)
static inline void assert_set_at(const struct jr_policy_set *set, const char *want,
                                 const char *file, int line)
{
    JR_BUF have = { 0 };

    jr_buf_init(&have, SIZE_MAX);
    for (size_t i = 0; i < set->n; i++)
        assert_int_equal(jr_buf_addf(&have, "%s%.*s@%lld", i > 0 ? " " : "", JR_P(set->v[i]->name),
                                     (long long)set->v[i]->generation),
                         JR_OK);
    assert_str_at(jr_buf_str(&have), want, file, line);
}
static inline void assert_in_force_at(struct jr_policy_store *store, const char *want,
                                      const char *file, int line)
{
    SNAPSHOT *now = jr_policy_store_get(store);

    assert_set_at(&now->set, want, file, line);
}

#endif
