/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs whose end is there, or decided: Complete, Failed, SuccessCriteriaMet, FailureTarget. */
#include "common/diagnose/internal.h"

const struct jr_pod_view *jr_last_failed(const struct question *q)
{
    const struct jr_pod_view *last = NULL;

    for (size_t i = 0; i < q->n_pods; i++) {
        if (jr_str_is(q->pods[i]->phase, "Failed") &&
            (last == NULL ||
             jr_time_cmp(jr_pod_view_finished(q->pods[i]), jr_pod_view_finished(last)) > 0))
            last = q->pods[i];
    }
    return last;
}

/** The Pod whose failure decided: one that has failed, else one that is ended from outside. */
static const struct jr_pod_view *failed_pod(const struct question *q)
{
    const struct jr_pod_view *last = jr_last_failed(q);

    for (size_t i = 0; i < q->n_pods && last == NULL; i++) {
        if (jr_is_disrupted(q->pods[i]))
            last = q->pods[i];
    }
    return last;
}

/** The name of the Pod that a rule of podFailurePolicy went by: "ns/x" in the condition's message.
 */
static struct jr_str pod_of_rule(struct jr_str message)
{
    const struct jr_str pod =
        jr_behind(message, jr_says(message, " for pod ") ? " for pod " : "Pod ", " ");
    const ptrdiff_t slash = jr_str_rfind(pod, '/');

    return jr_str_from(pod, slash >= 0 ? (size_t)slash + 1 : 0);
}

/** That Pod, if it is still there, else the last one that failed. */
static const struct jr_pod_view *deciding_pod(const struct question *q, struct jr_str message)
{
    const struct jr_str name = pod_of_rule(message);

    for (size_t i = 0; i < q->n_pods && name.n > 0; i++) {
        if (jr_str_eq(q->pods[i]->meta.name, name))
            return q->pods[i];
    }
    return jr_last_failed(q);
}

/** The rule of a podFailurePolicy, and what it went by, out of the condition's message. */
static struct jr_str rule_words(struct question *q, struct jr_str message)
{
    const struct jr_str code = jr_behind(message, "failed with exit code ", " ");
    const struct jr_str condition = jr_behind(message, "has condition ", " ");
    const struct jr_str rule = jr_behind(message, "rule at index ", " .,");
    const struct jr_str pod = pod_of_rule(message);

    if (code.n > 0)
        return jr_text(q,
                       "Pod %.*s ended with exit code %.*s, for which the rule at index %.*s of "
                       "podFailurePolicy says FailJob",
                       JR_P(pod), JR_P(code), JR_P(rule));
    if (condition.n > 0)
        return jr_text(q,
                       "Pod %.*s has the condition %.*s, for which the rule at index %.*s of "
                       "podFailurePolicy says FailJob",
                       JR_P(pod), JR_P(condition), JR_P(rule));
    return jr_text(q, "a rule of podFailurePolicy says FailJob");
}

/** The reason that kept the Job's Pods from a node, by events: they are gone with the deadline. */
static struct jr_str gone_pods_words(struct question *q)
{
    const struct jr_event_view *e = jr_any_pod_event(q, "FailedScheduling");

    return e != NULL ? jr_unscheduled_words(q, e->message) : (struct jr_str){ NULL, 0 };
}

/** Returns "index 5" or "indexes 1,3-5". */
static struct jr_str failed_indexes(struct question *q)
{
    const struct jr_str list = q->job->status.failed_indexes;
    const bool one = jr_str_find(list, ',') < 0 && jr_str_find(list, '-') < 0;

    return jr_text(q, "index%s %.*s", one ? "" : "es", JR_P(jr_quote(q, list)));
}

/** The cause of a failure, by the condition's reason. */
static struct jr_str failure_text(struct question *q, const struct jr_job_condition *c,
                                  const struct jr_pod_view *pod)
{
    const struct jr_job_spec *spec = &q->job->spec;
    const struct jr_str end = pod != NULL ? jr_failure_words(q, pod) : JR_S("");
    struct jr_str words = { NULL, 0 };

    if (jr_str_is(c->reason, "PodFailurePolicy"))
        return rule_words(q, c->message);
    if (jr_str_is(c->reason, "MaxFailedIndexesExceeded"))
        words = jr_text(q, "%.*s failed, and maxFailedIndexes allows %d", JR_P(failed_indexes(q)),
                        jr_i32_or(spec->max_failed_indexes, 0));
    else if (jr_str_is(c->reason, "FailedIndexes"))
        words = jr_text(q, "%.*s failed more often than backoffLimitPerIndex, %d, allows",
                        JR_P(failed_indexes(q)), jr_i32_or(spec->backoff_limit_per_index, 0));
    else if (jr_str_is(c->reason, "BackoffLimitExceeded"))
        words = jr_text(q, "its Pods failed more often than its backoffLimit of %d allows",
                        jr_i32_or(spec->backoff_limit, 6));
    else if (jr_str_is(c->reason, "DeadlineExceeded")) {
        words = jr_text(q, "it was active for longer than its activeDeadlineSeconds of %lld",
                        (long long)jr_i64_or(spec->active_deadline_s, 0));
        if (pod == NULL) {
            const struct jr_str held = gone_pods_words(q);

            return held.n == 0 ? words
                               : jr_text(q, "%.*s. Its last Pod had no node: %.*s", JR_P(words),
                                         JR_P(held));
        }
    } else
        words = jr_text(q, "%.*s: %.*s", JR_P(c->reason), JR_P(jr_quote(q, c->message)));
    if (q->n_pods == 0 && !jr_evidence_is_unseen(q->ev, "Pod"))
        return jr_text(q, "%.*s. Its Pods are gone, and with them how they ended", JR_P(words));
    if (end.n == 0)
        return words;
    return jr_text(q, "%.*s. Pod %.*s: %.*s", JR_P(words), JR_P(pod->meta.name), JR_P(end));
}

