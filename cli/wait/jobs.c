/* SPDX-License-Identifier: Apache-2.0 */
/* The course of an awaited Job, by its conditions and its uid. */
#include "cli/wait/jobs.h"

#include "common/job/facts.h"

void jr_wait_failure_free(struct jr_wait_failure *f)
{
    free(f->uid);
    free(f->pod);
    free(f->container);
    free(f->what);
    free(f->lines);
    free(f->no_lines);
    free(f);
}

void jr_wait_jobs_done(struct jr_wait_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct jr_wait_job *j = jobs->v[i];
        struct jr_wait_failure *f;

        while ((f = STAILQ_FIRST(&j->failures)) != NULL) {
            STAILQ_REMOVE_HEAD(&j->failures, link);
            jr_wait_failure_free(f);
        }
        jr_job_unref(j->job);
        jr_buf_done(&j->why);
        free(j->uid);
    }
    jr_keyed_done(&jobs->map, NULL);
    free(jobs->v);
    *jobs = (struct jr_wait_jobs){ .n = 0 };
}

struct jr_wait_job *jr_wait_jobs_find(const struct jr_wait_jobs *jobs, struct jr_str namespace,
                                      struct jr_str name)
{
    const struct jr_object_key key = { namespace, name, { NULL, 0 } };

    return jr_keyed_find(&jobs->map, &key);
}

struct jr_wait_job *jr_wait_jobs_add(struct jr_wait_jobs *jobs, struct jr_str namespace,
                                     struct jr_str name, struct jr_str uid)
{
    const struct jr_object_key key = { namespace, name, { NULL, 0 } };
    struct jr_wait_job *j = jr_wait_jobs_find(jobs, namespace, name);

    if (j != NULL)
        return j;
    j = jr_keyed_need(&jobs->map, sizeof(*j), &key);
    j->uid = uid.n > 0 ? jr_xstrndup(uid) : NULL;
    jr_buf_init(&j->why, JR_BUF_BY_INPUT);
    STAILQ_INIT(&j->failures);
    jobs->v = jr_xvec_room(jobs->v, jobs->n, &jobs->cap, sizeof(struct jr_wait_job *));
    jobs->v[jobs->n++] = j;
    return j;
}

/* ---- courses ---- */

static bool is_same(const struct jr_wait_job *j, const struct jr_job *seen)
{
    return j->uid == NULL || jr_str_is(seen->meta.uid, j->uid);
}

/** Keeps the state, and ends the Job by it. */
static void keep(struct jr_wait_job *j, const struct jr_job *seen, bool early)
{
    const struct jr_job_conditions *c = &seen->status.conditions;
    struct jr_job *kept = NULL;

    /* A Job that goes on is kept whole: its diagnosis reads the template. */
    if (jr_job_finished(&seen->status))
        jr_must(jr_job_slim(seen, true, &kept));
    else
        kept = jr_job_ref(seen);
    jr_job_unref(j->job);
    j->job = kept;
    if (j->uid == NULL)
        j->uid = jr_xstrndup(seen->meta.uid);
    if (jr_job_condition_true(c, "Complete"))
        j->end = JR_WAIT_COMPLETE;
    else if (jr_job_condition_true(c, "Failed") ||
             (early && jr_job_condition_true(c, "FailureTarget")))
        j->end = JR_WAIT_FAILED;
}

void jr_wait_job_take(struct jr_wait_job *j, const struct jr_job *seen, bool early)
{
    if (jr_wait_is_over(j))
        return;
    if (is_same(j, seen)) {
        keep(j, seen, early);
        return;
    }
    j->end = JR_WAIT_GONE;
    j->replaced = true;
}

void jr_wait_job_gone(struct jr_wait_job *j, const struct jr_job *last, bool early)
{
    if (jr_wait_is_over(j) || (last != NULL && !is_same(j, last)))
        return;
    if (last != NULL)
        keep(j, last, early);
    if (jr_wait_is_over(j))
        return;
    j->end = JR_WAIT_GONE;
    j->unseen = last == NULL;
}

void jr_wait_job_check_stuck(struct jr_wait_job *j, struct jr_mono now, int64_t stuck_ns)
{
    if (jr_wait_is_over(j))
        return;
    if (j->why.n == 0)
        j->why_for.ns = 0;
    else if (j->why_for.ns == 0)
        j->why_for = now;
    j->end = j->why_for.ns != 0 && stuck_ns > 0 && now.ns - j->why_for.ns >= stuck_ns
                 ? JR_WAIT_STUCK
                 : JR_WAIT_MOVES;
}

/* ---- the end ---- */

bool jr_wait_jobs_over(const struct jr_wait_jobs *jobs, bool any)
{
    size_t over = 0;

    for (size_t i = 0; i < jobs->n; i++)
        over += jobs->v[i]->end != JR_WAIT_MOVES;
    return over > 0 && (any || over == jobs->n);
}

