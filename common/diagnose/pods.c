/* SPDX-License-Identifier: Apache-2.0 */
/* The Job's Pods, one after the other: being deleted, without a node, on a node; and those that
 * have ended and aren't counted. */
#include "common/diagnose/internal.h"

/* So long Pods may be past the end of their grace, or keep the finalizer, before that is a fault.
 */
#define LATE_NS (60 * JR_SEC)
/* How long a Pod stays on a node that doesn't answer, if it says nothing else. */
#define TOLERATION_S 300
#define UNREACHABLE "node.kubernetes.io/unreachable"

/** Whether the Pod has become ready after that. */
static bool is_ready_since(const struct jr_pod_view *pod, struct jr_time t)
{
    const struct jr_pod_view_condition *c = jr_pod_view_condition(pod, "Ready");

    return c != NULL && jr_str_is(c->status, "True") && jr_time_cmp(c->since, t) > 0;
}

/** Since when the node doesn't answer; unset: it does, as far as is seen. */
static struct jr_time lost_since(const struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_object_view *node =
        jr_evidence_object(q->ev, "Node", (struct jr_str){ NULL, 0 }, pod->node);
    const struct jr_node *ready = node != NULL ? jr_condition_of(node->root, "Ready") : NULL;
    const struct jr_event_view *e;

    if (ready != NULL && jr_str_is(jr_get_str(ready, "status"), "True"))
        return (struct jr_time){ 0 };
    if (ready != NULL) {
        const struct jr_time t = jr_time_at(ready, "lastTransitionTime");

        return jr_time_set(t) ? t : q->now;
    }
    e = jr_pod_event(q, pod, "NodeNotReady", NULL);
    if (e != NULL && !is_ready_since(pod, e->last))
        return e->last;
    e = jr_pod_event(q, pod, "TaintManagerEviction", "Marking for deletion");
    return e != NULL ? e->last : (struct jr_time){ 0 };
}

bool jr_waits_for_ends(const struct question *q)
{
    return jr_str_is(q->job->spec.pod_replacement_policy, "Failed") ||
           q->job->spec.pod_failure_policy.set;
}

static struct jr_str replacement_words(struct question *q)
{
    return jr_waits_for_ends(q)
               ? JR_S(" With podReplacementPolicy Failed no other Pod is made until "
                      "it has ended.")
               : JR_S("");
}

static void find_on_lost_node(struct question *q, const struct jr_pod_view *pod,
                              struct jr_time since)
{
    const struct jr_str index = jr_labels_get(&pod->meta.annotations, JR_S(JR_COMPLETION_INDEX));
    struct finding *f =
        jr_find(q, "node-lost", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                jr_text(q,
                        "The node %.*s does not answer, and Pod %.*s%s%.*s, which is there, cannot "
                        "end: it stays Terminating.%.*s An admin has to repair the node, or, once "
                        "it is surely off, taint it as out of service.",
                        JR_P(pod->node), JR_P(pod->meta.name), index.n > 0 ? ", of index " : "",
                        JR_P(index), JR_P(replacement_words(q))));

    jr_since(f, since);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe node %.*s", JR_W(q, pod->node));
    jr_add_command(
        q, f, JR_NEXT_DESTROYS,
        "kubectl taint nodes %.*s node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
        JR_W(q, pod->node));
    if (f != NULL && f->n_next > 1)
        f->next[1].loses = JR_S("what Pods on this node would still do");
}

struct jr_str jr_foreign_finalizer(const struct jr_meta *m)
{
    static const char *const own[] = { JR_JOB_TRACKING_FINALIZER, "foregroundDeletion", "orphan" };

    for (size_t i = 0; i < m->finalizers.n; i++) {
        size_t k = 0;

        while (k < JR_ARRAY_SIZE(own) && !jr_str_is(m->finalizers.v[i], own[k]))
            k++;
        if (k == JR_ARRAY_SIZE(own))
            return m->finalizers.v[i];
    }
    return (struct jr_str){ NULL, 0 };
}

