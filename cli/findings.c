/* SPDX-License-Identifier: Apache-2.0 */
/* Results of admission as findings, with their places in the text. */
#include "cli/findings.h"

#include "common/schema/suggest.h"
#include "common/base/memory.h"
#include "common/base/utf8.h"
#include "common/base/vec.h"
#include "common/pod/unvalidated.h"
#include "common/schema/unknown_fields.h"

/* Of a source line at most this is shown before and behind the column. */
#define SOURCE_BEFORE 80
#define SOURCE_AFTER 120

/* ---- the source line ---- */

static void find_lines(struct jr_checking *c)
{
    size_t n = 1, i = 0;

    if (c->lines != NULL)
        return;
    for (size_t k = 0; k < c->text.n; k++)
        n += c->text.p[k] == '\n';
    c->lines = jr_xcalloc(n, sizeof(*c->lines));
    c->n_lines = n;
    for (size_t k = 0; k < c->text.n; k++) {
        if (c->text.p[k] == '\n')
            c->lines[++i] = k + 1;
    }
}

static struct jr_str line_at(const struct jr_checking *c, unsigned line)
{
    struct jr_str s;

    if (line == 0 || line > c->n_lines)
        return JR_S("");
    s = jr_str_from(c->text, c->lines[line - 1]);
    if (line < c->n_lines)
        s = jr_str_head(s, c->lines[line] - 1 - c->lines[line - 1]);
    if (jr_str_starts(s, JR_S("\xef\xbb\xbf"))) /* in front of a document */
        s = jr_str_from(s, 3);
    return jr_str_head(s, s.n - (s.n > 0 && s.p[s.n - 1] == '\r'));
}

/** The bytes that the first `chars` characters of s take. */
static size_t bytes_of(struct jr_str s, size_t chars)
{
    size_t at = 0;

    for (; chars > 0 && at < s.n; chars--) {
        uint32_t c;
        bool bad;
        at += jr_utf8_next(jr_str_from(s, at), &c, &bad);
    }
    return at;
}

/** The same for the line s of the text, whose beginning is not read again for each finding: all of
 * a file may be one line. */
static size_t bytes_in_line(struct jr_checking *c, unsigned line, struct jr_str s, size_t chars)
{
    struct jr_columns *k = &c->columns;

    if (k->line != line)
        *k = (struct jr_columns){ .line = line, .v = k->v, .cap = k->cap };
    if (k->n == 0) {
        k->v = jr_xvec_room(k->v, k->n, &k->cap, sizeof(*k->v));
        k->v[k->n++] = 0;
    }
    while (k->n <= chars / JR_COLUMNS_STEP && k->v[k->n - 1] < s.n) {
        const size_t at = k->v[k->n - 1];

        k->v = jr_xvec_room(k->v, k->n, &k->cap, sizeof(*k->v));
        k->v[k->n++] = at + bytes_of(jr_str_from(s, at), JR_COLUMNS_STEP);
    }
    if (chars / JR_COLUMNS_STEP >= k->n)
        return s.n;
    s = jr_str_from(s, k->v[chars / JR_COLUMNS_STEP]);
    return k->v[chars / JR_COLUMNS_STEP] + bytes_of(s, chars % JR_COLUMNS_STEP);
}

/** Fills source and caret. */
static void show_source(struct jr_checking *c, struct jr_finding *f)
{
    const size_t chars = f->column - 1;
    const size_t skipped = chars > SOURCE_BEFORE ? chars - SOURCE_BEFORE : 0;
    struct jr_str s;

    find_lines(c);
    s = line_at(c, f->line);
    s = jr_str_from(s, bytes_in_line(c, f->line, s, skipped));
    s = jr_str_head(s, bytes_of(s, chars - skipped + SOURCE_AFTER));
    f->source = jr_report_keep(c->report, s.p == NULL ? JR_S("") : s);
    f->caret = (unsigned)(chars - skipped);
}

/** A text that the report's arena had to give; without it the report is not complete. */
static struct jr_str check_room(struct jr_checking *c, struct jr_str text)
{
    if (text.p == NULL)
        jr_report_full(c->report);
    return text;
}

void jr_finding_add(struct jr_checking *c, size_t place, struct jr_finding f)
{
    f.refuses = f.level == JR_LEVEL_ERROR;
    f.versions = c->versions;
    if (f.level == JR_LEVEL_WARNING && c->options->warnings_as_errors)
        f.level = JR_LEVEL_ERROR;
    if (f.level != JR_LEVEL_ERROR && c->options->quiet)
        return;
    jr_positions_place(c->object->positions, place, &f.line, &f.column);
    show_source(c, &f);
    jr_report_find(c->report, &f);
}

/* ---- what admission says ---- */

