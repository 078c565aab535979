#include "common/job/defaults.h"

#include "common/api/job.h"
#include "common/job/generate.h"
#include "common/pod/defaults.h"
#include "common/rules/dflt.h"

/* ---- the Job's own fields ---- */

static enum jr_status default_counts(struct jr_node *spec)
{
    bool completions = !jr_unset(jr_get(spec, "completions"));
    bool parallelism = !jr_unset(jr_get(spec, "parallelism"));
    enum jr_status st = JR_OK;

    if (!completions && !parallelism)
        st = jr_set_i64(spec, "completions", 1);
    if (st == JR_OK && !parallelism)
        st = jr_set_i64(spec, "parallelism", 1);
    return st;
}

static enum jr_status default_backoff_limit(struct jr_node *spec)
{
    bool per_index = !jr_unset(jr_get(spec, "backoffLimitPerIndex"));

    if (!jr_unset(jr_get(spec, "backoffLimit")))
        return JR_OK;
    return jr_set_i64(spec, "backoffLimit", per_index ? INT32_MAX : 6);
}

static enum jr_status default_replacement_policy(struct jr_node *spec)
{
    bool failure_policy = !jr_unset(jr_get(spec, "podFailurePolicy"));

    if (!jr_unset(jr_get(spec, "podReplacementPolicy")))
        return JR_OK;
    return jr_set_str(spec, "podReplacementPolicy",
                      failure_policy ? JR_S("Failed") : JR_S("TerminatingOrFailed"));
}

static const struct jr_dflt pod_condition[] = {
    { "status", JR_DFLT_TEXT, .text = "True" },
    JR_DFLT_END,
};
static const struct jr_dflt failure_rule[] = {
    { "onPodConditions", JR_DFLT_EACH, .table = pod_condition },
    JR_DFLT_END,
};
static const struct jr_dflt failure_policy[] = {
    { "rules", JR_DFLT_EACH, .table = failure_rule },
    JR_DFLT_END,
};
static const struct jr_dflt counts[] = {
    { NULL, JR_DFLT_CALL, .fn = default_counts },
    { NULL, JR_DFLT_CALL, .fn = default_backoff_limit },
    JR_DFLT_END,
};
static const struct jr_dflt modes[] = {
    { "completionMode", JR_DFLT_TEXT_UNSET, .text = "NonIndexed" },
    { "suspend", .how = JR_DFLT_FALSE },
    JR_DFLT_END,
};
static const struct jr_dflt replacement_policy[] = {
    { NULL, JR_DFLT_CALL, .fn = default_replacement_policy },
    JR_DFLT_END,
};
static const struct jr_dflt selectors[] = {
    { "manualSelector", .how = JR_DFLT_FALSE },
    JR_DFLT_END,
};
static const struct jr_dflt everywhere[] = {
    { "podFailurePolicy", JR_DFLT_IN, .table = failure_policy },
    JR_DFLT_END,
};

/** metadata.labels, where there are none, are the template's. */
static enum jr_status default_labels(struct jr_node *job, const struct jr_node *template)
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

enum jr_status jr_job_spec_default(struct jr_node *spec)
{
    struct jr_node *template, *pod = NULL;
    enum jr_status st = ensure(spec, "template", &template);

    if (st == JR_OK && template != NULL)
        st = ensure(template, "spec", &pod);
    if (st == JR_OK)
        st = jr_dflt_apply(everywhere, spec);
    return st == JR_OK ? jr_pod_spec_default(pod) : st;
}

enum jr_status jr_job_default(struct jr_node *job, const struct jr_profile *profile)
{
    struct jr_node *spec, *template;
    enum jr_status st;

    if (jr_node_kind(job) != JR_OBJECT)
        return JR_OK;
    st = ensure(job, "spec", &spec);
    if (st != JR_OK || spec == NULL)
        return st;
    st = ensure(spec, "template", &template);
    if (st == JR_OK)
        st = jr_dflt_apply(counts, spec);
    if (st == JR_OK)
        st = default_labels(job, template);
    if (st == JR_OK)
        st = jr_dflt_apply(modes, spec);
    if (st == JR_OK && profile->gates[JR_GATE_JobPodReplacementPolicy])
        st = jr_dflt_apply(replacement_policy, spec);
    if (st == JR_OK)
        st = jr_dflt_apply(selectors, spec);
    return st == JR_OK ? jr_job_spec_default(spec) : st;
}

/* ---- the generated labels and selector ---- */

/** Who the Job is; n = 0: not known (yet). */
struct identity {
    struct jr_str name;
    struct jr_str uid;
    bool force; /* write what is not known as "", as the strategy does */
};

static enum jr_status add_absent(struct jr_node *map, const char *key, struct jr_str value)
{
    return jr_get(map, key) != NULL ? JR_OK : jr_set_str(map, key, value);
}

static enum jr_status generate_labels(struct jr_node *spec, const struct identity *who)
{
    static const char *const of_name[] = { JR_LABEL_JOB_NAME_LEGACY, JR_LABEL_JOB_NAME };
    static const char *const of_uid[] = { JR_LABEL_CONTROLLER_UID_LEGACY, JR_LABEL_CONTROLLER_UID };
    struct jr_node *at;
    enum jr_status st = jr_ensure_object(spec, "template", &at);

    if (st == JR_OK)
        st = jr_ensure_object(at, "metadata", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "labels", &at);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->name.n > 0 || who->force); i++)
        st = add_absent(at, of_name[i], who->name);
    for (size_t i = 0; i < 2 && st == JR_OK && (who->uid.n > 0 || who->force); i++)
        st = add_absent(at, of_uid[i], who->uid);
    return st;
}

static enum jr_status generate_selector(struct jr_node *spec, const struct identity *who)
{
    struct jr_node *at;
    enum jr_status st;

    if (who->uid.n == 0 && !who->force)
        return JR_OK;
    st = jr_ensure_object(spec, "selector", &at);
    if (st == JR_OK)
        st = jr_ensure_object(at, "matchLabels", &at);
    if (st == JR_OK)
        st = add_absent(at, JR_LABEL_CONTROLLER_UID, who->uid);
    return st;
}

static enum jr_status generate(struct jr_node *job, bool force)
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
    st = generate_labels(spec, &who);
    if (st == JR_OK)
        st = generate_selector(spec, &who);
    return st == JR_TYPE ? JR_OK : st; /* the decoder reports wrong types */
}

enum jr_status jr_job_generate(struct jr_node *job)
{
    return generate(job, false);
}

enum jr_status jr_job_generate_as_strategy(struct jr_node *job)
{
    return generate(job, true);
}
