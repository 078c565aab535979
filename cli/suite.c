/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JobPolicyTest documents, and the objects that their cases name. */
#include "cli/suite.h"

#include "cli/manifest_file.h"
#include "common/schema/suggest.h"
#include "common/base/memory.h"
#include "common/schema/decode_tree.h"
#include "common/schema/macros.h"
#include "common/schema/unknown_fields.h"

#define MINOR 36
#define PATH_BYTES ((size_t)64 << 10)

TYPE(expectation, "JobPolicyTestExpectation",
    STRING("outcome"),
    STRINGS("messages"),
    ANY("defaulted"));

TYPE(test_case, "JobPolicyTestCase",
    STRING("name"),
    ANY("object"),
    STRING("file"),
    ANY("old"),
    STRING("oldFile"),
    BOOL("queue"),
    ANY("user"), /* of the first version: refused */
    ANY("groups"),
    STRUCT("expect", expectation));

TYPE(suite_type, JR_SUITE_KIND,
    TYPE_META,
    STRINGS("policies"),
    ANY("namespaces"),
    TIME_PTR("now"),
    LIST("cases", test_case, BY("name")));

const char *const jr_suite_outcomes[] = { "Allowed", "Warned", "Denied", NULL };

struct reading {
    struct jr_suite *s;
    struct jr_str file;          /* that m stands in: the suite's, or one that it names */
    const struct jr_manifest *m; /* the suite, or an object of another file */
    enum jr_suite_files files;
    const struct jr_suite_sink *sink;
    bool bad;
};

/* ---- problems ---- */

static void add_problem_of(struct reading *r, size_t place, struct jr_str field,
                           struct jr_str message)
{
    const struct jr_suite_problem p = { r->file, r->m->positions, place, field, message };

    r->sink->problem(r->sink->ctx, &p);
    r->bad = true;
}

static void add_problem_at(struct reading *r, size_t place, const char *fmt, ...) JR_PRINTF(3, 4);
static void add_problem_at(struct reading *r, size_t place, const char *fmt, ...)
{
    JR_BUF text = { 0 };
    va_list ap;

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    va_start(ap, fmt);
    (void)jr_buf_vaddf(&text, fmt, ap);
    va_end(ap);
    jr_must(text.failed);
    add_problem_of(r, place, (struct jr_str){ NULL, 0 }, jr_buf_str(&text));
}

/** The same of a field, which is named. */
static void add_problem(struct reading *r, const struct jr_field_path *path, const char *words)
{
    add_problem_of(r, jr_manifest_place(r->m, path), jr_field_path_text(path, &r->s->arena),
                   jr_str(words));
}

static enum jr_status add_duplicate(void *ctx, size_t at)
{
    struct reading *r = ctx;
    JR_BUF path = { 0 };

    if (!jr_positions_below(r->m->positions, at, r->m->place))
        return JR_OK;
    jr_buf_init(&path, PATH_BYTES);
    jr_positions_write(r->m->positions, r->m->place, at, &path);
    add_problem_at(r, at, "duplicate field \"%.*s\"", JR_P(jr_buf_str(&path)));
    return JR_OK;
}

/** Fields of the value at `path` that its type doesn't have. */
static void check_unknown(struct reading *r, const struct jr_schema_type *type,
                          const struct jr_node *node, const struct jr_field_path *path)
{
    struct jr_strict_errors unknown = { .arena = &r->s->arena };
    const size_t from = jr_manifest_place(r->m, path);

    jr_schema_unknown(type, node, MINOR, &unknown);
    if (unknown.failed)
        jr_out_of_memory();
    for (const struct jr_strict_error *e = unknown.first; e != NULL; e = e->next) {
        const char *hint;

        jr_must(jr_suggest(type, e->in, e->path, MINOR, &r->s->arena, &hint));
        add_problem_at(r, jr_positions_find(r->m->positions, from, e->path),
                       hint == NULL ? "%s" : "%s (%s)", e->text, hint);
    }
}

/* ---- objects ---- */

/** The object becomes the case's; its kind must be that of the other one, if that is there. */
static struct jr_doc *take_object(struct reading *r, struct jr_suite_case *c,
                                  const struct jr_node *node, const struct jr_field_path *path)
{
    const struct jr_admission_kind *kind =
        jr_admission_kind_find(jr_get_str(node, "apiVersion"), jr_get_str(node, "kind"));
    const size_t place = jr_manifest_place(r->m, path);
    struct jr_doc *doc = NULL;

    if (kind == NULL)
        add_problem_at(r, place, "expected a Job or CronJob of batch/v1");
    else if (c->kind != NULL && c->kind != kind)
        add_problem_at(r, place, "expected a %s, as the object is", c->kind->kind);
    if (kind == NULL || (c->kind != NULL && c->kind != kind))
        return NULL;
    c->kind = kind;
    check_unknown(r, kind->schema, node, path);
    jr_must(jr_doc_of(node, &doc));
    return doc;
}

