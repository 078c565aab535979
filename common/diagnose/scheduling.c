/* SPDX-License-Identifier: Apache-2.0 */
/* What a scheduler says of the nodes, where it finds none for a Pod. Its filters run in a fixed
 * order, so that the reason of the latest filter is that of the nodes which come closest. */
#include "common/diagnose/nodes.h"

/* New nodes take 3 to 15 minutes. */
#define SCALE_UP_NS (1200 * JR_SEC)
#define PREEMPTED_NS (3600 * JR_SEC)
#define REASONS_MAX 16
#define INSUFFICIENT "Insufficient "

/* In the order of the scheduler's filters. */
enum filter {
    FILTER_NONE,
    FILTER_CORDONED,
    FILTER_NODE_NAME,
    FILTER_TAINT,
    FILTER_SELECTOR,
    FILTER_PORTS,
    FILTER_FIT,
    FILTER_VOLUME_BUSY,
    FILTER_VOLUME,
    FILTER_SPREAD,
    FILTER_POD_AFFINITY,
    FILTER_ANTI_AFFINITY,
    FILTER_DEVICES,
    FILTER_DEVICE_CLASS,
    FILTER_CLAIM,
};

static const struct {
    const char *words;
    enum filter filter;
} words[] = {
    { "were unschedulable", FILTER_CORDONED },
    { "didn't match the requested node name", FILTER_NODE_NAME },
    { "had untolerated taint", FILTER_TAINT },
    { "didn't match Pod's node affinity/selector", FILTER_SELECTOR },
    { "didn't have free ports", FILTER_PORTS },
    { INSUFFICIENT, FILTER_FIT },
    { "Too many pods", FILTER_FIT },
    { "ReadWriteOncePod", FILTER_VOLUME_BUSY },
    { "exceed max volume count", FILTER_VOLUME_BUSY },
    { "volume node affinity conflict", FILTER_VOLUME },
    { "didn't match PersistentVolume's node affinity", FILTER_VOLUME },
    { "didn't find available persistent volumes", FILTER_VOLUME },
    { "did not have enough free storage", FILTER_VOLUME },
    { "no available volume zone", FILTER_VOLUME },
    { "pod topology spread constraints", FILTER_SPREAD },
    { "didn't match pod affinity rules", FILTER_POD_AFFINITY },
    { "anti-affinity rules", FILTER_ANTI_AFFINITY },
    { "cannot allocate all claims", FILTER_DEVICES },
    { "device class ", FILTER_DEVICE_CLASS },
    { "unbound immediate PersistentVolumeClaims", FILTER_CLAIM },
    { "persistentvolumeclaim \"", FILTER_CLAIM },
};

struct reason {
    enum filter filter;
    struct jr_str text;
};

/** A scheduler's message, taken apart. */
struct unscheduled {
    struct reason v[REASONS_MAX];
    size_t n;
    const struct reason *closest; /* of the latest filter; NULL: none is known */
    int64_t busy;                 /* nodes on which only other Pods are in the way */
    bool open;                    /* it doesn't say whether they are */
};

static enum filter filter_of(struct jr_str s)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(words); i++) {
        if (jr_says(s, words[i].words))
            return words[i].filter;
    }
    return FILTER_NONE;
}

/** The number that s begins with, which is cut off; 0: none. */
static int64_t cut_number(struct jr_str *s)
{
    int64_t n = 0;
    size_t i = 0;

    while (i < s->n && i < 9 && s->p[i] >= '0' && s->p[i] <= '9')
        n = n * 10 + (s->p[i++] - '0');
    if (i > 0 && i < s->n && s->p[i] == ' ')
        *s = jr_str_from(*s, i + 1);
    return n;
}

static void add_reason(struct unscheduled *u, struct jr_str text)
{
    struct reason r = { FILTER_NONE, jr_str_trim(text) };

    if (r.text.n > 0 && r.text.p[r.text.n - 1] == '.')
        r.text.n--;
    (void)cut_number(&r.text); /* of nodes */
    r.filter = filter_of(r.text);
    if (r.filter != FILTER_NONE && u->n < REASONS_MAX)
        u->v[u->n++] = r;
}

