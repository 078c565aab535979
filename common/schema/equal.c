/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of two trees by their type. */
#include "common/schema/equal.h"

#include "common/json/members.h"
#include "common/schema/quantity.h"

/* What is known of a value. */
struct value {
    enum jr_schema_kind kind;
    bool pointer;
    const struct jr_schema_type *type; /* of STRUCT and LIST */
};

/* f may be NULL: a field that isn't known. */
static struct value value_of(const struct jr_schema_field *f)
{
    return f == NULL ? (struct value){ .kind = JR_SCHEMA_ANY }
                     : (struct value){ f->kind, f->pointer, f->of };
}

/* What a list or map has. */
static struct value element_of(struct value v)
{
    enum jr_schema_kind kind = JR_SCHEMA_ANY;

    if (v.kind == JR_SCHEMA_LIST)
        kind = JR_SCHEMA_STRUCT;
    else if (v.kind == JR_SCHEMA_QUANTITIES)
        kind = JR_SCHEMA_QUANTITY;
    else if (v.kind == JR_SCHEMA_STRINGS || v.kind == JR_SCHEMA_STRING_MAP)
        kind = JR_SCHEMA_STRING;
    return (struct value){ .kind = kind, .type = v.type };
}

static bool is_map(struct value v)
{
    return v.kind == JR_SCHEMA_STRING_MAP || v.kind == JR_SCHEMA_QUANTITIES;
}

static bool equal(struct value v, const struct jr_node *a, const struct jr_node *b);
static bool equal_objects(struct value v, const struct jr_node *a, const struct jr_node *b);

static bool is_zero_scalar(struct value v, const struct jr_node *n)
{
    struct jr_quantity q;
    int64_t i;

    if (v.pointer)
        return false;
    if (v.kind == JR_SCHEMA_QUANTITY && jr_quantity_of(n, &q) == JR_OK)
        return jr_quantity_sign(&q) == 0;
    if (jr_node_kind(n) == JR_NUMBER)
        return jr_node_i64(n, &i) == JR_OK && i == 0;
    /* A port by its name, even an empty one, is another thing than by its number. */
    return jr_node_kind(n) == JR_STRING && jr_node_str(n).n == 0 &&
           v.kind != JR_SCHEMA_INT_OR_STRING;
}

/* Whether an unset field would read the same as n. */
static bool is_zero(struct value v, const struct jr_node *n)
{
    switch (jr_node_kind(n)) {
    case JR_NULL:
        return true;
    case JR_FALSE:
        return !v.pointer;
    case JR_NUMBER:
    case JR_STRING:
        return is_zero_scalar(v, n);
    case JR_ARRAY:
        return jr_size(n) == 0;
    case JR_OBJECT:
        if (is_map(v))
            return jr_size(n) == 0;
        return v.kind == JR_SCHEMA_STRUCT && !v.pointer && equal_objects(v, n, NULL);
    case JR_TRUE:
        break;
    }
    return false;
}

/* Two names of one field of a PodSpec; the first one wins. */
static const char *const service_account[] = { "serviceAccountName", "serviceAccount" };

static struct jr_str account_of(const struct jr_node *pod_spec)
{
    struct jr_str s = jr_get_str(pod_spec, service_account[0]);

    return s.n > 0 ? s : jr_get_str(pod_spec, service_account[1]);
}

/* Whether two members of the same name (one may be NULL) of an object read the same. */
static bool equal_members(struct value object, const struct jr_node *a, const struct jr_node *b)
{
    const struct jr_str key = jr_key(a != NULL ? a : b);
    struct value v;

    if (is_map(object)) /* a key counts, whatever its value */
        return a != NULL && b != NULL && equal(element_of(object), a, b);
    if (object.type == &jr_schema_pod_spec &&
        (jr_str_is(key, service_account[0]) || jr_str_is(key, service_account[1])))
        return true; /* compared apart */
    v = value_of(object.type == NULL ? NULL : jr_schema_find(object.type, key, NULL));
    if (a != NULL && b != NULL)
        return equal(v, a, b);
    return is_zero(v, a != NULL ? a : b);
}

/* Either may be NULL: an object without members. */
static bool equal_objects(struct value v, const struct jr_node *a, const struct jr_node *b)
{
    JR_MEMBERS in_a;
    JR_MEMBERS in_b;

    jr_members_init(&in_a, a, NULL, NULL);
    jr_members_init(&in_b, b, NULL, NULL);
    for (const struct jr_node *m = jr_first(a); m != NULL; m = jr_next(m)) {
        if (!equal_members(v, m, jr_members_get(&in_b, jr_key(m))))
            return false;
    }
    for (const struct jr_node *m = jr_first(b); m != NULL; m = jr_next(m)) {
        if (jr_members_get(&in_a, jr_key(m)) == NULL && !equal_members(v, NULL, m))
            return false;
    }
    return v.type != &jr_schema_pod_spec || jr_str_eq(account_of(a), account_of(b));
}

static bool equal_arrays(struct value list, const struct jr_node *a, const struct jr_node *b)
{
    const struct value element = element_of(list);
    const struct jr_node *x = jr_first(a), *y = jr_first(b);

    for (; x != NULL && y != NULL; x = jr_next(x), y = jr_next(y)) {
        if (!equal(element, x, y))
            return false;
    }
    return x == NULL && y == NULL;
}

static bool equal_quantities(const struct jr_node *a, const struct jr_node *b)
{
    struct jr_quantity x, y;

    if (jr_quantity_of(a, &x) != JR_OK || jr_quantity_of(b, &y) != JR_OK)
        return jr_node_equal(a, b);
    return jr_quantity_cmp(&x, &y) == 0;
}

static bool equal(struct value v, const struct jr_node *a, const struct jr_node *b)
{
    const enum jr_kind ka = jr_node_kind(a), kb = jr_node_kind(b);

    if (ka == JR_OBJECT && kb == JR_OBJECT)
        return equal_objects(v, a, b);
    if (ka == JR_ARRAY && kb == JR_ARRAY)
        return equal_arrays(v, a, b);
    if (ka == JR_NULL || kb == JR_NULL)
        return is_zero(v, ka == JR_NULL ? b : a);
    if (v.kind == JR_SCHEMA_QUANTITY)
        return equal_quantities(a, b);
    return jr_node_equal(a, b);
}

bool jr_schema_equal(const struct jr_schema_type *type, const char *name, const struct jr_node *a,
                     const struct jr_node *b)
{
    struct value v = value_of(type == NULL ? NULL : jr_schema_find(type, jr_str(name), NULL));

    if (a != NULL && b != NULL)
        return equal(v, a, b);
    return (a == NULL && b == NULL) || is_zero(v, a != NULL ? a : b);
}

bool jr_schema_is_zero(const struct jr_schema_field *f, const struct jr_node *n)
{
    return is_zero(value_of(f), n);
}
