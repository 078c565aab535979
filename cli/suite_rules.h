/* SPDX-License-Identifier: Apache-2.0 */
/* Which rules of policies the cases of suites come to. */
#ifndef JR_CLI_SUITE_RULES_H
#define JR_CLI_SUITE_RULES_H

#include "cli/policy_input.h"
#include "common/admission/admission.h"

/** A limit, a ceiling or a default of a policy. */
struct jr_suite_rule {
    struct jr_suite_rule *next;
    struct jr_str key; /* the file's own path, the policy and the rule */
    struct jr_str file;
    unsigned line;
    struct jr_str text; /* policy "NAME": limits.parallelism */
    bool is_default;
    bool violated; /* of a default: it was set */
    bool met;      /* likewise: it was not, as the author had set the field */
};

/** The rules of all suites; those of a policy that several suites use are there once. Zeroed there
 * are none. */
struct jr_suite_rules {
    struct jr_arena arena;
    struct jr_suite_rule *first, *last;
};
void jr_suite_rules_done(struct jr_suite_rules *rules);

/** A rule in one suite's policies. */
struct jr_suite_rule_use {
    size_t policy;                   /* its place in the set */
    const struct jr_policy_rule *of; /* NULL: of a default */
    bool of_cron_jobs;               /* no Job comes to it */
    struct jr_str field;             /* of a default, as notes have it */
    struct jr_suite_rule *rule;
};
struct jr_suite_rule_uses {
    const struct jr_cli_policies *policies;
    struct jr_suite_rule_use *v;
    size_t n, cap;
};
/** The rules of the policies, which must stay; those that are new are added. */
void jr_suite_rules_use(struct jr_suite_rules *rules, const struct jr_cli_policies *policies,
                        struct jr_suite_rule_uses *ret);
void jr_suite_rule_uses_done(struct jr_suite_rule_uses *uses);
/** Notes which of them a case came to; the rules of an exception are others. Policies set defaults
 * of a Job that is created. */
void jr_suite_rules_note(const struct jr_suite_rule_uses *uses,
                         const struct jr_policy_context *context,
                         const struct jr_admission_result *result,
                         const struct jr_admission_kind *kind, bool created);

struct jr_suite_rule_counts {
    size_t rules, not_violated, not_met;
};
struct jr_suite_rule_counts jr_suite_rules_count(const struct jr_suite_rules *rules);
/** Calls `each` for each rule that no case violates, or none meets; why: "no case violates it". */
void jr_suite_rules_untested(const struct jr_suite_rules *rules,
                             void (*each)(void *ctx, const struct jr_suite_rule *r,
                                          const char *why),
                             void *ctx);

#endif
