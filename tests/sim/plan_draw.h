/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan is drawn: each decision is a number of its own, made of the seed, of what it is for
 * and of an ordinal, so that a decision more or less moves no other. Inside of the plan's sources.
 */
#ifndef JR_TESTS_SIM_PLAN_DRAW_H
#define JR_TESTS_SIM_PLAN_DRAW_H

#include "tests/sim/plan.h"

/** What a decision is for. */
enum sim_purpose {
    SIM_FOR_JOBS,
    SIM_FOR_NAMESPACE,
    SIM_FOR_JOB_TIME,
    SIM_FOR_KIND,
    SIM_FOR_SIZE,
    SIM_FOR_PARALLELISM,
    SIM_FOR_COMPLETIONS,
    SIM_FOR_FEATURE, /* ordinal: of_job(job, the feature) */
    SIM_FOR_VALUE,   /* the feature's value, as above */
    SIM_FOR_CONTAINERS,
    SIM_FOR_RULE,
    SIM_FOR_DURATION,
    SIM_FOR_OUTCOME,
    SIM_FOR_CODE,
    SIM_FOR_MANAGER,
    SIM_FOR_INCIDENTS,
    SIM_FOR_INCIDENT, /* from here on: of_job(job, the incident) */
    SIM_FOR_WHEN,
    SIM_FOR_HOW_SOON,
    SIM_FOR_HOW_LONG,
    SIM_FOR_ARG,
    SIM_FOR_END,
    SIM_FOR_CALM,
    SIM_FOR_FIRST_RULE,
    SIM_FOR_MODE,
    SIM_FOR_HUGE,
    SIM_FOR_SCHEDULING,
    SIM_FOR_FLIP,
    SIM_FOR_SELECTOR
};

struct sim_drawing {
    uint64_t seed;
    struct jr_arena *arena;
    bool managed;
    bool narrow;
    enum jr_scheduling_api gang_api;
};

/** Uniform in 0..n-1. */
uint64_t sim_draw(const struct sim_drawing *d, enum sim_purpose purpose, uint64_t ordinal,
                  uint64_t n);
static inline bool sim_percent(const struct sim_drawing *d, enum sim_purpose purpose,
                               uint64_t ordinal, unsigned percent)
{
    return sim_draw(d, purpose, ordinal, 100) < percent;
}
/** The ordinal of a Job's i-th decision of one purpose. */
static inline uint64_t of_job(size_t job, uint64_t i)
{
    return ((uint64_t)job << 16) + i;
}

/** A Job before it is written down. */
struct sim_shape {
    size_t job;
    uint32_t features;
    int parallelism; /* -1: left to the default */
    int completions; /* -1: none */
    bool elastic;    /* Indexed, completions = parallelism */
    bool side;       /* a second container */
    int64_t deadline_s;
};

static inline bool sim_has(const struct sim_shape *s, enum sim_feature f)
{
    return (s->features & 1u << f) != 0;
}

struct jr_writer;
/** Draws what the Job uses. */
void sim_shape_draw(const struct sim_drawing *d, size_t job, struct sim_shape *ret);
/** Writes the Job down. Errors: JR_NOMEM. */
enum jr_status sim_job_draw(const struct sim_drawing *d, const struct sim_shape *shape,
                            struct sim_job *ret) JR_MUST_USE;
/** spec.podFailurePolicy and spec.successPolicy, key and value. */
void sim_failure_policy_write(const struct sim_drawing *d, const struct sim_shape *shape,
                              struct jr_writer *w);
void sim_success_policy_write(const struct sim_drawing *d, const struct sim_shape *shape,
                              struct jr_writer *w);
/** The Pods' annotations for the kubelet, an object. */
void sim_pod_plan_write(const struct sim_drawing *d, const struct sim_shape *shape,
                        struct jr_writer *w);
/** Draws what is done to the Jobs; sets actions and calm_ns of p. Errors: JR_NOMEM. */
enum jr_status sim_actions_draw(const struct sim_drawing *d, const struct sim_shape *shapes,
                                struct sim_plan *p) JR_MUST_USE;

#endif
