#include "common/pod/pod_parts.h"
#include "common/pod/selector.h"

static void check_policy(const struct jr_node *policy, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    const struct jr_str s = jr_node_str(policy);

    if (!jr_unset(policy) && !jr_str_is(s, "Honor") && !jr_str_is(s, "Ignore"))
        jr_violation_enum(errs, JR_RULE_SPREAD_POLICY, path, s);
}

static void check_min_domains(const struct jr_node *constraint, struct jr_str action,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_node *node = jr_get(constraint, "minDomains");
    const int64_t v = jr_node_i64_or(node, 0);

    if (jr_unset(node))
        return;
    if (v <= 0)
        jr_violation_int(errs, JR_RULE_SPREAD_MIN_DOMAINS, path, v);
    if (!jr_str_is(action, "DoNotSchedule"))
        jr_rule_brokenf(errs, JR_RULE_SPREAD_MIN_DOMAINS_ACTION, path, jr_errlist_int(errs, v),
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
        o->spread_match_keys_merge ? !o->old_match_keys_broken : o->old_match_keys_broken_early;

    if (o->spread_match_keys && merged)
        jr_pod_check_match_keys(keys, NULL, selector, path, p->errs);
    else
        jr_pod_check_match_keys_early(keys, selector, &JR_FIELD(path, "matchLabelKeys"), p->errs);
}

static void check_constraint(struct jr_pod_check *p, const struct jr_node *constraint,
                             const char *repeated, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    const int64_t skew = jr_node_i64_or(jr_get(constraint, "maxSkew"), 0);
    const struct jr_str action = jr_get_str(constraint, "whenUnsatisfiable");

    if (skew <= 0)
        jr_violation_int(errs, JR_RULE_SPREAD_SKEW, &JR_FIELD(path, "maxSkew"), skew);
    if (jr_get_str(constraint, "topologyKey").n == 0)
        jr_violation(errs, JR_RULE_TOPOLOGY_KEY_REQUIRED, &JR_FIELD(path, "topologyKey"));
    if (!jr_str_is(action, "DoNotSchedule") && !jr_str_is(action, "ScheduleAnyway"))
        jr_violation_enum(errs, JR_RULE_SPREAD_ACTION, &JR_FIELD(path, "whenUnsatisfiable"),
                          action);
    if (repeated != NULL)
        jr_violation_text(errs, JR_RULE_SPREAD_TWICE,
                          &JR_FIELD(path, "{topologyKey, whenUnsatisfiable}"), jr_str(repeated));
    check_min_domains(constraint, action, &JR_FIELD(path, "minDomains"), errs);
    check_policy(jr_get(constraint, "nodeAffinityPolicy"), &JR_FIELD(path, "nodeAffinityPolicy"),
                 errs);
    check_policy(jr_get(constraint, "nodeTaintsPolicy"), &JR_FIELD(path, "nodeTaintsPolicy"), errs);
    check_match_keys(p, constraint, path);
    if (!p->opts->spread_any_selector)
        jr_pod_check_selector(jr_get(constraint, "labelSelector"), false,
                              &JR_FIELD(path, "labelSelector"), errs);
}

/** What makes each constraint one of its kind, where there is another one later. */
static const char **list_repeated(const struct jr_node *constraints, struct jr_errlist *errs)
{
    const char **kinds = jr_arena_calloc(errs->arena, jr_size(constraints), sizeof(*kinds));
    struct jr_texts seen = JR_TEXTS(errs);
    size_t n = 0;

    if (kinds == NULL) {
        errs->failed = JR_NOMEM;
        return NULL;
    }
    JR_EACH(c, constraints)
        kinds[n++] = JR_FORMAT(errs, "{%.*s, %.*s}", JR_P(jr_get_str(c, "topologyKey")),
                               JR_P(jr_get_str(c, "whenUnsatisfiable")));
    while (n-- > 0) {
        if (jr_texts_add(&seen, jr_str(kinds[n])))
            kinds[n] = NULL;
    }
    return kinds;
}

void jr_pod_check_spread(struct jr_pod_check *p, const struct jr_field_path *pod_path)
{
    const struct jr_node *constraints = jr_get(p->spec, "topologySpreadConstraints");
    const char **repeated = list_repeated(constraints, p->errs);

    JR_EACH_AT(c, constraints, &JR_FIELD(pod_path, "topologySpreadConstraints"), p->errs)
        check_constraint(p, c.node, repeated[c.path.index], &c.path);
}
