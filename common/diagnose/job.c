/* SPDX-License-Identifier: Apache-2.0 */
/* A Job's course: from its end backwards to what may never have begun. */
#include "common/diagnose/internal.h"
#include "common/job/indexes.h"

/* A controller that works has acted by then. */
#define ACTED_NS (60 * JR_SEC)
/* A refusal that is this much older than a Pod that was made is over. */
#define OVER_NS (5 * JR_SEC)

/* ---- left to others ---- */

static bool status_is_empty(const struct question *q)
{
    const struct jr_job_status *s = &q->job->status;

    return !jr_time_set(s->start_time) && s->conditions.n == 0 && s->active == 0 &&
           s->succeeded == 0 && s->failed == 0;
}

static bool find_multikueue(struct question *q)
{
    const struct jr_job_status *s = &q->job->status;
    const struct jr_str cluster = jr_workload_cluster(q);
    struct finding *f;

    if (!jr_str_is(q->job->spec.managed_by, "kueue.x-k8s.io/multikueue") ||
        jr_bool_or(q->job->spec.suspend, false))
        return false;
    f = jr_find(q, "multikueue", JR_VERDICT_MOVES, ACTOR_NOBODY, 0,
                jr_text(q,
                        "MultiKueue runs the Job on another cluster%s%.*s, and keeps the status "
                        "here: %d active, %d succeeded, %d failed. Its Pods are there.",
                        cluster.n > 0 ? ", " : "", JR_P(cluster), s->active, s->succeeded,
                        s->failed));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get workloads -n %.*s",
                   JR_W(q, q->job->meta.namespace));
    return true;
}

static bool find_managed_by(struct question *q)
{
    const struct jr_str by = q->job->spec.managed_by;
    struct finding *f;

    if (by.n == 0 || jr_str_is(by, JR_MANAGED_BY_BUILTIN))
        return false;
    if (find_multikueue(q))
        return true;
    if (q->n_pods > 0 || !status_is_empty(q))
        return false;
    f = jr_find(q, "managed-by", JR_VERDICT_HAND, ACTOR_ADMIN, 0,
                jr_text(q,
                        "The Job is left to the controller %.*s (spec.managedBy), which has done "
                        "nothing with it for %.*s; the built-in controller does not touch it. That "
                        "controller has to run, or the Job be made anew without managedBy, which "
                        "cannot be changed.",
                        JR_P(by), JR_P(jr_ago(q, q->job->meta.creation_timestamp))));
    jr_since(f, q->job->meta.creation_timestamp);
    jr_evidence_of(f, JR_S("Job: spec.managedBy"));
    jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get deployments,pods -A");
    jr_suggest_template(q, f);
    return true;
}

/* ---- being deleted ---- */

/** Returns what holds the deletion up: a finalizer of the Job, or of a Pod that has to be deleted
 * before it, which *ret_pod then is; n = 0: nothing that is seen. */
static struct jr_str kept_by(struct question *q, const struct jr_meta **ret_pod)
{
    struct jr_str kept = jr_foreign_finalizer(&q->job->meta);

    *ret_pod = NULL;
    if (kept.n > 0)
        return jr_text(q, "the finalizer %.*s holds that up", JR_P(kept));
    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_meta *m = &q->pods[i]->meta;

        kept = jr_foreign_finalizer(m);
        if (kept.n == 0 || !jr_time_set(m->deletion_timestamp))
            continue;
        *ret_pod = m;
        return jr_text(q, "its Pod %.*s, which the finalizer %.*s keeps, holds that up",
                       JR_P(m->name), JR_P(kept));
    }
    return (struct jr_str){ NULL, 0 };
}

static void suggest_kept(struct question *q, struct finding *f, const struct jr_meta *pod)
{
    if (pod != NULL)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pod %.*s -n %.*s -o yaml",
                       JR_W(q, pod->name), JR_W(q, pod->namespace));
    else
        jr_suggest_job(q, f);
}

struct finding *jr_find_kept_deletion(struct question *q)
{
    const struct jr_meta *m = &q->job->meta, *pod;
    struct jr_str kept;
    struct finding *f;

    if (!jr_time_set(m->deletion_timestamp))
        return NULL;
    kept = kept_by(q, &pod);
    if (kept.n == 0)
        return NULL;
    f = jr_find(q, "deletion-held", JR_VERDICT_HAND, ACTOR_ADMIN, 0,
                jr_text(q,
                        "The Job is being deleted, and %.*s: its own controller has to take it "
                        "away.",
                        JR_P(kept)));
    jr_since(f, m->deletion_timestamp);
    suggest_kept(q, f, pod);
    return f;
}

