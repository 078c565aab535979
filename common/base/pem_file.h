/* SPDX-License-Identifier: Apache-2.0 */
/* Files of certificates and keys. */
#ifndef JR_BASE_PEM_FILE_H
#define JR_BASE_PEM_FILE_H

#include "common/base/buf.h"

/** Reads a whole file of less than 1 MiB into out, which is set up here; it ends in a NUL. No copy
 * is left in memory that is free. Errors: JR_IO, JR_LIMIT, JR_NOMEM. */
enum jr_status jr_pem_file_read(const char *name, struct jr_buf *out,
                                struct jr_error *err) JR_MUST_USE;
/** Puts the flag into a failure's path and the file before its words; returns st. */
enum jr_status jr_pem_file_blame(struct jr_error *err, enum jr_status st, const char *flag,
                                 const char *file);

#endif
