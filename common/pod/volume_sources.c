/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of volume sources, as a table. */
#include "common/pod/volume_parts.h"

#define PARTITION_MAX 255

static void check_empty_dir(struct jr_pod_check *p, const struct jr_node *source,
                            const struct jr_field_path *path)
{
    struct jr_quantity size;

    if (jr_quantity_of(jr_get(source, "sizeLimit"), &size) == JR_OK && jr_quantity_sign(&size) < 0)
        jr_violation(p->errs, JR_RULE_VOLUME_EMPTY_DIR_SIZE, &JR_FIELD(path, "sizeLimit"));
}

static void check_host_path(struct jr_pod_check *p, const struct jr_node *source,
                            const struct jr_field_path *path)
{
    static const char *const types[] = {
        "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
        "File", "FileOrCreate", "Socket",     NULL,
    };
    const struct jr_field_path to_path = JR_FIELD(path, "path");
    const struct jr_str to = jr_get_str(source, "path");
    const struct jr_node *type = jr_get(source, "type");

    if (to.n == 0) {
        jr_violation(p->errs, JR_RULE_VOLUME_HOST_PATH_REQUIRED, &to_path);
        return;
    }
    if (jr_name_steps_back(to))
        jr_violation_text(p->errs, JR_RULE_VOLUME_HOST_PATH_BACK, &to_path, to);
    if (!jr_unset(type))
        jr_validate_choice(JR_RULE_VOLUME_HOST_PATH_TYPE, types, jr_node_str(type),
                           &JR_FIELD(path, "type"), p->errs);
}

static void check_nfs_path(struct jr_pod_check *p, const struct jr_node *to,
                           const struct jr_field_path *path)
{
    if (!jr_str_starts(jr_node_str(to), JR_S("/")))
        jr_violation_text(p->errs, JR_RULE_VOLUME_NFS_PATH, path, jr_node_str(to));
}

static const char *const pull_policies[] = { "Always", "IfNotPresent", "Never", NULL };

/* Rows that several sources have. */
#define SECRET_NAME(rule_) JR_RULES_OF("secretRef", JR_RULES(JR_REQUIRED("name", TEXT, rule_)))
#define PARTITION(rule_) JR_RANGE(JR_ALWAYS, "partition", rule_, 0, PARTITION_MAX)

#define SOURCE(name_, ...)                              \
    {                                                   \
        .name = (name_), .rules = JR_RULES(__VA_ARGS__) \
    }

static void check_image_reference(struct jr_pod_check *p, const struct jr_node *reference,
                                  const struct jr_field_path *path)
{
    if (jr_node_str(reference).n == 0 && !p->opts->any_image_reference)
        jr_violation(p->errs, JR_RULE_VOLUME_IMAGE_REFERENCE, path);
}

