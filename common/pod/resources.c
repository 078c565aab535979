/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of requests and limits. */
#include "common/json/members.h"
#include "common/pod/parts.h"
#include "common/pod/requests.h"
#include "common/schema/quantity.h"

#define HUGE_PAGES "hugepages-"
#define MILLI (-3)
#define PER_MILLI 1000

static bool is_native(struct jr_str name)
{
    return jr_str_find(name, '/') < 0 ||
           memmem(name.p, name.n, "kubernetes.io/", sizeof("kubernetes.io/") - 1) != NULL;
}

static bool is_huge_page(struct jr_str name)
{
    return jr_str_starts(name, JR_S(HUGE_PAGES));
}

/** Outside of kubernetes.io, and a name also with "requests." in front, as quotas write it. */
static bool is_extended(struct jr_str name, struct jr_errlist *errs)
{
    return !is_native(name) && !jr_str_starts(name, JR_S("requests.")) &&
           jr_name_key(JR_FORMAT(errs, "requests.%.*s", JR_P(name))).n == 0;
}

/** Counted, not measured. */
static bool is_integer(struct jr_str name, struct jr_errlist *errs)
{
    static const char *const counted[] = { "pods",
                                           "resourcequotas",
                                           "services",
                                           "replicationcontrollers",
                                           "secrets",
                                           "configmaps",
                                           "persistentvolumeclaims",
                                           "services.nodeports",
                                           "services.loadbalancers",
                                           NULL };

    return jr_one_of(name, counted) || is_extended(name, errs);
}

static bool is_of_containers(struct jr_str name)
{
    static const char *const names[] = { "cpu", "memory", "ephemeral-storage", NULL };

    return jr_one_of(name, names) || is_huge_page(name);
}

/** Whether a name without a slash is one that Kubernetes has, for anything. */
static bool is_standard(struct jr_str name)
{
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

    return is_of_containers(name) || jr_one_of(name, of_others) ||
           jr_str_starts(name, JR_S("requests.hugepages-"));
}

bool jr_pod_may_request(struct jr_str name)
{
    if (jr_name_key(name).n > 0 || jr_str_find(name, '/') < 0)
        return is_of_containers(name);
    return is_native(name) || !jr_str_starts(name, JR_S("requests."));
}

/** Whether it is a name for any resource. */
static bool check_any_name(struct jr_str name, struct jr_str value,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_name_errors faults = jr_name_key(name);

    for (size_t i = 0; i < faults.n; i++)
        jr_rule_violatedf(errs, JR_RULE_RESOURCE_NAME, path, value, "%s", faults.v[i]);
    if (faults.n > 0 || jr_str_find(name, '/') >= 0 || is_standard(name))
        return faults.n == 0;
    jr_rule_violatedf(errs, JR_RULE_RESOURCE_NAME, path, value,
                      "must be a standard resource type or fully qualified");
    return false;
}

static void check_container_name(struct jr_str name, const struct jr_field_path *path,
                                 struct jr_errlist *errs)
{
    const struct jr_str value = jr_rule_json_str(errs, name);

    (void)check_any_name(name, value, path, errs);
    if (jr_str_find(name, '/') < 0) {
        if (!is_of_containers(name))
            jr_rule_violatedf(errs, JR_RULE_RESOURCE_NAME, path, value,
                              "must be a standard resource for containers");
    } else if (!is_native(name) && !is_extended(name, errs)) {
        jr_rule_violatedf(errs, JR_RULE_RESOURCE_NAME, path, value,
                          "doesn't follow extended resource name standard");
    }
}

static void check_pod_name(struct jr_str name, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    static const char *const supported[] = { "cpu", "memory", NULL };
    const struct jr_str value = jr_rule_json_str(errs, name);

    if (check_any_name(name, value, path, errs) && !jr_one_of(name, supported) &&
        !(is_huge_page(name) && jr_kube_has(errs->version, JR_CHANGE_POD_HUGE_PAGES)))
        jr_rule_violated(errs, JR_RULE_POD_RESOURCE_NAME, path, value);
}

