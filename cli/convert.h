/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve convert: Jobs and CronJobs of old versions as batch/v1. Pure. */
#ifndef JR_CLI_CONVERT_H
#define JR_CLI_CONVERT_H

#include "cli/rewrite.h"

/** For struct jr_rewrite, ctx unused: converts an object of an old version, and warns about members
 * that batch/v1 doesn't know; they stay. Refuses what can't be converted. */
enum jr_rewrite_result jr_convert_manifest(const struct jr_rewrite *rw,
                                           const struct jr_manifest *m);

#endif
