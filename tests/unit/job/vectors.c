/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/object.h"
#include "tests/unit/job/vectors.h"

#include "common/job/defaults.h"
#include "common/job/prepare.h"
#include "common/job/validate.h"
#include "common/json/patch.h"
#include "common/schema/unknown_fields.h"

/** A vector while it runs. */
struct run {
    const struct jr_node *vector;
    const struct jr_node *expect;
    const struct jr_node *other; /* what the version has instead of expect, or NULL */
    struct jr_kube_version version;
    struct jr_profile profile;
    struct jr_buf *out;
    size_t differences;
    struct jr_arena arena;
};

static void difference(struct run *r, const char *what, struct jr_str want, struct jr_str have)
{
    r->differences++;
    (void)jr_buf_addf(r->out, "  %s\n    want %.*s\n    have %.*s\n", what, JR_P(want), JR_P(have));
}

static enum jr_status set_gates(struct run *r, struct jr_error *err)
{
    const struct jr_node *gates = jr_get(r->vector, "gates");

    const bool described = jr_kube_version_cmp(r->version, JR_KUBE_DESCRIBED) == 0;

    r->profile = jr_profile_of(r->version);
    for (const struct jr_node *g = jr_first(gates); g != NULL; g = jr_next(g)) {
        enum jr_status st =
            jr_profile_set(&r->profile, jr_key(g), jr_node_kind(g) == JR_TRUE, described, err);

        if (st != JR_OK && described)
            return st;
    }
    return JR_OK;
}

/** A copy of the member, defaulted. */
static enum jr_status open_defaulted(struct run *r, const char *member, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    enum jr_status st = jr_doc_of(jr_get(r->vector, member), &doc);

    if (st == JR_OK)
        jr_schema_prune(&jr_schema_job, jr_doc_root(doc), r->version.minor);
    if (st == JR_OK)
        st = jr_job_default(jr_doc_root(doc), &r->profile);
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

/** An empty status and none are the same to the vectors. */
static void drop_empty_status(struct jr_node *job)
{
    if (jr_size(jr_get(job, "status")) == 0)
        jr_remove(job, JR_S("status"), NULL);
}

/** Compares with expect's merge patch on the job as sent. */
static enum jr_status compare_object(struct run *r, const char *member, const struct jr_node *have)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *want = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *mine = NULL;
    const struct jr_node *patch = jr_get(r->other, member);
    JR_BUF a = { 0 }, b = { 0 };
    enum jr_status st;

    /* What the version's strategy makes of it, no row says. */
    if (patch == NULL && (r->other == NULL || strcmp(member, "defaulted") == 0))
        patch = jr_get(r->expect, member);
    if (patch == NULL)
        return JR_OK;
    st = jr_doc_of(jr_get(r->vector, "job"), &want);
    if (st == JR_OK)
        st = jr_merge_apply(jr_doc_root(want), patch);
    if (st == JR_OK)
        st = jr_doc_of(have, &mine);
    if (st != JR_OK)
        return st;
    drop_empty_status(jr_doc_root(want));
    drop_empty_status(jr_doc_root(mine));
    if (jr_node_equal(jr_doc_root(want), jr_doc_root(mine)))
        return JR_OK;
    jr_buf_init(&a, SIZE_MAX / 2);
    jr_buf_init(&b, SIZE_MAX / 2);
    st = jr_node_print(jr_doc_root(want), &a);
    if (st == JR_OK)
        st = jr_node_print(jr_doc_root(mine), &b);
    if (st == JR_OK)
        difference(r, member, jr_buf_str(&a), jr_buf_str(&b));
    return st;
}

/* ---- errors ---- */

static bool same_error(const struct jr_field_error *a, const struct jr_field_error *b)
{
    return a->type == b->type && jr_str_eq(a->field, b->field) && jr_str_eq(a->detail, b->detail);
}

/** Each error once, in order. */
static void once(struct jr_errlist *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        bool seen = false;

        for (size_t k = 0; k < n && !seen; k++)
            seen = same_error(&l->v[k], &l->v[i]);
        if (!seen)
            l->v[n++] = l->v[i];
    }
    l->n = n;
}

static struct jr_str describe(struct run *r, struct jr_str type, struct jr_str field,
                              struct jr_str detail)
{
    return jr_str(
        jr_arena_printf(&r->arena, "%.*s %.*s: %.*s", JR_P(type), JR_P(field), JR_P(detail)));
}

/** The vectors' types are the causes' reasons without FieldValue. */
static struct jr_str type_name(const struct jr_field_error *e)
{
    return jr_str_from(jr_str(jr_field_error_reason(e->type)), sizeof("FieldValue") - 1);
}

