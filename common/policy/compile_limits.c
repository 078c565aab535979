/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles spec.limits: each of its names is a path with a constraint. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/job/controller_name.h"

/* All of them are in one message, which has a bound. */
#define VALUES_MAX 128
#define KEYS_MAX 32
#define PATHS_MAX 64
#define PATH_MAX_BYTES 512
#define GLOB_MAX 256

/** What a constraint may say; bits. */
enum {
    SAYS_REQUIRED = 1u << 0,
    SAYS_VALUES = 1u << 1,
    SAYS_EXCLUDED = 1u << 2,
    SAYS_RANGE = 1u << 3,
};

const struct jr_limit *jr_policy_limit_of(const struct jr_policy_rules *rules,
                                          enum jr_limited_field field)
{
    for (size_t i = 0; i < rules->limits.n; i++) {
        if (rules->limits.v[i]->field == field)
            return rules->limits.v[i];
    }
    return NULL;
}

/* ---- what a field itself may be ---- */

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

/* ---- constraints ---- */

static bool is_number(const struct jr_limit *l)
{
    return l->of.kind == JR_SCHEMA_INT32 || l->of.kind == JR_SCHEMA_INT64;
}

/** Tells what may be said of a value. */
static unsigned sayable(const struct jr_limit *l)
{
    const enum jr_schema_kind kind = l->of.kind;

    if (kind == JR_SCHEMA_STRING || is_number(l))
        return SAYS_REQUIRED | SAYS_VALUES | SAYS_EXCLUDED | SAYS_RANGE;
    if (kind == JR_SCHEMA_BOOL || kind == JR_SCHEMA_INT_OR_STRING || kind == JR_SCHEMA_TIME)
        return SAYS_REQUIRED | SAYS_VALUES | SAYS_EXCLUDED;
    return kind == JR_SCHEMA_QUANTITY ? SAYS_REQUIRED | SAYS_RANGE : SAYS_REQUIRED;
}

/** Reads a value of the field's type as its JSON text. False: it is of another type. */
static bool read_value(struct jr_policy_compiler *c, const struct jr_limit *l,
                       const struct jr_node *node, struct jr_str *ret)
{
    const enum jr_kind kind = jr_node_kind(node);
    int64_t v;
    const char *text;

    if (l->of.kind == JR_SCHEMA_BOOL) {
        *ret = kind == JR_TRUE ? JR_S("true") : JR_S("false");
        return kind == JR_TRUE || kind == JR_FALSE;
    }
    if (kind == JR_NUMBER && (is_number(l) || l->of.kind == JR_SCHEMA_INT_OR_STRING)) {
        if (jr_node_i64(node, &v) != JR_OK)
            return false;
        text = jr_arena_printf(&c->policy->arena, "%lld", (long long)v);
        if (text == NULL)
            c->errs->failed = JR_NOMEM;
        *ret = jr_str(text);
        return true;
    }
    *ret = jr_policy_copy(c, jr_node_str(node));
    return kind == JR_STRING && !is_number(l);
}

static void check_value(struct jr_policy_compiler *c, const struct jr_limit *l, struct jr_str s,
                        const struct jr_field_path *path)
{
    if (s.n == 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, s),
                        "must not be empty: an empty text counts as not set");
    else if (s.n > GLOB_MAX)
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "must have at most %d bytes", GLOB_MAX);
    else if (l->field != JR_LIMITED_FIELDS)
        jr_policy_check_text(c, l->field, s, path);
}

