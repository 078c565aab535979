/* SPDX-License-Identifier: Apache-2.0 */
/* Changes trees: sets, adds and removes members and elements. */
#include "common/json/doc.h"

#include <stdio.h>

#include "common/json/tree.h"

/* Takes t over: the member key of obj is t, or has its contents, from now on. */
static enum jr_status put_member(struct jr_node *obj, struct jr_str key, cJSON *t,
                                 struct jr_node **ret)
{
    cJSON *o = tree_mut(obj), *old = is_object(o) ? jr_tree_member(o, key) : NULL;
    enum jr_status st = JR_OK;

    if (t == NULL)
        return JR_NOMEM;
    if (old != NULL)
        jr_tree_move(old, t);
    else if (!is_object(o))
        st = JR_TYPE;
    else if (o->valueint == INT_MAX)
        st = JR_LIMIT;
    else if (!jr_tree_set_key(t, key))
        st = JR_NOMEM;
    else
        jr_tree_append(o, t);
    if (st != JR_OK || old != NULL)
        jr_tree_free(t);
    if (st == JR_OK && ret != NULL)
        *ret = node_of(old == NULL ? t : old);
    return st;
}

/* Takes t over: the last element of arr is t from now on. */
static enum jr_status push(struct jr_node *arr, cJSON *t, struct jr_node **ret)
{
    cJSON *a = tree_mut(arr);

    if (t == NULL)
        return JR_NOMEM;
    if (!is_array(a) || a->valueint == INT_MAX) {
        jr_tree_free(t);
        return is_array(a) ? JR_LIMIT : JR_TYPE;
    }
    jr_tree_append(a, t);
    if (ret != NULL)
        *ret = node_of(t);
    return JR_OK;
}

static cJSON *new_text(int type, struct jr_str v)
{
    cJSON *t = jr_tree_new(NULL, type);

    if (t == NULL)
        return NULL;
    t->valuestring = jr_tree_dup(NULL, v);
    if (t->valuestring == NULL) {
        jr_tree_free(t);
        return NULL;
    }
    t->valueint = (int)v.n;
    return t;
}

static cJSON *new_i64(int64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof(text), "%lld", (long long)v);

    return new_text(cJSON_Raw, (struct jr_str){ text, (size_t)n });
}

enum jr_status jr_set_strn(struct jr_node *obj, struct jr_str key, struct jr_str v)
{
    return put_member(obj, key, new_text(cJSON_String, v), NULL);
}

enum jr_status jr_set_str(struct jr_node *obj, const char *key, struct jr_str v)
{
    return jr_set_strn(obj, jr_str(key), v);
}

enum jr_status jr_set_i64(struct jr_node *obj, const char *key, int64_t v)
{
    return put_member(obj, jr_str(key), new_i64(v), NULL);
}

enum jr_status jr_set_bool(struct jr_node *obj, const char *key, bool v)
{
    return put_member(obj, jr_str(key), jr_tree_new(NULL, v ? cJSON_True : cJSON_False), NULL);
}

enum jr_status jr_set_null(struct jr_node *obj, const char *key)
{
    return put_member(obj, jr_str(key), jr_tree_new(NULL, cJSON_NULL), NULL);
}

enum jr_status jr_set_object(struct jr_node *obj, const char *key, struct jr_node **ret)
{
    return put_member(obj, jr_str(key), jr_tree_new(NULL, cJSON_Object), ret);
}

enum jr_status jr_set_array(struct jr_node *obj, const char *key, struct jr_node **ret)
{
    return put_member(obj, jr_str(key), jr_tree_new(NULL, cJSON_Array), ret);
}

static cJSON *copy_of(const struct jr_node *v)
{
    return v == NULL ? jr_tree_new(NULL, cJSON_NULL) : jr_tree_copy(NULL, tree_of(v));
}

enum jr_status jr_set_copy(struct jr_node *obj, struct jr_str key, const struct jr_node *v,
                           struct jr_node **ret)
{
    return put_member(obj, key, copy_of(v), ret);
}

static enum jr_status ensure(struct jr_node *obj, const char *key, int type, struct jr_node **ret)
{
    struct jr_node *old = jr_get(obj, key);

    if (jr_unset(old))
        return put_member(obj, jr_str(key), jr_tree_new(NULL, type), ret);
    if (NODE_TYPE(tree_of(old)) != type)
        return JR_TYPE;
    if (ret != NULL)
        *ret = old;
    return JR_OK;
}

enum jr_status jr_ensure_object(struct jr_node *obj, const char *key, struct jr_node **ret)
{
    return ensure(obj, key, cJSON_Object, ret);
}

enum jr_status jr_ensure_array(struct jr_node *obj, const char *key, struct jr_node **ret)
{
    return ensure(obj, key, cJSON_Array, ret);
}

enum jr_status jr_push_str(struct jr_node *arr, struct jr_str v)
{
    return push(arr, new_text(cJSON_String, v), NULL);
}

enum jr_status jr_push_object(struct jr_node *arr, struct jr_node **ret)
{
    return push(arr, jr_tree_new(NULL, cJSON_Object), ret);
}

enum jr_status jr_insert_copy(struct jr_node *arr, size_t i, const struct jr_node *v,
                              struct jr_node **ret)
{
    cJSON *a = tree_mut(arr), *t;

    if (!is_array(a))
        return JR_TYPE;
    if (i > (size_t)a->valueint)
        return JR_RANGE;
    t = copy_of(v);
    if (i == (size_t)a->valueint || t == NULL)
        return push(arr, t, ret);
    jr_tree_insert(a, jr_tree_element(a, i), t);
    if (ret != NULL)
        *ret = node_of(t);
    return JR_OK;
}

static enum jr_status assign(struct jr_node *node, cJSON *t)
{
    if (t == NULL)
        return JR_NOMEM;
    jr_tree_move(tree_mut(node), t);
    jr_tree_free(t);
    return JR_OK;
}

enum jr_status jr_node_assign(struct jr_node *node, const struct jr_node *v)
{
    return assign(node, copy_of(v));
}

enum jr_status jr_node_assign_str(struct jr_node *node, struct jr_str v)
{
    return assign(node, new_text(cJSON_String, v));
}

void jr_remove_child(struct jr_node *parent, struct jr_node *child)
{
    jr_tree_unlink(tree_mut(parent), tree_mut(child));
    jr_tree_free(tree_mut(child));
}

void jr_remove(struct jr_node *obj, struct jr_str key, bool *ret_was)
{
    struct jr_node *old = jr_getn(obj, key);

    if (ret_was != NULL)
        *ret_was = old != NULL;
    if (old != NULL)
        jr_remove_child(obj, old);
}
