/* SPDX-License-Identifier: Apache-2.0 */
/* Strict decoding (fieldValidation): fields that the API server doesn't know. */
#ifndef JR_SCHEMA_UNKNOWN_FIELDS_H
#define JR_SCHEMA_UNKNOWN_FIELDS_H

#include "common/base/arena.h"
#include "common/json/doc.h"
#include "common/json/field_path.h"
#include "common/schema/schema.h"

struct jr_strict_error {
    struct jr_strict_error *next;
    const char *text;                 /* unknown field "spec.foo" */
    const struct jr_field_path *path; /* of an unknown field */
    struct jr_str field;              /* the path, rendered */
    const struct jr_schema_type *in;  /* which doesn't have it */
};
/** Strict decoding errors, in an arena. Start with { .arena = arena }. */
struct jr_strict_errors {
    struct jr_arena *arena;
    struct jr_strict_error *first;
    struct jr_strict_error *last;
    size_t n;
    bool failed; /* no memory */
};

/** No more are kept. Source: savedStrictErrors in sigs.k8s.io/json. */
#define JR_STRICT_MAX 100

void jr_strict_add(struct jr_strict_errors *s, const char *fmt, ...) JR_PRINTF(2, 3);
/** Appends what other has. */
void jr_strict_join(struct jr_strict_errors *s, const struct jr_strict_errors *other);

/** Adds each member of the object, at any depth, that its type doesn't have in Kubernetes 1.minor.
 * type may be NULL: nothing is known of the object. */
void jr_schema_unknown(const struct jr_schema_type *type, const struct jr_node *object,
                       unsigned minor, struct jr_strict_errors *errors);
/** Removes them, as decoding does. type may be NULL: nothing is removed. */
void jr_schema_prune(const struct jr_schema_type *type, struct jr_node *object, unsigned minor);

#endif