static struct jr_strs compile_values(struct jr_policy_compiler *c, const struct jr_node *list,
                                     const struct jr_field_path *path, const struct jr_limit *l)
{
    struct jr_strs ret = { jr_policy_calloc(c, jr_size(list), sizeof(*ret.v)), 0 };

    jr_policy_check_count(c, list, VALUES_MAX, path);
    if (!jr_unset(list) && jr_node_kind(list) != JR_ARRAY)
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, list), "must be a list");
    if (ret.v == NULL || jr_node_kind(list) != JR_ARRAY)
        return ret;
    JR_EACH_AT(v, list, path, c->errs) {
        struct jr_str *s = &ret.v[ret.n];

        if (!read_value(c, l, v.node, s)) {
            JR_POLICY_FAULT(c, INVALID, &v.path, jr_rule_json(c->errs, v.node), "must be %s",
                            l->of.kind == JR_SCHEMA_BOOL ? "true or false"
                            : is_number(l)               ? "a whole number"
                                                         : "a string");
            continue;
        }
        check_value(c, l, *s, &v.path);
        ret.n++;
    }
    return ret;
}

/** Reads a quantity into the policy's memory. */
static const struct jr_quantity *read_quantity(struct jr_policy_compiler *c,
                                               const struct jr_node *node)
{
    struct jr_quantity *q = jr_policy_calloc(c, 1, sizeof(*q));

    if (q == NULL || jr_quantity_of(node, q) != JR_OK)
        return NULL;
    q->verbatim = (struct jr_str){ NULL, 0 }; /* it lies in the document */
    return q;
}

static struct jr_limit_bound compile_bound(struct jr_policy_compiler *c, const struct jr_limit *l,
                                           const struct jr_node *node,
                                           const struct jr_field_path *path)
{
    struct jr_limit_bound b = { .kind = JR_BOUND_NONE };
    const struct jr_str text =
        jr_node_kind(node) == JR_NUMBER ? jr_node_number(node) : jr_node_str(node);

    if (jr_unset(node))
        return b;
    b.text = jr_policy_copy(c, text);
    if (is_number(l)) {
        b.kind = JR_BOUND_NUMBER;
        if (jr_node_i64(node, &b.v) != JR_OK)
            JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                            "must be a whole number");
        else if (l->field != JR_LIMITED_FIELDS)
            jr_policy_check_int(c, l->field, b.v, path);
        return b;
    }
    if (l->of.kind == JR_SCHEMA_STRING && jr_parse_duration_ms(text, &b.v) == JR_OK) {
        b.kind = JR_BOUND_DURATION;
        return b;
    }
    b.kind = JR_BOUND_QUANTITY;
    b.q = read_quantity(c, node);
    if (b.q == NULL)
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node), "must be %s",
                        l->of.kind == JR_SCHEMA_STRING
                            ? "a duration, as \"8h\", or a quantity, as \"2Gi\""
                            : "a quantity, as \"500m\" or \"2Gi\"");
    return b;
}

static void compile_range(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_limit *l)
{
    l->min = compile_bound(c, l, jr_get(node, "min"), &JR_FIELD(path, "min"));
    l->max = compile_bound(c, l, jr_get(node, "max"), &JR_FIELD(path, "max"));
    if (jr_limit_bound_cmp(&l->min, &l->max) > 0)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"),
                        is_number(l) ? jr_errlist_int(c->errs, l->max.v)
                                     : jr_errlist_quote(c->errs, l->max.text),
                        "must not be less than min, %.*s", JR_P(l->min.text));
}

/** Refuses what no type of the definition describes. */
static void check_members(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path)
{
    static const char *const names[] = { "required", "values", "excluded", "min", "max", NULL };
    const struct jr_node *required = jr_get(node, "required");

    JR_EACH(m, node) {
        if (!jr_one_of(jr_key(m), names))
            JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, jr_key(m)),
                            "is not known here: required, values, excluded, min and max are");
    }
    if (!jr_unset(required) && jr_node_kind(required) != JR_TRUE &&
        jr_node_kind(required) != JR_FALSE)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "required"), jr_rule_json(c->errs, required),
                        "must be true or false");
}

static const char *names_of(unsigned says)
{
    if ((says & SAYS_VALUES) == 0)
        return (says & SAYS_RANGE) == 0 ? "required" : "required, min and max";
    return (says & SAYS_EXCLUDED) == 0 ? "required and values" : "required, values and excluded";
}

