/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of Jobs on create, and of the JobSpec. */
#include "common/job/validate.h"

#include "common/base/string_set.h"
#include "common/job/defaults.h"
#include "common/job/validate_parts.h"
#include "common/pod/selector.h"
#include "common/rules/selector.h"
#include "common/schema/equal.h"

#define INDEXED_PARALLELISM_MAX 100000
#define MAX_FAILED_INDEXES_MAX 100000
#define MANY_COMPLETIONS 100000
#define MANY_COMPLETIONS_PARALLELISM_MAX 10000
#define MANY_COMPLETIONS_MAX_FAILED_MAX 10000

/* ---- generated labels and selector ---- */

static bool is_manual(const struct jr_job *job)
{
    return jr_bool_or(job->spec.manual_selector, false);
}

static void check_generated_label(const struct jr_object *job, const struct jr_label *want,
                                  struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    const struct jr_field_path template = JR_FIELD(&spec, "template");
    const struct jr_field_path meta = JR_FIELD(&template, "metadata");
    const struct jr_field_path labels = JR_FIELD(&meta, "labels");
    const struct jr_field_path path = JR_FIELD_KEY(&labels, want->key);
    const struct jr_str have = jr_labels_get(&job->job->spec.template.labels, want->key);

    if (have.p == NULL)
        jr_rule_violatedf(errs, JR_RULE_GENERATED_LABEL_MISSING, &path, JR_NO_VALUE,
                          "must be '%.*s'", JR_P(want->value));
    else if (!jr_str_eq(have, want->value))
        jr_rule_violatedf(errs, JR_RULE_GENERATED_LABEL_WRONG, &path,
                          jr_rule_shown(errs, &jr_schema_object_meta, "labels",
                                        jr_object_node(job, "spec.template.metadata.labels")),
                          "must be '%.*s'", JR_P(want->value));
}

/** Automatic mode: the template's labels and the selector are those that generation makes. */
static void check_generated(const struct jr_object *object, const struct jr_spec_opts *opts,
                            struct jr_errlist *errs)
{
    const struct jr_job *job = object->job;
    const struct jr_field_path meta = JR_FIELD(NULL, "metadata");
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    struct jr_label labels[] = {
        { JR_S(JR_LABEL_CONTROLLER_UID_LEGACY), job->meta.uid },
        { JR_S(JR_LABEL_JOB_NAME_LEGACY), job->meta.name },
        { JR_S(JR_LABEL_CONTROLLER_UID), job->meta.uid },
        { JR_S(JR_LABEL_JOB_NAME), job->meta.name },
    };
    const struct jr_labels want = { labels, opts->prefixed_labels ? 4 : 2 };

    if (is_manual(job) || !job->spec.selector.set)
        return;
    if (job->meta.uid.n == 0)
        jr_violation(errs, JR_RULE_GENERATED_UID, &JR_FIELD(&meta, "uid"));
    for (size_t i = 0; i < JR_ARRAY_SIZE(labels); i++) {
        if (labels[i].value.p == NULL)
            labels[i].value = JR_S(""); /* absent is not the same as unknown to the selector */
    }
    for (size_t i = 0; i < want.n; i++)
        check_generated_label(object, &labels[i], errs);
    if (jr_selector_valid(&job->spec.selector) && !jr_selector_matches(&job->spec.selector, &want))
        jr_violation_shown(errs, JR_RULE_GENERATED_SELECTOR, &JR_FIELD(&spec, "selector"),
                           &jr_schema_job_spec, "selector",
                           jr_object_node(object, "spec.selector"));
}

/* ---- the scalars ---- */