static bool find_deletion(struct question *q)
{
    const struct jr_meta *m = &q->job->meta, *pod;
    const struct jr_object_view *ns =
        jr_evidence_object(q->ev, "Namespace", (struct jr_str){ NULL, 0 }, m->namespace);
    const bool with_namespace =
        ns != NULL && !jr_unset(jr_path(ns->root, "metadata.deletionTimestamp"));
    struct jr_str kept;
    struct finding *f;

    if (!jr_time_set(m->deletion_timestamp) && !with_namespace)
        return false;
    kept = kept_by(q, &pod);
    f = jr_find(
        q, with_namespace ? "namespace-terminating" : "deleted", JR_VERDICT_NEVER,
        kept.n > 0 ? ACTOR_ADMIN : ACTOR_NOBODY, 0,
        jr_text(q, "The Job %s%.*s being deleted: it runs nothing any more.%s%.*s%s",
                with_namespace ? "and its namespace " : "is",
                JR_P(with_namespace ? jr_text(q, "%.*s are", JR_P(m->namespace)) : JR_S("")),
                kept.n > 0 ? " But " : "", JR_P(kept),
                kept.n > 0 ? ": its own controller has to take it away." : ""));
    jr_since(f, m->deletion_timestamp);
    jr_evidence_of(f, JR_S("Job: metadata.deletionTimestamp, metadata.finalizers"));
    if (with_namespace)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe namespace %.*s",
                       JR_W(q, m->namespace));
    suggest_kept(q, f, pod);
    return true;
}

/* ---- Pods that aren't there ---- */

static int64_t succeeded_of(const struct question *q)
{
    int64_t n = 0;

    for (size_t i = 0; i < q->n_pods; i++)
        n += jr_str_is(q->pods[i]->phase, "Succeeded");
    return n > q->job->status.succeeded ? n : q->job->status.succeeded;
}

static int64_t wanted_of(const struct question *q)
{
    const struct jr_job_spec *spec = &q->job->spec;
    const int64_t parallelism = jr_i32_or(spec->parallelism, 1);
    struct jr_indexes failed = { 0 };
    int64_t left;

    if (!spec->completions.set)
        return succeeded_of(q) > 0 ? 0 : parallelism;
    left = spec->completions.v - succeeded_of(q);
    if (q->job->status.failed_indexes.n > 0) {
        jr_must(jr_indexes_read(q->job->status.failed_indexes, spec->completions.v, &failed));
        left -= jr_indexes_count(&failed);
        jr_indexes_done(&failed);
    }
    left = left > 0 ? left : 0;
    return left < parallelism ? left : parallelism;
}

/** Whether the last refusal is younger than the last Pod that was made. */
static bool refusal_stands(const struct question *q)
{
    const struct jr_event_view *refused = jr_job_event(q, "FailedCreate", NULL);
    const struct jr_event_view *made = jr_job_event(q, "SuccessfulCreate", NULL);

    return refused != NULL && (made == NULL || jr_time_diff(made->last, refused->last) <= OVER_NS);
}

/** When the Job's controller acted last, as far as is seen. */
static struct jr_time last_act(const struct question *q)
{
    struct jr_time t = q->job->status.start_time;
    const struct jr_event_view *e = jr_job_event(q, NULL, NULL);

    t = jr_time_cmp(q->job->meta.creation_timestamp, t) > 0 ? q->job->meta.creation_timestamp : t;
    if (e != NULL && jr_time_cmp(e->last, t) > 0)
        t = e->last;
    for (size_t i = 0; i < q->n_pods; i++) {
        const struct jr_time end = jr_pod_view_finished(q->pods[i]);

        if (jr_pod_view_ended(q->pods[i]) && jr_time_cmp(end, t) > 0)
            t = end;
    }
    return t;
}

static void find_unknown_missing(struct question *q, int64_t missing)
{
    struct finding *f;

    if (jr_time_diff(q->now, last_act(q)) < ACTED_NS) {
        f = jr_find(q, "making", JR_VERDICT_MOVES, ACTOR_NOBODY, (size_t)missing,
                    JR_S("The Job controller is about to make Pods."));
        jr_suggest_pods(q, f);
        return;
    }
    if (status_is_empty(q)) {
        f = jr_find(q, "no-controller", JR_VERDICT_HAND, ACTOR_ADMIN, 0,
                    JR_S("No controller has touched the Job since it was made: the one that runs "
                         "Jobs does not work, or cannot keep up."));
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl get pods -n kube-system");
    } else {
        f = jr_find(q, "not-made", JR_VERDICT_UNKNOWN, ACTOR_NOBODY, (size_t)missing,
                    JR_S("Pods are missing, and no event says why: those older than an hour are "
                         "gone."));
        jr_unseen(q, "Event", "why Pods are not made");
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl describe job %.*s -n %.*s",
                       JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
    }
    jr_since(f, q->job->meta.creation_timestamp);
}

