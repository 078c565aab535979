/* SPDX-License-Identifier: Apache-2.0 */
/* --keeper: the process that has the right to write the webhook configurations and the Secret of
 * the certificates, so that none has it that reads what tenants send. It serves no Jobs. */
#ifndef JR_WEBHOOK_COMMANDS_KEEPER_H
#define JR_WEBHOOK_COMMANDS_KEEPER_H

#include "common/base/log.h"
#include "webhook/options.h"

/** Runs until SIGTERM or SIGINT. Returns the exit code. */
int jr_webhook_keep(const struct jr_webhook_options *options, struct jr_log *log);

#endif