/** Compiles what is required of the values at l->of. says: what may be said of them here. */
static void compile_constraint(struct jr_policy_compiler *c, const struct jr_node *node,
                               const struct jr_field_path *path, unsigned says, struct jr_limit *l)
{
    static const struct {
        const char *name;
        unsigned bit;
    } members[] = { { "values", SAYS_VALUES },
                    { "excluded", SAYS_EXCLUDED },
                    { "min", SAYS_RANGE },
                    { "max", SAYS_RANGE } };

    check_members(c, node, path);
    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        if (!jr_unset(jr_get(node, members[i].name)) && (says & members[i].bit) == 0)
            JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(path, members[i].name), JR_NO_VALUE,
                            "can't be said of the field: %s can", names_of(says));
    }
    l->required.set = !jr_unset(jr_get(node, "required"));
    l->required.v = jr_node_bool_or(jr_get(node, "required"), false);
    if ((says & SAYS_VALUES) != 0)
        l->values = compile_values(c, jr_get(node, "values"), &JR_FIELD(path, "values"), l);
    if ((says & SAYS_EXCLUDED) != 0)
        l->excluded = compile_values(c, jr_get(node, "excluded"), &JR_FIELD(path, "excluded"), l);
    if ((says & SAYS_RANGE) != 0)
        compile_range(c, node, path, l);
}

/** Whether the constraint says something: an exception may take `required` back. */
static bool says_something(const struct jr_policy_compiler *c, const struct jr_limit *l)
{
    return jr_bool_or(l->required, false) || (c->excepting && l->required.set) ||
           l->values.n + l->excluded.n > 0 || l->min.kind != JR_BOUND_NONE ||
           l->max.kind != JR_BOUND_NONE;
}

/* ---- the rules ---- */

/** Adds a limit to the rules, named by its path below spec.limits. NULL: no memory. */
static struct jr_limit *add_limit(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                                  const char *name, const struct jr_field_path *path)
{
    struct jr_limit *l = jr_policy_calloc(c, 1, sizeof(*l));

    if (l == NULL || name == NULL ||
        !jr_field_path_keep(path, NULL, &c->policy->arena, &l->rule.path)) {
        c->errs->failed = JR_NOMEM;
        return NULL;
    }
    l->rule.name = jr_str(name);
    l->field = JR_LIMITED_FIELDS;
    ret->limits.v[ret->limits.n++] = l;
    return l;
}

/** False: no memory. */
static bool parse(struct jr_policy_compiler *c, enum jr_limit_root root, struct jr_str text,
                  struct jr_limit_path *ret, const char **ret_why)
{
    if (jr_limit_path_parse(root, text, &c->policy->arena, ret, ret_why) == JR_OK)
        return true;
    c->errs->failed = JR_NOMEM;
    return false;
}

/* ---- fields ---- */

static void compile_field(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, struct jr_limit *l)
{
    switch (jr_limited_fields[l->field].kind) {
    case JR_LIMITED_INT:
        compile_constraint(c, node, path, SAYS_REQUIRED | SAYS_RANGE, l);
        if (!says_something(c, l))
            JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required, min or max");
        break;
    case JR_LIMITED_TEXT:
        compile_constraint(c, node, path, SAYS_REQUIRED | SAYS_VALUES, l);
        if (!says_something(c, l))
            JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required or values");
        break;
    case JR_LIMITED_FLAG:
        l->forbidden = true;
        if (!jr_str_is(jr_node_str(node), "Forbidden"))
            JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, jr_node_str(node)),
                            "supported values: \"Forbidden\"");
        break;
    }
}

/** A Job passes a bound by leaving the field out, where that means for ever. */
static void warn_of_absence(struct jr_policy_compiler *c, const struct jr_limit *l,
                            const struct jr_field_path *path)
{
    const bool is_for_ever = l->field == JR_LIMITED_ACTIVE_DEADLINE || l->field == JR_LIMITED_TTL ||
                             l->field == JR_LIMITED_POD_DEADLINE;

    if (is_for_ever && l->max.kind != JR_BOUND_NONE && !l->required.set && !c->excepting)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_BOUND_OPTIONAL, path,
                        "a Job that leaves the field out passes, and it is then without a bound: "
                        "required: true refuses such a Job");
}

