/* SPDX-License-Identifier: Apache-2.0 */
/* Files of JSON lines. */
#ifndef JR_TEST_ADMISSION_LINES_H
#define JR_TEST_ADMISSION_LINES_H

#include <stdio.h>

#include "common/json/doc.h"

/** A file while it is read; the caller closes it. */
struct jr_lines {
    FILE *file;
    const char *name; /* for errors */
    struct jr_buf line;
    size_t number;
    bool blank_uids; /* texts that look like a UUID become one of zeros: set by the caller */
};
struct jr_lines jr_lines_on(FILE *file, const char *name);
void jr_lines_done(struct jr_lines *l);
/** The next line that is not empty, parsed; *ret NULL at the end. Errors: JR_IO, JR_LIMIT (lines of
 * more than 64 MiB), JR_SYNTAX and what else the gate refuses, JR_NOMEM; they name file and line.
 */
enum jr_status jr_lines_next(struct jr_lines *l, struct jr_doc **ret,
                             struct jr_error *err) JR_MUST_USE;

#endif
