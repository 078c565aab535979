/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the benchmark's cluster: a recorded Pod and a recorded Job (pod.json, job.json),
 * with what tells one from another put in for @POD@, @JOB_UID@ and the like. */
#ifndef JR_BENCH_TEXT_H
#define JR_BENCH_TEXT_H

#include <stdint.h>

#include "common/base/buf.h"

#define TEXT_NAMESPACE "going" /* of the recorded ones */

/** A text with places to fill. */
struct text {
    struct jr_buf source;
};
/** Reads it from a file. Says on stderr what is wrong with it. */
bool text_read(struct text *t, const char *file) JR_MUST_USE;
void text_done(struct text *t);

/** Which cluster: Jobs of so many running Pods each. */
struct text_world {
    size_t jobs;
    size_t pods_each;
};
/** Appends the Pod number n, counted over all Jobs, at a version. */
enum jr_status text_add_pod(const struct text *t, const struct text_world *w, size_t n,
                            uint64_t version, struct jr_buf *out) JR_MUST_USE;
/** Appends the Job number n at a version. Its status is what its Pods make it. */
enum jr_status text_add_job(const struct text *t, const struct text_world *w, size_t n,
                            uint64_t version, struct jr_buf *out) JR_MUST_USE;

#endif
