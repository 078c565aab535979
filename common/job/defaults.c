/* SPDX-License-Identifier: Apache-2.0 */
/* The defaults of a Job: first its own fields, then what a JobSpec gets wherever it stands. */
#include "common/job/defaults.h"

#include "common/api/job.h"
#include "common/job/generate.h"
#include "common/pod/defaults.h"
#include "common/rules/default_table.h"

/** 1, where neither completions nor parallelism is given. */
static enum jr_status default_completions(struct jr_node *spec, const struct jr_default_row *row,
                                          const struct jr_field_path *path,
                                          struct jr_defaulting_log *log)
{
    if (!jr_unset(jr_get(spec, row->name)) || !jr_unset(jr_get(spec, "parallelism")))
        return JR_OK;
    jr_defaulting_note(log, path, row->name, row->id);
    return jr_set_i64(spec, row->name, 1);
}

static enum jr_status default_backoff_limit(struct jr_node *spec, const struct jr_default_row *row,
                                            const struct jr_field_path *path,
                                            struct jr_defaulting_log *log)
{
    bool per_index = !jr_unset(jr_get(spec, "backoffLimitPerIndex"));

    if (!jr_unset(jr_get(spec, row->name)))
        return JR_OK;
    jr_defaulting_note(log, path, row->name, row->id);
    return jr_set_i64(spec, row->name, jr_default_backoff_limit(per_index));
}

static enum jr_status default_replacement_policy(struct jr_node *spec,
                                                 const struct jr_default_row *row,
                                                 const struct jr_field_path *path,
                                                 struct jr_defaulting_log *log)
{
    bool failure_policy = !jr_unset(jr_get(spec, "podFailurePolicy"));

    if (!jr_unset(jr_get(spec, row->name)))
        return JR_OK;
    jr_defaulting_note(log, path, row->name, row->id);
    return jr_set_str(spec, row->name,
                      failure_policy ? JR_S("Failed") : JR_S("TerminatingOrFailed"));
}

static const struct jr_default_row pod_condition[] = {
    { "status", JR_DEFAULT_TEXT, .text = "True", .id = "default-pod-condition-status" },
    JR_DEFAULT_END,
};
static const struct jr_default_row failure_rule[] = {
    { "onPodConditions", JR_DEFAULT_EACH, .table = pod_condition },
    JR_DEFAULT_END,
};
static const struct jr_default_row failure_policy[] = {
    { "rules", JR_DEFAULT_EACH, .table = failure_rule },
    JR_DEFAULT_END,
};
static const struct jr_default_row counts[] = {
    { "completions", JR_DEFAULT_CALL, .fn = default_completions, .id = "default-completions" },
    { "parallelism", JR_DEFAULT_INT_UNSET, .number = 1, .id = "default-parallelism" },
    { "backoffLimit", JR_DEFAULT_CALL, .fn = default_backoff_limit, .id = "default-backoff-limit" },
    JR_DEFAULT_END,
};
static const struct jr_default_row modes[] = {
    { "completionMode", JR_DEFAULT_TEXT_UNSET, .text = "NonIndexed",
      .id = "default-completion-mode" },
    { "suspend", .how = JR_DEFAULT_FALSE, .id = "default-suspend" },
    { "podReplacementPolicy", JR_DEFAULT_CALL, .fn = default_replacement_policy,
      .id = "default-pod-replacement-policy", JR_DEFAULT_BEHIND(JobPodReplacementPolicy) },
    { "manualSelector", .how = JR_DEFAULT_FALSE, .id = "default-manual-selector" },
    JR_DEFAULT_END,
};
static const struct jr_default_row conditions_of_pods[] = {
    { "podFailurePolicy", JR_DEFAULT_IN, .table = failure_policy },
    JR_DEFAULT_END,
};

/** metadata.labels, where there are none, are the template's. */
static enum jr_status default_labels(struct jr_node *job, const struct jr_node *template,
                                     struct jr_defaulting_log *log)
{
    const struct jr_node *from = jr_path(template, "metadata.labels");
    struct jr_node *meta, *have = jr_path(job, "metadata.labels");
    enum jr_status st;

