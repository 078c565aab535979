/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two trees are equal. */
#include "common/base/num.h"
#include "common/json/members.h"
#include "common/json/tree.h"

static bool tree_equal(const cJSON *a, const cJSON *b);

static bool numbers_equal(const cJSON *a, const cJSON *b)
{
    int64_t x, y;

    if (jr_str_eq(tree_text(a), tree_text(b)))
        return true;
    return jr_node_i64(node_of_const(a), &x) == JR_OK &&
           jr_node_i64(node_of_const(b), &y) == JR_OK && x == y;
}

static bool arrays_equal(const cJSON *a, const cJSON *b)
{
    const cJSON *y = b->child;

    if (a->valueint != b->valueint)
        return false;
    for (const cJSON *x = a->child; x != NULL; x = x->next, y = y->next) {
        if (!tree_equal(x, y))
            return false;
    }
    return true;
}

/* The rest of two objects, from x on, whose order differs. Both have as many members, and keys are
 * unique: each member of a having its equal in b is enough. */
static bool unordered_equal(const cJSON *x, const cJSON *b)
{
    JR_MEMBERS members;

    jr_members_init(&members, node_of_const(b), NULL, NULL);
    for (; x != NULL; x = x->next) {
        const cJSON *y = tree_of(jr_members_get(&members, tree_key(x)));

        if (y == NULL || !tree_equal(x, y))
            return false;
    }
    return true;
}

static bool objects_equal(const cJSON *a, const cJSON *b)
{
    const cJSON *x = a->child, *y = b->child;

    if (a->valueint != b->valueint)
        return false;
    /* Mostly the order is the same. */
    for (; x != NULL; x = x->next, y = y->next) {
        if (!jr_str_eq(tree_key(x), tree_key(y)))
            return unordered_equal(x, b);
        if (!tree_equal(x, y))
            return false;
    }
    return true;
}

static bool tree_equal(const cJSON *a, const cJSON *b)
{
    if (NODE_TYPE(a) != NODE_TYPE(b))
        return false;
    switch (NODE_TYPE(a)) {
    case cJSON_Raw:
        return numbers_equal(a, b);
    case cJSON_String:
        return jr_str_eq(tree_text(a), tree_text(b));
    case cJSON_Array:
        return arrays_equal(a, b);
    case cJSON_Object:
        return objects_equal(a, b);
    default:
        return true;
    }
}

bool jr_node_equal(const struct jr_node *a, const struct jr_node *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return tree_equal(tree_of(a), tree_of(b));
}
