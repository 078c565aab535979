/* SPDX-License-Identifier: Apache-2.0 */
/* What JobPolicies find in Jobs and set on them, beside the table that was written by hand. */
#include "common/policy/evaluate.h"

#include "tests/support/failalloc.h"
#include "tests/support/yaml_table.h"
#include "tests/unit/job/job_test.h"
#include "tests/unit/policy/rules_met.h"

#define TABLE "tests/vectors/policies.yaml"
#define CASES 338
#define TEXT_MAX ((size_t)1 << 16)
#define CANT_BE_USED "the policy can't be used"

/* ---- the table ---- */

static void check_keys(const char *name, const struct jr_node *object, const char *const *known)
{
    for (const struct jr_node *m = jr_first(object); m != NULL; m = jr_next(m)) {
        if (!jr_one_of(jr_key(m), known))
            fail_msg("%s: no key %.*s", name, JR_P(jr_key(m)));
    }
}

/** A misspelt expectation would never be looked at. */
static void check_case(const struct jr_node *node)
{
    static const char *const keys[] = {
        "name",     "policies",   "job",      "old",       "namespace", "namespaceLabels",
        "queue",    "trusted",    "now",      "deleted",   "jobOnly",   "unusable",
        "findings", "undecided",  "excepted", "defaulted", "conflicts", "matched",
        "cronJob",  "oldCronJob", NULL,
    };
    static const char *const job_keys[] = {
        "spec", "pod", "labels", "annotations", "templateLabels", "ownerReferences", NULL
    };
    const char *name = jr_get_str(node, "name").p;

    check_keys(name, node, keys);
    check_keys(name, jr_get(node, "job"), job_keys);
    check_keys(name, jr_get(node, "old"), job_keys);
    check_keys(name, jr_get(node, "defaulted"), job_keys);
    if (jr_get(node, "findings") == NULL && jr_get(node, "defaulted") == NULL &&
        jr_get(node, "undecided") == NULL)
        fail_msg("%s: nothing is expected", name);
}

/* ---- a case ---- */

struct scene {
    const char *name;
    const struct jr_node *node;
    struct jr_arena arena;
    struct jr_policy_set set;
    struct jr_policy_context context;
    struct jr_doc *doc; /* the Job, defaulted, until it is opened */
    struct jr_object job;
    struct jr_object old;
    bool failed;
};

static void JR_PRINTF(2, 3) fault(struct scene *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    print_error("%s: ", s->name);
    vprint_error(fmt, ap);
    print_error("\n");
    va_end(ap);
    s->failed = true;
}

/** have: a line for each text of the case's list. */
static void want_lines(struct scene *s, const char *key, const struct jr_buf *have)
{
    JR_BUF want = { 0 };

    jr_buf_init(&want, TEXT_MAX);
    for (const struct jr_node *e = jr_first(jr_get(s->node, key)); e != NULL; e = jr_next(e))
        (void)jr_buf_addf(&want, "%.*s\n", JR_P(jr_node_str(e)));
    assert_int_equal(want.failed, JR_OK);
    assert_int_equal(have->failed, JR_OK);
    if (!jr_str_eq(jr_buf_str(have), jr_buf_str(&want)))
        fault(s, "%s:\n%.*sby hand:\n%.*s", key, JR_P(jr_buf_str(have)), JR_P(jr_buf_str(&want)));
}

/** Puts each part of a Job that the table has where it belongs. */
static void apply_parts(struct jr_node *root, const struct jr_node *parts)
{
    static const struct {
        const char *key;
        const char *path[4];
    } places[] = {
        { "spec", { "spec" } },
        { "pod", { "spec", "template", "spec" } },
        { "labels", { "metadata", "labels" } },
        { "annotations", { "metadata", "annotations" } },
        { "templateLabels", { "spec", "template", "metadata", "labels" } },
        { "ownerReferences", { "metadata", "ownerReferences" } },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(places); i++) {
        const struct jr_node *part = jr_get(parts, places[i].key);
        struct jr_node *at = root;

        if (part == NULL)
            continue;
        for (size_t k = 0; k < JR_ARRAY_SIZE(places[i].path) && places[i].path[k] != NULL; k++)
            assert_int_equal(jr_ensure_object(at, places[i].path[k], &at), JR_OK);
        assert_int_equal(jr_merge_apply(at, part), JR_OK);
    }
}

