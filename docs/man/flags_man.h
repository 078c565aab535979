/* SPDX-License-Identifier: Apache-2.0 */
/* Flag tables as roff, in the macros of man(7): the parts of a manual page that the table knows. */
#ifndef JR_DOCS_FLAGS_MAN_H
#define JR_DOCS_FLAGS_MAN_H

#include "common/base/flags.h"

/** Appends the line under SYNOPSIS. */
enum jr_status jr_flags_man_synopsis(const struct jr_flags *f, struct jr_buf *out) JR_MUST_USE;
/** Appends a paragraph for each flag, --help and --version last. */
enum jr_status jr_flags_man_options(const struct jr_flags *f, struct jr_buf *out) JR_MUST_USE;
/** Appends plain text so that roff reads it as it is: escaped, hyphens as minus signs. */
void jr_man_text(struct jr_str s, struct jr_buf *out);

#endif
