/* SPDX-License-Identifier: Apache-2.0 */
/* Counting hits, and which rules a version has. */
#include "tests/admission/hits.h"

#include "common/schema/job.h"
#include "common/schema/unknown_fields.h"
#include "tests/support/faults.h"
#include "tests/support/job_cases.h"
#include "tests/support/rule_ids.h"

/** Returns whether the version knows all fields of the objects that the row makes. */
static enum jr_status knows_fields(const struct jr_fault *f, struct jr_kube_version version,
                                   const struct jr_node *base, bool *ret)
{
    static const char *const members[] = { "job", "old" };
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *row = NULL;
    JR_ARENA arena = { 0 };
    struct jr_strict_errors unknown = { .arena = &arena };
    enum jr_status st = jr_case_of_fault(f, base, &profile, &row);

    jr_arena_init(&arena, 0);
    for (size_t i = 0; i < JR_ARRAY_SIZE(members) && st == JR_OK; i++)
        jr_schema_unknown(jr_fault_is_cron(f) ? &jr_schema_cron_job : &jr_schema_job,
                          jr_get(jr_doc_root(row), members[i]), version.minor, &unknown);
    *ret = unknown.n == 0;
    return unknown.failed ? JR_NOMEM : st;
}

enum jr_status jr_rule_hits_begin(struct jr_rule_hits *h, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *base = NULL;
    bool rows[JR_RULE_COUNT] = { false };
    struct jr_fault_tables t;
    enum jr_status st = jr_fault_tables_load(JR_FAULTS_FOLDER, &t, err);

    if (st != JR_OK)
        return st;
    st = jr_doc_parse(jr_str(jr_case_smallest_job), &JR_READER_STRICT, &base, err);
    for (size_t i = 0; i < t.first[JR_FAULT_CHANGE] && st == JR_OK; i++) {
        size_t rule = 0;
        bool knows = false;

        while (rule < JR_RULE_COUNT && !jr_str_is(t.v[i].rule, rule_ids[rule]))
            rule++;
        if (rule == JR_RULE_COUNT || h->has[rule])
            continue;
        rows[rule] = true;
        st = knows_fields(&t.v[i], h->version, jr_doc_root(base), &knows);
        h->has[rule] = knows;
    }
    for (size_t i = 0; i < JR_RULE_COUNT; i++)
        h->has[i] = (h->has[i] || !rows[i]) && jr_rule_exists((enum jr_rule)i, h->version);
    jr_fault_tables_done(&t);
    return st;
}

bool jr_rule_hit(struct jr_rule_hits *h, struct jr_str id)
{
    for (size_t i = 0; i < JR_RULE_COUNT; i++) {
        if (!jr_str_is(id, rule_ids[i]))
            continue;
        h->n[i]++;
        return true;
    }
    return false;
}

void jr_rule_hits_of_answer(struct jr_rule_hits *h, const struct jr_node *answer)
{
    for (const struct jr_node *e = jr_first(jr_get(answer, "errors")); e != NULL; e = jr_next(e))
        (void)jr_rule_hit(h, jr_get_str(e, "rule"));
}

size_t jr_rule_hits_zeros(const struct jr_rule_hits *h)
{
    size_t zeros = 0;

    for (size_t i = 0; i < JR_RULE_COUNT; i++)
        zeros += h->n[i] == 0 && h->has[i];
    return zeros;
}

void jr_rule_hits_print(const struct jr_rule_hits *h, FILE *out)
{
    size_t rules = 0;

    for (size_t i = 0; i < JR_RULE_COUNT; i++) {
        if (!h->has[i])
            continue;
        (void)fprintf(out, "%8zu %s\n", h->n[i], rule_ids[i]);
        rules++;
    }
    (void)fprintf(out, "%zu rules, %zu of them never hit\n", rules, jr_rule_hits_zeros(h));
}