struct jr_str jr_pod_quantity_text(const struct jr_quantity *q, struct jr_errlist *errs)
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

static bool is_exact(struct jr_kube_version version)
{
    return jr_kube_has(version, JR_CHANGE_WHOLE_QUANTITIES_EXACT);
}

/** Whether it is a number of whole pages. Where upstream would divide by zero, it is not. */
static bool is_whole_pages(struct jr_str page, const struct jr_quantity *q,
                           struct jr_kube_version version)
{
    struct jr_quantity size;
    int64_t bytes;

    if (jr_quantity_parse(page, &size) != JR_OK || jr_quantity_sign(&size) <= 0 ||
        jr_quantity_scaled(&size, MILLI) % PER_MILLI != 0)
        return false;
    if (is_exact(version) && (!jr_quantity_fits(&size, MILLI) || !jr_quantity_fits(q, 0)))
        return false;
    bytes = jr_quantity_scaled(&size, 0);
    return bytes != 0 && (bytes == -1 || jr_quantity_scaled(q, 0) % bytes == 0);
}

static void check_pages(struct jr_str name, const struct jr_quantity *q, bool indivisible,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_str text;

    if (!is_huge_page(name) || indivisible ||
        is_whole_pages(jr_str_from(name, sizeof(HUGE_PAGES) - 1), q, errs->version))
        return;
    text = jr_pod_quantity_text(q, errs);
    jr_rule_violatedf(errs, JR_RULE_HUGE_PAGES_MULTIPLE, path, jr_errlist_quote(errs, text),
                      "%.*s is not positive integer multiple of %.*s", JR_P(text), JR_P(name));
}

/** Up to a tenth of a thousandth may be missing. */
static bool is_integer_value(const struct jr_quantity *q, struct jr_kube_version version)
{
    const bool in_milli = jr_quantity_scaled(q, MILLI) % PER_MILLI == 0;

    return is_exact(version) ? jr_quantity_whole(q) || (jr_quantity_fits(q, MILLI) && in_milli)
                             : in_milli;
}

static void check_quantity(const struct jr_node *member, const struct jr_quantity *q,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (jr_quantity_sign(q) < 0)
        jr_violation_text(errs, JR_RULE_RESOURCE_NEGATIVE, path, jr_pod_quantity_text(q, errs));
    if (is_integer(jr_key(member), errs) && !is_integer_value(q, errs->version))
        jr_violation_enum(errs, JR_RULE_RESOURCE_INTEGER, path, jr_pod_quantity_text(q, errs));
}

/** A request against its limit. Compared with a wide one, r becomes wide too. */
static void check_request(const struct jr_node *request, struct jr_quantity *r,
                          const struct jr_members *limits,
                          const struct jr_field_path *requests_path,
                          const struct jr_field_path *limits_path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_key(request);
    const struct jr_node *limit = jr_members_get(limits, name);
    const struct jr_field_path request_path = JR_FIELD_HIDDEN(requests_path, name);
    const bool overcommit = is_native(name) && !is_huge_page(name);
    struct jr_quantity l;
    struct jr_str value, bound;
    int order;

    if (limit == NULL) {
        if (!overcommit)
            jr_violation(errs, JR_RULE_REQUEST_WITHOUT_LIMIT, limits_path);
        return;
    }
    if (jr_quantity_of(limit, &l) != JR_OK)
        return;
    r->wide = r->wide || l.wide;
    order = jr_quantity_cmp(r, &l);
    if (order == 0 || (overcommit && order < 0))
        return;
    value = jr_errlist_quote(errs, jr_pod_quantity_text(r, errs));
    bound = jr_pod_quantity_text(&l, errs);
    if (!overcommit)
        jr_rule_violatedf(errs, JR_RULE_REQUEST_NOT_LIMIT, &request_path, value,
                          "must be equal to %.*s limit of %.*s", JR_P(name), JR_P(bound));
    else
        jr_rule_violatedf(errs, JR_RULE_REQUEST_ABOVE_LIMIT, &request_path, value,
                          "must be less than or equal to %.*s limit of %.*s", JR_P(name),
                          JR_P(bound));
}

