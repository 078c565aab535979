#include "cli/findings.h"

#include "cli/locate.h"
#include "cli/suggest.h"
#include "common/base/utf8.h"
#include "common/pod/unjudged.h"
#include "common/schema/strict.h"

/* Of a source line at most this is shown before and behind the column. */
#define SOURCE_BEFORE 80
#define SOURCE_AFTER 120
/* Of an object's findings this many get a line of their own, the others the object's: each is
 * looked for from the top, and nobody reads that far. */
#define LOCATED_MAX 1000

/* ---- the source line ---- */

static bool find_lines(struct jr_checking *c)
{
    size_t n = 1, i = 0;

    if (c->lines != NULL)
        return true;
    for (size_t k = 0; k < c->text.n; k++)
        n += c->text.p[k] == '\n';
    c->lines = calloc(n, sizeof(*c->lines));
    if (c->lines == NULL)
        return false;
    c->n_lines = n;
    for (size_t k = 0; k < c->text.n; k++) {
        if (c->text.p[k] == '\n')
            c->lines[++i] = k + 1;
    }
    return true;
}

static struct jr_str line_at(const struct jr_checking *c, unsigned line)
{
    struct jr_str s;
    ptrdiff_t end;

    if (line == 0 || line > c->n_lines)
        return JR_S("");
    s = jr_str_from(c->text, c->lines[line - 1]);
    end = jr_str_find(s, '\n');
    s = jr_str_head(s, end < 0 ? s.n : (size_t)end);
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

/** Fills source and caret. */
static void show_source(struct jr_checking *c, struct jr_finding *f)
{
    const size_t chars = f->column - 1;
    const size_t skipped = chars > SOURCE_BEFORE ? chars - SOURCE_BEFORE : 0;
    struct jr_str s;

    if (!find_lines(c)) {
        jr_report_fail(c->report, JR_NOMEM);
        return;
    }
    s = line_at(c, f->line);
    s = jr_str_from(s, bytes_of(s, skipped));
    s = jr_str_head(s, bytes_of(s, chars - skipped + SOURCE_AFTER));
    f->source = jr_report_keep(c->report, s.p == NULL ? JR_S("") : s);
    f->caret = (unsigned)(chars - skipped);
}

static bool is_located(const struct jr_checking *c)
{
    const struct jr_report *r = c->report;

    return r->objects.n == 0 || r->objects.v[r->objects.n - 1].n < LOCATED_MAX;
}

void jr_finding_add(struct jr_checking *c, struct jr_str path, struct jr_finding f)
{
    if (f.level == JR_LEVEL_WARNING && c->options->warnings_as_errors)
        f.level = JR_LEVEL_ERROR;
    if (f.level != JR_LEVEL_ERROR && c->options->quiet)
        return;
    jr_stream_find(c->object, is_located(c) ? path : JR_S(""), &f.line, &f.column);
    show_source(c, &f);
    jr_report_find(c->report, &f);
}

/* ---- verdicts ---- */

/** The path that an API server's warning begins with. */
static struct jr_str warned_field(struct jr_str text)
{
    static const char *const tops[] = { "metadata", "spec", "status" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(tops); i++) {
        size_t n = strlen(tops[i]);

        if (!jr_str_starts(text, jr_str(tops[i])))
            continue;
        for (; n + 1 < text.n && text.p[n] != ' '; n++) {
            if (text.p[n] == ':' && text.p[n + 1] == ' ')
                return jr_str_head(text, n);
        }
    }
    return JR_S("");
}

static void add_warning(struct jr_checking *c, struct jr_str text)
{
    struct jr_str field = warned_field(text);

    jr_finding_add(c, field,
                   (struct jr_finding){
                       .level = JR_LEVEL_WARNING,
                       .type = JR_S("Warning"),
                       .field = field,
                       .detail = jr_str_from(text, field.n == 0 ? 0 : field.n + 2),
                       .message = text,
                       .rule = JR_S("api-warning"),
                   });
}

/** What a person may do about an error whose cause can't be seen in it. */
static struct jr_str hint_for(const struct jr_checking *c, const struct jr_field_error *e)
{
    bool create = c->options->olds == NULL;

