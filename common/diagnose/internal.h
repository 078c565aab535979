/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis as it is worked on: findings are gathered, the heaviest decides.
 *
 *   diagnose.c     what is asked, and what the findings come to
 *   findings.c     findings, texts and commands
 *   owner.c        who makes the Job, and how that is changed
 *   job.c          a Job's course: ended, ending, left to others, suspended, running
 *   ended.c        how it ended
 *   queue.c        suspended Jobs, and Kueue's Workloads
 *   refusals.c     Pods that the API server refuses
 *   failures.c     Pods that fail, and the back-off
 *   pods.c         Pods that wait, run or end
 *   gates.c        Pods without a node
 *   scheduling.c   what a scheduler says of them
 *   nodes.c        what nodes have
 *   claims.c       their volumes and devices
 *   containers.c   containers that wait or are restarted
 *   images.c       images that can't be pulled
 *   cron.c         CronJobs
 */
#ifndef JR_DIAGNOSE_INTERNAL_H
#define JR_DIAGNOSE_INTERNAL_H

#include "common/base/memory.h"
#include "common/diagnose/diagnosis.h"

enum actor { ACTOR_NOBODY, ACTOR_AUTHOR, ACTOR_ADMIN, ACTOR_QUEUE };

/** A cause, with what it comes to if it decides. */
struct finding {
    struct jr_held held;
    enum jr_verdict verdict;
    enum actor who;
    struct jr_time when;
    const char *when_is;
    struct jr_suggestion next[JR_NEXT_MAX];
    size_t n_next;
    bool merged; /* it is about several Pods: its commands are those of the first */
};

/** What made an object, the outermost first known. */
struct owner {
    struct jr_str kind; /* n = 0: nothing did, as far as is known */
    struct jr_str name;
    struct jr_str namespace;
};

#define FINDINGS_MAX 32

/** A question. */
struct question {
    const struct jr_evidence *ev;
    struct jr_arena *arena;
    struct jr_time now;
    const struct jr_job *job;       /* NULL: it is about a CronJob */
    const struct jr_pod_view *only; /* the question is about this Pod of it; NULL: about all */
    struct jr_doc *doc;             /* the Job's tree */
    const struct jr_node *root;
    struct owner owner;
    const struct jr_pod_view **pods; /* the Job's */
    size_t n_pods;
    size_t active;   /* of these: neither ended nor being deleted */
    size_t ending;   /* being deleted, not ended */
    size_t ungated;  /* of all: without a scheduling gate */
    size_t running;  /* active, with all containers running or done, one of them running */
    size_t starting; /* active, and made by their kubelets just now */
    size_t delayed;  /* indexes that wait for their next try */
    int64_t wanted;  /* Pods that are to be active */
    bool ended;
    bool unsafe;                  /* a word of the command that is being made would be an option */
    struct jr_opt_bool preempted; /* jr_was_preempted; not set: nobody has asked */
    struct jr_opt_bool placed;    /* a Pod has a node */
    struct {
        struct jr_str message; /* of a scheduler, which the Pods before had */
        size_t finding;        /* that it came to, counted from 1; 0: none */
    } unscheduled;
    struct finding findings[FINDINGS_MAX];
    size_t n_findings;
    struct jr_unseen unseen[JR_UNSEEN_MAX];
    size_t n_unseen;
};

/* diagnose.c */

/** Opens a question about a Job; NULL: about something else. doc is the caller's to free. */
void jr_question_open(struct question *q, const struct jr_evidence *ev, struct jr_arena *arena,
                      struct jr_time now, const struct jr_job *job);

/* findings.c */

/** Adds a finding, or, where there is one with the same id and text, adds its Pods to that. A
 * heavier one takes the place of the lightest where there are too many; NULL: it isn't. */
struct finding *jr_find(struct question *q, const char *id, enum jr_verdict verdict, enum actor who,
                        size_t pods, struct jr_str text);
struct jr_str jr_text(struct question *q, const char *fmt, ...) JR_PRINTF(2, 3);
/** A name as a word for a shell: quoted where it isn't one by itself. */
struct jr_str jr_word(struct question *q, struct jr_str s);
#define JR_W(q, s) JR_P(jr_word((q), (s)))
/** Adds a command to a finding, which may be NULL; names in it are words. */
void jr_add_command(struct question *q, struct finding *f, enum jr_next_grade grade,
                    const char *fmt, ...) JR_PRINTF(4, 5);
void jr_evidence_of(struct finding *f, struct jr_str evidence);
void jr_since(struct finding *f, struct jr_time t);
/** Notes that a kind's objects would say more. */
void jr_unseen(struct question *q, const char *kind, const char *leaves_open);
/** "17:42:38Z (in 3m40s)", with the date where it isn't now's. */
struct jr_str jr_moment(struct question *q, struct jr_time t);
/** "3m40s", of a time that is over. */
struct jr_str jr_ago(struct question *q, struct jr_time t);
struct jr_str jr_seconds(struct question *q, int64_t s);
/** "1 Pod", "3 Pods" */
struct jr_str jr_pods(struct question *q, size_t n);
/** The first bytes of what others say, in one line, without a full stop. */
struct jr_str jr_quote(struct question *q, struct jr_str s);

/** Whether s contains the words. */
bool jr_says(struct jr_str s, const char *words);
/** What stands in s behind the words, up to one of the stop characters; {NULL, 0}: nothing does. */
struct jr_str jr_behind(struct jr_str s, const char *words, const char *stop);