static void check_negatives(const struct jr_job_spec *s, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    const struct {
        const char *name;
        enum jr_rule rule;
        bool set;
        int64_t v;
    } rows[] = {
        { "parallelism", JR_RULE_PARALLELISM_NEGATIVE, s->parallelism.set, s->parallelism.v },
        { "completions", JR_RULE_COMPLETIONS_NEGATIVE, s->completions.set, s->completions.v },
        { "activeDeadlineSeconds", JR_RULE_DEADLINE_NEGATIVE, s->active_deadline_s.set,
          s->active_deadline_s.v },
        { "backoffLimit", JR_RULE_BACKOFF_LIMIT_NEGATIVE, s->backoff_limit.set,
          s->backoff_limit.v },
        { "ttlSecondsAfterFinished", JR_RULE_TTL_NEGATIVE, s->ttl_after_finished_s.set,
          s->ttl_after_finished_s.v },
        { "backoffLimitPerIndex", JR_RULE_PER_INDEX_NEGATIVE, s->backoff_limit_per_index.set,
          s->backoff_limit_per_index.v },
        { "maxFailedIndexes", JR_RULE_MAX_FAILED_NEGATIVE, s->max_failed_indexes.set,
          s->max_failed_indexes.v },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (rows[i].set && rows[i].v < 0)
            jr_violation_int(errs, rows[i].rule, &JR_FIELD(path, rows[i].name), rows[i].v);
    }
    if (s->max_failed_indexes.set && !s->backoff_limit_per_index.set)
        jr_violation(errs, JR_RULE_PER_INDEX_REQUIRED, &JR_FIELD(path, "backoffLimitPerIndex"));
}

/** Adds the error if the field is set and above max. */
static void check_max(struct jr_opt_i32 v, int32_t max, enum jr_rule rule,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (v.set && v.v > max)
        jr_violation_int(errs, rule, path, v.v);
}

static void check_indexed(const struct jr_job_spec *s, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_field_path parallelism = JR_FIELD(path, "parallelism");
    const struct jr_field_path max_failed = JR_FIELD(path, "maxFailedIndexes");

    if (!s->completions.set)
        jr_violation(errs, JR_RULE_INDEXED_COMPLETIONS, &JR_FIELD(path, "completions"));
    check_max(s->parallelism, INDEXED_PARALLELISM_MAX, JR_RULE_INDEXED_PARALLELISM, &parallelism,
              errs);
    if (s->completions.set)
        check_max(s->max_failed_indexes, s->completions.v, JR_RULE_MAX_FAILED_COMPLETIONS,
                  &max_failed, errs);
    check_max(s->max_failed_indexes, MAX_FAILED_INDEXES_MAX, JR_RULE_MAX_FAILED_LIMIT, &max_failed,
              errs);
    if (jr_i32_or(s->completions, 0) <= MANY_COMPLETIONS || !s->backoff_limit_per_index.set)
        return;
    if (!s->max_failed_indexes.set)
        jr_violation(errs, JR_RULE_MANY_MAX_FAILED_REQUIRED, &max_failed);
    check_max(s->parallelism, MANY_COMPLETIONS_PARALLELISM_MAX, JR_RULE_MANY_PARALLELISM,
              &parallelism, errs);
    check_max(s->max_failed_indexes, MANY_COMPLETIONS_MAX_FAILED_MAX, JR_RULE_MANY_MAX_FAILED,
              &max_failed, errs);
}

static void check_mode(const struct jr_job_spec *s, const struct jr_field_path *path,
                       struct jr_errlist *errs)
{
    bool indexed = jr_str_is(s->completion_mode, "Indexed");
    bool non_indexed = s->completion_mode.p == NULL || jr_str_is(s->completion_mode, "NonIndexed");

    if (!indexed && !non_indexed)
        jr_violation_enum(errs, JR_RULE_COMPLETION_MODE, &JR_FIELD(path, "completionMode"),
                          s->completion_mode);
    if (indexed)
        check_indexed(s, path, errs);
    if (!non_indexed)
        return;
    if (s->backoff_limit_per_index.set)
        jr_violation_int(errs, JR_RULE_PER_INDEX_MODE, &JR_FIELD(path, "backoffLimitPerIndex"),
                         s->backoff_limit_per_index.v);
    if (s->max_failed_indexes.set)
        jr_violation_int(errs, JR_RULE_MAX_FAILED_MODE, &JR_FIELD(path, "maxFailedIndexes"),
                         s->max_failed_indexes.v);
}

