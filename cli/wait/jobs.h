/* SPDX-License-Identifier: Apache-2.0 */
/* The Jobs that are waited for, as far as they have come, and the exit code that follows. Pure. */
#ifndef JR_CLI_WAIT_JOBS_H
#define JR_CLI_WAIT_JOBS_H

#include <sys/queue.h>

#include "common/api/job.h"
#include "common/kube/keyed.h"

enum jr_wait_end {
    JR_WAIT_MOVES, /* it runs, or will; or isn't there yet */
    JR_WAIT_STUCK, /* somebody has to act; it may move again */
    JR_WAIT_COMPLETE,
    JR_WAIT_FAILED,
    JR_WAIT_GONE, /* deleted before its end was seen */
};

/** The failure of one of a Job's Pods. All texts are owned. */
struct jr_wait_failure {
    STAILQ_ENTRY(jr_wait_failure) link;
    char *uid; /* of the Pod */
    char *pod;
    char *container; /* NULL: no container has failed */
    int32_t run;
    bool previous;  /* it is the run before the last one */
    char *what;     /* "exit code 137 (OOMKilled)" */
    char *lines;    /* the last ones of its log; NULL: they aren't known */
    char *no_lines; /* why not; NULL: they weren't read yet */
};
STAILQ_HEAD(jr_wait_failures, jr_wait_failure);
void jr_wait_failure_free(struct jr_wait_failure *f);

struct jr_pod_view;

/** One Job. */
struct jr_wait_job {
    struct jr_keyed keyed;
    char *uid;          /* of the one that is waited for; NULL: whichever is seen first */
    struct jr_job *job; /* its last state, of one that is over without the template; NULL: it wasn't
                           seen */
    enum jr_wait_end end;
    bool replaced;                    /* gone: another Job has its name */
    bool unseen;                      /* gone: a list hadn't it, and its last state wasn't told */
    bool listed;                      /* there was a list that has it if it exists */
    uint64_t list;                    /* that has shown it last */
    struct jr_buf why;                /* it is stuck, as far as is known now */
    struct jr_mono why_for;           /* since when there is such a cause; 0: there is none */
    struct jr_wait_failures failures; /* the last ones, in their order */
    size_t n_failures;
};

/** All of them, in the order in which they were named or seen. */
struct jr_wait_jobs {
    struct jr_map map; /* by namespace and name */
    struct jr_wait_job **v;
    size_t n, cap;
    bool early; /* FailureTarget is an end */
};
/** Safe on a zeroed one. */
void jr_wait_jobs_done(struct jr_wait_jobs *jobs);
/** Adds a Job, unless it is there; uid {NULL, 0}: any. The Job stays where it is. */
struct jr_wait_job *jr_wait_jobs_add(struct jr_wait_jobs *jobs, struct jr_str namespace,
                                     struct jr_str name, struct jr_str uid);
/** NULL: none of that name is waited for. */
struct jr_wait_job *jr_wait_jobs_find(const struct jr_wait_jobs *jobs, struct jr_str namespace,
                                      struct jr_str name);

/** Complete, Failed or gone: nothing changes that any more. */
static inline bool jr_wait_is_over(const struct jr_wait_job *j)
{
    return j->end != JR_WAIT_MOVES && j->end != JR_WAIT_STUCK;
}
/** Takes in a state of the Job of that name, which may be another one. */
void jr_wait_job_take(struct jr_wait_job *j, const struct jr_job *seen, bool early);
/** The Job of that name was deleted; last is its last state, NULL where that wasn't told. */
void jr_wait_job_gone(struct jr_wait_job *j, const struct jr_job *last, bool early);
/** Says whether it is stuck by j->why, which was just found out, and has been so for stuck_ns (0:
 * it never is). */
void jr_wait_job_check_stuck(struct jr_wait_job *j, struct jr_mono now, int64_t stuck_ns);

/** Whether the waiting is over: all are over or stuck; any: one is. */
bool jr_wait_jobs_over(const struct jr_wait_jobs *jobs, bool any);
/** The first of 1 (Failed), 4 (gone), 3 (stuck), 124 (neither is over) that applies to one of them,
 * else 0; any: of those that are over or stuck, if there is one. */
int jr_wait_jobs_code(const struct jr_wait_jobs *jobs, bool any);

/** Appends its name: "job/a", or "job/a in namespace b" where they are in several. */
void jr_wait_job_name(const struct jr_wait_jobs *jobs, const struct jr_wait_job *j,
                      struct jr_buf *out);
/** Appends how it stands: "Failed after 1m2s: BackoffLimitExceeded: ...". */
void jr_wait_job_words(const struct jr_wait_job *j, struct jr_time now, struct jr_buf *out);

#endif
