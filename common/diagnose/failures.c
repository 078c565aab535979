/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that failed: how, whether it will happen again, and how long the controller waits before it
 * makes new ones (KEP-3850; spec: the Job controller's back-off). */
#include "common/diagnose/internal.h"
#include "common/job/backoff.h"
#include "common/job/indexes.h"

#define SKEW_NS (5 * JR_SEC)

/* ---- ends, in words ---- */

static const char *code_words(int32_t code)
{
    switch (code) {
    case 126:
        return ": its command cannot be executed";
    case 127:
        return ": its command is not found";
    case 134:
        return ": it aborted (SIGABRT)";
    case 137:
        return ": it was killed (SIGKILL)";
    case 139:
        return ": a segmentation fault (SIGSEGV)";
    case 143:
        return ": it was told to end (SIGTERM)";
    default:
        return "";
    }
}

bool jr_is_oom(const struct jr_container_exit *e)
{
    return jr_str_is(e->reason, "OOMKilled");
}

/** Whether the container could not be started: the runtime's message says why. */
static bool is_start_error(const struct jr_container_exit *e)
{
    return jr_str_is(e->reason, "StartError") || jr_str_is(e->reason, "ContainerCannotRun");
}

bool jr_exit_stays(const struct jr_container_exit *e)
{
    return jr_is_oom(e) || is_start_error(e) || e->code == 126 || e->code == 127;
}

struct jr_str jr_exit_words(struct question *q, const struct jr_container_exit *e)
{
    if (jr_is_oom(e))
        return jr_text(q, "exit code %d: out of memory (OOMKilled)", (int)e->code);
    if (is_start_error(e))
        return jr_text(q, "exit code %d: it could not be started: %.*s", (int)e->code,
                       JR_P(jr_quote(q, e->message)));
    return jr_text(q, "exit code %d%s", (int)e->code, code_words(e->code));
}

struct jr_str jr_container_words(struct question *q, const struct jr_pod_view *pod,
                                 const struct jr_container_view *c)
{
    bool init = false;

    for (size_t i = 0; i < pod->init.n; i++)
        init |= c == &pod->init.v[i];
    return jr_text(q, "%scontainer %.*s", init ? "init " : "", JR_P(c->name));
}

struct jr_str jr_memory_limit(const struct question *q, struct jr_str container)
{
    return jr_node_str(jr_path(jr_container_of(q, container), "resources.limits.memory"));
}

/** The condition that says that something from outside ended the Pod, NULL: nothing did. */
static const struct jr_pod_view_condition *disruption_of(const struct jr_pod_view *pod)
{
    const struct jr_pod_view_condition *c = jr_pod_view_condition(pod, "DisruptionTarget");

    return c != NULL && jr_str_is(c->status, "True") ? c : NULL;
}

bool jr_is_disrupted(const struct jr_pod_view *pod)
{
    return disruption_of(pod) != NULL;
}

static struct jr_str outside_message(const struct jr_pod_view *pod)
{
    const struct jr_pod_view_condition *c = disruption_of(pod);

    return pod->message.n > 0 || c == NULL ? pod->message : c->message;
}

/** Whether a kubelet evicted the Pod for what the Pod itself used. */
static bool used_too_much(const struct jr_pod_view *pod)
{
    const struct jr_str m = outside_message(pod);

    return jr_says(m, " was using ") || jr_says(m, "exceeded its local ephemeral storage limit") ||
           jr_says(m, "ephemeral local storage usage exceeds") ||
           jr_says(m, "Usage of EmptyDir volume");
}

/** Why something from outside ended the Pod; n = 0: nothing did. */
static struct jr_str outside_words(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_pod_view_condition *c = disruption_of(pod);
    const struct jr_str m = outside_message(pod), reason = c != NULL ? c->reason : pod->reason;
    const struct jr_str node = pod->node;

    if (used_too_much(pod))
        return jr_text(q, "it was evicted: %.*s", JR_P(jr_quote(q, m)));
    if (jr_says(m, "node shutdown") || jr_says(m, "imminent node") ||
        jr_str_is(pod->reason, "Terminated") || jr_str_is(pod->reason, "Shutdown"))
        return jr_text(q, "its node %.*s was shut down", JR_P(node));
    if (jr_str_is(reason, "PreemptionByScheduler") || jr_str_is(pod->reason, "Preempting"))
        return jr_text(q, "a Pod of higher priority preempted it on the node %.*s", JR_P(node));
    if (jr_str_is(reason, "DeletionByTaintManager") || jr_str_is(pod->reason, "NodeLost"))
        return jr_text(q, "its node %.*s was lost", JR_P(node));
    if (jr_str_is(reason, "DeletionByPodGC"))
        return jr_text(q, "its node %.*s does not exist any more", JR_P(node));
    if (jr_str_is(reason, "EvictionByEvictionAPI"))
        return JR_S("it was evicted through the API, as a drain of its node does");
    if (jr_str_is(pod->reason, "Evicted") || jr_str_is(reason, "TerminationByKubelet"))
        return jr_text(q, "its node %.*s evicted it: %.*s", JR_P(node), JR_P(jr_quote(q, m)));
    if (jr_str_is(pod->reason, "DeadlineExceeded"))
        return jr_text(q, "it ran longer than the activeDeadlineSeconds of its Pod (%lld)",
                       (long long)jr_node_i64_or(
                           jr_path(q->root, "spec.template.spec.activeDeadlineSeconds"), 0));
    if (pod->reason.n > 0)
        return jr_text(q, "%.*s: %.*s", JR_P(pod->reason), JR_P(jr_quote(q, m)));
    return (struct jr_str){ NULL, 0 };
}

struct jr_str jr_failure_words(struct question *q, const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);
    const struct jr_str outside = outside_words(q, pod);
    struct jr_str words = { NULL, 0 }, limit = { NULL, 0 };

    if (outside.n > 0)
        return outside;
    if (c == NULL)
        return JR_S("it failed, and no container says why");
    words = jr_exit_words(q, jr_container_last_exit(c));
    if (jr_is_oom(jr_container_last_exit(c)))
        limit = jr_memory_limit(q, c->name);
    return jr_text(q, "%.*s (%.*s%s%.*s)", JR_P(words), JR_P(jr_container_words(q, pod, c)),
                   limit.n > 0 ? ", memory limit " : "", JR_P(limit));
}