    if (e->rule == NULL)
        return (struct jr_str){ NULL, 0 };
    if (create && strcmp(e->rule, "generated-label-wrong") == 0)
        return JR_S("a new Job gets its own: leave this label out");
    if (create && strcmp(e->rule, "generated-selector") == 0)
        return JR_S("a new Job gets its own: leave the selector out");
    return (struct jr_str){ NULL, 0 };
}

static void add_error(struct jr_checking *c, const struct jr_field_error *e)
{
    struct jr_str path =
        is_located(c) ? jr_locate_cause(c->object->node, e, &c->report->arena) : e->field;
    JR_BUF message = { 0 };

    jr_buf_init(&message, SIZE_MAX / 2);
    if (path.p == NULL || jr_field_error_write(e, &message) != JR_OK) {
        jr_report_fail(c->report, JR_NOMEM);
        return;
    }
    jr_finding_add(c, path,
                   (struct jr_finding){
                       .type = jr_str(jr_field_error_reason(e->type)),
                       .field = e->field,
                       .value = e->value,
                       .detail = e->detail,
                       .message = jr_report_keep(c->report, jr_buf_str(&message)),
                       .rule = jr_str(e->rule),
                       .hint = hint_for(c, e),
                   });
}

void jr_findings_of(struct jr_checking *c, const struct jr_judgement *verdict)
{
    struct jr_str words = jr_str(verdict->refused);

    for (size_t i = 0; i < verdict->errs.n; i++)
        add_error(c, &verdict->errs.v[i]);
    for (size_t i = 0; i < verdict->warnings.n; i++)
        add_warning(c, verdict->warnings.v[i]);
    if (words.p != NULL)
        jr_finding_add(c, jr_str(verdict->refused_at),
                       (struct jr_finding){
                           .type = JR_S("BadRequest"),
                           .field = jr_str(verdict->refused_at),
                           .detail = jr_str(verdict->why),
                           .message = words,
                           .rule = JR_S("wrong-type"),
                       });
}

/* ---- unknown and duplicate fields ---- */

static void add_strict(struct jr_checking *c, struct jr_buf *all, struct jr_str field,
                       const char *what, const char *hint)
{
    bool unknown = strcmp(what, "unknown") == 0;
    const char *text = jr_arena_printf(&c->report->arena, "%s field \"%.*s\"", what, JR_P(field));

    if (text == NULL) {
        jr_report_fail(c->report, JR_NOMEM);
        return;
    }
    (void)jr_buf_addf(all, "%s%s", all->n > 0 ? ", " : "", text);
    jr_finding_add(c, field,
                   (struct jr_finding){
                       .level = c->options->strict ? JR_LEVEL_ERROR : JR_LEVEL_WARNING,
                       .type = unknown ? JR_S("UnknownField") : JR_S("DuplicateField"),
                       .field = field,
                       .detail = jr_str(text),
                       .message = jr_str(text),
                       .rule = unknown ? JR_S("unknown-field") : JR_S("duplicate-field"),
                       .hint = jr_str(hint),
                   });
}

/** What lies between the quotes of `unknown field "..."`. */
static struct jr_str quoted(const char *text)
{
    struct jr_str s = jr_str(text);
    ptrdiff_t first = jr_str_find(s, '"'), last = jr_str_rfind(s, '"');

    return first < 0 || last <= first
               ? s
               : jr_str_head(jr_str_from(s, (size_t)first + 1), (size_t)(last - first - 1));
}

size_t jr_item_path(struct jr_str path)
{
    size_t n = 0;

    for (;;) {
        struct jr_str rest = jr_str_from(path, n + (n > 0 && n < path.n));
        size_t k = sizeof("items[") - 1;

        if (!jr_str_starts(rest, JR_S("items[")))
            return n;
        while (k < rest.n && rest.p[k] >= '0' && rest.p[k] <= '9')
            k++;
        if (k == rest.n || rest.p[k] != ']')
            return n;
        n = (size_t)(rest.p - path.p) + k + 1;
    }
}

/** The first duplicate of the object at hand, or where it would be: they lie together. */
static size_t first_duplicate(const struct jr_checking *c)
{
    size_t low = 0, high = c->duplicates.n;

    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        const struct jr_duplicate *d = &c->duplicates.v[mid];

        if (jr_str_cmp(jr_str_head(d->path, d->item), c->object->path) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void jr_findings_strict(struct jr_checking *c, const struct jr_schema_type *schema,
                        const char **ret_text)
{
    struct jr_arena *arena = &c->report->arena;
    struct jr_strict_errors unknown = { .arena = arena };
    JR_BUF all = { 0 };

    *ret_text = NULL;
    jr_buf_init(&all, SIZE_MAX / 2);
    jr_schema_unknown(schema, c->object->node, c->options->profile.minor, &unknown);
    for (const struct jr_strict_error *e = unknown.first; e != NULL; e = e->next) {
        struct jr_str field = quoted(e->text);
        add_strict(c, &all, field, "unknown",
                   jr_suggest(schema, field, c->options->profile.minor, arena));
    }
    for (size_t i = first_duplicate(c), n = 0; i < c->duplicates.n && n < JR_STRICT_MAX; i++, n++) {
        struct jr_str field = c->duplicates.v[i].path, prefix = c->object->path;

        if (!jr_str_starts(field, prefix) || (prefix.n > 0 && field.p[prefix.n] != '.'))
            break;
        field = jr_str_from(field, prefix.n == 0 ? 0 : prefix.n + 1);
        add_strict(c, &all, field, "duplicate", NULL);
    }
    if (all.failed != JR_OK || unknown.failed)
        jr_report_fail(c->report, JR_NOMEM);
    else if (all.n > 0)
        *ret_text = jr_report_keep(c->report, jr_buf_str(&all)).p;
}

/* ---- what was not judged ---- */

static enum jr_status add_unjudged(void *ctx, struct jr_str path)
{
    struct jr_checking *c = ctx;
    struct jr_str field = jr_report_keep(c->report, path);

    jr_finding_add(c, field,
                   (struct jr_finding){
                       .level = JR_LEVEL_NOTE,
                       .type = JR_S("NotJudged"),
                       .field = field,
                       .detail = JR_S("not judged here; an API server may refuse it"),
                       .message = JR_S("not judged here; an API server may refuse it"),
                       .rule = JR_S("not-judged"),
                   });
    return c->report->failed;
}

void jr_findings_unjudged(struct jr_checking *c, const char *template)
{
    const struct jr_node *at = jr_locate(c->object->node, jr_str(template));

    for (const char *const *p = jr_pod_unjudged; *p != NULL; p++) {
        if (jr_locate_each(at, jr_str(template), *p, add_unjudged, c) != JR_OK)
            jr_report_fail(c->report, JR_NOMEM);
    }
}
