/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JobPolicy documents out of a text, and collects their problems with positions. */
#include "common/policy/load.h"

#include <stdlib.h>

#include "common/base/vec.h"
#include "common/schema/unknown_fields.h"

#define MINOR 36
/* Bounds a value that a fault quotes: what is said behind it must not be lost. */
#define VALUE_MAX ((size_t)8 << 10)
#define VAP_GROUP "admissionregistration.k8s.io"
#define VAP_KIND "ValidatingAdmissionPolicy"

/** A policy, and where it stands; the document's positions are shared by a List's. */
struct jr_policy_source {
    struct jr_job_policy *policy;
    struct jr_positions *positions; /* owned by the first of the document */
    bool owns;
    size_t place;
    struct jr_str file;
};

void jr_policy_loading_init(struct jr_policy_loading *l, struct jr_time now)
{
    *l = (struct jr_policy_loading){ .now = now };
    jr_arena_init(&l->arena, 0);
}

void jr_policy_loading_done(struct jr_policy_loading *l)
{
    for (size_t i = 0; i < l->n; i++) {
        jr_job_policy_free(l->sources[i].policy);
        if (l->sources[i].owns)
            jr_positions_free(l->sources[i].positions);
    }
    free(l->sources);
    free(l->problems);
    jr_arena_done(&l->arena);
}

/* ---- problems ---- */

/** A document as it is read. */
struct reading {
    struct jr_policy_loading *l;
    struct jr_str file;
    const struct jr_positions *positions;
    size_t place; /* of the policy */
    struct jr_str name;
    enum jr_status failed;
};

static bool keep(struct reading *r, struct jr_str *s)
{
    return s->p == NULL || jr_arena_str(&r->l->arena, *s, s);
}

/** path NULL: of the document. Texts are copied. */
static void add_problem(struct reading *r, const struct jr_field_path *path, struct jr_str field,
                        struct jr_str message, bool warning)
{
    struct jr_policy_loading *l = r->l;
    struct jr_policy_problem p = {
        .file = r->file, .policy = r->name, .field = field, .message = message, .warning = warning
    };
    struct jr_policy_problem *v =
        jr_vec_room(l->problems, l->n_problems, &l->cap_problems, sizeof(*v));

    if (v == NULL || !keep(r, &p.file) || !keep(r, &p.policy) || !keep(r, &p.field) ||
        !keep(r, &p.message)) {
        l->problems = v != NULL ? v : l->problems;
        r->failed = JR_NOMEM;
        return;
    }
    if (r->positions != NULL)
        jr_positions_place(r->positions, jr_positions_find(r->positions, r->place, path), &p.line,
                           &p.column);
    l->problems = v;
    l->problems[l->n_problems++] = p;
    l->errors += !warning;
}

static void add_faults(struct reading *r, const struct jr_errlist *errs, size_t from)
{
    for (size_t i = from; i < errs->n && r->failed == JR_OK; i++) {
        JR_BUF text = { 0 };

        jr_buf_init(&text, (size_t)64 << 10);
        if (jr_field_error_write(&errs->v[i], &text) == JR_NOMEM)
            r->failed = JR_NOMEM;
        else
            add_problem(r, errs->v[i].path, errs->v[i].field, jr_buf_str(&text), false);
    }
}

static void add_warnings(struct reading *r, const struct jr_warnings *w)
{
    for (size_t i = 0; i < w->list.n && r->failed == JR_OK; i++)
        add_problem(r, w->about[i].path, (struct jr_str){ NULL, 0 }, w->list.v[i], true);
}

/** Nobody means a field that no policy has. */
static void add_unknown(struct reading *r, const struct jr_node *object)
{
    struct jr_strict_errors unknown = { .arena = &r->l->arena };

    jr_schema_unknown(&jr_schema_job_policy, object, MINOR, &unknown);
    if (unknown.failed)
        r->failed = JR_NOMEM;
    for (const struct jr_strict_error *e = unknown.first; e != NULL && r->failed == JR_OK;
         e = e->next)
        add_problem(r, e->path, (struct jr_str){ NULL, 0 }, jr_str(e->text), false);
}

/* ---- documents ---- */

static bool is_taken(const struct reading *r)
{
    for (size_t i = 0; i < r->l->n; i++) {
        if (jr_str_eq(r->l->sources[i].policy->name, r->name))
            return true;
    }
    return false;
}

static void add_source(struct reading *r, struct jr_job_policy *policy)
{
    struct jr_policy_loading *l = r->l;
    struct jr_policy_source *v = jr_vec_room(l->sources, l->n, &l->cap, sizeof(*v));

    if (v == NULL) {
        jr_job_policy_free(policy);
        r->failed = JR_NOMEM;
        return;
    }
    l->sources = v;
    l->sources[l->n++] =
        (struct jr_policy_source){ .policy = policy, .file = r->file, .place = r->place };
}

