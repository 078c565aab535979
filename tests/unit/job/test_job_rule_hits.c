/* SPDX-License-Identifier: Apache-2.0 */
/* Every rule is broken: by its rows in the tables of faults, and again by generated cases, on which
 * the properties hold that admission promises. Prints how often each rule was hit. JR_SEED sets the
 * seed, JR_RUNS the number of cases; what fails prints the number of its case. */
#include "common/base/num.h"
#include "common/job/cron_job.h"
#include "tests/admission/answer.h"
#include "tests/admission/hits.h"
#include "tests/support/job_cases.h"
#include "tests/support/rule_ids.h"
#include "tests/unit/job/job_test.h"

#define TEXT_MAX ((size_t)256 << 20)
#define DEFAULT_SEED 20260301
#define DEFAULT_RUNS 4000

static uint64_t setting(const char *name, uint64_t fallback)
{
    const char *s = getenv(name); /* NOLINT(concurrency-mt-unsafe): one thread */
    uint64_t v;

    return s != NULL && jr_parse_u64(jr_str(s), &v) == JR_OK ? v : fallback;
}

static struct jr_fault_tables must_load(void)
{
    struct jr_fault_tables t;
    struct jr_error err = { 0 };

    if (jr_fault_tables_load(JR_FAULTS_FOLDER, &t, &err) != JR_OK)
        fail_msg("%s: %s", err.path, err.msg);
    return t;
}

/** version NULL: 1.36.0. */
static void must_answer(const char *name, const struct jr_node *row,
                        const struct jr_kube_version *version, struct jr_answer *ret)
{
    struct jr_error err = { 0 };

    if (jr_answer_case(row, version, ret, &err) != JR_OK)
        fail_msg("%s: %s: %s", name, err.path, err.msg);
}

/* ---- the tables ---- */

static void row_breaks_its_rule(const struct jr_fault *f)
{
    DOC *base = must_parse("base", jr_case_smallest_job);
    DOC *row = NULL;
    JR_BUF have = { 0 };
    const struct jr_profile profile = jr_profile_default();
    const bool described = jr_kube_version_cmp(f->version, JR_KUBE_DESCRIBED) == 0;
    struct jr_answer a;
    bool found = false;

    assert_int_equal(jr_case_of_fault(f, jr_doc_root(base), &profile, &row), JR_OK);
    must_answer(f->file, jr_doc_root(row), described ? NULL : &f->version, &a);
    jr_buf_init(&have, TEXT_MAX);
    for (size_t i = 0; i < a.result.errs.n; i++) {
        found = found || jr_str_is(f->rule, a.result.errs.v[i].rule);
        (void)jr_buf_addf(&have, " %s", a.result.errs.v[i].rule);
    }
    if (!found)
        fail_msg("%s:%zu: %.*s is not broken, but:%s %s", f->file, f->line, JR_P(f->rule),
                 have.p == NULL ? " nothing" : have.p, a.decode_error.msg);
    jr_answer_done(&a);
}

static void tables(void **state)
{
    struct jr_fault_tables t = must_load();

    (void)state;
    for (size_t i = 0; i < t.first[JR_FAULT_CHANGE]; i++)
        row_breaks_its_rule(&t.v[i]);
    jr_fault_tables_done(&t);
}

/* ---- warnings ---- */

static void row_gives_its_warning(const struct jr_fault *f, size_t hits[static JR_WARNING_COUNT])
{
    DOC *base = must_parse("base", jr_case_smallest_job);
    DOC *row = NULL;
    const struct jr_profile profile = jr_profile_default();
    const bool described = jr_kube_version_cmp(f->version, JR_KUBE_DESCRIBED) == 0;
    struct jr_answer a;
    bool found = false;

    assert_int_equal(jr_case_of_fault(f, jr_doc_root(base), &profile, &row), JR_OK);
    must_answer(f->file, jr_doc_root(row), described ? NULL : &f->version, &a);
    for (size_t i = 0; i < a.result.warnings.list.n; i++) {
        const enum jr_warning id = a.result.warnings.about[i].id;

        found = found || jr_str_is(f->rule, jr_warning_id(id));
        hits[id]++;
    }
    if (!found || a.decoded != JR_OK || a.result.errs.n > 0)
        fail_msg(
            "%s:%zu: %.*s is not given, or the object is refused: %zu warnings, %zu errors: %s",
            f->file, f->line, JR_P(f->rule), a.result.warnings.list.n, a.result.errs.n,
            a.result.errs.n > 0 ? a.result.errs.v[0].rule : a.decode_error.msg);
    jr_answer_done(&a);
}

static void every_warning(void **state)
{
    struct jr_fault_tables t = must_load();
    size_t hits[JR_WARNING_COUNT] = { 0 };
    unsigned without = 0;

    (void)state;
    for (size_t i = t.first[JR_FAULT_WARNINGS]; i < t.n; i++)
        row_gives_its_warning(&t.v[i], hits);
    for (size_t i = 0; i < JR_WARNING_COUNT; i++) {
        if (hits[i] > 0 || strncmp(jr_warning_id((enum jr_warning)i), "policy-", 7) == 0)
            continue; /* those of policies: test_policy_admission, test_policy_compile */
        without++;
        print_error(
            "no row gives the warning %s: add one to tests/vectors/faults/warnings-job.json, "
            "or to cron-warnings-job.json\n",
            jr_warning_id((enum jr_warning)i));
    }
    jr_fault_tables_done(&t);
    WANT_INT("warnings without a row", without, 0);
}

/* ---- the properties ---- */

static bool is_cron(const struct jr_node *row)
{
    return jr_str_is(jr_get_str(row, "kind"), "CronJob");
}

