#include "common/job/texts.h"
#include "common/job/validate_parts.h"

#define POD_DEADLINE_MAX INT32_MAX

void jr_validate_enum(const struct jr_enum_rule *rule, const struct jr_node *node,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str s = jr_node_str(node);

    if (s.n == 0) {
        jr_rule_broken(errs, rule->required, path, JR_NO_VALUE);
        return;
    }
    for (const char *const *v = rule->values; *v != NULL; v++) {
        if (jr_str_is(s, *v))
            return;
    }
    jr_rule_broken(errs, rule->unsupported, path, jr_rule_json_str(errs, s));
}

/* ---- metadata ---- */

/** A map of strings as a list in the arena. */
static struct jr_labels map_of(const struct jr_node *map, struct jr_errlist *errs)
{
    struct jr_labels l = { NULL, 0 };

    if (jr_node_kind(map) != JR_OBJECT)
        return l;
    l.v = jr_arena_calloc(errs->arena, jr_size(map), sizeof(*l.v));
    if (l.v == NULL) {
        errs->failed = JR_NOMEM;
        return l;
    }
    for (const struct jr_node *m = jr_first(map); m != NULL; m = jr_next(m))
        l.v[l.n++] = (struct jr_label){ jr_key(m), jr_node_str(m) };
    return l;
}

static void check_metadata(const struct jr_node *template, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_node *meta = jr_get(template, "metadata");
    const struct jr_labels labels = map_of(jr_get(meta, "labels"), errs);
    const struct jr_labels annotations = map_of(jr_get(meta, "annotations"), errs);

    /* upstream leaves "metadata" out of these paths */
    jr_validate_labels(&labels, &JR_FIELD(path, "labels"), JR_RULE_TEMPLATE_LABEL_KEY,
                       JR_RULE_TEMPLATE_LABEL_VALUE, errs);
    jr_validate_annotations(&annotations, &JR_FIELD(path, "annotations"),
                            JR_RULE_TEMPLATE_ANNOTATION_KEY, JR_RULE_TEMPLATE_ANNOTATIONS_SIZE,
                            errs);
}

/* ---- volumes ---- */

/* In upstream's order. */
static const char *const volume_sources[] = {
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
};

/** A volume has one source: each further one is an error. An object that we don't know may be the
 * source of a newer API server, so that none is missed then. */
static void check_sources(const struct jr_node *volume, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(volume_sources); i++) {
        if (!jr_unset(jr_get(volume, volume_sources[i])) && n++ > 0)
            jr_rule_broken(errs, JR_RULE_VOLUME_SOURCES, &JR_FIELD(path, volume_sources[i]),
                           JR_NO_VALUE);
    }
    for (const struct jr_node *m = jr_first(volume); m != NULL && n == 0; m = jr_next(m))
        n += jr_node_kind(m) == JR_OBJECT;
    if (n == 0)
        jr_rule_broken(errs, JR_RULE_VOLUME_SOURCE, path, JR_NO_VALUE);
}

void jr_validate_volumes(const struct jr_node *volumes, const struct jr_field_path *path,
                         struct jr_texts *names, struct jr_errlist *errs)
{
    size_t i = 0;

    for (const struct jr_node *v = jr_first(volumes); v != NULL; v = jr_next(v), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_field_path name_path = JR_FIELD(&at, "name");
        const struct jr_str name = jr_get_str(v, "name");
        const struct jr_faults faults = jr_name_dns_label(name);
        const size_t before = errs->n;

        check_sources(v, &at, errs);
        if (name.n == 0)
            jr_rule_broken(errs, JR_RULE_VOLUME_NAME_REQUIRED, &name_path, JR_NO_VALUE);
        else
            jr_rule_faults(errs, JR_RULE_VOLUME_NAME, &name_path, name, &faults);
        if (jr_texts_has(names, name))
            jr_rule_broken(errs, JR_RULE_VOLUME_NAME_TWICE, &name_path,
                           jr_errlist_quote(errs, name));
        if (errs->n == before)
            (void)jr_texts_add(names, name);
        if (names->failed)
            errs->failed = JR_NOMEM;
        if (errs->failed != JR_OK)
            return;
    }
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

static void check_pod_spec(const struct jr_node *pod, const struct jr_field_path *path,
                           struct jr_errlist *errs)
{
    const struct jr_labels node_selector = map_of(jr_get(pod, "nodeSelector"), errs);
    struct jr_texts volumes = { .arena = errs->arena };

    if (jr_unset(jr_get(pod, "terminationGracePeriodSeconds")))
        jr_rule_broken(errs, JR_RULE_GRACE_PERIOD_REQUIRED,
                       &JR_FIELD(path, "terminationGracePeriodSeconds"), JR_NO_VALUE);
    jr_validate_volumes(jr_get(pod, "volumes"), &JR_FIELD(path, "volumes"), &volumes, errs);
    jr_validate_containers(pod, &volumes, path, errs);
    check_policies(pod, path, errs);
    jr_validate_labels(&node_selector, &JR_FIELD(path, "nodeSelector"), JR_RULE_NODE_SELECTOR_KEY,
                       JR_RULE_NODE_SELECTOR_VALUE, errs);
    check_names(names_before, JR_ARRAY_SIZE(names_before), pod, path, errs);
    check_deadline(pod, path, errs);
    check_names(names_after, JR_ARRAY_SIZE(names_after), pod, path, errs);
}

void jr_validate_template(const struct jr_node *template, const struct jr_field_path *path,
                          struct jr_errlist *errs)
{
    const struct jr_node *pod = jr_get(template, "spec");
    const struct jr_field_path spec = JR_FIELD(path, "spec");

    check_metadata(template, path, errs);
    check_pod_spec(pod, &spec, errs);
    if (jr_size(jr_get(pod, "ephemeralContainers")) > 0)
        jr_rule_broken(errs, JR_RULE_EPHEMERAL_CONTAINERS, &JR_FIELD(&spec, "ephemeralContainers"),
                       JR_NO_VALUE);
}
