/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the policies of each suite, runs its cases, and reports them. */
#include "cli/suites.h"

#include "cli/manifest_file.h"
#include "cli/suite_case.h"
#include "common/base/memory.h"
#include "common/base/show.h"

#define PATH_BYTES ((size_t)64 << 10)

/** A text on its way through. */
struct running {
    struct jr_suites *s;
    struct jr_str file;
};

/** line 0: of the whole file. */
static void note_fault(struct jr_suites *s, struct jr_str file, unsigned line, unsigned column,
                       struct jr_str why)
{
    jr_show(file, s->err);
    if (line > 0)
        (void)jr_buf_addf(s->err, ":%u:%u", line, column);
    (void)jr_buf_adds(s->err, ": ");
    jr_show(why, s->err);
    (void)jr_buf_addc(s->err, '\n');
    if (s->report != NULL)
        jr_report_unreadable(s->report, file, line, column, why);
    s->faults++;
}

void jr_suites_fault(struct jr_suites *s, struct jr_str file, const char *why)
{
    note_fault(s, file, 0, 0, jr_str(why));
}

static void add_problem(void *ctx, const struct jr_suite_problem *p)
{
    unsigned line, column;
    JR_BUF text = { 0 };

    jr_positions_place(p->positions, p->place, &line, &column);
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    if (p->field.n > 0)
        (void)jr_buf_addf(&text, "%.*s: ", JR_P(p->field));
    (void)jr_buf_add(&text, p->message);
    jr_must(text.failed);
    note_fault(ctx, p->file, line, column, jr_buf_str(&text));
}

/* ---- policies ---- */

/** Whether the text can have a document of a kind. What is no YAML, such as a template of a chart,
 * is passed over so. */
static bool mentions(struct jr_str text, const char *kind)
{
    return text.n > 0 && memmem(text.p, text.n, kind, strlen(kind)) != NULL;
}

struct loading {
    struct jr_cli_policies *policies;
    struct jr_error *err;
    enum jr_status failed;
};

static void load_beside(void *ctx, const char *path)
{
    struct loading *l = ctx;
    JR_BUF text = { 0 };

    if (l->failed != JR_OK)
        return;
    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    l->failed = jr_input_read(path, &text, l->err);
    if (l->failed == JR_OK && mentions(jr_buf_str(&text), JR_POLICY_KIND))
        l->failed = jr_cli_policies_add(l->policies, path, l->err);
}

static void fail_loading(void *ctx, const char *path, const char *why)
{
    struct loading *l = ctx;

    if (l->failed == JR_OK)
        l->failed = jr_fail(l->err, JR_IO, path, "%s", why);
}

static enum jr_status load_named(const struct jr_suite *suite, struct loading *l)
{
    for (const struct jr_node *n = jr_first(suite->policies); n != NULL; n = jr_next(n)) {
        JR_BUF path = { 0 };

        jr_buf_init(&path, PATH_BYTES);
        jr_files_beside(suite->file, jr_node_str(n), &path);
        jr_must(path.failed);
        l->failed = jr_cli_policies_add(l->policies, path.p, l->err);
        if (l->failed != JR_OK)
            break;
    }
    return l->failed;
}

static enum jr_status load_all_beside(const struct jr_suite *suite, struct loading *l)
{
    const struct jr_files_sink sink = { load_beside, fail_loading, l };
    JR_BUF folder = { 0 };

    jr_buf_init(&folder, PATH_BYTES);
    jr_files_beside(suite->file, JR_S(""), &folder);
    jr_must(folder.failed);
    jr_files_list(folder.n == 0 ? "." : folder.p, &sink);
    return l->failed;
}

static enum jr_status load_policies(struct jr_suites *s, const struct jr_suite *suite,
                                    struct jr_cli_policies *policies, struct jr_error *err)
{
    struct loading l = { policies, err, JR_OK };
    enum jr_status st;

    jr_cli_policies_begin(policies, jr_time_set(suite->now) ? suite->now : s->now);
    st = suite->policies != NULL ? load_named(suite, &l) : load_all_beside(suite, &l);
    for (const struct jr_node *n = jr_first(suite->namespaces); n != NULL; n = jr_next(n))
        jr_cli_policies_label(policies, jr_key(n), n);
    return st == JR_OK ? jr_cli_policies_end(policies, s->err, err) : st;
}

/* ---- a suite ---- */

static void write_line(struct jr_suites *s, struct jr_str file, unsigned line, struct jr_str name,
                       struct jr_str what)
{
    jr_show(file, s->out);
    (void)jr_buf_addf(s->out, ":%u: ", line);
    jr_show(name, s->out);
    (void)jr_buf_adds(s->out, ": ");
    jr_show(what, s->out);
    (void)jr_buf_addc(s->out, '\n');
}

