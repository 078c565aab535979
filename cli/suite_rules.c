/* SPDX-License-Identifier: Apache-2.0 */
/* Counts by rule of a policy how often the cases of suites have met it. */
#include "cli/suite_rules.h"

#include "common/base/memory.h"

/** The rules of one policy, as they are added. */
struct adding {
    struct jr_suite_rules *rules;
    struct jr_suite_rule_uses *uses;
    const struct jr_job_policy *policy;
    size_t at;  /* in the set */
    char *real; /* path of the policy's file */
};

/* ---- the table ---- */

static struct jr_suite_rule *find(const struct jr_suite_rules *rules, struct jr_str key)
{
    struct jr_suite_rule *r = rules->first;

    while (r != NULL && !jr_str_eq(r->key, key))
        r = r->next;
    return r;
}

static struct jr_suite_rule *need_rule(const struct adding *a, struct jr_str name,
                                       const struct jr_field_path *path)
{
    const struct jr_policy_place place =
        jr_policy_loading_place(&a->uses->policies->loading, a->policy, path);
    struct jr_suite_rules *rules = a->rules;
    struct jr_suite_rule *r;
    JR_BUF key = { 0 };

    jr_buf_init(&key, JR_BUF_BY_INPUT);
    jr_must(jr_buf_addf(&key, "%s\n%.*s\n%.*s", a->real, JR_P(a->policy->name), JR_P(name)));
    r = find(rules, jr_buf_str(&key));
    if (r != NULL)
        return r;
    r = jr_xarena_calloc(&rules->arena, 1, sizeof(*r));
    r->key = jr_xarena_str(&rules->arena, jr_buf_str(&key));
    r->file = jr_xarena_str(&rules->arena, place.file);
    r->line = place.line;
    r->text =
        jr_xarena_text(&rules->arena, "policy \"%.*s\": %.*s", JR_P(a->policy->name), JR_P(name));
    *(rules->last == NULL ? &rules->first : &rules->last->next) = r;
    rules->last = r;
    return r;
}

static void add_use(struct adding *a, struct jr_suite_rule_use use, struct jr_str name,
                    const struct jr_field_path *path)
{
    struct jr_suite_rule_uses *uses = a->uses;

    use.policy = a->at;
    use.rule = need_rule(a, name, path);
    use.rule->is_default = use.field.n > 0;
    uses->v = jr_xvec_room(uses->v, uses->n, &uses->cap, sizeof(*uses->v));
    uses->v[uses->n++] = use;
}

/* ---- the rules of a policy ---- */

static void add_rule(struct adding *a, const struct jr_policy_rule *rule, bool of_cron_jobs)
{
    add_use(a, (struct jr_suite_rule_use){ .of = rule, .of_cron_jobs = of_cron_jobs }, rule->name,
            rule->path);
}

static void add_rules(struct adding *a)
{
    const struct jr_policy_rules *rules = &a->policy->rules;

    for (size_t i = 0; i < rules->limits.n; i++)
        add_rule(a, &rules->limits.v[i]->rule, rules->limits.v[i]->of.root == JR_LIMIT_OF_CRON_JOB);
    if (rules->pod_security.set)
        add_rule(a, &rules->pod_security.rule, false);
    for (size_t i = 0; i < rules->budget.n; i++)
        add_rule(a, &rules->budget.v[i].rule, false);
}

/** field: as notes have it. */
static void add_default(struct adding *a, struct jr_str field, const struct jr_field_path *path)
{
    const struct jr_str name = jr_xarena_text(&a->rules->arena, "defaults.%.*s", JR_P(field));

    add_use(a, (struct jr_suite_rule_use){ .field = field }, name, path);
}

static void add_labels(struct adding *a, const struct jr_labels *labels, const char *of,
                       const struct jr_field_path *parent)
{
    const struct jr_field_path path = JR_FIELD(parent, "labels");

    for (size_t i = 0; i < labels->n; i++)
        add_default(a,
                    jr_xarena_text(&a->rules->arena, "%slabels[%.*s]", of, JR_P(labels->v[i].key)),
                    &JR_FIELD_KEY(&path, labels->v[i].key));
}

