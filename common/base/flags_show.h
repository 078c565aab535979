/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a program as it would be told them on the command line, for its log. */
#ifndef JR_BASE_FLAGS_SHOW_H
#define JR_BASE_FLAGS_SHOW_H

#include "common/base/flags.h"

/** Appends "--port=10250 --reuse-port=true ...": each flag whose value in config is not its
 * default, in the table's order, wherever it was set. Files are shown by name; no flag holds a
 * secret. Errors: as the buffer's. */
enum jr_status jr_flags_show(const struct jr_flags *f, const void *config,
                             struct jr_buf *out) JR_MUST_USE;

#endif
