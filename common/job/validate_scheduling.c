/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of spec.scheduling (KEP-5547), which Jobs and the Jobs of CronJobs have since 1.37.
 * Source: docs/reference/versions.md. */
#include "common/base/string_set.h"
#include "common/job/validate_parts.h"
#include "common/schema/equal.h"

#define CLAIMS_MAX 4
#define TOPOLOGY_MAX 1

/* ---- rules that run on every update, too ---- */

/** Both are set in this spec. */
static bool names_group(const struct jr_node *spec)
{
    return !jr_unset(jr_get(spec, "scheduling")) &&
           !jr_unset(jr_path(spec, "template.spec.schedulingGroup"));
}

static void check_min_count(const struct jr_job_spec *s, const struct jr_node *policy,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path gang = JR_FIELD(path, "gang");
    const struct jr_node *count = jr_path(policy, "gang.minCount");
    const int32_t parallelism = jr_i32_or(s->parallelism, 1);
    const int64_t v = jr_node_i64_or(count, 0);

    if (!jr_unset(count) && v > parallelism)
        jr_rule_violatedf(errs, JR_RULE_SCHEDULING_MIN_COUNT_PARALLELISM,
                          &JR_FIELD(&gang, "minCount"), jr_errlist_int(errs, v),
                          "must not be greater than parallelism (%d)", (int)parallelism);
}

/** Whether the version asks nothing more of a spec that is as it was. */
static bool is_unchanged(const struct jr_node *node, const struct jr_node *was,
                         const struct jr_errlist *errs)
{
    return was != NULL && jr_kube_has(errs->version, JR_CHANGE_STORED_SCHEDULING_STAYS) &&
           jr_schema_equal(&jr_schema_job, "spec", node, was);
}

void jr_validate_scheduling(const struct jr_job_spec *s, const struct jr_node *node,
                            const struct jr_node *was, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    const struct jr_node *scheduling = jr_get(node, "scheduling");
    const struct jr_node *policy = jr_get(scheduling, "schedulingPolicy");
    const struct jr_node *disruption = jr_get(scheduling, "disruptionMode");
    /* Of both members the first one counts; of none the default, which is basic. */
    const bool basic = !jr_unset(jr_get(policy, "basic")) || jr_unset(jr_get(policy, "gang"));
    const bool all = jr_unset(jr_get(disruption, "single")) && !jr_unset(jr_get(disruption, "all"));

    if (jr_unset(scheduling))
        return;
    check_min_count(s, policy, &JR_FIELD(path, "schedulingPolicy"), errs);
    if (names_group(node) && !names_group(was))
        jr_violation(errs, JR_RULE_SCHEDULING_WITH_GROUP, path);
    if (basic && all && !is_unchanged(node, was, errs))
        jr_violation_text(errs, JR_RULE_SCHEDULING_DISRUPTION_BASIC,
                          &JR_FIELD(path, "disruptionMode"), JR_S(""));
}

void jr_validate_scheduling_variant(const struct jr_node *now, const struct jr_node *was,
                                    const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_node *policy = jr_get(now, "schedulingPolicy");
    const struct jr_node *old = jr_get(was, "schedulingPolicy");

    if (jr_unset(policy) || jr_unset(old))
        return;
    if (jr_unset(jr_get(policy, "basic")) != jr_unset(jr_get(old, "basic")))
        jr_rule_violated(errs, JR_RULE_SCHEDULING_VARIANT, &JR_FIELD(path, "schedulingPolicy"),
                         JR_S("null"));
}

/* ---- declarative rules: of what has changed ---- */

/** A field that comes and goes with its object. False: something is wrong. */
static bool check_set_once(const struct jr_pair *p, enum jr_rule set, enum jr_rule unset,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    const bool now = !jr_unset(p->now), was = !jr_unset(p->was);

    if (!p->update || now == was)
        return true;
    jr_rule_violated(errs, now ? set : unset, path, JR_S("null"));
    return false;
}

/** A struct of which one of two members is to be set. */
struct union_rule {
    const char *first, *second;
    enum jr_rule none, both;
};

