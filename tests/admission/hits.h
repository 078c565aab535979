/* SPDX-License-Identifier: Apache-2.0 */
/* How often each rule was broken. */
#ifndef JR_TEST_ADMISSION_HITS_H
#define JR_TEST_ADMISSION_HITS_H

#include <stdio.h>

#include "common/json/doc.h"
#include "common/rules/rules.h"

struct jr_rule_hits {
    size_t n[JR_RULE_COUNT];
    struct jr_kube_version version; /* only its rules can be hit */
    bool has[JR_RULE_COUNT];        /* which these are */
};
/** Begins to count for h->version. It has a rule whose range it is in, if it knows all fields of
 * one of the rule's rows in the tables of faults. Errors: those of jr_fault_tables_load. */
enum jr_status jr_rule_hits_begin(struct jr_rule_hits *h, struct jr_error *err) JR_MUST_USE;
/** Counts the rule of that id; false if there is none. */
bool jr_rule_hit(struct jr_rule_hits *h, struct jr_str id);
/** Counts the errors of an answer as admission-validate writes it. */
void jr_rule_hits_of_answer(struct jr_rule_hits *h, const struct jr_node *answer);
/** A line for each rule that the version has, and one that says how many there are and how many are
 * at zero. */
void jr_rule_hits_print(const struct jr_rule_hits *h, FILE *out);
size_t jr_rule_hits_zeros(const struct jr_rule_hits *h);

#endif
