/* SPDX-License-Identifier: Apache-2.0 */
/* From a request's body to the answer's: the whole webhook but for its sockets. */
#ifndef JR_WEBHOOK_REVIEW_REVIEW_H
#define JR_WEBHOOK_REVIEW_REVIEW_H

#include "common/api/admission_review.h"
#include "common/base/buf.h"
#include "common/base/deadline.h"
#include "common/policy/evaluate.h"
#include "common/schema/profiles.h"

enum jr_endpoint {
    JR_ENDPOINT_MUTATE_JOB,
    JR_ENDPOINT_VALIDATE_JOB,
    JR_ENDPOINT_MUTATE_CRON_JOB,
    JR_ENDPOINT_VALIDATE_CRON_JOB,
    JR_ENDPOINT_ASSIGN_CONTROLLER,
    JR_ENDPOINT_VALIDATE_POLICY,
    JR_ENDPOINT_COUNT
};

/** The endpoint's path, "/mutate-batch-v1-job". */
const char *jr_endpoint_path(enum jr_endpoint e);
/** Whether it answers with patches. */
bool jr_endpoint_mutates(enum jr_endpoint e);
/** The endpoint that is served at path; JR_ENDPOINT_COUNT if there is none. */
enum jr_endpoint jr_endpoint_find(const char *path);

/** The operator's policies at one time, and what is known of the request's Namespace. */
struct jr_review_policies {
    const struct jr_policy_set *set;
    size_t findings_cost; /* bytes that findings and labels of all of them may take at most */
    const struct jr_labels *namespace_labels; /* NULL: not known */
};

/** What reviews are validated by. */
struct jr_review_settings {
    const struct jr_profiles *profiles;        /* of the API servers that may have sent them */
    const char *controller_name;               /* who the Jobs are assigned to; may be NULL where
                                                  none are */
    const struct jr_review_policies *policies; /* NULL: there are none */
    struct jr_strs queues;                     /* users who may stop and start Jobs */
    struct jr_strs trusted_controllers; /* values of managedBy that say nothing against facts */
    bool sees_metadata;                 /* is asked about updates of labels and annotations alone */
    struct jr_time now;                 /* for exceptions of policies that end */
    struct jr_deadline
        *deadline; /* of the one request: validation ends when it is over. NULL: never */
};

/** What became of a review, for logs and metrics. Strings borrow from the body and the arena. */
struct jr_review_outcome {
    const char *operation; /* CREATE, UPDATE, DELETE, CONNECT or "other" */
    bool allowed;
    bool patched;
    int32_t code;         /* of a denial */
    const char *reason;   /* of a denial: its Status' reason, or "Policy"; else "" */
    size_t n_causes;      /* of a denial */
    const char *exempt;   /* why not all was validated; or NULL */
    struct jr_str field;  /* of a denial's first error; n = 0: it is about no field */
    const char *rule;     /* its rule's id, or NULL */
    struct jr_str policy; /* of a denial by policies: the first one's name */
    struct jr_policy_findings policies;
    int64_t policies_ns; /* 0: none were evaluated */
    bool dry_run;
    struct jr_str uid; /* of the request */
    struct jr_str kind;
    struct jr_str namespace;
    struct jr_str name; /* or, of a denied object without one, what its name would begin with */
    struct jr_str user;
};

/** Reads an AdmissionReview. Strings borrow from the body and the arena. Errors: err->http is the
 * HTTP status to send with err's text: 400 where the body is no review (JR_SYNTAX, JR_TYPE,
 * JR_INVALID, JR_LIMIT), 500 without memory. */
enum jr_status jr_review_read(struct jr_str body, struct jr_arena *arena,
                              struct jr_admission_review *ret, struct jr_error *err) JR_MUST_USE;

/** How many bytes reading a body of n bytes may take at most, the body not included, and how many
 * more answering what was read: what a budget is asked for before. Text that is small may make
 * trees that are large, so that its values count. */
size_t jr_review_read_cost(size_t n);
size_t jr_review_cost(const struct jr_admission_review *r,
                      const struct jr_review_policies *policies);
/** No answer is longer: a buffer's maximum. */
size_t jr_review_answer_max(const struct jr_admission_review *r,
                            const struct jr_review_policies *policies);

/** Answers an AdmissionReview: appends the answering AdmissionReview to out. A denial is an answer
 * too. Pure: no I/O, no clock but the deadline's, no state; equal inputs give equal answers, dry
 * run or not.
 *  @param arena  for all that the answering needs but trees; the caller ends it after the last use
 * of *ret
 *  @param ret    may be NULL
 *  Errors, with err->http as above: 413 where the answer would be too long (JR_LIMIT), 504 where
 * the deadline is over (JR_TIMEOUT), 500 without memory. */
enum jr_status jr_review_answer_for(enum jr_endpoint endpoint, const struct jr_admission_review *r,
                                    const struct jr_review_settings *settings,
                                    struct jr_arena *arena, struct jr_buf *out,
                                    struct jr_review_outcome *ret,
                                    struct jr_error *err) JR_MUST_USE;

#endif