/** The condition of that type in status.conditions; NULL: there is none. */
const struct jr_node *jr_condition_of(const struct jr_node *root, const char *type);
/** The time that stands at a path; unset: none does. */
struct jr_time jr_time_at(const struct jr_node *node, const char *path);

/* Commands that several causes have. */

/** Looks at a container's logs, at a Pod, at the Job's Pods, at the Job. */
void jr_suggest_logs(struct question *q, struct finding *f, const struct jr_pod_view *pod,
                     struct jr_str container, bool previous);
void jr_suggest_describe(struct question *q, struct finding *f, const struct jr_pod_view *pod);
void jr_suggest_pods(struct question *q, struct finding *f);
void jr_suggest_job(struct question *q, struct finding *f);
/** Changes what makes the Job: its owner, or the Job itself, which is made anew. */
void jr_suggest_template(struct question *q, struct finding *f);

/* owner.c */
void jr_find_owner(struct question *q, const struct jr_meta *meta);
void jr_find_owner_of_tree(struct question *q, const struct jr_node *root);
/** Suggests how the owner is changed. */
void jr_suggest_owner(struct question *q, struct finding *f);
/** "the CronJob x" */
struct jr_str jr_owner_words(struct question *q);
/** A sentence that says where the template has to be changed. */
struct jr_str jr_where_template(struct question *q);

/* events */

/** The newest event about the object with that reason (NULL: any), that says the words (NULL:
 * any). */
const struct jr_event_view *jr_event(const struct question *q, const char *kind,
                                     struct jr_str namespace, struct jr_str name,
                                     const char *reason, const char *words);
const struct jr_event_view *jr_pod_event(const struct question *q, const struct jr_pod_view *pod,
                                         const char *reason, const char *words);
/** The newest with that reason about any Pod of the Job, also of those that are gone. */
const struct jr_event_view *jr_any_pod_event(struct question *q, const char *reason);
const struct jr_event_view *jr_job_event(const struct question *q, const char *reason,
                                         const char *words);

/* the parts */
void jr_diagnose_job(struct question *q);
void jr_diagnose_cron_job(struct question *q, const struct jr_object_view *cron_job);
/** Finds that the deletion of a Job that has ended is held up; NULL: it isn't. */
struct finding *jr_find_kept_deletion(struct question *q);
/** Whether the end is there or decided: then a finding says so. */
bool jr_find_end(struct question *q);
void jr_find_queue(struct question *q);
/** Whether one was found. */
bool jr_find_refusals(struct question *q, int64_t missing);
/** Whether one was found. */
bool jr_find_backoff(struct question *q, int64_t missing);
void jr_find_failures(struct question *q);
void jr_find_pods(struct question *q);
/** Whether a Pod is only replaced once it has ended (podReplacementPolicy Failed). */
bool jr_waits_for_ends(const struct question *q);
/** Returns a finalizer of others than Kubernetes itself; n = 0: there is none. */
struct jr_str jr_foreign_finalizer(const struct jr_meta *m);
/** Finds only those that are being deleted. */
void jr_find_ending_pods(struct question *q);
void jr_find_unscheduled(struct question *q, const struct jr_pod_view *pod);
void jr_find_unschedulable(struct question *q, const struct jr_pod_view *pod,
                           struct jr_str message);
/** Whether a volume is being made for the Pod on a node that is chosen: then a finding says so. */
bool jr_find_provisioning(struct question *q, const struct jr_pod_view *pod);
/** Whether a Pod of the Job was preempted within an hour, by events. */
bool jr_was_preempted(struct question *q);
/** What a scheduler's message comes to, in a few words: "3 nodes lack memory". */
struct jr_str jr_unscheduled_words(struct question *q, struct jr_str message);
void jr_find_claims(struct question *q, const struct jr_pod_view *pod, struct jr_str message);
void jr_find_containers(struct question *q, const struct jr_pod_view *pod);
/** Finds Pods that have ended and keep the finalizer by which the Job controller counts them. */
void jr_find_kept_finalizers(struct question *q);
void jr_find_image(struct question *q, const struct jr_pod_view *pod,
                   const struct jr_container_view *c);
/** How a Pod failed: "exit code 127: the command is not found (container main)". */
struct jr_str jr_failure_words(struct question *q, const struct jr_pod_view *pod);
/** "container main", or "init container fetch" */
struct jr_str jr_container_words(struct question *q, const struct jr_pod_view *pod,
                                 const struct jr_container_view *c);
/** The memory limit of a container that stands in the template; n = 0: none. */
struct jr_str jr_memory_limit(const struct question *q, struct jr_str container);
bool jr_is_oom(const struct jr_container_exit *exit);
/** How a container's run ended. */
struct jr_str jr_exit_words(struct question *q, const struct jr_container_exit *exit);
/** The newest Pod that failed, NULL: none is left. */
const struct jr_pod_view *jr_last_failed(const struct question *q);
/** Whether something from outside ends or ended the Pod (DisruptionTarget). */
bool jr_is_disrupted(const struct jr_pod_view *pod);
/** The cluster that the Job's Workload was given to; n = 0: it is not known. */
struct jr_str jr_workload_cluster(const struct question *q);
/** Whether the same end will come again, however often it is tried. */
bool jr_exit_stays(const struct jr_container_exit *exit);

/** The Job's template's container of that name; NULL: there is none. */
const struct jr_node *jr_container_of(const struct question *q, struct jr_str name);

#endif
