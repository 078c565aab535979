/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the list of volumes. */
#include "common/pod/volume_parts.h"

static void check_name(struct jr_pod_check *p, struct jr_str name, const struct jr_field_path *path)
{
    if (name.n == 0)
        jr_violation(p->errs, JR_RULE_VOLUME_NAME_REQUIRED, path);
    else
        jr_validate_name(p->errs, JR_RULE_VOLUME_NAME, path, name, jr_name_dns_label);
    if (jr_string_set_has(&p->volumes, name))
        jr_violation_text(p->errs, JR_RULE_VOLUME_NAME_TWICE, path, name);
}

/** Whether it can be a block device. */
static bool is_block(const struct jr_node *volume)
{
    return !jr_unset(jr_get(volume, "persistentVolumeClaim")) ||
           !jr_unset(jr_get(volume, "ephemeral"));
}

void jr_pod_check_volumes(struct jr_pod_check *p, const struct jr_node *volumes,
                          const struct jr_field_path *path)
{
    struct jr_errlist *errs = p->errs;

    p->volumes = JR_STRING_SET(errs);
    p->block_volumes = JR_STRING_SET(errs);
    p->image_volumes = JR_STRING_SET(errs);
    JR_EACH_AT(v, volumes, path, errs) {
        const struct jr_str name = jr_get_str(v.node, "name");
        const size_t before = errs->n;

        jr_volume_check_sources(p, v.node, &v.path);
        check_name(p, name, &JR_FIELD(&v.path, "name"));
        if (errs->n == before && jr_string_set_add(&p->volumes, name)) {
            if (is_block(v.node))
                (void)jr_string_set_add(&p->block_volumes, name);
            if (!jr_unset(jr_get(v.node, "image")))
                (void)jr_string_set_add(&p->image_volumes, name);
        }
        if (!jr_errlist_going(errs))
            return;
    }
}