static const char *id_of_failure(const struct jr_job_condition *c)
{
    static const struct {
        const char *reason, *id;
    } ids[] = { { "PodFailurePolicy", "fail-job-rule" },
                { "MaxFailedIndexesExceeded", "max-failed-indexes" },
                { "FailedIndexes", "failed-indexes" },
                { "BackoffLimitExceeded", "backoff-limit" },
                { "DeadlineExceeded", "deadline" } };

    for (size_t i = 0; i < JR_ARRAY_SIZE(ids); i++) {
        if (jr_str_is(c->reason, ids[i].reason))
            return ids[i].id;
    }
    return "failed";
}

static void suggest_after_failure(struct question *q, struct finding *f,
                                  const struct jr_pod_view *pod)
{
    const struct jr_container_view *c = pod != NULL ? jr_pod_view_failed(pod) : NULL;

    if (c != NULL)
        jr_suggest_logs(q, f, pod, c->name, false);
    else if (pod != NULL)
        jr_suggest_describe(q, f, pod);
    if (pod == NULL || q->owner.kind.n > 0)
        jr_suggest_template(q, f);
}

static void find_failed(struct question *q, const struct jr_job_condition *c, bool ended)
{
    const struct jr_pod_view *pod =
        jr_str_is(c->reason, "PodFailurePolicy") ? deciding_pod(q, c->message) : failed_pod(q);
    const struct jr_str text = failure_text(q, c, pod);
    struct finding *f =
        jr_find(q, id_of_failure(c), ended ? JR_VERDICT_OVER : JR_VERDICT_NEVER, ACTOR_AUTHOR, 0,
                ended ? jr_text(q, "The Job has failed: %.*s.", JR_P(text))
                      : jr_text(q,
                                "The Job fails: %.*s. That is decided (FailureTarget), and its "
                                "Pods are being ended.",
                                JR_P(text)));

    jr_since(f, c->last_transition_time);
    suggest_after_failure(q, f, pod);
}

static void find_complete(struct question *q, const struct jr_job_condition *c, bool ended)
{
    const bool by_policy = jr_str_is(c->reason, "SuccessPolicy");
    const int32_t n = q->job->status.succeeded;
    const struct jr_str text =
        by_policy ? jr_text(q, "The Job has succeeded, as its successPolicy says (%.*s; %d done)",
                            JR_P(jr_quote(q, c->message)), n)
                  : jr_text(q, "The Job %s: %d of its Pods ended with success",
                            ended ? "is complete" : "has succeeded", n);
    struct finding *f = jr_find(
        q, ended ? "complete" : "success-decided", ended ? JR_VERDICT_OVER : JR_VERDICT_MOVES,
        ACTOR_NOBODY, 0,
        ended || q->active + q->ending == 0
            ? jr_text(q, "%.*s.", JR_P(text))
            : jr_text(q, "%.*s. Its other %.*s being ended, and then it is complete.", JR_P(text),
                      JR_P(jr_text(q, "%.*s %s", JR_P(jr_pods(q, q->active + q->ending)),
                                   q->active + q->ending == 1 ? "is" : "are"))));

    jr_since(f, c->last_transition_time);
    if (q->n_pods > 0)
        jr_add_command(q, f, JR_NEXT_LOOKS, "kubectl logs job/%.*s -n %.*s",
                       JR_W(q, q->job->meta.name), JR_W(q, q->job->meta.namespace));
    else
        jr_suggest_job(q, f);
}

/** When the Job is deleted, if its end is there. */
static void add_ttl(struct question *q, struct finding *f, const struct jr_job_condition *c)
{
    const struct jr_opt_i32 ttl = q->job->spec.ttl_after_finished_s;

    if (f == NULL || !ttl.set)
        return;
    f->when = jr_time_later_s(c->last_transition_time, ttl.v);
    f->when_is = "it is deleted (ttlSecondsAfterFinished)";
}

static const struct jr_job_condition *true_condition(const struct question *q, const char *type)
{
    const struct jr_job_condition *c = jr_job_condition_get(&q->job->status.conditions, type);

    return c != NULL && jr_str_is(c->status, "True") ? c : NULL;
}

bool jr_find_end(struct question *q)
{
    const struct jr_job_condition *complete = true_condition(q, "Complete");
    const struct jr_job_condition *failed = true_condition(q, "Failed");
    const struct jr_job_condition *success = true_condition(q, "SuccessCriteriaMet");
    const struct jr_job_condition *failure = true_condition(q, "FailureTarget");

    if (failed != NULL)
        find_failed(q, failed, true);
    else if (complete != NULL)
        find_complete(q, complete, true);
    else if (failure != NULL)
        find_failed(q, failure, false);
    else if (success != NULL)
        find_complete(q, success, false);
    else
        return false;
    if (failed != NULL || complete != NULL) {
        const struct finding *held = jr_find_kept_deletion(q);

        if (held != NULL && held->n_next > 0)
            q->findings[0].next[0] = held->next[0];
        add_ttl(q, &q->findings[0], failed != NULL ? failed : complete);
        q->ended = true;
    }
    return true;
}