static struct jr_doc *job_of(const struct scene *s, const char *key)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_doc *doc = must_parse(s->name, SMALL_JOB);
    struct jr_node *meta = jr_get(jr_doc_root(doc), "metadata");

    assert_int_equal(jr_set_str(meta, "namespace", s->context.namespace), JR_OK);
    apply_parts(jr_doc_root(doc), jr_get(s->node, key));
    if (jr_str_is(jr_str(key), "job") && jr_node_bool_or(jr_get(s->node, "deleted"), false))
        assert_int_equal(jr_set_str(meta, "deletionTimestamp", JR_S("2026-11-30T23:59:59Z")),
                         JR_OK);
    assert_int_equal(jr_job_default(jr_doc_root(doc), &profile), JR_OK);
    return doc;
}

static struct jr_str text_or(const struct jr_node *object, const char *key, struct jr_str fallback)
{
    struct jr_str s = jr_get_str(object, key);

    return s.p == NULL ? fallback : s;
}

static struct jr_strs texts_of(const struct jr_node *list, struct jr_arena *a)
{
    struct jr_strs ret = { jr_arena_calloc(a, jr_size(list), sizeof(struct jr_str)), 0 };

    assert_non_null(ret.v);
    for (const struct jr_node *e = jr_first(list); e != NULL; e = jr_next(e))
        ret.v[ret.n++] = jr_node_str(e);
    return ret;
}

static void read_context(struct scene *s)
{
    const struct jr_node *labels = jr_get(s->node, "namespaceLabels");
    struct jr_errlist errs;

    jr_errlist_init(&errs, &s->arena);
    s->context = (struct jr_policy_context){
        .set = &s->set,
        .namespace = text_or(s->node, "namespace", JR_S("team-a")),
        .namespace_known = !jr_str_is(jr_node_str(labels), "unknown"),
        .namespace_labels = jr_string_map(labels, &errs),
        .by_queue = jr_node_bool_or(jr_get(s->node, "queue"), false),
        .controller = JR_S("jobreeve.dev/controller"),
        .trusted = texts_of(jr_get(s->node, "trusted"), &s->arena),
    };
    assert_int_equal(errs.failed, JR_OK);
    assert_int_equal(
        jr_time_parse(text_or(s->node, "now", JR_S("2026-12-01T00:00:00Z")), &s->context.now),
        JR_OK);
}

static void compile(struct scene *s)
{
    const struct jr_node *list = jr_get(s->node, "policies");
    struct jr_warnings warnings = { .arena = &s->arena };
    struct jr_errlist errs;

    jr_errlist_init(&errs, &s->arena);
    s->set.v = jr_arena_calloc(&s->arena, jr_size(list), sizeof(struct jr_job_policy *));
    assert_non_null(s->set.v);
    for (const struct jr_node *p = jr_first(list); p != NULL; p = jr_next(p), s->set.n++)
        assert_int_equal(
            jr_job_policy_compile(p, s->context.now, &errs, &warnings, &s->set.v[s->set.n]), JR_OK);
    assert_int_equal(errs.failed, JR_OK);
    assert_int_equal(warnings.failed, JR_OK);
    jr_policy_set_sort(&s->set);
    if ((errs.n > 0) == jr_node_bool_or(jr_get(s->node, "unusable"), false))
        return;
    if (errs.n > 0)
        fault(s, "%.*s: %.*s", JR_P(errs.v[0].field), JR_P(errs.v[0].detail));
    else
        fault(s, "no faults");
}

static void scene_init(struct scene *s, const struct jr_node *node)
{
    *s = (struct scene){ .name = jr_get_str(node, "name").p, .node = node };
    jr_arena_init(&s->arena, 0);
    read_context(s);
    compile(s);
    s->doc = job_of(s, "job");
}

/** From here on the Job is as it is. */
static void open_objects(struct scene *s)
{
    must_decode(s->name, jr_steal(&s->doc), &s->job);
    if (jr_get(s->node, "old") != NULL)
        must_decode(s->name, job_of(s, "old"), &s->old);
}

static void scene_done(struct scene *s)
{
    for (size_t i = 0; i < s->set.n; i++)
        jr_job_policy_free(s->set.v[i]);
    jr_object_done(&s->job);
    jr_object_done(&s->old);
    jr_doc_free(s->doc);
    jr_arena_done(&s->arena);
}

/* ---- findings ---- */

/** cron_job: the CronJob that would make it; NULL: none. */
static struct jr_policy_job side(const struct jr_object *o, const struct jr_node *cron_job)
{
    if (o->root == NULL)
        return (struct jr_policy_job){ 0 };
    return (struct jr_policy_job){ o->root, &o->job->spec, &o->job->meta.labels, cron_job };
}

