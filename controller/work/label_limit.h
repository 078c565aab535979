/* SPDX-License-Identifier: Apache-2.0 */
/* The names of other controllers, as a metric's label: spec.managedBy is whatever a tenant writes,
 * so only the first few have series of their own. */
#ifndef JR_CONTROLLER_WORK_LABEL_LIMIT_H
#define JR_CONTROLLER_WORK_LABEL_LIMIT_H

#include "common/base/str.h"

#define JR_LABEL_LIMIT_VALUES 20 /* names with a series of their own */
#define JR_LABEL_LIMIT_BYTES 64  /* the API allows 63 bytes */
#define JR_LABEL_LIMIT_REST \
    "other" /* all further ones; no name of a controller, which has a slash */

/** Zeroed is empty. */
struct jr_label_limit {
    size_t n;
    char names[JR_LABEL_LIMIT_VALUES][JR_LABEL_LIMIT_BYTES];
};

/** The label's value for this name, borrowed from o, or constant. */
const char *jr_label_limit_value(struct jr_label_limit *o, struct jr_str name);

#endif
