/* SPDX-License-Identifier: Apache-2.0 */
/* CronJobs: what keeps them from starting Jobs, and when they start the next one. */
#include "common/diagnose/internal.h"
#include "common/job/schedule_search.h"
#include "common/job/time_zones.h"

/* A controller that works has started a Job by then. */
#define LATE_S 300
#define STARTS_SEEN INT64_C(200)

/** A CronJob that is looked at. */
struct cron {
    struct question *q;
    const struct jr_object_view *object;
    const struct jr_node *spec;
    struct jr_schedule schedule;
    struct jr_zone zone;
    struct jr_str zone_name;
    struct jr_time last;   /* status.lastScheduleTime, else its creation */
    struct jr_time next;   /* the next start; unset: none is known */
    struct jr_time missed; /* the latest start that wasn't made; unset: none */
    int64_t n_missed;
};

static void suggest_edit(const struct cron *c, struct finding *f)
{
    jr_suggest_owner(c->q, f);
    jr_add_command(c->q, f, JR_NEXT_CHANGES, "kubectl edit cronjob %.*s -n %.*s",
                   JR_W(c->q, c->object->name), JR_W(c->q, c->object->namespace));
}

static void suggest_look(const struct cron *c, struct finding *f)
{
    jr_add_command(c->q, f, JR_NEXT_LOOKS, "kubectl get cronjob %.*s -n %.*s",
                   JR_W(c->q, c->object->name), JR_W(c->q, c->object->namespace));
}

static const struct jr_event_view *event_of(const struct cron *c, const char *reason)
{
    return jr_event(c->q, "CronJob", c->object->namespace, c->object->name, reason, NULL);
}

/* ---- schedules ---- */

/** Opens schedule and zone. False: a finding says what is wrong with them. */
static bool open_schedule(struct cron *c)
{
    const struct jr_str text = jr_get_str(c->spec, "schedule");
    const struct jr_event_view *said = event_of(c, "UnknownTimeZone");
    const struct jr_event_view *e =
        said != NULL && jr_time_cmp(said->last, c->last) > 0 ? said : NULL;
    struct finding *f;
    JR_BUF why = { 0 };
    int64_t year;

    jr_buf_init(&why, JR_BUF_BY_INPUT);
    if (jr_need(jr_schedule_parse(text, &c->schedule, &why)) != JR_OK) {
        f = jr_find(c->q, "schedule", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
                    jr_text(c->q,
                            "The schedule \"%.*s\" cannot be read: %.*s. The CronJob starts "
                            "nothing until it is changed.",
                            JR_P(text), JR_P(jr_buf_str(&why))));
        suggest_edit(c, f);
        return false;
    }
    c->zone_name = jr_get_str(c->spec, "timeZone");
    if (c->zone_name.n == 0)
        c->zone_name = c->schedule.zone;
    year = jr_date_of_days(c->q->now.ns / JR_SEC / JR_DAY_S).year;
    if (e == NULL && jr_zone_open(c->zone_name, year - 1, 4, &c->zone))
        return true;
    if (e == NULL && jr_zone_open(c->zone_name, year, 4, &c->zone))
        return true;
    f = jr_find(c->q, "time-zone", JR_VERDICT_HAND, ACTOR_ADMIN, 0,
                jr_text(c->q,
                        "The CronJob's controller does not know the time zone %.*s: it has older "
                        "zone data than the API server, which took it. The CronJob starts nothing "
                        "until the controller has newer data, or the zone is given by a name that "
                        "it knows.",
                        JR_P(c->zone_name)));
    jr_since(f, e != NULL ? e->first : (struct jr_time){ 0 });
    suggest_edit(c, f);
    return false;
}

/** Fills next, missed and n_missed. */
static void reckon_starts(struct cron *c)
{
    const int64_t now = c->q->now.ns / JR_SEC, every = c->schedule.every_s;
    int64_t at = c->last.ns / JR_SEC;

    if (every > 0 && now > at) { /* all at once: there may be millions */
        c->n_missed = (now - at) / every;
        at += c->n_missed * every;
        c->missed = c->n_missed > 0 ? jr_time_s(at) : (struct jr_time){ 0 };
    }
    for (int64_t i = 0;; i++) {
        const int64_t next = jr_schedule_next(&c->schedule, &c->zone, at);

        if (next == INT64_MAX)
            return;
        if (next > now) {
            c->next = jr_time_s(next);
            return;
        }
        c->missed = jr_time_s(next);
        c->n_missed++;
        at = next;
        if (i == STARTS_SEEN && now - next > JR_DAY_S) /* the earlier ones don't matter */
            at = now - JR_DAY_S;
    }
}

/* ---- what holds it ---- */