/** Where the same members were set before, nothing is said. */
static void check_union(const struct union_rule *u, const struct jr_pair *p,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const bool first = !jr_unset(jr_get(p->now, u->first));
    const bool second = !jr_unset(jr_get(p->now, u->second));

    if (p->update && !jr_unset(p->was) && first == !jr_unset(jr_get(p->was, u->first)) &&
        second == !jr_unset(jr_get(p->was, u->second)))
        return;
    if (!first && !second)
        jr_rule_violatedf(errs, u->none, path, JR_S("\"\""), "must specify one of: `%s`, `%s`",
                          u->first, u->second);
    if (first && second)
        jr_rule_violatedf(errs, u->both, path, JR_FORMAT(errs, "\"{%s, %s}\"", u->first, u->second),
                          "must specify exactly one of: `%s`, `%s`", u->first, u->second);
}

static void check_policy(const struct jr_pair *p, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    static const struct union_rule one = { "basic", "gang", JR_RULE_SCHEDULING_POLICY_NONE,
                                           JR_RULE_SCHEDULING_POLICY_BOTH };
    const struct jr_field_path gang = JR_FIELD(path, "gang");
    const struct jr_node *count = jr_path(p->now, "gang.minCount");
    const struct jr_node *old = jr_path(p->was, "gang.minCount");
    const int64_t v = jr_node_i64_or(count, 0);

    if (!check_set_once(p, JR_RULE_SCHEDULING_POLICY_SET, JR_RULE_SCHEDULING_POLICY_UNSET, path,
                        errs) ||
        jr_unset(p->now))
        return;
    check_union(&one, p, path, errs);
    if (!jr_unset(count) && v < 1 && (jr_unset(old) || jr_node_i64_or(old, 0) != v))
        jr_violation_int(errs, JR_RULE_SCHEDULING_MIN_COUNT, &JR_FIELD(&gang, "minCount"), v);
}

static void check_constraints(const struct jr_pair *p, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    const struct jr_field_path topology = JR_FIELD(path, "topology");
    const struct jr_node *list = jr_get(p->now, "topology");

    if (jr_size(list) > TOPOLOGY_MAX) {
        jr_violation_int(errs, JR_RULE_SCHEDULING_TOPOLOGY_LIMIT, &topology,
                         (int64_t)jr_size(list));
        return;
    }
    JR_EACH_AT(e, list, &topology, errs) {
        const struct jr_field_path key = JR_FIELD(&e.path, "key");
        const struct jr_str s = jr_get_str(e.node, "key");

        if (s.n == 0)
            jr_violation_text(errs, JR_RULE_SCHEDULING_TOPOLOGY_KEY_REQUIRED, &key, s);
        else
            jr_validate_name(errs, JR_RULE_SCHEDULING_TOPOLOGY_KEY, &key, s, jr_name_key);
    }
}

static void check_disruption(const struct jr_pair *p, const struct jr_field_path *path,
                             struct jr_errlist *errs)
{
    static const struct union_rule one = { "single", "all", JR_RULE_SCHEDULING_DISRUPTION_NONE,
                                           JR_RULE_SCHEDULING_DISRUPTION_BOTH };

    check_union(&one, p, path, errs);
}

static void check_claim_twice(const struct jr_node *list, const struct jr_element *e,
                              struct jr_errlist *errs)
{
    for (const struct jr_node *c = jr_first(list); c != e->node; c = jr_next(c)) {
        if (jr_str_eq(jr_get_str(c, "name"), jr_get_str(e->node, "name"))) {
            jr_violation_shown(errs, JR_RULE_SCHEDULING_CLAIM_TWICE, &e->path,
                               &jr_schema_job_scheduling, "resourceClaims", e->node);
            return;
        }
    }
}

/** Declarative rules count in bytes, and say so. */
static struct jr_name_errors in_bytes(struct jr_name_errors faults)
{
    static const char *const words[][2] = {
        { "must be no more than 253 characters", "must be no more than 253 bytes" },
        { "must be no more than 63 characters", "must be no more than 63 bytes" },
    };

    for (size_t i = 0; i < faults.n; i++) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(words); k++) {
            if (strcmp(faults.v[i], words[k][0]) == 0)
                faults.v[i] = words[k][1];
        }
    }
    return faults;
}

