/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis: whether a Job or CronJob goes on by itself, what holds it up, whose move it is, and
 * what to do. Pure; the texts are plain, and hold what objects say unescaped. */
#ifndef JR_DIAGNOSE_DIAGNOSIS_H
#define JR_DIAGNOSE_DIAGNOSIS_H

#include "common/diagnose/evidence.h"

#define JR_VERDICT_MAP(X) \
    X(MOVES, "moves")     \
    X(UNKNOWN, "unknown") \
    X(HAND, "hand")       \
    X(NEVER, "never")     \
    X(OVER, "over")

/** MOVES: it goes on by itself. HAND: somebody must act. NEVER: nothing can make it succeed any
 * more. OVER: it has ended. UNKNOWN: what is unseen leaves that open. */
enum jr_verdict {
#define X(id, name) JR_VERDICT_##id,
    JR_VERDICT_MAP(X)
#undef X
};
/** "moves" */
const char *jr_verdict_name(enum jr_verdict v);

/** The effect of a command: it LOOKS at something, CHANGES it, or DESTROYS what can't be had back.
 */
enum jr_next_grade { JR_NEXT_LOOKS, JR_NEXT_CHANGES, JR_NEXT_DESTROYS };
/** "looks" */
const char *jr_next_grade_name(enum jr_next_grade g);

/** A command that helps, fit for a shell; words in capitals are to be filled in. */
struct jr_suggestion {
    struct jr_str command;
    enum jr_next_grade grade;
    struct jr_str loses; /* what is lost by it; n = 0: nothing */
};

#define JR_CAUSE_EVIDENCE_MAX 4

/** A cause that holds Pods up, or the Job's end. */
struct jr_held {
    const char *id; /* image-missing; docs/cli.md, "Reasons", lists them */
    struct jr_str text;
    size_t pods;          /* how many it is about; 0: it is about the Job */
    struct jr_time since; /* unset: it isn't known */
    struct jr_str evidence[JR_CAUSE_EVIDENCE_MAX]; /* "Pod x: status.conditions[PodScheduled]" */
    size_t n_evidence;
};

#define JR_NEXT_MAX 4
#define JR_CAUSES_MAX 16
#define JR_UNSEEN_MAX 8

/** All of it lies in one arena. */
struct jr_diagnosis {
    struct jr_arena arena;
    struct jr_str kind; /* Job, CronJob */
    struct jr_str namespace;
    struct jr_str name;
    struct jr_time now;
    enum jr_verdict verdict;
    struct jr_str who;   /* nobody, author, owner-of:KIND/NAME, admin, queue */
    struct jr_time when; /* it goes on, starts, ends or is deleted; unset: no time is known */
    const char *when_is; /* "the next Pod is made"; NULL where when is unset */
    struct jr_held causes[JR_CAUSES_MAX]; /* the one that decides first */
    size_t n_causes;
    struct jr_unseen unseen[JR_UNSEEN_MAX];
    size_t n_unseen;
    struct jr_suggestion next[JR_NEXT_MAX]; /* the best one first */
    size_t n_next;
};

/** Diagnoses a Job, a CronJob, or the Job of a Pod ("Job", "CronJob", "Pod"), of sealed evidence;
 * the diagnosis is the caller's. NULL: it isn't among the evidence. */
struct jr_diagnosis *jr_diagnose(const struct jr_evidence *ev, const char *kind,
                                 struct jr_str namespace, struct jr_str name, struct jr_time now);
/** Returns what holds a Job up, or how it ended, as far as the Job itself says so: in the words of
 * jr_diagnose, out of the arena; n = 0: its Pods or events would have to say it. */
struct jr_str jr_diagnose_alone(const struct jr_job *job, struct jr_time now,
                                struct jr_arena *arena);
/** NULL-safe. */
void jr_diagnosis_free(struct jr_diagnosis *d);
JR_DEFINE_CLEANUP(struct jr_diagnosis *, jr_diagnosis_free)

#endif
