/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what is valid in a policy and makes no sense: rules that never bind, or that no Job meets.
 */
#include "common/job/defaults.h"
#include "common/policy/compile.h"
#include "common/policy/evaluation.h"

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
            jr_quantity_cmp(at->q, by->q) >= 0) {
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

static void warn_of_budget(struct jr_policy_compiler *c, const struct jr_field_path *path)
{
    const struct jr_policy_rules *rules = &c->policy->rules;

    if (rules->disruptions_aside)
        warn_of_disruptions(c, &JR_FIELD(path, "disruptions"));
    for (size_t i = 0; i < rules->budget.n; i++) {
        const struct jr_ceiling *at = &rules->budget.v[i];

        if (at->kind == JR_CEILING_REQUESTS_AT_ONCE || at->kind == JR_CEILING_RESOURCE_HOURS)
            warn_of_covered(c, at);
        else if (at->v == 0)
            jr_warnings_add(c->warnings, JR_WARNING_POLICY_REFUSES_ALL, at->rule.path,
                            "no Job meets it but one without Pods");
    }
}

/* ---- limits ---- */

#define LEAST_JOB                                                                         \
    "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":" \
    "\"Never\","                                                                          \
    "\"containers\":[{\"name\":\"a\",\"image\":\"a\"}]}}}}"

/** Makes the least Job that the policy matches, as an API server fills it. */
static enum jr_status least_job(const struct jr_job_policy *p, struct jr_doc **ret)
{
    const struct jr_labels *selected = &p->match.object_selector.match_labels;
    const struct jr_profile profile = jr_profile_default();
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *labels;
    enum jr_status st = jr_doc_parse(JR_S(LEAST_JOB), &JR_READER_STRICT, &job, NULL);

    if (st == JR_OK)
        st = jr_job_default(jr_doc_root(job), &profile);
    if (st == JR_OK)
        st = jr_policy_default_labels(jr_doc_root(job), false, &labels);
    for (size_t i = 0; st == JR_OK && i < selected->n; i++)
        st = jr_set_strn(labels, selected->v[i].key, selected->v[i].value);
    if (st == JR_OK)
        *ret = jr_steal(&job);
    return st;
}

/** Whether one of the globs takes all that `text` takes, which is a glob, too. */
static bool covers(const struct jr_strs *globs, struct jr_str text)
{
    for (size_t i = 0; i < globs->n; i++) {
        /* A '?' would take the '*' of the other one for a character. */
        if (jr_str_find(globs->v[i], '?') < 0 && jr_glob_matches(globs->v[i], text))
            return true;
    }
    return false;
}

/** Whether what is excluded has all in it that is allowed. A full name of an image has a '/'. */
static bool excludes_all(const struct jr_limit *l)
{
    for (size_t i = 0; i < l->values.n; i++) {
        if (!covers(&l->excluded, l->values.v[i]))
            return false;
    }
    return l->values.n > 0 ||
           covers(&l->excluded, l->as == JR_LIMIT_AS_IMAGE ? JR_S("*/*") : JR_S("*"));
}

/** Whether one of two limits on the same needs what the other one refuses. */
static bool clash(const struct jr_limit *a, const struct jr_limit *b)
{
    const bool needed = jr_bool_or(a->required, false) || jr_bool_or(b->required, false);

    return a->of.root == b->of.root && a->as == b->as && jr_str_eq(a->key, b->key) &&
           jr_str_eq(a->of.text, b->of.text) && needed &&
           (a->forbidden || b->forbidden || jr_limit_bound_cmp(&a->min, &b->max) > 0 ||
            jr_limit_bound_cmp(&b->min, &a->max) > 0);
}

static bool warn_of_clash(struct jr_policy_compiler *c, size_t at)
{
    const struct jr_policy_rules *rules = &c->policy->rules;

    for (size_t i = 0; i < at; i++) {
        if (clash(rules->limits.v[i], rules->limits.v[at])) {
            jr_warnings_add(c->warnings, JR_WARNING_POLICY_REFUSES_ALL,
                            rules->limits.v[at]->rule.path, "no Job meets it beside %.*s",
                            JR_P(rules->limits.v[i]->rule.name));
            return true;
        }
    }
    return false;
}

/** Warns of a limit that no object meets. least: the least Job. */
static bool warn_of_limit(struct jr_policy_compiler *c, const struct jr_limit *l,
                          const struct jr_node *least)
{
    const struct jr_limit_trial trial = jr_limit_try(l, least);
    const bool always =
        jr_bool_or(l->required, false) || l->as == JR_LIMIT_AS_NAME || l->as == JR_LIMIT_AS_IMAGE;
    const char *why = NULL;

    if (trial.refuses && jr_limit_reads_metadata(l))
        why = "no Job that the policy matches meets it: match.objectSelector has another value";
    else if (trial.forbids)
        why = "no Job meets it: each has the field, which an API server sets where nobody does";
    else if (always && excludes_all(l))
        why = "no Job meets it: what is excluded has all that is allowed in it";
    else if ((l->as == JR_LIMIT_AS_JOBS_PER_DAY || l->as == JR_LIMIT_AS_JOBS_AT_ONCE) &&
             l->max.kind == JR_BOUND_NUMBER && l->max.v == 0)
        why = "no CronJob meets it but one that never starts a Job";
    if (why != NULL)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_REFUSES_ALL, l->rule.path, "%s", why);
    return why != NULL;
}