/** A file that should have one object. */
struct object_file {
    struct reading *r;
    struct jr_suite_case *c;
    struct jr_doc **ret;
    size_t n;
};

static enum jr_status take_manifest(void *ctx, const struct jr_manifest *m, struct jr_error *err)
{
    struct object_file *f = ctx;
    const struct jr_manifest *suite = f->r->m;

    (void)err;
    if (jr_admission_kind_find(m->api_version, m->kind) == NULL || f->n++ > 0)
        return JR_OK;
    f->r->m = m;
    *f->ret = take_object(f->r, f->c, m->node, NULL);
    f->r->m = suite;
    return JR_OK;
}

static void read_object_file(struct reading *r, struct jr_suite_case *c, struct jr_str name,
                             const struct jr_field_path *path, struct jr_doc **ret)
{
    const struct jr_yaml_limits limits = { .max_bytes = JR_STREAM_MAX_BYTES };
    struct object_file f = { r, c, ret, 0 };
    const struct jr_stream_sink sink = { .object = take_manifest, .ctx = &f };
    struct jr_error err = { .status = JR_OK };
    const struct jr_str suite = r->file;
    JR_BUF file = { 0 }, text = { 0 };
    enum jr_status st;

    jr_buf_init(&file, PATH_BYTES);
    jr_buf_init(&text, JR_STREAM_MAX_BYTES);
    jr_files_beside(suite, name, &file);
    jr_must(file.failed);
    st = jr_input_read(file.p, &text, &err);
    r->file = jr_buf_str(&file);
    if (st == JR_OK)
        st = jr_stream_read(jr_buf_str(&text), &limits, &sink, &err);
    r->file = suite;
    if (st != JR_OK)
        add_problem_at(r, jr_manifest_place(r->m, path), "%s: %s", file.p, err.msg);
    else if (f.n != 1)
        add_problem_at(r, jr_manifest_place(r->m, path),
                       "%s: expected one Job or CronJob of batch/v1, not %zu", file.p, f.n);
}

/** One of two fields has it: inline, or the name of a file. */
static void read_object(struct reading *r, struct jr_suite_case *c, const struct jr_node *node,
                        const char *const names[2], const struct jr_field_path *path,
                        struct jr_doc **ret)
{
    const struct jr_node *object = jr_get(node, names[0]), *file = jr_get(node, names[1]);
    const struct jr_field_path at[2] = { JR_FIELD(path, names[0]), JR_FIELD(path, names[1]) };

    if (!jr_unset(object) && !jr_unset(file))
        add_problem(r, &at[1], "may not be beside the other one");
    else if (!jr_unset(object))
        *ret = take_object(r, c, object, &at[0]);
    else if (!jr_unset(file) && r->files == JR_SUITE_WITH_FILES)
        read_object_file(r, c, jr_node_str(file), &at[1], ret);
}

/* ---- cases ---- */

static struct jr_strs strings_of(struct reading *r, const struct jr_node *list)
{
    struct jr_strs strs = { jr_xarena_calloc(&r->s->arena, jr_size(list), sizeof(*strs.v)), 0 };

    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n))
        strs.v[strs.n++] = jr_node_str(n);
    return strs;
}

static void read_expectation(struct reading *r, struct jr_suite_case *c, const struct jr_node *node,
                             const struct jr_field_path *path)
{
    const struct jr_str outcome = jr_get_str(node, "outcome");
    const struct jr_node *messages = jr_get(node, "messages");
    size_t i = 0;

    while (jr_suite_outcomes[i] != NULL && !jr_str_is(outcome, jr_suite_outcomes[i]))
        i++;
    if (jr_suite_outcomes[i] == NULL)
        add_problem(r, &JR_FIELD(path, "outcome"), "expected Allowed, Warned or Denied");
    c->outcome = (enum jr_suite_outcome)i;
    c->has_messages = !jr_unset(messages);
    c->messages = strings_of(r, messages);
    if (!jr_unset(jr_get(node, "defaulted")))
        c->defaulted = jr_get(node, "defaulted");
}

/** Refuses what the first version had. */
static void refuse_users(struct reading *r, const struct jr_node *node,
                         const struct jr_field_path *path)
{
    static const char *const names[] = { "user", "groups" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (!jr_unset(jr_get(node, names[i])))
            add_problem(r, &JR_FIELD(path, names[i]),
                        "has gone, since no policy goes by users: queue: true is a request by a "
                        "queue");
    }
}

