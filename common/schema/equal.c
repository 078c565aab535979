/* Comparison of two trees by their type. */
#include "common/schema/equal.h"

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

struct compare {
    enum jr_status failed;
};

static bool equal(struct compare *c, struct value v, const struct jr_node *a,
                  const struct jr_node *b);
static bool equal_objects(struct compare *c, struct value v, const struct jr_node *a,
                          const struct jr_node *b);

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
static bool is_zero(struct compare *c, struct value v, const struct jr_node *n)
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
        return v.kind == JR_SCHEMA_STRUCT && !v.pointer && equal_objects(c, v, n, NULL);
    case JR_TRUE:
        break;
    }
    return false;
}

/* The members of an object, sorted by key. */
struct members {
    const struct jr_node **v;
    size_t n;
};

static void members_done(struct members *m)
{
    free(m->v);
}

static int by_key(const void *a, const void *b)
{
    return jr_str_cmp(jr_key(*(const struct jr_node *const *)a),
                      jr_key(*(const struct jr_node *const *)b));
}

static bool members_of(struct compare *c, const struct jr_node *object, struct members *ret)
{
    size_t n = jr_size(object);

    ret->v = reallocarray(NULL, n + 1, sizeof(*ret->v));
    if (ret->v == NULL) {
        c->failed = JR_NOMEM;
        return false;
    }
    for (const struct jr_node *m = jr_first(object); m != NULL && ret->n < n; m = jr_next(m))
        ret->v[ret->n++] = m;
    qsort(ret->v, ret->n, sizeof(*ret->v), by_key);
    return true;
}

/* Two names of one field of a PodSpec; the first one wins. */
static const char *const service_account[] = { "serviceAccountName", "serviceAccount" };

static struct jr_str account_of(const struct jr_node *pod_spec)
{
    struct jr_str s = jr_get_str(pod_spec, service_account[0]);

    return s.n > 0 ? s : jr_get_str(pod_spec, service_account[1]);
}

/* Whether two members of the same name (one may be NULL) of an object read the same. */
static bool equal_members(struct compare *c, struct value object, const struct jr_node *a,
                          const struct jr_node *b)
{
    const struct jr_str key = jr_key(a != NULL ? a : b);
    struct value v;

    if (is_map(object)) /* a key counts, whatever its value */
        return a != NULL && b != NULL && equal(c, element_of(object), a, b);
    if (object.type == &jr_schema_pod_spec &&
        (jr_str_is(key, service_account[0]) || jr_str_is(key, service_account[1])))
        return true; /* compared apart */
    v = value_of(object.type == NULL ? NULL : jr_schema_find(object.type, key, NULL));
    if (a != NULL && b != NULL)
        return equal(c, v, a, b);
    return is_zero(c, v, a != NULL ? a : b);
}

/* Either may be NULL: an object without members. */
static bool equal_objects(struct compare *c, struct value v, const struct jr_node *a,
                          const struct jr_node *b)
{
    JR_CLEANUP(members_done) struct members ma = { 0 };
    JR_CLEANUP(members_done) struct members mb = { 0 };
    size_t i = 0, k = 0;

    if (!members_of(c, a, &ma) || !members_of(c, b, &mb))
        return false;
    while (i < ma.n || k < mb.n) {
        int order;

        if (i == ma.n)
            order = 1;
        else
            order = k == mb.n ? -1 : by_key(&ma.v[i], &mb.v[k]);
        if (!equal_members(c, v, order <= 0 ? ma.v[i] : NULL, order >= 0 ? mb.v[k] : NULL))
            return false;
        i += order <= 0;
        k += order >= 0;
    }
    return v.type != &jr_schema_pod_spec || jr_str_eq(account_of(a), account_of(b));
}

static bool equal_arrays(struct compare *c, struct value list, const struct jr_node *a,
                         const struct jr_node *b)
{
    const struct value element = element_of(list);
    const struct jr_node *x = jr_first(a), *y = jr_first(b);

    for (; x != NULL && y != NULL; x = jr_next(x), y = jr_next(y)) {
        if (!equal(c, element, x, y))
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

static bool equal(struct compare *c, struct value v, const struct jr_node *a,
                  const struct jr_node *b)
{
    const enum jr_kind ka = jr_node_kind(a), kb = jr_node_kind(b);

    if (ka == JR_OBJECT && kb == JR_OBJECT)
        return equal_objects(c, v, a, b);
    if (ka == JR_ARRAY && kb == JR_ARRAY)
        return equal_arrays(c, v, a, b);
    if (ka == JR_NULL || kb == JR_NULL)
        return is_zero(c, v, ka == JR_NULL ? b : a);
    if (v.kind == JR_SCHEMA_QUANTITY)
        return equal_quantities(a, b);
    return jr_node_equal(a, b);
}

enum jr_status jr_schema_equal(const struct jr_schema_type *type, const char *name,
                               const struct jr_node *a, const struct jr_node *b, bool *ret)
{
    struct compare c = { JR_OK };
    struct value v = value_of(type == NULL ? NULL : jr_schema_find(type, jr_str(name), NULL));
    bool same;

    if (a != NULL && b != NULL)
        same = equal(&c, v, a, b);
    else
        same = (a == NULL && b == NULL) || is_zero(&c, v, a != NULL ? a : b);
    if (c.failed == JR_OK)
        *ret = same;
    return c.failed;
}
