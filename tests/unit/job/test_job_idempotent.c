/* SPDX-License-Identifier: Apache-2.0 */
/* Generated Jobs: defaulting and generation are idempotent, keep unknown members, and end in a Job
 * that is admitted; validation changes nothing and says the same each time. JR_SEED sets the first
 * seed, JR_RUNS the number of Jobs of each kind; what fails prints the seed of its Job. */
#include "common/base/num.h"
#include "tests/support/job_gen.h"
#include "tests/unit/job/job_test.h"

#define TEXT_MAX ((size_t)64 << 20)

/** One generated Job. */
struct subject {
    uint64_t seed;
    enum jr_job_gen_kind kind;
    struct jr_profile profile;
    struct jr_buf text;
    char name[64]; /* for failures */
};

static uint64_t setting(const char *name, uint64_t fallback)
{
    const char *s = getenv(name); /* NOLINT(concurrency-mt-unsafe): one thread */
    uint64_t v;

    return s != NULL && jr_parse_u64(jr_str(s), &v) == JR_OK ? v : fallback;
}

static struct jr_doc *parse(const struct subject *s)
{
    struct jr_doc *doc = NULL;
    struct jr_error err = { 0 };

    if (jr_doc_parse(jr_buf_str(&s->text), &JR_READER_STRICT, &doc, &err) != JR_OK)
        fail_msg("%s: %s\n%s", s->name, err.msg, s->text.p);
    return doc;
}

static struct jr_doc *copy_of(const struct jr_doc *doc)
{
    struct jr_doc *copy = NULL;

    assert_int_equal(jr_doc_of(jr_doc_root_const(doc), &copy), JR_OK);
    return copy;
}

/** What the mutating webhook does: an API server defaults again after its patch. */
static void mutate(const struct subject *s, struct jr_doc *doc)
{
    assert_int_equal(jr_job_default(jr_doc_root(doc), &s->profile), JR_OK);
    assert_int_equal(jr_job_generate(jr_doc_root(doc), NULL), JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &s->profile), JR_OK);
}

static void want_equal(const struct subject *s, const char *what, const struct jr_doc *a,
                       const struct jr_doc *b)
{
    JR_BUF x = { 0 }, y = { 0 };

    if (jr_node_equal(jr_doc_root_const(a), jr_doc_root_const(b)))
        return;
    jr_buf_init(&x, TEXT_MAX);
    jr_buf_init(&y, TEXT_MAX);
    assert_int_equal(jr_node_print(jr_doc_root_const(a), &x), JR_OK);
    assert_int_equal(jr_node_print(jr_doc_root_const(b), &y), JR_OK);
    fail_msg("%s: %s:\n  %s\nagainst\n  %s", s->name, what, x.p, y.p);
}

/* ---- the properties ---- */

/** A second mutation changes nothing: its patch is "[]". The first one's patch makes of the input
 * what was mutated. */
static void mutation_is_idempotent(const struct subject *s)
{
    DOC *before = parse(s);
    DOC *once = copy_of(before);
    DOC *twice = NULL;

    mutate(s, once);
    twice = copy_of(once);
    mutate(s, twice);
    want_equal(s, "mutated twice", once, twice);
    want_patches(s->name, before, once, twice);
}

static bool is_unknown(struct jr_str key)
{
    return jr_str_starts(key, JR_S("xNew")) || jr_str_starts(key, JR_S("x/y~z")) ||
           jr_str_is(key, "completions2");
}

/** Every unknown member of a is in b, with the same value. */
static void want_unknown_kept(const struct subject *s, const struct jr_node *a,
                              const struct jr_node *b)
{
    const struct jr_node *e = jr_first(b);

    for (const struct jr_node *m = jr_first(a); m != NULL; m = jr_next(m)) {
        const struct jr_node *other = jr_node_kind(a) == JR_ARRAY ? e : jr_getn(b, jr_key(m));

        if (is_unknown(jr_key(m)) && (other == NULL || !jr_node_equal(m, other)))
            fail_msg("%s: unknown member \"%.*s\" was touched", s->name, JR_P(jr_key(m)));
        if (other != NULL)
            want_unknown_kept(s, m, other);
        e = jr_next(e);
    }
}

static void unknown_members_stay(const struct subject *s)
{
    DOC *before = parse(s);
    DOC *after = copy_of(before);

    mutate(s, after);
    want_unknown_kept(s, jr_doc_root(before), jr_doc_root(after));
}

/** Renders what creation says to a Job that has been defaulted `times` times. */
static bool validate(const struct subject *s, int times, struct jr_buf *out, size_t *ret_errors)
{
    struct jr_doc *doc = parse(s);
    OBJECT job = { 0 };
    JR_ARENA arena = { 0 };
    struct jr_error err = { 0 };
    struct jr_errlist errs;
    struct jr_warnings warnings = { .arena = &arena };
    enum jr_status st;

    for (int i = 0; i < times; i++)
        assert_int_equal(jr_job_default(jr_doc_root(doc), &s->profile), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(doc), &s->profile), JR_OK);
    st = open_tree(&jr_schema_job, doc, &job, &err);
    if (st != JR_OK) {
        (void)jr_buf_addf(out, "%s: %s", err.path, err.msg);
        return false;
    }
    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_create(&job, &s->profile, &errs);
    assert_int_equal(errs.failed, JR_OK);
    for (size_t i = 0; i < errs.n; i++) {
        assert_non_null(errs.v[i].rule);
        (void)jr_buf_addf(out, "%.*s: ", JR_P(errs.v[i].field));
        assert_int_equal(jr_field_error_write(&errs.v[i], out), JR_OK);
        (void)jr_buf_addc(out, '\n');
    }
    jr_job_warnings(&job, NULL, &s->profile, &warnings);
    assert_int_equal(warnings.failed, JR_OK);
    *ret_errors = errs.n;
    return true;
}

