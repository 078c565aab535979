/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of awaited Jobs, for people and for a run of GitHub Actions. Pure. */
#ifndef JR_CLI_WAIT_REPORT_H
#define JR_CLI_WAIT_REPORT_H

#include "cli/wait/jobs.h"

/** Appends failed Pods with their last lines, then a line for each Job, and for several their sums.
 * Nothing of it can steer a terminal. */
void jr_wait_report_text(const struct jr_wait_jobs *jobs, struct jr_time now, struct jr_buf *out);
/** Appends the same as workflow commands: an error for each Job that isn't Complete, a group for
 * each failed Pod. token: what commands are stopped by, and they are at first (::stop-commands::),
 * as a Pod may write commands, too. */
void jr_wait_report_github(const struct jr_wait_jobs *jobs, struct jr_time now, const char *token,
                           struct jr_buf *out);
/** Appends the same as a table and sections of Markdown, for $GITHUB_STEP_SUMMARY. */
void jr_wait_report_markdown(const struct jr_wait_jobs *jobs, struct jr_time now,
                             struct jr_buf *out);

/** Appends a line of a Pod's log: "[POD/CONTAINER] TEXT"; container NULL: it has only one. */
void jr_wait_log_line(struct jr_str pod, const char *container, struct jr_str text,
                      struct jr_buf *out);

#endif
