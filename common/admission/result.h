/* SPDX-License-Identifier: Apache-2.0 */
/* What admission comes to. */
#ifndef JR_ADMISSION_RESULT_H
#define JR_ADMISSION_RESULT_H

#include "common/admission/kind.h"
#include "common/policy/evaluate.h"
#include "common/schema/decode_tree.h"

/** Starts as allowed, without anything else. Texts and paths live in the arena, or are constant. */
struct jr_admission_result {
    struct jr_arena *arena;
    bool refused;                /* without being validated: status says why */
    struct jr_api_status status; /* of what is denied */
    struct jr_type_error wrong;  /* the value that refused a manifest */
    struct jr_errlist errs;      /* violations: denied with 422 */
    bool denied_by_policy;       /* status has the findings */
    struct jr_policy_findings policies;
    struct jr_policy_defaulted policy_defaults;
    int64_t policies_ns; /* how long policies took, by the errors' deadline; 0: not measured */
    struct jr_warnings warnings; /* of what is allowed */
    size_t policy_warnings;      /* the first ones are those of findings that warn */
    struct jr_str name;          /* of the object, its generateName if it has none */
    struct jr_str defaulted;     /* what was defaulted by which rule; n = 0: nothing */
    const char *exempt; /* the webhook's: why nothing, or not all, was validated; NULL: it was */
};

void jr_admission_result_init(struct jr_admission_result *r, struct jr_arena *arena);
/** Refuses with one message. Errors: JR_NOMEM. */
enum jr_status jr_admission_refuse(struct jr_admission_result *r, int32_t code, const char *reason,
                                   const char *fmt, ...) JR_PRINTF(4, 5) JR_MUST_USE;
/** Refuses with 400 an object that can't be read as one of this kind. Errors: JR_NOMEM. */
enum jr_status jr_admission_refuse_object(struct jr_admission_result *r,
                                          const struct jr_admission_kind *kind,
                                          const char *why) JR_MUST_USE;
/** Ends validation: names the object, and makes the violations, if there are any, the status of a
 * denial as the API server's: 422. Of a list with a bound the first ones will do. Errors:
 * errs.failed, JR_NOMEM. */
enum jr_status jr_admission_conclude(struct jr_admission_result *r,
                                     const struct jr_admission_kind *kind,
                                     const struct jr_node *object) JR_MUST_USE;
/** The same of another kind of objects. */
enum jr_status jr_admission_conclude_as(struct jr_admission_result *r, const char *group,
                                        const char *kind, const struct jr_node *object) JR_MUST_USE;

static inline bool jr_admission_denied(const struct jr_admission_result *r)
{
    return r->refused || r->errs.n > 0 || r->denied_by_policy;
}

#endif
