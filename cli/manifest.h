/* Manifests: the objects in a YAML or JSON stream, with the items of Lists, and where they stand.
 */
#ifndef JR_CLI_MANIFEST_H
#define JR_CLI_MANIFEST_H

#include <stdio.h>

#include "common/json/yaml.h"

/** One object, borrowed during the call. */
struct jr_manifest {
    const char *file;             /* as the user named it; "-" is standard input */
    const struct jr_node *object; /* kind and apiVersion may be missing */
    const struct jr_positions *positions;
    const char *prefix; /* of the object's paths in its document: "", "items[3]" */
    unsigned line;      /* where the object begins */
};
typedef enum jr_status jr_manifest_fn(void *ctx, const struct jr_manifest *m, struct jr_error *err);

/** Reads a file ("-": in) into text. Errors: JR_IO, JR_LIMIT, JR_NOMEM; err->path names it. */
enum jr_status jr_manifest_load(const char *file, FILE *in, struct jr_buf *text,
                                struct jr_error *err) JR_MUST_USE;
/** Whether the text is JSON: kubectl's guess, by the first character. */
bool jr_manifest_is_json(struct jr_str text);
/** Calls fn for each object, in order; an answer other than JR_OK ends the reading with it. Errors:
 * those of jr_yaml_read, with file, line and column in err->path. */
enum jr_status jr_manifest_read(const char *file, struct jr_str text, jr_manifest_fn *fn, void *ctx,
                                struct jr_error *err) JR_MUST_USE;
/** Makes err->path, a field's path in the object, "FILE:LINE:COLUMN: PATH". */
void jr_manifest_locate(const struct jr_manifest *m, struct jr_error *err);

#endif
