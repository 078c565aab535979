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
/** Whether a Job's metadata.labels and its template's will be one map on create: defaulting makes
 * them one, what is generated for the template is in both, and the API server has no reason to copy
 * the object before. object: as it was sent. */
bool jr_admission_shares_labels(const struct jr_admission_kind *kind, const struct jr_node *object);
/** Makes metadata.labels what the template's are, after generation. Errors: JR_NOMEM. */
enum jr_status jr_admission_share_labels(struct jr_node *object) JR_MUST_USE;
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
