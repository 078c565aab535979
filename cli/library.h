/* SPDX-License-Identifier: Apache-2.0 */
/* The chart's ready policies, without Helm: the same files, and the settings of the same
 * values.yaml. Pure. */
#ifndef JR_CLI_LIBRARY_H
#define JR_CLI_LIBRARY_H

#include "common/base/flags.h"

/** A file that is part of the program. */
struct jr_embedded {
    const char *name; /* without folder and extension; NULL ends a table */
    const unsigned char *text;
    size_t n;
};

/** The policies of charts/jobreeve/files/policies, by name; and values.yaml alone. */
extern const struct jr_embedded jr_library_policies[];
extern const struct jr_embedded jr_library_values[];

/** Appends a line for each ready policy: its name, its kind unless that is JobPolicy, and the first
 * sentence about it. */
void jr_library_list(struct jr_buf *out);
/** Appends a ready policy as YAML, with its settings as comments. `set`: texts KEY=VALUE, whose
 * values are YAML and take the place of the chart's defaults. Errors: JR_USAGE: there is no such
 * policy or setting, or a value is of another type, or such that the policy would be refused. */
enum jr_status jr_library_write(struct jr_str name, const struct jr_flag_list *set,
                                struct jr_buf *out, struct jr_error *err) JR_MUST_USE;

#endif
