/* SPDX-License-Identifier: Apache-2.0 */
/* Volume claims that keep a Pod from a node. */
#include "common/diagnose/internal.h"

/* A provisioner that works has made a volume by then. */
#define PROVISION_NS (300 * JR_SEC)

/** The claim of a volume of the template; {NULL, 0}: it is none. */
static struct jr_str claim_of(struct question *q, const struct jr_node *volume,
                              const struct jr_pod_view *pod)
{
    const struct jr_str name = jr_get_str(jr_get(volume, "persistentVolumeClaim"), "claimName");

    if (name.n > 0 || jr_get(volume, "ephemeral") == NULL)
        return name;
    return jr_text(q, "%.*s-%.*s", JR_P(pod->meta.name), JR_P(jr_get_str(volume, "name")));
}

/** The claim's object; NULL: it isn't seen. */
static const struct jr_object_view *claim_object(const struct question *q,
                                                 const struct jr_pod_view *pod, struct jr_str claim)
{
    return claim.n > 0
               ? jr_evidence_object(q->ev, "PersistentVolumeClaim", pod->meta.namespace, claim)
               : NULL;
}

static struct jr_str class_of(const struct jr_object_view *claim)
{
    return claim != NULL ? jr_node_str(jr_path(claim->root, "spec.storageClassName"))
                         : (struct jr_str){ NULL, 0 };
}

static bool is_bound(const struct jr_object_view *claim)
{
    return claim != NULL && jr_str_is(jr_node_str(jr_path(claim->root, "status.phase")), "Bound");
}

/** Why a claim has no volume; *verdict follows from it. */
static struct jr_str unbound_words(struct question *q, const struct jr_pod_view *pod,
                                   struct jr_str claim, enum jr_verdict *verdict)
{
    const struct jr_str ns = pod->meta.namespace, class = class_of(claim_object(q, pod, claim));
    const struct jr_event_view *failed =
        jr_event(q, "PersistentVolumeClaim", ns, claim, "ProvisioningFailed", NULL);
    const struct jr_event_view *waits =
        jr_event(q, "PersistentVolumeClaim", ns, claim, "ExternalProvisioning", NULL);

    *verdict = JR_VERDICT_HAND;
    if (failed != NULL && jr_says(failed->message, "storageclass") &&
        jr_says(failed->message, "not found"))
        return jr_text(q,
                       "its storage class %.*s does not exist. The class has to be made, or the "
                       "claim be made anew with one that exists",
                       JR_P(class.n > 0 ? class : jr_behind(failed->message, "\"", "\"")));
    if (failed != NULL)
        return jr_text(q, "no volume can be made for it: %.*s", JR_P(jr_quote(q, failed->message)));
    if (jr_event(q, "PersistentVolumeClaim", ns, claim, "FailedBinding", NULL) != NULL)
        return JR_S("no volume fits it, and it has no storage class that would make one");
    if (waits != NULL) {
        if (jr_time_diff(q->now, waits->first) < PROVISION_NS)
            *verdict = JR_VERDICT_MOVES;
        return jr_text(q, "it waits for its provisioner: %.*s", JR_P(jr_quote(q, waits->message)));
    }
    if (class.n > 0)
        return jr_text(q, "it waits for a volume of the storage class %.*s", JR_P(class));
    return JR_S("it has no volume");
}

static void find_unbound(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_node *volumes = jr_path(q->root, "spec.template.spec.volumes");
    enum jr_verdict verdict;
    struct finding *f;

    for (const struct jr_node *v = jr_first(volumes); v != NULL; v = jr_next(v)) {
        const struct jr_str claim = claim_of(q, v, pod);
        struct jr_str why;

        if (claim.n == 0 || is_bound(claim_object(q, pod, claim)))
            continue;
        why = unbound_words(q, pod, claim, &verdict);
        f = jr_find(q, "claim-unbound", verdict,
                    verdict == JR_VERDICT_MOVES ? ACTOR_NOBODY : ACTOR_ADMIN, 1,
                    jr_text(q, "The claim %.*s is not bound: %.*s.", JR_P(claim), JR_P(why)));
        jr_since(f, pod->meta.creation_timestamp);
        if (jr_evidence_lacks(q->ev, "PersistentVolumeClaim"))
            jr_unseen(q, "PersistentVolumeClaim", "why the claim is not bound");
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe pvc %.*s -n %.*s", JR_W(q, claim),
                       JR_W(q, pod->meta.namespace));
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get storageclass");
        return;
    }
    f = jr_find(q, "claim-unbound", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                JR_S("A claim of the Pod is not bound to a volume."));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pvc -n %.*s", JR_W(q, pod->meta.namespace));
}

