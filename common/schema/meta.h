/* SPDX-License-Identifier: Apache-2.0 */
/* metav1 types as structs: ObjectMeta, labels, selectors, owner references. */
#ifndef JR_SCHEMA_META_H
#define JR_SCHEMA_META_H

#include "common/base/buf.h"
#include "common/base/num.h"
#include "common/base/time.h"

/** One label or annotation. Keys keep the order of the wire. */
struct jr_label {
    struct jr_str key;
    struct jr_str value;
};
struct jr_labels {
    struct jr_label *v;
    size_t n;
};
struct jr_strs {
    struct jr_str *v;
    size_t n;
};

struct jr_owner_ref {
    struct jr_str api_version;
    struct jr_str kind;
    struct jr_str name;
    struct jr_str uid;
    struct jr_opt_bool controller;
    struct jr_opt_bool block_owner_deletion;
};
struct jr_owner_refs {
    struct jr_owner_ref *v;
    size_t n;
};

/** ObjectMeta; absent strings are {NULL, 0}. managedFields is not kept. */
struct jr_meta {
    struct jr_str name;
    struct jr_str generate_name;
    struct jr_str namespace;
    struct jr_str uid;
    struct jr_str resource_version;
    int64_t generation;
    struct jr_time creation_timestamp;
    struct jr_time deletion_timestamp;
    struct jr_opt_i64 deletion_grace_period_s;
    struct jr_labels labels;
    struct jr_labels annotations;
    struct jr_owner_refs owner_refs;
    struct jr_strs finalizers;
};

/** LabelSelectorRequirement; op is as on the wire: In, NotIn, Exists, DoesNotExist, or anything a
 * user wrote. */
struct jr_selector_req {
    struct jr_str key;
    struct jr_str op;
    struct jr_strs values;
};
struct jr_selector_plan;
enum jr_selector_validity { JR_SELECTOR_UNKNOWN, JR_SELECTOR_VALID, JR_SELECTOR_INVALID };
/** metav1.LabelSelector. set = false: the field is absent (matches nothing); set and empty matches
 * everything. */
struct jr_selector {
    bool set;
    struct jr_labels match_labels;
    struct {
        struct jr_selector_req *v;
        size_t n;
    } match_expressions;
    /* What jr_selector_prepare() has found out, for one that is kept. */
    enum jr_selector_validity validity;
    const struct jr_selector_plan *plan; /* NULL: none is needed, or made */
};

/** An array of int32. */
struct jr_i32s {
    int32_t *v;
    size_t n;
};

#endif
