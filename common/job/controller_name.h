/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a Job controller, as flags give it. */
#ifndef JR_JOB_CONTROLLER_NAME_H
#define JR_JOB_CONTROLLER_NAME_H

#include "common/base/error.h"
#include "common/base/str.h"

#define JR_CONTROLLER_NAME_MAX 63

/** Whether an API server takes it as spec.managedBy: DOMAIN/PATH, at most 63 bytes. */
bool jr_controller_name_is_valid(struct jr_str name);
/** Validates the value of --controller-name as the API server does spec.managedBy: DOMAIN/PATH, at
 * most 63 bytes; and not the built-in controller's. *ret_domain (may be NULL) borrows from name.
 * Errors: JR_USAGE, err->path names the flag. */
enum jr_status jr_controller_name_check(const char *name, struct jr_str *ret_domain,
                                        struct jr_error *err) JR_MUST_USE;

#endif
