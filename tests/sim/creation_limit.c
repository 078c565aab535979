/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/creation_limit.h"

#include "common/job/indexes.h"

/* However little its maker must have known: its stream goes silent for no longer. */
#define OLD_NS (200 * JR_SEC)

/** The most that was asked for since the version of the Job that its maker may have gone by. */
static struct sim_wish wish(const struct sim_seen_job *j, const struct sim_hand *hand,
                            int64_t now_ns)
{
    struct sim_wish w = j->wishes[j->n_wishes - 1];

    for (size_t i = j->n_wishes - 1;
         i > 0 && j->wishes[i].rv > hand->jobs && now_ns - j->wishes[i].from_ns < OLD_NS; i--) {
        const struct sim_wish *o = &j->wishes[i - 1];

        w.parallelism = o->parallelism > w.parallelism ? o->parallelism : w.parallelism;
        w.completions = o->completions > w.completions ? o->completions : w.completions;
        w.suspended = w.suspended && o->suspended;
    }
    return w;
}

/** The version in an object's text; 0: none. */
static uint64_t version_in(struct jr_str text)
{
    static const char key[] = "\"resourceVersion\":\"";
    const char *at = text.n == 0 ? NULL : memmem(text.p, text.n, key, sizeof(key) - 1);
    uint64_t rv = 0;

    for (at = at == NULL ? "" : at + sizeof(key) - 1; *at >= '0' && *at <= '9'; at++)
        rv = rv * 10 + (uint64_t)(*at - '0');
    return rv;
}

/** The oldest version of the Job that is newer than this one; 0: there is none. */
static uint64_t version_after(const struct sim_seen_job *j, uint64_t rv)
{
    const struct sim_life *l = &j->thing.life;

    for (size_t i = 0; i < l->n; i++) {
        uint64_t is = version_in(l->versions[i].text);

        if (is > rv)
            return is;
    }
    return 0;
}

void sim_creation_answered(const struct sim_book *b, const struct sim_request *q, int status)
{
    struct sim_seen_job *j = q->verb == SIM_VERB_PUT ? sim_book_at(b, q->path) : NULL;
    uint64_t rv;

    if (j == NULL || q->forsaken || (status != 200 && status != 409))
        return;
    rv = version_after(j, version_in(q->body));
    if (rv > 0)
        j->lesson = (struct sim_lesson){ sim_life_of(q), q->number, rv };
}

/** What who sent the request has to know, too, by the answer to the Job's status that he wrote. */
static struct sim_hand with_lesson(const struct sim_seen_job *j, const struct sim_request *by)
{
    struct sim_hand hand = by->hand;
    const struct sim_lesson *l = &j->lesson;

    if (l->of == sim_life_of(by) && by->number > l->number && !by->forsaken && hand.jobs < l->rv)
        hand.jobs = l->rv;
    return hand;
}

static bool same_index(const struct sim_seen_pod *a, const struct sim_seen_pod *b)
{
    return sim_index_text(a->now).n > 0 &&
           jr_str_eq(sim_index_text(a->now), sim_index_text(b->now));
}

/** Whether a version of the Pod passes that who made the other Pod may have gone by: the newest
 * that he must have known, or a later one. */
static bool may_seem(const struct sim_seen_pod *p, const struct sim_hand *hand,
                     bool (*test)(const struct jr_pod *))
{
    const struct sim_life *l = &p->thing.life;

    for (size_t i = l->n; i-- > 0;) {
        JR_CLEANUP(jr_pod_unrefp) struct jr_pod *was = NULL;

        if (jr_pod_decode(l->versions[i].text, &was, NULL) != JR_OK)
            abort();
        if (test(was))
            return true;
        if (sim_rv(jr_pod_str(was, was->resource_version)) <= hand->pods)
            return false;
    }
    return false;
}

static bool has_failed(const struct jr_pod *p)
{
    return p->phase == JR_POD_FAILED;
}

/** Ended well, and not counted yet, nor as failed. One that had failed before it did, or is being
 * deleted, may have been replaced by who knew no more than that; whether it was too late for that
 * is the model's to check. */
static bool is_new_success(const struct sim_seen_job *j, const struct sim_seen_pod *p,
                           const struct sim_hand *hand)
{
    if ((p->listed_by == j && p->listed_failed) ||
        (p->dead_ns != 0 && may_seem(p, hand, has_failed)))
        return false;
    return p->now->phase == JR_POD_SUCCEEDED && !jr_time_set(p->now->deletion_timestamp) &&
           sim_bears(p->now) &&
           !jr_strs_has(&j->now->status.uncounted.succeeded, p->thing.life.uid);
}

/** Active, as its maker must have known. One that had ended and runs again, since a kubelet came
 * back and told what it knew last, may have been replaced by who knew no more than that. */
static bool is_active(const struct sim_seen_pod *p, const struct sim_hand *hand)
{
    const bool has_ended = p->dead_ns != 0 || p->succeeded_ns != 0;

    return jr_pod_active(p->now) && !(has_ended && may_seem(p, hand, jr_pod_terminal));
}

struct tally {
    size_t active;
    size_t successes;      /* not counted yet */
    size_t same_active;    /* others of the index */
    size_t same_successes; /* of the index that bear their finalizers */
    size_t extra;          /* active ones that some maker of others may not know of */
    size_t same_extra;     /* of the index, at any time */
};

