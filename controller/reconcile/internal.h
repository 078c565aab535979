/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the sync machine share: the state of one sync, and what each file does to it.
 *
 * In the order of a sync, which stands in sync.c:
 *   sync.c            the order; whether there is anything to do
 *   fresh.c           whether the cache is as new as what was written
 *   claim.c           which Pods are the Job's: adopts and releases
 *   gang.c            its Workload and PodGroup (gang_v1beta1.c: of 1.37)
 *   pods.c            what each Pod is to the Job, and how many there are of each kind
 *   pod_backoff.c     failures since the last success, and how long they delay Pods
 *   indexed.c         which indexes have succeeded or failed, which need a Pod
 *   finish.c          whether and how the Job ends
 *   failure_policy.c  what a failed Pod means by spec.podFailurePolicy
 *   success_policy.c  whether spec.successPolicy is met
 *   manage.c          brings the number of active Pods to what it should be
 *   surplus.c         which Pods go first where there are too many
 *   create.c          makes missing Pods
 *   template.c        a Pod out of the Job's template
 *   track.c           counts each Pod once, and writes the status
 * For all of them:
 *   stage.c           makes the stage that is handed out: operations, events, metrics
 *   pod_patches.c     patches that adopt a Pod, release it, or take its finalizer off
 *   conditions.c      the list of conditions in status
 *   metrics.c         the metric families
 *   options.c         the defaults of the options */
#ifndef JR_RECONCILE_INTERNAL_H
#define JR_RECONCILE_INTERNAL_H

#include "common/base/memory.h"
#include "common/job/indexes.h"
#include "common/json/write.h"
#include "controller/reconcile/metrics.h"
#include "controller/reconcile/sync.h"

#define JR_PODS_PER_SYNC ((size_t)500)      /* creations, or deletions of a scale-down */
#define JR_UNCOUNTED_PER_SYNC ((size_t)500) /* entries that one sync adds (KEP-2307) */
#define JR_BATCH_PERIOD_NS JR_SEC           /* the shortest delay of a requeue */

/** A claimed Pod and what is thought of it. */
struct jr_rpod {
    const struct jr_pod *pod;
    size_t at;     /* position among the claimed: breaks ties */
    int32_t index; /* -1: unknown; INT32_MAX and above: INT32_MAX */
    bool
        finalizer; /* the cached Pod bears the tracking finalizer, or got it by adoption just now */
    bool finalizer_lost; /* lost it for a deletion that failed: it has to be counted all the same */
    bool holder;         /* one of both, and no removal of it is under way: not yet counted */
    bool active;
    bool listed_succeeded; /* in status.uncountedTerminatedPods; Indexed: snapshot.succeeded */
    bool listed_failed;
    /* The one result: the list says it, whatever the phase has become since. */
    bool succeeded;
    bool failed; /* by the Job's replacement policy: terminating may count (KEP-3939) */
    bool held;   /* keeps its finalizer until its replacement is seen (KEP-3850) */
};

/** How a Job ends. Failing: FailureTarget is to be written first; Failed: it is there already. */
enum jr_finish { JR_FINISH_NONE, JR_FINISH_FAILING, JR_FINISH_FAILED, JR_FINISH_SUCCESS };

/** Goes on with the results of the stage that was handed out. Returns the next stage; NULL: this
 * phase of the sync is over, and the next one begins. */
typedef const struct jr_stage *jr_resume_fn(struct jr_sync *s, const struct jr_results *r);

struct jr_sync {
    struct jr_snapshot snap;
    const struct jr_job *job; /* the snapshot's */
    struct jr_time now;
    struct jr_arena keep;    /* as long as the sync */
    struct jr_arena turn[2]; /* by turns: as long as a stage and the handling of its results */
    unsigned turns;
    size_t phase;                  /* the one that begins when this one is over */
    jr_resume_fn *resume;          /* of this phase; NULL: the next one begins */
    struct jr_stage stage;         /* being made, then handed out */
    struct jr_stage_event *events; /* its lists, used again by the next */
    size_t cap_events;
    struct jr_stage_metric *metrics;
    size_t cap_metrics;

