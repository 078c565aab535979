/* The shell of the commands that change manifests: files in, one stream or diffs out. */
#ifndef JR_CLI_REWRITE_FILES_H
#define JR_CLI_REWRITE_FILES_H

#include "cli/rewrite.h"

/** Takes each file ("-", and where there is none: standard input) through rw, whose diff_name,
 * remark and remark_ctx are set here, and prints the results on stdout: of one file all or nothing.
 * Remarks go to stderr as FILE:LINE:COLUMN: PATH: TEXT, `others` ("objects are no Jobs and
 * unchanged") with their number. Returns the exit code: 0; 1 where an object was refused; 2 where a
 * file can't be read or the result not written. */
int jr_rewrite_files(const char *command, struct jr_rewrite rw, bool diff, const char *others,
                     int n, char *const *files);

#endif