static void compare_errors(struct run *r, struct jr_errlist *errs)
{
    const struct jr_node *expect = r->other == NULL ? r->expect : r->other;
    const struct jr_node *want = jr_first(jr_get(expect, "errors"));
    size_t i = 0;

    once(errs);
    for (; want != NULL || i < errs->n; i++) {
        struct jr_str w = JR_S("nothing"), h = JR_S("nothing");

        if (want != NULL)
            w = describe(r, jr_get_str(want, "type"), jr_get_str(want, "field"),
                         jr_get_str(want, "detail"));
        if (i < errs->n)
            h = describe(r, type_name(&errs->v[i]), errs->v[i].field, errs->v[i].detail);
        if (!jr_str_eq(w, h))
            difference(r, "error", w, h);
        if (i < errs->n && errs->v[i].rule == NULL)
            difference(r, "error without a rule", w, h);
        want = jr_next(want);
    }
}

static enum jr_status compare_warnings(struct run *r, const struct jr_object *job,
                                       const struct jr_object *old)
{
    const struct jr_node *expect = r->other == NULL ? r->expect : r->other;
    const struct jr_node *want = jr_first(jr_get(expect, "warnings"));
    struct jr_warnings have = { .arena = &r->arena };

    jr_job_warnings(job, old, &r->profile, &have);
    for (size_t i = 0; have.failed == JR_OK && (want != NULL || i < have.list.n); i++) {
        struct jr_str w = want == NULL ? JR_S("nothing") : jr_node_str(want);
        struct jr_str h = i >= have.list.n ? JR_S("nothing") : have.list.v[i];

        if (!jr_str_eq(w, h))
            difference(r, "warning", w, h);
        want = jr_next(want);
    }
    return have.failed;
}

/* ---- operations ---- */

static enum jr_status run_create(struct run *r, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    OBJECT job = { 0 };
    struct jr_errlist errs;
    enum jr_status st = open_defaulted(r, "job", &doc);

    if (st == JR_OK)
        st = compare_object(r, "defaulted", jr_doc_root(doc));
    if (st == JR_OK)
        st = jr_job_prepare_create(jr_doc_root(doc), &r->profile);
    if (st == JR_OK)
        st = compare_object(r, "prepared", jr_doc_root(doc));
    if (st == JR_OK)
        st = open_tree(&jr_schema_job, jr_steal(&doc), &job, err);
    if (st != JR_OK)
        return st;
    jr_errlist_init(&errs, &r->arena);
    jr_job_validate_create(&job, &r->profile, &errs);
    compare_errors(r, &errs);
    return errs.failed == JR_OK && errs.n == 0 ? compare_warnings(r, &job, NULL) : errs.failed;
}

static enum jr_status run_update(struct run *r, bool status, struct jr_error *err)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *old_doc = NULL;
    OBJECT job = { 0 };
    OBJECT old = { 0 };
    struct jr_errlist errs;
    enum jr_status st = open_defaulted(r, "job", &doc);

    if (st == JR_OK)
        st = open_defaulted(r, "old", &old_doc);
    if (st == JR_OK)
        st = compare_object(r, "defaulted", jr_doc_root(doc));
    if (st == JR_OK && status)
        st = jr_job_prepare_status_update(jr_doc_root(doc), jr_doc_root(old_doc));
    else if (st == JR_OK)
        st = jr_job_prepare_update(jr_doc_root(doc), jr_doc_root(old_doc), &r->profile);
    if (st == JR_OK)
        st = compare_object(r, "prepared", jr_doc_root(doc));
    if (st == JR_OK)
        st = open_tree(&jr_schema_job, jr_steal(&doc), &job, err);
    if (st == JR_OK)
        st = open_tree(&jr_schema_job, jr_steal(&old_doc), &old, err);
    if (st != JR_OK)
        return st;
    jr_errlist_init(&errs, &r->arena);
    if (status)
        jr_job_validate_status_update(&job, &old, &r->profile, &errs);
    else
        jr_job_validate_update(&job, &old, &r->profile, &errs);
    compare_errors(r, &errs);
    if (errs.failed != JR_OK || errs.n > 0 || status)
        return errs.failed;
    return compare_warnings(r, &job, &old);
}

enum jr_status jr_vector_run(const struct jr_node *vector, struct jr_kube_version version,
                             const struct jr_node *other, struct jr_buf *out,
                             size_t *ret_differences, struct jr_error *err)
{
    struct run r = { .vector = vector,
                     .expect = jr_get(vector, "expect"),
                     .other = other,
                     .version = version,
                     .out = out };
    const struct jr_str op = jr_get_str(vector, "op");
    enum jr_status st;

    if (jr_node_kind(r.expect) != JR_OBJECT || jr_node_kind(jr_get(vector, "job")) != JR_OBJECT)
        return jr_fail(err, JR_INVALID, NULL, "no vector: job or expect is missing");
    jr_arena_init(&r.arena, 0);
    st = set_gates(&r, err);
    if (st == JR_OK && jr_str_is(op, "create"))
        st = run_create(&r, err);
    else if (st == JR_OK && (jr_str_is(op, "update") || jr_str_is(op, "updateStatus")))
        st = run_update(&r, jr_str_is(op, "updateStatus"), err);
    else if (st == JR_OK)
        st = jr_fail(err, JR_INVALID, NULL, "unknown operation \"%.*s\"", JR_P(op));
    jr_arena_done(&r.arena);
    *ret_differences = r.differences;
    return st;
}
