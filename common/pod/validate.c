#include "common/pod/pod_parts.h"

#define POD_DEADLINE_MAX INT32_MAX

/* ---- metadata ---- */

static void check_metadata(struct jr_pod_check *p, const struct jr_node *meta,
                           const struct jr_field_path *path)
{
    const struct jr_labels labels = jr_string_map(jr_get(meta, "labels"), p->errs);
    const struct jr_labels annotations = jr_string_map(jr_get(meta, "annotations"), p->errs);
    const struct jr_field_path annotations_path = JR_FIELD(path, "annotations");

    /* upstream leaves "metadata" out of these paths */
    jr_validate_labels(&labels, &JR_FIELD(path, "labels"), JR_RULE_TEMPLATE_LABEL_KEY,
                       JR_RULE_TEMPLATE_LABEL_VALUE, p->errs);
    jr_validate_annotations(&annotations, &annotations_path, JR_RULE_TEMPLATE_ANNOTATION_KEY,
                            JR_RULE_TEMPLATE_ANNOTATIONS_SIZE, p->errs);
    jr_pod_check_annotations(p, jr_get(meta, "annotations"), &annotations_path);
}

/* ---- the Pod's own fields ---- */

static void check_policies(const struct jr_node *pod, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    static const char *const restart_policies[] = { "Always", "OnFailure", "Never", NULL };
    static const char *const dns_policies[] = { "ClusterFirstWithHostNet", "ClusterFirst",
                                                "Default", "None", NULL };
    static const struct jr_enum_rule restart = { restart_policies, JR_RULE_POD_RESTART_REQUIRED,
                                                 JR_RULE_POD_RESTART };
    static const struct jr_enum_rule dns = { dns_policies, JR_RULE_DNS_POLICY_REQUIRED,
                                             JR_RULE_DNS_POLICY };

    jr_validate_enum(&restart, jr_get(pod, "restartPolicy"), &JR_FIELD(path, "restartPolicy"),
                     errs);
    jr_validate_enum(&dns, jr_get(pod, "dnsPolicy"), &JR_FIELD(path, "dnsPolicy"), errs);
}

/** A name that may be left out. */
static void check_name(struct jr_pod_check *p, const char *field, enum jr_rule rule,
                       struct jr_faults (*check)(struct jr_str s), const struct jr_field_path *path)
{
    struct jr_str s = jr_get_str(p->spec, field);
    struct jr_faults faults;

    if (s.n == 0 && rule == JR_RULE_SERVICE_ACCOUNT)
        s = jr_get_str(p->spec, "serviceAccount"); /* its old name */
    if (s.n == 0)
        return;
    faults = check(s);
    jr_rule_faults(p->errs, rule, &JR_FIELD(path, field), s, &faults);
}

/** Unlike other names it may be absent, but not "". */
static void check_runtime_class(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *name = jr_get(p->spec, "runtimeClassName");

    if (!jr_unset(name))
        jr_validate_name(p->errs, JR_RULE_RUNTIME_CLASS, &JR_FIELD(path, "runtimeClassName"),
                         jr_node_str(name), jr_name_subdomain);
}

static void check_preemption(struct jr_pod_check *p, const struct jr_field_path *path)
{
    static const char *const policies[] = { "PreemptLowerPriority", "Never", NULL };
    static const struct jr_enum_rule rule = { policies, JR_RULE_PREEMPTION_REQUIRED,
                                              JR_RULE_PREEMPTION };
    const struct jr_node *policy = jr_get(p->spec, "preemptionPolicy");

    if (!jr_unset(policy))
        jr_validate_enum(&rule, policy, &JR_FIELD(path, "preemptionPolicy"), p->errs);
}

static void check_deadline(const struct jr_node *pod, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_node *node = jr_get(pod, "activeDeadlineSeconds");
    int64_t v;

    if (jr_node_i64(node, &v) == JR_OK && (v < 1 || v > POD_DEADLINE_MAX))
        jr_violation_int(errs, JR_RULE_POD_DEADLINE, &JR_FIELD(path, "activeDeadlineSeconds"), v);
}

/** From where the Pod runs to whom it is. */
static void check_places(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_labels node_selector = jr_string_map(jr_get(p->spec, "nodeSelector"), p->errs);

    jr_pod_check_network_ports(p, path);
    check_policies(p->spec, path, p->errs);
    jr_validate_labels(&node_selector, &JR_FIELD(path, "nodeSelector"), JR_RULE_NODE_SELECTOR_KEY,
                       JR_RULE_NODE_SELECTOR_VALUE, p->errs);
    jr_pod_check_security(p, path);
    jr_pod_check_affinity(p, path);
    jr_pod_check_dns_config(p, path);
    jr_pod_check_gates(p, path);
    jr_pod_check_spread(p, path);
    jr_pod_check_host_process(p, path);
    jr_pod_check_host_users(p, path);
    jr_pod_check_hostname_override(p, path);
}

static void check_pod_spec(struct jr_pod_check *p, const struct jr_field_path *path)
{
    if (jr_unset(jr_get(p->spec, "terminationGracePeriodSeconds")))
        jr_violation(p->errs, JR_RULE_GRACE_PERIOD_REQUIRED,
                     &JR_FIELD(path, "terminationGracePeriodSeconds"));
    jr_pod_check_volumes(p, &JR_FIELD(path, "volumes"));
    jr_pod_check_resource_claims(p, path);
    jr_pod_check_containers(p, path);
    jr_pod_check_own_resources(p, path);
    check_places(p, path);
    check_name(p, "serviceAccountName", JR_RULE_SERVICE_ACCOUNT, jr_name_subdomain, path);
    check_name(p, "nodeName", JR_RULE_NODE_NAME, jr_name_subdomain, path);
    check_deadline(p->spec, path, p->errs);
    check_name(p, "hostname", JR_RULE_HOSTNAME, jr_name_dns_label, path);
    check_name(p, "subdomain", JR_RULE_SUBDOMAIN, jr_name_dns_label, path);
    jr_pod_check_tolerations(p, path);
    jr_pod_check_host_aliases(p, path);
    check_name(p, "priorityClassName", JR_RULE_PRIORITY_CLASS, jr_name_subdomain, path);
    check_runtime_class(p, path);
    check_preemption(p, path);
    jr_pod_check_overhead(p, path);
    jr_pod_check_os(p, path);
    jr_pod_check_scheduling_group(p, path);
    jr_pod_check_file_keys(p, path);
}

void jr_pod_template_validate(const struct jr_node *template, const struct jr_pod_opts *opts,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(path, "spec");
    const struct jr_node *meta = jr_get(template, "metadata");
    struct jr_pod_check p = { .spec = jr_get(template, "spec"), .opts = opts, .errs = errs };

    if (opts->failed != JR_OK) {
        errs->failed = opts->failed;
        return;
    }
    check_metadata(&p, meta, path);
    check_pod_spec(&p, &spec);
    jr_pod_check_old_profiles(&p, jr_get(meta, "annotations"), &spec);
    if (jr_size(jr_get(p.spec, "ephemeralContainers")) > 0)
        jr_violation(errs, JR_RULE_EPHEMERAL_CONTAINERS, &JR_FIELD(&spec, "ephemeralContainers"));
}

void jr_pod_containers_validate(const struct jr_node *pod_spec, const struct jr_pod_opts *opts,
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_pod_check p = { .spec = pod_spec, .opts = opts, .errs = errs };

    jr_pod_check_volumes(&p, &JR_FIELD(path, "volumes"));
    jr_pod_check_containers(&p, path);
    jr_pod_check_file_keys(&p, path);
    jr_pod_check_images(&p, path);
}
