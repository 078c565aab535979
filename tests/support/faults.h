/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of small faults that break one rule each, applied to a valid Job: tests/vectors/faults,
 * one row a line. The file's name says what its rows are:
 *
 *   create-*.json    ["rule-id", "/pointer", value, ...]: pairs of where and what, on create
 *   prepared-*.json  the same, on an object that is defaulted and prepared already and isn't again:
 *                    for rules that defaulting leaves nobody to break. Or two patches, as below
 *   update-*.json    ["rule-id", patch of the old Job, patch that makes the new one of it], and
 *                    behind them, where gates are to be set for it, {"Gate": bool, ...}
 *   status-*.json    the same, on the status subresource
 *   cron-rules-*.json, cron-prepared-*.json   as create (or update) and prepared, on a CronJob of
 *                    the Job
 *   change-*.json    ["/pointer", value, ...]: one of the values, for random updates; no rule
 *   warnings-*.json, cron-warnings-*.json   as create and cron-rules, with a warning's id: the
 * object is admitted with that warning unasked-*.json   ["rule-id", "why"]: rules that no request
 * to an API server can break; or
 *                    ["rule-id", "why", "Gate", bool]: none but where the server has it so
 *
 * The pointer /gates/NAME is not of the Job: it sets a feature gate for the case. A row that ends
 * with {"kubernetes": "1.33"} breaks its rule there; the others break theirs in 1.36.0.
 * At a pointer an object is a merge patch (RFC 7386) of what is there, null removes, anything else
 * replaces; what is missing on the way is made; "-" or the length of a list appends to it.
 * {"$repeat": [v, n]} stands for n times v: a text or a list. Each row breaks its rule on the
 * smallest Job (test_job_rule_hits): metadata pi, default; one container "c" of image x:1;
 * restartPolicy Never. It may break others as well. */
#ifndef JR_SUPPORT_FAULTS_H
#define JR_SUPPORT_FAULTS_H

#include "common/json/doc.h"
#include "common/schema/profile.h"

#define JR_FAULTS_FOLDER "tests/vectors/faults"

enum jr_fault_kind {
    JR_FAULT_CREATE,
    JR_FAULT_PREPARED,
    JR_FAULT_UPDATE,
    JR_FAULT_STATUS,
    JR_FAULT_CRON,
    JR_FAULT_CRON_PREPARED,
    JR_FAULT_CHANGE, /* from here on no rules are broken */
    JR_FAULT_UNASKED,
    JR_FAULT_WARNINGS,
    JR_FAULT_CRON_WARNINGS,
    JR_FAULT_KINDS
};

/** A row. Borrowed from its tables. */
struct jr_fault {
    enum jr_fault_kind kind;
    struct jr_str rule; /* "" of changes */
    const char *file;
    size_t line;                    /* of the row, counted from 1 */
    struct jr_kube_version version; /* where it breaks the rule */
    const struct jr_node *row;
};
/** All rows, by kind in the order of files' names. */
struct jr_fault_tables {
    struct jr_doc **docs;
    char **names;
    size_t n_docs;
    struct jr_fault *v;
    size_t n;
    size_t first[JR_FAULT_KINDS + 1]; /* rows of kind k: first[k] to first[k + 1] */
};

/** Errors: JR_IO, what the gate refuses, JR_INVALID (no table), JR_NOMEM; they name the file. */
enum jr_status jr_fault_tables_load(const char *folder, struct jr_fault_tables *ret,
                                    struct jr_error *err) JR_MUST_USE;
void jr_fault_tables_done(struct jr_fault_tables *t);

/** Whether the row is about a CronJob. */
bool jr_fault_is_cron(const struct jr_fault *f);
/** Whether the row is about a new object alone, or patches an old one and then a new one. */
bool jr_fault_has_old(const struct jr_fault *f);
/** Applies the row to a Job that is created. */
enum jr_status jr_fault_apply(const struct jr_fault *f, struct jr_node *job) JR_MUST_USE;
/** The gates that the row asks for, into the case. */
enum jr_status jr_fault_put_gates(const struct jr_fault *f, struct jr_node *row) JR_MUST_USE;
/** The patch of the old object, and the one that makes the new object of it. */
const struct jr_node *jr_fault_old(const struct jr_fault *f);
const struct jr_node *jr_fault_new(const struct jr_fault *f);
/** Whether a request to an API server with these gates can break the row's rule as the row does. */
bool jr_fault_can_be_asked(const struct jr_fault_tables *t, const struct jr_fault *f,
                           const struct jr_profile *server);
/** Applies one value at a pointer. */
enum jr_status jr_fault_put(struct jr_node *job, struct jr_str pointer,
                            const struct jr_node *value) JR_MUST_USE;

#endif
