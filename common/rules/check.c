/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that rules of many objects share. */
#include "common/rules/check.h"

#include "common/base/string_set.h"

#define ANNOTATIONS_MAX ((size_t)256 << 10)

void jr_validate_labels(const struct jr_labels *labels, const struct jr_field_path *path,
                        enum jr_rule key_rule, enum jr_rule value_rule, struct jr_errlist *errs)
{
    for (size_t i = 0; i < labels->n && jr_errlist_going(errs); i++) {
        const struct jr_field_path at = JR_FIELD_HIDDEN(path, labels->v[i].key);

        jr_validate_name(errs, key_rule, &at, labels->v[i].key, jr_name_key);
        jr_validate_name(errs, value_rule, &at, labels->v[i].value, jr_name_label_value);
    }
}

struct jr_str jr_lower_key(struct jr_str s, struct jr_errlist *errs)
{
    /* The only characters beyond ASCII that Go makes letters of ASCII: U+0130 and U+212A. */
    static const struct {
        const char *from;
        char to;
    } odd[] = { { "\xc4\xb0", 'i' }, { "\xe2\x84\xaa", 'k' } };
    char *lower = jr_arena_calloc(errs->arena, s.n + 1, 1);
    size_t n = 0;

    if (lower == NULL) {
        errs->failed = JR_NOMEM;
        return JR_S("");
    }
    while (s.n > 0) {
        size_t taken = 1;

        lower[n] = s.p[0];
        if (s.p[0] >= 'A' && s.p[0] <= 'Z')
            lower[n] = (char)(s.p[0] - 'A' + 'a');
        for (size_t i = 0; i < JR_ARRAY_SIZE(odd); i++) {
            if (jr_str_starts(s, jr_str(odd[i].from))) {
                lower[n] = odd[i].to;
                taken = strlen(odd[i].from);
            }
        }
        n++;
        s = jr_str_from(s, taken);
    }
    return (struct jr_str){ lower, n };
}

void jr_validate_annotations(const struct jr_labels *annotations, const struct jr_field_path *path,
                             enum jr_rule key_rule, enum jr_rule size_rule, struct jr_errlist *errs)
{
    size_t size = 0;

    for (size_t i = 0; i < annotations->n && jr_errlist_going(errs); i++) {
        const struct jr_str key = annotations->v[i].key;
        const struct jr_name_errors faults = jr_name_key(jr_lower_key(key, errs));

        jr_rule_faults(errs, key_rule, &JR_FIELD_HIDDEN(path, key), key, &faults);
        size += key.n + annotations->v[i].value.n;
    }
    if (size > ANNOTATIONS_MAX)
        jr_violation(errs, size_rule, path);
}

void jr_validate_enum(const struct jr_enum_rule *rule, const struct jr_node *node,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str s = jr_node_str(node);

    if (s.n == 0) {
        jr_violation(errs, rule->required, path);
        return;
    }
    if (!jr_one_of(s, rule->values))
        jr_violation_enum(errs, rule->unsupported, path, s);
}

bool jr_one_of(struct jr_str s, const char *const *values)
{
    for (; *values != NULL; values++) {
        if (jr_str_is(s, *values))
            return true;
    }
    return false;
}

struct jr_str jr_rule_supported(struct jr_errlist *errs, const char *const *values)
{
    struct jr_str text = { NULL, 0 };
    JR_BUF list = { 0 };

    jr_buf_init(&list, (size_t)1 << 16);
    (void)jr_buf_adds(&list, "supported values: ");
    for (const char *const *v = values; *v != NULL; v++)
        (void)jr_buf_addf(&list, "%s\"%s\"", v == values ? "" : ", ", *v);
    if (list.failed != JR_OK)
        errs->failed = list.failed;
    else if (!jr_arena_str(errs->arena, jr_buf_str(&list), &text))
        errs->failed = JR_NOMEM;
    return text;
}

void jr_rule_unsupported(struct jr_errlist *errs, enum jr_rule rule,
                         const struct jr_field_path *path, struct jr_str value,
                         const char *const *values)
{
    const struct jr_str supported = jr_rule_supported(errs, values);

    if (supported.p != NULL)
        jr_rule_violatedf(errs, rule, path, value, "%.*s", JR_P(supported));
}

void jr_validate_choice(enum jr_rule rule, const char *const *values, struct jr_str s,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (!jr_one_of(s, values))
        jr_rule_unsupported(errs, rule, path, jr_rule_json_str(errs, s), values);
}

struct jr_name_errors jr_name_prefix(struct jr_str name, struct jr_errlist *errs)
{
    if (name.n < 2 || name.p[name.n - 1] != '-')
        return jr_name_subdomain(name);
    return jr_name_subdomain(JR_FORMAT(errs, "%.*sa", (int)(name.n - 2), name.p));
}

struct jr_labels jr_string_map(const struct jr_node *map, struct jr_errlist *errs)
{
    struct jr_labels l = { NULL, 0 };

    if (jr_node_kind(map) != JR_OBJECT)
        return l;
    l.v = jr_arena_calloc(errs->arena, jr_size(map), sizeof(*l.v));
    if (l.v == NULL) {
        errs->failed = JR_NOMEM;
        return l;
    }
    JR_EACH(m, map)
        l.v[l.n++] = (struct jr_label){ jr_key(m), jr_node_str(m) };
    return l;
}

const struct jr_node **jr_list_nodes(const struct jr_node *list, struct jr_errlist *errs)
{
    const struct jr_node **v = jr_arena_calloc(errs->arena, jr_size(list), sizeof(*v));
    size_t n = 0;

    if (v == NULL) {
        errs->failed = JR_NOMEM;
        return NULL;
    }
    JR_EACH(c, list)
        v[n++] = c;
    return v;
}
