/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of one step's check. Inside of the model's sources. */
#ifndef JR_TESTS_SIM_MODEL_STEP_H
#define JR_TESTS_SIM_MODEL_STEP_H

#include "tests/sim/model_parts.h"

/** A write of a Job's status. */
struct sim_step {
    const struct sim_job *plan;
    bool external;
    const struct jr_job *prev;
    const struct jr_job *next;
    struct jr_indexes *completed; /* of next, once they are read */
    struct jr_indexes *failed;
    const struct sim_life *pods;
    size_t n_pods;
    struct jr_buf *why;
};

/* model_conditions.c */

/** Conditions are appended, and what is True stays. */
bool sim_step_order(const struct sim_step *s);
/** Types, reasons and messages, which excludes which, which needs which. */
bool sim_step_kinds(const struct sim_step *s);
/** startTime and completionTime. */
bool sim_step_times(const struct sim_step *s);
/** What has begun has a start, what has ended is empty. */
bool sim_step_start(const struct sim_step *s);
/** A finishing condition that is new is due, and the first that is. */
bool sim_step_finishing(const struct sim_step *s);

/* model_pod_step.c */

/** prev NULL: it is new. text: next's. */
bool sim_step_of_pod(const struct sim_step *s, const struct jr_pod *prev, const struct jr_pod *next,
                     struct jr_str text);

#endif
