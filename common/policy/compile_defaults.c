/* SPDX-License-Identifier: Apache-2.0 */
/* spec.defaults. */
#include "common/policy/compile.h"
#include "common/policy/evaluation.h"

/* ---- numbers and texts ---- */

/** Those of the system are for what runs the cluster. */
static void check_priority_class(struct jr_policy_compiler *c, struct jr_str s,
                                 const struct jr_field_path *path)
{
    if (jr_str_starts(s, JR_S("system-")))
        JR_POLICY_FAULT(c, FORBIDDEN, path, JR_NO_VALUE,
                        "priority classes that begin with \"system-\" are the cluster's own");
    else
        jr_policy_check_text(c, JR_LIMITED_POD_PRIORITY_CLASS, s, path);
}

static void check_text(struct jr_policy_compiler *c, const struct jr_policy_default *d,
                       const struct jr_field_path *path)
{
    if (d->field == JR_LIMITED_POD_PRIORITY_CLASS)
        check_priority_class(c, d->text, path);
    else
        jr_policy_check_text(c, d->field, d->text, path);
}

/* ---- beside the policy's own rules ---- */

/** Refuses a default that the policy's own limits don't allow: it would make what is refused of
 * what is fine. job: a document of nothing but the default. Returns whether a limit reads it. */
static bool check_limits(struct jr_policy_compiler *c, const struct jr_node *job,
                         const struct jr_field_path *path)
{
    const struct jr_policy_rules *rules = &c->policy->rules;
    bool reads = false;

    for (size_t i = 0; i < rules->limits.n && c->errs->failed == JR_OK; i++) {
        const struct jr_limit_trial trial = jr_limit_try(rules->limits.v[i], job);

        reads |= trial.reads;
        if (trial.refuses) {
            JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE, "the policy's own %.*s don't allow it",
                            JR_P(rules->limits.v[i]->rule.name));
            break;
        }
    }
    return reads;
}

/** Whether the budget has a ceiling that bounds what the field may be. */
static bool is_in_budget(const struct jr_policy_rules *rules, enum jr_limited_field field)
{
    for (size_t i = 0; i < rules->budget.n; i++) {
        const enum jr_ceiling_kind kind = rules->budget.v[i].kind;

        if ((field == JR_LIMITED_ACTIVE_DEADLINE && kind == JR_CEILING_RUNTIME) ||
            (field == JR_LIMITED_BACKOFF_LIMIT && kind == JR_CEILING_PODS_EVER) ||
            (field == JR_LIMITED_POD_REPLACEMENT_POLICY &&
             (kind == JR_CEILING_PODS_AT_ONCE || kind == JR_CEILING_REQUESTS_AT_ONCE)))
            return true;
    }
    return false;
}

static void check_default(struct jr_policy_compiler *c, const struct jr_policy_default *d,
                          const struct jr_field_path *path)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *spec;

    if (jr_doc_new(&job) != JR_OK || jr_ensure_object(jr_doc_root(job), "spec", &spec) != JR_OK ||
        jr_policy_default_write(d, spec) != JR_OK)
        c->errs->failed = JR_NOMEM;
    else if (!check_limits(c, jr_doc_root(job), path) && !is_in_budget(&c->policy->rules, d->field))
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_DEFAULT_WITHOUT_LIMIT, path,
                        "a default without a limit on the same field is not enforced: what sets "
                        "it may be down, and the field can be changed");
}

static void check_label(struct jr_policy_compiler *c, const struct jr_label *label,
                        bool of_template, const struct jr_field_path *path)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *job = NULL;
    struct jr_node *labels;

    if (jr_doc_new(&job) != JR_OK ||
        jr_policy_default_labels(jr_doc_root(job), of_template, &labels) != JR_OK ||
        jr_set_strn(labels, label->key, label->value) != JR_OK)
        c->errs->failed = JR_NOMEM;
    else
        (void)check_limits(c, jr_doc_root(job), path);
}

/* ---- the fields ---- */

static bool overrides(const struct jr_node *list, enum jr_limited_field field)
{
    JR_EACH(o, list) {
        if (jr_str_is(jr_node_str(o), jr_limited_fields[field].name))
            return true;
    }
    return false;
}

static void compile_default(struct jr_policy_compiler *c, enum jr_limited_field field,
                            const struct jr_node *node, const struct jr_node *overridden,
                            const struct jr_field_path *path)
{
    const struct jr_limited_field_info *info = &jr_limited_fields[field];
    struct jr_policy_default *d = &c->policy->defaults.v[c->policy->defaults.n++];

    d->field = field;
    d->overrides = overrides(overridden, field);
    if (info->server_default && !d->overrides)
        jr_warnings_add(c->warnings, JR_WARNING_POLICY_DEFAULT_WITHOUT_EFFECT, path,
                        "has no effect unless overrideServerDefaults has \"%s\": an API server "
                        "sets the field first",
                        info->name);
    if (info->kind == JR_LIMITED_INT) {
        d->v = jr_node_i64_or(node, 0);
        jr_policy_check_int(c, field, d->v, path);
    } else {
        d->text = jr_policy_copy(c, jr_node_str(node));
        check_text(c, d, path);
    }
    check_default(c, d, path);
}