static void read_policy(struct reading *r, const struct jr_node *object)
{
    struct jr_warnings warnings = { .arena = &r->l->arena };
    struct jr_job_policy *policy = NULL;
    struct jr_errlist errs;

    jr_errlist_init(&errs, &r->l->arena);
    errs.max_value_bytes = VALUE_MAX;
    r->name = jr_get_str(jr_get(object, "metadata"), "name");
    add_unknown(r, object);
    if (r->failed == JR_OK)
        r->failed = jr_job_policy_compile(object, r->l->now, &errs, &warnings, &policy);
    if (r->failed != JR_OK)
        return;
    add_faults(r, &errs, 0);
    add_warnings(r, &warnings);
    if (is_taken(r)) {
        add_problem(r, &JR_FIELD(&JR_FIELD(NULL, "metadata"), "name"), JR_S("metadata.name"),
                    JR_S("another policy has this name"), false);
        jr_job_policy_free(policy);
        return;
    }
    add_source(r, policy);
}

static void read_object(struct reading *r, const struct jr_node *object);

static void read_items(struct reading *r, const struct jr_node *list)
{
    const struct jr_field_path items = JR_FIELD(NULL, "items");
    const size_t from = r->place;
    size_t i = 0;

    JR_EACH(item, jr_get(list, "items")) {
        r->place = jr_positions_find(r->positions, from, &JR_FIELD_AT(&items, i++));
        read_object(r, item);
        if (r->failed != JR_OK)
            return;
    }
}

bool jr_policy_is_meant(struct jr_str api_version, struct jr_str kind)
{
    return jr_str_starts(api_version, JR_S(JR_POLICY_GROUP "/")) ||
           jr_str_is(kind, JR_POLICY_KIND) || jr_str_is(kind, JR_POLICY_TEST_KIND);
}

/** Adds that the policy of another tool is not evaluated. */
static void pass_over_policy(struct reading *r, const struct jr_node *object)
{
    const struct jr_str name = jr_get_str(jr_get(object, "metadata"), "name");
    const char *text = jr_arena_printf(&r->l->arena, VAP_KIND " \"%.*s\" is not evaluated",
                                       JR_P(jr_str_head(name, 253)));

    r->l->not_evaluated++;
    if (text == NULL)
        r->failed = JR_NOMEM;
    else
        add_problem(r, NULL, (struct jr_str){ NULL, 0 }, jr_str(text), !r->l->strict);
}

/** Whether what is no policy may stand among policies. */
static bool is_passed_over(const struct reading *r, struct jr_str version, struct jr_str kind)
{
    const bool is_suite =
        jr_str_is(version, JR_POLICY_API_VERSION) && jr_str_is(kind, JR_POLICY_TEST_KIND);

    return r->l->passes_over && (is_suite || !jr_policy_is_meant(version, kind));
}

static void read_object(struct reading *r, const struct jr_node *object)
{
    const struct jr_str version = jr_get_str(object, "apiVersion"),
                        kind = jr_get_str(object, "kind");
    const char *text;

    r->name = (struct jr_str){ NULL, 0 };
    if (jr_str_is(kind, "List") || (jr_str_is(kind, JR_POLICY_KIND "List") &&
                                    jr_str_starts(version, JR_S(JR_POLICY_GROUP "/")))) {
        read_items(r, object);
        return;
    }
    if (jr_str_is(version, JR_POLICY_API_VERSION) && jr_str_is(kind, JR_POLICY_KIND)) {
        read_policy(r, object);
        return;
    }
    if (is_passed_over(r, version, kind)) {
        if (jr_str_is(kind, VAP_KIND) && jr_str_starts(version, JR_S(VAP_GROUP "/")))
            pass_over_policy(r, object);
        return;
    }
    text = jr_arena_printf(&r->l->arena,
                           "is no " JR_POLICY_KIND " of " JR_POLICY_API_VERSION
                           ": apiVersion %.*s, kind %.*s",
                           JR_P(jr_str_head(version, 100)), JR_P(jr_str_head(kind, 100)));
    if (text == NULL)
        r->failed = JR_NOMEM;
    else
        add_problem(r, NULL, (struct jr_str){ NULL, 0 }, jr_str(text), false);
}

/** Keys that come twice: which of them is meant nobody knows. */
static enum jr_status add_duplicate(void *ctx, size_t at)
{
    struct reading *r = ctx;
    JR_BUF path = { 0 }, text = { 0 };

