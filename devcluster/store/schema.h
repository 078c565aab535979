/* What is known of the objects' fields: their names, for fieldValidation, and their types, for the
 * words of a refusal. What is not in the tables is not judged. */
#ifndef JR_DEVCLUSTER_SCHEMA_H
#define JR_DEVCLUSTER_SCHEMA_H

#include "common/base/arena.h"
#include "common/json/doc.h"
#include "devcluster/store/resource.h"

struct dev_strict_error {
    struct dev_strict_error *next;
    const char *text; /* unknown field "spec.foo" */
};
/** Strict decoding errors, in an arena. */
struct dev_strict {
    struct jr_arena *arena;
    struct dev_strict_error *first;
    struct dev_strict_error *last;
    size_t n;
    bool failed; /* no memory */
};

/** More are not told of. Source: savedStrictErrors in sigs.k8s.io/json. */
#define DEV_STRICT_MAX 100

void jr_dev_strict_add(struct dev_strict *s, const char *fmt, ...) JR_PRINTF(2, 3);
bool jr_dev_strict_has(const struct dev_strict *s, const char *text);
/** Appends what other has. */
void jr_dev_strict_join(struct dev_strict *s, const struct dev_strict *other);

/** Adds the fields that the API server doesn't know. */
void jr_dev_schema_unknown(const struct dev_resource *res, const struct jr_node *root,
                           struct dev_strict *errors);
/** A value of a wrong type; why is NULL if there is none. Texts are in the arena. */
struct dev_mistyped {
    const char *why;  /* Go's words: json: cannot unmarshal string into Go struct field ... */
    const char *type; /* that it should have */
    const char *path; /* spec.template.spec.containers[0].name */
};
/** The first value of a wrong type. Errors: JR_NOMEM. */
enum jr_status jr_dev_schema_types(const struct dev_resource *res, const struct jr_node *root,
                                   struct jr_arena *arena, struct dev_mistyped *ret) JR_MUST_USE;

#endif
