/* SPDX-License-Identifier: Apache-2.0 */
/* Checking a text: each of its objects through each version's admission, and what comes of it into
 * the report. */
#include "cli/check.h"

#include "cli/apply.h"
#include "cli/check_policy.h"
#include "common/base/memory.h"

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

static struct jr_checked describe(const struct jr_checking *c, const struct jr_manifest *m)
{
    const struct jr_node *meta = jr_get(m->node, "metadata");
    struct jr_str namespace = jr_get_str(meta, "namespace");
    struct jr_checked like = {
        .file = c->file,
        .document = m->document,
        .path = m->path,
        .api_version = m->api_version,
        .kind = m->kind,
        .namespace = namespace.n == 0 ? JR_S("default") : namespace,
        .name = jr_get_str(meta, "name"),
        .generate_name = jr_get_str(meta, "generateName"),
        .operation = "create",
    };

    jr_positions_place(m->positions, m->place, &like.line, &like.column);
    return like;
}

static struct jr_str reason_of(int code)
{
    if (code == 503)
        return JR_S("ServiceUnavailable");
    return code == 400 ? JR_S("BadRequest") : JR_S("Invalid");
}

/** The answer to the object as a whole. */
static void add_answer(struct jr_checking *c, const struct jr_admission_result *result,
                       const char *strict)
{
    struct jr_report *r = c->report;
    const struct jr_checked *o = &r->objects.v[r->objects.n - 1];
    struct jr_answer answer = { .versions = c->versions };

    if (!result->refused && strict != NULL && c->options->strict) {
        const char *text = jr_arena_printf(
            &r->arena,
            "%.*s in version \"v1\" cannot be handled as a %.*s: strict decoding error: %s",
            JR_P(o->kind), JR_P(o->kind), strict);
        if (text == NULL)
            jr_report_full(r);
        answer.code = 400;
        answer.message = jr_str(text);
    } else if (jr_admission_denied(result)) {
        answer.code = result->status.code;
        answer.message = result->status.message;
    } else {
        return;
    }
    answer.reason = reason_of(answer.code);
    jr_report_answer(r, &answer);
}

static bool is_newest(const struct jr_checking *c)
{
    const struct jr_cli_profiles *profiles = &c->options->profiles;

    return c->profile == &profiles->v[profiles->n - 1];
}

/** Counts an object once, if an exception of any policy applied to it, or no policy matches it. */
static void note_policies(struct jr_checking *c, const struct jr_policy_findings *f)
{
    const struct jr_cli_policies *p = c->options->policies;
    size_t i = 0;

    while (i < f->n_matches && f->matches[i].exception == NULL)
        i++;
    c->report->excepted += i < f->n_matches && is_newest(c);
    c->report->unmatched += f->n_unmatched > 0 && f->n_unmatched == p->set.n && is_newest(c);
}

/** A write of m, whose trees are copies: admission changes them. */
static enum jr_status admit(struct jr_checking *c, const struct jr_manifest *m,
                            struct jr_admission_request *r, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *object = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old = NULL;
    struct jr_admission_result result;
    const char *strict = NULL;
    enum jr_status st;

    jr_findings_strict(c, r->kind->schema, &strict);
    jr_must(jr_doc_of(m->node, &object));
    r->object = jr_doc_root(object);
    if (r->old != NULL) {
        jr_must(jr_doc_of(r->old, &old));
        r->old = jr_doc_root(old);
    }
    jr_admission_result_init(&result, &c->report->arena);
    st = jr_cli_admit(r, &result, err);
    if (st != JR_OK)
        return st;
    jr_findings_of(c, &result);
    if (!result.refused && r->operation != JR_ADMISSION_STATUS)
        jr_findings_dropped(c, r->kind->schema, r->object);
    if (c->options->verbose)
        jr_findings_unvalidated(c, r->kind->template);
    if (c->report->failed != JR_OK)
        return JR_OK;
    note_policies(c, &result.policies);
    add_answer(c, &result, strict);
    if (c->options->taken != NULL && is_newest(c) && !jr_admission_denied(&result))
        c->options->taken(c->options->taken_ctx, &c->report->objects.v[c->report->objects.n - 1],
                          r);
    return JR_OK;
}

/** The same by each version, the newest first. */
static enum jr_status admit_by_all(struct jr_checking *c, const struct jr_manifest *m,
                                   const struct jr_admission_request *like, struct jr_error *err)
{
    const struct jr_cli_profiles *profiles = &c->options->profiles;
    enum jr_status st = JR_OK;

    for (size_t i = profiles->n; i-- > 0 && st == JR_OK && c->report->failed == JR_OK;) {
        struct jr_admission_request r = *like;

        c->profile = r.profile = &profiles->v[i];
        c->versions = 1U << i;
        st = admit(c, m, &r, err);
    }
    if (c->report->failed == JR_OK)
        jr_report_merge(c->report);
    return st;
}

static void check_object(struct jr_checking *c, const struct jr_manifest *m,
                         struct jr_admission_request *r)
{
    struct jr_error err = { .status = JR_OK };
    struct jr_policy_context context;
    enum jr_status st;

    r->policies = jr_cli_policies_context(
        c->options->policies, jr_get_str(jr_get(m->node, "metadata"), "namespace"), &context);
    st = admit_by_all(c, m, r, &err);
    if (st == JR_INVALID) {
        jr_error_in(&err, "the old object");
        add_unreadable(c, &err);
    } else if (st == JR_LIMIT) {
        c->report->failed = st;
    } else if (st != JR_OK) {
        jr_report_full(c->report);
    }
}

/** Whether it is meant as a Job or CronJob but no API server would know it: an old version, a
 * version of another group, a kind that is misspelt. Groups of others have a dot in them. */
