#include "common/job/semantic.h"

#include "common/rules/quantity.h"

/* Scalars that are pointers in Go: zero and absent are two things. Those that defaulting always
 * sets are left out. */
static const char *const pointers[] = {
    "activeDeadlineSeconds",
    "allowPrivilegeEscalation",
    "apiGroup",
    "automountServiceAccountToken",
    "backoffLimit",
    "backoffLimitPerIndex",
    "blockOwnerDeletion",
    "completions",
    "controller",
    "defaultMode",
    "deletionGracePeriodSeconds",
    "enableServiceLinks",
    "fsGroup",
    "fsGroupChangePolicy",
    "gmsaCredentialSpec",
    "gmsaCredentialSpecName",
    "hostProcess",
    "hostUsers",
    "hostnameOverride",
    "initiatorName",
    "localhostProfile",
    "managedBy",
    "maxExpirationSeconds",
    "maxFailedIndexes",
    "minDomains",
    "mode",
    "mountPropagation",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "optional",
    "parallelism",
    "podGroupName",
    "preemptionPolicy",
    "priority",
    "privileged",
    "procMount",
    "readOnlyRootFilesystem",
    "recursiveReadOnly",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "runAsUserName",
    "runtimeClassName",
    "seLinuxChangePolicy",
    "service",
    "setHostnameAsFQDN",
    "shareProcessNamespace",
    "stopSignal",
    "storageClassName",
    "succeededCount",
    "succeededIndexes",
    "supplementalGroupsPolicy",
    "suspend",
    "terminationGracePeriodSeconds",
    "tolerationSeconds",
    "ttlSecondsAfterFinished",
    "volumeAttributesClassName",
};
/* The same of names that are pointers in some objects only. */
static const struct {
    const char *owner;
    const char *name;
} owned_pointers[] = {
    { "clusterTrustBundle", "name" },
    { "clusterTrustBundle", "signerName" },
    { "containers", "restartPolicy" },
    { "csi", "fsType" },
    { "csi", "readOnly" },
    { "dataSourceRef", "namespace" },
    { "ephemeralContainers", "restartPolicy" },
    { "fc", "lun" },
    { "initContainers", "restartPolicy" },
    { "onExitCodes", "containerName" },
    { "options", "value" },
};
/* Objects that are maps or plain structs in Go: {} and absent are equal. */
static const char *const plain_objects[] = {
    "annotations", "labels",       "limits",   "matchLabels",     "metadata",
    "options",     "nodeSelector", "overhead", "preference",      "podAffinityTerm",
    "requests",    "resources",    "spec",     "userAnnotations", "volumeAttributes",
};
/* Those of them that are maps: a key counts, whatever its value. */
static const char *const maps[] = {
    "annotations", "labels",   "limits",   "matchLabels",     "nodeSelector",
    "options",     "overhead", "requests", "userAnnotations", "volumeAttributes",
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

/** Where a value stands. */
struct place {
    const struct place *in; /* the object or list around it; NULL: nothing is known */
    struct jr_str name;     /* its key; of an element its list's */
    bool element;
};

static bool is_in(const struct place *at, const char *owner)
{
    return at->in != NULL && jr_str_is(at->in->name, owner);
}

/** Whether zero and absent are two things. */
static bool is_pointer(const struct place *at)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(owned_pointers); i++) {
        if (jr_str_is(at->name, owned_pointers[i].name) && is_in(at, owned_pointers[i].owner))
            return true;
    }
    return LISTED(at->name, pointers);
}

/** A port by its name is another thing than by its number. */
static bool is_port(const struct place *at)
{
    return jr_str_is(at->name, "port") && (is_in(at, "httpGet") || is_in(at, "tcpSocket"));
}

static bool is_map(const struct place *at)
{
    return !at->element && LISTED(at->name, maps);
}

/** Elements are plain structs. Resources of a Pod itself are a pointer; those of containers and
 * claims are not. */
static bool is_plain(const struct place *at)
{
    if (at->element)
        return true;
    if (jr_str_is(at->name, "resources") && is_in(at, "spec"))
        return is_in(at->in, "volumeClaimTemplate");
    return LISTED(at->name, plain_objects);
}