/** Requirements while they are validated. */
struct requirements {
    struct jr_pod_check *p;
    void (*check_name)(struct jr_str name, const struct jr_field_path *path,
                       struct jr_errlist *errs);
    struct jr_members limits;
    struct jr_field_path limits_path;
    struct jr_field_path requests_path;
    bool cpu_or_memory; /* there are some of these */
    bool huge_pages;
};

static bool init(struct requirements *r, const struct jr_node *limits,
                 const struct jr_field_path *path)
{
    r->limits_path = JR_FIELD(path, "limits");
    r->requests_path = JR_FIELD(path, "requests");
    jr_members_init(&r->limits, jr_node_kind(limits) == JR_OBJECT ? limits : NULL,
                    r->p->errs->arena, &r->p->errs->failed);
    return jr_errlist_going(r->p->errs);
}

/** Limits, or requests. */
static void check_list(struct requirements *r, const struct jr_node *list, bool requests)
{
    static const char *const computed[] = { "cpu", "memory", NULL };
    const struct jr_field_path *path = requests ? &r->requests_path : &r->limits_path;
    struct jr_errlist *errs = r->p->errs;

    if (jr_node_kind(list) != JR_OBJECT)
        return;
    JR_EACH_GOING(m, list, errs) {
        const struct jr_field_path at = JR_FIELD_KEY(path, jr_key(m));
        struct jr_quantity q;

        r->cpu_or_memory |= jr_one_of(jr_key(m), computed);
        r->huge_pages |= is_huge_page(jr_key(m));
        r->check_name(jr_key(m), &at, errs);
        if (jr_quantity_of(m, &q) != JR_OK)
            continue; /* an API server refuses it when it decodes */
        check_quantity(m, &q, &at, errs);
        if (requests)
            check_request(m, &q, &r->limits, path, &r->limits_path, errs);
        check_pages(jr_key(m), &q, r->p->opts->indivisible_huge_pages, &at, errs);
    }
}

static void check_alone(const struct requirements *r, const struct jr_field_path *path)
{
    if (r->huge_pages && !r->cpu_or_memory)
        jr_violation(r->p->errs, JR_RULE_HUGE_PAGES_ALONE, path);
}

static void check_requirements(struct requirements *r, const struct jr_node *resources,
                               const struct jr_field_path *path)
{
    const struct jr_node *limits = jr_get(resources, "limits");

    if (!init(r, limits, path))
        return;
    check_list(r, limits, false);
    check_list(r, jr_get(resources, "requests"), true);
    check_alone(r, path);
    jr_pod_check_claims(r->p, jr_get(resources, "claims"), &JR_FIELD(path, "claims"));
}

void jr_pod_check_resources(struct jr_pod_check *p, const struct jr_node *resources,
                            const struct jr_field_path *path)
{
    struct requirements r = { .p = p, .check_name = check_container_name };

    check_requirements(&r, resources, path);
}

void jr_pod_check_pod_requirements(struct jr_pod_check *p, const struct jr_node *resources,
                                   const struct jr_field_path *path)
{
    struct requirements r = { .p = p, .check_name = check_pod_name };

    check_requirements(&r, resources, path);
}

void jr_pod_check_limits(struct jr_pod_check *p, const struct jr_node *limits,
                         const struct jr_field_path *path)
{
    struct requirements r = { .p = p, .check_name = check_container_name };

    if (!init(&r, limits, path))
        return;
    check_list(&r, limits, false);
    check_alone(&r, path);
}

bool jr_pod_has_bad_hugepages(const struct jr_node *quantities, struct jr_kube_version version)
{
    JR_EACH(m, quantities) {
        struct jr_quantity q;

        if (is_huge_page(jr_key(m)) && jr_quantity_of(m, &q) == JR_OK &&
            !is_whole_pages(jr_str_from(jr_key(m), sizeof(HUGE_PAGES) - 1), &q, version))
            return true;
    }
    return false;
}
