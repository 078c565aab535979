/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles what spec.limits.template says beyond fields: images, requests, limits, tolerations. */
#include "common/policy/compile.h"

#include "common/pod/image.h"

#define RESOURCES_MAX 32
#define KEYS_MAX 32

/* Where a Pod has images; where it has requests and limits. */
static const char *const image_paths[] = { "template.spec.containers[*].image",
                                           "template.spec.initContainers[*].image",
                                           "template.spec.volumes[*].image.reference" };
static const char *const amount_places[] = { "template.spec.containers[*]",
                                             "template.spec.initContainers[*]", "template.spec" };

/* ---- images ---- */

/** Whether a reference is written in full. NULL: there was no memory to make it. */
static bool is_full(struct jr_policy_compiler *c, const char *reference)
{
    JR_BUF full = { 0 };

    jr_buf_init(&full, JR_BUF_BY_INPUT);
    if (reference == NULL || jr_image_write_full(jr_str(reference), &full) != JR_OK)
        c->errs->failed = JR_NOMEM;
    return reference != NULL && jr_str_is(jr_buf_str(&full), reference);
}

/** Whether complete references begin so, with a registry. */
static bool is_full_host(struct jr_policy_compiler *c, struct jr_str host)
{
    return is_full(c, jr_arena_printf(c->errs->arena, "%.*s/a/b:1", JR_P(host)));
}

/** Whether a pattern can match a complete reference, as far as it says the name:
 * "docker.io/nginx:*" would have to be docker.io/library/nginx:*. */
static bool has_full_name(struct jr_policy_compiler *c, struct jr_str s)
{
    size_t n = 0;

    while (n < s.n && s.p[n] != '*' && s.p[n] != '?')
        n++;
    if (n == s.n)
        return is_full(c, jr_arena_printf(c->errs->arena, "%.*s", JR_P(s)));
    if (n == 0 || (s.p[n - 1] != ':' && s.p[n - 1] != '@'))
        return true;
    return is_full(c, jr_arena_printf(c->errs->arena, "%.*s:1", JR_P(jr_str_head(s, n - 1))));
}

/** Refuses patterns that no complete reference matches. of_values: also those of any registry. */
static void check_patterns(struct jr_policy_compiler *c, const struct jr_strs *list, bool of_values,
                           const struct jr_field_path *path)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct jr_str s = list->v[i];
        const ptrdiff_t slash = jr_str_find(s, '/');
        const struct jr_str host = jr_str_head(s, slash < 0 ? 0 : (size_t)slash);

        if (!of_values && (s.n == 0 || jr_is_glob(host) || s.p[0] == '*' || s.p[0] == '?'))
            continue;
        if (jr_is_glob(host) || !is_full_host(c, host))
            JR_POLICY_FAULT(c, INVALID, &JR_FIELD_AT(path, i), jr_errlist_quote(c->errs, s),
                            "must begin with %sa registry and '/', %sas "
                            "\"registry.example.com/*\": images are matched in full, nginx as "
                            "docker.io/library/nginx:latest",
                            of_values ? "" : "'*' or with ",
                            of_values ? "without '*' in it, " : "");
        else if (!has_full_name(c, s))
            JR_POLICY_FAULT(c, INVALID, &JR_FIELD_AT(path, i), jr_errlist_quote(c->errs, s),
                            "matches no image: images are matched in full, nginx as "
                            "docker.io/library/nginx:latest, and any of its tags as "
                            "docker.io/library/nginx:*");
    }
}

static void compile_images(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_limit *l;

    if (jr_unset(node))
        return;
    l = jr_policy_add_limit(c, ret, "limits.template.images", path, JR_LIMIT_OF_SPEC,
                            image_paths[0]);
    if (l == NULL)
        return;
    l->as = JR_LIMIT_AS_IMAGE;
    jr_policy_compile_constraint(c, node, path, JR_SAYS_VALUES | JR_SAYS_EXCLUDED, l);
    check_patterns(c, &l->values, true, &JR_FIELD(path, "values"));
    check_patterns(c, &l->excluded, false, &JR_FIELD(path, "excluded"));
    for (size_t i = 1; i < JR_ARRAY_SIZE(image_paths); i++)
        jr_policy_add_place(c, ret, l, image_paths[i]);
}

