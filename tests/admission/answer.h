/* SPDX-License-Identifier: Apache-2.0 */
/* What jobreeve answers to a case of admission: the rows of the admission vectors (name, op, gates,
 * job, old), with an id and a kind, as tests/bench/upstream puts them to Kubernetes' own code. */
#ifndef JR_TEST_ADMISSION_ANSWER_H
#define JR_TEST_ADMISSION_ANSWER_H

#include "common/admission/admission.h"
#include "tests/support/object.h"

/** The answer; all in its own memory. */
struct jr_answer {
    struct jr_arena arena;
    enum jr_status decoded; /* not JR_OK: refused before it was validated, decode_error says why */
    struct jr_error decode_error;
    struct jr_admission_result result;
    struct jr_doc *defaulted; /* NULL where it was not decoded */
    /* What validation saw, and the old object, as it was compared with; without trees where they
     * were not decoded. */
    struct jr_object object, old;
};

/** Answers one case as that Kubernetes does; NULL: as 1.36.0. jr_answer_done() also after a
 * failure. With "prepared": true in the case both objects are validated as they are, without
 * defaults and preparation. Gates that a version, which isn't NULL, doesn't know or has locked are
 * passed over. Errors: JR_INVALID (no case, an unknown operation, kind or gate), JR_NOMEM. */
enum jr_status jr_answer_case(const struct jr_node *row, const struct jr_kube_version *version,
                              struct jr_answer *ret, struct jr_error *err) JR_MUST_USE;
void jr_answer_done(struct jr_answer *a);

/** Appends the answer as one line of JSON: id, decodeError, errors (type, field, detail, message,
 * rule), warnings, defaulted, prepared. */
enum jr_status jr_answer_write(const struct jr_answer *a, const struct jr_node *id,
                               struct jr_buf *out) JR_MUST_USE;

#endif
