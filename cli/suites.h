/* SPDX-License-Identifier: Apache-2.0 */
/* Running test suites of JobPolicies, one after the other, and what is to be said of them. */
#ifndef JR_CLI_SUITES_H
#define JR_CLI_SUITES_H

#include "cli/report.h"
#include "cli/suite_rules.h"

/** What was run so far, and what came of it. */
struct jr_suites {
    struct jr_time now;       /* of suites that don't say when */
    bool verbose;             /* a line for each case that passed, too */
    struct jr_buf *out;       /* lines about cases; failures stick to it */
    struct jr_buf *err;       /* and about what can't be run */
    struct jr_report *report; /* the same: each case is an object. NULL: not wanted */
    size_t n;                 /* suites */
    size_t cases;
    size_t failed; /* of them */
    size_t faults; /* lines in err */
    struct jr_suite_rules rules;
};

/** Runs the suites of a text, a YAML or JSON stream that came from `file`; other documents are
 * passed over. */
void jr_suites_text(struct jr_suites *s, struct jr_str file, struct jr_str text);
/** Notes what can't be read. */
void jr_suites_fault(struct jr_suites *s, struct jr_str file, const char *why);
/** Appends the summary, and the rules that aren't tested. */
void jr_suites_end(struct jr_suites *s);
/** 0: all cases passed, and all rules are tested; 1; 2: something can't be run. */
int jr_suites_exit_code(const struct jr_suites *s);
void jr_suites_done(struct jr_suites *s);

#endif
