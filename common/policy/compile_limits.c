/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.limits: fields, labels and annotations. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/job/controller_name.h"

/* All of them are in one message, which has a bound. */
#define VALUES_MAX 128
#define KEYS_MAX 32
#define GLOB_MAX 256

const struct jr_limit *jr_policy_limit_of(const struct jr_policy_rules *rules,
                                          enum jr_limited_field field)
{
    for (size_t i = 0; i < rules->limits.n; i++) {
        if (rules->limits.v[i].field == field)
            return &rules->limits.v[i];
    }
    return NULL;
}

/* ---- fields ---- */

void jr_policy_check_int(struct jr_policy_compiler *c, enum jr_limited_field field, int64_t v,
                         const struct jr_field_path *path)
{
    const struct jr_limited_field_info *info = &jr_limited_fields[field];

    if (v < info->least || v > info->most)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_int(c->errs, v),
                        "must be between %lld and %lld, as the field itself",
                        (long long)info->least, (long long)info->most);
}

void jr_policy_check_text(struct jr_policy_compiler *c, enum jr_limited_field field,
                          struct jr_str s, const struct jr_field_path *path)
{
    const char *const *known = jr_limited_fields[field].values;

    /* No Job can have another one, and messages show all that are allowed. */
    if (field == JR_LIMITED_POD_PRIORITY_CLASS && jr_name_subdomain(s).n > 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be the name of a priority class");
    else if (field == JR_LIMITED_MANAGED_BY && !jr_controller_name_is_valid(s))
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must be a domain and a path of at most %d bytes, as \"example.com/jobs\"",
                        JR_CONTROLLER_NAME_MAX);

    if (known != NULL && !jr_one_of(s, known))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, s),
                        "supported values: \"%s\", \"%s\"", known[0], known[1]);
}

static struct jr_opt_i64 compile_bound(struct jr_policy_compiler *c, enum jr_limited_field field,
                                       const struct jr_node *node, const struct jr_field_path *path)
{
    struct jr_opt_i64 v = { .set = jr_node_i64(node, &v.v) == JR_OK };

    if (v.set)
        jr_policy_check_int(c, field, v.v, path);
    return v;
}

/** Whether `required` says something: an exception may take it back. */
static bool says(const struct jr_policy_compiler *c, const struct jr_limit *l)
{
    return jr_bool_or(l->required, false) || (c->excepting && l->required.set);
}

static void compile_int(struct jr_policy_compiler *c, const struct jr_node *node,
                        const struct jr_field_path *path, struct jr_limit *l)
{
    l->min = compile_bound(c, l->field, jr_get(node, "min"), &JR_FIELD(path, "min"));
    l->max = compile_bound(c, l->field, jr_get(node, "max"), &JR_FIELD(path, "max"));
    if (l->min.set && l->max.set && l->min.v > l->max.v)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"), jr_errlist_int(c->errs, l->max.v),
                        "must not be less than min, %lld", (long long)l->min.v);
    if (!says(c, l) && !l->min.set && !l->max.set)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required, min or max");
}

static void compile_text(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_limit *l)
{
    const struct jr_field_path values = JR_FIELD(path, "values");

    l->values = jr_policy_copy_strs(c, jr_get(node, "values"));
    jr_policy_check_count(c, jr_get(node, "values"), VALUES_MAX, &values);
    JR_EACH_AT(v, jr_get(node, "values"), &values, c->errs) {
        const struct jr_str s = jr_node_str(v.node);

        if (s.n == 0)
            JR_POLICY_FAULT(c, INVALID, &v.path, jr_errlist_quote(c->errs, s),
                            "must not be empty: an empty text counts as not set");
        else
            jr_policy_check_text(c, l->field, s, &v.path);
    }
    if (!says(c, l) && l->values.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required or values");
}

static void compile_flag(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_limit *l)
{
    l->forbidden = true;
    if (!jr_str_is(jr_node_str(node), "Forbidden"))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                        "supported values: \"Forbidden\"");
}

static void compile_limit(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_limit *l)
{
    l->required.set = !jr_unset(jr_get(node, "required"));
    l->required.v = jr_node_bool_or(jr_get(node, "required"), false);
    switch (jr_limited_fields[l->field].kind) {
    case JR_LIMITED_INT:
        compile_int(c, node, path, l);
        break;
    case JR_LIMITED_TEXT:
        compile_text(c, node, path, l);
        break;
    case JR_LIMITED_FLAG:
        compile_flag(c, node, path, l);
        break;
    }
}

/** A Job passes a bound by leaving the field out, where that means for ever. */
static void warn_of_absence(struct jr_policy_compiler *c, const struct jr_limit *l,
                            const struct jr_field_path *path)
{
    const bool is_for_ever = l->field == JR_LIMITED_ACTIVE_DEADLINE || l->field == JR_LIMITED_TTL ||
                             l->field == JR_LIMITED_POD_DEADLINE;

    if (is_for_ever && l->max.set && !l->required.set && !c->excepting)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_BOUND_OPTIONAL, path,
                        "a Job that leaves the field out passes, and it is then without a bound: "
                        "required: true refuses such a Job");
}