static void compile_fields(struct jr_policy_compiler *c, const struct jr_node *defaults,
                           const struct jr_field_path *path)
{
    const struct jr_node *overridden = jr_get(defaults, "overrideServerDefaults");

    if (jr_unset(defaults))
        return;
    c->policy->defaults.v = jr_policy_calloc(c, JR_LIMITED_FIELDS, sizeof(*c->policy->defaults.v));
    for (size_t f = 0; c->policy->defaults.v != NULL && f < JR_LIMITED_FIELDS; f++) {
        const struct jr_limited_field_info *info = &jr_limited_fields[f];
        const struct jr_node *node =
            jr_get(info->of_template ? jr_get(defaults, "template") : defaults, info->leaf);
        struct jr_field_path room[2];

        if (info->has_default && !jr_unset(node))
            compile_default(c, (enum jr_limited_field)f, node, overridden,
                            jr_limited_rule_path((enum jr_limited_field)f, path, room));
    }
}

static void check_overridden(struct jr_policy_compiler *c, const struct jr_node *defaults,
                             const struct jr_field_path *path)
{
    const struct jr_field_path list = JR_FIELD(path, "overrideServerDefaults");

    JR_EACH_AT(o, jr_get(defaults, "overrideServerDefaults"), &list, c->errs) {
        const struct jr_policy_default *found = NULL;
        const struct jr_str name = jr_node_str(o.node);

        for (size_t i = 0; i < c->policy->defaults.n; i++) {
            if (jr_str_is(name, jr_limited_fields[c->policy->defaults.v[i].field].name))
                found = &c->policy->defaults.v[i];
        }
        if (found == NULL || !jr_limited_fields[found->field].server_default)
            JR_POLICY_FAULT(c, INVALID, &o.path, jr_errlist_quote(c->errs, name),
                            "must be a field with a default here that an API server sets: "
                            "backoffLimit, podReplacementPolicy or "
                            "template.terminationGracePeriodSeconds");
    }
}

/* ---- labels ---- */

static bool is_controllers(struct jr_str key)
{
    return jr_str_is(key, "controller-uid") || jr_str_is(key, "job-name") ||
           jr_str_starts(key, JR_S("batch.kubernetes.io/"));
}

static void check_labels(struct jr_policy_compiler *c, const struct jr_labels *labels,
                         bool of_template, const struct jr_field_path *path)
{
    if (labels->n > JR_POLICY_LABELS_MAX) {
        JR_POLICY_FAULT(c, TOO_MANY, path, jr_errlist_int(c->errs, (int64_t)labels->n),
                        "must have at most %d labels", JR_POLICY_LABELS_MAX);
        return;
    }
    for (size_t i = 0; i < labels->n && jr_errlist_going(c->errs); i++) {
        const struct jr_str key = labels->v[i].key, value = labels->v[i].value;
        const struct jr_field_path at = JR_FIELD_KEY(path, key);

        if (jr_name_key(key).n > 0)
            JR_POLICY_FAULT(c, INVALID, path, jr_errlist_quote(c->errs, key),
                            "must be the key of a label");
        else if (jr_name_label_value(value).n > 0)
            JR_POLICY_FAULT(c, INVALID, &at, jr_errlist_quote(c->errs, value),
                            "must be the value of a label");
        else if (is_controllers(key))
            JR_POLICY_FAULT(c, FORBIDDEN, &at, JR_NO_VALUE, "the label is the Job controller's");
        else if (jr_policy_selects_on(&c->policy->match.object_selector, key))
            JR_POLICY_FAULT(c, FORBIDDEN, &at, JR_NO_VALUE,
                            "the policy selects Jobs by this label");
        else
            check_label(c, &labels->v[i], of_template, &at);
    }
}

void jr_policy_compile_defaults(struct jr_policy_compiler *c, const struct jr_node *defaults,
                                const struct jr_field_path *path)
{
    const struct jr_field_path template = JR_FIELD(path, "template");
    struct jr_job_policy *p = c->policy;

    compile_fields(c, defaults, path);
    check_overridden(c, defaults, path);
    p->defaults.labels = jr_policy_copy_map(c, jr_get(defaults, "labels"));
    p->defaults.template_labels =
        jr_policy_copy_map(c, jr_get(jr_get(defaults, "template"), "labels"));
    check_labels(c, &p->defaults.labels, false, &JR_FIELD(path, "labels"));
    check_labels(c, &p->defaults.template_labels, true, &JR_FIELD(&template, "labels"));
}
