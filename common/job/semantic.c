#include "common/job/semantic.h"

#include "common/rules/quantity.h"

/* Scalars that are pointers in Go: zero and absent are two things. Those that defaulting always
 * sets, in a CronJob's template too, are left out. */
static const char *const pointers[] = {
    /* strings */
    "completionMode",
    "containerName",
    "hostnameOverride",
    "managedBy",
    "podReplacementPolicy",
    "preemptionPolicy",
    "restartPolicyRules",
    "runtimeClassName",
    "service",
    "setHostnameAsFQDN",
    "storageClassName",
    "subPathExpr",
    "succeededIndexes",
    "timeZone",
    "value",
    "volumeAttributesClassName",
    /* numbers and booleans */
    "activeDeadlineSeconds",
    "allowPrivilegeEscalation",
    "automountServiceAccountToken",
    "backoffLimit",
    "backoffLimitPerIndex",
    "completions",
    "deletionGracePeriodSeconds",
    "enableServiceLinks",
    "fsGroup",
    "hostUsers",
    "manualSelector",
    "maxFailedIndexes",
    "minDomains",
    "mode",
    "optional",
    "parallelism",
    "priority",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "shareProcessNamespace",
    "startingDeadlineSeconds",
    "succeededCount",
    "suspend",
    "terminationGracePeriodSeconds",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
};
/* Objects that are maps or plain structs in Go: {} and absent are equal. */
static const char *const plain_objects[] = {
    "annotations", "labels",   "limits",   "matchLabels", "metadata", "nodeSelector",
    "options",     "overhead", "requests", "resources",   "spec",     "volumeAttributes",
};
/* Those of them that are maps: a key counts, whatever its value. */
static const char *const maps[] = {
    "annotations", "labels",   "limits",   "matchLabels",      "nodeSelector",
    "options",     "overhead", "requests", "volumeAttributes",
};
/* Maps of quantities, and fields that are one. */
static const char *const quantity_maps[] = { "limits", "requests", "overhead" };
static const char *const quantities[] = { "sizeLimit", "divisor" };

static bool listed(struct jr_str name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (jr_str_is(name, names[i]))
            return true;
    }
    return false;
}
#define LISTED(name, names) listed(name, names, JR_ARRAY_SIZE(names))

struct compare {
    enum jr_status failed;
};

static bool equal(struct compare *c, struct jr_str name, const struct jr_node *a,
                  const struct jr_node *b, bool in_quantities);

/** Whether an unset field called name would read the same as n. */
static bool is_zero(struct compare *c, struct jr_str name, const struct jr_node *n)
{
    int64_t v;

    switch (jr_node_kind(n)) {
    case JR_NULL:
        return true;
    case JR_FALSE:
        return !LISTED(name, pointers);
    case JR_NUMBER:
        return !LISTED(name, pointers) && jr_node_i64(n, &v) == JR_OK && v == 0;
    case JR_STRING:
        return !LISTED(name, pointers) && jr_node_str(n).n == 0;
    case JR_ARRAY:
        return jr_size(n) == 0;
    case JR_OBJECT:
        return LISTED(name, plain_objects) && equal(c, name, n, NULL, false);
    case JR_TRUE:
        break;
    }
    return false;
}

/** The members of an object, sorted by key. */
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

static struct jr_str account_of(const struct jr_node *object)
{
    struct jr_str s = jr_get_str(object, service_account[0]);

    return s.n > 0 ? s : jr_get_str(object, service_account[1]);
}

/** Whether two members of the same name (one may be NULL) of an object read the same. */
static bool equal_members(struct compare *c, struct jr_str object, const struct jr_node *a,
                          const struct jr_node *b)
{
    const struct jr_str name = jr_key(a != NULL ? a : b);

    if (LISTED(object, maps))
        return a != NULL && b != NULL && equal(c, name, a, b, LISTED(object, quantity_maps));
    if (LISTED(name, service_account))
        return true; /* compared apart */
    if (a != NULL && b != NULL)
        return equal(c, name, a, b, false);
    return is_zero(c, name, a != NULL ? a : b);
}

/** Either may be NULL: an object without members. */
static bool equal_objects(struct compare *c, struct jr_str name, const struct jr_node *a,
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
        if (!equal_members(c, name, order <= 0 ? ma.v[i] : NULL, order >= 0 ? mb.v[k] : NULL))
            return false;
        i += order <= 0;
        k += order >= 0;
    }
    return c->failed == JR_OK && jr_str_eq(account_of(a), account_of(b));
}

static bool equal_arrays(struct compare *c, const struct jr_node *a, const struct jr_node *b)
{
    const struct jr_node *x = jr_first(a), *y = jr_first(b);

    for (; x != NULL && y != NULL; x = jr_next(x), y = jr_next(y)) {
        if (!equal(c, (struct jr_str){ NULL, 0 }, x, y, false))
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

static bool equal(struct compare *c, struct jr_str name, const struct jr_node *a,
                  const struct jr_node *b, bool in_quantities)
{
    const enum jr_kind ka = jr_node_kind(a), kb = jr_node_kind(b);

    if (c->failed != JR_OK)
        return false;
    if (ka == JR_OBJECT && (kb == JR_OBJECT || (b == NULL && LISTED(name, plain_objects))))
        return equal_objects(c, name, a, b);
    if (ka == JR_ARRAY && kb == JR_ARRAY)
        return equal_arrays(c, a, b);
    if (ka == JR_NULL || kb == JR_NULL)
        return is_zero(c, name, ka == JR_NULL ? b : a);
    if (in_quantities || LISTED(name, quantities))
        return equal_quantities(a, b);
    return jr_node_equal(a, b);
}

enum jr_status jr_semantic_equal(const struct jr_node *a, const struct jr_node *b, bool *ret)
{
    struct compare c = { JR_OK };
    const struct jr_node *named = a == NULL ? b : a;
    bool same = equal(&c, jr_key(named), a, b, false);

    if (c.failed == JR_OK)
        *ret = same;
    return c.failed;
}
