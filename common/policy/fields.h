/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a Job that policies limit and default: a closed list. */
#ifndef JR_POLICY_FIELDS_H
#define JR_POLICY_FIELDS_H

#include "common/base/num.h"
#include "common/json/doc.h"
#include "common/json/field_path.h"

/** In the order in which findings are told. */
enum jr_limited_field {
    JR_LIMITED_PARALLELISM,
    JR_LIMITED_COMPLETIONS,
    JR_LIMITED_ACTIVE_DEADLINE,
    JR_LIMITED_BACKOFF_LIMIT,
    JR_LIMITED_BACKOFF_LIMIT_PER_INDEX,
    JR_LIMITED_MAX_FAILED_INDEXES,
    JR_LIMITED_TTL,
    JR_LIMITED_COMPLETION_MODE,
    JR_LIMITED_POD_REPLACEMENT_POLICY,
    JR_LIMITED_MANAGED_BY,
    JR_LIMITED_MANUAL_SELECTOR,
    JR_LIMITED_POD_DEADLINE, /* from here on: of the Pod template */
    JR_LIMITED_POD_GRACE,
    JR_LIMITED_POD_PRIORITY_CLASS,
    JR_LIMITED_FIELDS
};

enum jr_limited_kind { JR_LIMITED_INT, JR_LIMITED_TEXT, JR_LIMITED_FLAG };

struct jr_limited_field_info {
    const char *name; /* as rules and messages have it: template.priorityClassName */
    const char *leaf; /* the last part of it, which the field of the Job has too */
    enum jr_limited_kind kind;
    bool of_template;
    int64_t least; /* of numbers: what validation allows */
    int64_t most;
    const char *go_type; /* of an enum; NULL: any text */
    bool has_default;    /* spec.defaults has it */
    bool server_default; /* of those: an API server sets it before any webhook sees the Job */
};
extern const struct jr_limited_field_info jr_limited_fields[JR_LIMITED_FIELDS];

/** The node of the field in a JobSpec's tree; NULL: absent. */
struct jr_node *jr_limited_node(enum jr_limited_field f, const struct jr_node *spec);
/** The field's path below spec.limits or spec.defaults of a policy; room holds what lies between.
 */
const struct jr_field_path *jr_limited_rule_path(enum jr_limited_field f,
                                                 const struct jr_field_path *path,
                                                 struct jr_field_path room[2]);

#endif