/** The row's own CronJob, else one of which nothing but its Job is known. */
static const struct jr_node *cron_job_of(const struct scene *s, const struct jr_field_path *spec,
                                         const char *key, const struct jr_object *job)
{
    const struct jr_node *own = jr_get(s->node, key);

    if (spec->parent == NULL)
        return NULL;
    return own != NULL ? own : job->root;
}

static struct jr_policy_request request(const struct scene *s, const struct jr_field_path *spec)
{
    return (struct jr_policy_request){
        .context = &s->context,
        .update = s->old.root != NULL,
        .job = side(&s->job, cron_job_of(s, spec, "cronJob", &s->job)),
        .old = side(&s->old, cron_job_of(s, spec, "oldCronJob", &s->old)),
        .spec = spec,
    };
}

static void add_effect(const struct jr_policy_finding *f, struct jr_buf *out)
{
    const struct {
        bool is;
        const char *word;
    } effects[] = { { f->denies, "deny" }, { f->warns, "warn" }, { f->audits, "audit" } };
    static const char *const leniency[] = { "", " (no worse)", " (queue)" };
    const char *separator = "";

    for (size_t i = 0; i < JR_ARRAY_SIZE(effects); i++) {
        if (!effects[i].is)
            continue;
        (void)jr_buf_addf(out, "%s%s", separator, effects[i].word);
        separator = "+";
    }
    if (*separator == '\0')
        (void)jr_buf_adds(out, "nothing");
    /* What only warns or audits anyway is not made lenient. */
    if ((f->policy->actions & JR_ACTION_DENY) != 0)
        (void)jr_buf_adds(out, leniency[f->leniency]);
}

/** skip: what the paths of findings begin with that the table hasn't. */
static void add_finding(const struct jr_policy_finding *f, size_t skip, struct jr_buf *out)
{
    struct jr_str message = f->message;

    /* What makes it so is the compiler's to word. */
    if (jr_str_starts(message, JR_S(CANT_BE_USED ": ")))
        message.n = sizeof(CANT_BE_USED) - 1;
    add_effect(f, out);
    (void)jr_buf_addf(out, " %.*s %.*s | %.*s: %.*s\n", JR_P(f->policy->name), JR_P(f->rule),
                      JR_P(jr_str_from(f->field, skip)), JR_P(message));
}

/** Below the JobSpec, or in the metadata beside it. */
static bool is_below(struct scene *s, const struct jr_field_path *spec, struct jr_str field)
{
    return (jr_get(s->node, "cronJob") != NULL && jr_str_starts(field, JR_S("spec."))) ||
           jr_str_starts(field, jr_field_path_text(spec, &s->arena)) ||
           jr_str_starts(field, jr_field_path_text(&JR_FIELD(spec->parent, "metadata"), &s->arena));
}

/** The finding's own parts agree with each other. */
static void check_texts(struct scene *s, const struct jr_policy_finding *f,
                        const struct jr_field_path *spec)
{
    const bool lenient = f->leniency != JR_LENIENCY_NONE;
    struct jr_str have;
    JR_BUF want = { 0 };

    jr_buf_init(&want, TEXT_MAX);
    if (!is_below(s, spec, f->field) ||
        !jr_str_eq(f->field, jr_field_path_text(f->path, &s->arena)))
        fault(s, "path of %.*s: %.*s", JR_P(f->rule), JR_P(f->field));
    if (f->denies && lenient)
        fault(s, "%.*s denies and is lenient", JR_P(f->rule));
    (void)jr_buf_addf(&want, "policy \"%.*s\": %.*s: %.*s", JR_P(f->policy->name), JR_P(f->field),
                      JR_P(f->message));
    assert_int_equal(jr_policy_finding_text(f, &s->arena, &have), JR_OK);
    if (f->policy->message.n > 0)
        (void)jr_buf_addf(&want, ": %.*s", JR_P(f->policy->message));
    if (!jr_str_starts(have, jr_buf_str(&want)) || (!lenient && have.n != want.n) ||
        (lenient && (f->policy->actions & JR_ACTION_DENY) != 0 && have.n == want.n))
        fault(s, "text: %.*s", JR_P(have));
}

static void want_undecided(struct scene *s, const struct jr_policy_findings *f)
{
    JR_BUF have = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    for (size_t i = 0; i < f->n_undecided; i++)
        (void)jr_buf_addf(&have, "%.*s\n", JR_P(s->set.v[f->undecided[i]]->name));
    want_lines(s, "undecided", &have);
}

