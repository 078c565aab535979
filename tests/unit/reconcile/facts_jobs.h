/* SPDX-License-Identifier: Apache-2.0 */
/* Random Jobs with their facts, for tests that run them. */
#ifndef JR_TEST_FACTS_JOBS_H
#define JR_TEST_FACTS_JOBS_H

#include "common/job/facts.h"
#include "common/job/object.h"
#include "tests/unit/reconcile/facts_world.h"

#define SPEC_MAX 16384
#define FACTS 5

/** A JobSpec's last members. A Pod asks for 3,600 cores, so that its core hours are its seconds. */
#define TEMPLATE                                                                            \
    "\"manualSelector\":true,\"selector\":{\"matchLabels\":{\"app\":\"x\"}},\"template\":{" \
    "\"metadata\":{\"labels\":{\"app\":\"x\"}},\"spec\":{\"restartPolicy\":\"Never\","      \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"resources\":{\"requests\":{\"cpu\":" \
    "\"3600\"}}}]"

struct dice {
    struct jr_rand_seeded seed;
    struct jr_rand rand;
};
int below(struct dice *d, uint64_t n);
bool chance(struct dice *d, unsigned percent);

struct subject {
    struct jr_buf spec;
    struct jr_object job;
    struct jr_arena arena;
    struct jr_job_facts facts;
    struct facts_run run;
};
/** Appends a JobSpec of any kind. */
void draw_spec(struct dice *d, struct jr_buf *b);
/** s->spec holds a JobSpec, which is defaulted. */
void subject_open(struct subject *s);
void subject_done(struct subject *s);

/** Names as in common/job/facts. */
extern const char *const fact_names[FACTS];
/** The first fact whose bound is exceeded; NULL: none is. equal (may be NULL): counts those that
 * were come to. */
const char *exceeded(const struct jr_job_facts *f, const struct facts_seen *seen,
                     unsigned equal[FACTS]);
/** A number from the environment, or that one. */
int64_t setting(const char *name, int64_t fallback);

#endif
