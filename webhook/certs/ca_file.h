/* The keeper where certificates come from elsewhere: both webhook configurations are looked at
 * again and again, and where there is --tls-ca-file, they trust the CAs of that file. */
#ifndef JR_WEBHOOK_CERTS_CA_FILE_H
#define JR_WEBHOOK_CERTS_CA_FILE_H

#include "common/base/log.h"
#include "webhook/certs/registration.h"

struct jr_ca_file;
/** Reads the file (NULL: caBundle is left alone) and begins: a look every poll_ms. env is copied,
 * all else is borrowed. Errors: JR_IO, JR_INVALID, JR_LIMIT with err->path the flag. */
enum jr_status jr_ca_file_start(const struct jr_env *env, const char *file,
                                const struct jr_registration_options *registration, int64_t poll_ms,
                                struct jr_log *log, struct jr_ca_file **ret,
                                struct jr_error *err) JR_MUST_USE;
/** Reads the file again; where it is good and has changed it counts at once, else what it had
 * before stays. Errors: as above. */
enum jr_status jr_ca_file_reload(struct jr_ca_file *f, bool *ret_changed,
                                 struct jr_error *err) JR_MUST_USE;
void jr_ca_file_free(struct jr_ca_file *f);

#endif