static void want_excepted(struct scene *s, const struct jr_policy_findings *f)
{
    JR_BUF have = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    for (size_t i = 0; i < f->n_matches; i++) {
        const struct jr_policy_match *m = &f->matches[i];
        char until[JR_TIME_MAX];

        if (m->policy != s->set.v[m->at])
            fault(s, "a match at another place");
        if (m->exception != NULL)
            (void)jr_buf_addf(&have, "%.*s until %s: %.*s\n", JR_P(m->policy->name),
                              jr_time_format(m->exception->until, until),
                              JR_P(m->exception->reason));
    }
    if (jr_get(s->node, "excepted") != NULL)
        want_lines(s, "excepted", &have);
}

static void evaluate(struct scene *s, const struct jr_field_path *spec, size_t skip)
{
    const struct jr_policy_request r = request(s, spec);
    const int64_t matched = jr_node_i64_or(jr_get(s->node, "matched"), -1);
    struct jr_policy_findings f = { 0 };
    JR_BUF have = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    assert_int_equal(jr_policy_evaluate(&r, &s->arena, &f), JR_OK);
    for (size_t i = 0; i < f.n; i++) {
        add_finding(&f.v[i], skip, &have);
        check_texts(s, &f.v[i], spec);
    }
    if (wrongly_met(s->context.set, &f, &s->context) > 0)
        fault(s, "rules without a finding aren't met, or others are");
    if (jr_get(s->node, "findings") != NULL)
        want_lines(s, "findings", &have);
    want_undecided(s, &f);
    want_excepted(s, &f);
    if (matched >= 0 && f.n_matches != (size_t)matched)
        fault(s, "%zu policies match", f.n_matches);
}

/** In a Job, and at the same fields of a CronJob. */
static void check_findings(struct scene *s)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path template = JR_FIELD(&spec, "jobTemplate");

    if (jr_get(s->node, "cronJob") != NULL) {
        evaluate(s, &JR_FIELD(&template, "spec"), 0);
        return;
    }
    evaluate(s, &spec, 0);
    if (jr_node_bool_or(jr_get(s->node, "jobOnly"), false))
        return;
    evaluate(s, &JR_FIELD(&template, "spec"), sizeof("spec.jobTemplate.") - 1);
}

/* ---- defaults ---- */

static void want_tree(struct scene *s, const char *what, const struct jr_node *have,
                      const struct jr_node *want)
{
    JR_BUF texts = { 0 };

    if (jr_node_equal(have, want))
        return;
    jr_buf_init(&texts, TEXT_MAX);
    assert_int_equal(jr_node_print(have, &texts), JR_OK);
    assert_int_equal(jr_buf_adds(&texts, "\nby hand:\n"), JR_OK);
    assert_int_equal(jr_node_print(want, &texts), JR_OK);
    fault(s, "%s:\n%s", what, texts.p);
}

static struct jr_doc *copy_of(const struct jr_node *node)
{
    struct jr_doc *doc = NULL;

    assert_int_equal(jr_doc_of(node, &doc), JR_OK);
    return doc;
}

static void want_conflicts(struct scene *s, const struct jr_policy_defaulted *d)
{
    JR_BUF have = { 0 };

    jr_buf_init(&have, TEXT_MAX);
    for (size_t i = 0; i < d->n; i++) {
        if (d->notes[i].first != NULL)
            (void)jr_buf_addf(&have, "%.*s %.*s after %.*s\n", JR_P(d->notes[i].policy->name),
                              JR_P(d->notes[i].field), JR_P(d->notes[i].first->name));
    }
    want_lines(s, "conflicts", &have);
}

/** What is defaulted stays, also once an API server has set its own defaults again, as it does
 * behind each webhook. */
static void check_again(struct scene *s, const char *what, struct jr_doc *doc)
{
    struct jr_policy_defaulted d = { 0 };
    DOC *before = copy_of(jr_doc_root(doc));

    assert_int_equal(jr_policy_set_defaults(&s->context, jr_doc_root(doc), &s->arena, &d), JR_OK);
    want_tree(s, what, jr_doc_root(doc), jr_doc_root(before));
    if (d.n_set > 0)
        fault(s, "%s: %zu fields were set", what, d.n_set);
}

/** A Job that no decoder takes is left alone. */
static void check_undecoded(struct scene *s)
{
    static const char *const members[][2] = { { NULL, "metadata" },
                                              { "metadata", "labels" },
                                              { NULL, "spec" },
                                              { "spec", "template" },
                                              { "spec.template", "metadata" },
                                              { "spec.template.metadata", "labels" },
                                              { "spec.template", "spec" } };

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        DOC *doc = copy_of(jr_doc_root(s->doc));
        struct jr_node *at = jr_doc_root(doc);

        if (members[i][0] != NULL)
            at = jr_path(at, members[i][0]);
        if (at == NULL) /* a template without metadata */
            continue;
        assert_int_equal(jr_set_i64(at, members[i][1], 5), JR_OK);
        check_again(s, members[i][1], doc);
    }
}

