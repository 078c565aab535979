/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of the rows that say what single fields may hold. */
#include "common/pod/field_rules.h"

#include "common/pod/parts.h"

/** One field and its row. */
struct field {
    const struct jr_field_rule *r;
    const struct jr_node *node;
    const struct jr_field_path *path;
    struct jr_errlist *errs;
};

static void check_present(const struct field *f)
{
    const bool present = f->r->how == JR_HOW_SET    ? !jr_unset(f->node)
                         : f->r->how == JR_HOW_TEXT ? jr_node_str(f->node).n > 0
                                                    : jr_size(f->node) > 0;

    if (!present)
        jr_violation(f->errs, f->r->rule, f->path);
}

static void check_name(const struct field *f)
{
    const struct jr_str s = jr_node_str(f->node);

    if (f->r->how == JR_HOW_NAME && s.n == 0)
        jr_violation(f->errs, f->r->required, f->path);
    else
        jr_validate_name(f->errs, f->r->rule, f->path, s, f->r->syntax);
}

static void check_range(const struct field *f)
{
    int64_t v = 0;

    if (jr_node_i64(f->node, &v) != JR_OK && f->r->when == JR_IF_SET)
        return;
    if (v < f->r->min || v > f->r->max)
        jr_violation_int(f->errs, f->r->rule, f->path, v);
}

static void check_values(const struct field *f)
{
    const struct jr_enum_rule rule = { f->r->values, f->r->required, f->r->rule };

    const struct jr_str s = jr_node_str(f->node);

    if (f->r->how == JR_HOW_ENUM)
        jr_validate_enum(&rule, f->node, f->path, f->errs);
    else if (f->r->how == JR_HOW_CHOICE)
        jr_validate_choice(f->r->rule, f->r->values, s, f->path, f->errs);
    else if (!jr_one_of(s, f->r->values))
        jr_violation_enum(f->errs, f->r->rule, f->path, s);
}

static void check_field(struct jr_pod_check *p, const struct field *f)
{
    switch (f->r->how) {
    case JR_HOW_SET:
    case JR_HOW_TEXT:
    case JR_HOW_LIST:
        check_present(f);
        break;
    case JR_HOW_NAME:
    case JR_HOW_SYNTAX:
        check_name(f);
        break;
    case JR_HOW_RANGE:
        check_range(f);
        break;
    case JR_HOW_ENUM:
    case JR_HOW_CHOICE:
    case JR_HOW_KNOWN:
        check_values(f);
        break;
    case JR_HOW_RULES:
        jr_pod_check_fields(p, f->r->rules, f->node, f->path);
        break;
    case JR_HOW_CALL:
        f->r->check(p, f->node, f->path);
        break;
    case JR_HOW_EACH:
        JR_EACH_AT(e, f->node, f->path, f->errs)
            f->r->check(p, e.node, &e.path);
        break;
    case JR_HOW_PART:
        f->r->part(p, f->path);
    }
}

static bool applies(const struct field *f)
{
    return f->r->when == JR_ALWAYS || (f->r->when == JR_IF_SET && !jr_unset(f->node)) ||
           jr_node_str(f->node).n > 0;
}

void jr_pod_check_fields(struct jr_pod_check *p, const struct jr_field_rule *rules,
                         const struct jr_node *object, const struct jr_field_path *path)
{
    for (const struct jr_field_rule *r = rules;
         r->name != NULL || r->check != NULL || r->part != NULL; r++) {
        const struct jr_field_path own = JR_FIELD(path, r->name);
        const bool whole = r->name == NULL;
        const struct field f = { r, whole ? object : jr_get(object, r->name), whole ? path : &own,
                                 p->errs };

        if (applies(&f))
            check_field(p, &f);
    }
}