static void check_policies(const struct jr_job_spec *s, const struct jr_node *node,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path success = JR_FIELD(path, "successPolicy");
    const struct jr_field_path replacement = JR_FIELD(path, "podReplacementPolicy");

    if (s->pod_failure_policy.set)
        jr_validate_failure_policy(s, &JR_FIELD(path, "podFailurePolicy"), errs);
    if (s->success_policy.set && jr_str_is(s->completion_mode, "Indexed"))
        jr_validate_success_policy(s, &success, errs);
    else if (s->success_policy.set)
        jr_violation_shown(errs, JR_RULE_SUCCESS_MODE, &success, &jr_schema_job_spec,
                           "successPolicy", jr_get(node, "successPolicy"));
    if (s->pod_replacement_policy.p == NULL || jr_str_is(s->pod_replacement_policy, "Failed"))
        return;
    if (s->pod_failure_policy.set)
        jr_violation_enum(errs, JR_RULE_REPLACEMENT_WITH_POLICY, &replacement,
                          s->pod_replacement_policy);
    else if (!jr_str_is(s->pod_replacement_policy, "TerminatingOrFailed"))
        jr_violation_enum(errs, JR_RULE_REPLACEMENT_POLICY, &replacement,
                          s->pod_replacement_policy);
}

/** A Job's Pods end: restartPolicy may not be Always. */
static void check_restart_policy(const struct jr_job_spec *s, const struct jr_field_path *spec,
                                 struct jr_errlist *errs)
{
    const struct jr_field_path template = JR_FIELD(spec, "template");
    const struct jr_field_path pod = JR_FIELD(&template, "spec");
    const struct jr_field_path path = JR_FIELD(&pod, "restartPolicy");
    const struct jr_str policy = s->template.restart_policy;
    bool never = jr_str_is(policy, "Never");

    if (policy.n == 0 || jr_str_is(policy, "Always"))
        jr_violation(errs, JR_RULE_RESTART_REQUIRED, &path);
    else if (!never && !jr_str_is(policy, "OnFailure"))
        jr_violation_enum(errs, JR_RULE_RESTART_UNKNOWN, &path, policy);
    else if (s->pod_failure_policy.set && !never)
        jr_violation_enum(errs, JR_RULE_RESTART_WITH_POLICY, &path, policy);
}

/* ---- the selector ---- */

static void check_selector(const struct jr_object *job, const struct jr_spec_opts *opts,
                           const struct jr_field_path *spec, struct jr_errlist *errs)
{
    const struct jr_selector *s = &job->job->spec.selector;
    const struct jr_field_path path = JR_FIELD(spec, "selector");
    const struct jr_field_path template = JR_FIELD(spec, "template");
    const struct jr_field_path meta = JR_FIELD(&template, "metadata");

    if (!s->set)
        jr_violation(errs, JR_RULE_SELECTOR_REQUIRED, &path);
    jr_pod_check_selector(jr_object_node(job, "spec.selector"), opts->any_selector_values, &path,
                          errs);
    if (jr_selector_valid(s) && !jr_selector_matches(s, &job->job->spec.template.labels))
        jr_violation_shown(errs, JR_RULE_SELECTOR_MISMATCH, &JR_FIELD(&meta, "labels"),
                           &jr_schema_object_meta, "labels",
                           jr_object_node(job, "spec.template.metadata.labels"));
}

/* ---- the whole ---- */

void jr_validate_spec(const struct jr_job_spec *s, const struct jr_node *node,
                      const struct jr_node *was, const struct jr_pod_opts *pod,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    check_negatives(s, path, errs);
    if (s->managed_by.p != NULL)
        jr_validate_managed_by(s->managed_by, &JR_FIELD(path, "managedBy"), errs);
    check_mode(s, path, errs);
    check_policies(s, node, path, errs);
    jr_validate_scheduling(s, node, was, &JR_FIELD(path, "scheduling"), errs);
    jr_pod_template_validate(jr_get(node, "template"), pod, &JR_FIELD(path, "template"), errs);
    check_restart_policy(s, path, errs);
}

void jr_validate_job_spec(const struct jr_object *job, const struct jr_object *old,
                          const struct jr_spec_opts *opts, struct jr_errlist *errs)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");

    jr_validate_spec(&job->job->spec, jr_object_node(job, "spec"),
                     old == NULL ? NULL : jr_object_node(old, "spec"), &opts->pod, &path, errs);
    check_selector(job, opts, &path, errs);
}

