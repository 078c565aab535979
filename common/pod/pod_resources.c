/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a Pod's own resources. */
#include "common/json/members.h"
#include "common/pod/parts.h"
#include "common/pod/requests.h"

/* ---- what the containers ask for together ---- */

/** What the Pod has of its own of a resource that its containers ask for. False: it is not to be
 * looked at. */
static bool own_quantity(const struct jr_members *own, struct jr_str name, bool optional,
                         struct jr_quantity *ret)
{
    const struct jr_node *q = jr_members_get(own, name);

    *ret = (struct jr_quantity){ 0 };
    return q == NULL ? !optional : jr_quantity_of(q, ret) == JR_OK;
}

/** prefix: of the names that count, "" for all; optional: those that the Pod leaves out don't. */
static void check_sums(struct jr_pod_check *p, const char *side, struct jr_str prefix,
                       bool optional, enum jr_rule rule, const struct jr_field_path *path)
{
    const struct jr_field_path side_path = JR_FIELD(path, side);
    struct jr_errlist *errs = p->errs;
    struct jr_pod_amounts all, of;
    struct jr_members own;

    if (jr_pod_amounts_gather(p->spec, side, false, errs->arena, &all) != JR_OK) {
        errs->failed = JR_NOMEM;
        return;
    }
    jr_members_init(&own, jr_get(jr_get(p->spec, "resources"), side), errs->arena, &errs->failed);
    for (size_t i = 0; i < all.n && jr_errlist_going(errs); i += of.n) {
        const struct jr_str name = all.v[i].name;
        struct jr_quantity q, sum;

        of = jr_pod_amounts_of(&all, name);
        if (!jr_str_starts(name, prefix) || !own_quantity(&own, name, optional, &q) ||
            !jr_pod_amounts_sum(&of, &sum) || jr_quantity_cmp(&sum, &q) <= 0)
            continue;
        jr_rule_violatedf(errs, rule, &JR_FIELD_KEY(&side_path, name),
                          jr_errlist_quote(errs, jr_pod_quantity_text(&q, errs)),
                          "must be greater than or equal to aggregate container %s of %.*s", side,
                          JR_P(jr_pod_quantity_text(&sum, errs)));
    }
}

/* ---- one container's limits ---- */

static void check_limit(const struct jr_node *limit, const struct jr_members *own,
                        const struct jr_field_path *container, struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD_KEY(container, jr_key(limit));
    const struct jr_node *bound = jr_members_get(own, jr_key(limit));
    struct jr_quantity q, max;

    if (bound == NULL || jr_quantity_of(limit, &q) != JR_OK ||
        jr_quantity_of(bound, &max) != JR_OK || jr_quantity_cmp(&q, &max) <= 0)
        return;
    jr_rule_violatedf(errs, JR_RULE_POD_LIMIT_TOO_LOW, &JR_FIELD(&at, "limits"),
                      jr_errlist_quote(errs, jr_pod_quantity_text(&q, errs)),
                      "must be less than or equal to pod limits of %.*s",
                      JR_P(jr_pod_quantity_text(&max, errs)));
}

static void check_limits(struct jr_pod_check *p, const struct jr_node *own,
                         const struct jr_field_path *path)
{
    const struct jr_field_path list = JR_FIELD(path, "containers"); /* below resources: sic */
    struct jr_members limits;

    jr_members_init(&limits, own, p->errs->arena, &p->errs->failed);
    JR_EACH_AT(c, jr_get(p->spec, "containers"), &list, p->errs) {
        const struct jr_node *m = jr_first(jr_get(jr_get(c.node, "resources"), "limits"));

        for (; m != NULL && jr_errlist_going(p->errs); m = jr_next(m))
            check_limit(m, &limits, &c.path, p->errs);
    }
}

/* ---- the whole ---- */

void jr_pod_check_own_resources(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *resources = jr_get(p->spec, "resources");
    const struct jr_field_path at = JR_FIELD(path, "resources");

    if (!p->opts->pod_level_resources || jr_unset(resources))
        return;
    if (jr_rule_exists(JR_RULE_POD_RESOURCES_WINDOWS, p->errs->version) &&
        jr_str_is(jr_get_str(jr_get(p->spec, "os"), "name"), "windows")) {
        jr_violation(p->errs, JR_RULE_POD_RESOURCES_WINDOWS, &at);
        return;
    }
    if (!jr_unset(jr_get(resources, "claims")))
        jr_violation(p->errs, JR_RULE_POD_RESOURCES_CLAIMS, &JR_FIELD(&at, "claims"));
    jr_pod_check_pod_requirements(p, resources, &at);
    check_sums(p, "requests", JR_S(""),
               jr_kube_has(p->errs->version, JR_CHANGE_POD_REQUESTS_MAY_BE_ABSENT),
               JR_RULE_POD_REQUEST_TOO_LOW, &at);
    check_sums(p, "limits", JR_S("hugepages-"), true, JR_RULE_POD_HUGE_PAGES_TOO_LOW, &at);
    check_limits(p, jr_get(resources, "limits"), &at);
}