    /* Facts that hold for the whole sync. */
    bool indexed;
    bool per_index;           /* backoffLimitPerIndex is set */
    bool replace_failed_only; /* terminating Pods are neither counted nor replaced */
    bool ends_at_once;        /* beside terminating Pods, mostly without an interim condition */
    bool suspended;
    struct {
        struct jr_str workload, workload_uid;
        struct jr_pod_group_template template; /* of its Pod groups */
        struct jr_str pod_group_name;
        struct jr_str pod_group;           /* that new Pods are in; n = 0: none */
        struct jr_opt_i32 pod_group_count; /* v1beta1: the minCount that it has */
        struct jr_opt_i32 min_count;       /* v1beta1: the one that it is to have */
        bool delegated;                    /* v1beta1: the Workload is its controller's */
    } gang;
    int32_t completions;           /* Indexed: the number of indexes */
    struct jr_strs awaited;        /* the snapshot's, as a set */
    struct jr_strs finalizer_lost; /* the same */
    struct jr_rpod *pods;          /* claimed; Indexed: by index */
    size_t n_pods;
    size_t cursor; /* of the Pods that are gone through in slices: the next one */

    /* Counts and sets, as they stand. */
    int32_t active;
    int32_t ready;
    int32_t terminating;
    int64_t succeeded;
    int64_t failed;
    struct jr_strs uncounted_succeeded; /* of the cached status, as sets; Indexed: the snapshot's */
    struct jr_strs uncounted_failed;
    struct jr_indexes old_succeeded; /* of the cached status, clipped */
    struct jr_indexes succeeded_set;
    struct jr_indexes failed_set;
    struct jr_backoff_record record;

    /* Decisions. */
    struct {
        enum jr_finish kind;
        struct jr_str reason;
        struct jr_str message;
        bool at_once; /* without an interim condition */
    } finish;
    bool ending;  /* an end was found: no Pods are managed, nor is completion checked */
    bool managed; /* Pods were managed in this sync (spec.suspend may be acted upon) */
    bool suspend_changed;
    const char *action;
    struct jr_str manage_error; /* n = 0: none */
    bool requeue;
    int64_t requeue_ns;

    /* The status as it is to be written, upon which object, and what was written before. */
    struct jr_job_status status;
    struct jr_job *answer;       /* of the first PUT; owned */
    struct jr_str base_version;  /* n = 0: the base's own */
    struct jr_job_status before; /* counters since when metrics count */
    bool write;
    bool recorded; /* the backoff record has been stored */
    bool finished; /* the final condition is in what is written */
    bool capped;   /* more Pods are to be counted than one sync may */
    struct jr_rpod **unfinalize;
    size_t n_unfinalize;
    struct jr_str unfinalize_error; /* n = 0: none */
    double policy_hits[5];          /* by enum jr_failure_action */

    /* The operations under way, to read their results by. */
    struct jr_rpod **targets;
    size_t n_targets;
    int32_t *new_indexes; /* of Pods to create; Indexed only */
    size_t n_new;
    unsigned char *claims; /* enum of claim.c, by candidate */
    struct jr_str live_error;
};

/* sync.c */

/** Ends a sync that needs more of the Job than a slim one has. */
const struct jr_stage *jr_need_template(struct jr_sync *s);

/* stage.c */

/** The arena of the stage being made. */
struct jr_arena *jr_stage_arena(struct jr_sync *s);
struct jr_op *jr_stage_ops(struct jr_sync *s, size_t n);
struct jr_str *jr_stage_uids(struct jr_sync *s, size_t n);
/** What was written, in the stage's arena. */
struct jr_str jr_stage_body(struct jr_sync *s, const struct jr_buf *b);
/** Completes the stage and returns it. */
const struct jr_stage *jr_emit(struct jr_sync *s, enum jr_stage_kind kind, enum jr_stage_mode mode,
                               const struct jr_op *ops, size_t n, jr_resume_fn *resume);
