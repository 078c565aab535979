/* SPDX-License-Identifier: Apache-2.0 */
/* A stage of a sync: operations that run together, whose outcome decides the next stage. Data only.
 */
#ifndef JR_RECONCILE_STAGE_H
#define JR_RECONCILE_STAGE_H

#include "common/base/metrics.h"
#include "controller/reconcile/snapshot.h"

enum jr_stage_kind {
    JR_STAGE_GET_JOB,           /* live recheck before the first adoption */
    JR_STAGE_CLAIM,             /* adopt and release patches */
    JR_STAGE_GANG,              /* look up and create Workload and PodGroup */
    JR_STAGE_DELETE,            /* delete active Pods of a Job that ends */
    JR_STAGE_UNFINALIZE_DELETE, /* take the finalizer off, then delete: scale-down and suspend */
    JR_STAGE_CREATE,            /* create Pods */
    JR_STAGE_UNFINALIZE,        /* take the finalizers off counted Pods */
    JR_STAGE_STATUS,            /* PUT status */
    JR_STAGE_DONE,              /* the sync is over; no operations */
};

/** How the operations of a stage run. */
enum jr_stage_mode {
    JR_MODE_SEQUENCE,   /* one after the other, all of them whatever comes back */
    JR_MODE_PARALLEL,   /* all at once, as far as the bound on requests in flight allows */
    JR_MODE_SLOW_START, /* batches of 1, 2, 4, ...; after a batch with a failure the rest is not
                           attempted. A refusal because the namespace terminates is no failure */
};

enum jr_op_kind {
    JR_OP_GET_JOB,
    JR_OP_ADOPT_POD,      /* strategic merge patch */
    JR_OP_RELEASE_POD,    /* strategic merge patch */
    JR_OP_UNFINALIZE_POD, /* strategic merge patch */
    JR_OP_DELETE_POD,
    JR_OP_CREATE_POD,
    JR_OP_PUT_STATUS,
    JR_OP_CREATE_WORKLOAD,
    JR_OP_CREATE_POD_GROUP,
    JR_OP_PATCH_WORKLOAD,  /* strategic merge patch */
    JR_OP_PATCH_POD_GROUP, /* strategic merge patch */
};

/** One request to the API server. */
struct jr_op {
    enum jr_op_kind kind;
    const struct jr_pod *pod;   /* target of a Pod operation that exists; NULL otherwise */
    struct jr_str body;         /* request body, JSON; n = 0: none */
    struct jr_str name;         /* of the Workload or PodGroup that is patched */
    enum jr_scheduling_api api; /* of Workloads and PodGroups */
    /* Index of the operation of this stage that must have ended OK before this one is sent, else it
     * is SKIPPED (after a 404 too: the Pod is gone); -1: none. */
    int after;
};

enum jr_op_outcome {
    JR_OP_OK,
    JR_OP_REFUSED,   /* the server answered with an error: it did not happen */
    JR_OP_AMBIGUOUS, /* no answer: it may have happened */
    JR_OP_SKIPPED,   /* not attempted */
};

/** What came of one operation. Strings are borrowed for the step. */
struct jr_op_result {
    enum jr_op_outcome outcome;
    bool ambiguous;             /* REFUSED, but an attempt before it had no answer */
    bool held_back;             /* REFUSED by ourselves, who may not write now: no user is told */
    int http;                   /* status of an answer */
    bool namespace_terminating; /* refused with that cause */
    struct jr_str name;         /* of the object in the answer, as far as it gave one */
    struct jr_str uid;
    struct jr_str resource_version;
    struct jr_str body; /* GET_JOB, PUT_STATUS, and those of Workloads and PodGroups: the object */
    struct jr_str message; /* of a refusal or ambiguity, for events and errors */
};
struct jr_results {
    const struct jr_op_result *v; /* in the order of the stage's operations */
    size_t n;
};

/** An event on the Job. */
struct jr_stage_event {
    const char *type; /* Normal, Warning */
    const char *reason;
    struct jr_str message;
};

/** A metric's increment (observe for histograms is the shell's). values as the family's labels. */
struct jr_stage_metric {
    const struct jr_metric_desc *desc;
    const char *values[4];
    double by;
};

/** What the shell does to its records before it runs the operations of the stage. */
struct jr_stage_effects {
    struct {
        bool set; /* replace both counts by these */
        int32_t add;
        int32_t del;
    } expect;
    struct {
        int32_t add; /* lower the counts by so much, after `expect` */
        int32_t del;
    } lower;
    struct jr_strs await;   /* uids whose finalizer removal is awaited from now on */
    struct jr_strs unawait; /* and no longer */
    /* uids of counted Pods that the server answered 404 for while the cache still has them with
     * their finalizer. Until the cache has lost them they go into snapshot.awaited along with the
     * awaited ones, or they would be counted again. */
    struct jr_strs gone;
    struct jr_strs succeeded;      /* uids for snapshot.succeeded from now on, after `unawait` */
    struct jr_strs finalizer_lost; /* uids for snapshot.finalizer_lost from now on */
    struct jr_strs forget_finalizer_lost; /* and no longer */
    struct {
        bool set;
        bool written; /* along with a status; else of failures that no status tells of */
        struct jr_backoff_record record;
    } backoff;
    bool finished_mark;           /* the terminal status of this uid is written */
    bool drop_records;            /* forget backoff, writes and mark of this key */
    uint64_t written_job_version; /* 0: nothing new */
    uint64_t written_pod_version;
    struct {
        bool set;
        uint64_t version; /* for snapshot.ambiguous_job_version; 0: not ambiguous any more */
    } job_ambiguous;
};

struct jr_stage {
    enum jr_stage_kind kind;
    enum jr_stage_mode mode;
    const struct jr_op *ops;
    size_t n_ops;
    struct jr_stage_effects effects;     /* applied before the operations are sent */
    const struct jr_stage_event *events; /* emitted before the operations are sent */
    size_t n_events;
    const struct jr_stage_metric *metrics; /* counted before the operations are sent */
    size_t n_metrics;
    /* DONE only. */
    struct {
        bool needs_template; /* nothing was done: begin anew, with the whole Job */
        bool failed;         /* requeue with the key's exponential backoff */
        struct jr_str error; /* words for the log, "tracking status: ..." */
        bool requeue;        /* requeue after that time */
        int64_t requeue_after_ns;
        const char *action; /* for job_sync_duration_seconds: reconciling, tracking, pods_created,
                               pods_deleted; NULL: */
        const char *completion_mode; /* not a sync that is measured */
    } done;
};

const char *jr_stage_kind_text(enum jr_stage_kind k);

#endif
