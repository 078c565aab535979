/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/timing.h"

#include "common/base/num.h"
#include "common/rules/selector.h"

#define BASE_NS (10 * JR_SEC)
#define CAP_NS (600 * JR_SEC)
#define KNOWN_NS (700 * JR_MSEC) /* streams of quiet worlds take less */
#define AT_REST_NS (5 * JR_SEC)
#define SLACK_NS (8 * JR_SEC) /* a sync may fail, and try again after some seconds */

/** Counted if it ended: it matches, and has an index that there is. */
static bool is_selected(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    int64_t index = 0;

    if (!jr_selector_matches_pod(&j->now->spec.selector, p->now))
        return false;
    return !jr_str_is(j->now->spec.completion_mode, "Indexed") ||
           (sim_index_of(p->now, &index) && index < jr_i32_or(j->now->spec.completions, 0));
}

/** Succeeded, and can't have been counted as failed before. */
static bool is_success(const struct sim_seen_pod *p)
{
    return p->now->phase == JR_POD_SUCCEEDED && p->failed_ns == 0 && !p->listed_failed;
}

/** When the backoff ends, at the latest: of all failures since the last success. Ends are told in
 * whole seconds. */
static int64_t backoff_end(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    int64_t success = 0, last = 0, delay = BASE_NS;
    size_t n = 0;

    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];

        if (is_success(o) && o->ended_ns > success && sim_controls(j, o) && is_selected(j, o) &&
            !o->thing.life.stripped)
            success = o->ended_ns;
    }
    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];
        int64_t end = o->failed_ns > o->ended_ns ? o->failed_ns : o->ended_ns;

        if (o == p || end == 0 || is_success(o) || end < success - JR_SEC)
            continue;
        last = end > last ? end : last;
        if (n++ > 0 && delay < CAP_NS)
            delay *= 2;
    }
    return n == 0 ? 0 : last + (delay < CAP_NS ? delay : CAP_NS);
}

/** Its containers say when they ended; else the backoff counts from some earlier time. */
static bool has_end(const struct sim_seen_pod *p)
{
    for (size_t i = 0; i < p->now->containers.n; i++) {
        if (!jr_time_set(p->now->containers.v[i].terminated.finished_at))
            return false;
    }
    return p->now->containers.n > 0;
}

/** A failure that a sync must have known of, and no success since: then nothing is created for ten
 * seconds. */
static const struct sim_seen_pod *too_soon_after(const struct sim_seen_job *j,
                                                 const struct sim_seen_pod *p, int64_t now_ns)
{
    const struct sim_seen_pod *found = NULL;
    int64_t endless_ns = 0; /* the last failure that has no end of its own */

    /* What is scaled down or suspended may fail as it is taken away, uncounted. */
    if (now_ns - j->wishes[j->n_wishes - 1].from_ns < 2 * BASE_NS && j->n_wishes > 1)
        return NULL;
    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];

        /* A success resets the backoff, also of one that had been deleted before. */
        if (o != p && o->succeeded_ns > now_ns - BASE_NS - JR_SEC)
            return NULL;
        if (o == p || o->failed_ns == 0 || !sim_controls(j, o) || !is_selected(j, o))
            continue;
        if (!has_end(o) && o->failed_ns > endless_ns)
            endless_ns = o->failed_ns;
        /* The end is told in whole seconds, and a moment later. */
        if (o->dead_ns > now_ns - BASE_NS + JR_SEC + KNOWN_NS && o->failed_ns < now_ns - KNOWN_NS &&
            !o->thing.life.stripped && has_end(o))
            found = o;
    }
    /* The failure that is counted last sets the time, also to one long ago. */
    return found != NULL && found->failed_ns < endless_ns ? NULL : found;
}

/* ---- in any world ---- */

struct record {
    int64_t n;
    int64_t last_ns;
    bool sure; /* the controller's own record is no less */
};

/** What the record of who made the request must hold at least ("Backoff"). A success resets it; a
 * failure whose end isn't known leaves any time, as does an ignored one, which is never listed, and
 * one that the very sync that creates has found. */
static struct record known_record(const struct sim_seen_job *j, const struct sim_request *by)
{
    struct record rec = { .sure = !j->now->spec.pod_failure_policy.set };
    uint64_t newest = 0;

    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];

        rec.sure = rec.sure && o->succeeded_ns == 0; /* also where it has come to fail since */
        if (o->listed_by != j) /* it may be in the record of the very sync that creates */
            rec.sure = rec.sure && (o->ended_ns == 0 || !sim_bears(o->now));
        if (o->listed_by != j || !o->listed_failed || o->listed_in != sim_life_of(by))
            continue;
        rec.sure = rec.sure && o->listed_end_ns != 0 && o->listed_rv <= by->hand.jobs;
        rec.n++;
        if (o->listed_rv > newest || (o->listed_rv == newest && o->listed_end_ns > rec.last_ns))
            rec.last_ns = o->listed_end_ns;
        newest = o->listed_rv > newest ? o->listed_rv : newest;
    }
    rec.sure = rec.sure && rec.n > 0;
    return rec;
}

void sim_timing_known(struct sim_report *r, const struct sim_seen_job *j,
                      const struct sim_request *by, struct jr_time now)
{
    const struct record rec = known_record(j, by);
    int64_t delay = BASE_NS, early;

    if (!rec.sure || j->now->spec.backoff_limit_per_index.set)
        return; /* each index waits for itself */
    for (int64_t i = 1; i < rec.n && delay < CAP_NS; i++)
        delay = delay * 2 < CAP_NS ? delay * 2 : CAP_NS;
    sim_rule(r, SIM_RULE_BACKOFF_KNOWN);
    early = rec.last_ns + delay - (now.ns + by->skew_ns);
    if (early > 0)
        sim_fail(r, "no sooner than the backoff",
                 "%.*s: created %lld ms too early, after %lld failures that it knew of",
                 JR_P(j->thing.name), (long long)(early / JR_MSEC), (long long)rec.n);
}