/* ---- failures that count ---- */

static int32_t annotated(const struct jr_pod_view *pod, const char *key)
{
    const struct jr_str s = jr_labels_get(&pod->meta.annotations, jr_str(key));
    int64_t v = 0;

    return s.n > 0 && jr_parse_i64(s, 0, INT32_MAX, &v) == JR_OK ? (int32_t)v : 0;
}

static struct jr_str index_of(const struct jr_pod_view *pod)
{
    return jr_labels_get(&pod->meta.annotations, JR_S(JR_COMPLETION_INDEX));
}

static bool is_failed(const struct jr_pod_view *pod)
{
    return jr_str_is(pod->phase, "Failed");
}

/** The failures since the last success. */
struct streak {
    const struct jr_pod_view *last; /* NULL: there are none */
    struct jr_time last_end;
    int64_t n;
    bool succeeded; /* some Pod did, before */
};

static struct streak streak_of(const struct question *q)
{
    struct streak s = { .last = NULL };
    struct jr_time success = { INT64_MIN };

    for (size_t i = 0; i < q->n_pods; i++) {
        if (jr_str_is(q->pods[i]->phase, "Succeeded")) {
            const struct jr_time t = jr_pod_view_finished(q->pods[i]);

            success = jr_time_cmp(t, success) > 0 ? t : success;
            s.succeeded = true;
        }
    }
    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_time t = jr_pod_view_finished(q->pods[i]);

        if (!is_failed(q->pods[i]) || jr_time_cmp(t, success) <= 0)
            continue;
        s.n++;
        if (s.last == NULL || jr_time_cmp(t, s.last_end) > 0) {
            s.last = q->pods[i];
            s.last_end = t;
        }
    }
    if (s.last != NULL && !s.succeeded && q->job->status.failed > s.n)
        s.n = q->job->status.failed; /* some are gone */
    return s;
}

static struct jr_str skew_words(struct question *q, struct jr_time end,
                                const struct jr_pod_view *pod)
{
    if (jr_time_diff(end, q->now) <= SKEW_NS)
        return JR_S("");
    return jr_text(q,
                   " The clock of its node %.*s is ahead, by %.*s at least, and the back-off is as "
                   "much longer.",
                   JR_P(pod->node), JR_P(jr_seconds(q, jr_time_diff(end, q->now) / JR_SEC)));
}

/** "One more failure ends the Job", or how many there may be. */
static struct jr_str limit_words(struct question *q)
{
    const int64_t limit = jr_i32_or(q->job->spec.backoff_limit, 6), n = q->job->status.failed;

    if (limit >= INT32_MAX)
        return JR_S("");
    if (n == limit)
        return jr_text(q,
                       " %lld failures are what backoffLimit %lld allows: the next one ends "
                       "the Job.",
                       (long long)n, (long long)limit);
    return jr_text(q, " %lld of the %lld failures that backoffLimit allows are used.", (long long)n,
                   (long long)limit);
}