/** Whether what the filter misses is taken by other Pods. */
static bool waits_for_pods(enum filter f)
{
    return f == FILTER_PORTS || f == FILTER_FIT || f == FILTER_VOLUME_BUSY ||
           f == FILTER_ANTI_AFFINITY || f == FILTER_DEVICES;
}

static void take_apart(struct jr_str message, struct unscheduled *u)
{
    const struct jr_str preemption = jr_behind(message, "preemption: ", "");
    struct jr_str rest = jr_says(message, "nodes are available: ")
                             ? jr_behind(message, "nodes are available: ", "")
                             : message;
    struct jr_str part;

    *u = (struct unscheduled){ .n = 0 };
    if (preemption.n > 0)
        rest = jr_str_head(rest, (size_t)(preemption.p - rest.p) - strlen("preemption: "));
    while (jr_str_cut(&rest, ',', &part)) {
        /* A sentence may end in it: "(s). no new claims to deallocate" */
        const char *end = memmem(part.p, part.n, ". ", 2);

        add_reason(u, end == NULL ? part : jr_str_head(part, (size_t)(end - part.p)));
        if (end != NULL)
            add_reason(u, jr_str_from(part, (size_t)(end - part.p) + 2));
    }
    rest = jr_behind(preemption, "nodes are available: ", "");
    while (jr_str_cut(&rest, ',', &part)) {
        part = jr_str_trim(part);
        if (jr_says(part, "No preemption victims found"))
            u->busy += cut_number(&part);
    }
    u->open = !jr_says(preemption, "nodes are available: ");
    for (size_t i = 0; i < u->n; i++) {
        if (u->closest == NULL || u->v[i].filter > u->closest->filter)
            u->closest = &u->v[i];
    }
    /* Of nodes on which only other Pods are in the way one gets free, whatever others lack. */
    for (size_t i = 0; i < u->n && u->busy > 0; i++) {
        if (waits_for_pods(u->v[i].filter))
            u->closest = &u->v[i];
    }
}

/* ---- findings ---- */

bool jr_was_preempted(struct question *q)
{
    if (!q->preempted.set) {
        const struct jr_event_view *e = jr_any_pod_event(q, "Preempted");

        q->preempted = JR_BOOL(e != NULL && jr_time_diff(q->now, e->last) < PREEMPTED_NS);
    }
    return q->preempted.v;
}

static void find_busy(struct question *q, const struct jr_pod_view *pod,
                      const struct unscheduled *u)
{
    struct jr_str what = u->closest->text;
    struct jr_quantity sum;
    struct finding *f;

    if (jr_str_starts(what, JR_S(INSUFFICIENT))) {
        const struct jr_str resource = jr_str_from(what, strlen(INSUFFICIENT));
        const struct jr_str request = jr_request_of(q, resource, &sum);

        what =
            jr_text(q, "none has room for its %.*s%s%.*s%s", JR_P(resource),
                    request.n > 0 ? " (it asks for " : "", JR_P(request), request.n > 0 ? ")" : "");
    }
    f = jr_find(q, "busy", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The nodes that the Pod may use are too busy now: %.*s. It waits until one "
                        "has.%s",
                        JR_P(what),
                        jr_was_preempted(q) ? " The Pod before it was preempted by one of higher "
                                              "priority."
                                            : ""));
    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_describe(q, f, pod);
}

/** What an autoscaler says of a node that it doesn't add, NULL: nothing. */
static const struct jr_event_view *autoscaler_refusal(const struct question *q,
                                                      const struct jr_pod_view *pod)
{
    const struct jr_event_view *e = jr_pod_event(q, pod, "NotTriggerScaleUp", NULL);

    return e != NULL ? e : jr_pod_event(q, pod, "FailedScheduling", "incompatible with nodepool");
}