static void result_is_stable(const struct subject *s)
{
    JR_BUF once = { 0 }, twice = { 0 };
    size_t errors = 0;

    jr_buf_init(&once, TEXT_MAX);
    jr_buf_init(&twice, TEXT_MAX);
    (void)validate(s, 1, &once, &errors);
    (void)validate(s, 2, &twice, &errors);
    WANT_VIEW(s->name, jr_buf_str(&twice), jr_buf_str(&once));
}

static void valid_is_accepted(const struct subject *s)
{
    JR_BUF out = { 0 };
    size_t errors = 0;

    jr_buf_init(&out, TEXT_MAX);
    if (!validate(s, 1, &out, &errors) || errors > 0)
        fail_msg("%s: refused: %s\n%s", s->name, out.p, s->text.p);
}

/** Writing an unchanged, valid Job back is no fault, and no change of its spec. */
static void update_without_change(const struct subject *s)
{
    static const char version[] = "{\"metadata\":{\"resourceVersion\":\"1\"}}";
    struct jr_doc *old_doc = parse(s), *doc;
    OBJECT old = { 0 };
    OBJECT job = { 0 };
    JR_ARENA arena = { 0 };
    DOC *patch = must_parse(s->name, version);
    struct jr_errlist errs;

    assert_int_equal(jr_job_default(jr_doc_root(old_doc), &s->profile), JR_OK);
    assert_int_equal(jr_job_prepare_create(jr_doc_root(old_doc), &s->profile), JR_OK);
    assert_int_equal(jr_merge_apply(jr_doc_root(old_doc), jr_doc_root(patch)), JR_OK);
    doc = copy_of(old_doc);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &s->profile), JR_OK);
    assert_int_equal(jr_job_prepare_update(jr_doc_root(doc), jr_doc_root(old_doc), &s->profile),
                     JR_OK);
    must_decode(s->name, doc, &job);
    must_decode(s->name, old_doc, &old);
    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    jr_job_validate_update(&job, &old, &s->profile, &errs);
    jr_job_validate_status_update(&job, &old, &s->profile, &errs);
    if (errs.n > 0)
        fail_msg("%s: %.*s: %.*s", s->name, JR_P(errs.v[0].field), JR_P(errs.v[0].detail));
    WANT_INT(s->name, job.job->meta.generation, 1);
}

/** An object's tree and its struct tell the same status, through the writer. */
static void status_write_keeps_object(const struct subject *s)
{
    DOC *before = parse(s);
    DOC *after = NULL;
    struct jr_job *job = NULL;
    JR_BUF out = { 0 };

    if (jr_job_decode(jr_buf_str(&s->text), &job, NULL) != JR_OK)
        return;
    jr_buf_init(&out, TEXT_MAX);
    assert_int_equal(jr_job_write_with_status(job, &job->status, JR_S("77"), &out), JR_OK);
    after = must_parse(s->name, out.p);
    want_unknown_kept(s, jr_doc_root(before), jr_doc_root(after));
    if (!jr_node_equal(jr_get(jr_doc_root(before), "spec"), jr_get(jr_doc_root(after), "spec")))
        fail_msg("%s: the spec changed: %s", s->name, out.p);
    assert_null(jr_path(jr_doc_root(after), "metadata.managedFields"));
    jr_job_unref(job);
}

/* ---- the runs ---- */

typedef void property_fn(const struct subject *s);

static void run(enum jr_job_gen_kind kind, bool with_uid, uint64_t runs, property_fn *property)
{
    static const char *const kinds[] = { "valid", "nearly valid", "hostile" };
    struct subject s = { .kind = kind, .profile = jr_profile_default() };
    uint64_t first = setting("JR_SEED", 20260301);

    runs = setting("JR_RUNS", runs);
    jr_buf_init(&s.text, TEXT_MAX);
    for (s.seed = first; s.seed < first + runs; s.seed++) {
        struct jr_job_gen g;

        jr_job_gen_init(&g, s.seed, kind);
        g.with_uid = with_uid;
        (void)snprintf(s.name, sizeof(s.name), "%s Job of seed %llu", kinds[kind],
                       (unsigned long long)s.seed);
        jr_buf_reset(&s.text);
        assert_int_equal(jr_job_gen_next(&g, &s.text), JR_OK);
        property(&s);
    }
    jr_buf_done(&s.text);
}

static void run_all(property_fn *property)
{
    run(JR_JOB_GEN_VALID, false, 300, property);
    run(JR_JOB_GEN_NEARLY, true, 500, property);
    run(JR_JOB_GEN_HOSTILE, false, 700, property);
}

static void idempotent(void **state)
{
    (void)state;
    run_all(mutation_is_idempotent);
}

static void unknown(void **state)
{
    (void)state;
    run_all(unknown_members_stay);
}

static void stable(void **state)
{
    (void)state;
    run_all(result_is_stable);
}

static void accepted(void **state)
{
    (void)state;
    run(JR_JOB_GEN_VALID, true, 500, valid_is_accepted);
}

static void unchanged(void **state)
{
    (void)state;
    run(JR_JOB_GEN_VALID, true, 300, update_without_change);
}

static void status_writes(void **state)
{
    (void)state;
    run_all(status_write_keeps_object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idempotent), cmocka_unit_test(unknown),   cmocka_unit_test(stable),
        cmocka_unit_test(accepted),   cmocka_unit_test(unchanged), cmocka_unit_test(status_writes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
