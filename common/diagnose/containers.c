/* SPDX-License-Identifier: Apache-2.0 */
/* Containers of a Pod that has a node: what they wait for, and why they are started again and
 * again. */
#include "common/diagnose/internal.h"

/* Longer than this without a word of the kubelet is no start any more. */
#define SILENT_NS (600 * JR_SEC)
/* Trouble that is older is over, if the container runs. */
#define RECENT_NS (900 * JR_SEC)
#define YOUNG_NS (300 * JR_SEC)

/* ---- configuration ---- */

/** An object that a container's configuration, or a volume, lacks. */
struct lacking {
    const char *kind; /* "ConfigMap"; NULL: nothing that is known */
    const char *command;
    struct jr_str name;
};

static struct lacking lacking_of(struct jr_str message)
{
    if (jr_says(message, "configmap \""))
        return (struct lacking){ "ConfigMap", "kubectl create configmap",
                                 jr_behind(message, "configmap \"", "\"") };
    if (jr_says(message, "secret \""))
        return (struct lacking){ "Secret", "kubectl create secret generic",
                                 jr_behind(message, "secret \"", "\"") };
    return (struct lacking){ .kind = NULL };
}

static void find_config(struct question *q, const struct jr_pod_view *pod,
                        const struct jr_container_view *c)
{
    const struct jr_str message = c->state.waiting.message;
    const struct lacking l = lacking_of(message);
    struct finding *f;

    if (jr_says(message, "services have not yet been read") || jr_says(message, "timed out")) {
        f = jr_find(q, "starting", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                    jr_text(q, "The kubelet is not ready to make the container: %.*s.",
                            JR_P(jr_quote(q, message))));
        jr_suggest_describe(q, f, pod);
        return;
    }
    if (jr_says(message, "couldn't find key ")) {
        const struct jr_str holder = jr_behind(message, " in ", " ");
        const struct jr_str name = jr_behind(message, "/", " \n");

        f = jr_find(q, "config-key-missing", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q,
                            "The %.*s needs the key %.*s of the %.*s %.*s, which does not have it. "
                            "Once it is there the kubelet goes on by itself.",
                            JR_P(jr_container_words(q, pod, c)),
                            JR_P(jr_behind(message, "couldn't find key ", " ")), JR_P(holder),
                            JR_P(name)));
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe %s %.*s -n %.*s",
                       jr_str_is(holder, "Secret") ? "secret" : "configmap", JR_W(q, name),
                       JR_W(q, pod->meta.namespace));
        jr_suggest_owner(q, f);
    } else if (l.kind != NULL && jr_says(message, "not found")) {
        f = jr_find(q, "config-missing", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q,
                            "The %.*s needs the %s %.*s, which is not there. Once that is made the "
                            "kubelet goes on by itself.",
                            JR_P(jr_container_words(q, pod, c)), l.kind, JR_P(l.name)));
        jr_add_command(q, f, JR_NEXT_CHANGES, "%s %.*s -n %.*s --from-env-file FILE", l.command,
                       JR_W(q, l.name), JR_W(q, pod->meta.namespace));
        jr_suggest_owner(q, f);
    } else {
        f = jr_find(q, "config-wrong", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q, "The %.*s cannot be made as it is configured: %.*s. %.*s",
                            JR_P(jr_container_words(q, pod, c)), JR_P(jr_quote(q, message)),
                            JR_P(jr_where_template(q))));
        jr_suggest_template(q, f);
        jr_suggest_describe(q, f, pod);
    }
    jr_since(f, pod->meta.creation_timestamp);
    jr_evidence_of(f, jr_text(q, "Pod %.*s: container %.*s waits: %.*s", JR_P(pod->meta.name),
                              JR_P(c->name), JR_P(c->state.waiting.reason)));
}

/* ---- restarts ---- */

