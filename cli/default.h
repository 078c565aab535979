/* jobreeve default: Jobs as the API server would store them. Pure. */
#ifndef JR_CLI_DEFAULT_H
#define JR_CLI_DEFAULT_H

#include "common/base/buf.h"
#include "common/rules/profile.h"

enum jr_text_format { JR_FORMAT_SAME, JR_FORMAT_YAML, JR_FORMAT_JSON };

struct jr_default_options {
    struct jr_profile profile;
    enum jr_text_format format; /* of the output; SAME: as the input */
    const char *uid;            /* metadata.uid to be; NULL: left to the server */
    const char *diff_name; /* a diff is written, with this name in its head; NULL: the objects */
};

/** Appends each document of text, a YAML or JSON stream, with its Jobs (batch/v1, also as items of
 * a List) completed; other kinds pass unchanged. Counts both. Errors: JR_SYNTAX, JR_LIMIT,
 * JR_INVALID of the text, with the line. */
enum jr_status jr_default_text(struct jr_str text, const struct jr_default_options *options,
                               struct jr_buf *out, size_t *ret_jobs, size_t *ret_others,
                               struct jr_error *err) JR_MUST_USE;

#endif