static struct finding *found(struct question *q, const char *id)
{
    for (size_t i = 0; i < q->n_findings; i++) {
        if (strcmp(q->findings[i].held.id, id) == 0)
            return &q->findings[i];
    }
    return NULL;
}

/** Makes one finding of a quota that Pods of a gang use up, and of the gang, of which others are
 * refused for that: nothing gets it going. */
static void join_gang(struct question *q)
{
    struct finding *gang = found(q, "gang"), *quota = found(q, "quota-exceeded");
    const char *end;

    if (gang == NULL || quota == NULL)
        return;
    end = memmem(quota->held.text.p, quota->held.text.n, " The controller ", 16);
    if (end != NULL)
        quota->held.text.n = (size_t)(end - quota->held.text.p);
    quota->held.text =
        jr_text(q, "%.*s %.*s They hold the quota meanwhile: nothing here gets it going.",
                JR_P(quota->held.text), JR_P(gang->held.text));
    quota->held.pods += gang->held.pods;
    quota->verdict = JR_VERDICT_HAND;
    quota->who = ACTOR_AUTHOR;
    *gang = q->findings[--q->n_findings];
}

static void find_missing(struct question *q)
{
    int64_t missing = q->wanted - (int64_t)q->active - (int64_t)q->delayed;

    if (jr_waits_for_ends(q))
        missing -= (int64_t)q->ending;
    if (missing <= 0 || jr_find_backoff(q, missing))
        return;
    if (refusal_stands(q) && jr_find_refusals(q, missing))
        return;
    if (q->n_findings == 0 || q->active + q->ending == 0)
        find_unknown_missing(q, missing);
}

/* ---- running ---- */

static void find_parallelism(struct question *q)
{
    const struct jr_meta *m = &q->job->meta;
    struct finding *f = jr_find(q, "parallelism-zero", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
                                JR_S("The Job has parallelism 0: it makes no Pods until that is "
                                     "raised."));

    jr_evidence_of(f, JR_S("Job: spec.parallelism"));
    jr_add_command(
        q, f, JR_NEXT_CHANGES,
        "kubectl patch job %.*s -n %.*s --type=merge -p '{\"spec\":{\"parallelism\":1}}'",
        JR_W(q, m->name), JR_W(q, m->namespace));
}

/** "4 of 60 indexes are done" */
static struct jr_str done_words(struct question *q)
{
    const struct jr_job_spec *spec = &q->job->spec;
    const bool indexed = jr_str_is(spec->completion_mode, "Indexed");
    const long long done = succeeded_of(q);

    if (!spec->completions.set)
        return jr_text(q, "%lld %s done", done, done == 1 ? "Pod is" : "Pods are");
    return jr_text(q, "%lld of %d %s %s done", done, spec->completions.v,
                   indexed ? "indexes" : "completions", done == 1 ? "is" : "are");
}

static void find_running(struct question *q)
{
    const bool alone = q->n_findings == 0;
    struct finding *f;

    if (q->running == 0 && !(q->starting > 0 && alone))
        return;
    f = jr_find(q, "running", JR_VERDICT_MOVES, ACTOR_NOBODY, 0,
                jr_text(q, "%s%.*s%s%s%.*s%s; %.*s.", alone ? "Nothing holds the Job up: " : "",
                        JR_P(q->running > 0 ? jr_pods(q, q->running) : JR_S("")),
                        q->running == 0   ? ""
                        : q->running == 1 ? " runs"
                                          : " run",
                        q->running > 0 && q->starting > 0 ? ", and " : "",
                        JR_P(q->starting > 0 ? jr_pods(q, q->starting) : JR_S("")),
                        q->starting == 0   ? ""
                        : q->starting == 1 ? " is starting"
                                           : " are starting",
                        JR_P(done_words(q))));
    if (q->running == 1 && q->active == 1)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl logs -f job/%.*s -n %.*s",
                       JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
    jr_suggest_pods(q, f);
}

/** The Job's own deadline, where nothing else says when it goes on. */
static void add_deadline(struct question *q)
{
    const struct jr_opt_i64 s = q->job->spec.active_deadline_s;
    const struct jr_time start = q->job->status.start_time;
    struct jr_time end;

    if (!s.set || !jr_time_set(start))
        return;
    end = jr_time_later_s(start, s.v);
    for (size_t i = 0; i < q->n_findings; i++) {
        if (jr_time_set(q->findings[i].when) && jr_time_cmp(q->findings[i].when, end) < 0)
            return;
    }
    for (size_t i = 0; i < q->n_findings && jr_time_cmp(end, q->now) > 0; i++) {
        if (!jr_time_set(q->findings[i].when)) {
            q->findings[i].when = end;
            q->findings[i].when_is = "its activeDeadlineSeconds end it";
        }
    }
}

