/* SPDX-License-Identifier: Apache-2.0 */
/* A Pod as it is read, in a passing arena, before it is packed. Inside this folder only. */
#ifndef JR_API_POD_DRAFT_H
#define JR_API_POD_DRAFT_H

#include "common/api/pod.h"

struct jr_container_spec {
    struct jr_str name;
    struct jr_str restart_policy;
};
struct jr_container_draft {
    struct jr_str name;
    struct jr_container_status status; /* all but the name */
};
struct jr_condition_draft {
    struct jr_str type;
    struct jr_str status;
    struct jr_time last_transition_time;
};
struct jr_container_drafts {
    struct jr_container_draft *v;
    size_t n;
};
struct jr_pod_draft {
    struct jr_pod pod; /* what holds no text; and the texts that stay as they are */
    struct jr_labels labels;
    struct jr_strs finalizers;
    struct jr_str resource_version;
    struct jr_str completion_index;
    struct jr_str index_failure_count;
    struct jr_str index_ignored_failure_count;
    struct jr_str node_name;
    struct jr_str phase;
    struct jr_owner_refs owner_refs;
    const struct jr_owner_ref *controller; /* of these; NULL: none */
    struct {
        struct jr_condition_draft *v;
        size_t n;
    } conditions;
    struct jr_container_drafts containers;
    struct jr_container_drafts init_containers;
    struct {
        struct jr_container_spec *v;
        size_t n;
    } init_specs;
};

/** Makes the Pod that is kept: one allocation. Errors: JR_NOMEM, JR_LIMIT. */
enum jr_status jr_pod_pack(const struct jr_pod_draft *d, struct jr_arena *arena,
                           struct jr_pod **ret) JR_MUST_USE;

#endif
