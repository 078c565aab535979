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

static void check_git_repo(struct jr_pod_check *p, const struct jr_node *source,
                           const struct jr_field_path *path)
{
    const struct jr_str to = jr_get_str(source, "directory");

    jr_validate_name(p->errs, JR_RULE_VOLUME_GIT_DIRECTORY, &JR_FIELD(path, "directory"), to,
                     jr_name_descending_path);
}

static void check_partition(const struct jr_node *source, enum jr_rule rule,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    const int64_t v = jr_node_i64_or(jr_get(source, "partition"), 0);

    if (v < 0 || v > PARTITION_MAX)
        jr_violation_int(errs, rule, &JR_FIELD(path, "partition"), v);
}

static void check_gce_disk(struct jr_pod_check *p, const struct jr_node *source,
                           const struct jr_field_path *path)
{
    check_partition(source, JR_RULE_VOLUME_GCE_PARTITION, path, p->errs);
}

static void check_aws_store(struct jr_pod_check *p, const struct jr_node *source,
                            const struct jr_field_path *path)
{
    check_partition(source, JR_RULE_VOLUME_AWS_PARTITION, path, p->errs);
}

static void check_nfs(struct jr_pod_check *p, const struct jr_node *source,
                      const struct jr_field_path *path)
{
    const struct jr_str to = jr_get_str(source, "path");

    if (!jr_str_starts(to, JR_S("/")))
        jr_violation_text(p->errs, JR_RULE_VOLUME_NFS_PATH, &JR_FIELD(path, "path"), to);
}

/** Ceph takes a list of monitors. */
static void check_monitors(const struct jr_node *source, enum jr_rule rule,
                           const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (jr_size(jr_get(source, "monitors")) == 0)
        jr_violation(errs, rule, &JR_FIELD(path, "monitors"));
}

static void check_rbd(struct jr_pod_check *p, const struct jr_node *source,
                      const struct jr_field_path *path)
{
    static const struct jr_required image[] = { { "image", JR_RULE_VOLUME_RBD_IMAGE }, { 0 } };

    check_monitors(source, JR_RULE_VOLUME_RBD_MONITORS, path, p->errs);
    jr_require_texts(image, source, path, p->errs);
}

static void check_cephfs(struct jr_pod_check *p, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    check_monitors(source, JR_RULE_VOLUME_CEPHFS_MONITORS, path, p->errs);
}

static void check_cinder(struct jr_pod_check *p, const struct jr_node *source,
                         const struct jr_field_path *path)
{
    jr_require_ref_name("secretRef", JR_RULE_VOLUME_CINDER_SECRET, source, path, p->errs);
}

static void check_image(struct jr_pod_check *p, const struct jr_node *source,
                        const struct jr_field_path *path)
{
    static const char *const policies[] = { "Always", "IfNotPresent", "Never", NULL };
    static const struct jr_enum_rule pull = { policies, JR_RULE_VOLUME_IMAGE_PULL_POLICY_REQUIRED,
                                              JR_RULE_VOLUME_IMAGE_PULL_POLICY };

    jr_validate_enum(&pull, jr_get(source, "pullPolicy"), &JR_FIELD(path, "pullPolicy"), p->errs);
}

