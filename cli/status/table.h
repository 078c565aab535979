/* SPDX-License-Identifier: Apache-2.0 */
/* The table of Jobs, with a reason each, and the summary of the reasons. Pure. */
#ifndef JR_CLI_STATUS_TABLE_H
#define JR_CLI_STATUS_TABLE_H

#include "cli/status/page.h"
#include "common/api/job.h"
#include "common/diagnose/diagnosis.h"

/** A Job. */
struct jr_status_row {
    struct jr_str namespace;
    struct jr_str name;
    int64_t done;   /* completions */
    int64_t wanted; /* of them; -1: it isn't said */
    int64_t active;
    int64_t failed;
    struct jr_time created;
    enum jr_verdict verdict;
    bool is_failed;
    const char *reason;  /* the id of the first cause */
    struct jr_str cause; /* its text */
};

struct jr_status_table {
    const struct jr_status_row *rows; /* in the order in which they are shown */
    size_t n;
    struct jr_time now;
    bool namespaces; /* these are shown */
};

/** Makes the row of a Job and its diagnosis: texts of the Job are borrowed, those of the diagnosis
 * are copied into the arena. */
struct jr_status_row jr_status_row(const struct jr_job *job, const struct jr_diagnosis *d,
                                   struct jr_arena *arena);
/** Appends the table, without its head if that isn't wanted. */
void jr_status_rows(const struct jr_status_table *t, const struct jr_page *page, bool head,
                    struct jr_buf *out);
/** Appends how many Jobs have which reason, what needs a hand first. */
void jr_status_summary(const struct jr_status_table *t, const struct jr_page *page,
                       struct jr_buf *out);

#endif
