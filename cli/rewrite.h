/* Manifests on their way through a command that changes them: the objects of a YAML or JSON stream,
 * and of the Lists in it, are handed to a function one by one, then printed, or shown as a diff.
 * Pure. */
#ifndef JR_CLI_REWRITE_H
#define JR_CLI_REWRITE_H

#include "common/base/buf.h"
#include "common/json/doc.h"

enum jr_text_format { JR_FORMAT_SAME, JR_FORMAT_YAML, JR_FORMAT_JSON };

/** One object. Its texts are borrowed from the node, until that is changed. */
struct jr_manifest {
    struct jr_node *node;
    struct jr_str api_version; /* its own; of an item that has neither, what its list says */
    struct jr_str kind;
    bool is_list;      /* the head of a list, whose items follow */
    const void *place; /* for jr_manifest_warn */
};

/** Something about a text, where it stands. */
struct jr_remark {
    unsigned line, column; /* from 1 */
    const char *path;      /* from the document's root; may be empty */
    const char *text;
    bool warning; /* else the text was refused for it */
};

struct jr_rewrite {
    enum jr_text_format format; /* of the output; SAME: as the input */
    const char *diff_name; /* a diff is written, with this name in its head; NULL: the objects */
    /** Changes m->node. *ret says whether it was one of those that the command is for. An error,
     * its path from the object on, is remarked upon and refuses the text. */
    enum jr_status (*object)(void *ctx, const struct jr_manifest *m, bool *ret,
                             struct jr_error *err);
    void *ctx;
    void (*remark)(void *ctx, const struct jr_remark *remark);
    void *remark_ctx;
};

struct jr_rewritten {
    size_t taken;  /* objects that the command is for */
    size_t others; /* not counting lists */
    bool json;     /* what was written */
};

/** Warns about a member of m, by its path in the object. */
void jr_manifest_warn(const struct jr_manifest *m, const char *path, const char *text);

/** Appends all documents of text, or the diff: all of it, or nothing on an error. `before`, NULL
 * for none, is what stands in `out`'s stream already: documents are kept apart from it. Errors:
 * JR_SYNTAX, JR_LIMIT, JR_INVALID of the text, with the line in err->msg; JR_DENIED where an object
 * was refused (remarks say why); JR_NOMEM. */
enum jr_status jr_rewrite_text(const struct jr_rewrite *rw, struct jr_str text,
                               const struct jr_rewritten *before, struct jr_buf *out,
                               struct jr_rewritten *ret, struct jr_error *err) JR_MUST_USE;

#endif