static void gather_pods(struct question *q)
{
    const struct jr_pod_view *p;
    size_t at = 0, cap = 0;

    while ((p = jr_evidence_each_pod(q->ev, q->job->meta.uid, &at)) != NULL) {
        if (q->only != NULL && p != q->only)
            continue;
        q->pods = jr_must_have(jr_arena_room(q->arena, q->pods, q->n_pods, &cap, sizeof(*q->pods)));
        q->pods[q->n_pods++] = p;
        q->ungated += p->gates.n == 0;
        if (jr_pod_view_ended(p))
            continue;
        if (jr_time_set(p->meta.deletion_timestamp))
            q->ending++;
        else
            q->active++;
    }
}

/** Indexes that have failed for good: the Job goes on, and fails at its end. */
static void find_failed_indexes(struct question *q)
{
    const struct jr_opt_i32 most = q->job->spec.max_failed_indexes;
    const struct jr_pod_view *pod = jr_last_failed(q);
    struct finding *f;

    if (q->job->status.failed_indexes.n == 0)
        return;
    f = jr_find(
        q, "failed-indexes", JR_VERDICT_NEVER, ACTOR_AUTHOR, 0,
        jr_text(q,
                "The indexes %.*s have failed for good (backoffLimitPerIndex %d)%s%.*s: the "
                "rest is still done%s%.*s, and then the Job fails.",
                JR_P(q->job->status.failed_indexes),
                jr_i32_or(q->job->spec.backoff_limit_per_index, 0), pod != NULL ? "; " : "",
                JR_P(pod != NULL ? jr_failure_words(q, pod) : JR_S("")),
                most.set ? ", as maxFailedIndexes allows " : "",
                JR_P(most.set ? jr_text(q, "%d", most.v) : JR_S(""))));
    if (pod != NULL)
        jr_suggest_logs(q, f, pod, (struct jr_str){ NULL, 0 }, false);
    jr_suggest_pods(q, f);
}

static void find_course(struct question *q)
{
    q->wanted = wanted_of(q);
    if (jr_i32_or(q->job->spec.parallelism, 1) == 0 && q->active == 0) {
        find_parallelism(q);
        return;
    }
    jr_find_pods(q);
    jr_find_kept_finalizers(q);
    jr_find_failures(q);
    find_failed_indexes(q);
    find_missing(q);
    join_gang(q);
    find_running(q);
    if (q->n_findings == 0) {
        struct finding *f = jr_find(
            q, "counting", JR_VERDICT_MOVES, ACTOR_NOBODY, 0,
            jr_text(q, "Its Pods have ended, and are being counted; %.*s.", JR_P(done_words(q))));

        jr_suggest_pods(q, f);
    }
    add_deadline(q);
}

/** A question about one Pod of the Job. */
static void find_one_pod(struct question *q)
{
    const struct jr_pod_view *p = q->only;
    const bool succeeded = jr_str_is(p->phase, "Succeeded");
    struct finding *f;

    if (!jr_pod_view_ended(p)) {
        jr_find_pods(q);
        find_running(q);
        return;
    }
    f = jr_find(q, succeeded ? "pod-succeeded" : "pod-failed", JR_VERDICT_OVER,
                succeeded ? ACTOR_NOBODY : ACTOR_AUTHOR, 1,
                succeeded ? JR_S("The Pod has ended with success.")
                          : jr_text(q, "The Pod has failed: %.*s.", JR_P(jr_failure_words(q, p))));
    jr_since(f, jr_pod_view_finished(p));
    jr_suggest_logs(q, f, p, (struct jr_str){ NULL, 0 }, false);
    jr_find_kept_finalizers(q);
}

/** Pods that the status tells of, in a file that has none. */
static bool find_unseen_pods(struct question *q)
{
    struct finding *f;

    if (q->n_pods > 0 || q->job->status.active <= 0 || !jr_evidence_lacks(q->ev, "Pod"))
        return false;
    f = jr_find(q, "pods-unseen", JR_VERDICT_UNKNOWN, ACTOR_NOBODY, (size_t)q->job->status.active,
                JR_S("By the Job's status there are active Pods; they are not to be seen."));
    jr_unseen(q, "Pod", "what they do");
    jr_suggest_pods(q, f);
    return true;
}

void jr_diagnose_job(struct question *q)
{
    gather_pods(q);
    if (q->only != NULL) {
        find_one_pod(q);
        return;
    }
    if (jr_find_end(q)) {
        if (!q->ended) {
            jr_find_ending_pods(q);
            jr_find_kept_finalizers(q);
        }
        return;
    }
    if (find_deletion(q) || find_managed_by(q))
        return;
    if (jr_bool_or(q->job->spec.suspend, false)) {
        jr_find_queue(q);
        jr_find_ending_pods(q);
        return;
    }
    if (!find_unseen_pods(q))
        find_course(q);
}