struct compare {
    enum jr_status failed;
};

static bool equal(struct compare *c, const struct place *at, const struct jr_node *a,
                  const struct jr_node *b);

static bool is_quantity(const struct place *at)
{
    return LISTED(at->name, quantities) ||
           (at->in != NULL && is_map(at->in) && LISTED(at->in->name, quantity_maps));
}

static bool is_zero_text(const struct place *at, const struct jr_node *n)
{
    struct jr_quantity q;

    if (is_pointer(at) || is_port(at) || jr_str_is(at->name, "sizeLimit"))
        return false;
    if (is_quantity(at))
        return jr_quantity_of(n, &q) == JR_OK && jr_quantity_sign(&q) == 0;
    return jr_node_str(n).n == 0;
}

/** Whether an unset field there would read the same as n. */
static bool is_zero(struct compare *c, const struct place *at, const struct jr_node *n)
{
    int64_t v;

    switch (jr_node_kind(n)) {
    case JR_NULL:
        return true;
    case JR_FALSE:
        return !is_pointer(at);
    case JR_NUMBER:
        return !is_pointer(at) && !jr_str_is(at->name, "sizeLimit") &&
               jr_node_i64(n, &v) == JR_OK && v == 0;
    case JR_STRING:
        return is_zero_text(at, n);
    case JR_ARRAY:
        return jr_size(n) == 0;
    case JR_OBJECT:
        return is_plain(at) && equal(c, at, n, NULL);
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

/** Whether two members of the same name (one may be NULL) of the object at `in` read the same. */
static bool equal_members(struct compare *c, const struct place *in, const struct jr_node *a,
                          const struct jr_node *b)
{
    const struct place at = { .in = in, .name = jr_key(a != NULL ? a : b) };

    if (is_map(in))
        return a != NULL && b != NULL && equal(c, &at, a, b);
    if (LISTED(at.name, service_account))
        return true; /* compared apart */
    if (a != NULL && b != NULL)
        return equal(c, &at, a, b);
    return is_zero(c, &at, a != NULL ? a : b);
}

/** Either may be NULL: an object without members. */
static bool equal_objects(struct compare *c, const struct place *at, const struct jr_node *a,
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
        if (!equal_members(c, at, order <= 0 ? ma.v[i] : NULL, order >= 0 ? mb.v[k] : NULL))
            return false;
        i += order <= 0;
        k += order >= 0;
    }
    return c->failed == JR_OK && jr_str_eq(account_of(a), account_of(b));
}

static bool equal_arrays(struct compare *c, const struct place *in, const struct jr_node *a,
                         const struct jr_node *b)
{
    const struct place at = { .in = in, .name = in->name, .element = true };
    const struct jr_node *x = jr_first(a), *y = jr_first(b);

    for (; x != NULL && y != NULL; x = jr_next(x), y = jr_next(y)) {
        if (!equal(c, &at, x, y))
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

static bool equal(struct compare *c, const struct place *at, const struct jr_node *a,
                  const struct jr_node *b)
{
    const enum jr_kind ka = jr_node_kind(a), kb = jr_node_kind(b);

    if (c->failed != JR_OK)
        return false;
    if (ka == JR_OBJECT && (kb == JR_OBJECT || (b == NULL && is_plain(at))))
        return equal_objects(c, at, a, b);
    if (ka == JR_ARRAY && kb == JR_ARRAY)
        return equal_arrays(c, at, a, b);
    if (ka == JR_NULL || kb == JR_NULL)
        return is_zero(c, at, ka == JR_NULL ? b : a);
    if (is_quantity(at))
        return equal_quantities(a, b);
    return jr_node_equal(a, b);
}

enum jr_status jr_semantic_equal(const struct jr_node *a, const struct jr_node *b, bool *ret)
{
    struct compare c = { JR_OK };
    const struct place at = { .name = jr_key(a == NULL ? b : a) };
    bool same = equal(&c, &at, a, b);

    if (c.failed == JR_OK)
        *ret = same;
    return c.failed;
}
