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
static const char *const container_lists[] = { "containers", "initContainers" };

size_t jr_policy_count_pod_limits(const struct jr_node *template)
{
    return JR_ARRAY_SIZE(image_paths) +
           JR_ARRAY_SIZE(container_lists) *
               (jr_size(jr_get(template, "requests")) + jr_size(jr_get(template, "limits"))) +
           jr_size(jr_get(template, "tolerations"));
}

/** Adds another place that the rule of `like` is about. */
static struct jr_limit *add_place(struct jr_policy_compiler *c, struct jr_policy_rules *ret,
                                  const struct jr_limit *like)
{
    struct jr_limit *l = jr_policy_calloc(c, 1, sizeof(*l));

    if (l == NULL)
        return NULL;
    *l = *like;
    ret->limits.v[ret->limits.n++] = l;
    return l;
}

/* ---- images ---- */

/** Refuses patterns of `values` that no complete reference matches, or whose registry is open. */
static void check_image_values(struct jr_policy_compiler *c, const struct jr_limit *l,
                               const struct jr_field_path *path)
{
    const struct jr_field_path values = JR_FIELD(path, "values");

    for (size_t i = 0; i < l->values.n; i++) {
        const struct jr_str s = l->values.v[i];
        const ptrdiff_t slash = jr_str_find(s, '/');
        const struct jr_str host = jr_str_head(s, slash < 0 ? 0 : (size_t)slash);

        if (slash < 0 || jr_str_find(host, '*') >= 0 || jr_str_find(host, '?') >= 0 ||
            !jr_image_is_registry(host) || jr_str_is(host, "index.docker.io"))
            JR_POLICY_FAULT(c, INVALID, &JR_FIELD_AT(&values, i), jr_errlist_quote(c->errs, s),
                            "must begin with a registry and '/', without '*' in it, as "
                            "\"registry.example.com/*\": images are matched in full, nginx as "
                            "docker.io/library/nginx:latest");
    }
}

static void compile_images(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    struct jr_limit *l;

    if (jr_unset(node))
        return;
    l = jr_policy_add_limit(c, ret, "limits.template.images", path);
    if (l == NULL || !jr_policy_set_path(c, l, JR_LIMIT_OF_SPEC, image_paths[0]))
        return;
    l->as = JR_LIMIT_AS_IMAGE;
    jr_policy_compile_constraint(c, node, path, JR_SAYS_VALUES | JR_SAYS_EXCLUDED, l);
    check_image_values(c, l, path);
    for (size_t i = 1; i < JR_ARRAY_SIZE(image_paths); i++) {
        struct jr_limit *other = add_place(c, ret, l);

        if (other == NULL || !jr_policy_set_path(c, other, JR_LIMIT_OF_SPEC, image_paths[i]))
            return;
    }
}

/* ---- requests and limits ---- */

static void compile_amount(struct jr_policy_compiler *c, const struct jr_node *node,
                           const struct jr_field_path *path, enum jr_limit_as as,
                           struct jr_policy_rules *ret)
{
    const char *side = as == JR_LIMIT_AS_REQUEST ? "requests" : "limits";
    const struct jr_str resource = jr_policy_copy(c, jr_key(node));
    struct jr_arena *arena = &c->policy->arena;
    struct jr_limit *l = jr_policy_add_limit(
        c, ret, jr_arena_printf(arena, "limits.template.%s[%.*s]", side, JR_P(resource)), path);

    for (size_t i = 0; l != NULL && i < JR_ARRAY_SIZE(container_lists); i++) {
        struct jr_limit *at = i == 0 ? l : add_place(c, ret, l);

        if (at == NULL ||
            !jr_policy_set_path(c, at, JR_LIMIT_OF_SPEC,
                                jr_arena_printf(arena, "template.spec.%s[*].resources.%s[%.*s]",
                                                container_lists[i], side, JR_P(resource))))
            return;
        if (i > 0)
            continue;
        l->as = as;
        l->key = resource;
        jr_policy_compile_entry(c, node, path, JR_SAYS_REQUIRED | JR_SAYS_RANGE, l);
    }
}

static void compile_amounts(struct jr_policy_compiler *c, const struct jr_node *map,
                            const struct jr_field_path *path, enum jr_limit_as as,
                            struct jr_policy_rules *ret)
{
    if (!jr_unset(map) && jr_node_kind(map) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "must be an object");
        return;
    }
    jr_policy_check_count(c, map, RESOURCES_MAX, path);
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
        path);
    if (l == NULL || !jr_policy_set_path(c, l, JR_LIMIT_OF_SPEC, "template.spec.tolerations"))
        return;
    l->as = JR_LIMIT_AS_TOLERATION;
    l->key = key;
    jr_policy_compile_entry(c, node, path, JR_SAYS_REQUIRED, l);
}

static void compile_tolerations(struct jr_policy_compiler *c, const struct jr_node *map,
                                const struct jr_field_path *path, struct jr_policy_rules *ret)
{
    if (!jr_unset(map) && jr_node_kind(map) != JR_OBJECT) {
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "must be an object");
        return;
    }
    jr_policy_check_count(c, map, KEYS_MAX, path);
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
