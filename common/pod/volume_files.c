/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the files in volumes: paths, keys and modes. */
#include "common/pod/volume_parts.h"

void jr_volume_check_file_path(struct jr_str file, const struct jr_field_path *path,
                               struct jr_errlist *errs)
{
    struct jr_name_errors faults = jr_name_descending_path(file);

    if (jr_str_starts(file, JR_S("..")) && !jr_str_starts(file, JR_S("../")))
        faults.v[faults.n++] = "must not start with '..'";
    jr_rule_faults(errs, JR_RULE_VOLUME_FILE_PATH, path, file, &faults);
}

static void check_path(struct jr_pod_check *p, const struct jr_node *file,
                       const struct jr_field_path *path)
{
    jr_volume_check_file_path(jr_node_str(file), path, p->errs);
}

void jr_volume_check_key(struct jr_pod_check *p, const struct jr_node *item,
                         const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_REQUIRED("key", TEXT, VOLUME_KEY_REQUIRED),
        JR_REQUIRED("path", TEXT, VOLUME_KEY_PATH_REQUIRED),
        JR_CALL(JR_ALWAYS, "path", check_path),
        JR_FILE_MODE("mode"),
        { .name = NULL },
    };

    jr_pod_check_fields(p, rules, item, path);
}

static void check_ref(struct jr_pod_check *p, const struct jr_node *file,
                      const struct jr_field_path *path)
{
    static const char *const fields[] = {
        "metadata.annotations", "metadata.labels", "metadata.name",
        "metadata.namespace",   "metadata.uid",    NULL,
    };
    const struct jr_node *field = jr_get(file, "fieldRef");
    const struct jr_node *resource = jr_get(file, "resourceFieldRef");

    if (!jr_unset(field)) {
        jr_pod_check_field_ref(p, field, fields, &JR_FIELD(path, "fieldRef"));
        if (!jr_unset(resource))
            jr_violation_text(p->errs, JR_RULE_VOLUME_DOWNWARD_BOTH, path, JR_S("resource"));
    } else if (!jr_unset(resource)) {
        jr_pod_check_named_resource_ref(p, resource, &JR_FIELD(path, "resourceFieldRef"));
    } else {
        jr_violation(p->errs, JR_RULE_VOLUME_DOWNWARD_REF_REQUIRED, path);
    }
}

void jr_volume_check_downward_file(struct jr_pod_check *p, const struct jr_node *file,
                                   const struct jr_field_path *path)
{
    static const struct jr_field_rule rules[] = {
        JR_REQUIRED("path", TEXT, VOLUME_DOWNWARD_PATH_REQUIRED),
        JR_CALL(JR_ALWAYS, "path", check_path),
        JR_OBJECT_BY(check_ref),
        JR_FILE_MODE("mode"),
        { .name = NULL },
    };

    jr_pod_check_fields(p, rules, file, path);
}

void jr_volume_check_downward_files(struct jr_pod_check *p, const struct jr_node *source,
                                    const struct jr_field_path *path)
{
    JR_EACH_GOING(f, jr_get(source, "items"), p->errs)
        jr_volume_check_downward_file(p, f, path);
}
