/* SPDX-License-Identifier: Apache-2.0 */
/* Questions, and what their findings come to. */
#include "common/diagnose/internal.h"

const char *jr_verdict_name(enum jr_verdict v)
{
    static const char *const names[] = {
#define X(id, name) name,
        JR_VERDICT_MAP(X)
#undef X
    };

    return names[v];
}

const char *jr_next_grade_name(enum jr_next_grade g)
{
    return g == JR_NEXT_LOOKS ? "looks" : g == JR_NEXT_CHANGES ? "changes" : "destroys";
}

void jr_question_open(struct question *q, const struct jr_evidence *ev, struct jr_arena *arena,
                      struct jr_time now, const struct jr_job *job)
{
    const struct jr_reader_opts opts = { .dup = JR_DUP_LAST };

    *q = (struct question){ .ev = ev, .arena = arena, .now = now, .job = job };
    if (job == NULL)
        return;
    if (jr_need(jr_doc_parse(job->raw, &opts, &q->doc, NULL)) == JR_OK)
        q->root = jr_doc_root_const(q->doc);
    jr_find_owner(q, &job->meta);
}

/** The one that decides first: the heavier verdict, of the Job before of Pods, of more Pods; that
 * some run says least. */
static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    const bool x_runs = strcmp(x->held.id, "running") == 0,
               y_runs = strcmp(y->held.id, "running") == 0;

    if (x->verdict != y->verdict)
        return x->verdict > y->verdict ? -1 : 1;
    if (x_runs != y_runs)
        return x_runs ? 1 : -1;
    if ((x->held.pods == 0) != (y->held.pods == 0))
        return x->held.pods == 0 ? -1 : 1;
    if (x->held.pods != y->held.pods)
        return x->held.pods > y->held.pods ? -1 : 1;
    return jr_str_cmp(x->held.text, y->held.text);
}

static struct jr_str who_of(struct question *q, const struct finding *f)
{
    switch (f->who) {
    case ACTOR_AUTHOR:
        if (q->owner.kind.n > 0)
            return jr_text(q, "owner-of:%.*s/%.*s", JR_P(q->owner.kind), JR_P(q->owner.name));
        return JR_S("author");
    case ACTOR_ADMIN:
        return JR_S("admin");
    case ACTOR_QUEUE:
        return JR_S("queue");
    case ACTOR_NOBODY:
        break;
    }
    return JR_S("nobody");
}

static void conclude(struct question *q, struct jr_diagnosis *d)
{
    const struct finding *first = &q->findings[0];

    if (q->n_findings == 0)
        (void)jr_find(q, "nothing-seen", JR_VERDICT_UNKNOWN, ACTOR_NOBODY, 0,
                      JR_S("What is to be seen of it says nothing."));
    qsort(q->findings, q->n_findings, sizeof(*q->findings), compare_findings);
    d->verdict = first->verdict;
    d->who = who_of(q, first);
    for (size_t i = 0; i < q->n_findings && !jr_time_set(d->when); i++) {
        if (q->findings[i].verdict != first->verdict)
            break;
        if (jr_time_cmp(q->findings[i].when, q->now) > 0) {
            d->when = q->findings[i].when;
            d->when_is = q->findings[i].when_is;
        }
    }
    for (size_t i = 0; i < q->n_findings && i < JR_CAUSES_MAX; i++)
        d->causes[d->n_causes++] = q->findings[i].held;
    memcpy(d->next, first->next, sizeof(d->next));
    d->n_next = first->n_next;
    memcpy(d->unseen, q->unseen, sizeof(d->unseen));
    d->n_unseen = q->n_unseen;
    jr_doc_free(q->doc);
}

/** The Job that is asked about, or of the Pod, *ret_pod, that is. */
static const struct jr_job *job_of(const struct jr_evidence *ev, const char *kind,
                                   struct jr_str namespace, struct jr_str name,
                                   const struct jr_pod_view **ret_pod)
{
    const struct jr_owner_ref *ref;
    const struct jr_job *job;

    if (strcmp(kind, "Pod") != 0)
        return jr_evidence_job(ev, namespace, name);
    *ret_pod = jr_evidence_pod(ev, namespace, name);
    ref = *ret_pod != NULL ? jr_meta_controller(&(*ret_pod)->meta) : NULL;
    job = ref != NULL && jr_str_is(ref->kind, "Job") ? jr_evidence_job(ev, namespace, ref->name)
                                                     : NULL;
    return job != NULL && jr_str_eq(job->meta.uid, ref->uid) ? job : NULL;
}

struct jr_diagnosis *jr_diagnose(const struct jr_evidence *ev, const char *kind,
                                 struct jr_str namespace, struct jr_str name, struct jr_time now)
{
    const bool cron = strcmp(kind, "CronJob") == 0;
    const struct jr_object_view *cron_job =
        cron ? jr_evidence_object(ev, kind, namespace, name) : NULL;
    const struct jr_pod_view *pod = NULL;
    const struct jr_job *job = cron ? NULL : job_of(ev, kind, namespace, name, &pod);
    struct jr_diagnosis *d;
    struct question *q;

    if (cron_job == NULL && job == NULL)
        return NULL;
    d = jr_xcalloc(1, sizeof(*d));
    jr_arena_init(&d->arena, 0);
    d->kind = jr_xarena_str(&d->arena, jr_str(kind));
    d->namespace = jr_xarena_str(&d->arena, namespace);
    d->name = jr_xarena_str(&d->arena, name);
    d->now = now;
    q = jr_xarena_calloc(&d->arena, 1, sizeof(*q));
    jr_question_open(q, ev, &d->arena, now, job);
    q->only = pod;
    if (cron_job != NULL)
        jr_diagnose_cron_job(q, cron_job);
    else
        jr_diagnose_job(q);
    conclude(q, d);
    return d;
}

struct jr_str jr_diagnose_alone(const struct jr_job *job, struct jr_time now,
                                struct jr_arena *arena)
{
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = jr_evidence_new();
    JR_CLEANUP(jr_diagnosis_freep) struct jr_diagnosis *d = NULL;

    jr_evidence_is_file(ev);
    jr_evidence_note_unseen(ev, "Pod", JR_S(""));
    jr_evidence_put_job(ev, job);
    jr_evidence_seal(ev);
    d = jr_diagnose(ev, "Job", job->meta.namespace, job->meta.name, now);
    if (d == NULL || d->verdict == JR_VERDICT_UNKNOWN || d->causes[0].pods > 0)
        return (struct jr_str){ NULL, 0 };
    return jr_xarena_str(arena, d->causes[0].text);
}

void jr_diagnosis_free(struct jr_diagnosis *d)
{
    if (d == NULL)
        return;
    jr_arena_done(&d->arena);
    free(d);
}
