/* SPDX-License-Identifier: Apache-2.0 */
/* The names of other controllers, as a metric's label: spec.managedBy is whatever a tenant writes,
 * so only the first few have series of their own. */
#ifndef JR_CONTROLLER_OTHERS_H
#define JR_CONTROLLER_OTHERS_H

#include "common/base/str.h"

#define JR_OTHERS_MAX 20       /* names with a series of their own */
#define JR_OTHERS_NAME_MAX 64  /* the API allows 63 bytes */
#define JR_OTHERS_REST "other" /* all further ones; no name of a controller, which has a slash */

/** Zeroed is empty. */
struct jr_others {
    size_t n;
    char names[JR_OTHERS_MAX][JR_OTHERS_NAME_MAX];
};

/** The label's value for this name, borrowed from o, or constant. */
const char *jr_others_label(struct jr_others *o, struct jr_str name);

#endif
