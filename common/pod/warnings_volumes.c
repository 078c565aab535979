/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings for volumes. */
#include "common/pod/warning_parts.h"

/* ---- plugins ---- */

#define GIT_REPO "deprecated in v1.11"

static const struct {
    const char *source;
    const char *words;
} deprecated[] = {
    { "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+" },
    { "gitRepo", GIT_REPO ", and disabled by default in v1.33+" },
    { "scaleIO", "deprecated in v1.16, non-functional in v1.22+" },
    { "flocker", "deprecated in v1.22, non-functional in v1.25+" },
    { "storageos", "deprecated in v1.22, non-functional in v1.25+" },
    { "quobyte", "deprecated in v1.22, non-functional in v1.25+" },
    { "glusterfs", "deprecated in v1.25, non-functional in v1.26+" },
    { "ephemeral", NULL }, /* its claim comes here */
    { "cephfs", "deprecated in v1.28, non-functional in v1.31+" },
    { "rbd", "deprecated in v1.28, non-functional in v1.31+" },
};

static void warn_claim(struct jr_warnings *w, const struct jr_node *ephemeral,
                       const struct jr_field_path *volume)
{
    static const char *const kinds[] = { "requests", "limits" };
    const struct jr_node *resources = jr_path(ephemeral, "volumeClaimTemplate.spec.resources");
    const struct jr_field_path source = JR_FIELD(volume, "ephemeral");
    const struct jr_field_path template = JR_FIELD(&source, "volumeClaimTemplate");
    const struct jr_field_path spec = JR_FIELD(&template, "spec");
    const struct jr_field_path path = JR_FIELD(&spec, "resources");

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        if (jr_get(resources, kinds[i]) != NULL)
            jr_warn_fraction(w, jr_get(resources, kinds[i]), "storage", &JR_FIELD(&path, kinds[i]));
    }
}

static void warn_plugins(struct jr_warnings *w, const struct jr_node *volume,
                         const struct jr_field_path *path)
{
    for (size_t k = 0; k < JR_ARRAY_SIZE(deprecated); k++) {
        const char *source = deprecated[k].source;
        const struct jr_node *node = jr_get(volume, source);

        if (jr_unset(node))
            continue;
        /* upstream's path is the field's name in Go with a lower case letter in front */
        if (strcmp(source, "storageos") == 0)
            source = "storageOS";
        if (deprecated[k].words == NULL)
            warn_claim(w, node, path);
        else if (strcmp(source, "gitRepo") == 0 &&
                 !jr_kube_has(w->version, JR_CHANGE_WARNS_OF_GIT_REPO_DISABLED))
            jr_warnings_add(w, JR_WARNING_VOLUME_DEPRECATED, &JR_FIELD(path, source), GIT_REPO);
        else
            jr_warnings_add(w, JR_WARNING_VOLUME_DEPRECATED, &JR_FIELD(path, source), "%s",
                            deprecated[k].words);
    }
}

void jr_warn_volumes(struct jr_warnings *w, const struct jr_node *pod)
{
    const struct jr_field_path spec = JR_WARN_POD(w);
    const struct jr_field_path path = JR_FIELD(&spec, "volumes");

    JR_WARN_EACH(v, jr_get(pod, "volumes"), &path, w)
        warn_plugins(w, v.node, &v.path);
}
