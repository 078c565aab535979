/* SPDX-License-Identifier: Apache-2.0 */
/* What Jobs may come to, beside the table that was written by hand. */
#include "common/job/facts.h"

#include "tests/support/failalloc.h"
#include "tests/support/yaml_table.h"
#include "tests/unit/job/job_test.h"

#define TABLE "tests/vectors/job-facts.yaml"
#define ROWS 68
#define TEXT_MAX 4096

/* ---- a row ---- */

struct row {
    const char *name;
    const struct jr_node *node;
    struct jr_object job;
    struct jr_job_facts facts;
    struct jr_arena arena;
};

static struct jr_doc *job_of(const char *name, const struct jr_node *row)
{
    struct jr_doc *doc = must_parse(name, SMALL_JOB);
    struct jr_node *spec = jr_get(jr_doc_root(doc), "spec");
    const struct jr_node *pod = jr_get(row, "pod");

    assert_int_equal(jr_merge_apply(spec, jr_get(row, "spec")), JR_OK);
    if (pod != NULL)
        assert_int_equal(jr_merge_apply(jr_path(spec, "template.spec"), pod), JR_OK);
    return doc;
}

static const struct jr_node *pod_spec_of(const struct jr_object *job)
{
    return jr_object_node(job, "spec.template.spec");
}

static void open_row(struct row *r, const struct jr_node *node)
{
    const struct jr_profile profile = jr_profile_default();
    const struct jr_facts_options o = { .controller = JR_S("jobreeve.dev/controller") };
    struct jr_errlist errs;
    struct jr_doc *doc;

    *r = (struct row){ .name = jr_get_str(node, "name").p, .node = node };
    doc = job_of(r->name, node);
    jr_arena_init(&r->arena, 0);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &profile), JR_OK);
    must_decode(r->name, doc, &r->job);
    jr_errlist_init(&errs, &r->arena);
    jr_job_validate_create(&r->job, &profile, &errs);
    if (errs.n > 0)
        fail_msg("%s: %.*s: %.*s", r->name, JR_P(errs.v[0].field), JR_P(errs.v[0].detail));
    assert_int_equal(
        jr_job_facts_init(&r->facts, &r->job.job->spec, pod_spec_of(&r->job), &o, &r->arena),
        JR_OK);
}

static void close_row(struct row *r)
{
    jr_object_done(&r->job);
    jr_arena_done(&r->arena);
}

/* ---- its facts as the table has them ---- */

static void write_number(const struct jr_fact *f, struct jr_buf *out)
{
    (void)jr_buf_add_i64(out, f->v);
}

static void write_seconds(const struct jr_fact *f, struct jr_buf *out)
{
    jr_seconds_write(f->v, out);
}

static void want_fact(const struct row *r, const char *key, const struct jr_fact *fact,
                      void (*write)(const struct jr_fact *, struct jr_buf *))
{
    struct jr_str want = jr_get_str(r->node, key);
    JR_BUF b = { 0 };

    if (want.p == NULL)
        return;
    jr_buf_init(&b, TEXT_MAX);
    if (fact->reasons != 0)
        (void)jr_buf_adds(&b, "none");
    else
        write(fact, &b);
    (void)jr_buf_adds(&b, " (");
    jr_fact_explain(&r->facts, fact, &b);
    (void)jr_buf_addc(&b, ')');
    if (!jr_str_eq(jr_buf_str(&b), want))
        fail_msg("%s: %s: %s, by hand %.*s", r->name, key, b.p, JR_P(want));
}

static void want_option(const struct row *r, const char *key, struct jr_opt_i32 have)
{
    const struct jr_node *want = jr_get(r->node, key);

    if (want == NULL)
        return;
    if (have.set != (jr_node_kind(want) == JR_NUMBER) ||
        (have.set && have.v != jr_node_i64_or(want, -1)))
        fail_msg("%s: %s", r->name, key);
}

static void want_unbounded(const struct row *r)
{
    const struct jr_node *want = jr_get(r->node, "unbounded");
    size_t n = 0;

    for (unsigned bit = 1; want != NULL && bit < 1u << JR_UNBOUNDED_MAX; bit <<= 1) {
        JR_BUF b = { 0 };

        if ((r->facts.unbounded & bit) == 0)
            continue;
        jr_buf_init(&b, TEXT_MAX);
        jr_unbounded_explain(&r->facts, (enum jr_unbounded)bit, &b);
        WANT_STR(r->name, b.p, jr_node_str(jr_at(want, n)).p);
        n++;
    }
    if (want != NULL)
        assert_int_equal(n, jr_size(want));
}

