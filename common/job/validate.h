/* Validation of batch/v1 Jobs: the rules of the API server, in its order and words. No exemptions:
 * those live in the webhook. */
#ifndef JR_JOB_VALIDATE_H
#define JR_JOB_VALIDATE_H

#include "common/api/field_error.h"
#include "common/api/job.h"
#include "common/json/doc.h"
#include "common/schema/profile.h"

/** A Job opened for judging: the same object as a tree and as a struct. */
struct jr_judged {
    struct jr_doc *doc;
    struct jr_job *job;
};
/** Opens text, which has passed the gate or not. With `profile` the defaults are applied first
 * (tree and struct then both show them), NULL takes the object as it is. Errors: those of
 * jr_doc_parse, JR_TYPE with the field path (an API server answers 400). */
enum jr_status jr_judged_open(struct jr_str text, const struct jr_profile *profile,
                              struct jr_judged *ret, struct jr_error *err) JR_MUST_USE;
/** The same from a tree, which is taken over in any case. served: as of jr_schema_decode_tree. */
enum jr_status jr_judged_of(struct jr_doc *doc, bool served, struct jr_judged *ret,
                            struct jr_error *err) JR_MUST_USE;
void jr_judged_done(struct jr_judged *j);

/** All append to errs; errs->failed tells of memory. The objects are defaulted and prepared. */
void jr_job_validate_create(const struct jr_judged *job, const struct jr_profile *profile,
                            struct jr_errlist *errs);
void jr_job_validate_update(const struct jr_judged *job, const struct jr_judged *old,
                            const struct jr_profile *profile, struct jr_errlist *errs);
void jr_job_validate_status_update(const struct jr_judged *job, const struct jr_judged *old,
                                   const struct jr_profile *profile, struct jr_errlist *errs);

/** Warnings that the API server gives for an accepted create (old NULL) or update; texts go into
 * the arena. */
enum jr_status jr_job_warnings(const struct jr_judged *job, const struct jr_judged *old,
                               struct jr_arena *arena, struct jr_strs *ret) JR_MUST_USE;

#endif
