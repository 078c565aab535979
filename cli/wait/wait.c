/* SPDX-License-Identifier: Apache-2.0 */
/* Informers of Jobs and Pods, and the moments at which the waiting ends. */
#include "cli/wait/wait.h"

#include "cli/wait/failures.h"
#include "cli/wait/stuck.h"
#include "common/kube/framing.h"
#include "common/kube/informer.h"
#include "common/kube/object_cache.h"

#define LOOK_NS JR_SEC
#define DRAIN_LOOK_NS (50 * JR_MSEC)
#define DRAIN_NS (30 * JR_SEC)
#define EVENTS_EVERY 10 /* looks */
#define EVENTS_MAX "5000"
#define SELECTOR_MAX 1000

/** A namespace. */
struct place {
    struct jr_wait *w;
    struct jr_str namespace; /* borrowed */
    struct jr_informer *jobs, *pods;
    struct jr_cache cache;        /* of Pods */
    struct jr_evidence *evidence; /* events, as they were listed last */
    struct jr_cache_round round;
    bool all_pods;               /* are watched: a Job's Pods need not bear its labels */
    uint64_t listed, drained_by; /* lists of Pods: the last complete one, and that to wait for */
};

struct jr_wait {
    struct jr_env env;
    struct jr_wait_options o;
    struct place **places;
    size_t n, cap;
    struct jr_logs *logs; /* NULL: they are not followed */
    struct jr_failure_reader failures;
    struct jr_requester events;
    struct place *asked; /* for its events */
    struct jr_timer *look, *timeout;
    size_t looks;
    bool selected; /* by the selector, which counts no more */
    bool pods_denied;
    bool events_denied;
    bool draining;
    struct jr_mono drain_end;
};

/* ---- Pods ---- */

JR_CACHE_TYPE(pod_view)

static struct jr_object_key pod_key(const void *object)
{
    return jr_object_key_of(&((const struct jr_pod_view *)object)->meta);
}

static const struct jr_cache_kind pod_kind = {
    .resource = "pods",
    JR_CACHE_FUNCTIONS(pod_view),
    .key = pod_key,
    .entry_size = sizeof(struct jr_cache_entry),
};

/** The awaited Job whose Pod it is; NULL: there is none. */
static struct jr_wait_job *job_of(const struct place *p, const struct jr_pod_view *pod)
{
    const struct jr_owner_ref *owner = jr_meta_controller(&pod->meta);
    struct jr_wait_job *j = owner == NULL || !jr_str_is(owner->kind, "Job")
                                ? NULL
                                : jr_wait_jobs_find(p->w->o.jobs, pod->meta.namespace, owner->name);

    return j != NULL && j->uid != NULL && jr_str_is(owner->uid, j->uid) ? j : NULL;
}

static void take_pod(struct place *p, const struct jr_pod_view *pod)
{
    struct jr_wait_job *j = job_of(p, pod);

    if (j == NULL)
        return;
    jr_failures_take(&p->w->failures, j, pod);
    if (p->w->logs != NULL)
        jr_logs_take(p->w->logs, pod);
}

static void on_pod_changed(void *ctx, const void *old, const void *object)
{
    (void)old;
    take_pod(ctx, object);
}

static void on_pod_gone(void *ctx, const void *object)
{
    struct place *p = ctx;

    take_pod(p, object);
    if (p->w->logs != NULL && job_of(p, object) != NULL)
        jr_logs_gone(p->w->logs, object);
}

static const struct jr_cache_events pod_events = { on_pod_changed, on_pod_gone };

static void on_pods_begin(void *ctx)
{
    struct place *p = ctx;

    p->round = jr_cache_begin(&p->cache, (struct jr_str){ NULL, 0 });
}

static void on_pods_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    JR_CLEANUP(jr_pod_view_unrefp) struct jr_pod_view *pod = NULL;
    struct place *p = ctx;

    if (jr_need(jr_pod_view_decode(object, &pod, NULL)) != JR_OK)
        return; /* it is of no use */
    if (type == JR_EV_DELETED)
        jr_cache_remove(&p->cache, pod, &pod_events, p);
    else
        jr_cache_apply(&p->cache, pod, &pod_events, p);
}

