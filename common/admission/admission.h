/* The steps of admission that all have in common: the webhook, the CLI's check and default, the
 * devcluster. Pure. */
#ifndef JR_ADMISSION_H
#define JR_ADMISSION_H

#include "common/admission/kind.h"

enum jr_admission_operation { JR_ADMISSION_CREATE, JR_ADMISSION_UPDATE, JR_ADMISSION_STATUS };

/** What the API server's strategy does before validation; both trees are defaulted. old is NULL on
 * create. Errors: JR_NOMEM. */
enum jr_status jr_admission_prepare(const struct jr_admission_kind *kind,
                                    enum jr_admission_operation operation, struct jr_node *object,
                                    const struct jr_node *old,
                                    const struct jr_profile *profile) JR_MUST_USE;
/** Appends what is wrong with a prepared object; errs->failed tells of memory. old is NULL on
 * create. */
void jr_admission_validate(const struct jr_admission_kind *kind,
                           enum jr_admission_operation operation, const struct jr_object *object,
                           const struct jr_object *old, const struct jr_profile *profile,
                           struct jr_errlist *errs);
/** The warnings for an object that was found valid, into the arena: none for a status. Errors:
 * JR_NOMEM. */
enum jr_status jr_admission_warnings(const struct jr_admission_kind *kind,
                                     enum jr_admission_operation operation,
                                     const struct jr_object *object, const struct jr_object *old,
                                     struct jr_arena *arena, struct jr_strs *ret) JR_MUST_USE;

#endif
