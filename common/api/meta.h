/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.k8s.io types that every object shares: ObjectMeta, labels, selectors, owner references,
 * Status. */
#ifndef JR_API_META_H
#define JR_API_META_H

#include "common/base/arena.h"
#include "common/schema/meta.h"

/** The value of key, {NULL, 0} if absent. */
struct jr_str jr_labels_get(const struct jr_labels *l, struct jr_str key);
bool jr_strs_has(const struct jr_strs *s, struct jr_str v);
/** How many labels, expressions and values a selector has. */
size_t jr_selector_length(const struct jr_selector *s);
/** The reference with controller: true, NULL if there is none. */
const struct jr_owner_ref *jr_meta_controller(const struct jr_meta *m);

/** Returns when a deletion was asked for: its deletionTimestamp less its grace; the
 * deletionTimestamp itself where that is beyond what a time can be. */
struct jr_time jr_deletion_asked(struct jr_time deletion, int64_t grace_s);

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
