#include "cli/check.h"

#include "cli/findings.h"
#include "common/base/vec.h"

/* ---- what can't be read ---- */

static void add_unreadable(struct jr_checking *c, const struct jr_error *err)
{
    char text[sizeof(err->path) + sizeof(err->msg) + 8];
    struct jr_error words = *err;

    memmove(words.msg, err->msg + err->at, sizeof(words.msg) - err->at);
    jr_report_unreadable(c->report, c->file, err->line, err->column,
                         jr_str(jr_error_text(&words, text, sizeof(text))));
}

/* ---- one object ---- */

static struct jr_checked describe(const struct jr_checking *c, const struct jr_stream_object *o)
{
    const struct jr_node *meta = jr_get(o->node, "metadata");
    struct jr_str namespace = jr_get_str(meta, "namespace");
    struct jr_checked like = {
        .file = c->file,
        .document = o->document,
        .path = o->path,
        .api_version = o->api_version,
        .kind = o->kind,
        .namespace = namespace.n == 0 ? JR_S("default") : namespace,
        .name = jr_get_str(meta, "name"),
        .generate_name = jr_get_str(meta, "generateName"),
        .operation = "create",
    };

    jr_stream_find(o, JR_S(""), &like.line, &like.column);
    return like;
}

/** The answer to the object as a whole. */
static void answer(struct jr_checking *c, const struct jr_judgement *verdict, const char *strict)
{
    struct jr_report *r = c->report;
    struct jr_checked *o = &r->objects.v[r->objects.n - 1];
    struct jr_api_status status;

    if (verdict->refused != NULL) {
        o->code = 400;
        o->message = jr_str(verdict->refused);
    } else if (strict != NULL && c->options->strict) {
        const char *text = jr_arena_printf(
            &r->arena,
            "%.*s in version \"v1\" cannot be handled as a %.*s: strict decoding error: %s",
            JR_P(o->kind), JR_P(o->kind), strict);
        o->code = 400;
        o->message = jr_str(text);
    } else if (verdict->errs.n > 0) {
        if (jr_errlist_status(&verdict->errs, JR_S("batch"), o->kind, verdict->name, &status) !=
            JR_OK) {
            jr_report_fail(r, JR_NOMEM);
            return;
        }
        o->code = 422;
        o->message = status.message;
    }
    if (o->code != 0)
        o->reason = o->code == 400 ? JR_S("BadRequest") : JR_S("Invalid");
    if (o->code != 0 && o->message.p == NULL)
        jr_report_fail(r, JR_NOMEM);
}

static enum jr_status judge(struct jr_checking *c, const struct jr_judge_case *judged)
{
    struct jr_judgement verdict;
    struct jr_error err = { .status = JR_OK };
    const char *strict = NULL;
    enum jr_status st;

    jr_findings_strict(c, judged->kind->schema, &strict);
    st = jr_judge(judged, &c->report->arena, &verdict, &err);
    if (st == JR_INVALID) {
        jr_error_in(&err, "the old object");
        add_unreadable(c, &err);
        return JR_OK;
    }
    if (st != JR_OK)
        return st;
    jr_findings_of(c, &verdict);
    if (c->options->verbose)
        jr_findings_unjudged(c, judged->kind->template);
    if (c->report->failed == JR_OK)
        answer(c, &verdict, strict);
    return c->report->failed;
}

/** Whether it is meant as a Job or CronJob but no API server would know it: an old version, a
 * version of another group, a kind that is misspelt. Groups of others have a dot in them. */
static bool is_misnamed(const struct jr_stream_object *o)
{
    bool kind = jr_str_is(o->kind, "Job") || jr_str_is(o->kind, "CronJob");
    struct jr_str group = o->api_version;
    ptrdiff_t slash = jr_str_find(group, '/');

    group = jr_str_head(group, slash < 0 ? 0 : (size_t)slash);
    return jr_str_is(group, "batch") || (kind && jr_str_find(group, '.') < 0);
}

static void add_misnamed(struct jr_checking *c, const struct jr_stream_object *o)
{
    const char *text =
        o->api_version.n == 0
            ? "apiVersion not set"
            : jr_arena_printf(&c->report->arena, "no matches for kind \"%.*s\" in version \"%.*s\"",
                              JR_P(o->kind), JR_P(o->api_version));
    bool version = jr_str_is(o->kind, "Job") || jr_str_is(o->kind, "CronJob");

    if (text == NULL) {
        jr_report_fail(c->report, JR_NOMEM);
        return;
    }
    jr_finding_add(c, version ? JR_S("apiVersion") : JR_S("kind"),
                   (struct jr_finding){
                       .type = JR_S("NoKindMatch"),
                       .field = version ? JR_S("apiVersion") : JR_S("kind"),
                       .detail = jr_str(text),
                       .message = jr_str(text),
                       .rule = JR_S("no-kind-match"),
                       .hint = version ? JR_S("it is batch/v1") : JR_S("there are Job and CronJob"),
                   });
}

