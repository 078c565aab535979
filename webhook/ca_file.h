/* --tls-ca-file: keeps the webhook configurations trusting the CAs of a file. */
#ifndef JR_WEBHOOK_CA_FILE_H
#define JR_WEBHOOK_CA_FILE_H

#include "common/base/log.h"
#include "common/base/loop.h"
#include "webhook/options.h"

struct jr_ca_file;
/** Reads the file, finds the API server and begins: both configurations are looked at every ten
 * seconds. All is borrowed. Errors: JR_IO, JR_INVALID with err->path the flag; those of the
 * kubeconfig; JR_NOMEM. */
enum jr_status jr_ca_file_start(struct jr_loop *loop, const struct jr_webhook_options *options,
                                struct jr_log *log, struct jr_ca_file **ret,
                                struct jr_error *err) JR_MUST_USE;
/** Reads the file again; where it is good and has changed it counts at once, else what it had
 * before stays. Errors: as above. */
enum jr_status jr_ca_file_reload(struct jr_ca_file *f, bool *ret_changed,
                                 struct jr_error *err) JR_MUST_USE;
void jr_ca_file_free(struct jr_ca_file *f);

#endif