/* ---- requests and limits ---- */

/** Returns the path of a resource's amount at one of the places; NULL: no memory. */
static const char *amount_path(struct jr_policy_compiler *c, size_t place, const char *side,
                               struct jr_str resource)
{
    return jr_arena_printf(&c->policy->arena, "%s.resources.%s[%.*s]", amount_places[place], side,
                           JR_P(resource));
}

static void compile_amount(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, enum jr_limit_as as,
                           struct jr_policy_rules *ret)
{
    const char *side = as == JR_LIMIT_AS_REQUEST ? "requests" : "limits";
    const struct jr_str resource = jr_policy_copy(c, jr_key(node));
    struct jr_limit *l = jr_policy_add_limit(
        c, ret,
        jr_arena_printf(&c->policy->arena, "limits.template.%s[%.*s]", side, JR_P(resource)), path,
        JR_LIMIT_OF_SPEC, amount_path(c, 0, side, resource));

    if (l == NULL)
        return;
    l->as = as;
    l->key = resource;
    jr_policy_compile_entry(c, node, path, JR_SAYS_REQUIRED | JR_SAYS_RANGE, l);
    for (size_t i = 1; i < JR_ARRAY_SIZE(amount_places); i++)
        jr_policy_add_place(c, ret, l, amount_path(c, i, side, resource));
}

static void compile_amounts(struct jr_policy_compiler *c, const struct jr_node *map,
                            const struct jr_field_path *path, enum jr_limit_as as,
                            struct jr_policy_rules *ret)
{
    if (!jr_policy_check_map(c, map, RESOURCES_MAX, path))
        return;
    JR_EACH_GOING(node, map, c->errs) {
        const struct jr_str name = jr_key(node);

        if (jr_str_find(name, '*') < 0 && jr_policy_is_resource(c, name))
            compile_amount(c, node, &JR_FIELD_KEY(path, name), as, ret);
        else
            JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, name),
                            "must be a resource that a container can request: cpu, memory, "
                            "ephemeral-storage, hugepages-SIZE or DOMAIN/NAME");
    }
}

/* ---- tolerations ---- */

static void compile_toleration(struct jr_policy_compiler *c, const struct jr_node *node,
                               const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    const struct jr_str key = jr_policy_copy(c, jr_key(node));
    struct jr_limit *l;

    if (jr_name_key(key).n > 0) {
        JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, key),
                        "must be the key of a taint");
        return;
    }
    l = jr_policy_add_limit(
        c, ret, jr_arena_printf(&c->policy->arena, "limits.template.tolerations[%.*s]", JR_P(key)),
        path, JR_LIMIT_OF_SPEC, "template.spec.tolerations");
    if (l == NULL)
        return;
    l->as = JR_LIMIT_AS_TOLERATION;
    l->key = key;
    jr_policy_compile_entry(c, node, path, JR_SAYS_REQUIRED, l);
}

static void compile_tolerations(struct jr_policy_compiler *c, const struct jr_node *map,
                                const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    if (!jr_policy_check_map(c, map, KEYS_MAX, path))
        return;
    JR_EACH_GOING(node, map, c->errs)
        compile_toleration(c, node, &JR_FIELD_KEY(path, jr_key(node)), ret);
}

void jr_policy_compile_pod_limits(struct jr_policy_compiler *c, const struct jr_node *template,
                                  const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    compile_images(c, jr_get(template, "images"), &JR_FIELD(path, "images"), ret);
    compile_amounts(c, jr_get(template, "requests"), &JR_FIELD(path, "requests"),
                    JR_LIMIT_AS_REQUEST, ret);
    compile_amounts(c, jr_get(template, "limits"), &JR_FIELD(path, "limits"), JR_LIMIT_AS_LIMIT,
                    ret);
    compile_tolerations(c, jr_get(template, "tolerations"), &JR_FIELD(path, "tolerations"), ret);
}
