/* Where a walk over an object is: a chain of frames on the stack, rendered only on a fault. */
#ifndef JR_SCHEMA_PATH_H
#define JR_SCHEMA_PATH_H

#include "common/base/buf.h"
#include "common/schema/schema.h"

/** A member of an object or map, or an element of a list. */
struct jr_schema_path {
    const struct jr_schema_path *parent; /* NULL at a member of the object itself */
    struct jr_str key;                   /* of a member */
    bool element;
    size_t index;                     /* of an element */
    const struct jr_schema_type *via; /* embedded: Go's path names it; NULL: none */
};

/** Longer paths aren't rendered. */
#define JR_SCHEMA_PATH_BYTES ((size_t)1 << 20)

/** Appends the path as JSON has it: spec.containers[0].name. Errors are the buffer's. */
void jr_schema_path_json(const struct jr_schema_path *path, struct jr_buf *out);
/** Appends it as Go's decoder names it: spec.containers.name, with embedded structs. */
void jr_schema_path_go(const struct jr_schema_path *path, struct jr_buf *out);

#endif