static void find_suspended(const struct cron *c)
{
    const struct jr_time last = jr_time_at(c->object->root, "status.lastScheduleTime");
    struct finding *f = jr_find(
        c->q, "suspended", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
        jr_text(c->q,
                "The CronJob is suspended: it %s%.*s, and starts nothing until "
                "spec.suspend is false.",
                jr_time_set(last) ? "has started nothing since " : "has never started a Job",
                JR_P(jr_time_set(last) ? jr_moment(c->q, last) : JR_S(""))));

    jr_since(f, last);
    jr_add_command(
        c->q, f, JR_NEXT_CHANGES,
        "kubectl patch cronjob %.*s -n %.*s --type=merge -p '{\"spec\":{\"suspend\":false}}'",
        JR_W(c->q, c->object->name), JR_W(c->q, c->object->namespace));
}

/** The Job that counts as active, NULL: none is seen. */
static const struct jr_job *active_job(const struct cron *c)
{
    const struct jr_node *list = jr_path(c->object->root, "status.active");

    for (const struct jr_node *a = jr_first(list); a != NULL; a = jr_next(a)) {
        const struct jr_job *job =
            jr_evidence_job(c->q->ev, c->object->namespace, jr_get_str(a, "name"));

        if (job != NULL && !jr_job_finished(&job->status))
            return job;
    }
    return NULL;
}

static struct jr_str active_name(const struct cron *c)
{
    return jr_get_str(jr_at(jr_path(c->object->root, "status.active"), 0), "name");
}

/** The finding of a Job that somebody can act on, else one that doesn't move, else the first. */
static const struct finding *heaviest(const struct question *job)
{
    const struct finding *best = &job->findings[0];

    for (size_t i = 1; i < job->n_findings; i++) {
        const struct finding *f = &job->findings[i];

        if ((f->verdict == JR_VERDICT_HAND && best->verdict != JR_VERDICT_HAND) ||
            (f->verdict != JR_VERDICT_MOVES && best->verdict == JR_VERDICT_MOVES))
            best = f;
    }
    return best;
}

static void find_forbidden(const struct cron *c, const struct jr_job *job)
{
    static const struct finding nothing = { .verdict = JR_VERDICT_MOVES };
    struct question *q = c->q;
    struct question *of_job = jr_xarena_calloc(q->arena, 1, sizeof(*of_job));
    const struct finding *why;
    struct finding *f;

    jr_question_open(of_job, q->ev, q->arena, q->now, job);
    jr_diagnose_job(of_job);
    why = of_job->n_findings > 0 ? heaviest(of_job) : &nothing;
    f = jr_find(q, "forbid", why->verdict == JR_VERDICT_MOVES ? JR_VERDICT_MOVES : JR_VERDICT_HAND,
                why->who, 0,
                jr_text(q,
                        "The CronJob starts nothing%s, since its Job %.*s still counts as active, "
                        "and concurrencyPolicy is Forbid. %.*s",
                        c->n_missed > 0 ? "" : " now", JR_P(job->meta.name), JR_P(why->held.text)));
    jr_since(f, job->meta.creation_timestamp);
    for (size_t k = 0; f != NULL && k < why->n_next && f->n_next + 1 < JR_NEXT_MAX; k++)
        f->next[f->n_next++] = why->next[k];
    if (why->verdict == JR_VERDICT_HAND && why->who == ACTOR_AUTHOR) {
        jr_add_command(q, f, JR_NEXT_DESTROYS, "kubectl delete job %.*s -n %.*s",
                       JR_W(q, job->meta.name), JR_W(q, job->meta.namespace));
        if (f != NULL && f->n_next > 0)
            f->next[f->n_next - 1].loses = JR_S("what the Job has done, and its Pods' logs");
    }
    jr_doc_free(of_job->doc);
}

/** The newest Job that has ended, by its creation; NULL: none is seen. */
static const struct jr_job *last_ended(const struct cron *c)
{
    const struct jr_job *job, *last = NULL;
    size_t at = 0;

    while ((job = jr_evidence_each_job(c->q->ev, &at)) != NULL) {
        const struct jr_owner_ref *ref = jr_meta_controller(&job->meta);

        if (ref != NULL && jr_str_eq(ref->uid, c->object->uid) && jr_job_finished(&job->status) &&
            (last == NULL ||
             jr_time_cmp(job->meta.creation_timestamp, last->meta.creation_timestamp) > 0))
            last = job;
    }
    return last;
}

