/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of topologySpreadConstraints. */
#include "common/pod/pod_parts.h"
#include "common/pod/selector.h"

static void check_min_domains(struct jr_pod_check *p, const struct jr_node *constraint,
                              const struct jr_field_path *path)
{
    const struct jr_node *node = jr_get(constraint, "minDomains");
    const struct jr_str action = jr_get_str(constraint, "whenUnsatisfiable");

    if (!jr_unset(node) && !jr_str_is(action, "DoNotSchedule"))
        jr_rule_violatedf(p->errs, JR_RULE_SPREAD_MIN_DOMAINS_ACTION, &JR_FIELD(path, "minDomains"),
                          jr_errlist_int(p->errs, jr_node_i64_or(node, 0)),
                          "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not %.*s",
                          JR_P(action));
}

static void check_match_keys(struct jr_pod_check *p, const struct jr_node *constraint,
                             const struct jr_field_path *path)
{
    const struct jr_pod_opts *o = p->opts;
    const struct jr_node *keys = jr_get(constraint, "matchLabelKeys");
    const struct jr_node *selector = jr_get(constraint, "labelSelector");
    bool merged =
        o->spread_match_keys_merge ? !o->old_match_keys_violated : o->old_match_keys_violated_early;

    if (o->spread_match_keys && merged)
        jr_pod_check_match_keys(keys, NULL, selector, path, p->errs);
    else
        jr_pod_check_match_keys_early(keys, selector, &JR_FIELD(path, "matchLabelKeys"), p->errs);
}

static void check_selector(struct jr_pod_check *p, const struct jr_node *constraint,
                           const struct jr_field_path *path)
{
    if (!p->opts->spread_any_selector)
        jr_pod_check_selector(jr_get(constraint, "labelSelector"), false,
                              &JR_FIELD(path, "labelSelector"), p->errs);
}

static const char *const actions[] = { "DoNotSchedule", "ScheduleAnyway", NULL };
static const char *const policies[] = { "Honor", "Ignore", NULL };

static const struct jr_field_rule first_rules[] = {
    JR_RANGE(JR_ALWAYS, "maxSkew", SPREAD_SKEW, 1, INT64_MAX),
    JR_REQUIRED("topologyKey", TEXT, TOPOLOGY_KEY_REQUIRED),
    JR_KNOWN(JR_ALWAYS, "whenUnsatisfiable", SPREAD_ACTION, actions),
    { .name = NULL },
};
static const struct jr_field_rule last_rules[] = {
    JR_RANGE(JR_IF_SET, "minDomains", SPREAD_MIN_DOMAINS, 1, INT64_MAX),
    JR_OBJECT_BY(check_min_domains),
    JR_KNOWN(JR_IF_SET, "nodeAffinityPolicy", SPREAD_POLICY, policies),
    JR_KNOWN(JR_IF_SET, "nodeTaintsPolicy", SPREAD_POLICY, policies),
    JR_OBJECT_BY(check_match_keys),
    JR_OBJECT_BY(check_selector),
    { .name = NULL },
};

static void check_constraint(struct jr_pod_check *p, const struct jr_node *constraint,
                             struct jr_str repeated, const struct jr_field_path *path)
{
    jr_pod_check_fields(p, first_rules, constraint, path);
    if (repeated.p != NULL)
        jr_violation_text(p->errs, JR_RULE_SPREAD_TWICE,
                          &JR_FIELD(path, "{topologyKey, whenUnsatisfiable}"), repeated);
    jr_pod_check_fields(p, last_rules, constraint, path);
}

/** What makes each constraint one of its kind, where there is another one later. */
static struct jr_str *list_repeated(const struct jr_node *constraints, struct jr_errlist *errs)
{
    struct jr_str *kinds = jr_arena_calloc(errs->arena, jr_size(constraints), sizeof(*kinds));
    struct jr_string_set seen = JR_STRING_SET(errs);
    size_t n = 0;

    if (kinds == NULL) {
        errs->failed = JR_NOMEM;
        return NULL;
    }
    JR_EACH(c, constraints)
        kinds[n++] = JR_FORMAT(errs, "{%.*s, %.*s}", JR_P(jr_get_str(c, "topologyKey")),
                               JR_P(jr_get_str(c, "whenUnsatisfiable")));
    while (n-- > 0) {
        if (jr_string_set_add(&seen, kinds[n]))
            kinds[n] = JR_NO_VALUE;
    }
    return kinds;
}

void jr_pod_check_spread(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    const struct jr_node *constraints = jr_get(p->spec, "topologySpreadConstraints");
    const struct jr_str *repeated = list_repeated(constraints, p->errs);

    JR_EACH_AT(c, constraints, &JR_FIELD(pod_path, "topologySpreadConstraints"), p->errs)
        check_constraint(p, c.node, repeated[c.path.index], &c.path);
}
