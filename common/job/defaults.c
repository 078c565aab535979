#include "common/job/defaults.h"

#include "common/api/job.h"
#include "common/job/generate.h"
#include "common/pod/defaults.h"
#include "common/rules/default_table.h"

/* ---- the Job's own fields ---- */

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
    return jr_set_i64(spec, row->name, per_index ? INT32_MAX : 6);
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
    JR_DEFAULT_END,
};
static const struct jr_default_row replacement_policy[] = {
    { "podReplacementPolicy", JR_DEFAULT_CALL, .fn = default_replacement_policy,
      .id = "default-pod-replacement-policy" },
    JR_DEFAULT_END,
};
static const struct jr_default_row selectors[] = {
    { "manualSelector", .how = JR_DEFAULT_FALSE, .id = "default-manual-selector" },
    JR_DEFAULT_END,
};
static const struct jr_default_row everywhere[] = {
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
static enum jr_status ensure(struct jr_node *object, const char *key, struct jr_node **ret)
{
    enum jr_status st = jr_ensure_object(object, key, ret);

    if (st != JR_TYPE)
        return st;
    *ret = NULL;
    return JR_OK;
}

enum jr_status jr_job_spec_default(struct jr_node *spec, const struct jr_field_path *path,
                                   struct jr_defaulting_log *log)
{
    const struct jr_field_path template_path = JR_FIELD(path, "template");
    struct jr_node *template, *pod = NULL;
    enum jr_status st = ensure(spec, "template", &template);

    if (st == JR_OK && template != NULL)
        st = ensure(template, "spec", &pod);
    if (st == JR_OK)
        st = jr_defaults_apply(everywhere, spec, path, log);
    return st == JR_OK ? jr_pod_spec_default(pod, &JR_FIELD(&template_path, "spec"), log) : st;
}

static enum jr_status apply_defaults(struct jr_node *job, const struct jr_profile *profile,
                                     bool labels, struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    struct jr_node *spec, *template;
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = ensure(job, "spec", &spec);
    if (st != JR_OK || spec == NULL)
        return st;
    st = ensure(spec, "template", &template);
    if (st == JR_OK)
        st = jr_defaults_apply(counts, spec, &path, log);
    if (st == JR_OK && labels)
        st = default_labels(job, template, log);
    if (st == JR_OK)
        st = jr_defaults_apply(modes, spec, &path, log);
    if (st == JR_OK && profile->gates[JR_GATE_JobPodReplacementPolicy])
        st = jr_defaults_apply(replacement_policy, spec, &path, log);
    if (st == JR_OK)
        st = jr_defaults_apply(selectors, spec, &path, log);
    return st == JR_OK ? jr_job_spec_default(spec, &path, log) : st;
}

enum jr_status jr_job_default(struct jr_node *job, const struct jr_profile *profile)
{
    return apply_defaults(job, profile, true, NULL);
}

enum jr_status jr_job_default_sent(struct jr_node *job, const struct jr_profile *profile)
{
    return apply_defaults(job, profile, false, NULL);
}

/* ---- the generated labels and selector ---- */

/** Who the Job is; n = 0: not known (yet). */
struct identity {
    struct jr_str name;
    struct jr_str uid;
    bool force; /* write what is not known as "", as the strategy does */
};

static enum jr_status add_absent(struct jr_node *map, const struct jr_field_path *path,
                                 const struct jr_label *label, const char *id,
                                 struct jr_defaulting_log *log)
{
    if (jr_getn(map, label->key) != NULL)
        return JR_OK;
    jr_defaulting_note(log, &JR_FIELD_KEY(path, label->key), NULL, id);
    return jr_set_strn(map, label->key, label->value);
}

static enum jr_status generate_labels(struct jr_node *spec, const struct identity *who,
                                      struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec.template.metadata.labels");
    const struct jr_label of_name[] = { { JR_S(JR_LABEL_JOB_NAME_LEGACY), who->name },
                                        { JR_S(JR_LABEL_JOB_NAME), who->name } };
    const struct jr_label of_uid[] = { { JR_S(JR_LABEL_CONTROLLER_UID_LEGACY), who->uid },
                                       { JR_S(JR_LABEL_CONTROLLER_UID), who->uid } };
    struct jr_node *at;
    enum jr_status st = jr_ensure_object(spec, "template", &at);

    if (st == JR_OK)
        st = jr_ensure_object(at, "metadata", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "labels", &at);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->name.n > 0 || who->force); i++)
        st = add_absent(at, &path, &of_name[i], "generate-job-name-label", log);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->uid.n > 0 || who->force); i++)
        st = add_absent(at, &path, &of_uid[i], "generate-controller-uid-label", log);
    return st;
}

static enum jr_status generate_selector(struct jr_node *spec, const struct identity *who,
                                        struct jr_defaulting_log *log)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec.selector.matchLabels");
    const struct jr_label of_uid = { JR_S(JR_LABEL_CONTROLLER_UID), who->uid };
    struct jr_node *at;
    enum jr_status st;

    if (who->uid.n == 0 && !who->force)
        return JR_OK;
    st = jr_ensure_object(spec, "selector", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "matchLabels", &at);
    return st == JR_OK ? add_absent(at, &path, &of_uid, "generate-selector", log) : st;
}

static enum jr_status generate(struct jr_node *job, bool force, struct jr_defaulting_log *log)
{
    const struct identity who = {
        .name = jr_get_str(jr_get(job, "metadata"), "name"),
        .uid = jr_get_str(jr_get(job, "metadata"), "uid"),
        .force = force,
    };
    struct jr_node *spec = jr_get(job, "spec");
    enum jr_status st;

    if (jr_node_kind(spec) != JR_OBJECT || jr_node_bool_or(jr_get(spec, "manualSelector"), false))
        return JR_OK;
    if (who.name.n == 0 && who.uid.n == 0 && !force)
        return JR_OK;
    st = generate_labels(spec, &who, log);
    if (st == JR_OK)
        st = generate_selector(spec, &who, log);
    return st == JR_TYPE ? JR_OK : st; /* the decoder reports wrong types */
}

enum jr_status jr_job_generate(struct jr_node *job)
{
    return generate(job, false, NULL);
}

enum jr_status jr_job_generate_as_strategy(struct jr_node *job)
{
    return generate(job, true, NULL);
}

enum jr_status jr_job_complete(struct jr_node *job, const struct jr_profile *profile,
                               struct jr_defaulting_log *log)
{
    enum jr_status st = apply_defaults(job, profile, true, log);

    if (st == JR_OK)
        st = generate(job, false, log);
    return st == JR_OK ? apply_defaults(job, profile, true, log) : st;
}
