#include "common/pod/parts.h"
#include "common/rules/members.h"
#include "common/rules/quantity.h"

static bool is_native(struct jr_str name)
{
    return jr_str_find(name, '/') < 0 ||
           memmem(name.p, name.n, "kubernetes.io/", sizeof("kubernetes.io/") - 1) != NULL;
}

static bool is_huge_page(struct jr_str name)
{
    return jr_str_starts(name, JR_S("hugepages-"));
}

/** Outside of kubernetes.io, and a name also with "requests." in front, as quotas write it. */
static bool is_extended(struct jr_str name, struct jr_errlist *errs)
{
    const char *quota;

    if (is_native(name) || jr_str_starts(name, JR_S("requests.")))
        return false;
    quota = jr_arena_printf(errs->arena, "requests.%.*s", JR_P(name));
    if (quota == NULL) {
        errs->failed = JR_NOMEM;
        return false;
    }
    return jr_name_key(jr_str(quota)).n == 0;
}

static bool listed(struct jr_str name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (jr_str_is(name, *names))
            return true;
    }
    return false;
}

/** A name without a slash. */
static void check_standard_name(struct jr_str name, struct jr_str value, bool well_formed,
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    static const char *const of_containers[] = { "cpu", "memory", "ephemeral-storage", NULL };
    static const char *const of_others[] = { "requests.cpu",
                                             "requests.memory",
                                             "requests.ephemeral-storage",
                                             "limits.cpu",
                                             "limits.memory",
                                             "limits.ephemeral-storage",
                                             "pods",
                                             "resourcequotas",
                                             "services",
                                             "secrets",
                                             "replicationcontrollers",
                                             "configmaps",
                                             "storage",
                                             "persistentvolumeclaims",
                                             "requests.storage",
                                             "services.nodeports",
                                             "services.loadbalancers",
                                             NULL };

    if (listed(name, of_containers) || is_huge_page(name))
        return;
    if (well_formed && !listed(name, of_others) &&
        !jr_str_starts(name, JR_S("requests.hugepages-")))
        jr_rule_brokenf(errs, JR_RULE_RESOURCE_NAME, path, value,
                        "must be a standard resource type or fully qualified");
    jr_rule_brokenf(errs, JR_RULE_RESOURCE_NAME, path, value,
                    "must be a standard resource for containers");
}

static void check_resource_name(struct jr_str name, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_faults faults = jr_name_key(name);
    const struct jr_str value = jr_rule_json_str(errs, name);

    for (size_t i = 0; i < faults.n; i++)
        jr_rule_brokenf(errs, JR_RULE_RESOURCE_NAME, path, value, "%s", faults.v[i]);
    if (jr_str_find(name, '/') < 0)
        check_standard_name(name, value, faults.n == 0, path, errs);
    else if (!is_native(name) && !is_extended(name, errs))
        jr_rule_brokenf(errs, JR_RULE_RESOURCE_NAME, path, value,
                        "doesn't follow extended resource name standard");
}

static struct jr_str quantity_text(const struct jr_quantity *q, struct jr_errlist *errs)
{
    JR_BUF b = { 0 };
    struct jr_str kept = JR_S("");

    jr_buf_init(&b, 4 * (size_t)JR_QUANTITY_DIGITS);
    if (jr_quantity_write(q, &b) != JR_OK)
        errs->failed = b.failed;
    else if (!jr_arena_str(errs->arena, jr_buf_str(&b), &kept))
        errs->failed = JR_NOMEM;
    return kept;
}

static void check_quantity(const struct jr_node *member, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    struct jr_quantity q;

    check_resource_name(jr_key(member), path, errs);
    if (jr_quantity_of(member, &q) != JR_OK)
        return; /* an API server refuses it when it decodes */
    if (jr_quantity_sign(&q) < 0)
        jr_rule_broken(errs, JR_RULE_RESOURCE_NEGATIVE, path,
                       jr_errlist_quote(errs, quantity_text(&q, errs)));
    if (is_extended(jr_key(member), errs) && !jr_quantity_whole(&q))
        jr_rule_broken(errs, JR_RULE_RESOURCE_INTEGER, path,
                       jr_rule_json_str(errs, quantity_text(&q, errs)));
}

static void check_request(const struct jr_node *request, const struct jr_members *limits,
                          const struct jr_field_path *requests_path,
                          const struct jr_field_path *limits_path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_key(request);
    const struct jr_node *limit = jr_members_get(limits, name);
    bool overcommit = is_native(name) && !is_huge_page(name);
    struct jr_quantity r, l;
    struct jr_str value, bound;
    int order;

    if (limit == NULL) {
        if (!overcommit)
            jr_rule_broken(errs, JR_RULE_REQUEST_WITHOUT_LIMIT, limits_path, JR_NO_VALUE);
        return;
    }
    if (jr_quantity_of(request, &r) != JR_OK || jr_quantity_of(limit, &l) != JR_OK)
        return;
    order = jr_quantity_cmp(&r, &l);
    if (order == 0 || (overcommit && order < 0))
        return;
    value = jr_errlist_quote(errs, quantity_text(&r, errs));
    bound = quantity_text(&l, errs);
    if (!overcommit)
        jr_rule_brokenf(errs, JR_RULE_REQUEST_NOT_LIMIT, requests_path, value,
                        "must be equal to %.*s limit of %.*s", JR_P(name), JR_P(bound));
    else
        jr_rule_brokenf(errs, JR_RULE_REQUEST_ABOVE_LIMIT, requests_path, value,
                        "must be less than or equal to %.*s limit of %.*s", JR_P(name),
                        JR_P(bound));
}

void jr_pod_check_resources(struct jr_pod_check *p, const struct jr_node *resources,
                            const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const struct jr_node *limits = jr_get(resources, "limits");
    const struct jr_node *requests = jr_get(resources, "requests");
    const struct jr_field_path limits_path = JR_FIELD(path, "limits");
    const struct jr_field_path requests_path = JR_FIELD(path, "requests");
    struct jr_members by_name;

    if (jr_node_kind(limits) != JR_OBJECT)
        limits = NULL;
    if (jr_node_kind(requests) != JR_OBJECT)
        requests = NULL;
    if (!jr_members_init(&by_name, limits, errs->arena)) {
        errs->failed = JR_NOMEM;
        return;
    }
    for (const struct jr_node *m = jr_first(limits); m != NULL; m = jr_next(m)) {
        check_quantity(m, &JR_FIELD_KEY(&limits_path, jr_key(m)), errs);
        if (errs->failed != JR_OK)
            return;
    }
    for (const struct jr_node *m = jr_first(requests); m != NULL; m = jr_next(m)) {
        check_quantity(m, &JR_FIELD_KEY(&requests_path, jr_key(m)), errs);
        check_request(m, &by_name, &requests_path, &limits_path, errs);
        if (errs->failed != JR_OK)
            return;
    }
}
