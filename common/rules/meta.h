/* The rules for metadata of any object (k8s.io/apimachinery ValidateObjectMeta). */
#ifndef JR_RULES_META_H
#define JR_RULES_META_H

#include "common/rules/rules.h"

/** On create, and of the new object on update. Adds to errs. */
void jr_validate_meta(const struct jr_meta *meta, struct jr_errlist *errs);
/** What an update may not change, and the labels, annotations and owners again. */
void jr_validate_meta_update(const struct jr_meta *meta, const struct jr_meta *old,
                             struct jr_errlist *errs);
/** What the API server checks of any object before the object's own rules for an update: the one
 * and the other, but that a name need only fit into a path, and finalizers need not be standard
 * ones. */
void jr_validate_meta_before_update(const struct jr_meta *meta, const struct jr_meta *old,
                                    struct jr_errlist *errs);

#endif
