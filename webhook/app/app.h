/* SPDX-License-Identifier: Apache-2.0 */
/* The service's shell: from its settings to its exit code. */
#ifndef JR_WEBHOOK_APP_APP_H
#define JR_WEBHOOK_APP_APP_H

#include "webhook/options.h"

/** Serves, or keeps, until SIGTERM or SIGINT. Returns the exit code: 0 after an orderly end, 1
 * after a failure, 2 where a setting is wrong (among them files that can't be used). Everything is
 * said in the log. */
int jr_webhook_run(struct jr_webhook_options *options);

#endif
