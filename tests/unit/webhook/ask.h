/* SPDX-License-Identifier: Apache-2.0 */
/* Asking the pure handler, for tests: reviews made of pieces, answers opened. */
#ifndef JR_TEST_WEBHOOK_ASK_H
#define JR_TEST_WEBHOOK_ASK_H

#include "tests/support/doc.h"
#include "webhook/review/review.h"

/** What a review is made of. Texts are JSON; NULL objects are sent as null. */
struct pieces {
    const char *api_version; /* NULL: admission.k8s.io/v1 */
    const char *kind;        /* NULL: Job */
    const char *resource;    /* NULL: jobs */
    const char *operation;
    const char *sub_resource; /* NULL: none */
    const char *object;
    const char *old_object;
    bool dry_run;
    const char *group, *version; /* NULL: batch, v1 */
    const char *user_info;       /* NULL: none */
};
/** The review's text, uid "u-1"; ends the test without memory. The caller frees. */
char *review_of(const struct pieces *p);
/** What is sent to an endpoint on a create of this object. The caller frees. */
char *create_review(enum jr_endpoint e, const char *object, bool dry_run);

/** Whom Jobs are handed to. */
#define ASK_CONTROLLER "example.com/jobs"
/** Reads and answers a body as the server does, within the memory that it would ask for. arena and
 * out are set up here, and the caller's to end. */
enum jr_status answer_review(enum jr_endpoint e, struct jr_str body,
                             const struct jr_review_settings *settings, struct jr_arena *arena,
                             struct jr_buf *out, struct jr_review_outcome *ret,
                             struct jr_error *err);

/** An opened answer. */
struct answer {
    enum jr_status st; /* of the call; the rest is only there with JR_OK */
    struct jr_error err;
    struct jr_doc *doc;
    struct jr_node *response;
    bool allowed;
    int64_t code;                     /* of a denial */
    struct jr_str message;            /* of a denial */
    struct jr_doc *patch;             /* NULL: none */
    struct jr_review_outcome outcome; /* but for its strings */
};
/** Asks with the default profile. */
void ask(enum jr_endpoint e, struct jr_str body, struct answer *ret);
void ask_with(enum jr_endpoint e, struct jr_str body, const struct jr_profile *profile,
              struct answer *ret);
void ask_by(enum jr_endpoint e, struct jr_str body, const struct jr_review_settings *settings,
            struct answer *ret);
void answer_done(struct answer *a);
/** It is allowed for code 0, else denied with that code and that part of a message (NULL: any). */
void want_answer(const char *name, const struct answer *a, int64_t code, const char *message,
                 bool patch);

/** A whole file, NUL-terminated; NULL if it can't be read. The caller frees. */
char *slurp(const char *path);
/** The text of a value. The caller frees. */
char *text_of(const struct jr_node *n);

#endif
