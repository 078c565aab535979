/* metadata.k8s.io types that every object shares: ObjectMeta, labels, selectors, owner references,
 * Status. */
#ifndef JR_API_META_H
#define JR_API_META_H

#include "common/base/buf.h"
#include "common/json/decode.h"

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
enum jr_selector_judged { JR_SELECTOR_UNJUDGED, JR_SELECTOR_VALID, JR_SELECTOR_INVALID };
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
    enum jr_selector_judged judged;
    const struct jr_selector_plan *plan; /* NULL: none is needed, or made */
};

extern const struct jr_object_desc jr_meta_desc;
jr_decode_fn jr_decode_labels;   /* struct jr_labels, from an object of strings */
jr_decode_fn jr_decode_selector; /* struct jr_selector */
jr_decode_fn jr_decode_strs;     /* struct jr_strs */

/** The value of key, {NULL, 0} if absent. */
struct jr_str jr_labels_get(const struct jr_labels *l, struct jr_str key);
bool jr_strs_has(const struct jr_strs *s, struct jr_str v);
/** The reference with controller: true, NULL if there is none. */
const struct jr_owner_ref *jr_meta_controller(const struct jr_meta *m);

/** One cause of a Status. */
struct jr_cause {
    struct jr_str reason; /* FieldValueInvalid, NamespaceTerminating, ... */
    struct jr_str message;
    struct jr_str field;
};
/** metav1.Status, as an error answer carries it. */
struct jr_api_status {
    int32_t code;
    struct jr_str status; /* Success, Failure */
    struct jr_str reason; /* Invalid, NotFound, Conflict, Expired, ... */
    struct jr_str message;
    struct jr_str continue_token; /* metadata.continue: where a list whose token expired goes on */
    struct {
        struct jr_str name;
        struct jr_str group;
        struct jr_str kind;
        struct jr_str uid;
        int32_t retry_after_s;
        struct {
            struct jr_cause *v;
            size_t n;
        } causes;
    } details;
};
/** Decodes a Status; strings are copied into the arena: of a message or a field 16 KiB at most, and
 * of 100 causes. Errors: as jr_decode_lenient. */
enum jr_status jr_api_status_decode(struct jr_str text, struct jr_arena *arena,
                                    struct jr_api_status *ret, struct jr_error *err) JR_MUST_USE;
/** Whether a cause has this reason. */
bool jr_api_status_has_cause(const struct jr_api_status *s, struct jr_str reason);
/** Appends the Status as a whole JSON object ({"kind":"Status","apiVersion":"v1",...}). */
enum jr_status jr_api_status_write(const struct jr_api_status *s, struct jr_buf *out) JR_MUST_USE;

#endif
