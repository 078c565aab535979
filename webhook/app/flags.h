/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of jobreeve-webhook: one table of the service's flags, checked whole before
 * anything starts, and the commands, which have tables of their own. */
#ifndef JR_WEBHOOK_APP_FLAGS_H
#define JR_WEBHOOK_APP_FLAGS_H

#include "webhook/options.h"

/** Into struct jr_webhook_options. */
extern const struct jr_flags jr_webhook_flags;

/** Validates the settings together and fills what follows from them (review, profiles, threads);
 * empty names are NULL then. Errors: JR_USAGE; err->path names the flag. The files are not read
 * here. */
enum jr_status jr_webhook_options_check(struct jr_webhook_options *o,
                                        struct jr_error *err) JR_MUST_USE;

#endif
