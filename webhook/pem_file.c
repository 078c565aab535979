#include "webhook/pem_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define FILE_MAX_BYTES ((size_t)1 << 20)

void jr_pem_wipe(struct jr_buf *b)
{
    if (b->p != NULL)
        explicit_bzero(b->p, b->cap);
    jr_buf_done(b);
}

enum jr_status jr_pem_file_read(const char *name, struct jr_buf *out, struct jr_error *err)
{
    JR_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = 1;

    jr_buf_init(out, FILE_MAX_BYTES + 1);
    if (fd < 0)
        return jr_fail_errno(err, errno, NULL, "opening");
    /* All of it at once: a buffer that grows would leave copies behind. */
    if (jr_buf_reserve(out, FILE_MAX_BYTES) != JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "reading");
    while (n > 0) {
        n = read(fd, out->p + out->n, FILE_MAX_BYTES - out->n);
        if (n > 0)
            out->n += (size_t)n;
        else if (n < 0 && errno == EINTR)
            n = 1;
    }
    if (n < 0)
        return jr_fail_errno(err, errno, NULL, "reading");
    if (out->n == FILE_MAX_BYTES)
        return jr_fail(err, JR_LIMIT, NULL, "expected less than 1 MiB of PEM");
    out->p[out->n] = 0;
    return JR_OK;
}

enum jr_status jr_pem_file_blame(struct jr_error *err, enum jr_status st, const char *flag,
                                 const char *file)
{
    if (err != NULL)
        (void)snprintf(err->path, sizeof(err->path), "%s", flag);
    return jr_wrap(err, st, "%s", file);
}
