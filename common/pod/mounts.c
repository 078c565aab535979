/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of volumeMounts and volumeDevices. */
#include "common/pod/parts.h"

/** Where each name is mounted, or which device it is: of a name's several paths the last counts. */
struct places {
    struct jr_string_set names;
    struct jr_string_set paths;
};

static struct places places_of(const struct jr_node *list, const char *member,
                               struct jr_errlist *errs)
{
    const struct jr_node **nodes = jr_list_nodes(list, errs);
    struct places at = { .names = JR_STRING_SET(errs), .paths = JR_STRING_SET(errs) };

    for (size_t n = nodes == NULL ? 0 : jr_size(list); n-- > 0;) {
        if (jr_string_set_add(&at.names, jr_get_str(nodes[n], "name")))
            (void)jr_string_set_add(&at.paths, jr_get_str(nodes[n], member));
    }
    return at;
}

/* ---- volumeMounts ---- */

/** Before 1.33, of an image only the whole could be mounted. */
static void check_image_paths(struct jr_pod_check *p, const struct jr_node *mount,
                              const struct jr_field_path *path)
{
    static const char *const members[] = { "subPath", "subPathExpr" };

    if (!jr_string_set_has(&p->image_volumes, jr_get_str(mount, "name")))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(members); i++) {
        const struct jr_str s = jr_get_str(mount, members[i]);

        if (s.n > 0)
            jr_violation_text(p->errs, JR_RULE_MOUNT_SUB_PATH_IMAGE, &JR_FIELD(path, members[i]),
                              s);
    }
}

/** unnumbered: the mount's path as upstream has it here, without its index. */
static void check_sub_paths(const struct jr_node *mount, const struct jr_field_path *unnumbered,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str sub = jr_get_str(mount, "subPath"), expr = jr_get_str(mount, "subPathExpr");

    jr_validate_name(errs, JR_RULE_MOUNT_SUB_PATH, &JR_FIELD(unnumbered, "subPath"), sub,
                     jr_name_descending_path);
    if (expr.n > 0 && sub.n > 0)
        jr_violation_text(errs, JR_RULE_MOUNT_SUB_PATHS, &JR_FIELD(path, "subPathExpr"), expr);
    jr_validate_name(errs, JR_RULE_MOUNT_SUB_PATH_EXPR, &JR_FIELD(unnumbered, "subPathExpr"), expr,
                     jr_name_descending_path);
}

static void check_propagation(const struct jr_node *mount, bool privileged,
                              const struct jr_field_path *unnumbered, struct jr_errlist *errs)
{
    static const char *const values[] = { "Bidirectional", "HostToContainer", "None", NULL };
    const struct jr_field_path path = JR_FIELD(unnumbered, "mountPropagation");
    const struct jr_node *node = jr_get(mount, "mountPropagation");

    if (jr_unset(node))
        return;
    jr_validate_choice(JR_RULE_MOUNT_PROPAGATION, values, jr_node_str(node), &path, errs);
    if (jr_str_is(jr_node_str(node), "Bidirectional") && !privileged)
        jr_violation(errs, JR_RULE_MOUNT_BIDIRECTIONAL, &path);
}

static void check_recursive(const struct jr_node *mount, const struct jr_field_path *unnumbered,
                            struct jr_errlist *errs)
{
    static const char *const values[] = { "Disabled", "Enabled", "IfPossible", NULL };
    const struct jr_field_path path = JR_FIELD(unnumbered, "recursiveReadOnly");
    const struct jr_node *node = jr_get(mount, "recursiveReadOnly");
    const struct jr_node *propagation = jr_get(mount, "mountPropagation");
    const struct jr_str mode = jr_node_str(node);

    if (jr_unset(node) || jr_str_is(mode, "Disabled"))
        return;
    if (!jr_one_of(mode, values)) {
        jr_validate_choice(JR_RULE_MOUNT_RECURSIVE, values, mode, &path, errs);
        return;
    }
    if (!jr_node_bool_or(jr_get(mount, "readOnly"), false))
        jr_violation(errs, JR_RULE_MOUNT_RECURSIVE_WRITABLE, &path);
    if (!jr_unset(propagation) && !jr_str_is(jr_node_str(propagation), "None"))
        jr_violation(errs, JR_RULE_MOUNT_RECURSIVE_PROPAGATED, &path);
}