int jr_wait_jobs_code(const struct jr_wait_jobs *jobs, bool any)
{
    static const struct {
        enum jr_wait_end end;
        int code;
    } order[] = { { JR_WAIT_FAILED, 1 }, { JR_WAIT_GONE, 4 }, { JR_WAIT_STUCK, 3 } };
    bool moves = jobs->n == 0; /* the list that says which hasn't come */

    for (size_t k = 0; k < JR_ARRAY_SIZE(order); k++) {
        for (size_t i = 0; i < jobs->n; i++) {
            if (jobs->v[i]->end == order[k].end)
                return order[k].code;
        }
    }
    for (size_t i = 0; i < jobs->n; i++)
        moves |= jobs->v[i]->end == JR_WAIT_MOVES;
    return moves && !(any && jr_wait_jobs_over(jobs, true)) ? 124 : 0;
}

/* ---- words ---- */

void jr_wait_job_name(const struct jr_wait_jobs *jobs, const struct jr_wait_job *j,
                      struct jr_buf *out)
{
    const struct jr_object_key key = jr_keyed_key(j), first = jr_keyed_key(jobs->v[0]);
    bool several = false;

    for (size_t i = 1; i < jobs->n && !several; i++)
        several = !jr_str_eq(jr_keyed_key(jobs->v[i]).namespace, first.namespace);
    (void)jr_buf_addf(out, "job/%.*s", JR_P(key.name));
    if (several)
        (void)jr_buf_addf(out, " in namespace %.*s", JR_P(key.namespace));
}

static void add_after(const struct jr_wait_job *j, struct jr_time end, struct jr_buf *out)
{
    const int64_t ns = jr_time_diff(end, j->job->status.start_time);

    if (!jr_time_set(j->job->status.start_time) || !jr_time_set(end) || ns < 0)
        return;
    (void)jr_buf_adds(out, " after ");
    jr_seconds_write(ns / JR_SEC, out);
}

static void add_condition(const struct jr_wait_job *j, const char *type, struct jr_buf *out)
{
    const struct jr_job_condition *c = jr_job_condition_get(&j->job->status.conditions, type);

    add_after(j, c->last_transition_time, out);
    if (c->reason.n > 0)
        (void)jr_buf_addf(out, ": %.*s", JR_P(c->reason));
    if (c->message.n > 0)
        (void)jr_buf_addf(out, ": %.*s", JR_P(c->message));
}

static void add_gone(const struct jr_wait_job *j, struct jr_buf *out)
{
    if (j->replaced)
        (void)jr_buf_adds(out, "deleted: there is another Job of its name");
    else if (j->unseen && j->job != NULL && j->job->spec.ttl_after_finished_s.set)
        (void)jr_buf_adds(out, "gone, and its end wasn't seen: deleted, or over and removed by its "
                               "ttlSecondsAfterFinished");
    else
        (void)jr_buf_adds(out, "deleted before it was over");
}

static void add_moves(const struct jr_wait_job *j, struct jr_time now, struct jr_buf *out)
{
    const struct jr_job_status *s = j->job == NULL ? NULL : &j->job->status;

    if (s == NULL) {
        (void)jr_buf_adds(out, j->listed ? "not over: it doesn't exist"
                                         : "not over: the API server hasn't listed it");
        return;
    }
    (void)jr_buf_addf(out, "not over: %s%d active, %d succeeded, %d failed",
                      jr_bool_or(j->job->spec.suspend, false) ? "suspended, " : "", s->active,
                      s->succeeded, s->failed);
    if (jr_time_set(s->start_time) && jr_time_cmp(s->start_time, now) <= 0) {
        (void)jr_buf_adds(out, ", begun ");
        jr_seconds_write(jr_time_diff(now, s->start_time) / JR_SEC, out);
        (void)jr_buf_adds(out, " ago");
    }
    if (j->why.n > 0)
        (void)jr_buf_addf(out, "; %.*s", JR_P(jr_buf_str(&j->why)));
}

void jr_wait_job_words(const struct jr_wait_job *j, struct jr_time now, struct jr_buf *out)
{
    switch (j->end) {
    case JR_WAIT_MOVES:
        add_moves(j, now, out);
        break;
    case JR_WAIT_STUCK:
        (void)jr_buf_adds(out, "stuck: ");
        (void)jr_buf_add(out, jr_buf_str(&j->why));
        break;
    case JR_WAIT_COMPLETE:
        (void)jr_buf_adds(out, "Complete");
        add_after(j, j->job->status.completion_time, out);
        break;
    case JR_WAIT_FAILED:
        (void)jr_buf_adds(out, "Failed");
        add_condition(j,
                      jr_job_condition_true(&j->job->status.conditions, "Failed") ? "Failed"
                                                                                  : "FailureTarget",
                      out);
        break;
    case JR_WAIT_GONE:
        add_gone(j, out);
        break;
    }
}
