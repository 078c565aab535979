/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve check: whether an API server would take the Jobs and CronJobs of a text. Pure. */
#ifndef JR_CLI_CHECK_H
#define JR_CLI_CHECK_H

#include "cli/existing.h"
#include "cli/policy_input.h"
#include "cli/report.h"

struct jr_check_options {
    struct jr_cli_profiles profiles;    /* at least one: each object is checked by each */
    const char *namespace;              /* of objects that name none; NULL: default */
    const struct jr_existing *existing; /* updates of these; NULL: all are creates */
    bool stored;    /* an object with a uid is as an API server has stored it: not a create */
    bool jobs_only; /* JobPolicies and their suites are of other kinds, too */
    const struct jr_cli_policies *policies; /* zeroed: none */
    bool status;                            /* updates of the subresource status */
    bool strict; /* unknown and duplicate fields are errors, no warnings */
    bool warnings_as_errors;
    struct jr_time now; /* for policies among the objects */
    bool quiet;         /* errors only */
    bool verbose;       /* notes too: what was not validated */
    /* Sees each object that an API server of the newest version would take, as it would store it;
     * NULL: nobody does. */
    void (*taken)(void *ctx, const struct jr_checked *o, const struct jr_admission_request *r);
    void *taken_ctx;
};

/** Adds to the report what is found in text, a YAML or JSON stream that came from `file`. What
 * can't be read is a part of the report; the objects before it are validated. */
void jr_check_text(struct jr_report *r, struct jr_str file, struct jr_str text,
                   const struct jr_check_options *options);

#endif