/** Says that rules of podFailurePolicy ignore the failures; "" where they count. */
static struct jr_str ignored_words(const struct question *q, const struct streak *s)
{
    return q->job->spec.pod_failure_policy.set && q->job->status.failed < s->n && !s->succeeded
               ? JR_S(" podFailurePolicy ignores such failures: they do not count, and the Job is "
                      "tried again without end.")
               : JR_S("");
}

static void suggest_failed(struct question *q, struct finding *f, const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);

    if (c != NULL)
        jr_suggest_logs(q, f, pod, c->name, !jr_container_last_run(c).ended);
    else
        jr_suggest_describe(q, f, pod);
}

/** Whether a Pod's failure is one that comes again with the same template. */
static bool failure_stays(const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);

    if (jr_str_is(pod->reason, "DeadlineExceeded"))
        return true;
    if (disruption_of(pod) != NULL || pod->reason.n > 0)
        return used_too_much(pod);
    return c != NULL && jr_exit_stays(jr_container_last_exit(c));
}

static const char *id_of(const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = jr_pod_view_failed(pod);
    const struct jr_container_exit *e = c != NULL ? jr_container_last_exit(c) : NULL;

    if (jr_str_is(pod->reason, "DeadlineExceeded"))
        return "pod-deadline";
    if (disruption_of(pod) != NULL || pod->reason.n > 0)
        return used_too_much(pod) ? "evicted" : "disrupted";
    if (e == NULL)
        return "failing";
    return jr_is_oom(e) ? "oom" : jr_exit_stays(e) ? "cannot-start" : "failing";
}

/** More failures than the backoffLimit allows, which the status doesn't show yet. */
static bool find_limit(struct question *q, const struct streak *s, int64_t missing)
{
    const int64_t limit = jr_i32_or(q->job->spec.backoff_limit, 6);
    const int64_t n = s->n > q->job->status.failed ? s->n : q->job->status.failed;
    struct finding *f;

    if (q->job->spec.pod_failure_policy.set || n <= limit)
        return false;
    f = jr_find(q, "backoff-limit", JR_VERDICT_NEVER, ACTOR_AUTHOR, (size_t)missing,
                jr_text(q,
                        "%lld Pods have failed, and backoffLimit allows %lld: the Job is about to "
                        "fail. The last one, %.*s, ended with %.*s.",
                        (long long)n, (long long)limit, JR_P(s->last->meta.name),
                        JR_P(jr_failure_words(q, s->last))));
    jr_since(f, s->last_end);
    suggest_failed(q, f, s->last);
    return true;
}

bool jr_find_backoff(struct question *q, int64_t missing)
{
    const struct streak s = streak_of(q);
    const bool per_index = q->job->spec.backoff_limit_per_index.set;
    const int64_t delay = jr_backoff_delay(s.n);
    struct finding *f;
    struct jr_time until;
    bool stays;

    if (s.last == NULL || per_index)
        return false;
    if (find_limit(q, &s, missing))
        return true;
    until = jr_time_later(s.last_end, delay);
    if (jr_time_cmp(until, q->now) <= 0)
        return false;
    stays = s.n > 1 && failure_stays(s.last);
    f = jr_find(q, id_of(s.last), stays ? JR_VERDICT_HAND : JR_VERDICT_MOVES,
                stays ? ACTOR_AUTHOR : ACTOR_NOBODY, (size_t)missing,
                jr_text(q,
                        "The last Pod, %.*s, ended with %.*s, and the controller waits with the "
                        "next one: %.*s from that end (back-off).%.*s%.*s%.*s",
                        JR_P(s.last->meta.name), JR_P(jr_failure_words(q, s.last)),
                        JR_P(jr_seconds(q, delay / JR_SEC)), JR_P(limit_words(q)),
                        JR_P(ignored_words(q, &s)), JR_P(skew_words(q, s.last_end, s.last))));
    if (f != NULL) {
        f->when = until;
        f->when_is = "the back-off ends";
    }
    jr_since(f, s.last_end);
    suggest_failed(q, f, s.last);
    return true;
}

/* ---- by index ---- */

/** The indexes of Pods that haven't failed, in order. */
static struct jr_strs going_indexes(struct question *q)
{
    struct jr_strs list = { jr_xarena_calloc(q->arena, q->n_pods + 1, sizeof(*list.v)), 0 };

    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_pod_view *p = q->pods[i];

        if (!is_failed(p) && !jr_time_set(p->meta.deletion_timestamp))
            list.v[list.n++] = index_of(p);
    }
    qsort(list.v, list.n, sizeof(*list.v), jr_str_order);
    return list;
}

