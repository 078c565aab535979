/* SPDX-License-Identifier: Apache-2.0 */
/* Checking what the command line names: files, folders, standard input. */
#ifndef JR_CLI_CHECK_FILES_H
#define JR_CLI_CHECK_FILES_H

#include "cli/check.h"

/** Adds to the report what is found in these files and folders; n = 0: in standard input. */
void jr_check_files(struct jr_report *r, const struct jr_check_options *options, int n,
                    char **args);
/** Whether standard input, which can be read once, is to be read once at most; `other`: one more
 * file that is read, or NULL. */
bool jr_check_stdin_once(const char *other, int n, char **args);

#endif