static void add_warning(struct jr_checking *c, struct jr_str text,
                        const struct jr_warning_about *about)
{
    const struct jr_field_path *path = about->path;
    const struct jr_str field =
        path == NULL ? JR_S("") : check_room(c, jr_field_path_text(path, &c->report->arena));

    jr_finding_add(c, jr_manifest_place(c->object, path),
                   (struct jr_finding){
                       .level = JR_LEVEL_WARNING,
                       .type = JR_S("Warning"),
                       .field = field,
                       .detail = jr_str_from(text, field.n == 0 ? 0 : field.n + 2),
                       .message = text,
                       .rule = jr_str(jr_warning_id(about->id)),
                   });
}

/** What a person may do about an error whose cause can't be seen in it. */
static struct jr_str hint_for(const struct jr_checking *c, const struct jr_field_error *e)
{
    const struct jr_node *meta = jr_get(c->object->node, "metadata");
    const bool label = e->rule != NULL && strcmp(e->rule, "generated-label-wrong") == 0;
    const bool selector = e->rule != NULL && strcmp(e->rule, "generated-selector") == 0;

    if (c->options->existing != NULL || (!label && !selector))
        return (struct jr_str){ NULL, 0 };
    if (jr_get_str(meta, "uid").n > 0)
        return JR_S("this Job is from a cluster: --old with the same file checks it as it is "
                    "stored; a new one gets its own, so leave this out");
    return label ? JR_S("a new Job gets its own: leave this label out")
                 : JR_S("a new Job gets its own: leave the selector out");
}

static void add_error(struct jr_checking *c, const struct jr_field_error *e)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_BUF_BY_INPUT);
    jr_must(jr_field_error_write(e, &message));
    jr_finding_add(c, jr_manifest_place(c->object, e->path),
                   (struct jr_finding){
                       .type = jr_str(jr_field_error_reason(e->type)),
                       .field = e->field,
                       .value = e->value,
                       .detail = e->detail,
                       .message = jr_report_keep(c->report, jr_buf_str(&message)),
                       .rule = e->rule == NULL ? JR_S("job-policy") : jr_str(e->rule),
                       .hint = hint_for(c, e),
                   });
}

void jr_findings_errors(struct jr_checking *c, const struct jr_errlist *errs)
{
    for (size_t i = 0; i < errs->n; i++)
        add_error(c, &errs->v[i]);
}

void jr_findings_warnings(struct jr_checking *c, const struct jr_warnings *warnings, size_t from)
{
    for (size_t i = from; i < warnings->list.n; i++)
        add_warning(c, warnings->list.v[i], &warnings->about[i]);
}

/* ---- what policies say ---- */

static void add_policy_finding(struct jr_checking *c, const struct jr_policy_finding *f)
{
    struct jr_arena *arena = &c->report->arena;
    struct jr_str text;

    if (jr_policy_finding_text(f, arena, &text) != JR_OK)
        jr_report_full(c->report);
    jr_finding_add(
        c, jr_manifest_place(c->object, f->path),
        (struct jr_finding){
            .level = f->denies  ? JR_LEVEL_ERROR
                     : f->warns ? JR_LEVEL_WARNING
                                : JR_LEVEL_NOTE,
            .type = JR_S(JR_POLICY_VIOLATION),
            .field = f->field,
            .detail = f->message,
            .message = text,
            .rule = check_room(c, jr_str(jr_arena_printf(arena, "%.*s/%.*s", JR_P(f->policy->name),
                                                         JR_P(f->rule)))),
        });
}

/** Names a policy that goes by labels of a Namespace which isn't known. */
static void add_undecided(struct jr_checking *c, const struct jr_job_policy *p)
{
    struct jr_policy_context context;
    const struct jr_str namespace = jr_get_str(jr_get(c->object->node, "metadata"), "namespace");
    const char *what = p->rules.pod_security.of_namespace
                           ? "goes by what namespaces enforce on Pods, and the labels"
                           : "selects namespaces by labels, and those";
    const struct jr_str message = check_room(
        c,
        jr_str(jr_arena_printf(
            &c->report->arena, "policy \"%.*s\" %s of \"%.*s\" are not known", JR_P(p->name), what,
            JR_P(jr_cli_policies_context(c->options->policies, namespace, &context)->namespace))));

    jr_finding_add(c, c->object->place,
                   (struct jr_finding){
                       .type = JR_S(JR_UNDECIDED),
                       .detail = message,
                       .message = message,
                       .rule = JR_S("namespace-labels-unknown"),
                       .hint = JR_S("--namespace-labels or the Namespace's manifest says them"),
                   });
}

