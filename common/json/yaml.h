/* SPDX-License-Identifier: Apache-2.0 */
/* YAML 1.1 streams as JSON documents, with positions, as kubectl reads them (sigs.k8s.io/yaml). */
#ifndef JR_JSON_YAML_H
#define JR_JSON_YAML_H

#include "common/json/doc.h"
#include "common/json/field_path.h"

/** Where the values of a document stand in its source; looked up by field path. */
struct jr_positions;
void jr_positions_free(struct jr_positions *p);
JR_DEFINE_CLEANUP(struct jr_positions *, jr_positions_free)
/** The number of the value at path below the value `from` (0: the document), or of its nearest
 * parent that is there. Of duplicates it is the last. Numbers are in the order of the text. p may
 * be NULL. */
size_t jr_positions_find(const struct jr_positions *p, size_t from,
                         const struct jr_field_path *path);
/** Line and column (from 1, columns in characters) of that value. p may be NULL. */
void jr_positions_place(const struct jr_positions *p, size_t at, unsigned *ret_line,
                        unsigned *ret_column);
/** Whether the value `at` is `from`, or in it. */
bool jr_positions_below(const struct jr_positions *p, size_t at, size_t from);
/** Calls fn for each key that an object has more than once, once, with the number of the second
 * one, in their order; fn returning other than JR_OK ends it with that. p may be NULL. */
enum jr_status jr_positions_duplicates(const struct jr_positions *p,
                                       enum jr_status (*fn)(void *ctx, size_t at),
                                       void *ctx) JR_MUST_USE;
/** The number of the last member that has the name of the member `at` beside it. */
size_t jr_positions_last(const struct jr_positions *p, size_t at);
/** Appends the path from one value to another in it, as API servers write it for duplicates:
 * "spec.template.spec.containers[0].name", "metadata.labels.a/b". Errors are the buffer's. */
void jr_positions_write(const struct jr_positions *p, size_t from, size_t at, struct jr_buf *out);

struct jr_yaml_limits {
    size_t max_bytes; /* of the text; 0: 7 MiB. What aliases repeat may be twice that */
    /* Of a document, after aliases are expanded; and of what aliases and merge keys add to all
     * documents together, or many small ones would cost what one large one may not. 0: 1,000,000 */
    size_t max_nodes;
    unsigned max_depth;     /* 0: 100 */
    enum jr_dup_policy dup; /* JR_DUP_LAST: the later of two equal keys counts */
};

/** Reads every document of a YAML or JSON stream, in order; calls fn with each, which takes both
 * over. Anchors, aliases and merge keys are expanded under the limits; plain scalars are typed as
 * YAML 1.1 does it in Go's yaml.v2 (yes/no/on/off are booleans, octals, floats), a document has at
 * most 1,000 anchors, a stream 100 tag directives, duplicate keys are
 * refused unless the limits say otherwise, empty documents passed over. fn returning other than
 * JR_OK ends the reading with that. Errors: JR_SYNTAX "line 3, column 7: ...", JR_LIMIT,
 * JR_INVALID. */
enum jr_status jr_yaml_read(struct jr_str text, const struct jr_yaml_limits *limits,
                            enum jr_status (*fn)(void *ctx, struct jr_doc *doc,
                                                 struct jr_positions *pos, struct jr_error *err),
                            void *ctx, struct jr_error *err) JR_MUST_USE;

/** Appends node as YAML, block style, members in their order, strings quoted where they would be
 * read as something else. */
enum jr_status jr_yaml_print(const struct jr_node *node, struct jr_buf *out) JR_MUST_USE;

#endif
