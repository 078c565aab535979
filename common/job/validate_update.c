/* SPDX-License-Identifier: Apache-2.0 */
/* Validates an update of a Job: what is immutable, and what may change while it is suspended. */
#include "common/job/validate_parts.h"
#include "common/schema/equal.h"

/* ---- helpers over two trees ---- */

/** A Pod template is shown as a manifest has it: Go's internal type is 3 KB of nulls, in an order
 * of its own (docs/differences.md). */
static struct jr_str shown_value(const struct jr_schema_type *type, const char *name,
                                 const struct jr_node *node, struct jr_errlist *errs)
{
    const bool template = strcmp(name, "template") == 0 || type == &jr_schema_pod_template_spec;

    return template ? jr_rule_json(errs, node) : jr_rule_shown(errs, type, name, node);
}

/** A field of this type, the last of path, whose name is a constant. */
static void check_immutable(const struct jr_schema_type *type, const struct jr_node *now,
                            const struct jr_node *was, enum jr_rule rule,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (!jr_schema_equal(type, path->name.p, now, was))
        jr_rule_violated(errs, rule, path, shown_value(type, path->name.p, now, errs));
}

/* ---- what the old object allows ---- */

static bool had_prefixed_labels(const struct jr_job *old)
{
    const struct jr_labels *l = &old->spec.template.labels;

    return jr_labels_get(l, JR_S(JR_LABEL_JOB_NAME)).p != NULL &&
           jr_labels_get(l, JR_S(JR_LABEL_CONTROLLER_UID)).p != NULL;
}

static bool has_bad_selector_value(const struct jr_selector *s)
{
    for (size_t i = 0; i < s->match_expressions.n; i++) {
        const struct jr_strs *values = &s->match_expressions.v[i].values;

        for (size_t k = 0; k < values->n; k++) {
            if (jr_name_label_value(values->v[k]).n > 0)
                return true;
        }
    }
    return false;
}

/** Which parts of the template may change. */
struct mutable_parts {
    bool suspended;
    bool scheduling;
    bool resources;
};

static struct mutable_parts mutable_parts(const struct jr_job *old,
                                          const struct jr_profile *profile)
{
    const struct jr_job_status *st = &old->status;
    struct mutable_parts m = { .suspended = jr_bool_or(old->spec.suspend, false) };
    const bool unstarted = jr_kube_has(profile->version, JR_CHANGE_NEVER_STARTED_IS_MUTABLE) &&
                           !jr_time_set(st->start_time);
    const bool quiet = m.suspended && st->active == 0 &&
                       (unstarted || jr_job_condition_true(&st->conditions, "Suspended"));

    if (profile->gates[JR_GATE_MutableSchedulingDirectivesForSuspendedJobs])
        m.scheduling = quiet;
    else
        m.scheduling = m.suspended && !jr_time_set(st->start_time);
    m.resources = quiet && profile->gates[JR_GATE_MutablePodResourcesForSuspendedJobs];
    return m;
}

/* ---- the template ---- */

/** Makes to's member that of from: a copy, or absent. A wrong type is left alone. */
static enum jr_status take_member(struct jr_node *to, const struct jr_node *from, const char *key)
{
    const struct jr_node *v = jr_get(from, key);

    if (jr_node_kind(to) != JR_OBJECT)
        return JR_OK;
    if (v != NULL)
        return jr_set_copy(to, jr_str(key), v, NULL);
    jr_remove(to, jr_str(key), NULL);
    return JR_OK;
}

static bool has_members_set(const struct jr_node *object)
{
    JR_EACH(m, object) {
        if (!jr_unset(m))
            return true;
    }
    return false;
}

/** Only node affinity may change: the rest of the old affinity stays. */
static enum jr_status take_node_affinity(struct jr_node *old_pod, const struct jr_node *pod)
{
    const struct jr_node *affinity = jr_get(pod, "affinity");
    struct jr_node *old_affinity = jr_get(old_pod, "affinity");
    enum jr_status st;