/** A failed Pod that keeps its index waiting for the next try. */
static void find_index_delay(struct question *q, const struct jr_pod_view *pod)
{
    const int32_t failures =
        annotated(pod, JR_INDEX_FAILURE_COUNT) + annotated(pod, JR_INDEX_IGNORED_FAILURE_COUNT) + 1;
    const struct jr_time end = jr_pod_view_finished(pod);
    const struct jr_time until = jr_time_later(end, jr_backoff_delay(failures));
    struct finding *f;

    if (jr_time_cmp(until, q->now) <= 0)
        return;
    q->delayed++;
    f = jr_find(q, id_of(pod), failure_stays(pod) ? JR_VERDICT_HAND : JR_VERDICT_MOVES,
                failure_stays(pod) ? ACTOR_AUTHOR : ACTOR_NOBODY, 1,
                jr_text(q,
                        "Index %.*s: its Pod ended with %.*s, and it is tried again %.*s from that "
                        "end (back-off; backoffLimitPerIndex %d).%.*s",
                        JR_P(index_of(pod)), JR_P(jr_failure_words(q, pod)),
                        JR_P(jr_seconds(q, jr_backoff_delay(failures) / JR_SEC)),
                        jr_i32_or(q->job->spec.backoff_limit_per_index, 0),
                        JR_P(skew_words(q, end, pod))));
    if (f != NULL && (!jr_time_set(f->when) || jr_time_cmp(until, f->when) < 0)) {
        f->when = until;
        f->when_is = "the next try begins";
    }
    jr_since(f, end);
    suggest_failed(q, f, pod);
}

/** Whether the status says that the index has failed for good. */
static bool is_over(const struct jr_indexes *failed, struct jr_str index)
{
    int64_t i = 0;

    return jr_parse_i64(index, 0, INT32_MAX, &i) == JR_OK && jr_indexes_has(failed, (int32_t)i);
}

static void find_index_delays(struct question *q)
{
    const struct jr_strs going = going_indexes(q);
    JR_CLEANUP(jr_indexes_done) struct jr_indexes failed = { 0 };

    jr_must(jr_indexes_read(q->job->status.failed_indexes,
                            jr_i32_or(q->job->spec.completions, INT32_MAX), &failed));

    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_str index = index_of(q->pods[i]);

        if (is_failed(q->pods[i]) && !is_over(&failed, index) &&
            bsearch(&index, going.v, going.n, sizeof(*going.v), jr_str_order) == NULL)
            find_index_delay(q, q->pods[i]);
    }
}

/* ---- what will fail again ---- */

/** Failed Pods, of which the newest is `last`, that ended alike. */
static int64_t alike(const struct question *q, const struct jr_pod_view *last)
{
    int64_t n = 0;

    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_pod_view *p = q->pods[i];

        if (is_failed(p) && strcmp(id_of(p), id_of(last)) == 0 && failure_stays(p) &&
            jr_str_eq(index_of(p), index_of(last)))
            n++;
    }
    return n;
}

static struct jr_str remedy(struct question *q, const struct jr_pod_view *pod)
{
    const char *id = id_of(pod);

    if (strcmp(id, "oom") == 0)
        return JR_S(" The next Pod has the same limit, and needs more memory.");
    if (strcmp(id, "pod-deadline") == 0)
        return JR_S(" The next Pod has the same deadline.");
    if (strcmp(id, "evicted") == 0)
        return jr_says(outside_message(pod), "ephemeral")
                   ? JR_S(" The next Pod does the same: it needs a request for ephemeral-storage, "
                          "or a volume to write to.")
                   : JR_S(" The next Pod does the same: it needs requests that say what it uses.");
    return jr_text(q, " The next Pod has the same command.");
}

void jr_find_failures(struct question *q)
{
    const struct streak s = streak_of(q);
    struct finding *f;

    if (q->job->spec.backoff_limit_per_index.set)
        find_index_delays(q);
    if (s.last == NULL || !failure_stays(s.last) || alike(q, s.last) < 2)
        return;
    f = jr_find(q, id_of(s.last), JR_VERDICT_HAND, ACTOR_AUTHOR, (size_t)alike(q, s.last),
                jr_text(q, "They ended alike, and will again: %.*s.%.*s %.*s",
                        JR_P(jr_failure_words(q, s.last)), JR_P(remedy(q, s.last)),
                        JR_P(jr_where_template(q))));
    jr_since(f, s.last_end);
    jr_suggest_template(q, f);
    suggest_failed(q, f, s.last);
}