static void find_too_large(struct question *q, const struct jr_pod_view *pod,
                           struct jr_str resource)
{
    struct jr_quantity sum, most;
    const struct jr_str request = jr_request_of(q, resource, &sum);
    const struct jr_str has = jr_largest_node(q, resource, &most);
    const struct jr_event_view *refused = autoscaler_refusal(q, pod);
    const bool blind = jr_evidence_lacks(q->ev, "Event");
    struct finding *f = jr_find(
        q, "too-large", blind ? JR_VERDICT_UNKNOWN : JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
        jr_text(q,
                "No node is large enough for the Pod: it asks for %.*s of %.*s%s%.*s. "
                "Waiting does not help%s, as empty nodes do not have it either.%s%.*s%s %.*s",
                JR_P(request.n > 0 ? request : JR_S("more")), JR_P(resource),
                has.n > 0 ? ", and the largest node has " : "", JR_P(has),
                blind ? ", unless an autoscaler adds one" : "",
                refused != NULL ? " The autoscaler adds none: " : "",
                JR_P(refused != NULL ? jr_quote(q, refused->message) : JR_S("")),
                refused != NULL ? "." : "", JR_P(jr_where_template(q))));

    jr_since(f, pod->meta.creation_timestamp);
    if (blind)
        jr_unseen(q, "Event", "whether an autoscaler adds a node");
    if (has.n == 0)
        jr_unseen(q, "Node", "how large nodes are");
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe nodes");
    jr_suggest_template(q, f);
}

/** A resource of which the Pod asks for more than any node has; n = 0: there is none. */
static struct jr_str excessive(struct question *q, const struct unscheduled *u)
{
    for (size_t i = 0; i < u->n && u->busy == 0; i++) {
        const struct jr_str resource = jr_str_starts(u->v[i].text, JR_S(INSUFFICIENT))
                                           ? jr_str_from(u->v[i].text, strlen(INSUFFICIENT))
                                           : (struct jr_str){ NULL, 0 };

        if (resource.n > 0 && !jr_some_node_has(q, resource, u->open))
            return resource;
    }
    return (struct jr_str){ NULL, 0 };
}

static void find_fit(struct question *q, const struct jr_pod_view *pod, const struct unscheduled *u)
{
    const struct jr_str resource = excessive(q, u);

    if (resource.n == 0)
        find_busy(q, pod, u);
    else
        find_too_large(q, pod, resource);
}

/** Suggests the patch by which the waiting Pod tolerates the taint. */
static void suggest_toleration(struct question *q, struct finding *f, const struct jr_pod_view *pod,
                               const struct jr_taint *t)
{
    const struct jr_str patch = jr_text(
        q,
        "[{\"op\":\"add\",\"path\":\"/spec/tolerations/-\",\"value\":{\"key\":\"%.*s\","
        "\"operator\":\"%s\"%s%.*s%s,\"effect\":\"%.*s\"}}]",
        JR_P(t->key), t->value.n > 0 ? "Equal" : "Exists", t->value.n > 0 ? ",\"value\":\"" : "",
        JR_P(t->value), t->value.n > 0 ? "\"" : "", JR_P(t->effect));

    if (t->key.n > 0 && t->effect.n > 0)
        jr_add_command(q, f, JR_NEXT_CHANGES, "kubectl patch pod %.*s -n %.*s --type=json -p %.*s",
                       JR_W(q, pod->meta.name), JR_W(q, pod->meta.namespace), JR_W(q, patch));
}