/** The seconds of a Go duration of whole seconds, "1m20s"; 0: it is none. */
static int64_t seconds_of(struct jr_str s)
{
    int64_t sum = 0, n = 0;

    for (size_t i = 0; i < s.n && i < 16; i++) {
        const char ch = s.p[i];

        if (ch >= '0' && ch <= '9') {
            n = n * 10 + (ch - '0');
            continue;
        }
        if (ch != 'h' && ch != 'm' && ch != 's')
            return 0;
        sum += n * (ch == 'h' ? 3600 : ch == 'm' ? 60 : 1);
        n = 0;
    }
    return sum;
}

/** How many restarts end the Job; "" where none do. */
static struct jr_str restarts_words(struct question *q)
{
    const int64_t limit = jr_i32_or(q->job->spec.backoff_limit, 6);

    if (!jr_str_is(q->job->spec.template.restart_policy, "OnFailure") ||
        q->job->spec.backoff_limit_per_index.set)
        return JR_S("");
    return jr_text(q, " At %lld restarts of all its Pods the Job fails (backoffLimit).",
                   (long long)limit);
}

/** Whether its kubelet killed the container for its liveness or startup probe. */
static const struct jr_event_view *probe_of(const struct question *q, const struct jr_pod_view *pod,
                                            const struct jr_container_view *c)
{
    static const char *const words[] = { "failed liveness probe", "failed startup probe" };
    const struct jr_event_view *e;

    if (c->restarts == 0 && !c->state.terminated.set)
        return NULL;
    for (size_t i = 0; i < JR_ARRAY_SIZE(words); i++) {
        e = jr_pod_event(q, pod, "Killing", words[i]);
        if (e != NULL && jr_str_eq(jr_behind(e->message, "Container ", " "), c->name) &&
            (c->state.waiting.set || jr_time_diff(q->now, e->last) < RECENT_NS))
            return e;
    }
    return NULL;
}

static bool find_probe(struct question *q, const struct jr_pod_view *pod,
                       const struct jr_container_view *c)
{
    const struct jr_event_view *e = probe_of(q, pod, c), *why;
    const bool startup = e != NULL && jr_says(e->message, "startup");
    struct finding *f;

    if (e == NULL)
        return false;
    why = jr_pod_event(q, pod, "Unhealthy",
                       startup ? "Startup probe failed" : "Liveness probe failed");
    f = jr_find(
        q, "liveness", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
        jr_text(q,
                "The %s probe of %.*s fails%s%.*s, and the kubelet kills the container for "
                "it, again and again: it does not get to its end. A Job seldom needs such a "
                "probe. %.*s",
                startup ? "startup" : "liveness", JR_P(jr_container_words(q, pod, c)),
                why != NULL ? ": " : "",
                JR_P(why != NULL ? jr_quote(q, jr_behind(why->message, "probe failed: ", "\n"))
                                 : JR_S("")),
                JR_P(jr_where_template(q))));
    jr_since(f, e->first);
    jr_evidence_of(f, jr_text(q, "event Killing of the Pod %.*s", JR_P(pod->meta.name)));
    if (q->owner.kind.n > 0)
        jr_suggest_owner(q, f);
    jr_suggest_describe(q, f, pod);
    return true;
}

static void find_crash(struct question *q, const struct jr_pod_view *pod,
                       const struct jr_container_view *c)
{
    const struct jr_container_exit *e = jr_container_last_exit(c);
    const int64_t delay = seconds_of(jr_behind(c->state.waiting.message, "back-off ", " "));
    const bool stays = e != NULL && jr_exit_stays(e);
    const struct jr_str limit =
        e != NULL && jr_is_oom(e) ? jr_memory_limit(q, c->name) : (struct jr_str){ NULL, 0 };
    struct finding *f;

    if (find_probe(q, pod, c))
        return;
    f = jr_find(
        q, stays ? "cannot-start" : "crash-loop", stays ? JR_VERDICT_HAND : JR_VERDICT_MOVES,
        stays ? ACTOR_AUTHOR : ACTOR_NOBODY, 1,
        jr_text(q,
                "The %.*s ends each time: %.*s%s%.*s. It was restarted %d times, and waits "
                "for its next start (back-off).%.*s%s%.*s",
                JR_P(jr_container_words(q, pod, c)),
                JR_P(e != NULL ? jr_exit_words(q, e) : JR_S("its end is not told any more")),
                limit.n > 0 ? "; its memory limit is " : "", JR_P(limit), (int)c->restarts,
                JR_P(restarts_words(q)), stays ? " " : "",
                JR_P(stays ? jr_where_template(q) : JR_S(""))));
    if (f != NULL && e != NULL && delay > 0 && jr_time_set(e->finished)) {
        f->when = jr_time_later_s(e->finished, delay);
        f->when_is = "the container is started again";
    }
    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_logs(q, f, pod, c->name, true);
    if (stays)
        jr_suggest_template(q, f);
}

