/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that a diagnosis goes by: Jobs, CronJobs, Pods and events as structs, all else as
 * trees. Pure. Ends the process without memory. */
#ifndef JR_DIAGNOSE_EVIDENCE_H
#define JR_DIAGNOSE_EVIDENCE_H

#include "common/api/job.h"
#include "common/diagnose/pod_view.h"
#include "common/json/doc.h"

/* More values than an object of an API server's has. */
#define JR_OBJECT_VALUES_MAX 200000

/** An event, of v1 or of events.k8s.io/v1. */
struct jr_event_view {
    struct jr_str kind; /* of the object that it is about */
    struct jr_str namespace;
    struct jr_str name;
    struct jr_str reason;
    struct jr_str message;
    struct jr_str reporter; /* the component */
    struct jr_time first;
    struct jr_time last; /* the latest time that it has */
};

/** An object of another kind, or a Job or CronJob as a tree. */
struct jr_object_view {
    struct jr_str kind;
    struct jr_str namespace; /* n = 0: of the whole cluster */
    struct jr_str name;
    struct jr_str uid;
    const struct jr_node *root;
};

/** What couldn't be read. */
struct jr_unseen {
    struct jr_str kind; /* Node */
    struct jr_str why;
};

struct jr_evidence;
struct jr_evidence *jr_evidence_new(void);
/** NULL-safe. */
void jr_evidence_free(struct jr_evidence *ev);
JR_DEFINE_CLEANUP(struct jr_evidence *, jr_evidence_free)

/** Takes in one object; text may go away afterwards. kind: of a list's items, which don't say it;
 * NULL: the object says it. The values of Secrets aren't kept. Errors: those of the decoders, with
 * the field path. */
enum jr_status jr_evidence_add(struct jr_evidence *ev, const char *kind, struct jr_str text,
                               struct jr_error *err) JR_MUST_USE;
/** Notes that the objects of a kind ("Node") couldn't be read, and takes that back. */
void jr_evidence_note_unseen(struct jr_evidence *ev, const char *kind, struct jr_str why);
void jr_evidence_forget_unseen(struct jr_evidence *ev, const char *kind);
/** Takes in a Job or Pod that is at hand: a reference of it. */
void jr_evidence_put_job(struct jr_evidence *ev, const struct jr_job *job);
void jr_evidence_put_pod(struct jr_evidence *ev, const struct jr_pod_view *pod);
/** Drops all Jobs, or all Pods: they come again, with others. */
void jr_evidence_forget_jobs(struct jr_evidence *ev);
void jr_evidence_forget_pods(struct jr_evidence *ev);
/** Whether a kind was noted as unseen. */
bool jr_evidence_is_unseen(const struct jr_evidence *ev, const char *kind);
/** Whether a kind was noted as unseen, or, in what came from a file, has no object. */
bool jr_evidence_lacks(const struct jr_evidence *ev, const char *kind);
/** Says that the evidence is all there is: no kind is asked for elsewhere. A kind without an object
 * counts as unseen from then on, unless it is noted as seen. */
void jr_evidence_is_file(struct jr_evidence *ev);
void jr_evidence_note_seen(struct jr_evidence *ev, struct jr_str kind);

/** Ends the adding: it puts all in order, and must come before anything is asked for. */
void jr_evidence_seal(struct jr_evidence *ev);

/* What is asked for is borrowed; NULL: there is none. Iterations begin with *at = 0. A namespace of
 * n = 0 is that of an object that has none. */

const struct jr_job *jr_evidence_job(const struct jr_evidence *ev, struct jr_str namespace,
                                     struct jr_str name);
const struct jr_pod_view *jr_evidence_pod(const struct jr_evidence *ev, struct jr_str namespace,
                                          struct jr_str name);
/** The object of that kind ("Node"). */
const struct jr_object_view *jr_evidence_object(const struct jr_evidence *ev, const char *kind,
                                                struct jr_str namespace, struct jr_str name);
/** All of a kind in a namespace. */
const struct jr_object_view *jr_evidence_each(const struct jr_evidence *ev, const char *kind,
                                              struct jr_str namespace, size_t *at);
const struct jr_job *jr_evidence_each_job(const struct jr_evidence *ev, size_t *at);
/** The Pods that the object with this uid controls, by name. */
const struct jr_pod_view *jr_evidence_each_pod(const struct jr_evidence *ev, struct jr_str uid,
                                               size_t *at);
/** The events about an object, the newest first. prefix: of all whose name begins so, an object
 * after the other. */
const struct jr_event_view *jr_evidence_each_event(const struct jr_evidence *ev, const char *kind,
                                                   struct jr_str namespace, struct jr_str name,
                                                   bool prefix, size_t *at);
/** The latest time in Pods, events and conditions. */
struct jr_time jr_evidence_newest(const struct jr_evidence *ev);

#endif