static void find_taint(struct question *q, const struct jr_pod_view *pod, struct jr_str nodes,
                       const struct jr_taint *t)
{
    const bool sick = jr_says(t->words, "node.kubernetes.io/") ||
                      jr_says(t->words, "node.cloudprovider.kubernetes.io/");
    struct finding *f = jr_find(
        q, sick ? "nodes-not-ready" : "taint", JR_VERDICT_HAND, sick ? ACTOR_ADMIN : ACTOR_AUTHOR,
        1,
        jr_text(q,
                "The nodes that would do%s%.*s%s have the taint %.*s, which the Pod does not "
                "tolerate.%s",
                nodes.n > 0 ? " (" : "", JR_P(nodes), nodes.n > 0 ? ")" : "", JR_P(t->words),
                sick ? " It says that they are out of order."
                     : " A toleration can be added to a waiting Pod, and in the template."));

    jr_since(f, pod->meta.creation_timestamp);
    if (sick) {
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get nodes");
        return;
    }
    suggest_toleration(q, f, pod, t);
    jr_suggest_template(q, f);
}

/** The taint that a message names, but those of control planes; n = 0: none. */
static struct jr_str named_taint(struct question *q, const struct unscheduled *u)
{
    for (size_t i = 0; i < u->n; i++) {
        const struct jr_str taint = jr_behind(u->v[i].text, "{", "}");
        struct jr_str rest = taint, key = { NULL, 0 };

        if (u->v[i].filter != FILTER_TAINT || taint.n == 0 || !jr_str_cut(&rest, ':', &key) ||
            jr_says(key, "control-plane") || jr_says(key, "node-role.kubernetes.io/master"))
            continue;
        rest = jr_str_trim(rest);
        return jr_text(q, "%.*s%s%.*s", JR_P(key), rest.n > 0 ? "=" : "", JR_P(rest));
    }
    return (struct jr_str){ NULL, 0 };
}

static void find_selector(struct question *q, const struct jr_pod_view *pod,
                          const struct unscheduled *u)
{
    const struct jr_picked_nodes p = jr_picked_nodes(q);
    const bool blind = jr_evidence_lacks(q->ev, "Node") || p.names.n == 0;
    const struct jr_str taint = named_taint(q, u);
    struct jr_str key, labels = jr_selector_words(q, &key);
    struct finding *f;

    if (p.n > 0 && p.taint != NULL && labels.n > 0) {
        const struct jr_taint known = jr_taint_of(q, p.taint);

        find_taint(q, pod, p.names, &known);
        return;
    }
    if (labels.n == 0)
        labels = JR_S("its node affinity");
    if (blind && taint.n > 0 && p.n == 0)
        f = jr_find(
            q, "selector", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
            jr_text(q,
                    "Some nodes have the taint %.*s, which the Pod does not tolerate, and the "
                    "others do not match what it asks for (%.*s). Waiting does not help. "
                    "%.*s",
                    JR_P(taint), JR_P(labels), JR_P(jr_where_template(q))));
    else
        f = jr_find(
            q, "selector", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
            jr_text(q,
                    "No node matches the label selector or affinity by which the Pod asks "
                    "for one (%.*s). Waiting does not help: the Job has to ask for another, "
                    "or a node has to get the label.",
                    JR_P(labels)));
    jr_since(f, pod->meta.creation_timestamp);
    if (jr_evidence_lacks(q->ev, "Node"))
        jr_unseen(q, "Node", "which labels and taints they have");
    if (key.n > 0)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get nodes -L %.*s", JR_W(q, key));
    else
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get nodes --show-labels");
    jr_suggest_template(q, f);
}

static void find_only_taints(struct question *q, const struct jr_pod_view *pod,
                             const struct unscheduled *u)
{
    const struct jr_picked_nodes p = jr_picked_nodes(q);
    struct jr_taint t = { .words = named_taint(q, u) };

    if (p.taint != NULL) {
        t = jr_taint_of(q, p.taint);
        find_taint(q, pod, p.names, &t);
        return;
    }
    if (jr_evidence_lacks(q->ev, "Node"))
        jr_unseen(q, "Node", "which taints they have");
    if (t.words.n == 0)
        t.words = JR_S("that the scheduler does not name");
    find_taint(q, pod, (struct jr_str){ NULL, 0 }, &t);
}