/** A stage of one operation that is about the Job. */
const struct jr_stage *jr_emit_one(struct jr_sync *s, enum jr_stage_kind kind, enum jr_op_kind op,
                                   struct jr_str body, jr_resume_fn *resume);
/** So many Pods at most are gone through in one step, and fewer where the turn's time is over: a
 * loop has other things to do. */
#define JR_PODS_PER_STEP 16384
/** Whether the step ends that has begun at Pod `from`; asked once for each. */
static inline bool jr_slice_over(const struct jr_sync *s, size_t from)
{
    return s->cursor - from >= JR_PODS_PER_STEP || jr_deadline_step(s->snap.turn);
}
/** A stage without operations: the next step goes on with resume. */
const struct jr_stage *jr_emit_nothing(struct jr_sync *s, jr_resume_fn *resume);
/** Ends the sync; error n = 0: it went well. */
const struct jr_stage *jr_emit_done(struct jr_sync *s, struct jr_str error);
/** Adds an event to the stage being made; its message is the words and then the detail. */
void jr_emit_event(struct jr_sync *s, const char *type, const char *reason, const char *words,
                   struct jr_str detail);
/** Adds an increment; a, b, c: label values, NULL where there are no more. */
void jr_emit_metric(struct jr_sync *s, const struct jr_metric_desc *desc, double by, const char *a,
                    const char *b, const char *c);
/** Requeues after ns, unless that is to be earlier anyway. */
void jr_requeue(struct jr_sync *s, int64_t ns);
/** The i-th result; one that says "not attempted" where there is none. */
const struct jr_op_result *jr_result(const struct jr_results *r, size_t i);
bool jr_result_gone(const struct jr_op_result *r); /* refused with 404 */
struct jr_str jr_result_message(const struct jr_op_result *r);
/** Notes the resourceVersion of a written object. */
void jr_note_pod_version(struct jr_sync *s, const struct jr_op_result *r);
void jr_note_job_version(struct jr_sync *s, const struct jr_op_result *r);
const char *jr_sync_mode(const struct jr_sync *s); /* Indexed, NonIndexed */

/* fresh.c: "Check that the cache is fresh" in docs/reference/controller.md, as all headings here */

/** The words for a cache that is older than what this process wrote; n = 0: it is not. */
struct jr_str jr_fresh_stale(struct jr_sync *s);
/** What came of a PUT that went by sent_version: notes the version that was written, or that
 * nobody knows whether the cached one is still the last. */
void jr_fresh_note_put(struct jr_sync *s, const struct jr_op_result *r, struct jr_str sent_version);
/** Asks the server for the Job where that is not known, and goes on with the cached one if it is.
 */
const struct jr_stage *jr_fresh_recheck(struct jr_sync *s);

/* claim.c: "Claim Pods" */
const struct jr_stage *jr_claim(struct jr_sync *s);

/* gang.c: "Prepare the gang", "Gang scheduling" */

/** Finds or creates the Job's Workload and PodGroup. */
const struct jr_stage *jr_gang(struct jr_sync *s);

/* pods.c: "Count Pods" */
const struct jr_stage *jr_pods_count(struct jr_sync *s);
bool jr_index_known(const struct jr_sync *s, int32_t index); /* 0..completions-1 */
/** A Pod that, if it ended, is neither counted nor on the way to it (listed). */
bool jr_rpod_new(const struct jr_sync *s, const struct jr_rpod *p, bool listed);
/** Strings by binary search. */
struct jr_strs jr_strset_make(struct jr_arena *a, const struct jr_strs *of);
bool jr_strset_has(const struct jr_strs *set, struct jr_str v);

/* pod_backoff.c: "Renew the backoff record" */
struct jr_time jr_pod_finish_time(const struct jr_pod *pod);
/** Makes the record of failures what the counted Pods say. */
void jr_backoff_update(struct jr_sync *s);
/** What is left of the delay after n failures, the last at `last`; 0: none. */
int64_t jr_backoff_remaining(int64_t n, struct jr_time last, struct jr_time now);
/** How long the whole Job's failures delay new Pods, in ns; 0 where each index waits by itself. */
int64_t jr_backoff_of_job(const struct jr_sync *s);
/** KEP-3850: of s->new_indexes only those that need not wait any more stay. If there are none, how
 * long the first of them has to, in ns; else 0. */
