#include "common/pod/volume_parts.h"

#define MODE_MAX 0777

void jr_volume_check_mode(const struct jr_node *object, const char *name,
                          const struct jr_field_path *path, struct jr_errlist *errs)
{
    int64_t mode;

    if (jr_node_i64(jr_get(object, name), &mode) == JR_OK && (mode < 0 || mode > MODE_MAX))
        jr_violation_int(errs, JR_RULE_VOLUME_FILE_MODE, &JR_FIELD(path, name), mode);
}

void jr_volume_check_file_path(struct jr_str file, const struct jr_field_path *path,
                               struct jr_errlist *errs)
{
    struct jr_faults faults = jr_name_descending_path(file);

    if (jr_str_starts(file, JR_S("..")) && !jr_str_starts(file, JR_S("../")))
        faults.v[faults.n++] = "must not start with '..'";
    jr_rule_faults(errs, JR_RULE_VOLUME_FILE_PATH, path, file, &faults);
}

void jr_volume_check_key(const struct jr_node *item, const struct jr_field_path *path,
                         struct jr_errlist *errs)
{
    static const struct jr_required required[] = {
        { "key", JR_RULE_VOLUME_KEY_REQUIRED },
        { "path", JR_RULE_VOLUME_KEY_PATH_REQUIRED },
        { 0 },
    };

    jr_require_texts(required, item, path, errs);
    jr_volume_check_file_path(jr_get_str(item, "path"), &JR_FIELD(path, "path"), errs);
    jr_volume_check_mode(item, "mode", path, errs);
}

/** A secret, or a ConfigMap. */
static void check_keys(struct jr_pod_check *p, const struct jr_node *source,
                       const struct jr_field_path *path)
{
    jr_volume_check_mode(source, "defaultMode", path, p->errs);
    JR_EACH_AT(c, jr_get(source, "items"), &JR_FIELD(path, "items"), p->errs)
        jr_volume_check_key(c.node, &c.path, p->errs);
}

void jr_volume_check_secret(struct jr_pod_check *p, const struct jr_node *source,
                            const struct jr_field_path *path)
{
    check_keys(p, source, path);
}

void jr_volume_check_config_map(struct jr_pod_check *p, const struct jr_node *source,
                                const struct jr_field_path *path)
{
    check_keys(p, source, path);
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
    static const struct jr_required required[] = {
        { "path", JR_RULE_VOLUME_DOWNWARD_PATH_REQUIRED },
        { 0 },
    };

    jr_require_texts(required, file, path, p->errs);
    jr_volume_check_file_path(jr_get_str(file, "path"), &JR_FIELD(path, "path"), p->errs);
    check_ref(p, file, path);
    jr_volume_check_mode(file, "mode", path, p->errs);
}

void jr_volume_check_downward_api(struct jr_pod_check *p, const struct jr_node *source,
                                  const struct jr_field_path *path)
{
    jr_volume_check_mode(source, "defaultMode", path, p->errs);
    JR_EACH_GOING(f, jr_get(source, "items"), p->errs)
        jr_volume_check_downward_file(p, f, path);
}
