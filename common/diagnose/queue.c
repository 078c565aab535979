/* SPDX-License-Identifier: Apache-2.0 */
/* Suspended Jobs: by Kueue, whose Workload says why, by another owner, or by a person. */
#include "common/diagnose/internal.h"

#define QUEUE_LABEL "kueue.x-k8s.io/queue-name"

/** The Workload that stands for the Job, NULL: none is there. */
static const struct jr_object_view *workload_of(const struct question *q)
{
    const struct jr_object_view *w;
    size_t at = 0;

    while ((w = jr_evidence_each(q->ev, "Workload", q->job->meta.namespace, &at)) != NULL) {
        const struct jr_node *refs = jr_path(w->root, "metadata.ownerReferences");

        for (const struct jr_node *r = jr_first(refs); r != NULL; r = jr_next(r)) {
            if (jr_str_eq(jr_get_str(r, "uid"), q->job->meta.uid))
                return w;
        }
    }
    return NULL;
}

struct jr_str jr_workload_cluster(const struct question *q)
{
    const struct jr_object_view *w = workload_of(q);

    return w != NULL ? jr_node_str(jr_path(w->root, "status.clusterName"))
                     : (struct jr_str){ NULL, 0 };
}

static bool is_true(const struct jr_node *condition)
{
    return jr_str_is(jr_get_str(condition, "status"), "True");
}

/** A Workload, and what Kueue says of it. */
struct waiting {
    const struct jr_object_view *workload;
    struct jr_str queue;
    struct jr_str message;
};

static struct finding *find_held(struct question *q, const struct waiting *w, const char *id,
                                 enum jr_verdict verdict, enum actor who, struct jr_str text)
{
    struct finding *f =
        jr_find(q, id, verdict, who, 0,
                jr_text(q, "Kueue holds the Job (Workload %.*s in the queue %.*s): %.*s",
                        JR_P(w->workload->name), JR_P(w->queue), JR_P(text)));

    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe workload %.*s -n %.*s",
                   JR_W(q, w->workload->name), JR_W(q, w->workload->namespace));
    jr_evidence_of(f, jr_text(q, "Workload %.*s: status.conditions", JR_P(w->workload->name)));
    return f;
}

static struct jr_str never_words(struct question *q, const struct waiting *w)
{
    const struct jr_str asked = jr_behind(w->message, "current podset request (", ")");
    const struct jr_str most = jr_behind(w->message, "maximum capacity (", ")");

    return jr_text(
        q,
        "it cannot be admitted, however long it waits: it asks for %.*s of %.*s, and the "
        "queue has %.*s in all (flavor %.*s). A suspended Job's resources can be "
        "changed, or it is made anew with less parallelism, or an admin raises the "
        "queue's quota.",
        JR_P(asked), JR_P(jr_behind(w->message, "insufficient quota for ", " ")), JR_P(most),
        JR_P(jr_behind(w->message, "in flavor ", " ,;")));
}

static void find_pending(struct question *q, const struct waiting *w)
{
    const struct jr_str m = w->message;

    if (jr_says(m, "> maximum capacity")) {
        (void)find_held(q, w, "queue-never", JR_VERDICT_HAND, ACTOR_AUTHOR, never_words(q, w));
    } else if (jr_says(m, "insufficient unused quota for ")) {
        (void)find_held(q, w, "queue-waits", JR_VERDICT_MOVES, ACTOR_QUEUE,
                        jr_text(q,
                                "it waits until %.*s more of %.*s are unused (flavor %.*s), and "
                                "is admitted by itself then.",
                                JR_P(jr_behind(m, ", ", " ;")),
                                JR_P(jr_behind(m, "insufficient unused quota for ", " ")),
                                JR_P(jr_behind(m, "in flavor ", " ,;"))));
    } else if (jr_says(m, "doesn't exist")) {
        (void)find_held(q, w, "queue-missing", JR_VERDICT_HAND,
                        jr_says(m, "ClusterQueue") ? ACTOR_ADMIN : ACTOR_AUTHOR, jr_quote(q, m));
    } else if (jr_says(m, "is inactive") || jr_says(m, "is stopped")) {
        (void)find_held(q, w, "queue-stopped", JR_VERDICT_HAND, ACTOR_ADMIN, jr_quote(q, m));
    } else if (jr_says(m, "didn't match") || jr_says(m, "not found") ||
               jr_says(m, "is not available in ClusterQueue")) {
        (void)find_held(q, w, "queue-never", JR_VERDICT_HAND, ACTOR_AUTHOR, jr_quote(q, m));
    } else {
        (void)find_held(q, w, "queue-waits", JR_VERDICT_MOVES, ACTOR_QUEUE,
                        m.n > 0 ? jr_quote(q, m) : JR_S("it waits for its turn."));
    }
}

