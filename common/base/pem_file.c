/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files that may be keys. */
#include "common/base/pem_file.h"

#include <stdio.h>

#include "common/base/file.h"

#define FILE_MAX_BYTES ((size_t)1 << 20)

enum jr_status jr_pem_file_read(const char *name, struct jr_buf *out, struct jr_error *err)
{
    jr_buf_init(out, FILE_MAX_BYTES);
    /* All of it at once: a buffer that grows would leave copies behind. */
    if (jr_buf_reserve(out, FILE_MAX_BYTES) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "reading");
    return jr_file_read(name, out, err);
}

enum jr_status jr_pem_file_blame(struct jr_error *err, enum jr_status st, const char *flag,
                                 const char *file)
{
    if (err != NULL)
        (void)snprintf(err->path, sizeof(err->path), "%s", flag);
    return jr_wrap(err, st, "%s", file);
}