static void warn_of_limits(struct jr_policy_compiler *c)
{
    const struct jr_policy_rules *rules = &c->policy->rules;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *least = NULL;
    bool said = false;

    if (rules->limits.n == 0)
        return;
    if (least_job(c->policy, &least) != JR_OK) {
        c->errs->failed = JR_NOMEM;
        return;
    }
    for (size_t i = 0; i < rules->limits.n; i++) {
        const struct jr_limit *l = rules->limits.v[i];

        /* A rule may be about several places: one is told. */
        if (!said || l->rule.name.p != rules->limits.v[i - 1]->rule.name.p)
            said = warn_of_limit(c, l, jr_doc_root(least)) || warn_of_clash(c, i);
    }
}

/* ---- operations ---- */

/** Whether an update may change what the limit is about: but for CronJobs' the template is as it
 * was made, and so is the name. */
static bool can_change(const struct jr_limit *l)
{
    return l->of.root == JR_LIMIT_OF_CRON_JOB ||
           ((l->as == JR_LIMIT_AS_IS || l->as == JR_LIMIT_AS_TOLERATION) &&
            !jr_str_starts(l->of.text, JR_S("template.")));
}

/** Warns where updates aren't evaluated that can undo what is refused in a new object. */
static void warn_of_operations(struct jr_policy_compiler *c, const struct jr_field_path *path)
{
    const struct jr_policy_rules *rules = &c->policy->rules;
    struct jr_str name = { NULL, 0 };

    if ((c->policy->match.operations & JR_OPERATION_UPDATE) != 0)
        return;
    for (size_t i = 0; i < rules->limits.n && name.n == 0; i++) {
        if (can_change(rules->limits.v[i]))
            name = rules->limits.v[i]->rule.name;
    }
    if (name.n == 0 && rules->budget.n > 0)
        name = rules->budget.v[0].rule.name;
    if (name.n > 0)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_UPDATES_UNSEEN, path,
                        "without UPDATE what %.*s refuses in a new object can be changed later",
                        JR_P(name));
}

void jr_policy_warn_of_sense(struct jr_policy_compiler *c, const struct jr_field_path *spec)
{
    const struct jr_field_path match = JR_FIELD(spec, "match"),
                               defaults = JR_FIELD(spec, "defaults");
    const struct jr_limit *grace = jr_policy_limit_of(&c->policy->rules, JR_LIMITED_POD_GRACE);

    warn_of_operations(c, &JR_FIELD(&match, "operations"));
    warn_of_limits(c);
    warn_of_budget(c, &JR_FIELD(spec, "budget"));
    warn_of_field(c, JR_LIMITED_ACTIVE_DEADLINE, JR_CEILING_RUNTIME,
                  grace == NULL ? 0 : grace->min.v, &defaults);
    warn_of_field(c, JR_LIMITED_BACKOFF_LIMIT, JR_CEILING_PODS_EVER, 1, &defaults);
}
