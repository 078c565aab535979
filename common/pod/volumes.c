#include "common/pod/parts.h"

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

/** Whether it can be a block device. */
static bool is_block(const struct jr_node *volume)
{
    return !jr_unset(jr_get(volume, "persistentVolumeClaim")) ||
           !jr_unset(jr_get(volume, "ephemeral"));
}

void jr_pod_check_volumes(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *volumes = jr_get(p->spec, "volumes");
    struct jr_errlist *errs = p->errs;
    struct jr_texts *names = &p->volumes;
    size_t i = 0;

    p->block_volumes.arena = errs->arena;
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
        if (errs->n == before && jr_texts_add(names, name) && is_block(v))
            (void)jr_texts_add(&p->block_volumes, name);
        if (names->failed || p->block_volumes.failed)
            errs->failed = JR_NOMEM;
        if (errs->failed != JR_OK)
            return;
    }
}