/** A container that was restarted, and runs, or is about to. */
static bool find_restarted(struct question *q, const struct jr_pod_view *pod,
                           const struct jr_container_view *c)
{
    const struct jr_container_exit *e = jr_container_last_exit(c);
    struct finding *f;

    if (find_probe(q, pod, c))
        return true;
    if (c->restarts < 2 || e == NULL || !jr_exit_stays(e) ||
        (c->state.running.set && jr_time_diff(q->now, e->finished) > RECENT_NS))
        return false;
    f = jr_find(
        q, jr_is_oom(e) ? "oom" : "cannot-start", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
        jr_text(q, "The %.*s was restarted %d times; the last run ended with %.*s.%.*s %.*s",
                JR_P(jr_container_words(q, pod, c)), (int)c->restarts, JR_P(jr_exit_words(q, e)),
                JR_P(restarts_words(q)), JR_P(jr_where_template(q))));
    jr_suggest_logs(q, f, pod, c->name, true);
    jr_suggest_template(q, f);
    return true;
}

/* ---- volumes, sandboxes, pulls: what events say while containers are made ---- */

static void find_mount(struct question *q, const struct jr_pod_view *pod,
                       const struct jr_event_view *e)
{
    const struct lacking l = lacking_of(e->message);
    const struct jr_str volume = jr_behind(e->message, "volume \"", "\"");
    struct finding *f;

    if (l.kind != NULL && jr_says(e->message, "not found")) {
        f = jr_find(
            q, "mount-missing", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
            jr_text(q,
                    "The volume %.*s cannot be mounted: the %s %.*s is not there. Once that "
                    "is made the kubelet goes on by itself.",
                    JR_P(volume), l.kind, JR_P(l.name)));
        jr_add_command(q, f, JR_NEXT_CHANGES, "%s %.*s -n %.*s --from-file FILE", l.command,
                       JR_W(q, l.name), JR_W(q, pod->meta.namespace));
        jr_suggest_owner(q, f);
    } else if (jr_says(e->message, "references non-existent")) {
        f = jr_find(q, "config-key-missing", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                    jr_text(q,
                            "The volume %.*s cannot be mounted: its ConfigMap or Secret has no key "
                            "%.*s. Once it is there the kubelet goes on by itself.",
                            JR_P(volume), JR_P(jr_behind(e->message, " key: ", " "))));
        jr_suggest_describe(q, f, pod);
        jr_suggest_owner(q, f);
    } else if (jr_says(e->message, "Multi-Attach error") ||
               jr_says(e->message, "already exclusively attached")) {
        f = jr_find(q, "mount-in-use", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                    jr_text(q, "The volume %.*s is attached to another node: %.*s", JR_P(volume),
                            JR_P(jr_quote(q, e->message))));
        jr_suggest_describe(q, f, pod);
    } else {
        /* The driver of a node that is new comes up with the node. */
        const bool young = jr_says(e->message, "registered CSI drivers") &&
                           jr_time_diff(q->now, e->first) < YOUNG_NS;

        f = jr_find(q, "mount-fails", young ? JR_VERDICT_MOVES : JR_VERDICT_HAND,
                    young ? ACTOR_NOBODY : ACTOR_ADMIN, 1,
                    jr_text(q, "A volume cannot be mounted on the node %.*s%s: %.*s.",
                            JR_P(pod->node), young ? " yet, and it is tried again" : "",
                            JR_P(jr_quote(q, e->message))));
        jr_suggest_describe(q, f, pod);
    }
    jr_since(f, e->first);
    jr_evidence_of(f, jr_text(q, "event %.*s of the Pod %.*s, last at %.*s", JR_P(e->reason),
                              JR_P(pod->meta.name), JR_P(jr_moment(q, e->last))));
}

