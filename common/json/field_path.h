/* SPDX-License-Identifier: Apache-2.0 */
/* The path of a field: from a value in an object up to the object itself. */
#ifndef JR_JSON_FIELD_PATH_H
#define JR_JSON_FIELD_PATH_H

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/json/doc.h"

/** A segment, linked from the leaf to the root: on the stack while an object is looked at, in an
 * arena where it is kept. It is rendered only on a fault. NULL is the object itself. */
struct jr_field_path {
    const struct jr_field_path *parent;
    struct jr_str name; /* of a field, or a key of a map; p == NULL: an element of a list */
    size_t index;       /* of an element */
    bool key;           /* rendered "[name]", not ".name" */
    bool hidden;        /* stands in the object, but the API server leaves it out of the path */
    const char *via;    /* the embedded struct that Go names before it; NULL: none */
};
/** A field, ".spec"; a key of a map, "[key]"; an element, "[index]". */
#define JR_FIELD(parent_, name_) \
    ((struct jr_field_path){ .parent = (parent_), .name = jr_str(name_) })
#define JR_FIELD_KEY(parent_, key_) \
    ((struct jr_field_path){ .parent = (parent_), .name = (key_), .key = true })
#define JR_FIELD_AT(parent_, i_) ((struct jr_field_path){ .parent = (parent_), .index = (i_) })
/** The same where the API server's path ends, or goes on, without it: the key or element that an
 * error about a whole map or list means, the metadata of a Pod template. */
#define JR_FIELD_HIDDEN(parent_, key_) \
    ((struct jr_field_path){ .parent = (parent_), .name = (key_), .hidden = true })
#define JR_FIELD_HIDDEN_AT(parent_, i_) \
    ((struct jr_field_path){ .parent = (parent_), .index = (i_), .hidden = true })

/** Longer paths aren't rendered. */
#define JR_FIELD_PATH_BYTES ((size_t)80 << 20) /* any key of a manifest */

/** Appends the path as the API server's errors have it: spec.containers[0].name,
 * metadata.labels[a/b]. */
enum jr_status jr_field_path_write(const struct jr_field_path *path,
                                   struct jr_buf *out) JR_MUST_USE;
/** Appends it as Go's decoder names it: spec.containers.name, with embedded structs. */
enum jr_status jr_field_path_write_go(const struct jr_field_path *path,
                                      struct jr_buf *out) JR_MUST_USE;
/** The path rendered, in the arena; {NULL, 0} without memory, or where it is too long. */
struct jr_str jr_field_path_text(const struct jr_field_path *path, struct jr_arena *arena);
/** A copy in the arena, names too. Segments that `like` (NULL: nothing), a copy made before, begins
 * with are not made again. False without memory. */
bool jr_field_path_keep(const struct jr_field_path *path, const struct jr_field_path *like,
                        struct jr_arena *arena, const struct jr_field_path **ret) JR_MUST_USE;
/** The value at path below n; NULL if there is none. */
struct jr_node *jr_field_find(const struct jr_node *n, const struct jr_field_path *path);
/** Whether the path leads into the object's field `name`. */
bool jr_field_path_begins(const struct jr_field_path *path, const char *name);

#endif
