/* SPDX-License-Identifier: Apache-2.0 */
/* Applies JSON Merge Patches. */
#include "common/json/members.h"
#include "common/json/patch.h"
#include "common/json/tree.h"

static enum jr_status merge(cJSON *t, const cJSON *patch);

static enum jr_status merge_new(cJSON *obj, const cJSON *patch)
{
    cJSON *t = jr_tree_new(NULL, cJSON_NULL);
    enum jr_status st = JR_NOMEM;

    if (t != NULL && jr_tree_set_key(t, tree_key(patch)))
        st = merge(t, patch);
    if (st != JR_OK) {
        jr_tree_free(t);
        return st;
    }
    jr_tree_append(obj, t);
    return JR_OK;
}

static enum jr_status merge_members(cJSON *obj, const cJSON *patch, cJSON **removed)
{
    JR_MEMBERS members;
    enum jr_status st = JR_OK;

    jr_members_init(&members, node_of(obj), NULL, &st);
    for (const cJSON *p = patch->child; p != NULL && st == JR_OK; p = p->next) {
        cJSON *old = tree_mut(jr_members_get(&members, tree_key(p)));

        if (NODE_TYPE(p) != cJSON_NULL) {
            st = old != NULL ? merge(old, p) : merge_new(obj, p);
        } else if (old != NULL) {
            jr_tree_unlink(obj, old);
            old->next = *removed;
            *removed = old;
        }
    }
    return st;
}

static enum jr_status merge(cJSON *t, const cJSON *patch)
{
    cJSON *removed = NULL; /* the index still looks at them */
    enum jr_status st;

    if (!is_object(patch))
        return jr_node_assign(node_of(t), node_of_const(patch));
    if (!is_object(t)) {
        jr_tree_clear(t);
        t->type = (t->type & NODE_FLAGS) | cJSON_Object;
    }
    st = merge_members(t, patch, &removed);
    while (removed != NULL) {
        cJSON *next = removed->next;

        jr_tree_free(removed);
        removed = next;
    }
    return st;
}

enum jr_status jr_merge_apply(struct jr_node *node, const struct jr_node *patch)
{
    return merge(tree_mut(node), tree_of(patch));
}
