/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that many objects need: maps of labels and annotations, values out of a closed set. All
 * add to errs; paths are the caller's. */
#ifndef JR_RULES_CHECK_H
#define JR_RULES_CHECK_H

#include "common/rules/each.h"
#include "common/rules/rules.h"

void jr_validate_labels(const struct jr_labels *labels, const struct jr_field_path *path,
                        enum jr_rule key_rule, enum jr_rule value_rule, struct jr_errlist *errs);
void jr_validate_annotations(const struct jr_labels *annotations, const struct jr_field_path *path,
                             enum jr_rule key_rule, enum jr_rule size_rule,
                             struct jr_errlist *errs);

/** A value out of a closed set. */
struct jr_enum_rule {
    const char *const *values; /* ended by NULL */
    enum jr_rule required;     /* for "" and absent */
    enum jr_rule unsupported;
};
void jr_validate_enum(const struct jr_enum_rule *rule, const struct jr_node *node,
                      const struct jr_field_path *path, struct jr_errlist *errs);

/** s has to be one of values (ended by NULL); "" is none of them. The detail lists them. */
void jr_validate_choice(enum jr_rule rule, const char *const *values, struct jr_str s,
                        const struct jr_field_path *path, struct jr_errlist *errs);
/** Returns `supported values: "a", "b"` in the arena of errs; NULL: errs->failed says why. */
struct jr_str jr_rule_supported(struct jr_errlist *errs, const char *const *values);
/** The error of a value that is none of values. value: rendered. */
void jr_rule_unsupported(struct jr_errlist *errs, enum jr_rule rule,
                         const struct jr_field_path *path, struct jr_str value,
                         const char *const *values);
bool jr_one_of(struct jr_str s, const char *const *values);
/** What is wrong with a name that may go on, as a generateName does: a '-' at its end is taken for
 * the beginning of more. */
struct jr_name_errors jr_name_prefix(struct jr_str name, struct jr_errlist *errs);
/** s in lower case, in the arena of errs, as the rule for annotations' keys wants it. */
struct jr_str jr_lower_key(struct jr_str s, struct jr_errlist *errs);

/** A value, and the stored one of an update, for rules that look at what an update changes. */
struct jr_pair {
    const struct jr_node *now, *was;
    bool update;
};
static inline struct jr_pair jr_pair_member(const struct jr_pair *p, const char *name)
{
    return (struct jr_pair){ jr_get(p->now, name), jr_get(p->was, name), p->update };
}

/** The elements of a list, in the arena of errs; NULL without memory, which errs->failed says. */
const struct jr_node **jr_list_nodes(const struct jr_node *list, struct jr_errlist *errs);
/** The members of a map of strings, as a list in the arena of errs; empty for anything else.
 * Without memory errs->failed says so. */
struct jr_labels jr_string_map(const struct jr_node *map, struct jr_errlist *errs);

#endif
