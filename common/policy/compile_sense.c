/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is valid in a policy and makes no sense: rules that never bind, or that no Job meets.
 */
#include "common/policy/compile.h"

static const struct jr_ceiling *ceiling_of(const struct jr_policy_rules *rules,
                                           enum jr_ceiling_kind kind)
{
    for (size_t i = 0; i < rules->budget.n; i++) {
        if (rules->budget.v[i].kind == kind)
            return &rules->budget.v[i];
    }
    return NULL;
}

static void warn_of_disruptions(struct jr_policy_compiler *c, const struct jr_field_path *path)
{
    const struct jr_policy_rules *rules = &c->policy->rules;
    const bool of_resources = ceiling_of(rules, JR_CEILING_REQUESTS_AT_ONCE) != NULL ||
                              ceiling_of(rules, JR_CEILING_RESOURCE_HOURS) != NULL;
    const struct jr_limit *deadline = jr_policy_limit_of(rules, JR_LIMITED_ACTIVE_DEADLINE);
    const bool ends = ceiling_of(rules, JR_CEILING_RUNTIME) != NULL ||
                      (deadline != NULL && jr_bool_or(deadline->required, false) &&
                       deadline->max.kind != JR_BOUND_NONE);

    if (!of_resources && ceiling_of(rules, JR_CEILING_PODS_EVER) == NULL)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_WITHOUT_EFFECT, path,
                        "has no effect: it is about podsEver, requestsAtOnce and resourceHours, "
                        "of which the budget has none");
    else if (of_resources && !ends)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_DISRUPTIONS, path,
                        "a Job may be disrupted for ever, and nothing bounds what its Pods cost "
                        "that are made again: runtime does");
}

/** Warns where another key covers the ceiling's and allows no more. An exception may lift it. */
static void warn_of_covered(struct jr_policy_compiler *c, const struct jr_ceiling *at)
{
    const struct jr_job_policy *p = c->policy;

    for (size_t i = 0; i < p->rules.budget.n && p->exceptions.n == 0; i++) {
        const struct jr_ceiling *by = &p->rules.budget.v[i];

        if (by != at && by->kind == at->kind && jr_glob_matches(by->resource, at->resource) &&
            jr_quantity_cmp(&at->q, &by->q) >= 0) {
            jr_warnings_add(c->warnings, JR_WARNING_POLICY_WITHOUT_EFFECT, at->rule.path,
                            "has no effect: \"%.*s\", at most %.*s, covers it", JR_P(by->resource),
                            JR_P(by->text));
            return;
        }
    }
}

/** Warns where a field's value is more than the ceiling leaves beside `others`, the least that the
 * Job's other fields add. */
static void warn_beyond(struct jr_policy_compiler *c, const struct jr_ceiling *at, int64_t v,
                        int64_t others, const struct jr_field_path *path)
{
    if (v > at->v - others)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_REFUSES_ALL, path,
                        "with it no Job meets %.*s, %.*s%s", JR_P(at->rule.name), JR_P(at->text),
                        at->kind == JR_CEILING_RUNTIME
                            ? ", which counts the grace period"
                            : ", but one with backoffLimitPerIndex or without Pods");
}

static void warn_of_field(struct jr_policy_compiler *c, enum jr_limited_field field,
                          enum jr_ceiling_kind kind, int64_t others,
                          const struct jr_field_path *defaults)
{
    const struct jr_job_policy *p = c->policy;
    const struct jr_ceiling *at = ceiling_of(&p->rules, kind);
    const struct jr_limit *l = jr_policy_limit_of(&p->rules, field);
    struct jr_field_path room[2];

    if (at != NULL && l != NULL && l->min.kind == JR_BOUND_NUMBER)
        warn_beyond(c, at, l->min.v, others, &JR_FIELD(l->rule.path, "min"));
    for (size_t i = 0; at != NULL && i < p->defaults.n; i++) {
        const struct jr_policy_default *d = &p->defaults.v[i];

        if (d->field == field && (d->overrides || !jr_limited_fields[field].server_default))
            warn_beyond(c, at, d->v, others, jr_limited_rule_path(field, defaults, room));
    }
}

void jr_policy_warn_of_sense(struct jr_policy_compiler *c, const struct jr_field_path *spec)
{
    const struct jr_field_path budget = JR_FIELD(spec, "budget"),
                               defaults = JR_FIELD(spec, "defaults");
    const struct jr_policy_rules *rules = &c->policy->rules;
    const struct jr_limit *grace = jr_policy_limit_of(rules, JR_LIMITED_POD_GRACE);

    if (rules->disruptions_aside)
        warn_of_disruptions(c, &JR_FIELD(&budget, "disruptions"));
    for (size_t i = 0; i < rules->budget.n; i++) {
        const struct jr_ceiling *at = &rules->budget.v[i];

        if (at->kind == JR_CEILING_REQUESTS_AT_ONCE || at->kind == JR_CEILING_RESOURCE_HOURS)
            warn_of_covered(c, at);
        else if (at->v == 0)
            jr_warnings_add(c->warnings, JR_WARNING_POLICY_REFUSES_ALL, at->rule.path,
                            "no Job meets it but one without Pods");
    }
    warn_of_field(c, JR_LIMITED_ACTIVE_DEADLINE, JR_CEILING_RUNTIME,
                  grace == NULL ? 0 : grace->min.v, &defaults);
    warn_of_field(c, JR_LIMITED_BACKOFF_LIMIT, JR_CEILING_PODS_EVER, 1, &defaults);
}
