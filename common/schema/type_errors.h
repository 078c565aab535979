/* Type errors: values that Go's decoder refuses. */
#ifndef JR_SCHEMA_TYPE_ERRORS_H
#define JR_SCHEMA_TYPE_ERRORS_H

#include "common/base/arena.h"
#include "common/json/doc.h"
#include "common/schema/schema.h"

/** A value of a wrong type; why is NULL if there is none. Texts are in the arena. */
struct jr_type_error {
    const char *why;  /* Go's words: json: cannot unmarshal string into Go struct field ... */
    const char *type; /* that it should have */
    const char *path; /* spec.template.spec.containers[0].name */
};
/** The first value of a wrong type. type may be NULL: nothing is known of the object. Errors:
 * JR_NOMEM. */
enum jr_status jr_schema_type_error(const struct jr_schema_type *type, const struct jr_node *object,
                                    struct jr_arena *arena, struct jr_type_error *ret) JR_MUST_USE;

#endif