static struct tally tally(const struct sim_seen_job *j, const struct sim_seen_pod *p,
                          const struct sim_hand *hand)
{
    struct tally t = { 0 };

    for (size_t i = 0; i < j->n_pods; i++) {
        const struct sim_seen_pod *o = j->pods[i];
        bool success = is_new_success(j, o, hand), active = is_active(o, hand);

        t.same_extra += o->extra && (o == p || same_index(o, p));
        if (!sim_thing_stands(&o->thing) || !sim_controls(j, o))
            continue;
        t.active += active;
        t.extra += o->extra && active;
        t.successes += success;
        t.same_active += o != p && same_index(o, p) && active;
        t.same_successes += o != p && same_index(o, p) && success;
    }
    return t;
}

static bool in_list(struct jr_str list, struct jr_str index)
{
    JR_CLEANUP(jr_indexes_done) struct jr_indexes set = { 0 };
    int64_t i;

    return jr_parse_i64(index, 0, INT32_MAX, &i) == JR_OK &&
           jr_indexes_read(list, INT32_MAX, &set) == JR_OK && jr_indexes_has(&set, (int32_t)i);
}

/** Whether there are more than may be. What is beyond need, but not beyond what may come on top, is
 * counted. */
static bool too_many(struct sim_report *r, size_t n, size_t wanted, size_t on_top)
{
    if (n > wanted && n <= wanted + on_top)
        sim_excuse(r, SIM_EXCUSE_SURPLUS);
    return n > wanted + on_top;
}

static void check_number(struct sim_report *r, const struct sim_seen_job *j, const struct tally *t,
                         const struct sim_wish *w)
{
    const struct jr_job_status *st = &j->now->status;
    size_t done = (size_t)st->succeeded + st->uncounted.succeeded.n + t->successes;

    if (too_many(r, t->active, (size_t)w->parallelism, t->extra))
        sim_fail(r, "no more than needed", "%.*s: %zu are active, wanted %d, surplus %zu",
                 JR_P(j->thing.name), t->active, w->parallelism, t->extra);
    if (w->completions >= 0 && !jr_str_is(j->now->spec.completion_mode, "Indexed") &&
        too_many(r, t->active + done, (size_t)w->completions, j->surplus))
        sim_fail(r, "no more than needed",
                 "%.*s: %zu are active and %zu have succeeded, wanted %d, surplus %zu",
                 JR_P(j->thing.name), t->active, done, w->completions, j->surplus);
}

static void check_index(struct sim_report *r, const struct sim_seen_job *j,
                        const struct sim_seen_pod *p, const struct tally *t)
{
    struct jr_str index = sim_index_text(p->now);
    /* One that is counted bears its finalizer until the next write. */
    size_t counted = in_list(j->now->status.completed_indexes, index);
    size_t done = t->same_successes > counted ? t->same_successes : counted;
    size_t others = t->same_active + done + in_list(j->now->status.failed_indexes, index);

    if (too_many(r, others, 0, t->same_extra))
        sim_fail(r, "one Pod an index", "%.*s: index %.*s has %zu others, surplus %zu",
                 JR_P(j->thing.name), JR_P(index), others, t->same_extra);
}

/** Whether it is only by a spec that has changed since that it was needed. */
static bool is_by_old_wish(const struct sim_seen_job *j, const struct sim_wish *w,
                           const struct tally *t)
{
    const struct sim_wish *last = &j->wishes[j->n_wishes - 1];

    return (last->suspended && !w->suspended) ||
           (t->active > (size_t)last->parallelism && t->active <= (size_t)w->parallelism);
}

/** It has ended, or is about to. */
static bool is_over(const struct jr_job *job)
{
    return jr_job_finished(&job->status) || sim_is_finishing(job);
}

static bool says_over(const struct sim_version *v)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;

    if (jr_job_decode(v->text, &job, NULL) != JR_OK)
        abort();
    return is_over(job);
}

/** Whether who made the Pod need not have known of the Job's end: the version that he must have
 * known doesn't say so, and another process wrote it, or an earlier life of his. A status write may
 * arrive after its sender's death, and after its successor has listed. */
static bool is_unseen_end(const struct sim_seen_job *j, const struct sim_hand *hand, uint64_t maker)
{
    const struct sim_life *l = &j->thing.life;
    uint64_t writer = maker;

    for (size_t i = l->n; i-- > 0 && says_over(&l->versions[i]);) {
        if (version_in(l->versions[i].text) <= hand->jobs)
            return false;
        writer = l->versions[i].hand.life;
    }
    return writer != maker;
}

void sim_creation_check(struct sim_report *r, const struct sim_book *b,
                        const struct sim_lister *lister, struct sim_seen_pod *p,
                        const struct sim_request *by, int64_t now_ns)
{
    struct sim_seen_job *j = sim_book_controller(b, p->now);
    bool knows = sim_knows(lister, by);
    struct sim_hand hand;
    struct sim_wish w;
    struct tally t;

    if (j == NULL)
        return;
    hand = with_lesson(j, by);
    if (hand.back && jr_job_finished(&j->now->status))
        knows = false; /* nobody remembers a Job that has ended, so as to notice */
    if (knows && is_over(j->now) && is_unseen_end(j, &hand, sim_life_of(by))) {
        sim_excuse(r, SIM_EXCUSE_UNSEEN_END);
        knows = false;
    }
    if (!knows) {
        sim_trace(r, "     created by one who doesn't know all");
        p->extra = true;
        j->surplus++;
    }
    w = wish(j, &hand, now_ns);
    t = tally(j, p, &hand);
    if (is_by_old_wish(j, &w, &t))
        sim_excuse(r, SIM_EXCUSE_OLD_WISH);
    check_number(r, j, &t, &w);
    if (sim_index_text(p->now).n > 0)
        check_index(r, j, p, &t);
    if (!knows)
        return;
    if (w.suspended)
        sim_fail(r, "none while suspended", "%.*s", JR_P(j->thing.name));
    if (is_over(j->now))
        sim_fail(r, "none after the end", "%.*s", JR_P(j->thing.name));
}