    if (jr_node_kind(from) != JR_OBJECT || jr_size(from) == 0)
        return JR_OK;
    if (!jr_unset(have) && (jr_node_kind(have) != JR_OBJECT || jr_size(have) > 0))
        return JR_OK;
    st = jr_ensure_object(job, "metadata", &meta);
    if (st == JR_OK)
        st = jr_set_copy(meta, JR_S("labels"), from, NULL);
    if (st == JR_OK)
        jr_defaulting_note(log, &JR_FIELD(NULL, "metadata"), "labels", "default-labels");
    return st == JR_TYPE ? JR_OK : st;
}

/** The member as an object, new where it is absent; *ret is NULL where it is something else. */
static enum jr_status ensure_object(struct jr_node *object, const char *key, struct jr_node **ret)
{
    enum jr_status st = jr_ensure_object(object, key, ret);

    if (st != JR_TYPE)
        return st;
    *ret = NULL;
    return JR_OK;
}

enum jr_status jr_job_spec_default(struct jr_node *spec, bool conditions,
                                   const struct jr_profile *profile,
                                   const struct jr_field_path *path, struct jr_defaulting_log *log)
{
    const struct jr_field_path template_path = JR_FIELD(path, "template");
    struct jr_node *template, *pod = NULL;
    enum jr_status st = ensure_object(spec, "template", &template);

    if (st == JR_OK && template != NULL)
        st = ensure_object(template, "spec", &pod);
    if (st == JR_OK && conditions)
        st = jr_defaults_apply(conditions_of_pods, spec, profile, path, log);
    return st == JR_OK ? jr_pod_spec_default(pod, profile, &JR_FIELD(&template_path, "spec"), log)
                       : st;
}

static enum jr_status apply_defaults(struct jr_node *job, const struct jr_profile *profile,
                                     bool labels, struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    struct jr_node *spec, *template;
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = ensure_object(job, "spec", &spec);
    if (st != JR_OK || spec == NULL)
        return st;
    st = ensure_object(spec, "template", &template);
    if (st == JR_OK)
        st = jr_defaults_apply(counts, spec, profile, &path, log);
    if (st == JR_OK && labels)
        st = default_labels(job, template, log);
    if (st == JR_OK)
        st = jr_defaults_apply(modes, spec, profile, &path, log);
    return st == JR_OK ? jr_job_spec_default(spec, true, profile, &path, log) : st;
}

enum jr_status jr_job_default(struct jr_node *job, const struct jr_profile *profile)
{
    return apply_defaults(job, profile, true, NULL);
}

enum jr_status jr_job_default_sent(struct jr_node *job, const struct jr_profile *profile)
{
    return apply_defaults(job, profile, false, NULL);
}

enum jr_status jr_job_complete(struct jr_node *job, const struct jr_profile *profile,
                               struct jr_defaulting_log *log)
{
    enum jr_status st = apply_defaults(job, profile, true, log);

    if (st == JR_OK)
        st = jr_job_generate(job, log);
    return st == JR_OK ? apply_defaults(job, profile, true, log) : st;
}

/** Whether the object has all these members, and none is empty. */
static bool has_all(const struct jr_node *object, const char *names)
{
    struct jr_str rest = jr_str(names), name;
    const struct jr_node *n = object;

    while (!jr_unset(n) && jr_str_cut(&rest, ',', &name)) {
        n = jr_getn(object, name);
        if (jr_node_kind(n) == JR_STRING && jr_node_str(n).n == 0)
            return false;
    }
    return !jr_unset(n);
}

bool jr_job_is_defaulted(const struct jr_node *job)
{
    return has_all(jr_get(job, "spec"),
                   "parallelism,backoffLimit,completionMode,suspend,manualSelector") &&
           has_all(jr_path(job, "spec.template.spec"),
                   "restartPolicy,terminationGracePeriodSeconds,dnsPolicy,securityContext,"
                   "schedulerName");
}

enum jr_status jr_job_complete_sent(struct jr_node *job, const struct jr_profile *profile,
                                    struct jr_defaulting_log *log)
{
    if (jr_job_is_defaulted(job) && jr_get_str(jr_get(job, "metadata"), "uid").n == 0)
        return apply_defaults(job, profile, true, log);
    return jr_job_complete(job, profile, log);
}
