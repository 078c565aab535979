/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs out of a seed, as JSON text: valid ones, nearly valid ones and hostile ones, with unknown
 * members everywhere, odd numbers and keys in any order. Compile job_gen.c and job_gen_make.c into
 * the test. */
#ifndef JR_SUPPORT_JOB_GEN_H
#define JR_SUPPORT_JOB_GEN_H

#include "common/base/buf.h"
#include "common/base/clock.h"

enum jr_job_gen_kind {
    JR_JOB_GEN_VALID,  /* an API server accepts it, once its uid is known */
    JR_JOB_GEN_NEARLY, /* a few values out of range, missing or contradictory */
    JR_JOB_GEN_HOSTILE /* also wrong types, absurd numbers and huge lists */
};

/** Plain data; equal seeds give equal Jobs. */
struct jr_job_gen {
    struct jr_rand_seeded seed;
    enum jr_job_gen_kind kind;
    bool unknown;  /* unknown members are sprinkled in */
    bool with_uid; /* metadata.uid is always there */
};
void jr_job_gen_init(struct jr_job_gen *g, uint64_t seed, enum jr_job_gen_kind kind);
/** Appends one Job. Always well-formed JSON without duplicate keys. */
enum jr_status jr_job_gen_next(struct jr_job_gen *g, struct jr_buf *out) JR_MUST_USE;

#endif