static void compile_fields(struct jr_policy_compiler *c, const struct jr_node *limits,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    for (size_t f = 0; f < JR_LIMITED_FIELDS; f++) {
        const struct jr_limited_field_info *info = &jr_limited_fields[f];
        const struct jr_node *node =
            jr_get(info->of_template ? jr_get(limits, "template") : limits, info->leaf);
        struct jr_field_path room[2];
        const struct jr_field_path *at =
            jr_limited_rule_path((enum jr_limited_field)f, path, room);
        struct jr_limit *l;
        const char *why;

        if (jr_unset(node))
            continue;
        l = add_limit(c, ret, jr_arena_printf(&c->policy->arena, "limits.%s", info->name), at);
        if (l == NULL || !parse(c, JR_LIMIT_OF_SPEC, jr_str(info->path), &l->of, &why))
            return;
        l->field = (enum jr_limited_field)f;
        compile_field(c, node, at, l);
        warn_of_absence(c, l, at);
    }
}

/* ---- labels and annotations ---- */

static const struct limited_map {
    const char *name; /* below spec.limits */
    const char *leaf; /* its last part */
    bool of_template;
    enum jr_limit_root root;
    const char *in_job;
} maps[] = {
    { "labels", "labels", false, JR_LIMIT_OF_METADATA, "labels" },
    { "annotations", "annotations", false, JR_LIMIT_OF_METADATA, "annotations" },
    { "template.labels", "labels", true, JR_LIMIT_OF_SPEC, "template.metadata.labels" },
};

static const struct jr_node *map_of(const struct limited_map *m, const struct jr_node *limits)
{
    return jr_get(m->of_template ? jr_get(limits, "template") : limits, m->leaf);
}

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

static void compile_key(struct jr_policy_compiler *c, const struct limited_map *m,
                        const struct jr_node *node, const struct jr_field_path *path,
                        struct jr_policy_rules *ret)
{
    struct jr_arena *arena = &c->policy->arena;
    const struct jr_str key = jr_policy_copy(c, jr_key(node));
    struct jr_limit *l;
    const char *why;

    if (jr_name_key(key).n > 0) {
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, key),
                        "must be the key of a label or an annotation");
        return;
    }
    if (!is_key_limit(node)) {
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                        "must be an object of required, true or false, and values, a list of "
                        "strings");
        return;
    }
    l = add_limit(c, ret, jr_arena_printf(arena, "limits.%s[%.*s]", m->name, JR_P(key)), path);
    if (l == NULL || !parse(c, m->root, jr_str(m->in_job), &l->of, &why))
        return;
    if (jr_limit_path_add_key(&l->of, key, arena) != JR_OK) {
        c->errs->failed = JR_NOMEM;
        return;
    }
    ret->reads_metadata |= m->root == JR_LIMIT_OF_METADATA;
    compile_constraint(c, node, path, SAYS_REQUIRED | SAYS_VALUES, l);
    if (!says_something(c, l) && !l->required.set)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs required or values");
}

static int by_name(const void *a, const void *b)
{
    const struct jr_limit *const *x = a, *const *y = b;

    return jr_str_cmp((*x)->rule.name, (*y)->rule.name);
}

/** Sorts the limits from the one at `from` on: an object has no order. */
static void sort(struct jr_policy_rules *ret, size_t from)
{
    if (ret->limits.n > from + 1)
        qsort(&ret->limits.v[from], ret->limits.n - from, sizeof(struct jr_limit *), by_name);
}

static void compile_map(struct jr_policy_compiler *c, const struct limited_map *m,
                        const struct jr_node *limits, const struct jr_field_path *path,
                        struct jr_policy_rules *ret)
{
    const struct jr_node *map = map_of(m, limits);
    const struct jr_field_path template = JR_FIELD(path, "template");
    const struct jr_field_path at = JR_FIELD(m->of_template ? &template : path, m->leaf);
    const size_t from = ret->limits.n;

