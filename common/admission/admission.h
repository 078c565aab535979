/* SPDX-License-Identifier: Apache-2.0 */
/* The admission pipeline: one for the webhook, for `jobreeve check` and `jobreeve default`, and for
 * the devcluster's Jobs and CronJobs. Pure. */
#ifndef JR_ADMISSION_H
#define JR_ADMISSION_H

#include "common/admission/result.h"

enum jr_admission_operation { JR_ADMISSION_CREATE, JR_ADMISSION_UPDATE, JR_ADMISSION_STATUS };

/** Where the objects come from. */
enum jr_admission_source {
    JR_ADMISSION_SERVED,   /* an API server has decoded and defaulted them, and calls a webhook */
    JR_ADMISSION_MANIFEST, /* somebody wrote them: all that a server does is done here */
};

/** What stands for the uid that a server gives on create, and for the end of a generated name. */
#define JR_ADMISSION_UID "00000000-0000-0000-0000-000000000000"
#define JR_ADMISSION_SUFFIX "xxxxx"

/** A write. */
struct jr_admission_request {
    const struct jr_admission_kind *kind;
    enum jr_admission_operation operation;
    enum jr_admission_source source;
    const struct jr_profile *profile;
    struct jr_node *object; /* changed by the steps before validation */
    struct jr_node *old;    /* likewise; NULL on create */
    struct jr_str uid;      /* of manifests: what the server gives on create; n = 0: nothing */
    /* The operator's policies, and who asks where; NULL: none. */
    const struct jr_policy_context *policies;
    /* Called after the rules; may take violations back. NULL: no exemptions. */
    void (*exempt)(const struct jr_admission_request *r, struct jr_admission_result *ret);
};

/** The whole pipeline:
 *
 *   decode    types as the API server's decoder sees them; else refused with 400
 *   default   what a server writes at decode
 *   prepare   what its strategy does before validation
 *   validate  the rules of common/job and common/pod, then the request's exemptions
 *   policies  the operator's JobPolicies: of manifests their defaults before validation, then what
 *             they find in what the rules allow, without exemptions
 *   warnings  of what is allowed
 *
 * An update takes the object as whole, as in a PUT; an old object without a uid is completed as a
 * create does it.
 *
 * ret is initialised by the caller, who may bound its errors and give them a deadline. Errors:
 * JR_NOMEM; JR_TIMEOUT; JR_LIMIT (too many violations for a list without bounds); JR_INVALID with
 * err->path: the old object of a manifest can't be one that a server has stored. */
enum jr_status jr_admit(const struct jr_admission_request *r, struct jr_admission_result *ret,
                        struct jr_error *err) JR_MUST_USE;

/** The mutating side of it: decode and default, with all that is to be written on create, and the
 * policies' defaults. Notes in ret->defaulted, for an object that an API server has sent, what was
 * done by which rule: so many bytes at most. A manifest's Pod template becomes what is stored.
 * Errors: JR_NOMEM, JR_TIMEOUT. */
enum jr_status jr_admit_defaults(const struct jr_admission_request *r, size_t max_note_bytes,
                                 struct jr_admission_result *ret, struct jr_error *err) JR_MUST_USE;

/* ---- single steps, for those who have others between them ---- */

/** Refuses the object if a value has a wrong type. Errors: JR_NOMEM. */
enum jr_status jr_admission_decode(const struct jr_admission_request *r,
                                   struct jr_admission_result *ret,
                                   struct jr_error *err) JR_MUST_USE;
/** What the strategy does before validation; both trees are defaulted. Errors: JR_NOMEM. */
enum jr_status jr_admission_prepare(const struct jr_admission_request *r) JR_MUST_USE;
/** Validates what is prepared, up to the warnings. Errors as jr_admit. */
enum jr_status jr_admission_validate(const struct jr_admission_request *r,
                                     struct jr_admission_result *ret,
                                     struct jr_error *err) JR_MUST_USE;
/** Whether a Job's metadata.labels and its template's will be one map on create: defaulting makes
 * them one, what is generated for the template is in both, and the API server has no reason to copy
 * the object before. object: as it was sent. */
bool jr_admission_shares_labels(const struct jr_admission_kind *kind, const struct jr_node *object);
/** Makes metadata.labels what the template's are, after generation. Errors: JR_NOMEM. */
enum jr_status jr_admission_share_labels(struct jr_node *object) JR_MUST_USE;

#endif
