#include "common/pod/parts.h"

#define PORT_MAX 65535

/* ---- ports ---- */

static void check_port_name(const struct jr_node *port, struct jr_texts *names,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_get_str(port, "name");
    const struct jr_faults faults = jr_name_port(name);

    if (name.n == 0)
        return;
    jr_rule_faults(errs, JR_RULE_PORT_NAME, path, name, &faults);
    if (faults.n == 0 && !jr_texts_add(names, name))
        jr_rule_broken(errs, JR_RULE_PORT_NAME_TWICE, path, jr_errlist_quote(errs, name));
}

static void check_port_number(int64_t v, enum jr_rule rule, const struct jr_field_path *path,
                              struct jr_errlist *errs)
{
    if (v < 1 || v > PORT_MAX)
        jr_rule_broken(errs, rule, path, jr_errlist_int(errs, v));
}

static void check_ports(const struct jr_node *ports, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    static const char *const protocols[] = { "SCTP", "TCP", "UDP", NULL };
    static const struct jr_enum_rule protocol = { protocols, JR_RULE_PORT_PROTOCOL_REQUIRED,
                                                  JR_RULE_PORT_PROTOCOL };
    struct jr_texts names = { .arena = errs->arena };
    size_t i = 0;

    for (const struct jr_node *p = jr_first(ports); p != NULL; p = jr_next(p), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_field_path port_path = JR_FIELD(&at, "containerPort");
        const int64_t port = jr_node_i64_or(jr_get(p, "containerPort"), 0);
        const int64_t host_port = jr_node_i64_or(jr_get(p, "hostPort"), 0);

        check_port_name(p, &names, &JR_FIELD(&at, "name"), errs);
        if (port == 0)
            jr_rule_broken(errs, JR_RULE_PORT_REQUIRED, &port_path, JR_NO_VALUE);
        else
            check_port_number(port, JR_RULE_PORT_RANGE, &port_path, errs);
        if (host_port != 0)
            check_port_number(host_port, JR_RULE_HOST_PORT_RANGE, &JR_FIELD(&at, "hostPort"), errs);
        jr_validate_enum(&protocol, jr_get(p, "protocol"), &JR_FIELD(&at, "protocol"), errs);
        if (names.failed)
            errs->failed = JR_NOMEM;
        if (errs->failed != JR_OK)
            return;
    }
}

/* ---- env, mounts ---- */

static void check_env(const struct jr_node *env, const struct jr_field_path *path,
                      struct jr_errlist *errs)
{
    size_t i = 0;

    for (const struct jr_node *e = jr_first(env); e != NULL; e = jr_next(e), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_field_path name_path = JR_FIELD(&at, "name");
        const struct jr_str name = jr_get_str(e, "name");
        const struct jr_faults faults = jr_name_env(name);

        if (name.n == 0)
            jr_rule_broken(errs, JR_RULE_ENV_NAME_REQUIRED, &name_path, JR_NO_VALUE);
        else
            jr_rule_faults(errs, JR_RULE_ENV_NAME, &name_path, name, &faults);
    }
}

static void check_mounts(const struct jr_node *mounts, const struct jr_texts *volumes,
                         const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_texts paths = { .arena = errs->arena };
    size_t i = 0;

    for (const struct jr_node *m = jr_first(mounts); m != NULL; m = jr_next(m), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_field_path name_path = JR_FIELD(&at, "name");
        const struct jr_field_path mount_path = JR_FIELD(&at, "mountPath");
        const struct jr_str name = jr_get_str(m, "name");
        const struct jr_str to = jr_get_str(m, "mountPath");

        if (name.n == 0)
            jr_rule_broken(errs, JR_RULE_MOUNT_NAME_REQUIRED, &name_path, JR_NO_VALUE);
        if (!jr_texts_has(volumes, name))
            jr_rule_broken(errs, JR_RULE_MOUNT_NAME, &name_path, jr_errlist_quote(errs, name));
        if (to.n == 0)
            jr_rule_broken(errs, JR_RULE_MOUNT_PATH_REQUIRED, &mount_path, JR_NO_VALUE);
        if (!jr_texts_add(&paths, to))
            jr_rule_broken(errs, JR_RULE_MOUNT_PATH_TWICE, &mount_path, jr_errlist_quote(errs, to));
        if (paths.failed)
            errs->failed = JR_NOMEM;
        if (errs->failed != JR_OK)
            return;
    }
}

/* ---- containers ---- */

