/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of Pod templates: the PodSpec's own fields, and the order of all parts. */
#include "common/pod/pod_parts.h"

#define POD_DEADLINE_MAX INT32_MAX

/* ---- metadata ---- */

static void check_metadata(struct jr_pod_check *p, const struct jr_node *meta,
                           const struct jr_field_path *path)
{
    const struct jr_labels labels = jr_string_map(jr_get(meta, "labels"), p->errs);
    const struct jr_labels annotations = jr_string_map(jr_get(meta, "annotations"), p->errs);
    /* upstream leaves "metadata" out of these paths */
    const struct jr_field_path meta_path = JR_FIELD_HIDDEN(path, JR_S("metadata"));
    const struct jr_field_path annotations_path = JR_FIELD(&meta_path, "annotations");

    jr_validate_labels(&labels, &JR_FIELD(&meta_path, "labels"), JR_RULE_TEMPLATE_LABEL_KEY,
                       JR_RULE_TEMPLATE_LABEL_VALUE, p->errs);
    jr_validate_annotations(&annotations, &annotations_path, JR_RULE_TEMPLATE_ANNOTATION_KEY,
                            JR_RULE_TEMPLATE_ANNOTATIONS_SIZE, p->errs);
    jr_pod_check_annotations(p, jr_get(meta, "annotations"), &annotations_path);
}

/* ---- the Pod's own fields ---- */

/** A name whose field had another name once. */
static void check_service_account(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_str s = jr_get_str(p->spec, "serviceAccountName");

    if (s.n == 0)
        s = jr_get_str(p->spec, "serviceAccount");
    if (s.n > 0)
        jr_validate_name(p->errs, JR_RULE_SERVICE_ACCOUNT, &JR_FIELD(path, "serviceAccountName"), s,
                         jr_name_subdomain);
}

static void check_node_selector(struct jr_pod_check *p, const struct jr_node *selector,
                                const struct jr_field_path *path)
{
    const struct jr_labels labels = jr_string_map(selector, p->errs);

    jr_validate_labels(&labels, path, JR_RULE_NODE_SELECTOR_KEY, JR_RULE_NODE_SELECTOR_VALUE,
                       p->errs);
}

static const char *const restart_policies[] = { "Always", "OnFailure", "Never", NULL };
static const char *const dns_policies[] = { "ClusterFirstWithHostNet", "ClusterFirst", "Default",
                                            "None", NULL };
static const char *const preemption_policies[] = { "PreemptLowerPriority", "Never", NULL };

/** In upstream's order. */
static const struct jr_field_rule pod_rules[] = {
    JR_REQUIRED("terminationGracePeriodSeconds", SET, GRACE_PERIOD_REQUIRED),
    JR_CALL(JR_ALWAYS, "volumes", jr_pod_check_volumes),
    JR_PART(jr_pod_check_resource_claims),
    JR_PART(jr_pod_check_containers),
    JR_PART(jr_pod_check_own_resources),
    JR_PART(jr_pod_check_network_ports),
    JR_ENUM(JR_ALWAYS, "restartPolicy", POD_RESTART_REQUIRED, POD_RESTART, restart_policies),
    JR_ENUM(JR_ALWAYS, "dnsPolicy", DNS_POLICY_REQUIRED, DNS_POLICY, dns_policies),
    JR_CALL(JR_ALWAYS, "nodeSelector", check_node_selector),
    JR_PART(jr_pod_check_security),
    JR_PART(jr_pod_check_privileged_profiles),
    JR_PART(jr_pod_check_affinity),
    JR_PART(jr_pod_check_dns_config),
    JR_PART(jr_pod_check_gates),
    JR_PART(jr_pod_check_spread),
    JR_PART(jr_pod_check_host_process),
    JR_PART(jr_pod_check_host_users),
    JR_PART(jr_pod_check_hostname_override),
    JR_PART(check_service_account),
    JR_SYNTAX(JR_IF_TEXT, "nodeName", NODE_NAME, jr_name_subdomain),
    JR_RANGE(JR_IF_SET, "activeDeadlineSeconds", POD_DEADLINE, 1, POD_DEADLINE_MAX),
    JR_SYNTAX(JR_IF_TEXT, "hostname", HOSTNAME, jr_name_dns_label),
    JR_SYNTAX(JR_IF_TEXT, "subdomain", SUBDOMAIN, jr_name_dns_label),
    JR_EACH_BY("tolerations", jr_pod_check_toleration),
    JR_EACH_BY("hostAliases", jr_pod_check_host_alias),
    JR_SYNTAX(JR_IF_TEXT, "priorityClassName", PRIORITY_CLASS, jr_name_subdomain),
    JR_SYNTAX(JR_IF_SET, "runtimeClassName", RUNTIME_CLASS, jr_name_subdomain),
    JR_ENUM(JR_IF_SET, "preemptionPolicy", PREEMPTION_REQUIRED, PREEMPTION, preemption_policies),
    JR_CALL(JR_IF_SET, "overhead", jr_pod_check_limits),
    JR_PART(jr_pod_check_os),
    JR_PART(jr_pod_check_scheduling_group),
    JR_PART(jr_pod_check_file_keys),
    { .name = NULL },
};

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
    jr_pod_check_fields(&p, pod_rules, p.spec, &spec);
    jr_pod_check_old_profiles(&p, jr_get(meta, "annotations"), &spec);
    if (jr_size(jr_get(p.spec, "ephemeralContainers")) > 0)
        jr_violation(errs, JR_RULE_EPHEMERAL_CONTAINERS, &JR_FIELD(&spec, "ephemeralContainers"));
}

void jr_pod_containers_validate(const struct jr_node *pod_spec, const struct jr_pod_opts *opts,
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_pod_check p = { .spec = pod_spec, .opts = opts, .errs = errs };

    jr_pod_check_volumes(&p, jr_get(pod_spec, "volumes"), &JR_FIELD(path, "volumes"));
    jr_pod_check_containers(&p, path);
    jr_pod_check_file_keys(&p, path);
    jr_pod_check_images(&p, path);
}