/** The ones whose text is what the scheduler says. */
static void find_plain(struct question *q, const struct jr_pod_view *pod, const char *id,
                       enum jr_verdict verdict, enum actor who, struct jr_str text)
{
    struct finding *f = jr_find(q, id, verdict, who, 1, text);

    jr_since(f, pod->meta.creation_timestamp);
    if (verdict == JR_VERDICT_HAND && who == ACTOR_AUTHOR)
        jr_suggest_template(q, f);
    if (who == ACTOR_ADMIN)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get nodes");
    jr_suggest_describe(q, f, pod);
}

static void find_device_class(struct question *q, const struct jr_pod_view *pod,
                              const struct unscheduled *u)
{
    struct finding *f =
        jr_find(q, "device-class-missing", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                jr_text(q,
                        "The Pod's resource claim asks for a device of the class %.*s, and there "
                        "is no such device class: its driver is not installed, or the claim names "
                        "the wrong one.",
                        JR_P(jr_behind(u->closest->text, "device class ", " "))));

    jr_since(f, pod->meta.creation_timestamp);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get deviceclasses");
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get resourceclaims -n %.*s -o yaml",
                   JR_W(q, pod->meta.namespace));
}

/** Whether the scheduler makes room for the Pod on a node: then a finding says so. */
static bool find_preempting(struct question *q, const struct jr_pod_view *pod)
{
    struct finding *f;

    if (pod->nominated.n == 0)
        return false;
    f = jr_find(q, "preempting", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The scheduler has nominated the node %.*s for the Pod, and preempts Pods "
                        "of lower priority there: it starts when these have ended.",
                        JR_P(pod->nominated)));
    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_describe(q, f, pod);
    return true;
}

/** Whether an autoscaler works for the Pod: then a finding says so. */
static bool find_scale_up(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_event_view *e = jr_pod_event(q, pod, "TriggeredScaleUp", NULL);
    const struct jr_event_view *refused = jr_pod_event(q, pod, "NotTriggerScaleUp", NULL);
    struct finding *f;

    e = e != NULL ? e : jr_pod_event(q, pod, "Nominated", NULL);
    if (e == NULL || jr_time_diff(q->now, e->last) > SCALE_UP_NS ||
        (refused != NULL && jr_time_cmp(refused->last, e->last) > 0))
        return false;
    f = jr_find(q, "autoscaler", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The autoscaler adds a new node for the Pod, for %.*s until now: %.*s. New "
                        "nodes take 3 to 15 minutes.",
                        JR_P(jr_ago(q, e->last)), JR_P(jr_quote(q, e->message))));
    jr_since(f, e->first);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get nodes");
    jr_suggest_describe(q, f, pod);
    return true;
}

static bool has_filter(const struct unscheduled *u, enum filter filter)
{
    for (size_t i = 0; i < u->n; i++) {
        if (u->v[i].filter == filter)
            return true;
    }
    return false;
}

/** The topology keys of the template's spread constraints. */
static struct jr_str spread_keys(struct question *q)
{
    struct jr_str keys = JR_S("");

    for (const struct jr_node *c =
             jr_first(jr_path(q->root, "spec.template.spec.topologySpreadConstraints"));
         c != NULL; c = jr_next(c))
        keys = jr_text(q, "%.*s%s%.*s", JR_P(keys), keys.n > 0 ? ", " : "",
                       JR_P(jr_get_str(c, "topologyKey")));
    return keys;
}

static void find_spread(struct question *q, const struct jr_pod_view *pod,
                        const struct unscheduled *u)
{
    const bool unlabelled = jr_says(u->closest->text, "missing required label");

    find_plain(q, pod, "spread", JR_VERDICT_HAND, unlabelled ? ACTOR_ADMIN : ACTOR_AUTHOR,
               jr_text(q, "Its topology spread constraints (%.*s) leave no node%s.",
                       JR_P(spread_keys(q)),
                       unlabelled ? ": nodes do not have the label that they spread over" : ""));
}

