/* SPDX-License-Identifier: Apache-2.0 */
/* How long to wait before failed Pods are replaced, for the whole Job and by index (KEP-3850). */
#include "common/job/backoff.h"
#include "controller/reconcile/internal.h"

/* ---- when a Pod ended ---- */

/** The latest end of the containers and sidecars; unset where one of them shows none. */
static struct jr_time finish_of_containers(const struct jr_pod *pod)
{
    struct jr_time latest = { 0 };

    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_status *c = &pod->containers.v[i];

        if (c->init && !c->sidecar)
            continue;
        if (!c->terminated.set || !jr_time_set(c->terminated.finished_at))
            return (struct jr_time){ 0 };
        if (!jr_time_set(latest) || jr_time_cmp(c->terminated.finished_at, latest) > 0)
            latest = c->terminated.finished_at;
    }
    return latest;
}

struct jr_time jr_pod_finish_time(const struct jr_pod *pod)
{
    const struct jr_pod_condition *ready = jr_pod_condition_get(pod, "Ready");
    struct jr_time t = finish_of_containers(pod);

    if (jr_time_set(t))
        return t;
    if (ready != NULL && jr_str_is(jr_pod_str(pod, ready->status), "False") &&
        jr_time_set(pod->ready_since))
        return pod->ready_since;
    if (!jr_time_set(pod->deletion_timestamp))
        return pod->creation_timestamp;
    return jr_deletion_asked(pod->deletion_timestamp, pod->deletion_grace_period_s);
}

/* ---- the record ---- */

static struct jr_time later(struct jr_time a, struct jr_time b)
{
    return jr_time_cmp(a, b) >= 0 ? a : b;
}

/** Failures that ended after `since`, and the newest of them. */
static void count_failures(const struct jr_sync *s, bool all, struct jr_time since,
                           struct jr_backoff_record *ret)
{
    *ret = (struct jr_backoff_record){ 0 };
    for (size_t i = 0; i < s->n_pods; i++) {
        const struct jr_rpod *p = &s->pods[i];
        struct jr_time t;

        if (!p->failed || !jr_rpod_new(s, p, p->listed_failed))
            continue;
        t = jr_pod_finish_time(p->pod);
        if (!all && jr_time_cmp(t, since) <= 0)
            continue;
        ret->last_failure_time =
            ret->failures_after_last_success == 0 ? t : later(t, ret->last_failure_time);
        ret->failures_after_last_success++;
    }
}

void jr_backoff_update(struct jr_sync *s)
{
    struct jr_backoff_record found;
    struct jr_time success = { INT64_MIN };
    bool succeeded = false;

    for (size_t i = 0; i < s->n_pods; i++) {
        const struct jr_rpod *p = &s->pods[i];

        if (p->succeeded && jr_rpod_new(s, p, p->listed_succeeded)) {
            success = later(success, jr_pod_finish_time(p->pod));
            succeeded = true;
        }
    }
    count_failures(s, !succeeded, success, &found);
    s->record = s->snap.backoff;
    if (succeeded) {
        s->record = found;
    } else if (found.failures_after_last_success > 0) {
        if (__builtin_add_overflow(s->record.failures_after_last_success,
                                   found.failures_after_last_success,
                                   &s->record.failures_after_last_success))
            s->record.failures_after_last_success = INT32_MAX;
        s->record.last_failure_time = found.last_failure_time;
    }
}

int64_t jr_backoff_remaining(int64_t n, struct jr_time last, struct jr_time now)
{
    int64_t left;

    if (n <= 0)
        return 0;
    if (__builtin_sub_overflow(jr_backoff_delay(n), jr_time_diff(now, last), &left))
        return INT64_MAX;
    return left > 0 ? left : 0;
}

/* ---- who waits ---- */

int64_t jr_backoff_of_job(const struct jr_sync *s)
{
    if (s->per_index)
        return 0;
    return jr_backoff_remaining(s->record.failures_after_last_success, s->record.last_failure_time,
                                s->now);
}

int64_t jr_backoff_keep_due(struct jr_sync *s)
{
    int64_t least = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n_new; i++) {
        const struct jr_rpod *held = jr_index_held(s, s->new_indexes[i]);
        int64_t left = 0;

        if (held != NULL)
            left = jr_backoff_remaining(jr_index_failures(held->pod) + 1,
                                        jr_pod_finish_time(held->pod), s->now);
        if (left == 0)
            s->new_indexes[n++] = s->new_indexes[i];
        else if (least == 0 || left < least)
            least = left;
    }
    s->n_new = n;
    return n > 0 ? 0 : least;
}