/** A source and the rules of its fields. In upstream's order. */
static const struct source {
    const char *name;
    const struct jr_field_rule *rules;
    const char *path;   /* of its own faults, NULL: as the name */
    const char *second; /* of the fault that it is one too many, NULL: as the name */
} sources[] = {
    SOURCE("emptyDir", JR_OBJECT_BY(check_empty_dir)),
    SOURCE("hostPath", JR_OBJECT_BY(check_host_path)),
    SOURCE("gitRepo", JR_REQUIRED("repository", TEXT, VOLUME_GIT_REPOSITORY),
           JR_SYNTAX(JR_ALWAYS, "directory", VOLUME_GIT_DIRECTORY, jr_name_descending_path)),
    { .name = "gcePersistentDisk",
      .rules = JR_RULES(JR_REQUIRED("pdName", TEXT, VOLUME_GCE_DISK_NAME),
                        PARTITION(VOLUME_GCE_PARTITION)),
      .path = "persistentDisk" },
    SOURCE("awsElasticBlockStore", JR_REQUIRED("volumeID", TEXT, VOLUME_AWS_VOLUME),
           PARTITION(VOLUME_AWS_PARTITION)),
    SOURCE("secret", JR_REQUIRED("secretName", TEXT, VOLUME_SECRET_NAME),
           JR_FILE_MODE("defaultMode"), JR_EACH_BY("items", jr_volume_check_key)),
    SOURCE("nfs", JR_REQUIRED("server", TEXT, VOLUME_NFS_SERVER),
           JR_REQUIRED("path", TEXT, VOLUME_NFS_PATH_REQUIRED),
           JR_CALL(JR_ALWAYS, "path", check_nfs_path)),
    SOURCE("iscsi", JR_REQUIRED("targetPortal", TEXT, VOLUME_ISCSI_PORTAL),
           JR_OBJECT_BY(jr_volume_check_iscsi)),
    SOURCE("glusterfs", JR_REQUIRED("endpoints", TEXT, VOLUME_GLUSTERFS_ENDPOINTS),
           JR_REQUIRED("path", TEXT, VOLUME_GLUSTERFS_PATH)),
    SOURCE("flocker", JR_OBJECT_BY(jr_volume_check_flocker)),
    SOURCE("persistentVolumeClaim", JR_REQUIRED("claimName", TEXT, VOLUME_CLAIM_NAME)),
    SOURCE("rbd", JR_REQUIRED("monitors", LIST, VOLUME_RBD_MONITORS),
           JR_REQUIRED("image", TEXT, VOLUME_RBD_IMAGE)),
    SOURCE("cinder", JR_REQUIRED("volumeID", TEXT, VOLUME_CINDER_VOLUME),
           SECRET_NAME(VOLUME_CINDER_SECRET)),
    { .name = "cephfs",
      .rules = JR_RULES(JR_REQUIRED("monitors", LIST, VOLUME_CEPHFS_MONITORS)),
      .second = "cephFS" },
    SOURCE("quobyte", JR_OBJECT_BY(jr_volume_check_quobyte),
           JR_REQUIRED("volume", TEXT, VOLUME_QUOBYTE_VOLUME)),
    { .name = "downwardAPI",
      .rules = JR_RULES(JR_FILE_MODE("defaultMode"), JR_OBJECT_BY(jr_volume_check_downward_files)),
      .second = "downwarAPI" },
    SOURCE("fc", JR_OBJECT_BY(jr_volume_check_fc)),
    SOURCE("flexVolume", JR_REQUIRED("driver", TEXT, VOLUME_FLEX_DRIVER),
           JR_OBJECT_BY(jr_volume_check_flex)),
    SOURCE("configMap", JR_REQUIRED("name", TEXT, VOLUME_CONFIG_MAP_NAME),
           JR_FILE_MODE("defaultMode"), JR_EACH_BY("items", jr_volume_check_key)),
    SOURCE("azureFile", JR_REQUIRED("secretName", TEXT, VOLUME_AZURE_FILE_SECRET),
           JR_REQUIRED("shareName", TEXT, VOLUME_AZURE_FILE_SHARE)),
    SOURCE("vsphereVolume", JR_REQUIRED("volumePath", TEXT, VOLUME_VSPHERE_PATH)),
    SOURCE("photonPersistentDisk", JR_REQUIRED("pdID", TEXT, VOLUME_PHOTON_DISK)),
    SOURCE("portworxVolume", JR_REQUIRED("volumeID", TEXT, VOLUME_PORTWORX_VOLUME)),
    SOURCE("azureDisk", JR_REQUIRED("diskName", TEXT, VOLUME_AZURE_DISK_NAME),
           JR_REQUIRED("diskURI", TEXT, VOLUME_AZURE_DISK_URI_REQUIRED),
           JR_OBJECT_BY(jr_volume_check_azure_disk)),
    SOURCE("storageos",
           JR_NAME("volumeName", VOLUME_STORAGEOS_NAME_REQUIRED, VOLUME_STORAGEOS_NAME,
                   jr_name_dns_label),
           JR_SYNTAX(JR_IF_TEXT, "volumeNamespace", VOLUME_STORAGEOS_NAMESPACE, jr_name_dns_label),
           SECRET_NAME(VOLUME_STORAGEOS_SECRET)),
    SOURCE("projected", JR_FILE_MODE("defaultMode"), JR_OBJECT_BY(jr_volume_check_projected)),
    SOURCE("scaleIO", JR_REQUIRED("gateway", TEXT, VOLUME_SCALEIO_GATEWAY),
           JR_REQUIRED("system", TEXT, VOLUME_SCALEIO_SYSTEM),
           JR_REQUIRED("volumeName", TEXT, VOLUME_SCALEIO_VOLUME)),
    SOURCE("csi", JR_OBJECT_BY(jr_volume_check_csi)),
    { .name = "ephemeral", .rules = jr_volume_ephemeral_rules },
    SOURCE("image", JR_CALL(JR_ALWAYS, "reference", check_image_reference),
           JR_ENUM(JR_ALWAYS, "pullPolicy", VOLUME_IMAGE_PULL_POLICY_REQUIRED,
                   VOLUME_IMAGE_PULL_POLICY, pull_policies)),
};

/** The portal is part of a name with a bound, together with the volume's. */
static void check_iscsi_name(struct jr_pod_check *p, const struct jr_node *volume,
                             const struct jr_field_path *path)
{
    const struct jr_node *iscsi = jr_get(volume, "iscsi");
    const struct jr_str name = jr_get_str(volume, "name");

    if (!jr_unset(jr_get(iscsi, "initiatorName")) &&
        name.n + 1 + jr_get_str(iscsi, "targetPortal").n > 64)
        jr_violation_text(p->errs, JR_RULE_VOLUME_ISCSI_NAME_LENGTH, &JR_FIELD(path, "name"), name);
}

static const struct source *find_source(struct jr_str name)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(sources); i++) {
        if (jr_str_is(name, sources[i].name))
            return &sources[i];
    }
    return NULL;
}

/** A source that the version doesn't look for while its gate is off. */
static bool is_ignored(const struct jr_pod_check *p, const struct source *s)
{
    return p->opts->no_image_volumes && strcmp(s->name, "image") == 0;
}

/** A volume has one source: each further one is an error and not looked at. An object that we don't
 * know may be the source of a newer API server, so that none is missed then. */
void jr_volume_check_sources(struct jr_pod_check *p, const struct jr_node *volume,
                             const struct jr_field_path *path)
{
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(sources); i++) {
        const struct source *s = &sources[i];
        const struct jr_node *node = jr_get(volume, s->name);

        if (jr_unset(node) || is_ignored(p, s))
            continue;
        if (n++ > 0)
            jr_violation(p->errs, JR_RULE_VOLUME_SOURCES,
                         &JR_FIELD(path, s->second == NULL ? s->name : s->second));
        else
            jr_pod_check_fields(p, s->rules, node,
                                &JR_FIELD(path, s->path == NULL ? s->name : s->path));
        if (jr_str_is(jr_str(s->name), "iscsi"))
            check_iscsi_name(p, volume, path);
    }
    for (const struct jr_node *m = jr_first(volume); m != NULL && n == 0; m = jr_next(m))
        n += jr_node_kind(m) == JR_OBJECT && find_source(jr_key(m)) == NULL;
    if (n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_SOURCE, path);
}