static void on_pods_item(void *ctx, struct jr_str object)
{
    on_pods_event(ctx, JR_EV_ADDED, object);
}

static void on_pods_end(void *ctx, struct jr_str resource_version)
{
    struct place *p = ctx;

    (void)resource_version;
    p->listed = jr_informer_list(p->pods);
    jr_cache_sweep(&p->cache, &p->round, &pod_events, p);
}

/** Appends what selects the Pods of the Jobs there; nothing: all are. */
static void pod_selector(const struct place *p, struct jr_buf *out)
{
    const struct jr_wait_jobs *jobs = p->w->o.jobs;
    size_t n = 0;

    if (p->all_pods)
        return;
    (void)jr_buf_adds(out, JR_LABEL_JOB_NAME " in (");
    for (size_t i = 0; i < jobs->n; i++) {
        const struct jr_object_key key = jr_keyed_key(jobs->v[i]);

        if (jr_str_eq(key.namespace, p->namespace))
            (void)jr_buf_addf(out, "%s%.*s", n++ == 0 ? "" : ",", JR_P(key.name));
    }
    (void)jr_buf_addc(out, ')');
    if (out->n > SELECTOR_MAX) {
        jr_buf_reset(out);
        (void)jr_buf_adds(out, JR_LABEL_JOB_NAME);
    }
}

static struct jr_informer *start_informer(struct place *p, const char *api, const char *resource,
                                          const struct jr_informer_options *options,
                                          const struct jr_informer_handler *handler)
{
    struct jr_informer_options o = *options;
    struct jr_informer *inf;
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_resource_path(api, p->namespace, resource, &path);
    jr_must(path.failed);
    o.path = path.p;
    o.name = resource;
    inf = jr_informer_new(&p->w->env, &o, handler, NULL, NULL);
    jr_informer_start(inf);
    return inf;
}

static void watch_pods(struct place *p)
{
    const struct jr_informer_handler handler = { .on_replace_begin = on_pods_begin,
                                                 .on_replace_item = on_pods_item,
                                                 .on_replace_end = on_pods_end,
                                                 .on_event = on_pods_event,
                                                 .ctx = p };
    struct jr_informer_options options = { .page_size = 0 };
    JR_BUF selector = { 0 };

    jr_buf_init(&selector, JR_BUF_BY_INPUT);
    pod_selector(p, &selector);
    jr_must(selector.failed);
    options.label_selector = selector.n == 0 ? NULL : selector.p;
    jr_informer_free(p->pods);
    p->pods = start_informer(p, "/api/v1", "pods", &options, &handler);
}

/* ---- Jobs ---- */

/** The Job was seen for the first time: its Pods may be known. */
static void take_its_pods(struct place *p, const struct jr_wait_job *j)
{
    for (struct jr_cache_entry *e = jr_cache_next(&p->cache, NULL); e != NULL;
         e = jr_cache_next(&p->cache, e)) {
        if (job_of(p, e->object) == j)
            take_pod(p, e->object);
    }
}

/** Takes in a Job of a list or an event; *ret: it is waited for, and was decoded; else NULL. */
static struct jr_wait_job *read_job(struct place *p, struct jr_str text, struct jr_job **ret)
{
    struct jr_wait *w = p->w;
    struct jr_job *job = NULL;
    struct jr_wait_job *j;

    if (w->draining || jr_need(jr_job_decode(text, &job, NULL)) != JR_OK)
        return NULL;
    if (w->o.selector != NULL && !w->selected)
        (void)jr_wait_jobs_add(w->o.jobs, job->meta.namespace, job->meta.name, job->meta.uid);
    j = jr_wait_jobs_find(w->o.jobs, job->meta.namespace, job->meta.name);
    if (j == NULL)
        jr_job_unref(job);
    else
        *ret = job;
    return j;
}

static void take_job(struct place *p, struct jr_str text)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_wait_job *j = read_job(p, text, &job);
    bool first;

    if (j == NULL)
        return;
    first = j->job == NULL;
    j->list = jr_informer_list(p->jobs);
    jr_wait_job_take(j, job, p->w->o.jobs->early);
    if (!first || j->job == NULL)
        return;
    if (jr_bool_or(job->spec.manual_selector, false) && !p->all_pods) {
        p->all_pods = true;
        if (p->pods != NULL)
            watch_pods(p);
    }
    take_its_pods(p, j);
}

