/* SPDX-License-Identifier: Apache-2.0 */
/* The existing objects that updates are validated against, by kind, namespace and name. Pure. */
#ifndef JR_CLI_EXISTING_H
#define JR_CLI_EXISTING_H

#include "common/admission/admission.h"

struct jr_old;
/** Zeroed, it is empty. */
struct jr_existing {
    struct jr_old *v; /* sorted once reading is over */
    size_t n;
    size_t cap;
    const char *namespace; /* of objects that name none; NULL: default */
};

/** Adds the objects of a stream that are admitted. Errors as jr_yaml_read; JR_EXISTS: one is there
 * already. */
enum jr_status jr_existing_read(struct jr_existing *existing, struct jr_str text,
                                struct jr_error *err) JR_MUST_USE;
void jr_existing_done(struct jr_existing *existing);
/** The object, NULL if there is none. namespace "": default. */
struct jr_node *jr_existing_find(const struct jr_existing *existing,
                                 const struct jr_admission_kind *kind, struct jr_str namespace,
                                 struct jr_str name);

#endif
