/* SPDX-License-Identifier: Apache-2.0 */
/* The object that why, status and dump are asked about, and the exit codes that they share. Pure.
 */
#ifndef JR_CLI_ASKED_H
#define JR_CLI_ASKED_H

#include "common/base/error.h"

struct jr_asked {
    const char *kind; /* Job, CronJob, Pod */
    struct jr_str name;
};

/** Splits TYPE/NAME, by kubectl's names of these kinds; the name is borrowed, and isn't checked.
 * False: it is none. */
bool jr_asked_split(struct jr_str arg, struct jr_asked *ret);
/** Reads the one argument "job/NAME", "cronjob/NAME" or "pod/NAME", with kubectl's other names of
 * these kinds; the name is borrowed. Errors: JR_USAGE. */
enum jr_status jr_asked_parse(int n, char **args, struct jr_asked *ret,
                              struct jr_error *err) JR_MUST_USE;
/** 4: it was not found; 5: it may not be read; else 2. */
int jr_asked_exit_code(enum jr_status st);

#endif