static void drain_if_over(struct jr_wait *w);

static void on_jobs_begin(void *ctx)
{
    (void)ctx;
}

static void on_jobs_item(void *ctx, struct jr_str object)
{
    take_job(ctx, object);
}

static void on_jobs_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct place *p = ctx;

    if (type == JR_EV_DELETED) {
        JR_CLEANUP(jr_job_unrefp) struct jr_job *last = NULL;
        struct jr_wait_job *j = read_job(p, object, &last);

        if (j != NULL)
            jr_wait_job_gone(j, last, p->w->o.jobs->early);
    } else {
        take_job(p, object);
    }
    drain_if_over(p->w);
}

static void on_jobs_end(void *ctx, struct jr_str resource_version)
{
    struct place *p = ctx;
    struct jr_wait *w = p->w;
    const struct jr_wait_jobs *jobs = w->o.jobs;
    struct jr_error why = { .status = JR_OK };

    (void)resource_version;
    if (w->draining)
        return;
    for (size_t i = 0; i < jobs->n; i++) {
        struct jr_wait_job *j = jobs->v[i];

        if (!jr_str_eq(jr_keyed_key(j).namespace, p->namespace))
            continue;
        j->listed = true;
        /* One whose uid is known was there. */
        if (j->uid != NULL && j->list != jr_informer_list(p->jobs))
            jr_wait_job_gone(j, NULL, false);
    }
    w->selected = true;
    if (jobs->n == 0) {
        (void)jr_fail(&why, JR_INVALID, "--selector", "no Job in namespace %s matches %s",
                      w->o.namespace, w->o.selector);
        w->draining = true;
        w->o.over(w->o.ctx, &why);
        return;
    }
    if (p->pods == NULL)
        watch_pods(p);
    drain_if_over(w);
}

static void watch_jobs(struct place *p)
{
    const struct jr_wait_jobs *jobs = p->w->o.jobs;
    const struct jr_informer_handler handler = { .on_replace_begin = on_jobs_begin,
                                                 .on_replace_item = on_jobs_item,
                                                 .on_replace_end = on_jobs_end,
                                                 .on_event = on_jobs_event,
                                                 .ctx = p };
    struct jr_informer_options options = { .label_selector = p->w->o.selector };
    JR_FREE char *field = NULL;

    /* So a right to one Job, by its name, is enough for it. */
    if (jobs->n == 1)
        field = jr_xasprintf("metadata.name=%.*s", JR_P(jr_keyed_key(jobs->v[0]).name));
    options.field_selector = field;
    p->jobs = start_informer(p, "/apis/batch/v1", "jobs", &options, &handler);
}

/* ---- stuck ---- */

/** Whether events may say why the Job stands still: none of its Pods is ready. */
static bool stands_still(const struct jr_wait_job *j)
{
    return j->job != NULL && !jr_wait_is_over(j) && jr_i32_or(j->job->status.ready, 0) == 0;
}

static void take_event(void *ctx, struct jr_str text)
{
    if (jr_need(jr_evidence_add(ctx, "Event", text, NULL)) != JR_OK)
        return; /* one that can't be decoded says nothing */
}

static void on_events(void *ctx, const struct jr_kube_result *r)
{
    struct jr_wait *w = ctx;
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = NULL;
    struct jr_list_page page;

    if (r->kind != JR_RESULT_OK)
        return;
    ev = jr_wait_evidence_new(true);
    if (jr_list_read(r->body, take_event, ev, &page, NULL) != JR_OK)
        return;
    jr_evidence_free(w->asked->evidence);
    w->asked->evidence = jr_steal(&ev);
}

/** Asks for the events of the namespace, for all Jobs in one request. */
static void ask_events(struct jr_wait *w, struct place *p)
{
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_resource_path("/api/v1", p->namespace, "events", &path);
    (void)jr_buf_adds(&path, "?limit=" EVENTS_MAX);
    jr_must(path.failed);
    w->asked = p;
    jr_requester_get(&w->events, path.p, on_events);
}