/* ---- in worlds without faults ---- */

void sim_timing_check(struct sim_report *r, const struct sim_seen_job *j,
                      const struct sim_seen_pod *p, int64_t now_ns)
{
    int64_t due = backoff_end(j, p);
    const struct sim_seen_pod *failed = too_soon_after(j, p, now_ns);

    if (j->now->spec.backoff_limit_per_index.set)
        return; /* each index waits for itself */
    if (failed != NULL)
        sim_fail(r, "no sooner than the backoff", "%.*s: created %lld ms after %.*s failed",
                 JR_P(j->thing.name), (long long)((now_ns - failed->dead_ns) / JR_MSEC),
                 JR_P(failed->thing.name));
    if (due < j->stirred_ns)
        due = j->stirred_ns;
    if (now_ns > due + SLACK_NS)
        sim_fail(r, "no longer than the backoff", "%.*s: created at %lld s, due at %lld s",
                 JR_P(j->thing.name), (long long)(now_ns / JR_SEC), (long long)(due / JR_SEC));
}

void sim_timing_deleted(struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    const struct jr_pod *was = p->before != NULL ? p->before : p->now;

    j->cut = j->cut || (jr_pod_active(was) && sim_bears(p->now));
}

void sim_timing_answered(const struct sim_book *b, const struct sim_request *q, int status)
{
    struct sim_seen_job *j =
        q->verb == SIM_VERB_PUT && status == 409 ? sim_book_at(b, q->path) : NULL;
    JR_CLEANUP(jr_job_unrefp) struct jr_job *refused = NULL;

    if (j == NULL)
        return;
    if (jr_job_decode(q->body, &refused, NULL) != JR_OK)
        abort();
    if (sim_is_finishing(refused))
        j->cut = false;
}

void sim_timing_status(struct sim_report *r, const struct sim_seen_job *j)
{
    if (j->cut && !sim_is_finishing(j->now))
        sim_fail(r, "surplus goes uncounted",
                 "%.*s doesn't end, and a Pod of it was deleted with its finalizer on",
                 JR_P(j->thing.name));
}

/** So many Pods there ought to be, or more where successes were not seen yet. */
static int64_t wanted(const struct sim_seen_job *j)
{
    const struct jr_job_status *st = &j->now->status;
    int64_t want = jr_i32_or(j->now->spec.parallelism, 1), left = want;

    if (j->now->spec.completions.set)
        left = (int64_t)j->now->spec.completions.v - st->succeeded -
               (int64_t)st->uncounted.succeeded.n;
    else if (st->succeeded > 0 || st->uncounted.succeeded.n > 0)
        return 0; /* a work queue that runs out */
    return left < want ? left : want;
}

/** Whether something has happened lately that the controller may not have known of. */
static bool is_at_rest(const struct sim_seen_job *j, int64_t now_ns)
{
    if (now_ns - j->wishes[j->n_wishes - 1].from_ns < AT_REST_NS)
        return false;
    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *p = j->pods[i];
        const bool has_left = !sim_controls(j, p) || !is_selected(j, p);

        /* It may have succeeded as well, after it had failed. */
        if (p->ended_ns > now_ns - AT_REST_NS || p->succeeded_ns > now_ns - AT_REST_NS ||
            (has_left && p->thing.life.versions[p->thing.life.n - 1].at_ns > now_ns - AT_REST_NS))
            return false;
    }
    return true;
}

/** A controller has taken its finalizer off, to delete it. One that lost it to somebody else is an
 * active Pod like others ("Terms"). */
static bool is_on_its_way_out(const struct sim_seen_pod *p)
{
    return !p->thing.life.stripped && !sim_bears(p->now);
}

/** Active, and to stay. */
static bool is_left(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    return sim_thing_stands(&p->thing) && sim_controls(j, p) && jr_pod_active(p->now) &&
           !is_on_its_way_out(p) && is_selected(j, p);
}

/** What goes however many Pods there are: one of no index, of one out of range, or of one that
 * another has, too ("Creating Pods"). */
static bool always_goes(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    int64_t index;

    if (!jr_str_is(j->now->spec.completion_mode, "Indexed"))
        return false;
    if (!sim_index_of(p->now, &index) || index >= jr_i32_or(j->now->spec.completions, 0))
        return true;
    for (size_t i = 0; i < j->n_pods; i++) {
        if (j->pods[i] != p && is_left(j, j->pods[i]) &&
            jr_str_eq(sim_index_text(j->pods[i]->now), sim_index_text(p->now)))
            return true;
    }
    return false;
}

void sim_timing_removed(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_seen_pod *p, int64_t now_ns)
{
    int64_t left = 0;

    if (!sim_thing_stands(&j->thing) || jr_bool_or(j->now->spec.suspend, false) ||
        jr_time_set(j->now->meta.deletion_timestamp) || sim_is_finishing(j->now) ||
        !is_selected(j, p) || !is_at_rest(j, now_ns) || always_goes(j, p))
        return;
    for (size_t i = 0; i < j->n_pods; i++)
        left += is_left(j, j->pods[i]);
    if (left < wanted(j))
        sim_fail(r, "only the surplus goes", "%.*s: %lld Pods are left, wanted %lld",
                 JR_P(j->thing.name), (long long)left, (long long)wanted(j));
}