    jr_buf_init(&path, (size_t)64 << 10);
    jr_buf_init(&text, (size_t)65 << 10);
    jr_positions_write(r->positions, 0, at, &path);
    (void)jr_buf_addf(&text, "duplicate field \"%.*s\"", JR_P(jr_buf_str(&path)));
    if (path.failed == JR_NOMEM || text.failed == JR_NOMEM)
        return JR_NOMEM;
    r->place = at;
    add_problem(r, NULL, (struct jr_str){ NULL, 0 }, jr_buf_str(&text), false);
    return r->failed;
}

static enum jr_status take(void *ctx, struct jr_doc *doc, struct jr_positions *pos,
                           struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *mine = doc;
    struct reading *r = ctx;
    const size_t first = r->l->n;

    r->positions = pos;
    r->place = 0;
    r->name = (struct jr_str){ NULL, 0 };
    if (jr_positions_duplicates(pos, add_duplicate, r) != JR_OK)
        r->failed = JR_NOMEM;
    r->place = 0;
    if (r->failed == JR_OK)
        read_object(r, jr_doc_root(mine));
    for (size_t i = first; i < r->l->n; i++) {
        r->l->sources[i].positions = pos;
        r->l->sources[i].owns = i == first;
    }
    if (r->l->n == first)
        jr_positions_free(pos);
    r->positions = NULL;
    r->name = (struct jr_str){ NULL, 0 }; /* it lies in the document */
    return r->failed == JR_OK ? JR_OK : jr_fail(err, r->failed, NULL, "policies");
}

enum jr_status jr_policy_load(struct jr_policy_loading *l, struct jr_str file, struct jr_str text)
{
    const struct jr_yaml_limits limits = { .dup = JR_DUP_LAST };
    struct reading r = { .l = l };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    if (!jr_arena_str(&l->arena, file, &r.file))
        return JR_NOMEM;
    st = jr_yaml_read(text, &limits, take, &r, &err);
    if (st == JR_OK || st == JR_NOMEM)
        return st;
    add_problem(&r, NULL, (struct jr_str){ NULL, 0 }, jr_str(err.msg), false);
    return r.failed;
}

/* ---- all of them ---- */

static enum jr_status check_others(struct jr_policy_loading *l, const struct jr_policy_set *set)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct jr_policy_source *s = &l->sources[i];
        struct reading r = { .l = l,
                             .file = s->file,
                             .positions = s->positions,
                             .place = s->place,
                             .name = s->policy->name };
        struct jr_errlist errs;

        jr_errlist_init(&errs, &l->arena);
        errs.max_value_bytes = VALUE_MAX;
        jr_job_policy_check_others(s->policy, set, &errs);
        if (errs.failed == JR_OK)
            add_faults(&r, &errs, 0);
        if (errs.failed != JR_OK || r.failed != JR_OK)
            return JR_NOMEM;
    }
    return JR_OK;
}

enum jr_status jr_policy_loaded(struct jr_policy_loading *l, struct jr_policy_set *ret)
{
    struct jr_policy_set set = { jr_arena_calloc(&l->arena, l->n, sizeof(*set.v)), 0 };

    if (set.v == NULL)
        return JR_NOMEM;
    for (; set.n < l->n; set.n++)
        set.v[set.n] = l->sources[set.n].policy;
    jr_policy_set_sort(&set);
    *ret = set;
    return check_others(l, &set);
}

struct jr_policy_place jr_policy_loading_place(const struct jr_policy_loading *l,
                                               const struct jr_job_policy *p,
                                               const struct jr_field_path *path)
{
    struct jr_policy_place place = { .line = 0 };

    for (size_t i = 0; i < l->n; i++) {
        const struct jr_policy_source *s = &l->sources[i];

        if (s->policy != p)
            continue;
        place.file = s->file;
        jr_positions_place(s->positions, jr_positions_find(s->positions, s->place, path),
                           &place.line, &place.column);
    }
    return place;
}

struct jr_job_policy *jr_policy_loading_take(struct jr_policy_loading *l, size_t i)
{
    struct jr_job_policy *p = l->sources[i].policy;

    l->sources[i].policy = NULL;
    return p;
}

void jr_policy_problem_write(const struct jr_policy_problem *p, struct jr_buf *out)
{
    (void)jr_buf_add(out, p->file);
    if (p->line > 0)
        (void)jr_buf_addf(out, ":%u:%u", p->line, p->column);
    (void)jr_buf_adds(out, ": ");
    if (p->policy.n > 0)
        (void)jr_buf_addf(out, "policy \"%.*s\": ", JR_P(p->policy));
    if (p->field.n > 0)
        (void)jr_buf_addf(out, "%.*s: ", JR_P(p->field));
    (void)jr_buf_add(out, p->message);
}
