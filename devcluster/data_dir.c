/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates and kubeconfigs as files. */
#include "devcluster/data_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/base64.h"
#include "common/base/file.h"
#include "common/base/memory.h"

#define PATH_MAX_BYTES 4096

enum jr_status jr_dev_file_write(const char *dir, const char *name, struct jr_str text,
                                 unsigned mode, struct jr_error *err)
{
    char path[PATH_MAX_BYTES], temporary[PATH_MAX_BYTES + 8];
    int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

    if (n < 0 || (size_t)n >= sizeof(path))
        return jr_fail(err, JR_LIMIT, dir, "the path is too long");
    (void)snprintf(temporary, sizeof(temporary), "%s.new", path);
    JR_CLOSE int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, (mode_t)mode);
    if (fd < 0)
        return jr_fail_errno(err, errno, temporary, "can't create");
    enum jr_status st = jr_file_write_all(fd, text, temporary, err);
    if (st == JR_OK && rename(temporary, path) != 0)
        st = jr_fail_errno(err, errno, path, "can't rename");
    return st;
}

enum jr_status jr_dev_dir_make(const char *dir, struct jr_error *err)
{
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return jr_fail_errno(err, errno, dir, "can't make the folder");
    return JR_OK;
}

enum jr_status jr_dev_dir_take(const char *dir, int *ret_fd, struct jr_error *err)
{
    JR_FREE char *path = jr_xasprintf("%s/lock", dir);
    enum jr_status st = jr_dev_dir_make(dir, err);
    int fd;

    if (st != JR_OK)
        return st;
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return jr_fail_errno(err, errno, path, "can't create");
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        return jr_fail(err, JR_EXISTS, dir,
                       "is in use by another jobreeve-devcluster: end it, or name another "
                       "--data-dir");
    }
    *ret_fd = fd;
    return JR_OK;
}

void jr_dev_kubeconfig_write(const char *server, const char *ca_pem, const char *token,
                             struct jr_buf *out)
{
    JR_BUF ca = { 0 };

    jr_buf_init(&ca, (size_t)1 << 20);
    jr_must(jr_base64_encode(jr_str(ca_pem), &ca));
    jr_must(jr_buf_addf(out,
                        "apiVersion: v1\n"
                        "kind: Config\n"
                        "clusters:\n"
                        "- name: devcluster\n"
                        "  cluster:\n"
                        "    server: %s\n"
                        "    certificate-authority-data: %.*s\n"
                        "users:\n"
                        "- name: devcluster\n"
                        "  user:\n"
                        "    token: %s\n"
                        "contexts:\n"
                        "- name: devcluster\n"
                        "  context:\n"
                        "    cluster: devcluster\n"
                        "    user: devcluster\n"
                        "    namespace: default\n"
                        "current-context: devcluster\n",
                        server, JR_P(jr_buf_str(&ca)), token));
}
