/* Equality as the API server sees it when it compares an update with what is stored. */
#ifndef JR_JOB_SEMANTIC_H
#define JR_JOB_SEMANTIC_H

#include "common/json/doc.h"

/** Whether two values of a Job's spec are the same after decoding in Go: null and absent are equal,
 * so are empty lists and maps, and zero values of fields that are no pointers; quantities are equal
 * by value. a and b may be NULL; *ret is set on JR_OK. Errors: JR_NOMEM. */
enum jr_status jr_semantic_equal(const struct jr_node *a, const struct jr_node *b,
                                 bool *ret) JR_MUST_USE;

#endif