/** Adds a case or a rule to the report, if there is one; no faults: it passed. */
static void keep_result(struct jr_suites *s, struct jr_checked like, struct jr_str faults)
{
    struct jr_report *r = s->report;
    struct jr_finding f = { .line = like.line, .column = 1, .type = JR_S("Failed") };

    if (r == NULL)
        return;
    like.document = 1;
    like.column = 1;
    like.api_version = JR_S(JR_POLICY_API_VERSION);
    like.namespace = JR_S("");
    f.field = JR_S("");
    f.detail = f.message = jr_report_keep(r, faults);
    f.rule = JR_S("policy-test");
    if (jr_report_object(r, &like) != NULL && faults.n > 0)
        jr_report_find(r, &f);
}

static void run_case(struct jr_suites *s, const struct jr_suite *suite,
                     const struct jr_suite_case *c, struct jr_cli_policies *policies,
                     const struct jr_suite_rule_uses *uses)
{
    struct jr_suite_came came;
    JR_ARENA arena = { 0 };
    JR_BUF faults = { 0 };

    jr_buf_init(&faults, JR_BUF_BY_INPUT);
    jr_suite_case_run(c, policies, &arena, &faults, &came);
    jr_suite_rules_note(uses, &came.context, &came.result, c->kind, c->old == NULL);
    s->cases++;
    s->failed += faults.n > 0;
    keep_result(s,
                (struct jr_checked){ .file = suite->file,
                                     .line = c->line,
                                     .kind = JR_S(JR_SUITE_KIND),
                                     .name = c->name,
                                     .operation = c->old == NULL ? "create" : "update" },
                jr_buf_str(&faults));
    if (faults.n > 0)
        write_line(s, suite->file, c->line, c->name, jr_buf_str(&faults));
    else if (s->verbose)
        write_line(s, suite->file, c->line, c->name, JR_S("passed"));
}

static void run_suite(struct jr_suites *s, const struct jr_suite *suite)
{
    JR_CLEANUP(jr_cli_policies_done) struct jr_cli_policies policies = { .given = false };
    JR_CLEANUP(jr_suite_rule_uses_done) struct jr_suite_rule_uses uses = { .n = 0 };
    struct jr_error err = { .status = JR_OK };
    char text[sizeof(err.path) + sizeof(err.msg) + 8];

    if (load_policies(s, suite, &policies, &err) != JR_OK) {
        jr_suites_fault(s, suite->file, jr_error_text(&err, text, sizeof(text)));
        return;
    }
    jr_suite_rules_use(&s->rules, &policies, &uses);
    s->n++;
    for (size_t i = 0; i < suite->n; i++)
        run_case(s, suite, &suite->v[i], &policies, &uses);
}

static enum jr_status take(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    JR_CLEANUP(jr_suite_done) struct jr_suite suite = { .n = 0 };
    struct running *r = ctx;
    const struct jr_suite_sink sink = { add_problem, r->s };

    (void)err;
    if (!jr_str_is(m->kind, JR_SUITE_KIND))
        return JR_OK;
    if (jr_suite_read(&suite, r->file, m, JR_SUITE_WITH_FILES, &sink))
        run_suite(r->s, &suite);
    return JR_OK;
}

void jr_suites_text(struct jr_suites *s, struct jr_str file, struct jr_str text)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    struct running r = { s, file };
    const struct jr_stream_sink sink = { .object = take, .ctx = &r };
    struct jr_error err = { .status = JR_OK };

    if (mentions(text, JR_SUITE_KIND) && jr_stream_read(text, &limits, &sink, &err) != JR_OK)
        jr_suites_fault(s, file, err.msg);
}

/* ---- all of them ---- */

static const char *s_of(size_t n)
{
    return n == 1 ? "" : "s";
}

static void add_untested(void *ctx, const struct jr_suite_rule *r, const char *why)
{
    struct jr_suites *s = ctx;

    write_line(s, r->file, r->line, r->text, jr_str(why));
    keep_result(s,
                (struct jr_checked){ .file = r->file,
                                     .line = r->line,
                                     .kind = JR_S(JR_POLICY_KIND),
                                     .name = r->text,
                                     .operation = "create" },
                jr_str(why));
}

void jr_suites_end(struct jr_suites *s)
{
    const struct jr_suite_rule_counts rules = jr_suite_rules_count(&s->rules);

    (void)jr_buf_addf(s->out, "%zu case%s in %zu suite%s: %zu passed, %zu failed; ", s->cases,
                      s_of(s->cases), s->n, s_of(s->n), s->cases - s->failed, s->failed);
    (void)jr_buf_addf(s->out, "%zu rule%s: %zu never violated, %zu never met\n", rules.rules,
                      s_of(rules.rules), rules.not_violated, rules.not_met);
    jr_suite_rules_untested(&s->rules, add_untested, s);
}

int jr_suites_exit_code(const struct jr_suites *s)
{
    const struct jr_suite_rule_counts rules = jr_suite_rules_count(&s->rules);

    if (s->faults > 0)
        return 2;
    return s->failed > 0 || rules.not_violated > 0 || rules.not_met > 0;
}

void jr_suites_done(struct jr_suites *s)
{
    jr_suite_rules_done(&s->rules);
}