static void check_mount_place(struct jr_pod_check *p, const struct jr_node *mount,
                              struct jr_string_set *paths, const struct places *devices,
                              const struct jr_field_path *path)
{
    const struct jr_field_path name_path = JR_FIELD(path, "name");
    const struct jr_field_path mount_path = JR_FIELD(path, "mountPath");
    const struct jr_str name = jr_get_str(mount, "name"), to = jr_get_str(mount, "mountPath");
    struct jr_errlist *errs = p->errs;

    if (name.n == 0)
        jr_violation(errs, JR_RULE_MOUNT_NAME_REQUIRED, &name_path);
    if (!jr_string_set_has(&p->volumes, name))
        jr_violation_text(errs, JR_RULE_MOUNT_NAME, &name_path, name);
    if (to.n == 0)
        jr_violation(errs, JR_RULE_MOUNT_PATH_REQUIRED, &mount_path);
    if (!jr_string_set_add(paths, to))
        jr_violation_text(errs, JR_RULE_MOUNT_PATH_TWICE, &mount_path, to);
    if (jr_string_set_has(&devices->names, name))
        jr_violation_text(errs, JR_RULE_MOUNT_NAME_DEVICE, &name_path, name);
    if (jr_string_set_has(&devices->paths, to))
        jr_violation_text(errs, JR_RULE_MOUNT_PATH_DEVICE, &mount_path, to);
}

static void check_mounts(struct jr_pod_check *p, const struct jr_node *container,
                         const struct places *devices, const struct jr_field_path *path)
{
    const struct jr_node *security = jr_get(container, "securityContext");
    const bool privileged = jr_node_bool_or(jr_get(security, "privileged"), false);
    struct jr_string_set paths = JR_STRING_SET(p->errs);

    JR_EACH_AT(m, jr_get(container, "volumeMounts"), path, p->errs) {
        const struct jr_field_path unnumbered = JR_FIELD_HIDDEN_AT(path, m.path.index);

        check_mount_place(p, m.node, &paths, devices, &m.path);
        check_sub_paths(m.node, &unnumbered, &m.path, p->errs);
        check_image_paths(p, m.node, &m.path);
        check_propagation(m.node, privileged, &unnumbered, p->errs);
        check_recursive(m.node, &unnumbered, p->errs);
    }
}

/* ---- volumeDevices ---- */

static void check_device_name(struct jr_pod_check *p, struct jr_str name,
                              struct jr_string_set *names, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    if (name.n == 0)
        jr_violation(errs, JR_RULE_DEVICE_NAME_REQUIRED, path);
    else if (!jr_string_set_add(names, name))
        jr_violation_text(errs, JR_RULE_DEVICE_NAME_TWICE, path, name);
    if (!jr_string_set_has(&p->volumes, name))
        jr_violation_text(errs, JR_RULE_DEVICE_NAME, path, name);
    else if (!jr_string_set_has(&p->block_volumes, name))
        jr_violation_text(errs, JR_RULE_DEVICE_VOLUME_TYPE, path, name);
}

static void check_device_path(struct jr_str device, struct jr_string_set *paths,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (device.n == 0)
        jr_violation(errs, JR_RULE_DEVICE_PATH_REQUIRED, path);
    if (jr_string_set_has(paths, device))
        jr_violation_text(errs, JR_RULE_DEVICE_PATH_TWICE, path, device);
    if (jr_name_steps_back(device))
        jr_violation_text(errs, JR_RULE_DEVICE_PATH, path, device);
    else
        (void)jr_string_set_add(paths, device);
}

static void check_devices(struct jr_pod_check *p, const struct jr_node *devices,
                          const struct places *mounts, const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;
    struct jr_string_set names = JR_STRING_SET(errs), paths = JR_STRING_SET(errs);

    JR_EACH_AT(d, devices, path, errs) {
        const struct jr_field_path name_path = JR_FIELD(&d.path, "name");
        const struct jr_field_path device_path = JR_FIELD(&d.path, "devicePath");
        const struct jr_str name = jr_get_str(d.node, "name"),
                            device = jr_get_str(d.node, "devicePath");

        check_device_name(p, name, &names, &name_path);
        check_device_path(device, &paths, &device_path, errs);
        if (jr_string_set_has(&mounts->names, name))
            jr_violation_text(errs, JR_RULE_DEVICE_NAME_MOUNT, &name_path, name);
        if (jr_string_set_has(&mounts->paths, device))
            jr_violation_text(errs, JR_RULE_DEVICE_PATH_MOUNT, &device_path, device);
    }
}

void jr_pod_check_mounts(struct jr_pod_check *p, const struct jr_node *container,
                         const struct jr_field_path *path)
{
    const struct jr_node *mounts = jr_get(container, "volumeMounts");
    const struct jr_node *devices = jr_get(container, "volumeDevices");
    const struct places mounted = places_of(mounts, "mountPath", p->errs);
    const struct places attached = places_of(devices, "devicePath", p->errs);

    check_mounts(p, container, &attached, &JR_FIELD(path, "volumeMounts"));
    check_devices(p, devices, &mounted, &JR_FIELD(path, "volumeDevices"));
}
