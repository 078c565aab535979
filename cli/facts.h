/* SPDX-License-Identifier: Apache-2.0 */
/* jobreeve policy facts: what Jobs may come to (common/job/facts.h), for people and for tools.
 * Pure. */
#ifndef JR_CLI_FACTS_H
#define JR_CLI_FACTS_H

#include "cli/check.h"

enum jr_facts_format { JR_FACTS_TEXT, JR_FACTS_JSON };

/** What is written so far. */
struct jr_facts_output {
    enum jr_facts_format format;
    struct jr_strs trusted; /* values of managedBy that say nothing against facts */
    struct jr_buf *out;     /* failures stick to it */
    size_t n;               /* objects */
};

/** For struct jr_check_options.taken, ctx being a struct jr_facts_output: appends the facts of a
 * Job, or of the Job that a CronJob would make. */
void jr_facts_take(void *ctx, const struct jr_checked *o, const struct jr_admission_request *r);
/** Once all are there. */
void jr_facts_end(struct jr_facts_output *f);

#endif