static void find_deleted(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_time lost = pod->node.n > 0 ? lost_since(q, pod) : (struct jr_time){ 0 };
    const struct jr_time end = pod->meta.deletion_timestamp;
    const struct jr_str kept = jr_foreign_finalizer(&pod->meta);
    struct finding *f;

    if (jr_time_diff(q->now, end) < LATE_NS) {
        f = jr_find(q, "pods-ending", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                    jr_text(q, "Pods are being ended.%.*s", JR_P(replacement_words(q))));
        if (f != NULL && jr_time_cmp(end, q->now) > 0 &&
            (!jr_time_set(f->when) || jr_time_cmp(end, f->when) > 0)) {
            f->when = end;
            f->when_is = "the grace of the last one is over";
        }
        jr_suggest_pods(q, f);
        return;
    }
    if (jr_time_set(lost)) {
        find_on_lost_node(q, pod, lost);
        return;
    }
    if (kept.n > 0)
        f = jr_find(q, "pod-finalizer", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                    jr_text(q,
                            "A Pod is being deleted, and the finalizer %.*s keeps it: its own "
                            "controller has to take that away.%.*s",
                            JR_P(kept), JR_P(replacement_words(q))));
    else
        f = jr_find(q, "pod-terminating", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                    jr_text(q,
                            "A Pod on the node %.*s stays Terminating, longer than its grace: the "
                            "kubelet there does not end it.%.*s",
                            JR_P(pod->node), JR_P(replacement_words(q))));
    jr_since(f, end);
    if (jr_evidence_lacks(q->ev, "Node"))
        jr_unseen(q, "Node", "whether its node is lost");
    if (pod->node.n > 0)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe node %.*s", JR_W(q, pod->node));
    jr_suggest_describe(q, f, pod);
}

/** Returns when the Job's Pods are evicted from a node that hasn't answered since then; unset:
 * never, or it is over. */
static struct jr_time eviction_of(const struct question *q, const struct jr_pod_view *pod,
                                  struct jr_time since)
{
    const struct jr_object_view *node =
        jr_evidence_object(q->ev, "Node", (struct jr_str){ NULL, 0 }, pod->node);
    const struct jr_node *taints = jr_path(node != NULL ? node->root : NULL, "spec.taints");
    const struct jr_node *tolerations = jr_path(q->root, "spec.template.spec.tolerations");
    int64_t seconds = TOLERATION_S;

    for (const struct jr_node *t = jr_first(tolerations); t != NULL; t = jr_next(t)) {
        if (!jr_str_is(jr_get_str(t, "key"), UNREACHABLE))
            continue;
        seconds = jr_node_i64_or(jr_get(t, "tolerationSeconds"), -1);
    }
    for (const struct jr_node *t = jr_first(taints); t != NULL; t = jr_next(t)) {
        if (jr_str_is(jr_get_str(t, "effect"), "NoExecute") &&
            jr_time_set(jr_time_at(t, "timeAdded")))
            since = jr_time_at(t, "timeAdded");
    }
    if (seconds < 0 || jr_time_cmp(jr_time_later_s(since, seconds), q->now) <= 0)
        return (struct jr_time){ 0 };
    return jr_time_later_s(since, seconds);
}

/** A Pod on a node that doesn't answer, before it is evicted from there. */
static bool find_silent_node(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_time since = lost_since(q, pod);
    struct finding *f;

    if (!jr_time_set(since))
        return false;
    f = jr_find(q, "node-silent", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The node %.*s is not ready: it does not answer since %.*s. Pods on it "
                        "are evicted after 5 minutes, if they say nothing else, and replaced.",
                        JR_P(pod->node), JR_P(jr_moment(q, since))));
    jr_since(f, since);
    if (f != NULL) {
        f->when = eviction_of(q, pod, since);
        f->when_is = jr_time_set(f->when) ? "the Pods are evicted" : NULL;
    }
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe node %.*s", JR_W(q, pod->node));
    return true;
}

/* ---- Pods that ended and aren't counted ---- */

/** Whether the rules of a webhook configuration cover updates of Pods. */
static bool covers_pod_updates(const struct jr_node *webhook)
{
    for (const struct jr_node *r = jr_first(jr_get(webhook, "rules")); r != NULL; r = jr_next(r)) {
        bool pods = false, updates = false;

        for (const struct jr_node *v = jr_first(jr_get(r, "resources")); v != NULL; v = jr_next(v))
            pods |= jr_str_is(jr_node_str(v), "pods") || jr_str_is(jr_node_str(v), "*") ||
                    jr_str_is(jr_node_str(v), "*/*") || jr_str_is(jr_node_str(v), "pods/*");
        for (const struct jr_node *v = jr_first(jr_get(r, "operations")); v != NULL; v = jr_next(v))
            updates |= jr_str_is(jr_node_str(v), "UPDATE") || jr_str_is(jr_node_str(v), "*");
        if (pods && updates)
            return true;
    }
    return false;
}