static void want_resources(struct row *r, const char *key,
                           enum jr_status (*get)(struct jr_job_facts *, struct jr_str,
                                                 struct jr_arena *, struct jr_resource_fact *),
                           void (*write)(const struct jr_quantity *, struct jr_buf *))
{
    const struct jr_node *want = jr_get(r->node, key);
    struct jr_strs names;

    if (want == NULL)
        return;
    assert_int_equal(jr_job_resources(&r->facts, &r->arena, &names), JR_OK);
    assert_int_equal(names.n, jr_size(want));
    for (size_t i = 0; i < names.n; i++) {
        struct jr_resource_fact fact;
        JR_BUF b = { 0 };

        assert_int_equal(get(&r->facts, names.v[i], &r->arena, &fact), JR_OK);
        jr_buf_init(&b, TEXT_MAX);
        if (fact.reasons != 0)
            (void)jr_buf_adds(&b, "none");
        else
            write(&fact.v, &b);
        (void)jr_buf_adds(&b, " (");
        jr_resource_fact_explain(&r->facts, &fact, &b);
        (void)jr_buf_addc(&b, ')');
        if (!jr_str_eq(jr_buf_str(&b), jr_node_str(jr_getn(want, names.v[i]))))
            fail_msg("%s: %s of %.*s: %s, by hand %.*s", r->name, key, JR_P(names.v[i]), b.p,
                     JR_P(jr_node_str(jr_getn(want, names.v[i]))));
    }
}

static void write_quantity(const struct jr_quantity *q, struct jr_buf *out)
{
    assert_int_equal(jr_quantity_write(q, out), JR_OK);
}

static void check_row(const struct jr_node *node)
{
    struct row r;

    open_row(&r, node);
    if (jr_get(node, "kind") != NULL)
        WANT_STR(r.name, jr_job_kind_text(r.facts.kind), jr_get_str(node, "kind").p);
    want_fact(&r, "podsEver", &r.facts.pods_ever, write_number);
    want_fact(&r, "podsAtOnce", &r.facts.pods_at_once, write_number);
    want_fact(&r, "podsHeld", &r.facts.pods_held, write_number);
    want_fact(&r, "runtime", &r.facts.runtime_s, write_seconds);
    want_option(&r, "retriesPerIndex", r.facts.retries_per_index);
    want_option(&r, "failedIndexes", r.facts.failed_indexes);
    want_unbounded(&r);
    want_resources(&r, "requestsAtOnce", jr_job_requests_at_once, write_quantity);
    want_resources(&r, "resourceHours", jr_job_resource_seconds, jr_hours_write);
    close_row(&r);
}

/* ---- the table ---- */

/** A misspelt fact would never be looked at. */
static void check_keys(const struct jr_node *row)
{
    static const char *const known[] = {
        "name",          "spec",           "pod",
        "kind",          "podsEver",       "podsAtOnce",
        "podsHeld",      "runtime",        "retriesPerIndex",
        "unbounded",     "requestsAtOnce", "resourceHours",
        "failedIndexes",
    };

    for (const struct jr_node *m = jr_first(row); m != NULL; m = jr_next(m)) {
        bool found = false;

        for (size_t i = 0; i < JR_ARRAY_SIZE(known); i++)
            found = found || jr_str_is(jr_key(m), known[i]);
        if (!found)
            fail_msg("no fact %.*s", JR_P(jr_key(m)));
    }
}

static void by_hand(void **state)
{
    DOC *table = yaml_table(TABLE);

    (void)state;
    assert_int_equal(jr_size(jr_doc_root(table)), ROWS);
    for (const struct jr_node *row = jr_first(jr_doc_root(table)); row != NULL;
         row = jr_next(row)) {
        check_keys(row);
        check_row(row);
    }
}

/* ---- without memory ---- */

static enum jr_status all_facts(const struct jr_object *job)
{
    const struct jr_facts_options o = { 0 };
    struct jr_resource_fact fact;
    struct jr_job_facts f;
    struct jr_strs names;
    JR_ARENA a = { 0 };
    enum jr_status st;

    jr_arena_init(&a, 0);
    st = jr_job_facts_init(&f, &job->job->spec, pod_spec_of(job), &o, &a);
    if (st == JR_OK)
        st = jr_job_resources(&f, &a, &names);
    return st == JR_OK ? jr_job_requests_at_once(&f, JR_S("cpu"), &a, &fact) : st;
}

static void without_memory(void **state)
{
    DOC *table = yaml_table(TABLE);

    (void)state;
    for (const struct jr_node *row = jr_first(jr_doc_root(table)); row != NULL;
         row = jr_next(row)) {
        struct row r;

        open_row(&r, row);
        for (long n = 1;; n++) {
            enum jr_status st;

            jr_failalloc_arm(n);
            st = all_facts(&r.job);
            if (jr_failalloc_over(st))
                break;
        }
        close_row(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
