/* SPDX-License-Identifier: Apache-2.0 */
/* What the Job's template asks of nodes, and what the nodes that are seen have. */
#include "common/diagnose/nodes.h"

/** What a container asks for of a resource; zero: nothing. */
static struct jr_quantity request_of(const struct jr_node *c, struct jr_str resource)
{
    const struct jr_node *n = jr_getn(jr_path(c, "resources.requests"), resource);
    struct jr_quantity one = { .n = 0 };

    n = n != NULL ? n : jr_getn(jr_path(c, "resources.limits"), resource);
    if (n != NULL && jr_quantity_of(n, &one) != JR_OK)
        one = (struct jr_quantity){ .n = 0 };
    return one;
}

struct jr_str jr_request_of(struct question *q, struct jr_str resource, struct jr_quantity *sum)
{
    const struct jr_node *spec = jr_path(q->root, "spec.template.spec");
    struct jr_quantity one;
    JR_BUF out = { 0 };

    *sum = (struct jr_quantity){ .n = 0 };
    for (const struct jr_node *c = jr_first(jr_get(spec, "containers")); c != NULL;
         c = jr_next(c)) {
        one = request_of(c, resource);
        if (!jr_quantity_add(sum, &one))
            return JR_S("");
    }
    for (const struct jr_node *c = jr_first(jr_get(spec, "initContainers")); c != NULL;
         c = jr_next(c)) {
        one = request_of(c, resource);
        if (jr_str_is(jr_get_str(c, "restartPolicy"), "Always")) {
            if (!jr_quantity_add(sum, &one))
                return JR_S("");
        } else if (jr_quantity_cmp(&one, sum) > 0) {
            *sum = one;
        }
    }
    if (sum->n == 0)
        return JR_S("");
    jr_buf_init(&out, JR_BUF_BY_INPUT);
    jr_must(jr_quantity_write(sum, &out));
    return jr_xarena_str(q->arena, jr_buf_str(&out));
}

struct jr_str jr_largest_node(struct question *q, struct jr_str resource, struct jr_quantity *most)
{
    const struct jr_object_view *node;
    struct jr_str text = JR_S("");
    size_t at = 0;

    while ((node = jr_evidence_each(q->ev, "Node", (struct jr_str){ NULL, 0 }, &at)) != NULL) {
        const struct jr_node *n = jr_getn(jr_path(node->root, "status.allocatable"), resource);
        struct jr_quantity has;

        if (n == NULL || jr_quantity_of(n, &has) != JR_OK)
            continue;
        if (text.n == 0 || jr_quantity_cmp(&has, most) > 0) {
            *most = has;
            text = jr_node_str(n);
        }
    }
    return text;
}

static struct jr_str label_of(const struct jr_object_view *node, struct jr_str key)
{
    return jr_node_str(jr_getn(jr_path(node->root, "metadata.labels"), key));
}

/** Whether the node has all labels of the Pod's node selector. Affinity isn't looked at. */
static bool matches(const struct question *q, const struct jr_object_view *node)
{
    for (const struct jr_node *l = jr_first(jr_path(q->root, "spec.template.spec.nodeSelector"));
         l != NULL; l = jr_next(l)) {
        if (!jr_str_eq(label_of(node, jr_key(l)), jr_node_str(l)))
            return false;
    }
    return true;
}

/** Whether a toleration of the template covers the taint. */
static bool tolerates(const struct question *q, const struct jr_node *taint)
{
    for (const struct jr_node *t = jr_first(jr_path(q->root, "spec.template.spec.tolerations"));
         t != NULL; t = jr_next(t)) {
        const struct jr_str key = jr_get_str(t, "key"), effect = jr_get_str(t, "effect");
        const bool exists = jr_str_is(jr_get_str(t, "operator"), "Exists");

        if (effect.n > 0 && !jr_str_eq(effect, jr_get_str(taint, "effect")))
            continue;
        if (key.n == 0
                ? exists
                : jr_str_eq(key, jr_get_str(taint, "key")) &&
                      (exists || jr_str_eq(jr_get_str(t, "value"), jr_get_str(taint, "value"))))
            return true;
    }
    return false;
}