static void look_for_events(struct jr_wait *w)
{
    struct place *p = w->places[w->looks / EVENTS_EVERY % w->n];
    bool needed = false;

    if (w->looks % EVENTS_EVERY != 0 || w->events.call != NULL || w->events_denied)
        return;
    for (size_t i = 0; i < w->o.jobs->n && !needed; i++)
        needed = stands_still(w->o.jobs->v[i]) &&
                 jr_str_eq(jr_keyed_key(w->o.jobs->v[i]).namespace, p->namespace);
    if (needed)
        ask_events(w, p);
}

/** Makes the place's evidence of its events, and of the Jobs that stand still with their Pods.
 * Returns whether there are any. */
static bool gather_evidence(struct place *p)
{
    bool any = false;

    if (p->evidence == NULL)
        p->evidence = jr_wait_evidence_new(false);
    jr_evidence_forget_jobs(p->evidence);
    jr_evidence_forget_pods(p->evidence);
    jr_evidence_forget_unseen(p->evidence, "Pod");
    if (p->listed == 0)
        jr_evidence_note_unseen(p->evidence, "Pod", JR_S("not listed yet"));
    for (size_t i = 0; i < p->w->o.jobs->n; i++) {
        const struct jr_wait_job *j = p->w->o.jobs->v[i];

        if (!stands_still(j) || !jr_str_eq(jr_keyed_key(j).namespace, p->namespace))
            continue;
        jr_evidence_put_job(p->evidence, j->job);
        any = true;
    }
    for (struct jr_cache_entry *e = any ? jr_cache_next(&p->cache, NULL) : NULL; e != NULL;
         e = jr_cache_next(&p->cache, e)) {
        const struct jr_wait_job *j = job_of(p, e->object);

        if (j != NULL && stands_still(j))
            jr_evidence_put_pod(p->evidence, e->object);
    }
    jr_evidence_seal(p->evidence);
    return any;
}

static void check_stuck(struct place *p)
{
    struct jr_wait *w = p->w;
    const bool any = gather_evidence(p);

    for (size_t i = 0; i < w->o.jobs->n; i++) {
        struct jr_wait_job *j = w->o.jobs->v[i];

        if (!jr_str_eq(jr_keyed_key(j).namespace, p->namespace))
            continue;
        jr_buf_reset(&j->why);
        if (any && stands_still(j))
            (void)jr_wait_is_stuck(p->evidence, j->job, jr_loop_wall(w->env.loop), &j->why);
        jr_must(j->why.failed);
        jr_wait_job_check_stuck(j, jr_loop_mono(w->env.loop), w->o.stuck_ns);
    }
}

/* ---- the end ---- */

static void finish(struct jr_wait *w)
{
    jr_timer_cancel(w->env.loop, &w->look);
    jr_timer_cancel(w->env.loop, &w->timeout);
    if (w->logs != NULL)
        jr_logs_give_up(w->logs);
    w->o.over(w->o.ctx, NULL);
}

/** Whether no Pod of an awaited Job runs any more. */
static bool are_at_rest(const struct jr_wait_jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        if (!jr_wait_is_over(jobs->v[i]) ||
            (jobs->v[i]->end == JR_WAIT_FAILED && !jr_job_finished(&jobs->v[i]->job->status)))
            return false;
    }
    return true;
}

/** Whether all is known that will be told: of Pods, and of their logs. */
static bool is_drained(const struct jr_wait *w)
{
    for (size_t i = 0; i < w->n && !w->pods_denied; i++) {
        const struct place *p = w->places[i];

        if (p->listed < p->drained_by)
            return false;
    }
    return jr_failures_idle(&w->failures) &&
           (w->logs == NULL || !are_at_rest(w->o.jobs) || jr_logs_idle(w->logs));
}

static void on_drain(void *ctx)
{
    struct jr_wait *w = ctx;

    w->look = NULL;
    if (is_drained(w) || jr_loop_mono(w->env.loop).ns >= w->drain_end.ns)
        finish(w);
    else
        jr_xloop_after(w->env.loop, DRAIN_LOOK_NS, on_drain, w, &w->look);
}

/** Whether Pods have to be known to say how it ended. */
static bool needs_pods(const struct jr_wait *w)
{
    bool needed = w->logs != NULL;

    for (size_t i = 0; i < w->o.jobs->n && !needed; i++)
        needed = w->o.jobs->v[i]->end == JR_WAIT_FAILED;
    return needed && !w->pods_denied;
}

