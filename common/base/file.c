/* SPDX-License-Identifier: Apache-2.0 */
/* Reads whole files, up to a limit; writes them. */
#include "common/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum jr_status jr_file_read(const char *path, struct jr_buf *out, struct jr_error *err)
{
    JR_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    char part[4096];
    ssize_t n = -1;

    if (fd < 0)
        return jr_fail_errno(err, errno, path, "opening the file");
    while ((n = read(fd, part, sizeof(part))) > 0 &&
           jr_buf_add(out, (struct jr_str){ part, (size_t)n }) == JR_OK)
        ;
    if (n < 0)
        (void)jr_fail_errno(err, errno, path, "reading the file");
    explicit_bzero(part, sizeof(part));
    if (n < 0)
        return JR_IO;
    return out->failed == JR_OK ? JR_OK
                                : jr_fail(err, out->failed, path, "more than %zu bytes", out->max);
}

enum jr_status jr_file_write_all(int fd, struct jr_str text, const char *path, struct jr_error *err)
{
    while (text.n > 0) {
        ssize_t n = write(fd, text.p, text.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return jr_fail_errno(err, errno, path, "can't write");
        text = jr_str_from(text, (size_t)n);
    }
    return JR_OK;
}
