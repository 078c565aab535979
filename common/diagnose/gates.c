/* SPDX-License-Identifier: Apache-2.0 */
/* Pods without a node that no scheduler has looked at: gates, gangs, schedulers that aren't there.
 */
#include "common/diagnose/internal.h"

/* A scheduler that lives has looked at a Pod by then. */
#define LOOKED_NS (60 * JR_SEC)

static bool stands_in_template(const struct question *q, struct jr_str gate)
{
    for (const struct jr_node *g = jr_first(jr_path(q->root, "spec.template.spec.schedulingGates"));
         g != NULL; g = jr_next(g)) {
        if (jr_str_eq(jr_get_str(g, "name"), gate))
            return true;
    }
    return false;
}

static void find_gate(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_str gate = pod->gates.v[0];
    const bool kueue = jr_str_starts(gate, JR_S("kueue.x-k8s.io/"));
    const bool in_template = stands_in_template(q, gate);
    const size_t others = in_template ? q->ungated : 0;
    struct finding *f =
        jr_find(q, "scheduling-gate", kueue ? JR_VERDICT_MOVES : JR_VERDICT_HAND,
                kueue        ? ACTOR_QUEUE
                : others > 0 ? ACTOR_ADMIN
                             : ACTOR_AUTHOR,
                1,
                jr_text(q,
                        "The Pod has the scheduling gate %.*s: no scheduler looks at it until "
                        "%s takes that away.%s%.*s",
                        JR_P(gate), kueue ? "Kueue" : "whoever put it there",
                        in_template ? " It stands in the Job's template" : "",
                        JR_P(others > 0    ? jr_text(q, ", and was taken off %.*s of it.",
                                                     JR_P(jr_pods(q, others)))
                             : in_template ? JR_S(".")
                                           : JR_S(""))));

    jr_since(f, pod->meta.creation_timestamp);
    jr_evidence_of(f, jr_text(q, "Pod %.*s: spec.schedulingGates", JR_P(pod->meta.name)));
    jr_suggest_describe(q, f, pod);
}

static int64_t least_of_group(const struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_object_view *g =
        jr_evidence_object(q->ev, "PodGroup", pod->meta.namespace, pod->group);

    return g == NULL ? 0
                     : jr_node_i64_or(jr_path(g->root, "spec.schedulingPolicy.gang.minCount"), 0);
}

static void find_gang(struct question *q, const struct jr_pod_view *pod)
{
    const int64_t least = least_of_group(q, pod);
    struct finding *f = jr_find(
        q, "gang", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
        least > 0 ? jr_text(q,
                            "The Pods wait for their gang: the group %.*s is only scheduled "
                            "with %lld Pods, and there are %zu.",
                            JR_P(pod->group), (long long)least, q->active)
                  : jr_text(q,
                            "The Pods wait for the others of their group %.*s, which is "
                            "only scheduled as a whole.",
                            JR_P(pod->group)));

    if (least <= 0 && jr_evidence_lacks(q->ev, "PodGroup"))
        jr_unseen(q, "PodGroup", "how many Pods the group needs");
    jr_since(f, pod->meta.creation_timestamp);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get podgroup %.*s -n %.*s -o yaml",
                   JR_W(q, pod->group), JR_W(q, pod->meta.namespace));
}

/** What a scheduler that lives says last of the Pod, or shows by the Job's other Pods; n = 0:
 * nothing. */
static struct jr_str word_of_scheduler(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_event_view *e;
    size_t at = 0;

    while ((e = jr_evidence_each_event(q->ev, "Pod", pod->meta.namespace, pod->meta.name, false,
                                       &at)) != NULL) {
        if (jr_str_eq(e->reporter, pod->scheduler) || jr_str_is(e->reason, "Scheduling"))
            return jr_quote(q, e->message);
    }
    for (size_t i = 0; i < q->n_pods && !q->placed.set; i++) {
        if (q->pods[i]->node.n > 0 && jr_str_eq(q->pods[i]->scheduler, pod->scheduler))
            q->placed = JR_BOOL(true);
    }
    if (!q->placed.set)
        q->placed = JR_BOOL(false);
    if (q->placed.v)
        return JR_S("it has placed other Pods of the Job");
    return (struct jr_str){ NULL, 0 };
}

/** Whether a device claim can't be made, without which no scheduler looks at the Pod: then a
 * finding says so. */
static bool find_claim_creation(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_event_view *e = jr_pod_event(q, pod, "FailedResourceClaimCreation", NULL);
    struct finding *f;

    if (e == NULL)
        return false;
    f = jr_find(q, "device-claim", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                jr_text(q,
                        "A device claim of the Pod cannot be made, and without it the Pod is not "
                        "scheduled: %.*s. %.*s",
                        JR_P(jr_quote(q, e->message)), JR_P(jr_where_template(q))));
    jr_since(f, e->first);
    jr_evidence_of(f,
                   jr_text(q, "event %.*s of the Pod %.*s", JR_P(e->reason), JR_P(pod->meta.name)));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get resourceclaimtemplates,resourceclaims -n %.*s",
                   JR_W(q, pod->meta.namespace));
    jr_suggest_template(q, f);
    return true;
}

static void find_queued(struct question *q, const struct jr_pod_view *pod, struct jr_str word)
{
    struct finding *f =
        jr_find(q, "scheduler-queue", JR_VERDICT_MOVES, ACTOR_QUEUE, 1,
                jr_text(q, "The Pod waits in the queue of the scheduler %.*s: %.*s.",
                        JR_P(pod->scheduler), JR_P(word)));

    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_describe(q, f, pod);
}

static void find_no_scheduler(struct question *q, const struct jr_pod_view *pod)
{
    const bool other = pod->scheduler.n > 0 && !jr_str_is(pod->scheduler, "default-scheduler");
    struct finding *f = jr_find(
        q, "no-scheduler", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
        jr_text(q,
                "No scheduler has looked at the Pod since it was made: it asks for the scheduler "
                "%.*s, %s.",
                JR_P(pod->scheduler.n > 0 ? pod->scheduler : JR_S("default-scheduler")),
                other ? "which is not there, or does not work" : "which does not work"));

    jr_since(f, pod->meta.creation_timestamp);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pods,deployments -A");
    if (other)
        jr_suggest_template(q, f);
}

void jr_find_unscheduled(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_pod_view_condition *c = jr_pod_view_condition(pod, "PodScheduled");
    const struct jr_event_view *e;
    struct jr_str word;

    if (pod->gates.n > 0) {
        find_gate(q, pod);
        return;
    }
    if (c != NULL && jr_str_is(c->status, "False") && c->message.n > 0) {
        jr_find_unschedulable(q, pod, c->message);
        return;
    }
    if (jr_find_provisioning(q, pod))
        return;
    e = jr_pod_event(q, pod, "FailedScheduling", NULL);
    if (e != NULL) {
        jr_find_unschedulable(q, pod, e->message);
        return;
    }
    if (find_claim_creation(q, pod))
        return;
    if (jr_time_diff(q->now, pod->meta.creation_timestamp) < LOOKED_NS) {
        q->starting++;
        return;
    }
    if (pod->group.n > 0) {
        find_gang(q, pod);
        return;
    }
    word = word_of_scheduler(q, pod);
    if (word.n > 0)
        find_queued(q, pod, word);
    else
        find_no_scheduler(q, pod);
}
