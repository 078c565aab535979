/* SPDX-License-Identifier: Apache-2.0 */
/* The shell of the commands that change manifests: files in, one stream or diffs out. */
#ifndef JR_CLI_REWRITE_FILES_H
#define JR_CLI_REWRITE_FILES_H

#include "cli/rewrite.h"
#include "common/base/flags.h"

/** What these commands print. */
struct jr_rewrite_flags {
    int format; /* enum jr_text_format */
    bool diff;
};
extern const char *const jr_rewrite_formats[];
/** The rows of a table of flags for the jr_rewrite_flags that is a member of its config. */
#define JR_REWRITE_FLAG_ROWS(config, member)                                          \
    { .name = "output",                                                               \
      .letter = 'o',                                                                  \
      .type = JR_FLAG_ENUM,                                                           \
      .offset = offsetof(config, member) + offsetof(struct jr_rewrite_flags, format), \
      .initial = "same",                                                              \
      .choices = jr_rewrite_formats,                                                  \
      .help = "The `format` to print; same: as the input." },                         \
    {                                                                                 \
        .name = "diff", .type = JR_FLAG_BOOL,                                         \
        .offset = offsetof(config, member) + offsetof(struct jr_rewrite_flags, diff), \
        .help = "Print what changes, as a unified diff, instead of the objects."      \
    }

/** Takes each file ("-", and where there is none: standard input) through rw, whose format,
 * diff_name, remark and remark_ctx are set here, and prints the results on stdout: of one file all
 * or nothing. Remarks go to stderr as FILE:LINE:COLUMN: PATH: TEXT, `others` ("objects are no Jobs
 * and unchanged") with their number. Returns the exit code: 0; 1 where an object was refused; 2
 * where a file can't be read or the result not written. */
int jr_rewrite_files(const char *command, struct jr_rewrite rw,
                     const struct jr_rewrite_flags *flags, const char *others, int n,
                     char *const *files);

#endif