static void apply_defaults(struct jr_node *object, bool cron)
{
    const struct jr_profile profile = jr_profile_default();

    if (cron)
        assert_int_equal(jr_cron_job_default(object, &profile), JR_OK);
    else
        assert_int_equal(jr_job_default(object, &profile), JR_OK);
}

/** What the mutating webhook does: an API server defaults again after its patch. */
static void mutate(struct jr_node *job, bool cron)
{
    apply_defaults(job, cron);
    if (!cron)
        assert_int_equal(jr_job_generate(job, NULL), JR_OK);
    apply_defaults(job, cron);
}

static struct jr_doc *copy_of(const struct jr_node *node)
{
    struct jr_doc *copy = NULL;

    assert_int_equal(jr_doc_of(node, &copy), JR_OK);
    return copy;
}

/** A second mutation has an empty patch; the first one's patch makes of the input what was mutated.
 */
static void mutation_is_minimal(const char *name, const struct jr_node *row)
{
    const struct jr_node *job = jr_get(row, "job");
    DOC *before = copy_of(job);
    DOC *once = copy_of(job);
    DOC *twice = NULL;

    mutate(jr_doc_root(once), is_cron(row));
    twice = copy_of(jr_doc_root(once));
    mutate(jr_doc_root(twice), is_cron(row));
    want_patches(name, before, once, twice);
}

/** Errors and warnings, a line each. */
static void result(const struct jr_answer *a, struct jr_buf *out)
{
    jr_buf_init(out, TEXT_MAX);
    if (a->decoded != JR_OK)
        (void)jr_buf_addf(out, "%s %s\n", a->decode_error.path, a->decode_error.msg);
    for (size_t i = 0; i < a->result.errs.n && a->decoded == JR_OK; i++) {
        assert_non_null(a->result.errs.v[i].rule);
        (void)jr_buf_addf(out, "%s %.*s: ", a->result.errs.v[i].rule,
                          JR_P(a->result.errs.v[i].field));
        assert_int_equal(jr_field_error_write(&a->result.errs.v[i], out), JR_OK);
        (void)jr_buf_addc(out, '\n');
    }
    for (size_t i = 0; i < a->result.warnings.list.n; i++)
        (void)jr_buf_addf(out, "warning %.*s\n", JR_P(a->result.warnings.list.v[i]));
    assert_int_equal(jr_buf_addc(out, '\n'), JR_OK);
}

/** validate(d(x)) = validate(d(d(x))), for the old object too. */
static void result_is_stable(const char *name, const struct jr_node *row,
                             const struct jr_answer *first)
{
    static const char *const members[] = { "job", "old" };
    DOC *again = copy_of(row);
    JR_BUF a = { 0 }, b = { 0 };
    struct jr_answer second;

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        struct jr_node *job = jr_get(jr_doc_root(again), members[i]);

        if (job != NULL)
            apply_defaults(job, is_cron(row));
    }
    must_answer(name, jr_doc_root(again), NULL, &second);
    result(first, &a);
    result(&second, &b);
    WANT_STR(name, b.p, a.p);
    jr_answer_done(&second);
}

/* ---- the run ---- */

struct counts {
    struct jr_rule_hits hits;
    size_t ops[3];
    size_t refused;
};

static void check_case(const struct jr_node *row, struct counts *c)
{
    const struct jr_str op = jr_get_str(row, "op");
    char name[64];
    struct jr_answer a;

    (void)snprintf(name, sizeof(name), "case %lld",
                   (long long)jr_node_i64_or(jr_get(row, "id"), -1));
    must_answer(name, row, NULL, &a);
    c->ops[jr_str_is(op, "create") ? 0 : jr_str_is(op, "update") ? 1 : 2]++;
    c->refused += a.decoded != JR_OK || a.result.errs.n > 0;
    for (size_t i = 0; i < a.result.errs.n && a.decoded == JR_OK; i++)
        assert_true(jr_rule_hit(&c->hits, jr_str(a.result.errs.v[i].rule)));
    mutation_is_minimal(name, row);
    if (jr_get(row, "prepared") == NULL)
        result_is_stable(name, row, &a);
    jr_answer_done(&a);
}

static void print_counts(const struct counts *c)
{
    const size_t n = c->ops[0] + c->ops[1] + c->ops[2];

    jr_rule_hits_print(&c->hits, stdout);
    for (size_t i = 0; i < JR_RULE_COUNT; i++) {
        if (c->hits.n[i] == 0 && c->hits.has[i])
            print_error(
                "no case breaks the rule %s: add a row to tests/vectors/faults or, if 1.36 has its "
                "fields but not the rule, a range to JR_RULE_RANGES_*\n",
                rule_ids[i]);
    }
    printf("%zu creates, %zu updates, %zu status updates; %zu refused (%zu %%)\n", c->ops[0],
           c->ops[1], c->ops[2], c->refused, n == 0 ? 0 : 100 * c->refused / n);
}

static void generated(void **state)
{
    struct jr_fault_tables t = must_load();
    uint64_t runs = setting("JR_RUNS", DEFAULT_RUNS);
    struct counts c = { .hits.version = JR_KUBE_DESCRIBED };
    struct jr_case_gen g;

    (void)state;
    assert_int_equal(jr_rule_hits_begin(&c.hits, NULL), JR_OK);
    jr_case_gen_init(&g, &t, setting("JR_SEED", DEFAULT_SEED));
    for (uint64_t i = 0; i < runs; i++) {
        DOC *row = NULL;

        assert_int_equal(jr_case_next(&g, &row), JR_OK);
        check_case(jr_doc_root(row), &c);
    }
    jr_fault_tables_done(&t);
    print_counts(&c);
    if (runs >= DEFAULT_RUNS)
        WANT_INT("rules that were never hit", jr_rule_hits_zeros(&c.hits), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(every_warning),
        cmocka_unit_test(generated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
