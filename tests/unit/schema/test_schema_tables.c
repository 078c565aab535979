/* SPDX-License-Identifier: Apache-2.0 */
/* The tables agree with themselves: what a row keeps fits its kind, and stands in the type. */
#include <stdio.h>

#include "common/schema/schema.h"
#include "tests/unit/base/want.h"

/* What each kind may be kept as. */
static const unsigned fits[] = {
    [JR_SCHEMA_ANY] = 1U << JR_INTO_STR | 1U << JR_INTO_TAPE,
    [JR_SCHEMA_STRING] = 1U << JR_INTO_STR,
    [JR_SCHEMA_INT32] = 1U << JR_INTO_I32 | 1U << JR_INTO_OPT_I32,
    [JR_SCHEMA_INT64] = 1U << JR_INTO_I64 | 1U << JR_INTO_OPT_I64,
    [JR_SCHEMA_BOOL] = 1U << JR_INTO_BOOL | 1U << JR_INTO_OPT_BOOL,
    [JR_SCHEMA_TIME] = 1U << JR_INTO_TIME,
    [JR_SCHEMA_STRINGS] = 1U << JR_INTO_STRS,
    [JR_SCHEMA_INT32S] = 1U << JR_INTO_I32S,
    [JR_SCHEMA_INT64S] = 0,
    [JR_SCHEMA_STRING_MAP] = 1U << JR_INTO_LABELS,
    [JR_SCHEMA_QUANTITY] = 0,
    [JR_SCHEMA_QUANTITIES] = 0,
    [JR_SCHEMA_INT_OR_STRING] = 0,
    [JR_SCHEMA_STRUCT] = 1U << JR_INTO_STRUCT | 1U << JR_INTO_SAME | 1U << JR_INTO_BOOL,
    [JR_SCHEMA_LIST] = 1U << JR_INTO_STRUCT | 1U << JR_INTO_STRS, /* of a list of one text each */
};

/* How often each way of keeping was met: a table that is not walked shows nothing. */
struct seen {
    size_t rows;
    size_t kept;
    size_t views;
    bool numbered; /* the types are Kubernetes', which have a form in protobuf */
    size_t numbers;
    const struct jr_schema_type *types[400];
    size_t n;
};

static bool is_new(struct seen *seen, const struct jr_schema_type *type)
{
    for (size_t i = 0; i < seen->n; i++) {
        if (seen->types[i] == type)
            return false;
    }
    assert_true(seen->n < JR_ARRAY_SIZE(seen->types));
    seen->types[seen->n++] = type;
    return true;
}

static bool is_optional(enum jr_schema_into into)
{
    return into == JR_INTO_OPT_I32 || into == JR_INTO_OPT_I64 || into == JR_INTO_OPT_BOOL;
}

static void check_row(const struct jr_schema_type *type, const struct jr_schema_field *f)
{
    char row[200];

    (void)snprintf(row, sizeof(row), "%s.%s", type->name, f->name);
    if (f->into == JR_INTO_NOTHING)
        return;
    WANT_INT(row, (fits[f->kind] & 1U << f->into) != 0, true);
    if (f->kind == JR_SCHEMA_INT32 || f->kind == JR_SCHEMA_INT64)
        WANT_INT(row, is_optional(f->into), f->pointer);
    if (f->kind == JR_SCHEMA_LIST)
        WANT_INT(row, jr_schema_kept(f)->size > 0, true);
}

/** A view's rows are rows of the type, of the same kind. */
static void check_view(struct seen *seen, const struct jr_schema_type *view,
                       const struct jr_schema_type *of)
{
    seen->views++;
    for (const struct jr_schema_field *f = view->fields; f->name != NULL; f++) {
        const struct jr_schema_field *real = jr_schema_find(of, jr_str(f->name), NULL);

        if (real == NULL) {
            fail_msg("%s has no field %s", of->name, f->name);
            return;
        }
        WANT_INT(f->name, f->kind, real->kind);
        WANT_INT(f->name, f->pointer, real->pointer);
        check_row(view, f);
        if (f->of != NULL && f->of != real->of)
            check_view(seen, f->of, real->of);
    }
}

/** What JobSpec got later is optional, and came behind a gate. */
static void check_late(const struct jr_schema_type *type, const struct jr_schema_field *f)
{
    const bool optional = f->pointer || f->kind == JR_SCHEMA_LIST || f->kind == JR_SCHEMA_STRINGS;
    char row[200];

    if (f->since == 0)
        return;
    (void)snprintf(row, sizeof(row), "%s.%s: optional", type->name, f->name);
    WANT_INT(row, optional, true);
    (void)snprintf(row, sizeof(row), "%s.%s: has a gate", type->name, f->name);
    WANT_INT(row, f->gated, true);
}

/** Each field has a number of its own in protobuf, but for kind and apiVersion of a whole object.
 */
static void check_number(struct seen *seen, const struct jr_schema_type *type,
                         const struct jr_schema_field *f)
{
    const bool is_kind = strcmp(f->name, "kind") == 0 || strcmp(f->name, "apiVersion") == 0;
    char row[200];

    (void)snprintf(row, sizeof(row), "%s.%s: number", type->name, f->name);
    WANT_INT(row, f->number > 0 || is_kind, true);
    if (f->number == 0)
        return;
    seen->numbers++;
    WANT_INT(row, type->embedded != NULL && type->embedded_number == f->number, false);
    for (const struct jr_schema_field *other = type->fields; other < f; other++)
        WANT_INT(row, f->number == other->number, false);
}

static void check_type(struct seen *seen, const struct jr_schema_type *type)
{
    if (!is_new(seen, type))
        return;
    for (const struct jr_schema_field *f = type->fields; f->name != NULL; f++) {
        for (const struct jr_schema_field *other = type->fields; other < f; other++)
            assert_string_not_equal(f->name, other->name);
        seen->rows++;
        seen->kept += f->into != JR_INTO_NOTHING;
        check_row(type, f);
        if (seen->numbered)
            check_number(seen, type, f);
        if (type == &jr_schema_job_spec || type == &jr_schema_cron_job_spec)
            check_late(type, f);
        if (f->keep != NULL)
            check_view(seen, f->keep, f->of);
        if (f->of != NULL)
            check_type(seen, f->of);
    }
    if (type->embedded != NULL)
        check_type(seen, type->embedded);
}

static void rows_fit(void **state)
{
    struct seen seen = { .numbered = true };

    (void)state;
    for (size_t i = 0; jr_schema_kinds[i] != NULL; i++)
        check_type(&seen, jr_schema_kinds[i]);
    seen.numbered = false;
    check_type(&seen, &jr_schema_job_policy);
    WANT_INT("types", seen.n > 160, true);
    WANT_INT("rows", seen.rows > 800, true);
    WANT_INT("rows that are kept", seen.kept > 60, true);
    WANT_INT("views", seen.views, 6);
    WANT_INT("numbers", seen.numbers > 800, true);
}

int main(void)
{
    static const struct CMUnitTest tests[] = { cmocka_unit_test(rows_fit) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