int64_t jr_backoff_keep_due(struct jr_sync *s);

/* indexed.c: "Failed indexes", and which indexes are free */

/** Makes the sets of succeeded and failed indexes what the Pods say. */
void jr_indexes_update(struct jr_sync *s);
/** The lowest `want` indexes that need a Pod, into s->new_indexes. */
void jr_indexes_pending(struct jr_sync *s, size_t want);
/** The held Pod of an index, NULL if there is none. */
const struct jr_rpod *jr_index_held(const struct jr_sync *s, int32_t index);
int64_t jr_index_failures(const struct jr_pod *pod); /* counted and ignored ones before it */
int64_t jr_index_count(const struct jr_pod *pod);    /* counted ones before it */

/* finish.c: "Decide whether the Job ends" */

/** Decides whether and how the Job ends, into s->finish. */
void jr_finish_evaluate(struct jr_sync *s);

/* conditions.c */

/** Makes the condition what is given; a new one is not added as False. Tells whether it changed. */
bool jr_condition_ensure(struct jr_sync *s, const char *type, const char *status,
                         struct jr_str reason, struct jr_str message);

/* failure_policy.c: "Pod failure policy" */
enum jr_failure_action {
    JR_FAILURE_NONE,
    JR_FAILURE_FAIL_JOB,
    JR_FAILURE_FAIL_INDEX,
    JR_FAILURE_IGNORE,
    JR_FAILURE_COUNT,
};
struct jr_failure_match {
    enum jr_failure_action action;
    size_t rule;
    const struct jr_container_status *container; /* of an exit code */
    struct jr_str condition;                     /* of a condition: its type */
};
/** What the Job's policy says of a failed Pod. */
struct jr_failure_match jr_failure_policy_match(const struct jr_reconcile_options *options,
                                                const struct jr_job *job, const struct jr_pod *pod);
bool jr_failure_counts(const struct jr_sync *s, const struct jr_pod *pod);
const char *jr_failure_action_text(enum jr_failure_action a);
/** The words for a Job that fails by a rule. */
struct jr_str jr_failure_policy_words(struct jr_arena *a, const struct jr_failure_match *m,
                                      const struct jr_pod *pod);

/* success_policy.c: "Success policy" */
/** The first rule that is met, -1 if none is. */
ptrdiff_t jr_success_policy_match(const struct jr_job *job, int32_t completions,
                                  const struct jr_indexes *succeeded);

/* manage.c: "Finish the Job or manage its Pods" */
const struct jr_stage *jr_manage(struct jr_sync *s);
/** Puts the counts as they are then into the status. */
const struct jr_stage *jr_manage_status(struct jr_sync *s);

/* surplus.c: "Surplus Pods" */
/** The active Pods to remove, at least so many of them, first to go first. */
struct jr_rpod **jr_surplus_pick(struct jr_sync *s, size_t at_least, size_t *ret_n);

/* create.c: "Creating Pods" */
const struct jr_stage *jr_create(struct jr_sync *s, size_t want);

/* template.c: "Pods made from the template" */
struct jr_template {
    struct jr_str spec; /* NonIndexed: the object; Indexed: its members less hostname, with the
                           index in the environment */
};
/** Errors: those of a text that is no Pod template. */
enum jr_status jr_template_open(struct jr_sync *s, struct jr_template *ret) JR_MUST_USE;
/** The Pod for an index (-1: NonIndexed) that takes the place of `held` (may be NULL). */
struct jr_str jr_template_pod(struct jr_sync *s, const struct jr_template *t, int32_t index,
                              const struct jr_rpod *held);
/** metadata.generateName of a Pod, into the arena. */
struct jr_str jr_pod_generate_name(struct jr_arena *a, struct jr_str job, int32_t index);

/* track.c: "Counting Pods" */
const struct jr_stage *jr_track(struct jr_sync *s);

#endif
