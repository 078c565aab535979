/* SPDX-License-Identifier: Apache-2.0 */
/* What one value of a flag can't show wrong: names, and flags that go together. */
#ifndef JR_BASE_FLAGS_CHECK_H
#define JR_BASE_FLAGS_CHECK_H

#include "common/base/flags.h"

/** Two flags that go together, or don't. */
struct jr_flag_rule {
    const char *flag;    /* without dashes, as the others */
    const char *with;    /* where `flag` is given, this one has to be */
    const char *without; /* or: must not be */
    const char *words;   /* of the error */
};
/** Sees each text by its row's check, then each of the rules, which { .flag = NULL } ends. A flag
 * counts as given unless its field is NULL, false, 0 or an empty list. Errors: JR_USAGE, err->path
 * names the flag. */
enum jr_status jr_flags_check(const struct jr_flags *f, const struct jr_flag_rule *rules,
                              const void *config, struct jr_error *err) JR_MUST_USE;
/** Whether each of the list is one of the choices. Errors: JR_USAGE. */
enum jr_status jr_flag_check_choices(const char *flag, const struct jr_flag_list *l,
                                     const char *const *choices, struct jr_error *err) JR_MUST_USE;
/** Empty texts of flags without a default are NULL then. */
void jr_flags_drop_empty(const struct jr_flags *f, void *config);

#endif
