/* What the judging of one request comes to. */
#ifndef JR_WEBHOOK_VERDICT_H
#define JR_WEBHOOK_VERDICT_H

#include "common/api/field_error.h"
#include "common/api/review.h"
#include "common/json/doc.h"
#include "common/schema/profile.h"

/** Starts as allowed, without anything else. Strings live in the arena, or are constant. */
struct jr_verdict {
    struct jr_arena *arena;
    struct jr_deadline *deadline; /* of the judging, borrowed; NULL: none */
    size_t error_bytes;           /* so much text of errors at most is in a denial; 0: no bound */
    bool denied;
    struct jr_api_status status; /* of a denial */
    struct jr_strs warnings;
    const char *exempt;  /* why nothing, or not all, was judged; NULL: it was */
    struct jr_str field; /* of a denial's first error; n = 0: it is about no field */
    const char *rule;    /* its rule's id; NULL: none */
    struct jr_str name;  /* of an object that was found wrong, its generateName if it has none */
    struct jr_str defaulted; /* what was completed by which rule; n = 0: nothing */
};

/** Denies with one message. Errors: JR_NOMEM. */
enum jr_status jr_verdict_deny(struct jr_verdict *v, int32_t code, const char *reason,
                               const char *fmt, ...) JR_PRINTF(4, 5) JR_MUST_USE;
/** An empty list of errors about the object, in the verdict's arena and bounds. */
struct jr_errlist jr_verdict_errors(const struct jr_verdict *v);
/** Denies as the API server does, 422, if there are errors about the object, which is of this kind
 * in batch. Errors: errs->failed. */
enum jr_status jr_verdict_judge(struct jr_verdict *v, const struct jr_errlist *errs,
                                const char *kind, const struct jr_node *object) JR_MUST_USE;
/** Denies with 400 what `why` says of an object that can't be read as one of this kind; JR_NOMEM is
 * handed on. */
enum jr_status jr_verdict_unreadable(struct jr_verdict *v, const char *kind,
                                     const struct jr_error *why, struct jr_error *err) JR_MUST_USE;

/** Whether the object is being deleted: then whatever happens to it must be let through, or it
 * would stay for ever. */
bool jr_object_deleting(const struct jr_node *obj);

#endif