/** Ends the waiting, once all that the Pods left is known: they are listed anew for that, as their
 * watch may be behind that of the Jobs. */
static void drain_if_over(struct jr_wait *w)
{
    if (w->draining || !jr_wait_jobs_over(w->o.jobs, w->o.any))
        return;
    w->draining = true;
    jr_timer_cancel(w->env.loop, &w->timeout);
    for (size_t i = 0; i < w->n && needs_pods(w); i++) {
        if (w->places[i]->pods != NULL)
            w->places[i]->drained_by = jr_informer_relist(w->places[i]->pods);
    }
    w->drain_end.ns = jr_loop_mono(w->env.loop).ns + DRAIN_NS;
    jr_timer_cancel(w->env.loop, &w->look);
    jr_xloop_after(w->env.loop, 0, on_drain, w, &w->look);
}

static void on_look(void *ctx)
{
    struct jr_wait *w = ctx;

    w->look = NULL;
    jr_xloop_after(w->env.loop, LOOK_NS, on_look, w, &w->look);
    w->looks++;
    look_for_events(w);
    for (size_t i = 0; i < w->n; i++)
        check_stuck(w->places[i]);
    drain_if_over(w);
}

static void on_timeout(void *ctx)
{
    struct jr_wait *w = ctx;

    w->timeout = NULL;
    w->draining = true;
    finish(w);
}

bool jr_wait_can_do_without(struct jr_wait *w, const char *path)
{
    const bool pods = strstr(path, "/pods") != NULL;
    const bool events = strstr(path, "/events") != NULL;

    if (jr_str_starts(jr_str(path), JR_S("/apis/batch/")))
        return false;
    w->pods_denied |= pods && strstr(path, "/log?") == NULL;
    w->events_denied |= events;
    return pods || events;
}

/* ---- all ---- */

static struct place *need_place(struct jr_wait *w, struct jr_str namespace)
{
    struct place *p;

    for (size_t i = 0; i < w->n; i++) {
        if (jr_str_eq(w->places[i]->namespace, namespace))
            return w->places[i];
    }
    p = jr_xcalloc(1, sizeof(*p));
    p->w = w;
    p->namespace = namespace;
    p->cache.kind = &pod_kind;
    w->places = jr_xvec_room(w->places, w->n, &w->cap, sizeof(struct place *));
    w->places[w->n++] = p;
    return p;
}

struct jr_wait *jr_wait_new(const struct jr_env *env, const struct jr_wait_options *options)
{
    struct jr_wait *w = jr_xcalloc(1, sizeof(*w));

    w->env = *env;
    w->o = *options;
    w->failures.jobs = options->jobs;
    w->failures.followed = options->follow;
    w->failures.q.env = w->events.env = *env;
    w->events.ctx = w;
    if (options->follow)
        w->logs = jr_logs_new(env, &options->out);
    if (options->selector != NULL)
        (void)need_place(w, jr_str(options->namespace));
    for (size_t i = 0; i < options->jobs->n; i++)
        (void)need_place(w, jr_keyed_key(options->jobs->v[i]).namespace);
    for (size_t i = 0; i < w->n; i++)
        watch_jobs(w->places[i]);
    jr_xloop_after(env->loop, LOOK_NS, on_look, w, &w->look);
    if (options->timeout_ns > 0)
        jr_xloop_after(env->loop, options->timeout_ns, on_timeout, w, &w->timeout);
    return w;
}

void jr_wait_free(struct jr_wait *w)
{
    if (w == NULL)
        return;
    jr_logs_free(w->logs);
    jr_failures_done(&w->failures);
    jr_requester_done(&w->events);
    jr_timer_cancel(w->env.loop, &w->look);
    jr_timer_cancel(w->env.loop, &w->timeout);
    for (size_t i = 0; i < w->n; i++) {
        jr_informer_free(w->places[i]->jobs);
        jr_informer_free(w->places[i]->pods);
        jr_cache_done(&w->places[i]->cache);
        jr_evidence_free(w->places[i]->evidence);
        free(w->places[i]);
    }
    free(w->places);
    free(w);
}