/** Whether the Pod before had the same message: then it counts with that. What follows from it
 * hangs on the template, and may take long to find out where there are many nodes. */
static bool is_known(struct question *q, const struct jr_pod_view *pod, struct jr_str message)
{
    struct finding *f;

    if (q->unscheduled.finding == 0 || q->unscheduled.finding > q->n_findings ||
        !jr_str_eq(message, q->unscheduled.message) ||
        jr_pod_event(q, pod, "NotTriggerScaleUp", NULL) != NULL)
        return false;
    f = &q->findings[q->unscheduled.finding - 1];
    f->held.pods++;
    jr_since(f, pod->meta.creation_timestamp);
    return true;
}

void jr_find_unschedulable(struct question *q, const struct jr_pod_view *pod, struct jr_str message)
{
    struct unscheduled u;

    take_apart(message, &u);
    if (find_preempting(q, pod) || find_scale_up(q, pod) || is_known(q, pod, message))
        return;
    q->unscheduled.message = message;
    q->unscheduled.finding = q->n_findings < FINDINGS_MAX ? q->n_findings + 1 : 0;
    if (u.closest == NULL) {
        find_plain(q, pod, "unschedulable", JR_VERDICT_UNKNOWN, ACTOR_ADMIN,
                   jr_text(q, "The scheduler finds no node: %.*s", JR_P(jr_quote(q, message))));
        return;
    }
    switch (u.closest->filter) {
    case FILTER_CLAIM:
    case FILTER_VOLUME:
        jr_find_claims(q, pod,
                       has_filter(&u, FILTER_CORDONED)
                           ? jr_text(q, "%.*s; others are cordoned", JR_P(u.closest->text))
                           : u.closest->text);
        break;
    case FILTER_DEVICE_CLASS:
        find_device_class(q, pod, &u);
        break;
    case FILTER_FIT:
        find_fit(q, pod, &u);
        break;
    case FILTER_SELECTOR:
        find_selector(q, pod, &u);
        break;
    case FILTER_TAINT:
        find_only_taints(q, pod, &u);
        break;
    case FILTER_CORDONED:
        find_plain(q, pod, "nodes-cordoned", JR_VERDICT_HAND, ACTOR_ADMIN,
                   JR_S("All nodes are cordoned (kubectl cordon, or a drain): no Pod gets onto "
                        "them until one is uncordoned."));
        break;
    case FILTER_NODE_NAME:
        find_plain(q, pod, "node-name", JR_VERDICT_HAND, ACTOR_AUTHOR,
                   JR_S("No node has the name that the Pod asks for."));
        break;
    case FILTER_POD_AFFINITY:
        find_plain(q, pod, "pod-affinity", JR_VERDICT_HAND, ACTOR_AUTHOR,
                   JR_S("No node runs the Pods that its pod affinity asks for."));
        break;
    case FILTER_SPREAD:
        find_spread(q, pod, &u);
        break;
    case FILTER_NONE:
    case FILTER_PORTS:
    case FILTER_VOLUME_BUSY:
    case FILTER_ANTI_AFFINITY:
    case FILTER_DEVICES:
        find_busy(q, pod, &u);
        break;
    }
}

struct jr_str jr_unscheduled_words(struct question *q, struct jr_str message)
{
    struct unscheduled u;
    struct jr_quantity sum;

    take_apart(message, &u);
    if (u.closest == NULL)
        return jr_quote(q, message);
    if (jr_str_starts(u.closest->text, JR_S(INSUFFICIENT))) {
        const struct jr_str resource = jr_behind(u.closest->text, INSUFFICIENT, "");

        return jr_text(q, "no node had %.*s of %.*s for it", JR_P(jr_request_of(q, resource, &sum)),
                       JR_P(resource));
    }
    return jr_text(q, "the scheduler said of nodes: %.*s", JR_P(u.closest->text));
}