static bool is_misnamed(const struct jr_manifest *m)
{
    bool kind = jr_str_is(m->kind, "Job") || jr_str_is(m->kind, "CronJob");
    struct jr_str group = m->api_version;
    ptrdiff_t slash = jr_str_find(group, '/');

    group = jr_str_head(group, slash < 0 ? 0 : (size_t)slash);
    return jr_str_is(group, "batch") || (kind && jr_str_find(group, '.') < 0);
}

static void add_misnamed(struct jr_checking *c, const struct jr_manifest *m)
{
    const char *text =
        m->api_version.n == 0
            ? "apiVersion not set"
            : jr_arena_printf(&c->report->arena, "no matches for kind \"%.*s\" in version \"%.*s\"",
                              JR_P(m->kind), JR_P(m->api_version));
    const bool ours = jr_policy_is_meant(m->api_version, m->kind);
    const bool version =
        ours ? jr_str_is(m->kind, JR_POLICY_KIND) || jr_str_is(m->kind, JR_POLICY_TEST_KIND)
             : jr_str_is(m->kind, "Job") || jr_str_is(m->kind, "CronJob");
    const char *hint = version ? "it is batch/v1" : "there are Job and CronJob";
    const char *field = version ? "apiVersion" : "kind";

    if (ours)
        hint = version ? "it is " JR_POLICY_API_VERSION
                       : "there are " JR_POLICY_KIND " and " JR_POLICY_TEST_KIND;
    if (text == NULL)
        jr_report_full(c->report);
    c->versions = jr_versions_all(&c->report->versions);
    jr_finding_add(c, jr_manifest_place(m, &JR_FIELD(NULL, field)),
                   (struct jr_finding){
                       .type = JR_S("NoKindMatch"),
                       .field = jr_str(field),
                       .detail = jr_str(text),
                       .message = jr_str(text),
                       .rule = JR_S("no-kind-match"),
                       .hint = jr_str(hint),
                   });
}

/** The request that m is; kind NULL: it isn't admitted. */
static struct jr_admission_request
request_of(const struct jr_checking *c, const struct jr_manifest *m, const struct jr_checked *like)
{
    struct jr_admission_request r = {
        .kind = jr_admission_kind_find(m->api_version, m->kind),
        .operation = JR_ADMISSION_CREATE,
        .source = JR_ADMISSION_MANIFEST,
        .uid = JR_S(JR_ADMISSION_UID),
    };

    if (r.kind != NULL && c->options->stored &&
        jr_get_str(jr_get(m->node, "metadata"), "uid").n > 0)
        r.old = m->node;
    else if (r.kind != NULL && c->options->existing != NULL)
        r.old = jr_existing_find(c->options->existing, r.kind, like->namespace, like->name);
    if (r.old != NULL)
        r.operation = c->options->status ? JR_ADMISSION_STATUS : JR_ADMISSION_UPDATE;
    return r;
}

static enum jr_status take_object(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct jr_checking *c = ctx;
    struct jr_checked like;
    struct jr_admission_request r;
    const bool ours = !c->options->jobs_only && jr_policy_is_meant(m->api_version, m->kind);

    if (m->is_list)
        return JR_OK;
    jr_cli_set_namespace(m, c->options->namespace);
    like = describe(c, m);
    r = request_of(c, m, &like);
    if (jr_node_kind(m->node) != JR_OBJECT) {
        jr_report_unreadable(c->report, c->file, like.line, like.column, JR_S(JR_NO_OBJECT));
        return JR_OK;
    }
    if (ours)
        like.namespace = JR_S("");
    if (r.kind == NULL && !ours && !is_misnamed(m)) {
        c->report->others++;
        return JR_OK;
    }
    if (r.old != NULL)
        like.operation = c->options->status ? "status" : "update";
    c->object = m;
    if (jr_report_object(c->report, &like) == NULL)
        return jr_fail(err, c->report->failed, NULL, "too much to report");
    if (r.kind == NULL) {
        if (!ours || !jr_check_policy(c, m))
            add_misnamed(c, m);
    } else if (c->options->status && r.old == NULL) {
        jr_report_unreadable(c->report, c->file, like.line, like.column,
                             JR_S("no old object of its kind, namespace and name: its status can't "
                                  "be validated"));
    } else {
        check_object(c, m, &r);
    }
    return c->report->failed == JR_OK ? JR_OK
                                      : jr_fail(err, c->report->failed, NULL, "too much to report");
}

/* ---- documents ---- */

static enum jr_status keep_duplicate(void *ctx, size_t at)
{
    struct jr_checking *c = ctx;

    c->duplicates.v = jr_xvec_room(c->duplicates.v, c->duplicates.n, &c->duplicates.cap,
                                   sizeof(*c->duplicates.v));
    c->duplicates.v[c->duplicates.n++] = at;
    return JR_OK;
}

static void take_document(void *ctx, const struct jr_stream_document *document)
{
    struct jr_checking *c = ctx;

    if (document->ended)
        return;
    c->duplicates.n = 0;
    jr_must(jr_positions_duplicates(document->positions, keep_duplicate, c));
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
    struct jr_checking c = {
        .report = r, .options = options, .strict = options->strict, .file = file, .text = text
    };
    const struct jr_stream_sink sink = { take_object, take_document, &c };
    struct jr_error err = { .status = JR_OK };

    r->files++;
    r->versions = jr_versions_of(&options->profiles);
    if (is_binary(text)) {
        jr_report_unreadable(r, file, 0, 0, JR_S("binary: neither YAML nor JSON"));
        return;
    }
    if (jr_stream_read(text, &limits, &sink, &err) != JR_OK)
        add_unreadable(&c, &err);
    free(c.lines);
    free(c.columns.v);
    free(c.duplicates.v);
}
