/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve default: Jobs as the API server would store them. Pure. */
#ifndef JR_CLI_DEFAULT_H
#define JR_CLI_DEFAULT_H

#include "cli/policy_input.h"
#include "cli/rewrite.h"
#include "common/schema/profile.h"

struct jr_default_options {
    struct jr_profile profile;
    const char *namespace;                  /* of objects that name none; NULL: it is left open */
    const struct jr_cli_policies *policies; /* zeroed: none */
    const char *uid;                        /* metadata.uid to be; NULL or "": left to the server */
};

/** For struct jr_rewrite, ctx being a struct jr_default_options: defaults a Job or CronJob of
 * batch/v1; other kinds stay as they are. Refuses what the API server would not decode. */
enum jr_rewrite_result jr_default_object(const struct jr_rewrite *rw, const struct jr_manifest *m);

#endif
