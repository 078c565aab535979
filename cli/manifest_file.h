/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests on disk: reading one, and finding those of a folder. */
#ifndef JR_CLI_MANIFEST_FILE_H
#define JR_CLI_MANIFEST_FILE_H

#include "common/base/buf.h"

/** Appends the file's bytes; "-" is standard input. Errors: JR_IO; JR_LIMIT where out->max is
 * passed; err->path is the file. */
enum jr_status jr_input_read(const char *path, struct jr_buf *out,
                             struct jr_error *err) JR_MUST_USE;
/** Makes the file anew with text. Errors: JR_IO, err->path is the file. */
enum jr_status jr_file_make(const char *path, struct jr_str text, struct jr_error *err) JR_MUST_USE;

struct jr_files_sink {
    /* A manifest, by the path to open it with. */
    void (*file)(void *ctx, const char *path);
    /* What can't be looked at, and why. */
    void (*fault)(void *ctx, const char *path, const char *why);
    void *ctx;
};

/** Calls the sink for path, or where it is a folder for each *.yaml, *.yml and *.json below it, in
 * the order of their names. Names that begin with a dot are passed over, so are links to folders:
 * what they lead to may be above. A folder without manifests is a fault. */
void jr_files_walk(const char *path, const struct jr_files_sink *sink);
/** The same for the manifests that lie in the folder itself; there may be none. */
void jr_files_list(const char *folder, const struct jr_files_sink *sink);
/** Appends `path`, which stands in a text of `file`, as it is to be opened: relative to the file's
 * folder, unless it begins with '/'. */
void jr_files_beside(struct jr_str file, struct jr_str path, struct jr_buf *out);

#endif
