/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of a YAML or JSON stream: documents, and the items of Lists, with where they stand.
 * Pure. */
#ifndef JR_CLI_STREAM_H
#define JR_CLI_STREAM_H

#include "common/json/yaml.h"

/** What is said of a document or an item that is a list or a scalar. */
#define JR_NO_OBJECT "expected an object: several of them are a List, or a stream of documents"

/** Most bytes that a manifest may have. */
#define JR_STREAM_MAX_BYTES ((size_t)64 << 20)

/** One object, borrowed for the call. */
struct jr_manifest {
    struct jr_node *node;
    struct jr_str api_version;  /* items of a JobList may leave it to the list */
    struct jr_str kind;         /* likewise */
    struct jr_str list_version; /* apiVersion of the JobList that it is an item of; n = 0: none */
    bool is_list;               /* the head of a list, whose items came before */
    size_t document;            /* from 1 */
    struct jr_str path;         /* in its document: items[0]; empty: it is the document */
    size_t place;               /* among the positions */
    const struct jr_positions *positions; /* of the document */
};

/** A document, before its objects (ended = false) and after them. */
struct jr_stream_document {
    struct jr_node *root;
    bool ended;
    const struct jr_positions *positions;
};

struct jr_stream_sink {
    /* Other than JR_OK ends the reading with that. */
    enum jr_status (*object)(void *ctx, const struct jr_manifest *m, struct jr_error *err);
    /* May be NULL. */
    void (*document)(void *ctx, const struct jr_stream_document *document);
    void *ctx;
};

/** Calls the sink for each document and object of the text; of anything whose kind ends in "List",
 * for its items, then for itself. Errors as jr_yaml_read, but JR_NOMEM. */
enum jr_status jr_stream_read(struct jr_str text, const struct jr_yaml_limits *limits,
                              const struct jr_stream_sink *sink, struct jr_error *err) JR_MUST_USE;

/** The place, among the positions, of a field of the object, or of its nearest parent that is
 * there. */
size_t jr_manifest_place(const struct jr_manifest *m, const struct jr_field_path *path);

#endif