static void check_defaults(struct scene *s)
{
    const struct jr_profile profile = jr_profile_default();
    struct jr_policy_defaulted d = { 0 };
    struct jr_node *root = jr_doc_root(s->doc);
    DOC *before = copy_of(root), *want = copy_of(root), *again = NULL;

    check_undecoded(s);
    apply_parts(jr_doc_root(want), jr_get(s->node, "defaulted"));
    assert_int_equal(jr_policy_set_defaults(&s->context, root, &s->arena, &d), JR_OK);
    want_tree(s, "defaulted", root, jr_doc_root(want));
    want_conflicts(s, &d);
    if ((d.n_set == 0) != jr_node_equal(root, jr_doc_root(before)))
        fault(s, "%zu fields were set", d.n_set);
    if (d.n_undecided != jr_size(jr_get(s->node, "undecided")))
        fault(s, "defaults: %zu policies undecided", d.n_undecided);
    again = copy_of(root);
    check_again(s, "defaulted twice", again);
    assert_int_equal(jr_job_default(jr_doc_root(again), &profile), JR_OK);
    check_again(s, "defaulted behind the API server", again);
}

/* ---- all cases ---- */

static bool check(const struct jr_node *node)
{
    struct scene s;

    scene_init(&s, node);
    if (!s.failed && jr_get(node, "defaulted") != NULL)
        check_defaults(&s);
    if (!s.failed) {
        open_objects(&s);
        check_findings(&s);
    }
    scene_done(&s);
    return !s.failed;
}

static void by_hand(void **state)
{
    DOC *table = yaml_table(TABLE);
    size_t failed = 0;

    (void)state;
    assert_int_equal(jr_size(jr_doc_root(table)), CASES);
    for (const struct jr_node *c = jr_first(jr_doc_root(table)); c != NULL; c = jr_next(c)) {
        check_case(c);
        failed += !check(c);
    }
    if (failed > 0)
        fail_msg("%zu cases", failed);
}

/* ---- without memory ---- */

static enum jr_status compile_once(const struct scene *s, const struct jr_node *policy)
{
    JR_ARENA a = { 0 };
    struct jr_job_policy *p = NULL;
    struct jr_warnings warnings = { .arena = &a };
    struct jr_errlist errs;
    enum jr_status st;

    jr_arena_init(&a, 0);
    jr_errlist_init(&errs, &a);
    st = jr_job_policy_compile(policy, s->context.now, &errs, &warnings, &p);
    if (st != JR_OK)
        return st;
    jr_job_policy_free(p);
    return errs.failed != JR_OK ? errs.failed : warnings.failed;
}

static enum jr_status evaluate_once(const struct scene *s, const struct jr_node *job)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_policy_request r = request(s, &spec);
    struct jr_policy_findings f = { 0 };
    struct jr_str text;
    JR_ARENA a = { 0 };
    enum jr_status st;

    (void)job; /* the scene has it open */
    jr_arena_init(&a, 0);
    st = jr_policy_evaluate(&r, &a, &f);
    for (size_t i = 0; i < f.n && st == JR_OK; i++)
        st = jr_policy_finding_text(&f.v[i], &a, &text);
    return st;
}

static enum jr_status default_once(const struct scene *s, const struct jr_node *job)
{
    struct jr_policy_defaulted d = { 0 };
    JR_ARENA a = { 0 };
    DOC *doc = NULL;
    enum jr_status st = jr_doc_of(job, &doc);

    jr_arena_init(&a, 0);
    return st == JR_OK ? jr_policy_set_defaults(&s->context, jr_doc_root(doc), &a, &d) : st;
}

static void run_without_memory(const struct scene *s, const struct jr_node *node,
                               enum jr_status (*once)(const struct scene *, const struct jr_node *))
{
    for (long n = 1;; n++) {
        jr_failalloc_arm(n);
        if (jr_failalloc_over(once(s, node)))
            break;
    }
}

static void without_memory(void **state)
{
    DOC *table = yaml_table(TABLE);

    (void)state;
    for (const struct jr_node *c = jr_first(jr_doc_root(table)); c != NULL; c = jr_next(c)) {
        struct scene s;

        scene_init(&s, c);
        for (const struct jr_node *p = jr_first(jr_get(c, "policies")); p != NULL; p = jr_next(p))
            run_without_memory(&s, p, compile_once);
        run_without_memory(&s, jr_doc_root(s.doc), default_once);
        open_objects(&s);
        run_without_memory(&s, s.job.root, evaluate_once);
        scene_done(&s);
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