/** A webhook that may refuse updates of Pods; *ret_kind is the kind of its configuration. */
static const struct jr_object_view *updating_webhook(const struct question *q,
                                                     const char **ret_kind, struct jr_str *ret_name)
{
    static const char *const kinds[] = { "ValidatingWebhookConfiguration",
                                         "MutatingWebhookConfiguration" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++) {
        const struct jr_object_view *o;
        size_t at = 0;

        while ((o = jr_evidence_each(q->ev, kinds[i], (struct jr_str){ NULL, 0 }, &at)) != NULL) {
            for (const struct jr_node *w = jr_first(jr_get(o->root, "webhooks")); w != NULL;
                 w = jr_next(w)) {
                if (!covers_pod_updates(w))
                    continue;
                *ret_kind =
                    i == 0 ? "validatingwebhookconfiguration" : "mutatingwebhookconfiguration";
                *ret_name = jr_get_str(w, "name");
                return o;
            }
        }
    }
    return NULL;
}

static void find_kept(struct question *q, size_t n, struct jr_time since)
{
    const char *kind = NULL;
    struct jr_str webhook = { NULL, 0 };
    const struct jr_object_view *o = updating_webhook(q, &kind, &webhook);
    struct finding *f = jr_find(
        q, "finalizer-kept", JR_VERDICT_HAND, ACTOR_ADMIN, n,
        jr_text(q,
                "Pods have ended, and the Job controller does not get its finalizer "
                "batch.kubernetes.io/job-tracking off them, without which it counts none of "
                "them.%s%.*s%s",
                o != NULL ? " The webhook "
                          : " Admission of their updates is the usual cause: a "
                            "webhook or a policy that refuses them.",
                JR_P(webhook),
                o != NULL ? " is asked about each update of a Pod, and is the likely cause." : ""));

    jr_since(f, since);
    if (o != NULL)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get %s %.*s -o yaml", kind, JR_W(q, o->name));
    else
        jr_add_command(q, f, JR_NEXT_LOOKS,
                       "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations");
    if (jr_evidence_lacks(q->ev, "ValidatingWebhookConfiguration"))
        jr_unseen(q, "ValidatingWebhookConfiguration", "which webhook refuses the updates");
    else if (o == NULL && jr_evidence_lacks(q->ev, "MutatingWebhookConfiguration"))
        jr_unseen(q, "MutatingWebhookConfiguration", "which webhook refuses the updates");
}

void jr_find_kept_finalizers(struct question *q)
{
    struct jr_time since = { 0 };
    size_t n = 0;

    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_pod_view *p = q->pods[i];
        const struct jr_time end = jr_pod_view_finished(p);

        if (!jr_pod_view_ended(p) ||
            !jr_strs_has(&p->meta.finalizers, JR_S(JR_JOB_TRACKING_FINALIZER)) ||
            jr_time_diff(q->now, end) < LATE_NS)
            continue;
        since = !jr_time_set(since) || jr_time_cmp(end, since) < 0 ? end : since;
        n++;
    }
    if (n > 0)
        find_kept(q, n, since);
}

/* ---- all Pods ---- */

static void find_pod(struct question *q, const struct jr_pod_view *pod)
{
    if (jr_pod_view_ended(pod))
        return;
    if (jr_time_set(pod->meta.deletion_timestamp))
        find_deleted(q, pod);
    else if (pod->node.n == 0)
        jr_find_unscheduled(q, pod);
    else if (!find_silent_node(q, pod))
        jr_find_containers(q, pod);
}

void jr_find_ending_pods(struct question *q)
{
    for (size_t i = 0; i < q->n_pods; i++) {
        if (!jr_pod_view_ended(q->pods[i]) && jr_time_set(q->pods[i]->meta.deletion_timestamp))
            find_deleted(q, q->pods[i]);
    }
}

void jr_find_pods(struct question *q)
{
    for (size_t i = 0; i < q->n_pods; i++)
        find_pod(q, q->pods[i]);
}
