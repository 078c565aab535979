/* SPDX-License-Identifier: Apache-2.0 */
/* admission.k8s.io AdmissionReview, v1 and v1beta1. */
#ifndef JR_API_ADMISSION_REVIEW_H
#define JR_API_ADMISSION_REVIEW_H

#include "common/api/meta.h"
#include "common/json/doc.h"

struct jr_gvk {
    struct jr_str group;
    struct jr_str version;
    struct jr_str kind;
};
struct jr_gvr {
    struct jr_str group;
    struct jr_str version;
    struct jr_str resource;
};

/** A review's request, as far as a webhook reads it. Strings borrow from the body or the arena. */
struct jr_admission_review {
    struct jr_str api_version;      /* admission.k8s.io/v1 */
    struct jr_str kind;             /* AdmissionReview */
    size_t bytes;                   /* of the body */
    struct jr_reader_counts counts; /* and what it is made of */
    struct jr_admission_review_request {
        bool set; /* there is one */
        struct jr_str uid;
        struct jr_gvk kind;
        struct jr_gvr resource;
        struct jr_str sub_resource;
        struct jr_str name;
        struct jr_str namespace;
        struct jr_str operation; /* CREATE, UPDATE, DELETE, CONNECT */
        struct jr_str username;
        struct jr_strs groups;
        bool dry_run;
        struct jr_tape object; /* for jr_doc_build; zeroed when null or absent */
        struct jr_tape old_object;
    } request;
};
/** Decodes and checks a raw body. A duplicate key is found in the fields that are read, so not
 * inside object and oldObject. The tapes take at most eight bytes of the arena for each byte of the
 * body, and some 20 kB. Errors: JR_SYNTAX, JR_LIMIT (depth), JR_INVALID (a duplicate key), JR_TYPE,
 * JR_NOMEM. */
enum jr_status jr_admission_review_decode(struct jr_str body, struct jr_arena *arena,
                                          struct jr_admission_review *ret,
                                          struct jr_error *err) JR_MUST_USE;

/** Builds the tree of one of a request's objects, without its managedFields, which nobody reads.
 * The object is there. Errors: those of jr_doc_build. */
enum jr_status jr_admission_review_object(const struct jr_tape *object, struct jr_doc **ret,
                                          struct jr_error *err) JR_MUST_USE;

/** A review's response. All members are borrowed. */
struct jr_admission_review_response {
    struct jr_str api_version; /* echoed */
    struct jr_str uid;         /* echoed */
    bool allowed;
    struct jr_str patch;                /* JSON Patch text, written base64; n = 0: none */
    const struct jr_api_status *status; /* of a denial, or NULL */
    struct jr_strs warnings;
    struct jr_labels audit_annotations;
};
/** Appends the whole AdmissionReview. */
enum jr_status jr_admission_review_write(const struct jr_admission_review_response *a,
                                         struct jr_buf *out) JR_MUST_USE;

#endif