static struct jr_name_errors short_name(struct jr_str s)
{
    return in_bytes(jr_name_dns_label(s));
}

static struct jr_name_errors long_name(struct jr_str s)
{
    return in_bytes(jr_name_subdomain(s));
}

static void check_claim(const struct jr_element *e, struct jr_errlist *errs)
{
    static const struct union_rule one = { "resourceClaimName", "resourceClaimTemplateName",
                                           JR_RULE_SCHEDULING_CLAIM_NONE,
                                           JR_RULE_SCHEDULING_CLAIM_BOTH };
    static const char *const references[] = { "resourceClaimName", "resourceClaimTemplateName" };
    const struct jr_field_path name = JR_FIELD(&e->path, "name");
    const struct jr_str s = jr_get_str(e->node, "name");

    check_union(&one, &(const struct jr_pair){ .now = e->node }, &e->path, errs);
    if (s.n == 0)
        jr_violation_text(errs, JR_RULE_SCHEDULING_CLAIM_NAME_REQUIRED, &name, s);
    else
        jr_validate_name(errs, JR_RULE_SCHEDULING_CLAIM_NAME, &name, s, short_name);
    for (size_t i = 0; i < JR_ARRAY_SIZE(references); i++) {
        const struct jr_node *reference = jr_get(e->node, references[i]);

        if (!jr_unset(reference))
            jr_validate_name(errs, JR_RULE_SCHEDULING_CLAIM_REFERENCE,
                             &JR_FIELD(&e->path, references[i]), jr_node_str(reference), long_name);
    }
}

static void check_claims(const struct jr_pair *p, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    if (jr_size(p->now) > CLAIMS_MAX) {
        jr_violation_int(errs, JR_RULE_SCHEDULING_CLAIMS_LIMIT, path, (int64_t)jr_size(p->now));
        return;
    }
    JR_EACH_AT(e, p->now, path, errs)
        check_claim_twice(p->now, &e, errs);
    JR_EACH_AT(e, p->now, path, errs)
        check_claim(&e, errs);
}

static void check_blocks(const struct jr_pair *scheduling, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    static const struct {
        const char *name;
        void (*check)(const struct jr_pair *p, const struct jr_field_path *path,
                      struct jr_errlist *errs);
        bool immutable;
        enum jr_rule rule;
    } blocks[] = {
        { "schedulingPolicy", check_policy, false, JR_RULE_SCHEDULING_POLICY_NONE },
        { "schedulingConstraints", check_constraints, true,
          JR_RULE_SCHEDULING_CONSTRAINTS_IMMUTABLE },
        { "disruptionMode", check_disruption, true, JR_RULE_SCHEDULING_DISRUPTION_IMMUTABLE },
        { "resourceClaims", check_claims, true, JR_RULE_SCHEDULING_CLAIMS_IMMUTABLE },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(blocks); i++) {
        const struct jr_pair p = jr_pair_member(scheduling, blocks[i].name);
        const struct jr_field_path at = JR_FIELD(path, blocks[i].name);

        if (p.update && jr_schema_equal(&jr_schema_job_scheduling, blocks[i].name, p.now, p.was))
            continue;
        if (p.update && blocks[i].immutable)
            jr_rule_violated(errs, blocks[i].rule, &at, JR_S("null"));
        else if (!blocks[i].immutable || !jr_unset(p.now))
            blocks[i].check(&p, &at, errs);
    }
}

void jr_validate_scheduling_declared(const struct jr_node *now, const struct jr_node *was,
                                     bool update, const struct jr_profile *profile,
                                     const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_pair p = { now, was, update };
    const bool forbidden = !profile->gates[JR_GATE_WorkloadWithJob] && !jr_unset(now);

    if (update && jr_schema_equal(&jr_schema_job_spec, "scheduling", now, was))
        return;
    if (forbidden)
        jr_violation(errs, JR_RULE_SCHEDULING_FORBIDDEN, path);
    if (check_set_once(&p, JR_RULE_SCHEDULING_SET, JR_RULE_SCHEDULING_UNSET, path, errs) &&
        !forbidden && !jr_unset(now))
        check_blocks(&p, path, errs);
}