static bool find_refused(const struct cron *c)
{
    const struct jr_event_view *e = event_of(c, "FailedCreate");
    const struct jr_event_view *made = event_of(c, "SuccessfulCreate");
    struct finding *f;

    if (e == NULL || (made != NULL && jr_time_cmp(made->last, e->last) > 0))
        return false;
    f = jr_find(
        c->q, "refused", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
        jr_text(c->q, "The CronJob's Jobs are refused: %.*s", JR_P(jr_quote(c->q, e->message))));
    jr_since(f, e->first);
    suggest_edit(c, f);
    return true;
}

/** "; 02:30 did not exist ...": a start that a change of clocks swallowed in the last two days. */
static struct jr_str skipped_words(const struct cron *c)
{
    const int64_t now = c->q->now.ns / JR_SEC;
    char day[JR_TIME_MAX];

    for (size_t i = 0; i < c->zone.n; i++) {
        const struct jr_zone_change *to = &c->zone.v[i];
        const int32_t before = i > 0 ? c->zone.v[i - 1].offset : c->zone.first;
        const int64_t from_s = to->at + before, to_s = to->at + to->offset;

        if (to->offset <= before || to->at > now || now - to->at > 2 * JR_DAY_S)
            continue;
        for (int64_t s = from_s; s < to_s; s += 60) {
            if (!jr_schedule_matches(&c->schedule, s))
                continue;
            (void)jr_time_format_s(s, day);
            return jr_text(c->q,
                           " There was no start on %.10s: %.5s did not exist in %.*s, where the "
                           "clocks were set forward.",
                           day, day + 11, JR_P(c->zone_name));
        }
    }
    return JR_S("");
}

static struct jr_str missed_words(const struct cron *c)
{
    const struct jr_opt_i64 deadline = { jr_get(c->spec, "startingDeadlineSeconds") != NULL,
                                         jr_node_i64_or(jr_get(c->spec, "startingDeadlineSeconds"),
                                                        0) };

    if (c->n_missed == 0)
        return JR_S("");
    if (!deadline.set || jr_time_diff(c->q->now, c->missed) / JR_SEC <= deadline.v)
        return JR_S("");
    return jr_text(c->q,
                   " Starts since %.*s were missed, by more than the startingDeadlineSeconds of "
                   "%lld, and are not made up for.",
                   JR_P(jr_moment(c->q, c->last)), (long long)deadline.v);
}

static void find_next(struct cron *c)
{
    struct question *q = c->q;
    const struct jr_job *ended = last_ended(c);
    const bool failed = ended != NULL && jr_job_condition_true(&ended->status.conditions, "Failed");
    struct finding *f;

    if (!jr_time_set(c->next)) {
        f = jr_find(q, "schedule-never", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
                    jr_text(q,
                            "The CronJob never starts anything: its schedule \"%.*s\" matches no "
                            "moment, and has to be changed.",
                            JR_P(jr_get_str(c->spec, "schedule"))));
        suggest_edit(c, f);
        return;
    }
    f = jr_find(q, "scheduled", JR_VERDICT_MOVES, ACTOR_NOBODY, 0,
                jr_text(q, "Nothing holds the CronJob up: its next start is at %.*s.%.*s%.*s",
                        JR_P(jr_moment(q, c->next)), JR_P(skipped_words(c)),
                        JR_P(missed_words(c))));
    suggest_look(c, f);
    if (!failed)
        return;
    f = jr_find(q, "last-failed", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
                jr_text(q,
                        "The last Job, %.*s, has failed, and the next one is made of the same "
                        "template, at %.*s.",
                        JR_P(ended->meta.name), JR_P(jr_moment(q, c->next))));
    jr_since(f, ended->meta.creation_timestamp);
    jr_add_command(q, f, JR_NEXT_LOOKS, "jobreeve why job/%.*s -n %.*s", JR_W(q, ended->meta.name),
                   JR_W(q, ended->meta.namespace));
    suggest_edit(c, f);
}

/** A start that is due for long, and isn't made, though nothing stands against it. */
static bool find_late(const struct cron *c)
{
    struct finding *f;

    if (c->n_missed == 0 || jr_time_diff(c->q->now, c->missed) < LATE_S * JR_SEC ||
        missed_words(c).n > 0 ||
        (active_name(c).n > 0 && !jr_str_is(jr_get_str(c->spec, "concurrencyPolicy"), "Allow")))
        return false;
    f = jr_find(c->q, "no-controller", JR_VERDICT_HAND, ACTOR_ADMIN, 0,
                jr_text(c->q,
                        "The start of %.*s was due, and is not made: the controller of CronJobs "
                        "does not work, or cannot keep up.",
                        JR_P(jr_moment(c->q, c->missed))));
    jr_since(f, c->missed);
    jr_add_command(c->q, f, JR_NEXT_LOOKS, "kubectl get pods -n kube-system");
    return true;
}

