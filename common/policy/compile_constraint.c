/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles what a limit says of its values: required, values, excluded, min and max. */
#include "common/policy/compile.h"

/* All of them are in one message, which has a bound. */
#define VALUES_MAX 128
#define GLOB_MAX 256

static bool is_number(const struct jr_limit *l)
{
    return l->of.kind == JR_SCHEMA_INT32 || l->of.kind == JR_SCHEMA_INT64;
}

unsigned jr_policy_sayable(const struct jr_limit *l)
{
    const enum jr_schema_kind kind = l->of.kind;

    if (kind == JR_SCHEMA_STRING || is_number(l))
        return JR_SAYS_REQUIRED | JR_SAYS_VALUES | JR_SAYS_EXCLUDED | JR_SAYS_RANGE;
    if (kind == JR_SCHEMA_BOOL || kind == JR_SCHEMA_INT_OR_STRING || kind == JR_SCHEMA_TIME)
        return JR_SAYS_REQUIRED | JR_SAYS_VALUES | JR_SAYS_EXCLUDED;
    return kind == JR_SCHEMA_QUANTITY ? JR_SAYS_REQUIRED | JR_SAYS_RANGE : JR_SAYS_REQUIRED;
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

/* Values as a Job may have them. */
static const struct enumeration {
    const char *go_type;
    const char *const values[5];
} enumerations[] = {
    { "v1.CompletionMode", { "Indexed", "NonIndexed" } },
    { "v1.ConcurrencyPolicy", { "Allow", "Forbid", "Replace" } },
    { "v1.ContainerRestartPolicy", { "Always", "Never", "OnFailure" } },
    { "v1.DNSPolicy", { "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None" } },
    { "v1.PodReplacementPolicy", { "Failed", "TerminatingOrFailed" } },
    { "v1.PreemptionPolicy", { "Never", "PreemptLowerPriority" } },
    { "v1.ProcMountType", { "Default", "Unmasked" } },
    { "v1.Protocol", { "SCTP", "TCP", "UDP" } },
    { "v1.PullPolicy", { "Always", "IfNotPresent", "Never" } },
    { "v1.RestartPolicy", { "Always", "Never", "OnFailure" } },
    { "v1.TaintEffect", { "NoExecute", "NoSchedule", "PreferNoSchedule" } },
    { "v1.TerminationMessagePolicy", { "FallbackToLogsOnError", "File" } },
};

static const char *const *values_of(const char *go_type)
{
    for (size_t i = 0; go_type != NULL && i < JR_ARRAY_SIZE(enumerations); i++) {
        if (strcmp(go_type, enumerations[i].go_type) == 0)
            return enumerations[i].values;
    }
    return NULL;
}

static bool is_word(const char *const *values, struct jr_str s, bool glob)
{
    for (; *values != NULL; values++) {
        if (glob ? jr_glob_matches(s, jr_str(*values)) : jr_str_is(s, *values))
            return true;
    }
    return false;
}

void jr_policy_check_word(struct jr_policy_compiler *c, const char *go_type, struct jr_str s,
                          bool glob, const struct jr_field_path *path)
{
    const char *const *values = values_of(go_type);
    struct jr_str supported;

    if (values == NULL || is_word(values, s, glob))
        return;
    supported = jr_rule_supported(c->errs, values);
    JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, s), "%.*s", JR_P(supported));
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
    else if (l->of.kind == JR_SCHEMA_STRING && l->of.field != NULL)
        jr_policy_check_word(c, l->of.field->go_type, s,
                             jr_str_starts(l->rule.name, JR_S("limits.fields[")), path);
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

struct jr_quantity *jr_policy_read_quantity(struct jr_policy_compiler *c,
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
        if (b.v < 0)
            JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node),
                            "must not be less than 0");
        return b;
    }
    b.kind = JR_BOUND_QUANTITY;
    b.q = jr_policy_read_quantity(c, node);
    if (b.q != NULL && jr_quantity_sign(b.q) < 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node), "must not be less than 0");
    else if (b.q == NULL)
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
    if (l->min.kind != JR_BOUND_NONE && l->max.kind != JR_BOUND_NONE && l->min.kind != l->max.kind)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"), jr_errlist_quote(c->errs, l->max.text),
                        "must be a duration or a quantity as min, %.*s, is", JR_P(l->min.text));
    if (jr_limit_bound_cmp(&l->min, &l->max) > 0)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "max"),
                        is_number(l) ? jr_errlist_int(c->errs, l->max.v)
                                     : jr_errlist_quote(c->errs, l->max.text),
                        "must not be less than min, %.*s", JR_P(l->min.text));
}

