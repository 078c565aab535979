#include "common/job/semantic.h"

#include "common/rules/quantity.h"

/* Fields by the ends of their paths: a name, or several with dots between. */

/* Scalars that are pointers in Go: zero and absent are two things. Of Jobs and of CronJobs. */
static const char *const pointers[] = {
    /* strings */
    "apiGroup",
    "azureDisk.cachingMode",
    "azureDisk.fsType",
    "azureDisk.kind",
    "clusterTrustBundle.name",
    "clusterTrustBundle.signerName",
    "completionMode",
    "containers.restartPolicy",
    "csi.fsType",
    "dataSourceRef.namespace",
    "ephemeralContainers.restartPolicy",
    "fsGroupChangePolicy",
    "gmsaCredentialSpec",
    "gmsaCredentialSpecName",
    "hostnameOverride",
    "hostPath.type",
    "initContainers.restartPolicy",
    "initiatorName",
    "localhostProfile",
    "managedBy",
    "mountPropagation",
    "nodeAffinityPolicy",
    "nodeTaintsPolicy",
    "onExitCodes.containerName",
    "options.value",
    "podGroupName",
    "podReplacementPolicy",
    "preemptionPolicy",
    "procMount",
    "recursiveReadOnly",
    "resourceClaimName",
    "resourceClaimTemplateName",
    "runAsUserName",
    "runtimeClassName",
    "seLinuxChangePolicy",
    "service",
    "stopSignal",
    "storageClassName",
    "succeededIndexes",
    "supplementalGroupsPolicy",
    "timeZone",
    "volumeAttributesClassName",
    "volumeMode",
    /* numbers and booleans */
    "activeDeadlineSeconds",
    "allowPrivilegeEscalation",
    "automountServiceAccountToken",
    "azureDisk.readOnly",
    "backoffLimit",
    "backoffLimitPerIndex",
    "blockOwnerDeletion",
    "completions",
    "controller",
    "csi.readOnly",
    "defaultMode",
    "deletionGracePeriodSeconds",
    "emptyDir.sizeLimit",
    "enableServiceLinks",
    "expirationSeconds",
    "fc.lun",
    "fsGroup",
    "hostProcess",
    "hostUsers",
    "manualSelector",
    "maxExpirationSeconds",
    "maxFailedIndexes",
    "minDomains",
    "mode",
    "optional",
    "parallelism",
    "priority",
    "privileged",
    "readOnlyRootFilesystem",
    "runAsGroup",
    "runAsNonRoot",
    "runAsUser",
    "setHostnameAsFQDN",
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
    "annotations",
    "containers.resources",
    "ephemeralContainers.resources",
    "initContainers.resources",
    "labels",
    "limits",
    "matchLabels",
    "metadata",
    "nodeSelector",
    "flexVolume.options",
    "overhead",
    "podAffinityTerm",
    "preference",
    "requests",
    "spec",
    "template",
    "userAnnotations",
    "volumeAttributes",
    "volumeClaimTemplate.spec.resources",
};
/* Those of them that are maps: a key counts, whatever its value. */
static const char *const maps[] = {
    "annotations",  "labels",   "limits",   "matchLabels",     "flexVolume.options",
    "nodeSelector", "overhead", "requests", "userAnnotations", "volumeAttributes",
};
/* Maps of quantities, and fields that are one. */
static const char *const quantity_maps[] = { "limits", "requests", "overhead" };
static const char *const quantities[] = { "emptyDir.sizeLimit", "resourceFieldRef.divisor" };

/* A port by its name, even an empty one, is another thing than by its number. */
static const char *const ports[] = { "httpGet.port", "tcpSocket.port" };

/** Where a value is: a member, or an element of the list that has that name. */
struct where {
    const struct where *owner; /* the object around; NULL for the value that was asked for */
    struct jr_str name;
    bool element;
};

/** Whether the path ends with the names of `field`. */
static bool ends_with(const struct where *at, const char *field)
{
    struct jr_str rest = jr_str(field);

    for (; at != NULL; at = at->owner) {
        ptrdiff_t dot = jr_str_rfind(rest, '.');

        if (!jr_str_eq(at->name, jr_str_from(rest, (size_t)(dot + 1))))
            return false;
        if (dot < 0)
            return true;
        rest = jr_str_head(rest, (size_t)dot);
    }
    return false;
}