/** A template that makes suspended Jobs, which no queue resumes. */
static bool find_suspended_template(const struct cron *c)
{
    const struct jr_node *template = jr_get(c->spec, "jobTemplate");
    const struct jr_node *labels = jr_path(template, "metadata.labels");
    struct finding *f;

    if (!jr_time_set(c->next) || !jr_node_bool_or(jr_path(template, "spec.suspend"), false) ||
        jr_getn(labels, JR_S("kueue.x-k8s.io/queue-name")) != NULL)
        return false;
    f = jr_find(c->q, "template-suspended", JR_VERDICT_HAND, ACTOR_AUTHOR, 0,
                jr_text(c->q,
                        "Each Job that the CronJob starts is suspended from the beginning "
                        "(spec.jobTemplate.spec.suspend): that has to be false in the template, "
                        "and the Jobs that are there have to be resumed. Its next start is at "
                        "%.*s.",
                        JR_P(jr_moment(c->q, c->next))));
    suggest_edit(c, f);
    return true;
}

/** Jobs that the next start ends, again and again. */
static bool find_replaced(const struct cron *c)
{
    const struct jr_time success = jr_time_at(c->object->root, "status.lastSuccessfulTime");
    const int64_t gap = jr_time_diff(c->next, c->last);
    const bool deleted = event_of(c, "SuccessfulDelete") != NULL;
    struct finding *f;

    if (!jr_str_is(jr_get_str(c->spec, "concurrencyPolicy"), "Replace") || !jr_time_set(c->next) ||
        gap <= 0 || active_name(c).n == 0 || jr_time_diff(c->q->now, success) / 3 < gap ||
        (!deleted && !jr_evidence_lacks(c->q->ev, "Event")))
        return false;
    if (!deleted)
        jr_unseen(c->q, "Event", "whether its Jobs are deleted or end");
    f = jr_find(
        c->q, "replaced", deleted ? JR_VERDICT_HAND : JR_VERDICT_UNKNOWN, ACTOR_AUTHOR, 0,
        jr_text(c->q,
                "No Job of the CronJob gets to its end: each takes longer than the schedule leaves "
                "it, and with concurrencyPolicy Replace the next start deletes it. The schedule "
                "needs a longer interval, or the policy has to be Forbid.%s%.*s",
                jr_time_set(success) ? " The last success was at " : "",
                JR_P(jr_time_set(success) ? jr_moment(c->q, success) : JR_S(""))));
    jr_since(f, success);
    suggest_edit(c, f);
    return true;
}

static void find_of_schedule(struct cron *c)
{
    const struct jr_job *active = active_job(c);
    const bool forbid = jr_str_is(jr_get_str(c->spec, "concurrencyPolicy"), "Forbid");
    struct finding *f;

    reckon_starts(c);
    if (forbid && active != NULL) {
        find_forbidden(c, active);
    } else if (forbid && active_name(c).n > 0 && c->n_missed > 0) {
        f = jr_find(c->q, "forbid", JR_VERDICT_UNKNOWN, ACTOR_NOBODY, 0,
                    jr_text(c->q,
                            "The CronJob starts nothing, since its Job %.*s counts as active, and "
                            "concurrencyPolicy is Forbid; the Job is not to be seen.",
                            JR_P(active_name(c))));
        jr_unseen(c->q, "Job", "what its Job does");
        jr_add_command(c->q, f, JR_NEXT_LOOKS, "jobreeve why job/%.*s -n %.*s",
                       JR_W(c->q, active_name(c)), JR_W(c->q, c->object->namespace));
    } else if (!find_refused(c) && !find_late(c) && !find_suspended_template(c) &&
               !find_replaced(c)) {
        find_next(c);
    }
    for (size_t i = 0; i < c->q->n_findings; i++) {
        f = &c->q->findings[i];
        if (!jr_time_set(f->when) && jr_time_set(c->next) && f->verdict != JR_VERDICT_UNKNOWN &&
            strcmp(f->held.id, "forbid") != 0) {
            f->when = c->next;
            f->when_is = "the next start";
        }
    }
}

void jr_diagnose_cron_job(struct question *q, const struct jr_object_view *cron_job)
{
    struct cron c = { .q = q, .object = cron_job, .spec = jr_get(cron_job->root, "spec") };
    const struct jr_time created = jr_time_at(cron_job->root, "metadata.creationTimestamp");

    c.last = jr_time_at(cron_job->root, "status.lastScheduleTime");
    c.last = jr_time_set(c.last) ? c.last : created;
    jr_find_owner_of_tree(q, cron_job->root);
    if (jr_node_bool_or(jr_get(c.spec, "suspend"), false))
        find_suspended(&c);
    else if (open_schedule(&c))
        find_of_schedule(&c);
}