static enum jr_status take_object(void *ctx, const struct jr_stream_object *object,
                                  struct jr_error *err)
{
    struct jr_checking *c = ctx;
    struct jr_checked like = describe(c, object);
    struct jr_judge_case judged = {
        .kind = jr_admission_kind_find(object->api_version, object->kind),
        .profile = &c->options->profile,
        .object = object->node,
        .status = c->options->status,
    };
    enum jr_status st = JR_OK;

    if (jr_node_kind(object->node) != JR_OBJECT) {
        jr_report_unreadable(c->report, c->file, like.line, like.column, JR_S(JR_NO_OBJECT));
        return JR_OK;
    }
    if (judged.kind == NULL && !is_misnamed(object)) {
        c->report->others++;
        return JR_OK;
    }
    if (judged.kind != NULL && c->options->olds != NULL)
        judged.old = jr_olds_find(c->options->olds, judged.kind, like.namespace, like.name);
    if (judged.old != NULL)
        like.operation = judged.status ? "status" : "update";
    c->object = object;
    if (jr_report_object(c->report, &like) == NULL)
        return jr_fail(err, c->report->failed, NULL, "too much to report");
    if (judged.kind == NULL)
        add_misnamed(c, object);
    else if (judged.status && judged.old == NULL)
        jr_report_unreadable(c->report, c->file, like.line, like.column,
                             JR_S("no old object of its kind, namespace and name: its status can't "
                                  "be judged"));
    else
        st = judge(c, &judged);
    if (st != JR_OK)
        jr_report_fail(c->report, st);
    st = c->report->failed;
    return st == JR_OK ? JR_OK : jr_fail(err, st, NULL, "too much to report");
}

/* ---- documents ---- */

static enum jr_status keep_duplicate(void *ctx, struct jr_str path)
{
    struct jr_checking *c = ctx;
    struct jr_duplicate *v =
        jr_vec_room(c->duplicates.v, c->duplicates.n, &c->duplicates.cap, sizeof(*v));

    if (v == NULL)
        return JR_NOMEM;
    c->duplicates.v = v;
    c->duplicates.v[c->duplicates.n] =
        (struct jr_duplicate){ .path = jr_report_keep(c->report, path),
                               .item = jr_item_path(path),
                               .order = c->duplicates.n };
    c->duplicates.n++;
    return c->report->failed;
}

static int compare_duplicates(const void *pa, const void *pb)
{
    const struct jr_duplicate *a = pa, *b = pb;
    int cmp = jr_str_cmp(jr_str_head(a->path, a->item), jr_str_head(b->path, b->item));

    return cmp != 0 ? cmp : a->order < b->order ? -1 : a->order > b->order;
}

static enum jr_status take_document(void *ctx, const struct jr_stream_document *document,
                                    struct jr_error *err)
{
    struct jr_checking *c = ctx;
    enum jr_status st;

    if (document->ended)
        return JR_OK;
    c->duplicates.n = 0;
    st = jr_positions_duplicates(document->positions, keep_duplicate, c);
    if (st != JR_OK)
        return jr_fail(err, st, NULL, "too much to report");
    if (c->duplicates.n > 0)
        qsort(c->duplicates.v, c->duplicates.n, sizeof(*c->duplicates.v), compare_duplicates);
    return JR_OK;
}

/** Text has no NUL near its start, but UTF-16, which the reader names. */
static bool is_binary(struct jr_str text)
{
    const size_t n = text.n < 8192 ? text.n : 8192;

    return n > 0 && memchr(text.p, '\0', n) != NULL && !jr_str_starts(text, JR_S("\xff\xfe")) &&
           !jr_str_starts(text, JR_S("\xfe\xff"));
}

void jr_check_text(struct jr_report *r, struct jr_str file, struct jr_str text,
                   const struct jr_check_options *options)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES, .dup = JR_DUP_LAST };
    struct jr_checking c = { .report = r, .options = options, .file = file, .text = text };
    const struct jr_stream_sink sink = { take_object, take_document, &c };
    struct jr_error err = { .status = JR_OK };

    r->files++;
    if (is_binary(text)) {
        jr_report_unreadable(r, file, 0, 0, JR_S("binary: neither YAML nor JSON"));
        return;
    }
    if (jr_stream_read(text, &limits, &sink, &err) != JR_OK)
        add_unreadable(&c, &err);
    free(c.lines);
    free(c.duplicates.v);
}
