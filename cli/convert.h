/* jobreeve convert: Jobs and CronJobs of old versions as batch/v1. Pure. */
#ifndef JR_CLI_CONVERT_H
#define JR_CLI_CONVERT_H

#include "cli/rewrite.h"

/** For struct jr_rewrite, ctx unused: converts an object of an old version, and warns about members
 * that batch/v1 doesn't know; they stay. Errors: as jr_convert_to_v1. */
enum jr_status jr_convert_manifest(void *ctx, const struct jr_manifest *m, bool *ret,
                                   struct jr_error *err) JR_MUST_USE;

#endif