static void add_defaults(struct adding *a, const struct jr_field_path *spec)
{
    const struct jr_field_path path = JR_FIELD(spec, "defaults");

    for (size_t i = 0; i < a->policy->defaults.n; i++) {
        const enum jr_limited_field f = a->policy->defaults.v[i].field;
        struct jr_field_path room[2];

        add_default(a, jr_str(jr_limited_fields[f].name), jr_limited_rule_path(f, &path, room));
    }
    add_labels(a, &a->policy->defaults.labels, "", &path);
    add_labels(a, &a->policy->defaults.template_labels, "template.", &JR_FIELD(&path, "template"));
}

void jr_suite_rules_use(struct jr_suite_rules *rules, const struct jr_cli_policies *policies,
                        struct jr_suite_rule_uses *ret)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");

    *ret = (struct jr_suite_rule_uses){ .policies = policies };
    for (size_t i = 0; i < policies->set.n; i++) {
        struct adding a = { rules, ret, policies->set.v[i], i, NULL };
        const struct jr_policy_place place =
            jr_policy_loading_place(&policies->loading, a.policy, NULL);
        JR_FREE char *file = jr_xstrndup(place.file), *real = realpath(file, NULL);

        a.real = real == NULL ? file : real;
        add_rules(&a);
        add_defaults(&a, &spec);
    }
}

void jr_suite_rule_uses_done(struct jr_suite_rule_uses *uses)
{
    free(uses->v);
}

void jr_suite_rules_done(struct jr_suite_rules *rules)
{
    jr_arena_done(&rules->arena);
}

/* ---- what a case came to ---- */

/** Of a default that was neither set nor left to the author another policy's came first. */
static void note_default(const struct jr_suite_rule_use *u, const struct jr_job_policy *policy,
                         const struct jr_policy_defaulted *defaulted)
{
    for (size_t i = 0; i < defaulted->n; i++) {
        const struct jr_policy_default_note *n = &defaulted->notes[i];

        if (n->policy != policy || !jr_str_eq(n->field, u->field))
            continue;
        u->rule->violated |= n->first == NULL;
        return;
    }
    u->rule->met = true;
}

static void note_rule(const struct jr_suite_rule_use *u, const struct jr_policy_findings *f)
{
    if (jr_policy_rule_met(f, u->of))
        u->rule->met = true;
    else
        u->rule->violated = true;
}

void jr_suite_rules_note(const struct jr_suite_rule_uses *uses,
                         const struct jr_policy_context *context,
                         const struct jr_admission_result *result,
                         const struct jr_admission_kind *kind, bool created)
{
    const bool job_created = created && kind == &jr_admission_job;
    const struct jr_policy_findings *f = &result->policies;
    size_t at = 0;

    /* Both are by the set's order. */
    for (size_t i = 0; i < uses->n && f->n_undecided == 0; i++) {
        const struct jr_suite_rule_use *u = &uses->v[i];
        const struct jr_job_policy *policy = context->set->v[u->policy];

        while (at < f->n_matches && f->matches[at].at < u->policy)
            at++;
        if (at == f->n_matches)
            return;
        if (f->matches[at].at != u->policy)
            continue;
        if (u->field.n > 0 && job_created)
            note_default(u, policy, &result->policy_defaults);
        else if (u->field.n == 0 && (kind == &jr_admission_cron_job || !u->of_cron_jobs) &&
                 jr_policy_rules_for(policy, context) == &policy->rules)
            note_rule(u, f);
    }
}

/* ---- what is left ---- */

struct jr_suite_rule_counts jr_suite_rules_count(const struct jr_suite_rules *rules)
{
    struct jr_suite_rule_counts counts = { 0, 0, 0 };

    for (const struct jr_suite_rule *r = rules->first; r != NULL; r = r->next) {
        counts.rules++;
        counts.not_violated += !r->violated;
        counts.not_met += !r->met;
    }
    return counts;
}

void jr_suite_rules_untested(const struct jr_suite_rules *rules,
                             void (*each)(void *ctx, const struct jr_suite_rule *r,
                                          const char *why),
                             void *ctx)
{
    /* The words, by whether it is a default, and what is missing: both, what violates it, what
     * meets it. */
    static const char *const words[2][3] = {
        { "no case violates it, none meets it", "no case violates it", "no case meets it" },
        { "no case gets it, none sets the field itself", "no case gets it",
          "no case sets the field itself" },
    };

    for (const struct jr_suite_rule *r = rules->first; r != NULL; r = r->next) {
        if (!r->violated || !r->met)
            each(ctx, r, words[r->is_default][r->violated ? 2 : r->met ? 1 : 0]);
    }
}
