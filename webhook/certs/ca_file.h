/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper where certificates come from elsewhere: it reconciles both webhook configurations,
 * with the CAs of --tls-ca-file if there is one. */
#ifndef JR_WEBHOOK_CERTS_CA_FILE_H
#define JR_WEBHOOK_CERTS_CA_FILE_H

#include "common/base/log.h"
#include "webhook/certs/registration.h"

struct jr_ca_file;
/** Reads the file (NULL: caBundle is left alone) and begins: a reconciliation every poll_ms. env is
 * copied, all else is borrowed. Errors: JR_IO, JR_INVALID, JR_LIMIT with err->path the flag. */
enum jr_status jr_ca_file_start(const struct jr_env *env, const char *file,
                                const struct jr_registration_options *registration, int64_t poll_ms,
                                struct jr_log *log, struct jr_ca_file **ret,
                                struct jr_error *err) JR_MUST_USE;
/** Reads the file again. If it is valid and has changed it is used at once; else the former
 * contents stay in use. Errors: as above. */
enum jr_status jr_ca_file_reload(struct jr_ca_file *f, bool *ret_changed,
                                 struct jr_error *err) JR_MUST_USE;
void jr_ca_file_free(struct jr_ca_file *f);

#endif