static void check_names(const struct jr_node *container, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    const struct jr_field_path name_path = JR_FIELD(path, "name");
    const struct jr_str name = jr_get_str(container, "name");
    const struct jr_faults faults = jr_name_dns_label(name);

    if (name.n == 0)
        jr_rule_broken(errs, JR_RULE_CONTAINER_NAME_REQUIRED, &name_path, JR_NO_VALUE);
    else
        jr_rule_faults(errs, JR_RULE_CONTAINER_NAME, &name_path, name, &faults);
    if (jr_get_str(container, "image").n == 0)
        jr_rule_broken(errs, JR_RULE_CONTAINER_IMAGE, &JR_FIELD(path, "image"), JR_NO_VALUE);
}

/** What all kinds of containers have in common. */
static void check_container(struct jr_pod_check *p, const struct jr_node *c,
                            const struct jr_field_path *path)
{
    static const char *const termination_policies[] = { "File", "FallbackToLogsOnError", NULL };
    static const char *const pull_policies[] = { "Always", "IfNotPresent", "Never", NULL };
    static const struct jr_enum_rule termination = { termination_policies,
                                                     JR_RULE_TERMINATION_POLICY_REQUIRED,
                                                     JR_RULE_TERMINATION_POLICY };
    static const struct jr_enum_rule pull = { pull_policies, JR_RULE_PULL_POLICY_REQUIRED,
                                              JR_RULE_PULL_POLICY };
    struct jr_errlist *errs = p->errs;

    check_names(c, path, errs);
    jr_validate_enum(&termination, jr_get(c, "terminationMessagePolicy"),
                     &JR_FIELD(path, "terminationMessagePolicy"), errs);
    check_ports(jr_get(c, "ports"), &JR_FIELD(path, "ports"), errs);
    check_env(jr_get(c, "env"), &JR_FIELD(path, "env"), errs);
    check_mounts(jr_get(c, "volumeMounts"), &p->volumes, &JR_FIELD(path, "volumeMounts"), errs);
    jr_validate_enum(&pull, jr_get(c, "imagePullPolicy"), &JR_FIELD(path, "imagePullPolicy"), errs);
    jr_pod_check_resources(p, jr_get(c, "resources"), &JR_FIELD(path, "resources"));
}

static void check_twice(const struct jr_node *container, struct jr_texts *names,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str name = jr_get_str(container, "name");

    if (!jr_texts_add(names, name) && !names->failed)
        jr_rule_broken(errs, JR_RULE_CONTAINER_NAME_TWICE, &JR_FIELD(path, "name"),
                       jr_errlist_quote(errs, name));
    if (names->failed)
        errs->failed = JR_NOMEM;
}

/** What an init container that is no sidecar may not have. */
static void check_init_only(const struct jr_node *c, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    static const struct {
        const char *name;
        enum jr_rule rule;
    } rows[] = {
        { "lifecycle", JR_RULE_INIT_LIFECYCLE },
        { "livenessProbe", JR_RULE_INIT_LIVENESS },
        { "readinessProbe", JR_RULE_INIT_READINESS },
        { "startupProbe", JR_RULE_INIT_STARTUP },
    };

    if (jr_str_is(jr_get_str(c, "restartPolicy"), "Always"))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (!jr_unset(jr_get(c, rows[i].name)))
            jr_rule_broken(errs, rows[i].rule, &JR_FIELD(path, rows[i].name), JR_NO_VALUE);
    }
}

static void check_init_containers(struct jr_pod_check *p, struct jr_texts *names,
                                  const struct jr_field_path *path)
{
    size_t i = 0;

    for (const struct jr_node *c = jr_first(jr_get(p->spec, "initContainers")); c != NULL;
         c = jr_next(c), i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);

        check_container(p, c, &at);
        if (jr_get_str(c, "name").n > 0 || jr_texts_has(names, JR_S("")))
            check_twice(c, names, &at, p->errs);
        check_init_only(c, &at, p->errs);
        if (p->errs->failed != JR_OK)
            return;
    }
}

void jr_pod_check_containers(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *list = jr_get(p->spec, "containers");
    const struct jr_field_path list_path = JR_FIELD(path, "containers");
    struct jr_texts names = { .arena = p->errs->arena };
    size_t i = 0;

    if (jr_size(list) == 0)
        jr_rule_broken(p->errs, JR_RULE_CONTAINERS_REQUIRED, &list_path, JR_NO_VALUE);
    for (const struct jr_node *c = jr_first(list); c != NULL; c = jr_next(c), i++) {
        const struct jr_field_path at = JR_FIELD_AT(&list_path, i);

        check_container(p, c, &at);
        check_twice(c, &names, &at, p->errs);
        if (p->errs->failed != JR_OK)
            return;
    }
    check_init_containers(p, &names, &JR_FIELD(path, "initContainers"));
}
