/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others on its way to people: what shows nothing, or changes how other text is shown, is
 * written out. One table for all outputs and the log. */
#ifndef JR_BASE_SHOW_H
#define JR_BASE_SHOW_H

#include "common/base/buf.h"

/** Whether a character has no look of its own or changes that of others: controls (Cc), format
 * characters (Cf: marks of direction, joiners, tags), separators of lines (Zl, Zp), and what may be
 * ignored where it is shown (Default_Ignorable_Code_Point: fillers, variation selectors).
 * Source: the Unicode Character Database, version 15. */
bool jr_is_hidden(uint32_t c);

/** Appends s for a terminal: "\x1b", "\u202e" or "\U000e0041" for hidden characters, "\xff" for
 * bytes that are no UTF-8. Nothing in it can steer a terminal or end a line. */
void jr_show(struct jr_str s, struct jr_buf *out);

/** Appends a JSON text with \u escapes in place of hidden characters: the same values. Hidden
 * characters from U+007F on occur in its strings only; those below are escaped there already. */
void jr_show_json(struct jr_str json, struct jr_buf *out);

/** Prints one line to standard error, shown as jr_show does it. */
void jr_show_error(const char *fmt, ...) JR_PRINTF(1, 2);

#endif
