/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests on their way through a command that changes them: the objects of a YAML or JSON stream,
 * and of the Lists in it, are handed to a function one by one, then printed, or shown as a diff.
 * Pure. */
#ifndef JR_CLI_REWRITE_H
#define JR_CLI_REWRITE_H

#include "cli/stream.h"
#include "common/base/buf.h"

enum jr_text_format { JR_FORMAT_SAME, JR_FORMAT_YAML, JR_FORMAT_JSON };

/** Something about a text, where it stands. */
struct jr_remark {
    unsigned line, column; /* from 1 */
    const char *path;      /* from the document's root; may be empty */
    const char *text;
    bool warning; /* else the text was refused for it */
};

/** What a command says to an object. */
enum jr_rewrite_result {
    JR_REWRITE_OTHER, /* it is not one of those that the command is for */
    JR_REWRITE_TAKEN,
    JR_REWRITE_REFUSED, /* and so is the text; a remark says why */
};

struct jr_rewrite {
    enum jr_text_format format; /* of the output; SAME: as the input */
    const char *diff_name; /* a diff is written, with this name in its head; NULL: the objects */
    /** Changes m->node. */
    enum jr_rewrite_result (*object)(const struct jr_rewrite *rw, const struct jr_manifest *m);
    void *ctx;
    void (*remark)(void *ctx, const struct jr_remark *remark);
    void *remark_ctx;
};

struct jr_rewritten {
    size_t taken;  /* objects that the command is for */
    size_t others; /* not counting lists */
    bool json;     /* what was written */
};

/** Warns about a field of m. */
void jr_rewrite_warn(const struct jr_rewrite *rw, const struct jr_manifest *m,
                     const struct jr_field_path *path, const char *text);
/** Says why m is refused, by a field of it or (path NULL) as a whole. Returns JR_REWRITE_REFUSED.
 */
enum jr_rewrite_result jr_rewrite_refuse(const struct jr_rewrite *rw, const struct jr_manifest *m,
                                         const struct jr_field_path *path, const char *text);

/** Appends all documents of text, or the diff: all of it, or nothing on an error. `before`, NULL
 * for none, is what stands in `out`'s stream already: documents are kept apart from it. Errors:
 * JR_SYNTAX, JR_LIMIT, JR_INVALID of the text, with the line in err->msg; JR_DENIED where an object
 * was refused (remarks say why). */
enum jr_status jr_rewrite_text(const struct jr_rewrite *rw, struct jr_str text,
                               const struct jr_rewritten *before, struct jr_buf *out,
                               struct jr_rewritten *ret, struct jr_error *err) JR_MUST_USE;

#endif