/** A source: what must not be empty comes first, the rest after it. In upstream's order. */
static const struct source {
    const char *name;
    const char *path;   /* of its own faults, NULL: as the name */
    const char *second; /* of the fault that it is one too many, NULL: as the name */
    struct jr_required required[4];
    jr_pod_check_fn *check;
} sources[] = {
    { .name = "emptyDir", .check = check_empty_dir },
    { .name = "hostPath", .check = check_host_path },
    { "gitRepo", .required = { { "repository", JR_RULE_VOLUME_GIT_REPOSITORY } },
      .check = check_git_repo },
    { "gcePersistentDisk", .path = "persistentDisk",
      .required = { { "pdName", JR_RULE_VOLUME_GCE_DISK_NAME } }, .check = check_gce_disk },
    { "awsElasticBlockStore", .required = { { "volumeID", JR_RULE_VOLUME_AWS_VOLUME } },
      .check = check_aws_store },
    { "secret", .required = { { "secretName", JR_RULE_VOLUME_SECRET_NAME } },
      .check = jr_volume_check_secret },
    { "nfs",
      .required = { { "server", JR_RULE_VOLUME_NFS_SERVER },
                    { "path", JR_RULE_VOLUME_NFS_PATH_REQUIRED } },
      .check = check_nfs },
    { "iscsi", .required = { { "targetPortal", JR_RULE_VOLUME_ISCSI_PORTAL } },
      .check = jr_volume_check_iscsi },
    { "glusterfs", .required = { { "endpoints", JR_RULE_VOLUME_GLUSTERFS_ENDPOINTS },
                                 { "path", JR_RULE_VOLUME_GLUSTERFS_PATH } } },
    { .name = "flocker", .check = jr_volume_check_flocker },
    { "persistentVolumeClaim", .required = { { "claimName", JR_RULE_VOLUME_CLAIM_NAME } } },
    { .name = "rbd", .check = check_rbd },
    { "cinder", .required = { { "volumeID", JR_RULE_VOLUME_CINDER_VOLUME } },
      .check = check_cinder },
    { "cephfs", .second = "cephFS", .check = check_cephfs },
    { .name = "quobyte", .check = jr_volume_check_quobyte },
    { "downwardAPI", .second = "downwarAPI", .check = jr_volume_check_downward_api },
    { .name = "fc", .check = jr_volume_check_fc },
    { "flexVolume", .required = { { "driver", JR_RULE_VOLUME_FLEX_DRIVER } },
      .check = jr_volume_check_flex },
    { "configMap", .required = { { "name", JR_RULE_VOLUME_CONFIG_MAP_NAME } },
      .check = jr_volume_check_config_map },
    { "azureFile", .required = { { "secretName", JR_RULE_VOLUME_AZURE_FILE_SECRET },
                                 { "shareName", JR_RULE_VOLUME_AZURE_FILE_SHARE } } },
    { "vsphereVolume", .required = { { "volumePath", JR_RULE_VOLUME_VSPHERE_PATH } } },
    { "photonPersistentDisk", .required = { { "pdID", JR_RULE_VOLUME_PHOTON_DISK } } },
    { "portworxVolume", .required = { { "volumeID", JR_RULE_VOLUME_PORTWORX_VOLUME } } },
    { "azureDisk",
      .required = { { "diskName", JR_RULE_VOLUME_AZURE_DISK_NAME },
                    { "diskURI", JR_RULE_VOLUME_AZURE_DISK_URI_REQUIRED } },
      .check = jr_volume_check_azure_disk },
    { .name = "storageos", .check = jr_volume_check_storageos },
    { .name = "projected", .check = jr_volume_check_projected },
    { "scaleIO", .required = { { "gateway", JR_RULE_VOLUME_SCALEIO_GATEWAY },
                               { "system", JR_RULE_VOLUME_SCALEIO_SYSTEM },
                               { "volumeName", JR_RULE_VOLUME_SCALEIO_VOLUME } } },
    { .name = "csi", .check = jr_volume_check_csi },
    { .name = "ephemeral", .check = jr_volume_check_ephemeral },
    { .name = "image", .check = check_image },
};

static void check_source(struct jr_pod_check *p, const struct source *s, const struct jr_node *node,
                         const struct jr_field_path *path)
{
    const struct jr_field_path at = JR_FIELD(path, s->path == NULL ? s->name : s->path);

    jr_require_texts(s->required, node, &at, p->errs);
    if (s->check != NULL)
        s->check(p, node, &at);
}

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

/** A volume has one source: each further one is an error and not looked at. An object that we don't
 * know may be the source of a newer API server, so that none is missed then. */
void jr_volume_check_sources(struct jr_pod_check *p, const struct jr_node *volume,
                             const struct jr_field_path *path)
{
    size_t n = 0;

    for (size_t i = 0; i < JR_ARRAY_SIZE(sources); i++) {
        const struct source *s = &sources[i];
        const struct jr_node *node = jr_get(volume, s->name);

        if (jr_unset(node))
            continue;
        if (n++ > 0)
            jr_violation(p->errs, JR_RULE_VOLUME_SOURCES,
                         &JR_FIELD(path, s->second == NULL ? s->name : s->second));
        else
            check_source(p, s, node, path);
        if (jr_str_is(jr_str(s->name), "iscsi"))
            check_iscsi_name(p, volume, path);
    }
    for (const struct jr_node *m = jr_first(volume); m != NULL && n == 0; m = jr_next(m))
        n += jr_node_kind(m) == JR_OBJECT;
    if (n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_SOURCE, path);
}
