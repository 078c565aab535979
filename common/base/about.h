/* SPDX-License-Identifier: Apache-2.0 */
/* What --version says: the program, what it was built of, and what it runs with. */
#ifndef JR_BASE_ABOUT_H
#define JR_BASE_ABOUT_H

#include "common/base/flags.h"

/** The commit that the program was built from; "": whoever built it named none. */
const char *jr_revision(void);
/** Appends "PROGRAM VERSION", then lines as "commit: ..." for what this build is; those of f->about
 * last. Errors: as the buffer's. */
enum jr_status jr_about(const struct jr_flags *f, struct jr_buf *out) JR_MUST_USE;
/** Appends a line "key: value". For f->about; a failure stays in the buffer. */
void jr_about_line(struct jr_buf *out, const char *key, const char *value);

#endif
