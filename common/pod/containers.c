/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the lists of containers, and of what containers have in common. */
#include "common/pod/parts.h"

#include "common/pod/walk.h"

/* ---- all kinds of containers ---- */

static const char *const termination_policies[] = { "File", "FallbackToLogsOnError", NULL };
static const char *const pull_policies[] = { "Always", "IfNotPresent", "Never", NULL };

/** What all kinds of containers have in common. */
static const struct jr_field_rule container_rules[] = {
    JR_NAME("name", CONTAINER_NAME_REQUIRED, CONTAINER_NAME, jr_name_dns_label),
    JR_REQUIRED("image", TEXT, CONTAINER_IMAGE),
    JR_ENUM(JR_ALWAYS, "terminationMessagePolicy", TERMINATION_POLICY_REQUIRED, TERMINATION_POLICY,
            termination_policies),
    JR_CALL(JR_ALWAYS, "ports", jr_pod_check_ports),
    JR_EACH_BY("env", jr_pod_check_env),
    JR_EACH_BY("envFrom", jr_pod_check_env_from),
    JR_OBJECT_BY(jr_pod_check_mounts),
    JR_ENUM(JR_ALWAYS, "imagePullPolicy", PULL_POLICY_REQUIRED, PULL_POLICY, pull_policies),
    JR_CALL(JR_ALWAYS, "resources", jr_pod_check_resources),
    JR_OBJECT_BY(jr_pod_check_resize),
    JR_CALL(JR_IF_SET, "securityContext", jr_pod_check_container_security),
    { .name = NULL },
};

static void check_twice(const struct jr_node *container, struct jr_string_set *names,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_get_str(container, "name");

    if (!jr_string_set_add(names, name))
        jr_violation_text(errs, JR_RULE_CONTAINER_NAME_TWICE, &JR_FIELD(path, "name"), name);
}

/* ---- containers ---- */

static void check_containers(struct jr_pod_check *p, struct jr_string_set *names,
                             const struct jr_field_path *path)
{
    const struct jr_node *list = jr_get(p->spec, "containers");
    struct jr_errlist *errs = p->errs;
    struct jr_string_set host_ports = JR_STRING_SET(errs);

    if (jr_size(list) == 0)
        jr_violation(errs, JR_RULE_CONTAINERS_REQUIRED, path);
    JR_EACH_AT(c, list, path, errs) {
        jr_pod_check_fields(p, container_rules, c.node, &c.path);
        check_twice(c.node, names, &c.path, errs);
        if (jr_pod_has_lifecycle(p, c.node))
            jr_pod_check_lifecycle(p, c.node, &c.path);
        jr_pod_check_probes(p, c.node, &c.path);
        jr_pod_check_restart(p, c.node, &c.path);
    }
    JR_EACH_AT(c, list, path, errs)
        jr_pod_check_host_ports(p, c.node, &host_ports, &c.path);
}

/* ---- initContainers ---- */

/** What an init container that is no sidecar may not have. */
static void check_init_only(struct jr_pod_check *p, const struct jr_node *c,
                            const struct jr_field_path *path)
{
    static const struct {
        const char *name;
        enum jr_rule rule;
    } probes[] = {
        { "livenessProbe", JR_RULE_INIT_LIVENESS },
        { "readinessProbe", JR_RULE_INIT_READINESS },
        { "startupProbe", JR_RULE_INIT_STARTUP },
    };

    if (jr_pod_has_lifecycle(p, c))
        jr_violation(p->errs, JR_RULE_INIT_LIFECYCLE, &JR_FIELD(path, "lifecycle"));
    for (size_t i = 0; i < JR_ARRAY_SIZE(probes); i++) {
        if (!jr_unset(jr_get(c, probes[i].name)))
            jr_violation(p->errs, probes[i].rule, &JR_FIELD(path, probes[i].name));
    }
}

static void check_init_container(struct jr_pod_check *p, const struct jr_node *c,
                                 struct jr_string_set *names, const struct jr_field_path *path)
{
    struct jr_string_set host_ports = JR_STRING_SET(p->errs);

    jr_pod_check_fields(p, container_rules, c, path);
    jr_pod_check_init_restart(p, c, path);
    if (jr_get_str(c, "name").n > 0 || jr_string_set_has(names, JR_S("")))
        check_twice(c, names, path, p->errs);
    /* each on its own, since they run one by one; upstream takes each for the first */
    jr_pod_check_host_ports(p, c, &host_ports, &JR_FIELD_AT(path->parent, 0));
    if (jr_container_is_sidecar(c)) {
        if (jr_pod_has_lifecycle(p, c))
            jr_pod_check_lifecycle(p, c, path);
        jr_pod_check_probes(p, c, path);
    } else {
        check_init_only(p, c, path);
    }
    jr_pod_check_init_resize(p, c, path);
}

/* ---- ephemeralContainers: templates forbid them, but their errors are told ---- */

