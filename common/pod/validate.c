#include "common/pod/parts.h"

#define POD_DEADLINE_MAX INT32_MAX

/* ---- metadata ---- */

static void check_metadata(const struct jr_node *template, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_node *meta = jr_get(template, "metadata");
    const struct jr_labels labels = jr_string_map(jr_get(meta, "labels"), errs);
    const struct jr_labels annotations = jr_string_map(jr_get(meta, "annotations"), errs);

    /* upstream leaves "metadata" out of these paths */
    jr_validate_labels(&labels, &JR_FIELD(path, "labels"), JR_RULE_TEMPLATE_LABEL_KEY,
                       JR_RULE_TEMPLATE_LABEL_VALUE, errs);
    jr_validate_annotations(&annotations, &JR_FIELD(path, "annotations"),
                            JR_RULE_TEMPLATE_ANNOTATION_KEY, JR_RULE_TEMPLATE_ANNOTATIONS_SIZE,
                            errs);
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

/* Names that may be left out, in the order in which they are checked; activeDeadlineSeconds comes
 * after the second one. */
static const struct name_rule {
    const char *name;
    enum jr_rule rule;
    struct jr_faults (*check)(struct jr_str s);
} names_before[] = {
    { "serviceAccountName", JR_RULE_SERVICE_ACCOUNT, jr_name_subdomain },
    { "nodeName", JR_RULE_NODE_NAME, jr_name_subdomain },
}, names_after[] = {
    { "hostname", JR_RULE_HOSTNAME, jr_name_dns_label },
    { "subdomain", JR_RULE_SUBDOMAIN, jr_name_dns_label },
    { "priorityClassName", JR_RULE_PRIORITY_CLASS, jr_name_subdomain },
};

static void check_names(const struct name_rule *rules, size_t n, const struct jr_node *pod,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    for (size_t i = 0; i < n; i++) {
        struct jr_str s = jr_get_str(pod, rules[i].name);
        struct jr_faults faults;

        if (s.n == 0 && rules[i].rule == JR_RULE_SERVICE_ACCOUNT)
            s = jr_get_str(pod, "serviceAccount"); /* its old name */
        faults = rules[i].check(s);
        if (s.n > 0)
            jr_rule_faults(errs, rules[i].rule, &JR_FIELD(path, rules[i].name), s, &faults);
    }
}

static void check_deadline(const struct jr_node *pod, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_node *node = jr_get(pod, "activeDeadlineSeconds");
    int64_t v;

    if (jr_node_i64(node, &v) == JR_OK && (v < 1 || v > POD_DEADLINE_MAX))
        jr_rule_broken(errs, JR_RULE_POD_DEADLINE, &JR_FIELD(path, "activeDeadlineSeconds"),
                       jr_errlist_int(errs, v));
}

static void check_pod_spec(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *pod = p->spec;
    struct jr_errlist *errs = p->errs;
    const struct jr_labels node_selector = jr_string_map(jr_get(pod, "nodeSelector"), errs);

    if (jr_unset(jr_get(pod, "terminationGracePeriodSeconds")))
        jr_rule_broken(errs, JR_RULE_GRACE_PERIOD_REQUIRED,
                       &JR_FIELD(path, "terminationGracePeriodSeconds"), JR_NO_VALUE);
    jr_pod_check_volumes(p, &JR_FIELD(path, "volumes"));
    jr_pod_check_containers(p, path);
    check_policies(pod, path, errs);
    jr_validate_labels(&node_selector, &JR_FIELD(path, "nodeSelector"), JR_RULE_NODE_SELECTOR_KEY,
                       JR_RULE_NODE_SELECTOR_VALUE, errs);
    check_names(names_before, JR_ARRAY_SIZE(names_before), pod, path, errs);
    check_deadline(pod, path, errs);
    check_names(names_after, JR_ARRAY_SIZE(names_after), pod, path, errs);
    jr_pod_check_file_keys(p, path);
}

void jr_pod_template_validate(const struct jr_node *template, const struct jr_pod_opts *opts,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(path, "spec");
    struct jr_pod_check p = { .spec = jr_get(template, "spec"),
                              .opts = opts,
                              .volumes = { .arena = errs->arena },
                              .errs = errs };

    check_metadata(template, path, errs);
    check_pod_spec(&p, &spec);
    if (jr_size(jr_get(p.spec, "ephemeralContainers")) > 0)
        jr_rule_broken(errs, JR_RULE_EPHEMERAL_CONTAINERS, &JR_FIELD(&spec, "ephemeralContainers"),
                       JR_NO_VALUE);
}

void jr_pod_containers_validate(const struct jr_node *pod_spec, const struct jr_pod_opts *opts,
                                const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_pod_check p = {
        .spec = pod_spec, .opts = opts, .volumes = { .arena = errs->arena }, .errs = errs
    };

    jr_pod_check_volumes(&p, &JR_FIELD(path, "volumes"));
    jr_pod_check_containers(&p, path);
    jr_pod_check_file_keys(&p, path);
    jr_pod_check_images(&p, path);
}