void jr_validate_indexed_hostname(const struct jr_job *job, struct jr_errlist *errs)
{
    const struct jr_field_path meta = JR_FIELD(NULL, "metadata");
    int32_t completions = jr_i32_or(job->spec.completions, 0);
    struct jr_str hostname;

    if (!jr_str_is(job->spec.completion_mode, "Indexed") || completions <= 0)
        return;
    hostname = JR_FORMAT(errs, "%.*s-%d", JR_P(job->meta.name), (int)completions - 1);
    if (jr_name_dns_label(hostname).n > 0)
        jr_rule_violatedf(errs, JR_RULE_INDEXED_HOSTNAME, &JR_FIELD(&meta, "name"),
                          jr_errlist_quote(errs, job->meta.name),
                          "will not able to create pod with invalid DNS label: %.*s",
                          JR_P(hostname));
}

void jr_validate_job(const struct jr_object *job, const struct jr_spec_opts *opts,
                     struct jr_errlist *errs)
{
    jr_validate_meta(&job->job->meta, errs);
    check_generated(job, opts, errs);
    jr_validate_job_spec(job, NULL, opts, errs);
    jr_validate_delegation(job->root, NULL, NULL, errs);
    jr_validate_indexed_hostname(job->job, errs);
}

static const struct jr_meta *meta_of(const struct jr_object *o)
{
    return o->job != NULL ? &o->job->meta : &o->cron_job->meta;
}

void jr_validate_declared_meta(const struct jr_object *object, const struct jr_object *old,
                               struct jr_errlist *errs)
{
    static const char owners[] = "metadata.ownerReferences";
    bool same;

    if (!jr_kube_has(errs->version, JR_CHANGE_MORE_DECLARED))
        return;
    same =
        old != NULL && jr_schema_equal(&jr_schema_object_meta, "ownerReferences",
                                       jr_object_node(object, owners), jr_object_node(old, owners));
    jr_validate_meta_declared(meta_of(object), old == NULL ? NULL : meta_of(old), same, errs);
}

/** maxFailedIndexes needs backoffLimitPerIndex: of an update, where one of them came or went. */
static void check_per_index(const struct jr_node *spec, const struct jr_node *was,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const bool max_failed = !jr_unset(jr_get(spec, "maxFailedIndexes"));
    const bool per_index = !jr_unset(jr_get(spec, "backoffLimitPerIndex"));

    if (was != NULL && max_failed == !jr_unset(jr_get(was, "maxFailedIndexes")) &&
        per_index == !jr_unset(jr_get(was, "backoffLimitPerIndex")))
        return;
    if (max_failed && !per_index)
        jr_rule_violated_text(errs, JR_RULE_PER_INDEX_REQUIRED,
                              &JR_FIELD(path, "backoffLimitPerIndex"), JR_NO_VALUE,
                              JR_S("must be set when maxFailedIndexes is set"));
}

void jr_validate_spec_declared(const struct jr_node *spec, const struct jr_node *was,
                               const struct jr_profile *profile, const struct jr_field_path *path,
                               struct jr_errlist *errs)
{
    if (jr_kube_has(profile->version, JR_CHANGE_MORE_DECLARED)) {
        check_per_index(spec, was, path, errs);
        jr_pod_template_validate_declared(jr_get(spec, "template"), jr_get(was, "template"),
                                          &JR_FIELD(path, "template"), errs);
    }
    jr_validate_scheduling_declared(jr_get(spec, "scheduling"), jr_get(was, "scheduling"),
                                    was != NULL, profile, &JR_FIELD(path, "scheduling"), errs);
}

void jr_validate_job_declared(const struct jr_object *job, const struct jr_object *old,
                              const struct jr_profile *profile, struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec");
    size_t others;

    if (!jr_kube_has(profile->version, JR_CHANGE_ERRORS_ONCE))
        return;
    jr_errlist_once(errs);
    others = errs->n;
    jr_validate_declared_meta(job, old, errs);
    jr_validate_spec_declared(jr_object_node(job, "spec"),
                              old == NULL ? NULL : jr_object_node(old, "spec"), profile, &spec,
                              errs);
    jr_errlist_supersede(errs, others);
}

void jr_job_validate_create(const struct jr_object *job, const struct jr_profile *profile,
                            struct jr_errlist *errs)
{
    const struct jr_spec_opts opts = {
        .prefixed_labels = true,
        .pod = jr_pod_opts_of(jr_object_node(job, "spec.template"), NULL, profile),
    };

    errs->version = profile->version;
    jr_validate_job(job, &opts, errs);
    jr_validate_job_declared(job, NULL, profile, errs);
}
