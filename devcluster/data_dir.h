/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the devcluster leaves behind: certificates and kubeconfigs. */
#ifndef JR_DEVCLUSTER_DATA_DIR_H
#define JR_DEVCLUSTER_DATA_DIR_H

#include "certs/make.h"
#include "common/base/buf.h"

/** Writes text to dir/name, whole or not at all (temporary file, then rename), with these
 * permissions. */
enum jr_status jr_dev_file_write(const char *dir, const char *name, struct jr_str text,
                                 unsigned mode, struct jr_error *err) JR_MUST_USE;
/** Makes dir if it is missing. */
enum jr_status jr_dev_dir_make(const char *dir, struct jr_error *err) JR_MUST_USE;
/** Takes the folder, which it makes if it is missing, until *ret_fd is closed. Errors: JR_IO,
 * JR_EXISTS (another one has it). */
enum jr_status jr_dev_dir_take(const char *dir, int *ret_fd, struct jr_error *err) JR_MUST_USE;
/** Appends a kubeconfig for one cluster and one token. */
void jr_dev_kubeconfig_write(const char *server, const char *ca_pem, const char *token,
                             struct jr_buf *out);

#endif