static void read_case(struct reading *r, struct jr_suite_case *c, const struct jr_node *node,
                      const struct jr_field_path *path)
{
    static const char *const objects[] = { "object", "file" }, *const old[] = { "old", "oldFile" };
    const size_t place = jr_manifest_place(r->m, path);
    unsigned column;

    jr_positions_place(r->m->positions, place, &c->line, &column);
    c->name = jr_get_str(node, "name");
    if (c->name.n == 0)
        add_problem(r, &JR_FIELD(path, "name"), "expected a name");
    for (const struct jr_suite_case *other = r->s->v; other != c; other++) {
        if (c->name.n > 0 && jr_str_eq(other->name, c->name))
            add_problem(r, &JR_FIELD(path, "name"), "another case has this name");
    }
    read_object(r, c, node, objects, path, &c->object);
    if (jr_unset(jr_get(node, "object")) && jr_unset(jr_get(node, "file")))
        add_problem(r, path, "expected object or file");
    read_object(r, c, node, old, path, &c->old);
    c->by_queue = jr_node_bool_or(jr_get(node, "queue"), false);
    refuse_users(r, node, path);
    read_expectation(r, c, jr_get(node, "expect"), &JR_FIELD(path, "expect"));
}

static void read_cases(struct reading *r)
{
    const struct jr_node *list = jr_get(r->m->node, "cases");
    const struct jr_field_path cases = JR_FIELD(NULL, "cases");
    struct jr_suite *s = r->s;
    size_t i = 0;

    if (jr_size(list) == 0)
        add_problem(r, &cases, "expected cases, there is none");
    s->v = jr_xarena_calloc(&s->arena, jr_size(list), sizeof(*s->v));
    for (const struct jr_node *n = jr_first(list); n != NULL; n = jr_next(n))
        read_case(r, &s->v[s->n++], n, &JR_FIELD_AT(&cases, i++));
}

/* ---- the suite ---- */

/** Names, and of each the labels: tables have no row for that. */
static void check_namespaces(struct reading *r)
{
    const struct jr_node *all = jr_get(r->m->node, "namespaces");
    const struct jr_field_path path = JR_FIELD(NULL, "namespaces");

    if (!jr_unset(all) && jr_node_kind(all) != JR_OBJECT) {
        add_problem(r, &path, "expected names, and labels of each");
        return;
    }
    for (const struct jr_node *n = jr_first(all); n != NULL; n = jr_next(n)) {
        const struct jr_field_path at = JR_FIELD_KEY(&path, jr_key(n));

        if (!jr_unset(n) && jr_node_kind(n) != JR_OBJECT)
            add_problem(r, &at, "expected labels");
        for (const struct jr_node *l = jr_first(n); l != NULL; l = jr_next(l)) {
            if (jr_node_kind(l) != JR_STRING)
                add_problem(r, &JR_FIELD_KEY(&at, jr_key(l)), "expected a string");
        }
    }
}

/** False: values have a wrong type, so that there's nothing to go on with. */
static bool check_types(struct reading *r)
{
    struct jr_type_error wrong = { .why = NULL };

    if (!jr_str_is(r->m->api_version, JR_POLICY_API_VERSION)) {
        add_problem(r, &JR_FIELD(NULL, "apiVersion"), "expected " JR_POLICY_API_VERSION);
        return false;
    }
    jr_must(jr_positions_duplicates(r->m->positions, add_duplicate, r));
    check_unknown(r, &suite_type, r->m->node, NULL);
    jr_must(jr_schema_type_error(&suite_type, r->m->node, MINOR, &r->s->arena, &wrong));
    if (wrong.why == NULL)
        return true;
    add_problem(r, wrong.path,
                jr_xarena_text(&r->s->arena, "expected %s", jr_schema_type_words(wrong.type)).p);
    return false;
}

bool jr_suite_read(struct jr_suite *s, struct jr_str file, const struct jr_manifest *m,
                   enum jr_suite_files files, const struct jr_suite_sink *sink)
{
    struct reading r = { s, file, m, files, sink, false };
    const struct jr_str now = jr_get_str(m->node, "now");

    s->file = file;
    if (!check_types(&r))
        return false;
    if (now.n > 0 && jr_time_parse(now, &s->now) != JR_OK)
        add_problem(&r, &JR_FIELD(NULL, "now"), "expected a time as 2026-12-31T00:00:00Z");
    if (!jr_unset(jr_get(m->node, "policies")))
        s->policies = jr_get(m->node, "policies");
    s->namespaces = jr_get(m->node, "namespaces");
    check_namespaces(&r);
    read_cases(&r);
    return !r.bad;
}

void jr_suite_done(struct jr_suite *s)
{
    for (size_t i = 0; i < s->n; i++) {
        jr_doc_free(s->v[i].object);
        jr_doc_free(s->v[i].old);
    }
    jr_arena_done(&s->arena);
}
