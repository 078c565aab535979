/* Checks that many objects need: maps of labels and annotations, values out of a closed set. All
 * add to errs; paths are the caller's. */
#ifndef JR_RULES_CHECK_H
#define JR_RULES_CHECK_H

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

/** The members of a map of strings, as a list in the arena of errs; empty for anything else.
 * Without memory errs->failed says so. */
struct jr_labels jr_string_map(const struct jr_node *map, struct jr_errlist *errs);

#endif