static void compile_fields(struct jr_policy_compiler *c, const struct jr_node *limits,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_field_path template = JR_FIELD(path, "template");

    ret->limits.v = jr_policy_calloc(c, JR_LIMITED_FIELDS, sizeof(*ret->limits.v));
    for (size_t f = 0; ret->limits.v != NULL && f < JR_LIMITED_FIELDS; f++) {
        const struct jr_limited_field_info *info = &jr_limited_fields[f];
        const struct jr_node *node =
            jr_get(info->of_template ? jr_get(limits, "template") : limits, info->leaf);
        const struct jr_field_path at = JR_FIELD(info->of_template ? &template : path, info->leaf);
        struct jr_limit *l = &ret->limits.v[ret->limits.n];

        if (jr_unset(node))
            continue;
        ret->limits.n++;
        l->field = (enum jr_limited_field)f;
        compile_limit(c, node, &at, l);
        warn_of_absence(c, l, &at);
    }
}

/* ---- labels and annotations ---- */

static bool is_list_of_strings(const struct jr_node *node)
{
    if (jr_node_kind(node) != JR_ARRAY)
        return false;
    JR_EACH(v, node) {
        if (jr_node_kind(v) != JR_STRING)
            return false;
    }
    return true;
}

static bool is_bool(const struct jr_node *node)
{
    return jr_node_kind(node) == JR_TRUE || jr_node_kind(node) == JR_FALSE;
}

static bool is_key_limit(const struct jr_node *node)
{
    if (jr_node_kind(node) != JR_OBJECT)
        return false;
    JR_EACH(n, node) {
        if (!(jr_str_is(jr_key(n), "required") && is_bool(n)) &&
            !(jr_str_is(jr_key(n), "values") && is_list_of_strings(n)))
            return false;
    }
    return true;
}

static void compile_key(struct jr_policy_compiler *c, const struct jr_node *node,
                        const struct jr_field_path *path, struct jr_key_limit *l)
{
    const struct jr_field_path values = JR_FIELD(path, "values");

    l->key = jr_policy_copy(c, jr_key(node));
    if (!is_key_limit(node)) {
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                        "must be an object of required, true or false, and values, a list of "
                        "strings");
        return;
    }
    l->required = jr_node_bool_or(jr_get(node, "required"), false);
    l->values = jr_policy_copy_strs(c, jr_get(node, "values"));
    jr_policy_check_count(c, jr_get(node, "values"), VALUES_MAX, &values);
    if (jr_name_key(l->key).n > 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, l->key),
                        "must be the key of a label or an annotation");
    JR_EACH_AT(v, jr_get(node, "values"), &values, c->errs) {
        const struct jr_str s = jr_node_str(v.node);

        if (s.n == 0 || s.n > GLOB_MAX)
            JR_POLICY_FAULT(c, INVALID, &v.path, jr_errlist_quote(c->errs, s),
                            "must have 1 to %d bytes", GLOB_MAX);
    }
    if (!l->required && l->values.n == 0 && jr_unset(jr_get(node, "required")))
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required or values");
}

static int by_key(const void *a, const void *b)
{
    const struct jr_key_limit *x = a, *y = b;

    return x->map != y->map ? (int)x->map - (int)y->map : jr_str_cmp(x->key, y->key);
}

static void compile_keys(struct jr_policy_compiler *c, const struct jr_node *limits,
                         const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_field_path template = JR_FIELD(path, "template");
    const struct jr_node *maps[] = { jr_get(limits, "labels"), jr_get(limits, "annotations"),
                                     jr_get(jr_get(limits, "template"), "labels") };
    const struct jr_field_path at[] = { JR_FIELD(path, "labels"), JR_FIELD(path, "annotations"),
                                        JR_FIELD(&template, "labels") };

    ret->keys.v = jr_policy_calloc(c, jr_size(maps[0]) + jr_size(maps[1]) + jr_size(maps[2]),
                                   sizeof(*ret->keys.v));
    for (size_t m = 0; ret->keys.v != NULL && m < JR_LIMITED_MAPS; m++) {
        if (!jr_unset(maps[m]) && jr_node_kind(maps[m]) != JR_OBJECT) {
            JR_POLICY_FAULT(c, INVALID, &at[m], JR_NO_VALUE, "must be an object");
            continue;
        }
        jr_policy_check_count(c, maps[m], KEYS_MAX, &at[m]);
        JR_EACH_GOING(node, maps[m], c->errs) {
            struct jr_key_limit *l = &ret->keys.v[ret->keys.n++];

            l->map = (enum jr_limited_map)m;
            compile_key(c, node, &JR_FIELD_KEY(&at[m], jr_key(node)), l);
        }
    }
    if (ret->keys.v != NULL && ret->keys.n > 1)
        qsort(ret->keys.v, ret->keys.n, sizeof(*ret->keys.v), by_key);
}

void jr_policy_compile_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                              const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    compile_fields(c, limits, path, ret);
    compile_keys(c, limits, path, ret);
}