    if (jr_unset(affinity)) {
        if (jr_node_kind(old_affinity) != JR_OBJECT)
            return JR_OK;
        jr_remove(old_affinity, JR_S("nodeAffinity"), NULL);
        if (!has_members_set(old_affinity))
            jr_remove(old_pod, JR_S("affinity"), NULL);
        return JR_OK;
    }
    st = jr_ensure_object(old_pod, "affinity", &old_affinity);
    if (st == JR_OK)
        st = take_member(old_affinity, affinity, "nodeAffinity");
    return st == JR_TYPE ? JR_OK : st;
}

static enum jr_status take_scheduling(struct jr_node *old, const struct jr_node *template)
{
    static const char *const of_pod[] = { "nodeSelector", "tolerations", "schedulingGates" };
    static const char *const of_meta[] = { "annotations", "labels" };
    const struct jr_node *pod = jr_get(template, "spec"), *meta = jr_get(template, "metadata");
    struct jr_node *old_pod = jr_get(old, "spec"), *old_meta;
    enum jr_status st = JR_OK;

    if (jr_node_kind(old_pod) != JR_OBJECT)
        return JR_OK;
    st = take_node_affinity(old_pod, pod);
    for (size_t i = 0; i < JR_ARRAY_SIZE(of_pod) && st == JR_OK; i++)
        st = take_member(old_pod, pod, of_pod[i]);
    if (st == JR_OK)
        st = jr_ensure_object(old, "metadata", &old_meta);
    for (size_t i = 0; i < JR_ARRAY_SIZE(of_meta) && st == JR_OK; i++)
        st = take_member(old_meta, meta, of_meta[i]);
    return st == JR_TYPE ? JR_OK : st;
}

/** Of containers at the same index with the same name, where the lists are equally long. */
static enum jr_status take_resources(struct jr_node *old_pod, const struct jr_node *pod,
                                     const char *list)
{
    const struct jr_node *c = jr_first(jr_get(pod, list));
    struct jr_node *old = jr_first(jr_get(old_pod, list));
    enum jr_status st = JR_OK;

    if (jr_size(jr_get(pod, list)) != jr_size(jr_get(old_pod, list)))
        return JR_OK;
    for (; c != NULL && old != NULL && st == JR_OK; c = jr_next(c), old = jr_next(old)) {
        if (jr_str_eq(jr_get_str(c, "name"), jr_get_str(old, "name")))
            st = take_member(old, c, "resources");
    }
    return st;
}

/** The old template, with what may change taken over from the new one. */
static enum jr_status allowed_template(const struct jr_object *job, const struct jr_object *old,
                                       const struct mutable_parts *m, struct jr_doc **ret)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    const struct jr_node *template = jr_object_node(job, "spec.template");
    const struct jr_node *pod = jr_get(template, "spec");
    struct jr_node *copy;
    enum jr_status st = jr_doc_of(jr_object_node(old, "spec.template"), &doc);

    if (st != JR_OK)
        return st;
    copy = jr_doc_root(doc);
    if (m->scheduling && jr_node_kind(copy) == JR_OBJECT)
        st = take_scheduling(copy, template);
    if (st == JR_OK && m->resources)
        st = take_resources(jr_get(copy, "spec"), pod, "containers");
    if (st == JR_OK && m->resources)
        st = take_resources(jr_get(copy, "spec"), pod, "initContainers");
    if (st == JR_OK)
        *ret = jr_steal(&doc);
    return st;
}

static void check_template(const struct jr_object *job, const struct jr_object *old,
                           const struct jr_profile *profile, const struct jr_field_path *spec,
                           struct jr_errlist *errs)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *allowed = NULL;
    const struct mutable_parts m = mutable_parts(old->job, profile);
    const struct jr_field_path path = JR_FIELD(spec, "template");
    const struct jr_node *root;
    enum jr_status st = allowed_template(job, old, &m, &allowed);

    if (st != JR_OK) {
        errs->failed = st;
        return;
    }
    root = jr_doc_root_const(allowed);
    if (m.resources)
        check_immutable(&jr_schema_pod_template_spec, jr_object_node(job, "spec.template.spec"),
                        jr_get(root, "spec"), JR_RULE_TEMPLATE_SPEC_IMMUTABLE,
                        &JR_FIELD(&path, "spec"), errs);
    else
        check_immutable(&jr_schema_job_spec, jr_object_node(job, "spec.template"), root,
                        JR_RULE_TEMPLATE_IMMUTABLE, &path, errs);
}

