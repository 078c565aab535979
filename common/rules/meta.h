/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for metadata of any object (k8s.io/apimachinery ValidateObjectMeta). */
#ifndef JR_RULES_META_H
#define JR_RULES_META_H

#include "common/rules/rules.h"

/** On create, and of the new object on update. Adds to errs. */
void jr_validate_meta(const struct jr_meta *meta, struct jr_errlist *errs);
/** What an update may not change, and the labels, annotations and owners again. */
void jr_validate_meta_update(const struct jr_meta *meta, const struct jr_meta *old,
                             struct jr_errlist *errs);
/** What the API server checks by itself before it asks the type's own rules, in an update of
 * whatever object (rest.BeforeUpdate): most of the two above, the name only as part of a path. So
 * these causes come twice or three times. */
void jr_validate_meta_any_update(const struct jr_meta *meta, const struct jr_meta *old,
                                 struct jr_errlist *errs);
/** Declarative rules, since 1.38: behind all others, and only of what an update changes. old: the
 * stored one of an update, else NULL; same_owners: its owners are the same. */
void jr_validate_meta_declared(const struct jr_meta *meta, const struct jr_meta *old,
                               bool same_owners, struct jr_errlist *errs);

#endif