static void find_sandbox(struct question *q, const struct jr_pod_view *pod,
                         const struct jr_event_view *e)
{
    const struct jr_str plugin = jr_behind(e->message, "plugin type=\"", "\"");
    const ptrdiff_t colon = jr_str_rfind(e->message, ':');
    const struct jr_str why =
        jr_str_trim(jr_str_from(e->message, colon > 0 ? (size_t)colon + 1 : 0));
    struct finding *f =
        jr_find(q, "sandbox", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                jr_text(q,
                        "The node %.*s cannot set up the Pod's sandbox%s%.*s: %s%.*s. It is tried "
                        "again all the time.",
                        JR_P(pod->node), plugin.n > 0 ? " (network plugin " : "",
                        JR_P(plugin.n > 0 ? jr_text(q, "%.*s)", JR_P(plugin)) : JR_S("")),
                        jr_says(why, "IP address") || jr_says(why, "no IP") ? "no free IP: " : "",
                        JR_P(jr_quote(q, why))));

    jr_since(f, e->first);
    jr_evidence_of(f,
                   jr_text(q, "event %.*s of the Pod %.*s", JR_P(e->reason), JR_P(pod->meta.name)));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pods -A --field-selector spec.nodeName=%.*s",
                   JR_W(q, pod->node));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe node %.*s", JR_W(q, pod->node));
}

static void find_network(struct question *q, const struct jr_pod_view *pod,
                         const struct jr_event_view *e)
{
    struct finding *f = jr_find(q, "network", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                                jr_text(q, "The node %.*s is not ready for Pods: %.*s",
                                        JR_P(pod->node), JR_P(jr_quote(q, e->message))));

    jr_since(f, e->first);
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe node %.*s", JR_W(q, pod->node));
}

static void find_pulling(struct question *q, const struct jr_pod_view *pod,
                         const struct jr_event_view *e)
{
    struct finding *f =
        jr_find(q, "image-pulling", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The image %.*s is being pulled (on the node %.*s). Large images take 10 "
                        "minutes and more: that is no trouble.",
                        JR_P(jr_behind(e->message, "image \"", "\"")), JR_P(pod->node)));

    jr_since(f, e->last);
    jr_suggest_describe(q, f, pod);
}

/** Returns the event of the attaching that a volume waits for, where the kubelet only says that it
 * waits in vain; else e. */
static const struct jr_event_view *
attaching(const struct question *q, const struct jr_pod_view *pod, const struct jr_event_view *e)
{
    const struct jr_event_view *attach =
        jr_str_is(e->reason, "FailedMount") && (jr_says(e->message, "context deadline exceeded") ||
                                                jr_says(e->message, "timed out waiting"))
            ? jr_pod_event(q, pod, "FailedAttachVolume", NULL)
            : NULL;

    return attach != NULL ? attach : e;
}

/** The last event of the kubelet about a Pod whose containers it makes. */
static const struct jr_event_view *last_word(const struct question *q,
                                             const struct jr_pod_view *pod)
{
    static const char *const reasons[] = { "FailedMount",
                                           "FailedAttachVolume",
                                           "FailedCreatePodSandBox",
                                           "FailedCreatePodContainer",
                                           "NetworkNotReady",
                                           "FailedPrepareDynamicResources",
                                           "Pulling",
                                           "Pulled",
                                           "Created",
                                           "FailedMapVolume" };
    const struct jr_event_view *e;
    size_t at = 0;

    while ((e = jr_evidence_each_event(q->ev, "Pod", pod->meta.namespace, pod->meta.name, false,
                                       &at)) != NULL) {
        for (size_t i = 0; i < JR_ARRAY_SIZE(reasons); i++) {
            if (jr_str_is(e->reason, reasons[i]))
                return e;
        }
    }
    return NULL;
}

