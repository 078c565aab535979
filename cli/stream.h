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
struct jr_stream_object {
    struct jr_node *node;
    struct jr_str api_version; /* items of a JobList may leave it to the list */
    struct jr_str kind;
    size_t document;                      /* from 1 */
    struct jr_str path;                   /* in its document: items[0]; empty: it is the document */
    const struct jr_positions *positions; /* of the document */
};

/** A document, before its objects (ended = false) and after them. */
struct jr_stream_document {
    struct jr_node *root;
    size_t number; /* from 1 */
    bool ended;
    const struct jr_positions *positions;
};

struct jr_stream_sink {
    /* Other than JR_OK ends the reading with that. */
    enum jr_status (*object)(void *ctx, const struct jr_stream_object *object,
                             struct jr_error *err);
    /* May be NULL. */
    enum jr_status (*document)(void *ctx, const struct jr_stream_document *document,
                               struct jr_error *err);
    void *ctx;
};

/** Calls the sink for each document and object of the text. Items of anything whose kind ends in
 * "List" are objects, the list itself is none. Errors as jr_yaml_read. */
enum jr_status jr_stream_read(struct jr_str text, const struct jr_yaml_limits *limits,
                              const struct jr_stream_sink *sink, struct jr_error *err) JR_MUST_USE;

/** Line and column of a field of the object, or of its nearest parent that is there. */
void jr_stream_find(const struct jr_stream_object *object, struct jr_str field, unsigned *ret_line,
                    unsigned *ret_column);

/** Whether the object is a batch/v1 Job. */
bool jr_stream_is_job(const struct jr_stream_object *object);

#endif