static bool listed(const struct where *at, const char *const *fields, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ends_with(at, fields[i]))
            return true;
    }
    return false;
}
#define LISTED(at, fields) listed(at, fields, JR_ARRAY_SIZE(fields))

struct compare {
    enum jr_status failed;
};

/** b is NULL where only zero values are equal: an object inside of which nothing is set. */
static bool equal(struct compare *c, const struct where *at, const struct jr_node *a,
                  const struct jr_node *b, bool in_quantities);

/** A quantity that is no pointer: the divisor of a resource, and what is in a map of them. */
static bool is_zero_quantity(const struct where *at, const struct jr_node *n)
{
    struct jr_quantity q;

    return (ends_with(at, "resourceFieldRef.divisor") || LISTED(at->owner, quantity_maps)) &&
           jr_quantity_of(n, &q) == JR_OK && jr_quantity_sign(&q) == 0;
}

static bool is_zero_text(const struct where *at, const struct jr_node *n)
{
    if (is_zero_quantity(at, n))
        return true;
    return jr_node_str(n).n == 0 && !LISTED(at, pointers) && !LISTED(at, ports);
}

/** Whether an unset field at that place would read the same as n. */
static bool is_zero(struct compare *c, const struct where *at, const struct jr_node *n)
{
    int64_t v;

    switch (jr_node_kind(n)) {
    case JR_NULL:
        return true;
    case JR_FALSE:
        return !LISTED(at, pointers);
    case JR_NUMBER:
        return !LISTED(at, pointers) && jr_node_i64(n, &v) == JR_OK && v == 0;
    case JR_STRING:
        return is_zero_text(at, n);
    case JR_ARRAY:
        return jr_size(n) == 0;
    case JR_OBJECT:
        return (at->element || LISTED(at, plain_objects)) && equal(c, at, n, NULL, false);
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
static bool equal_members(struct compare *c, const struct where *object, const struct jr_node *a,
                          const struct jr_node *b)
{
    const struct where at = { .owner = object, .name = jr_key(a != NULL ? a : b) };

    if (LISTED(object, maps))
        return a != NULL && b != NULL && equal(c, &at, a, b, LISTED(object, quantity_maps));
    if (LISTED(&at, service_account))
        return true; /* compared apart */
    if (a != NULL && b != NULL)
        return equal(c, &at, a, b, false);
    return is_zero(c, &at, a != NULL ? a : b);
}

/** Either may be NULL: an object without members. */
static bool equal_objects(struct compare *c, const struct where *at, const struct jr_node *a,
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

static bool equal_arrays(struct compare *c, const struct where *list, const struct jr_node *a,
                         const struct jr_node *b)
{
    const struct where at = { .owner = list->owner, .name = list->name, .element = true };
    const struct jr_node *x = jr_first(a), *y = jr_first(b);

    for (; x != NULL && y != NULL; x = jr_next(x), y = jr_next(y)) {
        if (!equal(c, &at, x, y, false))
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

static bool equal(struct compare *c, const struct where *at, const struct jr_node *a,
                  const struct jr_node *b, bool in_quantities)
{
    const enum jr_kind ka = jr_node_kind(a), kb = jr_node_kind(b);

    if (c->failed != JR_OK)
        return false;
    if (ka == JR_OBJECT && (b == NULL || kb == JR_OBJECT))
        return equal_objects(c, at, a, b);
    if (ka == JR_ARRAY && kb == JR_ARRAY)
        return equal_arrays(c, at, a, b);
    if (ka == JR_NULL || kb == JR_NULL)
        return is_zero(c, at, ka == JR_NULL ? b : a);
    if (in_quantities || LISTED(at, quantities))
        return equal_quantities(a, b);
    return jr_node_equal(a, b);
}

enum jr_status jr_semantic_equal(const struct jr_node *a, const struct jr_node *b, bool *ret)
{
    struct compare c = { JR_OK };
    const struct jr_node *named = a == NULL ? b : a;
    const struct where at = { .name = jr_key(named) };
    bool same = a == NULL || b == NULL ? is_zero(&c, &at, named) : equal(&c, &at, a, b, false);

    if (c.failed == JR_OK)
        *ret = same;
    return c.failed;
}