static void find_creating(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_event_view *e = last_word(q, pod);
    struct finding *f;

    if (e != NULL &&
        (jr_str_is(e->reason, "FailedMount") || jr_str_is(e->reason, "FailedAttachVolume") ||
         jr_str_is(e->reason, "FailedMapVolume"))) {
        find_mount(q, pod, attaching(q, pod, e));
    } else if (e != NULL && jr_str_is(e->reason, "FailedCreatePodSandBox")) {
        find_sandbox(q, pod, e);
    } else if (e != NULL && jr_str_is(e->reason, "NetworkNotReady")) {
        find_network(q, pod, e);
    } else if (e != NULL && jr_str_is(e->reason, "FailedPrepareDynamicResources")) {
        f = jr_find(q, "devices", JR_VERDICT_HAND, ACTOR_ADMIN, 1,
                    jr_text(q, "The devices of the Pod cannot be prepared on the node %.*s: %.*s",
                            JR_P(pod->node), JR_P(jr_quote(q, e->message))));
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get resourceclaims -n %.*s",
                       JR_W(q, pod->meta.namespace));
    } else if (e != NULL && jr_str_is(e->reason, "Pulling")) {
        find_pulling(q, pod, e);
    } else if (jr_time_diff(q->now, pod->meta.creation_timestamp) < SILENT_NS || e != NULL) {
        q->starting++;
    } else {
        f = jr_find(q, "creating", JR_VERDICT_UNKNOWN, ACTOR_ADMIN, 1,
                    jr_text(q,
                            "The containers are being made since %.*s on the node %.*s, and no "
                            "event says what with: an image that is pulled, a volume that is not "
                            "mounted, a network that is not there.",
                            JR_P(jr_moment(q, pod->meta.creation_timestamp)), JR_P(pod->node)));
        jr_unseen(q, "Event", "what the kubelet does");
        jr_suggest_describe(q, f, pod);
    }
}

/* ---- sidecars of the old kind ---- */

static bool is_known_sidecar(struct jr_str name)
{
    static const char *const names[] = { "istio-proxy",     "linkerd-proxy",    "envoy",
                                         "daprd",           "vault-agent",      "cloudsql-proxy",
                                         "cloud-sql-proxy", "fluent-bit",       "fluentd",
                                         "queue-proxy",     "consul-dataplane", "datadog-agent",
                                         "filebeat" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_str_is(name, names[i]))
            return true;
    }
    return false;
}

/** Whether the container is one that only serves others: injected, or of a well-known name. */
static bool serves_others(const struct question *q, struct jr_str name)
{
    return jr_container_of(q, name) == NULL || is_known_sidecar(name);
}

static bool find_sidecar(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_container_view *done = NULL, *left = NULL;
    struct finding *f;

    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_view *c = &pod->containers.v[i];

        if (c->state.terminated.set && c->state.terminated.code == 0)
            done = serves_others(q, c->name) ? done : c;
        else if (serves_others(q, c->name) && c->state.running.set)
            left = c;
        else
            return false;
    }
    if (done == NULL || left == NULL)
        return false;
    f = jr_find(q, "sidecar", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                jr_text(q,
                        "The container %.*s ended with success, and %.*s, a sidecar that is an "
                        "ordinary container, runs on: the Pod never ends, and the Job is never "
                        "complete. The sidecar has to be a native one (an init container with "
                        "restartPolicy Always), be told to end, or not be injected.",
                        JR_P(done->name), JR_P(left->name)));
    jr_since(f, done->state.terminated.finished);
    jr_add_command(q, f, JR_NEXT_CHANGES, "kubectl exec %.*s -c %.*s -n %.*s -- kill 1",
                   JR_W(q, pod->meta.name), JR_W(q, left->name), JR_W(q, pod->meta.namespace));
    jr_suggest_template(q, f);
    return true;
}

