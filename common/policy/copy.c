/* SPDX-License-Identifier: Apache-2.0 */
/* Copies into a policy, which outlives its document. */
#include "common/policy/compile.h"

#include "common/rules/selector.h"

void *jr_policy_calloc(struct jr_policy_compiler *c, size_t count, size_t size)
{
    void *p = jr_arena_calloc(&c->policy->arena, count, size);

    if (p == NULL)
        c->errs->failed = JR_NOMEM;
    return p;
}

struct jr_str jr_policy_copy(struct jr_policy_compiler *c, struct jr_str s)
{
    struct jr_str copy = { NULL, 0 };

    if (s.p != NULL && !jr_arena_str(&c->policy->arena, s, &copy))
        c->errs->failed = JR_NOMEM;
    return copy;
}

struct jr_strs jr_policy_copy_strs(struct jr_policy_compiler *c, const struct jr_node *list)
{
    struct jr_strs copy = { jr_policy_calloc(c, jr_size(list), sizeof(*copy.v)), 0 };

    if (copy.v == NULL)
        return copy;
    JR_EACH(s, list)
        copy.v[copy.n++] = jr_policy_copy(c, jr_node_str(s));
    return copy;
}

struct jr_labels jr_policy_copy_map(struct jr_policy_compiler *c, const struct jr_node *map)
{
    struct jr_labels copy = { jr_policy_calloc(c, jr_size(map), sizeof(*copy.v)), 0 };

    if (copy.v == NULL)
        return copy;
    JR_EACH(m, map) {
        copy.v[copy.n++] =
            (struct jr_label){ jr_policy_copy(c, jr_key(m)), jr_policy_copy(c, jr_node_str(m)) };
    }
    return copy;
}

struct jr_selector jr_policy_copy_selector(struct jr_policy_compiler *c, const struct jr_node *node)
{
    const struct jr_node *exprs = jr_get(node, "matchExpressions");
    struct jr_selector s = { .set = !jr_unset(node) };

    if (!s.set)
        return s;
    s.match_labels = jr_policy_copy_map(c, jr_get(node, "matchLabels"));
    s.match_expressions.v = jr_policy_calloc(c, jr_size(exprs), sizeof(*s.match_expressions.v));
    if (s.match_expressions.v == NULL)
        return s;
    JR_EACH(e, exprs) {
        s.match_expressions.v[s.match_expressions.n++] =
            (struct jr_selector_req){ .key = jr_policy_copy(c, jr_get_str(e, "key")),
                                      .op = jr_policy_copy(c, jr_get_str(e, "operator")),
                                      .values = jr_policy_copy_strs(c, jr_get(e, "values")) };
    }
    if (jr_selector_prepare(&s, &c->policy->arena) != JR_OK)
        c->errs->failed = JR_NOMEM;
    return s;
}
