/* SPDX-License-Identifier: Apache-2.0 */
/* What the API server has seen of each Job and Pod: every version, and which Pods were whose. */
#ifndef JR_TESTS_SIM_HISTORY_H
#define JR_TESTS_SIM_HISTORY_H

#include "common/api/job.h"
#include "common/api/pod.h"
#include "devcluster/apiserver/state.h"
#include "tests/sim/model.h"
#include "tests/sim/network.h"

/** An object, by uid. */
struct sim_thing {
    struct sim_life life;
    struct jr_dev_object **objects; /* that hold the versions' texts */
    size_t cap;
    struct jr_str namespace;
    struct jr_str name;
};

struct sim_seen_pod {
    struct sim_thing thing;
    struct jr_pod *before; /* as it was until the last write; NULL: new */
    struct jr_pod *now;    /* as it is, or was when it went */
    int64_t ended_ns;      /* when it came to a terminal phase, or was deleted; 0: it hasn't */
    int64_t succeeded_ns;  /* when it succeeded; 0: it hasn't */
    int64_t failed_ns;     /* when it failed, with its finalizer; 0: it hasn't */
    int64_t dead_ns;       /* when it failed: one that is adopted then did so before failed_ns */
    const struct sim_seen_job *listed_by; /* whose uncounted lists have held it; NULL: none */
    bool listed_failed;                   /* in which one */
    uint64_t listed_rv;                   /* by which version of the Job */
    uint64_t listed_in;                   /* by which life of which process: sim_life_of */
    uint64_t completed_in; /* by which life its index was completed while it had succeeded, as its
                              writer knows by an answer; 0: none did */
    int64_t listed_end_ns; /* when it ended, wall time, as who listed it must have known; 0: he may
                              have gone by something else */
    bool extra; /* made by somebody else, or by one who doesn't know all: creation_limit.c */
};

/** Creations of a sync: surplus to what has succeeded they go out in batches. */
struct sim_slow_start {
    uint64_t of; /* which life */
    size_t sent;
    size_t made;
};

/** What the answer to a status write tells its sender, or that there was none: that his version of
 * the Job was old. He may go by it no more. */
struct sim_lesson {
    uint64_t of;     /* which life */
    uint64_t number; /* of the write */
    uint64_t rv;     /* the Job's version that he has to know */
};

struct sim_wish;
struct sim_seen_job {
    struct sim_thing thing;
    const struct sim_job *plan;
    struct jr_job *before;
    struct jr_job *now;
    struct sim_seen_pod **pods; /* that it ever controlled, or could have adopted */
    size_t n_pods;
    size_t cap_pods;
    int64_t stirred_ns; /* when it or one of its Pods was last written */
    size_t surplus;     /* Pods that there may be beyond need: see creation_limit.c */
    bool cut;           /* an active Pod was deleted with its finalizer on */
    unsigned lister;    /* who wrote the uncounted uids: coverage.c */
    struct sim_slow_start slow;
    struct sim_lesson lesson;
    unsigned read_in[SIM_PROCESSES]; /* in which life each has read the live Job in its sync:
                                            client_rules.c */
    size_t n_events;
    bool end_told; /* by an event */
    struct sim_wish *wishes;
    size_t n_wishes;
};

/** What a Job's spec asked for, since when. */
struct sim_wish {
    int64_t from_ns;
    uint64_t rv; /* the Job's version that says so */
    int32_t parallelism;
    int32_t completions; /* -1: none */
    bool suspended;
};

struct sim_book {
    const struct sim_plan *plan;
    struct sim_seen_job **jobs;
    size_t n_jobs;
    struct sim_seen_pod **pods;
    size_t n_pods;
    struct jr_arena scratch; /* of the last sim_book_history */
};

void sim_book_init(struct sim_book *b, const struct sim_plan *plan);
void sim_book_done(struct sim_book *b);
/** Takes a write in, by this hand. Of a Job or a Pod *ret_job or *ret_pod is what it was about. */
void sim_book_take(struct sim_book *b, const struct jr_dev_event *e, int64_t at_ns,
                   const struct sim_hand *hand, struct sim_seen_job **ret_job,
                   struct sim_seen_pod **ret_pod);
/** NULL if there is none. */
struct sim_seen_job *sim_book_job(const struct sim_book *b, struct jr_str uid);
/** The one that the Pod names as its controller; NULL: it names none, or one that there never was.
 */
struct sim_seen_job *sim_book_controller(const struct sim_book *b, const struct jr_pod *pod);
/** The Job that stands under the name now, NULL if none does. */
struct sim_seen_job *sim_book_named(const struct sim_book *b, const char *namespace,
                                    const char *name);
/** The Job of a request's path, also with /status behind it; NULL: there is none. */
struct sim_seen_job *sim_book_at(const struct sim_book *b, const char *path);
/** The Pod that stands under a request's path; NULL: none does. */
struct sim_seen_pod *sim_book_pod_at(const struct sim_book *b, const char *path);
static inline struct jr_str sim_index_text(const struct jr_pod *p)
{
    return jr_pod_str(p, p->completion_index);
}
/** Whether the Pod has an index. */
static inline bool sim_index_of(const struct jr_pod *p, int64_t *ret)
{
    return jr_parse_i64(sim_index_text(p), 0, INT32_MAX, ret) == JR_OK;
}
/** Whether it bears the tracking finalizer, of either mode. */
static inline bool sim_bears(const struct jr_pod *p)
{
    return jr_pod_has_finalizer(p, JR_S(JR_JOB_TRACKING_FINALIZER)) ||
           jr_pod_has_finalizer(p, JR_S("jobreeve.dev/job-tracking"));
}

/** The version of the store at which an object was written. */
uint64_t sim_rv(struct jr_str resource_version);
/** The lives of a Job's Pods; borrowed until the next call and the next write. */
const struct sim_life *sim_book_pods(struct sim_book *b, const struct sim_seen_job *job);

static inline bool sim_thing_stands(const struct sim_thing *t)
{
    return t->life.gone_ns < 0;
}
/** Whether the Job controls it now. */
bool sim_controls(const struct sim_seen_job *job, const struct sim_seen_pod *pod);

/** One of the Job's Pods, by uid; NULL: it has none such. */
struct sim_seen_pod *sim_pod_of(const struct sim_seen_job *job, struct jr_str uid);

/** Whether the Pod is among the Job's Pods, past ones too. */
bool sim_had(const struct sim_seen_job *job, const struct sim_seen_pod *pod);

/* trace.c */
struct sim_report;
void sim_trace_job(struct sim_report *r, const struct sim_seen_job *j);
void sim_trace_pod(struct sim_report *r, const struct sim_seen_pod *p);

#endif