void jr_findings_of(struct jr_checking *c, const struct jr_admission_result *result)
{
    jr_findings_errors(c, &result->errs);
    for (size_t i = 0; i < result->policies.n; i++)
        add_policy_finding(c, &result->policies.v[i]);
    jr_findings_warnings(c, &result->warnings, result->policy_warnings);
    for (size_t i = 0; i < result->policies.n_undecided; i++)
        add_undecided(c, c->options->policies->set.v[result->policies.undecided[i]]);
    if (result->refused)
        jr_finding_add(c, jr_manifest_place(c->object, result->wrong.path),
                       (struct jr_finding){
                           .type = JR_S("BadRequest"),
                           .field = result->wrong.field,
                           .detail = jr_str(result->wrong.why),
                           .message = result->status.message,
                           .rule = JR_S("wrong-type"),
                       });
}

/* ---- unknown and duplicate fields ---- */

static void add_strict(struct jr_checking *c, struct jr_buf *all, size_t place, struct jr_finding f)
{
    (void)jr_buf_addf(all, "%s%.*s", all->n > 0 ? ", " : "", JR_P(f.message));
    f.level = c->strict ? JR_LEVEL_ERROR : JR_LEVEL_WARNING;
    f.detail = f.message;
    jr_finding_add(c, place, f);
}

static void add_unknown(struct jr_checking *c, const struct jr_schema_type *schema,
                        struct jr_buf *all)
{
    const unsigned minor = c->profile->version.minor;
    struct jr_arena *arena = &c->report->arena;
    struct jr_strict_errors unknown = { .arena = arena };

    jr_schema_unknown(schema, c->object->node, minor, &unknown);
    if (unknown.failed)
        jr_report_full(c->report);
    for (const struct jr_strict_error *e = unknown.first; e != NULL; e = e->next) {
        const char *hint = NULL;

        if (jr_suggest(schema, e->in, e->path, minor, arena, &hint) != JR_OK)
            jr_report_full(c->report);
        add_strict(c, all, jr_manifest_place(c->object, e->path),
                   (struct jr_finding){
                       .type = JR_S("UnknownField"),
                       .field = e->field,
                       .message = jr_str(e->text),
                       .rule = JR_S("unknown-field"),
                       .hint = jr_str(hint),
                   });
    }
}

/** The first duplicate in the object at hand, or behind it: they are in the text's order. */
static size_t first_duplicate(const struct jr_checking *c)
{
    size_t low = 0, high = c->duplicates.n;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;

        if (c->duplicates.v[mid] < c->object->place)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void add_duplicates(struct jr_checking *c, struct jr_buf *all)
{
    const struct jr_positions *p = c->object->positions;
    struct jr_arena *arena = &c->report->arena;
    const size_t first = first_duplicate(c);

    for (size_t i = first; i < c->duplicates.n && i - first < JR_STRICT_MAX; i++) {
        const size_t at = c->duplicates.v[i];
        struct jr_str field, message;
        JR_BUF path = { 0 };

        if (!jr_positions_below(p, at, c->object->place))
            break;
        jr_buf_init(&path, JR_BUF_BY_INPUT);
        jr_positions_write(p, c->object->place, at, &path);
        field = jr_report_keep(c->report, jr_buf_str(&path));
        message =
            check_room(c, jr_str(jr_arena_printf(arena, "duplicate field \"%.*s\"", JR_P(field))));
        add_strict(c, all, jr_positions_last(p, at),
                   (struct jr_finding){
                       .type = JR_S("DuplicateField"),
                       .field = field,
                       .message = message,
                       .rule = JR_S("duplicate-field"),
                   });
    }
}

void jr_findings_strict(struct jr_checking *c, const struct jr_schema_type *schema,
                        const char **ret_text)
{
    JR_BUF all = { 0 };

    *ret_text = NULL;
    jr_buf_init(&all, JR_BUF_BY_INPUT);
    add_unknown(c, schema, &all);
    add_duplicates(c, &all);
    if (all.failed != JR_OK)
        jr_out_of_memory();
    if (all.n > 0)
        *ret_text = jr_report_keep(c->report, jr_buf_str(&all)).p;
}

/* ---- what was not validated ---- */

static void add_unvalidated(void *ctx, const struct jr_field_path *path)
{
    struct jr_checking *c = ctx;

    jr_finding_add(c, jr_manifest_place(c->object, path),
                   (struct jr_finding){
                       .level = JR_LEVEL_NOTE,
                       .type = JR_S("NotValidated"),
                       .field = check_room(c, jr_field_path_text(path, &c->report->arena)),
                       .detail = JR_S("not validated here; an API server may refuse it"),
                       .message = JR_S("not validated here; an API server may refuse it"),
                       .rule = JR_S("not-validated"),
                   });
}

void jr_findings_unvalidated(struct jr_checking *c, const struct jr_field_path *template)
{
    jr_pod_each_unvalidated(jr_field_find(c->object->node, template), template, add_unvalidated, c);
}
