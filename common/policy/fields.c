/* SPDX-License-Identifier: Apache-2.0 */
/* The table of limited fields: names, paths and how each is read. */
#include "common/policy/fields.h"

/* clang-format off */
const struct jr_limited_field_info jr_limited_fields[JR_LIMITED_FIELDS] = {
    [JR_LIMITED_PARALLELISM] = { .name = "parallelism", .leaf = "parallelism", .most = INT32_MAX },
    [JR_LIMITED_COMPLETIONS] = { .name = "completions", .leaf = "completions", .most = INT32_MAX },
    [JR_LIMITED_ACTIVE_DEADLINE] = { .name = "activeDeadlineSeconds", .leaf = "activeDeadlineSeconds", .most = INT64_MAX, .has_default = true },
    [JR_LIMITED_BACKOFF_LIMIT] = { .name = "backoffLimit", .leaf = "backoffLimit", .most = INT32_MAX, .has_default = true, .server_default = true },
    [JR_LIMITED_BACKOFF_LIMIT_PER_INDEX] = { .name = "backoffLimitPerIndex", .leaf = "backoffLimitPerIndex", .most = INT32_MAX },
    [JR_LIMITED_MAX_FAILED_INDEXES] = { .name = "maxFailedIndexes", .leaf = "maxFailedIndexes", .most = INT32_MAX },
    [JR_LIMITED_TTL] = { .name = "ttlSecondsAfterFinished", .leaf = "ttlSecondsAfterFinished", .most = INT32_MAX, .has_default = true },
    [JR_LIMITED_COMPLETION_MODE] = { .name = "completionMode", .leaf = "completionMode", .kind = JR_LIMITED_TEXT, .go_type = "v1.CompletionMode" },
    [JR_LIMITED_POD_REPLACEMENT_POLICY] = { .name = "podReplacementPolicy", .leaf = "podReplacementPolicy", .kind = JR_LIMITED_TEXT, .go_type = "v1.PodReplacementPolicy", .has_default = true, .server_default = true },
    [JR_LIMITED_MANAGED_BY] = { .name = "managedBy", .leaf = "managedBy", .kind = JR_LIMITED_TEXT },
    [JR_LIMITED_MANUAL_SELECTOR] = { .name = "manualSelector", .leaf = "manualSelector", .kind = JR_LIMITED_FLAG },
    [JR_LIMITED_POD_DEADLINE] = { .name = "template.activeDeadlineSeconds", .leaf = "activeDeadlineSeconds", .of_template = true, .least = 1, .most = INT32_MAX, .has_default = true },
    [JR_LIMITED_POD_GRACE] = { .name = "template.terminationGracePeriodSeconds", .leaf = "terminationGracePeriodSeconds", .of_template = true, .most = INT64_MAX, .has_default = true, .server_default = true },
    [JR_LIMITED_POD_PRIORITY_CLASS] = { .name = "template.priorityClassName", .leaf = "priorityClassName", .kind = JR_LIMITED_TEXT, .of_template = true, .has_default = true },
};
/* clang-format on */

struct jr_node *jr_limited_node(enum jr_limited_field f, const struct jr_node *spec)
{
    if (jr_limited_fields[f].of_template)
        spec = jr_get(jr_get(spec, "template"), "spec");
    return jr_get(spec, jr_limited_fields[f].leaf);
}

const struct jr_field_path *jr_limited_rule_path(enum jr_limited_field f,
                                                 const struct jr_field_path *path,
                                                 struct jr_field_path room[2])
{
    const struct jr_limited_field_info *info = &jr_limited_fields[f];

    room[0] = JR_FIELD(path, "template");
    room[1] = JR_FIELD(info->of_template ? &room[0] : path, info->leaf);
    return &room[1];
}