static void check_names(struct jr_policy_compiler *c, const struct jr_node *node,
                        const struct jr_field_path *path)
{
    static const char *const names[] = { "required", "values", "excluded", "min", "max", NULL };

    JR_EACH(m, node) {
        if (!jr_one_of(jr_key(m), names))
            JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, jr_key(m)),
                            "is not known here: required, values, excluded, min and max are");
    }
}

static void check_required(struct jr_policy_compiler *c, const struct jr_node *required,
                           const struct jr_field_path *path)
{
    if (!jr_unset(required) && jr_node_kind(required) != JR_TRUE &&
        jr_node_kind(required) != JR_FALSE)
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, required), "must be true or false");
}

/** Words for what a constraint may be made of. */
static const struct words {
    unsigned says;
    const char *all;
    const char *needs;
} words[] = {
    { JR_SAYS_REQUIRED, "required", "required" },
    { JR_SAYS_RANGE, "min and max", "min or max" },
    { JR_SAYS_REQUIRED | JR_SAYS_RANGE, "required, min and max", "required, min or max" },
    { JR_SAYS_REQUIRED | JR_SAYS_VALUES, "required and values", "required or values" },
    { JR_SAYS_VALUES | JR_SAYS_EXCLUDED, "values and excluded", "values or excluded" },
    { JR_SAYS_REQUIRED | JR_SAYS_VALUES | JR_SAYS_EXCLUDED, "required, values and excluded",
      "required, values or excluded" },
    { JR_SAYS_REQUIRED | JR_SAYS_VALUES | JR_SAYS_EXCLUDED | JR_SAYS_RANGE,
      "required, values, excluded, min and max", "required, values, excluded, min or max" },
};

static const struct words *words_of(unsigned says)
{
    size_t i = JR_ARRAY_SIZE(words) - 1;

    while (i > 0 && words[i].says != says)
        i--;
    return &words[i];
}

/** Refuses what can't be said of such values. */
static void check_sayable(struct jr_policy_compiler *c, const struct jr_node *node,
                          const struct jr_field_path *path, unsigned says)
{
    static const struct {
        const char *name;
        unsigned bit;
    } members[] = { { "required", JR_SAYS_REQUIRED },
                    { "values", JR_SAYS_VALUES },
                    { "excluded", JR_SAYS_EXCLUDED },
                    { "min", JR_SAYS_RANGE },
                    { "max", JR_SAYS_RANGE } };

    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        if (!jr_unset(jr_get(node, members[i].name)) && (says & members[i].bit) == 0)
            JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(path, members[i].name), JR_NO_VALUE,
                            "can't be said here: %s can", words_of(says)->all);
    }
}

/** Whether the constraint says something: an exception may take `required` back, and an entry of a
 * map may be named for it to do so. */
static bool says_something(const struct jr_policy_compiler *c, const struct jr_limit *l)
{
    return jr_bool_or(l->required, false) ||
           (l->required.set && (c->excepting || l->of.field == NULL)) ||
           l->values.n + l->excluded.n > 0 || l->min.kind != JR_BOUND_NONE ||
           l->max.kind != JR_BOUND_NONE;
}

void jr_policy_compile_constraint(struct jr_policy_compiler *c, const struct jr_node *node,
                                  const struct jr_field_path *path, unsigned says,
                                  struct jr_limit *l)
{
    const size_t faults = c->errs->n;

    if (jr_node_kind(node) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, node), "must be an object of %s",
                        words_of(says)->all);
        return;
    }
    check_required(c, jr_get(node, "required"), &JR_FIELD(path, "required"));
    check_sayable(c, node, path, says);
    l->required.set = !jr_unset(jr_get(node, "required"));
    l->required.v = jr_node_bool_or(jr_get(node, "required"), false);
    if ((says & JR_SAYS_VALUES) != 0)
        l->values = compile_values(c, jr_get(node, "values"), &JR_FIELD(path, "values"), l);
    if ((says & JR_SAYS_EXCLUDED) != 0)
        l->excluded = compile_values(c, jr_get(node, "excluded"), &JR_FIELD(path, "excluded"), l);
    if ((says & JR_SAYS_RANGE) != 0)
        compile_range(c, node, path, l);
    if (!says_something(c, l) && c->errs->n == faults)
        JR_POLICY_FAULT(c, REQUIRED, path, JR_NO_VALUE, "needs %s", words_of(says)->needs);
}

void jr_policy_compile_entry(struct jr_policy_compiler *c, const struct jr_node *node,
                             const struct jr_field_path *path, unsigned says, struct jr_limit *l)
{
    const size_t faults = c->errs->n;

    if (jr_node_kind(node) == JR_OBJECT)
        check_names(c, node, path);
    if (c->errs->n == faults)
        jr_policy_compile_constraint(c, node, path, says, l);
}