/** A Job that Kueue had started, and stopped again. */
static void find_evicted(struct question *q, const struct waiting *w, const struct jr_node *evicted)
{
    const struct jr_time requeue = jr_time_at(w->workload->root, "status.requeueState.requeueAt");
    struct finding *f =
        find_held(q, w, "queue-evicted", JR_VERDICT_MOVES, ACTOR_QUEUE,
                  jr_text(q,
                          "it had been started, and was stopped again (%.*s: %.*s). It is put back "
                          "into the queue%s%.*s, and is started when it is its turn.",
                          JR_P(jr_get_str(evicted, "reason")),
                          JR_P(jr_quote(q, jr_get_str(evicted, "message"))),
                          jr_time_set(requeue) ? " at " : "",
                          JR_P(jr_time_set(requeue) ? jr_moment(q, requeue) : JR_S(""))));
    if (f != NULL && jr_time_cmp(requeue, q->now) > 0) {
        f->when = requeue;
        f->when_is = "it is back in the queue";
    }
}

static void find_workload(struct question *q, struct waiting *w)
{
    const struct jr_node *reserved = jr_condition_of(w->workload->root, "QuotaReserved");
    const struct jr_node *evicted = jr_condition_of(w->workload->root, "Evicted");
    const struct jr_node *admitted = jr_condition_of(w->workload->root, "Admitted");

    if (!jr_node_bool_or(jr_path(w->workload->root, "spec.active"), true)) {
        (void)find_held(q, w, "queue-deactivated", JR_VERDICT_HAND, ACTOR_AUTHOR,
                        jr_text(q, "the Workload is deactivated (spec.active is false)%s%.*s",
                                evicted != NULL ? ": " : ".",
                                JR_P(jr_quote(q, jr_get_str(evicted, "message")))));
        return;
    }
    if (is_true(admitted)) {
        (void)find_held(q, w, "queue-admitted", JR_VERDICT_MOVES, ACTOR_QUEUE,
                        JR_S("it is admitted, and about to be started."));
        return;
    }
    if (is_true(reserved)) {
        w->message = jr_get_str(admitted, "message");
        (void)find_held(
            q, w, "queue-checks", JR_VERDICT_MOVES, ACTOR_QUEUE,
            jr_text(q, "its quota is reserved, and admission checks are not done yet. %.*s",
                    JR_P(jr_quote(q, w->message))));
        return;
    }
    w->message = jr_get_str(reserved, "message");
    if (is_true(evicted))
        find_evicted(q, w, evicted);
    else
        find_pending(q, w);
}

/** Whether what makes the Job also resumes it. */
static bool resumes(const struct owner *o)
{
    return o->kind.n > 0 && !jr_str_is(o->kind, "CronJob") && !jr_str_is(o->kind, "Helm") &&
           !jr_str_is(o->kind, "HelmRelease");
}

static void find_person(struct question *q)
{
    const struct jr_job_condition *c =
        jr_job_condition_get(&q->job->status.conditions, "Suspended");
    struct finding *f = jr_find(
        q, "suspended", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
        resumes(&q->owner)
            ? jr_text(q,
                      "The Job is suspended, and comes from %.*s, which has to be resumed: what is "
                      "changed in the Job alone is set back.",
                      JR_P(jr_owner_words(q)))
            : JR_S("The Job is suspended, and no queue stands behind it. It goes on when "
                   "spec.suspend is set to false."));

    jr_since(f, c != NULL ? c->last_transition_time : q->job->meta.creation_timestamp);
    jr_evidence_of(f, JR_S("Job: spec.suspend"));
    if (resumes(&q->owner))
        jr_suggest_owner(q, f);
    else
        jr_add_command(
            q, f, JR_NEXT_CHANGES,
            "kubectl patch job %.*s -n %.*s --type=merge -p '{\"spec\":{\"suspend\":false}}'",
            JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
}

void jr_find_queue(struct question *q)
{
    const struct jr_str queue = jr_labels_get(&q->job->meta.labels, JR_S(QUEUE_LABEL));
    struct waiting w = { .workload = workload_of(q) };
    struct finding *f;

    if (w.workload == NULL && queue.n == 0) {
        find_person(q);
        return;
    }
    if (w.workload != NULL) {
        w.queue = jr_node_str(jr_path(w.workload->root, "spec.queueName"));
        w.queue = w.queue.n > 0 ? w.queue : queue;
        find_workload(q, &w);
        return;
    }
    f = jr_find(q, "queue-unseen", JR_VERDICT_UNKNOWN, ACTOR_QUEUE, 0,
                jr_text(q,
                        "Kueue holds the Job for the queue %.*s; its Workload, which says why, "
                        "is not to be seen.",
                        JR_P(queue)));
    jr_unseen(q, "Workload", "what Kueue waits for");
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get workloads -n %.*s",
                   JR_W(q, q->job->meta.namespace));
}
