/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files. */
#ifndef JR_BASE_FILE_H
#define JR_BASE_FILE_H

#include "common/base/buf.h"

/** Appends the file's text to out, up to out->max. No copy of it is left elsewhere: it may be a
 * secret. Errors: JR_IO, JR_LIMIT, JR_NOMEM; err->path is its path. */
enum jr_status jr_file_read(const char *path, struct jr_buf *out, struct jr_error *err) JR_MUST_USE;
/** Writes all of the text. path names the file in errors, which are JR_IO. */
enum jr_status jr_file_write_all(int fd, struct jr_str text, const char *path,
                                 struct jr_error *err) JR_MUST_USE;

#endif