/** The claims of the template with their volumes: "data (volume pv-1)". */
static struct jr_str claims_words(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_node *volumes = jr_path(q->root, "spec.template.spec.volumes");
    struct jr_str words = JR_S("");

    for (const struct jr_node *v = jr_first(volumes); v != NULL; v = jr_next(v)) {
        const struct jr_str claim = claim_of(q, v, pod);
        const struct jr_object_view *o = claim_object(q, pod, claim);
        const struct jr_str volume =
            o != NULL ? jr_node_str(jr_path(o->root, "spec.volumeName")) : JR_S("");

        if (claim.n > 0)
            words =
                jr_text(q, "%.*s%s%.*s%s%.*s%s", JR_P(words), words.n > 0 ? ", " : "", JR_P(claim),
                        volume.n > 0 ? " (volume " : "", JR_P(volume), volume.n > 0 ? ")" : "");
    }
    return words;
}

bool jr_find_provisioning(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_node *volumes = jr_path(q->root, "spec.template.spec.volumes");

    for (const struct jr_node *v = jr_first(volumes); v != NULL; v = jr_next(v)) {
        const struct jr_str claim = claim_of(q, v, pod);
        const struct jr_object_view *o = claim_object(q, pod, claim);
        const struct jr_node *notes = o != NULL ? jr_path(o->root, "metadata.annotations") : NULL;
        const struct jr_str node =
            jr_node_str(jr_getn(notes, JR_S("volume.kubernetes.io/selected-node")));
        struct finding *f;

        if (node.n == 0 || is_bound(o) ||
            jr_time_diff(q->now, pod->meta.creation_timestamp) > PROVISION_NS)
            continue;
        f = jr_find(q, "claim-provisioning", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                    jr_text(q,
                            "The scheduler has chosen the node %.*s, and the volume of the claim "
                            "%.*s is being provisioned: the Pod goes there once that is done.",
                            JR_P(node), JR_P(claim)));
        jr_since(f, pod->meta.creation_timestamp);
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe pvc %.*s -n %.*s", JR_W(q, claim),
                       JR_W(q, pod->meta.namespace));
        return true;
    }
    return false;
}

void jr_find_claims(struct question *q, const struct jr_pod_view *pod, struct jr_str message)
{
    const struct jr_str claim = jr_behind(message, "persistentvolumeclaim \"", "\"");
    struct finding *f;

    if (claim.n > 0 && jr_says(message, "not found"))
        f = jr_find(q, "claim-missing", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q,
                            "The Pod's claim %.*s is not there. Once it is made the Pod goes on by "
                            "itself.",
                            JR_P(claim)));
    else if (claim.n > 0)
        f = jr_find(q, "claim-deleted", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q, "The Pod's claim %.*s is being deleted.", JR_P(claim)));
    else if (jr_says(message, "unbound immediate")) {
        find_unbound(q, pod);
        return;
    } else {
        f = jr_find(q, "volume", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                    jr_text(q,
                            "The Pod can only run where its volumes are, and no node that it may "
                            "use is there: %.*s; its claims: %.*s.",
                            JR_P(jr_quote(q, message)), JR_P(claims_words(q, pod))));
        if (jr_evidence_lacks(q->ev, "PersistentVolumeClaim"))
            jr_unseen(q, "PersistentVolumeClaim", "which volumes its claims have");
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pvc,pv -n %.*s",
                       JR_W(q, pod->meta.namespace));
    }
    jr_since(f, pod->meta.creation_timestamp);
    if (claim.n > 0)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pvc -n %.*s",
                       JR_W(q, pod->meta.namespace));
    jr_suggest_describe(q, f, pod);
}