/* ---- a Pod's containers ---- */

static bool is_image_reason(struct jr_str reason)
{
    static const char *const reasons[] = { "ErrImagePull",        "ImagePullBackOff",
                                           "InvalidImageName",    "ErrImageNeverPull",
                                           "RegistryUnavailable", "SignatureValidationFailed",
                                           "ImageInspectError" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(reasons); i++) {
        if (jr_str_is(reason, reasons[i]))
            return true;
    }
    return false;
}

/** Finds one container's trouble. False: it is in order, or waits for others. */
static bool find_container(struct question *q, const struct jr_pod_view *pod,
                           const struct jr_container_view *c)
{
    const struct jr_str reason = c->state.waiting.reason;

    if (is_image_reason(reason))
        jr_find_image(q, pod, c);
    else if (jr_str_is(reason, "CrashLoopBackOff"))
        find_crash(q, pod, c);
    else if (jr_str_is(reason, "CreateContainerConfigError") ||
             jr_str_is(reason, "CreateContainerError") || jr_str_is(reason, "RunContainerError") ||
             jr_str_is(reason, "PreCreateHookError") || jr_str_is(reason, "PreStartHookError") ||
             jr_str_is(reason, "PostStartHookError"))
        find_config(q, pod, c);
    else
        return c->restarts > 0 && find_restarted(q, pod, c);
    return true;
}

static void find_init_running(struct question *q, const struct jr_pod_view *pod,
                              const struct jr_container_view *c)
{
    struct finding *f =
        jr_find(q, "init-running", JR_VERDICT_MOVES, ACTOR_NOBODY, 1,
                jr_text(q,
                        "The init container %.*s runs, and the others begin after it; its logs say "
                        "what it waits for.",
                        JR_P(c->name)));

    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_logs(q, f, pod, c->name, false);
}

/** Finds an init container that only serves others, and so never ends. */
static void find_init_server(struct question *q, const struct jr_pod_view *pod,
                             const struct jr_container_view *c)
{
    struct finding *f =
        jr_find(q, "sidecar", JR_VERDICT_HAND, ACTOR_AUTHOR, 1,
                jr_text(q,
                        "The init container %.*s is a server, which does not end, and the others "
                        "only begin after it. It has to be a sidecar: restartPolicy Always lets "
                        "them begin beside it. %.*s",
                        JR_P(c->name), JR_P(jr_where_template(q))));

    jr_since(f, pod->meta.creation_timestamp);
    jr_suggest_logs(q, f, pod, c->name, false);
    jr_suggest_template(q, f);
}

void jr_find_containers(struct question *q, const struct jr_pod_view *pod)
{
    bool creating = pod->containers.n == 0, runs = false;

    for (size_t i = 0; i < pod->init.n; i++) {
        const struct jr_container_view *c = &pod->init.v[i];

        if (find_container(q, pod, c))
            return;
        if (c->state.running.set && !jr_pod_view_is_sidecar(pod, c->name)) {
            if (is_known_sidecar(c->name) &&
                jr_time_diff(q->now, pod->meta.creation_timestamp) > YOUNG_NS)
                find_init_server(q, pod, c);
            else
                find_init_running(q, pod, c);
            return;
        }
        creating |= jr_str_is(c->state.waiting.reason, "ContainerCreating");
    }
    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_view *c = &pod->containers.v[i];

        if (find_container(q, pod, c))
            return;
        runs |= c->state.running.set;
        creating |= jr_str_is(c->state.waiting.reason, "ContainerCreating");
    }
    if (find_sidecar(q, pod))
        return;
    if (creating || !runs)
        find_creating(q, pod);
    else
        q->running++;
}