    if (!jr_unset(map) && jr_node_kind(map) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, &at, JR_NO_VALUE, "must be an object");
        return;
    }
    jr_policy_check_count(c, map, KEYS_MAX, &at);
    JR_EACH_GOING(node, map, c->errs)
        compile_key(c, m, node, &JR_FIELD_KEY(&at, jr_key(node)), ret);
    sort(ret, from);
}

/* ---- any field ---- */

/** Refuses what no Job could ever meet, or what means nothing. */
static void check_sense(struct jr_policy_compiler *c, const struct jr_limit *l,
                        const struct jr_field_path *path)
{
    const enum jr_limit_step_kind last = l->of.steps[l->of.n - 1].kind;
    const bool required = jr_bool_or(l->required, false);

    if (required && (last == JR_STEP_EACH || last == JR_STEP_KEYS))
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "required"), JR_NO_VALUE,
                        "must be of a field, or of an entry with its whole key");
    if (required && l->of.kind == JR_SCHEMA_BOOL && l->of.field != NULL && !l->of.field->pointer &&
        l->values.n == 1 && jr_str_is(l->values.v[0], "false"))
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "required"), JR_NO_VALUE,
                        "no Job meets it: an API server leaves the field out where it is false");
}

static void compile_path(struct jr_policy_compiler *c, const struct jr_node *node,
                         const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_arena *arena = &c->policy->arena;
    const size_t faults = c->errs->n;
    struct jr_limit_path of;
    struct jr_limit *l;
    const char *why;

    if (jr_key(node).n > PATH_MAX_BYTES) {
        JR_POLICY_FAULT(c, TOO_LONG, path, JR_NO_VALUE, "may not be more than %d bytes",
                        PATH_MAX_BYTES);
        return;
    }
    if (!parse(c, JR_LIMIT_OF_SPEC, jr_key(node), &of, &why))
        return;
    if (why != NULL) {
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, jr_key(node)), "%s", why);
        return;
    }
    l = add_limit(c, ret, jr_arena_printf(arena, "limits.fields[%.*s]", JR_P(of.text)), path);
    if (l == NULL)
        return;
    l->of = of;
    if (jr_node_kind(node) == JR_STRING && jr_str_is(jr_node_str(node), "Forbidden")) {
        l->forbidden = true;
        return;
    }
    if (jr_node_kind(node) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                        "must be Forbidden, or an object of required, values, excluded, min and "
                        "max");
        return;
    }
    compile_constraint(c, node, path, sayable(l), l);
    if (!says_something(c, l) && c->errs->n == faults)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE,
                        "needs required, values, excluded, min or max, or to be Forbidden");
    check_sense(c, l, path);
}

static void compile_paths(struct jr_policy_compiler *c, const struct jr_node *paths,
                          const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const size_t from = ret->limits.n;

    if (!jr_unset(paths) && jr_node_kind(paths) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "must be an object");
        return;
    }
    jr_policy_check_count(c, paths, PATHS_MAX, path);
    JR_EACH_GOING(node, paths, c->errs)
        compile_path(c, node, &JR_FIELD_KEY(path, jr_key(node)), ret);
    sort(ret, from);
}

void jr_policy_compile_limits(struct jr_policy_compiler *c, const struct jr_node *limits,
                              const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    size_t n = JR_LIMITED_FIELDS + jr_size(jr_get(limits, "fields"));

    for (size_t m = 0; m < JR_ARRAY_SIZE(maps); m++)
        n += jr_size(map_of(&maps[m], limits));
    ret->limits.v = jr_policy_calloc(c, n, sizeof(const struct jr_limit *));
    if (ret->limits.v == NULL)
        return;
    compile_fields(c, limits, path, ret);
    for (size_t m = 0; m < JR_ARRAY_SIZE(maps); m++)
        compile_map(c, &maps[m], limits, path, ret);
    compile_paths(c, jr_get(limits, "fields"), &JR_FIELD(path, "fields"), ret);
}