static void check_image(const struct jr_node *c, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    const struct jr_str image = jr_get_str(c, "image");

    if (jr_name_is_padded(image))
        jr_violation_text(errs, JR_RULE_IMAGE_PADDED, &JR_FIELD(path, "image"), image);
}

/** Whether a field is set in Go's sense: lists and maps are if they are there at all. */
static bool is_set(const struct jr_pod_check *p, const struct jr_node *c, const char *name)
{
    const struct jr_node *resources = jr_get(c, "resources");

    if (strcmp(name, "lifecycle") == 0)
        return jr_pod_has_lifecycle(p, c);
    if (strncmp(name, "restart", strlen("restart")) == 0 && !p->opts->container_restart_rules &&
        jr_kube_has(p->errs->version, JR_CHANGE_RESTART_RULES_DROPPED))
        return false;
    if (strcmp(name, "resources") != 0)
        return !jr_unset(jr_get(c, name));
    return !jr_unset(jr_get(resources, "limits")) || !jr_unset(jr_get(resources, "requests")) ||
           !jr_unset(jr_get(resources, "claims"));
}

static void check_forbidden(struct jr_pod_check *p, const struct jr_node *c,
                            const struct jr_field_path *path)
{
    static const char *const fields[] = { "ports",          "resources",          "resizePolicy",
                                          "restartPolicy",  "restartPolicyRules", "livenessProbe",
                                          "readinessProbe", "startupProbe",       "lifecycle" };
    static const char *const sub_paths[] = { "subPath", "subPathExpr" };
    struct jr_errlist *errs = p->errs;

    for (size_t k = 0; k < JR_ARRAY_SIZE(fields); k++) {
        if (is_set(p, c, fields[k]))
            jr_violation(errs, JR_RULE_EPHEMERAL_FIELD, &JR_FIELD(path, fields[k]));
    }
    JR_EACH_AT(m, jr_get(c, "volumeMounts"), &JR_FIELD(path, "volumeMounts"), errs) {
        for (size_t k = 0; k < JR_ARRAY_SIZE(sub_paths); k++) {
            if (jr_get_str(m.node, sub_paths[k]).n > 0)
                jr_violation(errs, JR_RULE_EPHEMERAL_FIELD, &JR_FIELD(&m.path, sub_paths[k]));
        }
    }
}

/** Adds the names of a list of containers. */
static void add_names(const struct jr_node *list, struct jr_string_set *names)
{
    JR_EACH(c, list)
        (void)jr_string_set_add(names, jr_get_str(c, "name"));
}

static void check_ephemeral_containers(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    struct jr_string_set others = JR_STRING_SET(errs), names = JR_STRING_SET(errs);

    add_names(jr_get(p->spec, "containers"), &others);
    add_names(jr_get(p->spec, "initContainers"), &others);
    add_names(jr_get(p->spec, "containers"), &names);
    add_names(jr_get(p->spec, "initContainers"), &names);
    JR_EACH_AT(c, jr_get(p->spec, "ephemeralContainers"), path, errs) {
        const struct jr_str target = jr_get_str(c.node, "targetContainerName");

        jr_pod_check_fields(p, container_rules, c.node, &c.path);
        check_image(c.node, &c.path, errs);
        check_twice(c.node, &names, &c.path, errs);
        if (target.n > 0 && !jr_string_set_has(&others, target))
            jr_violation_text(errs, JR_RULE_EPHEMERAL_TARGET,
                              &JR_FIELD(&c.path, "targetContainerName"), target);
        check_forbidden(p, c.node, &c.path);
    }
}

/* ---- all ---- */

void jr_pod_check_containers(struct jr_pod_check *p, const struct jr_field_path *path)
{
    struct jr_string_set names = JR_STRING_SET(p->errs);

    p->claims = JR_STRING_SET(p->errs);
    JR_EACH_GOING(c, jr_get(p->spec, "resourceClaims"), p->errs) {
        if (jr_get_str(c, "name").n > 0)
            (void)jr_string_set_add(&p->claims, jr_get_str(c, "name"));
    }
    check_containers(p, &names, &JR_FIELD(path, "containers"));
    JR_EACH_AT(c, jr_get(p->spec, "initContainers"), &JR_FIELD(path, "initContainers"), p->errs)
        check_init_container(p, c.node, &names, &c.path);
    if (jr_size(jr_get(p->spec, "ephemeralContainers")) > 0)
        check_ephemeral_containers(p, &JR_FIELD(path, "ephemeralContainers"));
}

void jr_pod_check_images(struct jr_pod_check *p, const struct jr_field_path *path)
{
    static const char *const lists[] = { "containers", "initContainers" };

    for (size_t k = 0; k < JR_ARRAY_SIZE(lists); k++) {
        JR_EACH_AT(c, jr_get(p->spec, lists[k]), &JR_FIELD(path, lists[k]), p->errs)
            check_image(c.node, &c.path, p->errs);
    }
}
