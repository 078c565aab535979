/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of the annotations by which a Job chooses a template of a Workload that somebody else
 * made (KEP-5547), since 1.38. Source: docs/reference/versions.md. */
#include "common/job/validate_parts.h"

static const char *const annotations[] = { "scheduling.k8s.io/workload-name",
                                           "scheduling.k8s.io/group-template-name" };

static const struct jr_node *annotation(const struct jr_node *object, size_t i)
{
    return jr_get(jr_path(object, "metadata.annotations"), annotations[i]);
}

static bool schedules(const struct jr_node *object)
{
    return !jr_unset(jr_path(object, "spec.scheduling"));
}

/** An update may leave the two beside each other, annotation by annotation. */
static void check_alone(const struct jr_node *object, const struct jr_node *was,
                        const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(path, "spec");

    if (!schedules(object))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(annotations); i++) {
        if (annotation(object, i) == NULL || (schedules(was) && annotation(was, i) != NULL))
            continue;
        jr_rule_violatedf(errs, JR_RULE_SCHEDULING_DELEGATED, &JR_FIELD(&spec, "scheduling"),
                          JR_NO_VALUE, "must not be set together with the %s annotation",
                          annotations[i]);
        return;
    }
}

static bool is_unchanged(const struct jr_node *object, const struct jr_node *was)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(annotations); i++) {
        const struct jr_node *now = annotation(object, i), *then = annotation(was, i);

        if ((now == NULL) != (then == NULL) || !jr_str_eq(jr_node_str(now), jr_node_str(then)))
            return false;
    }
    return true;
}

static void check_both(const struct jr_node *object, const struct jr_node *was,
                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_field_path meta = JR_FIELD(path, "metadata");
    const struct jr_field_path all = JR_FIELD(&meta, "annotations");

    if (annotation(object, 0) == NULL && annotation(object, 1) == NULL)
        return;
    if (was != NULL && is_unchanged(object, was))
        return;
    for (size_t i = 0; i < JR_ARRAY_SIZE(annotations); i++) {
        if (jr_node_str(annotation(object, i)).n == 0)
            jr_violation(errs, JR_RULE_DELEGATION_INCOMPLETE,
                         &JR_FIELD_KEY(&all, jr_str(annotations[i])));
    }
}

void jr_validate_delegation(const struct jr_node *object, const struct jr_node *was,
                            const struct jr_field_path *path, struct jr_errlist *errs)
{
    check_alone(object, was, path, errs);
    check_both(object, was, path, errs);
}
