#include "common/rules/check.h"

#define ANNOTATIONS_MAX ((size_t)256 << 10)

void jr_validate_labels(const struct jr_labels *labels, const struct jr_field_path *path,
                        enum jr_rule key_rule, enum jr_rule value_rule, struct jr_errlist *errs)
{
    for (size_t i = 0; i < labels->n; i++) {
        const struct jr_faults key = jr_name_key(labels->v[i].key);
        const struct jr_faults value = jr_name_label_value(labels->v[i].value);

        jr_rule_faults(errs, key_rule, path, labels->v[i].key, &key);
        jr_rule_faults(errs, value_rule, path, labels->v[i].value, &value);
    }
}

/** The rule for annotations' keys doesn't care for case. */
static struct jr_faults annotation_key_faults(struct jr_str key, struct jr_errlist *errs)
{
    struct jr_str lower;
    char *p;

    if (!jr_arena_str(errs->arena, key, &lower)) {
        errs->failed = JR_NOMEM;
        return (struct jr_faults){ .n = 0 };
    }
    p = (char *)(uintptr_t)lower.p; /* our own copy */
    for (size_t i = 0; i < lower.n; i++) {
        if (p[i] >= 'A' && p[i] <= 'Z')
            p[i] = (char)(p[i] - 'A' + 'a');
    }
    return jr_name_key(lower);
}

void jr_validate_annotations(const struct jr_labels *annotations, const struct jr_field_path *path,
                             enum jr_rule key_rule, enum jr_rule size_rule, struct jr_errlist *errs)
{
    size_t size = 0;

    for (size_t i = 0; i < annotations->n; i++) {
        const struct jr_str key = annotations->v[i].key;
        const struct jr_faults faults = annotation_key_faults(key, errs);

        jr_rule_faults(errs, key_rule, path, key, &faults);
        size += key.n + annotations->v[i].value.n;
    }
    if (size > ANNOTATIONS_MAX)
        jr_rule_broken(errs, size_rule, path, JR_NO_VALUE);
}

void jr_validate_enum(const struct jr_enum_rule *rule, const struct jr_node *node,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str s = jr_node_str(node);

    if (s.n == 0) {
        jr_rule_broken(errs, rule->required, path, JR_NO_VALUE);
        return;
    }
    for (const char *const *v = rule->values; *v != NULL; v++) {
        if (jr_str_is(s, *v))
            return;
    }
    jr_rule_broken(errs, rule->unsupported, path, jr_rule_json_str(errs, s));
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
    for (const struct jr_node *m = jr_first(map); m != NULL; m = jr_next(m))
        l.v[l.n++] = (struct jr_label){ jr_key(m), jr_node_str(m) };
    return l;
}
