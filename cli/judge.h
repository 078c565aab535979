/* Judges one object as an API server would: decoded, defaulted, prepared, validated. Pure. */
#ifndef JR_CLI_JUDGE_H
#define JR_CLI_JUDGE_H

#include "common/admission/admission.h"

/** What stands for the uid that a server gives on create, and for the end of a generated name. */
#define JR_JUDGE_UID "00000000-0000-0000-0000-000000000000"
#define JR_JUDGE_SUFFIX "xxxxx"

/** A write to be judged. */
struct jr_judge_case {
    const struct jr_admission_kind *kind;
    const struct jr_profile *profile;
    const struct jr_node *object;
    const struct jr_node *old; /* NULL: a create. Without metadata.uid it is taken for a manifest,
                                  and completed as a create does it; an object without uid and
                                  resourceVersion too, and it keeps what was generated for old, as
                                  `kubectl apply` leaves it. Other objects are whole, as in a PUT */
    bool status;               /* an update of the subresource status */
};

/** What an API server would say; texts are in the arena that was given. */
struct jr_judgement {
    const char *refused;    /* it answers 400 with these words; the rest is empty then */
    const char *why;        /* the part of them that says what is wrong */
    const char *refused_at; /* path of the value behind it */
    struct jr_errlist errs; /* it answers 422 */
    struct jr_str name;     /* of the object, with a generated end where it has to have one */
    struct jr_strs warnings;
};

/** The object is left as it is. Errors: JR_NOMEM, JR_LIMIT (too many errors); JR_INVALID with
 * err->path: the old object can't be one that a server has stored. */
enum jr_status jr_judge(const struct jr_judge_case *c, struct jr_arena *arena,
                        struct jr_judgement *ret, struct jr_error *err) JR_MUST_USE;

#endif