/* ---- the spec ---- */

static void check_completions(const struct jr_object *job, const struct jr_object *old,
                              const struct jr_field_path *spec, struct jr_errlist *errs)
{
    const struct jr_opt_i32 now = job->job->spec.completions, was = old->job->spec.completions;
    const struct jr_field_path path = JR_FIELD(spec, "completions");
    const struct jr_str value = now.set ? jr_errlist_int(errs, now.v) : JR_S("null");

    if (now.set == was.set && (!now.set || now.v == was.v))
        return;
    if (!jr_str_is(job->job->spec.completion_mode, "Indexed"))
        jr_rule_violated(errs, JR_RULE_COMPLETIONS_IMMUTABLE, &path, value);
    else if (now.set && now.v != jr_i32_or(job->job->spec.parallelism, 1))
        jr_rule_violated(errs, JR_RULE_COMPLETIONS_TANDEM, &path, value);
}

static void check_spec_update(const struct jr_object *job, const struct jr_object *old,
                              const struct jr_profile *profile, struct jr_errlist *errs)
{
    static const struct {
        const char *name;
        enum jr_rule rule;
    } rows[] = {
        { "completionMode", JR_RULE_MODE_IMMUTABLE },
        { "podFailurePolicy", JR_RULE_FAILURE_POLICY_IMMUTABLE },
        { "backoffLimitPerIndex", JR_RULE_PER_INDEX_IMMUTABLE },
        { "managedBy", JR_RULE_MANAGED_BY_IMMUTABLE },
        { "successPolicy", JR_RULE_SUCCESS_POLICY_IMMUTABLE },
    };
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    const struct jr_node *now = jr_object_node(job, "spec"), *was = jr_object_node(old, "spec");

    check_completions(job, old, &path, errs);
    check_immutable(&jr_schema_job_spec, jr_get(now, "selector"), jr_get(was, "selector"),
                    JR_RULE_SELECTOR_IMMUTABLE, &JR_FIELD(&path, "selector"), errs);
    check_template(job, old, profile, &path, errs);
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++)
        check_immutable(&jr_schema_job_spec, jr_get(now, rows[i].name), jr_get(was, rows[i].name),
                        rows[i].rule, &JR_FIELD(&path, rows[i].name), errs);
    jr_validate_scheduling_variant(jr_get(now, "scheduling"), jr_get(was, "scheduling"),
                                   &JR_FIELD(&path, "scheduling"), errs);
}

void jr_job_validate_update(const struct jr_object *job, const struct jr_object *old,
                            const struct jr_profile *profile, struct jr_errlist *errs)
{
    const struct jr_spec_opts opts = {
        .prefixed_labels = had_prefixed_labels(old->job),
        .any_selector_values = has_bad_selector_value(&old->job->spec.selector),
        .pod = jr_pod_opts_of(jr_object_node(job, "spec.template"),
                              jr_object_node(old, "spec.template"), profile),
    };

    const bool once = jr_kube_has(profile->version, JR_CHANGE_UPDATE_VALIDATED_ONCE);

    errs->version = profile->version;
    jr_validate_meta_any_update(&job->job->meta, &old->job->meta, errs);
    if (!once)
        jr_validate_job(job, &opts, errs);
    jr_validate_meta_update(&job->job->meta, &old->job->meta, errs);
    jr_validate_job_spec(job, old, &opts, errs); /* before 1.37 again: these causes came twice */
    check_spec_update(job, old, profile, errs);
    jr_validate_delegation(job->root, old->root, NULL, errs);
    if (once)
        jr_validate_indexed_hostname(job->job, errs);
    jr_validate_job_declared(job, old, profile, errs);
}
