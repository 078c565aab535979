/* jobreeve default: Jobs as the API server would store them. Pure. */
#ifndef JR_CLI_DEFAULT_H
#define JR_CLI_DEFAULT_H

#include "cli/rewrite.h"
#include "common/schema/profile.h"

struct jr_default_options {
    struct jr_profile profile;
    const char *uid; /* metadata.uid to be; NULL or "": left to the server */
};

/** For struct jr_rewrite, ctx being a struct jr_default_options: completes a Job of batch/v1; other
 * kinds stay as they are. Errors: JR_TYPE, JR_RANGE, ... of a member that the API server would not
 * decode; JR_NOMEM. */
enum jr_status jr_default_object(void *ctx, const struct jr_manifest *m, bool *ret,
                                 struct jr_error *err) JR_MUST_USE;

#endif