/** A taint of the node that keeps the Pod away, NULL: none does. */
static const struct jr_node *untolerated(const struct question *q,
                                         const struct jr_object_view *node)
{
    for (const struct jr_node *t = jr_first(jr_path(node->root, "spec.taints")); t != NULL;
         t = jr_next(t)) {
        if (!jr_str_is(jr_get_str(t, "effect"), "PreferNoSchedule") && !tolerates(q, t))
            return t;
    }
    return NULL;
}

/** Whether the node is a control plane's: no Pod is meant for it. */
static bool is_control_plane(const struct jr_object_view *node)
{
    static const char *const keys[] = { "node-role.kubernetes.io/control-plane",
                                        "node-role.kubernetes.io/master" };

    for (const struct jr_node *t = jr_first(jr_path(node->root, "spec.taints")); t != NULL;
         t = jr_next(t)) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(keys); i++) {
            if (jr_str_is(jr_get_str(t, "key"), keys[i]))
                return true;
        }
    }
    return false;
}

/** Whether a node that isn't a control plane's matches. */
static bool has_workers(const struct question *q)
{
    const struct jr_object_view *node;
    size_t at = 0;

    while ((node = jr_evidence_each(q->ev, "Node", (struct jr_str){ NULL, 0 }, &at)) != NULL) {
        if (matches(q, node) && !is_control_plane(node))
            return true;
    }
    return false;
}

struct jr_picked_nodes jr_picked_nodes(struct question *q)
{
    const struct jr_object_view *node;
    struct jr_picked_nodes p = { .n = 0, .names = JR_S("") };
    const bool workers = has_workers(q);
    bool free_one = false;
    size_t at = 0;

    while ((node = jr_evidence_each(q->ev, "Node", (struct jr_str){ NULL, 0 }, &at)) != NULL) {
        const struct jr_node *taint = untolerated(q, node);

        if (!matches(q, node) || (workers && is_control_plane(node)))
            continue;
        free_one |= taint == NULL;
        p.taint = taint != NULL ? taint : p.taint;
        if (p.n++ < 3)
            p.names = jr_text(q, "%.*s%s%.*s", JR_P(p.names), p.names.n > 0 ? ", " : "",
                              JR_P(node->name));
    }
    if (p.n > 3)
        p.names = jr_text(q, "%.*s and %zu more", JR_P(p.names), p.n - 3);
    p.taint = free_one ? NULL : p.taint;
    return p;
}

bool jr_some_node_has(struct question *q, struct jr_str resource, bool without)
{
    struct jr_quantity sum, most;

    if (jr_request_of(q, resource, &sum).n == 0 || jr_largest_node(q, resource, &most).n == 0)
        return without;
    return jr_quantity_cmp(&sum, &most) <= 0;
}

struct jr_str jr_selector_words(struct question *q, struct jr_str *ret_key)
{
    struct jr_str text = JR_S("");

    *ret_key = (struct jr_str){ NULL, 0 };
    for (const struct jr_node *l = jr_first(jr_path(q->root, "spec.template.spec.nodeSelector"));
         l != NULL; l = jr_next(l)) {
        const struct jr_object_view *node;
        bool had = false;
        size_t at = 0;

        text = jr_text(q, "%.*s%s%.*s=%.*s", JR_P(text), text.n > 0 ? ", " : "", JR_P(jr_key(l)),
                       JR_P(jr_node_str(l)));
        while ((node = jr_evidence_each(q->ev, "Node", (struct jr_str){ NULL, 0 }, &at)) != NULL)
            had |= jr_str_eq(label_of(node, jr_key(l)), jr_node_str(l));
        if (!had && ret_key->n == 0)
            *ret_key = jr_key(l);
    }
    return text;
}

struct jr_taint jr_taint_of(struct question *q, const struct jr_node *node)
{
    struct jr_taint t = { .key = jr_get_str(node, "key"),
                          .value = jr_get_str(node, "value"),
                          .effect = jr_get_str(node, "effect") };

    t.words = jr_text(q, "%.*s%s%.*s:%.*s", JR_P(t.key), t.value.n > 0 ? "=" : "", JR_P(t.value),
                      JR_P(t.effect));
    return t;
}
