/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/history.h"

#include <stdio.h>

#include "common/rules/selector.h"

/* A simulation without memory is none. */
static void *need(void *p)
{
    if (p == NULL)
        abort();
    return p;
}

uint64_t sim_rv(struct jr_str resource_version)
{
    uint64_t rv = 0;

    return jr_parse_u64(resource_version, &rv) == JR_OK ? rv : 0;
}

void sim_book_init(struct sim_book *b, const struct sim_plan *plan)
{
    *b = (struct sim_book){ .plan = plan };
    jr_arena_init(&b->scratch, 0);
}

static void thing_done(struct sim_thing *t)
{
    for (size_t i = 0; i < t->life.n; i++)
        jr_dev_object_unref(t->objects[i]);
    free(t->objects);
    free(t->life.versions);
}

void sim_book_done(struct sim_book *b)
{
    for (size_t i = 0; i < b->n_jobs; i++) {
        struct sim_seen_job *j = b->jobs[i];

        if (j->before != NULL)
            jr_job_unref(j->before);
        jr_job_unref(j->now);
        thing_done(&j->thing);
        free(j->pods);
        free(j->wishes);
        free(j);
    }
    for (size_t i = 0; i < b->n_pods; i++) {
        struct sim_seen_pod *p = b->pods[i];

        if (p->before != NULL)
            jr_pod_unref(p->before);
        jr_pod_unref(p->now);
        thing_done(&p->thing);
        free(p);
    }
    free(b->jobs);
    free(b->pods);
    jr_arena_done(&b->scratch);
}

static void thing_add(struct sim_thing *t, struct jr_dev_object *o, int64_t at_ns,
                      const struct sim_hand *hand)
{
    struct sim_life *l = &t->life;

    if (l->n == t->cap) {
        t->cap = t->cap == 0 ? 8 : t->cap * 2;
        l->versions = need(reallocarray(l->versions, t->cap, sizeof(*l->versions)));
        t->objects = need(reallocarray(t->objects, t->cap, sizeof(struct jr_dev_object *)));
    }
    t->objects[l->n] = jr_dev_object_ref(o);
    l->versions[l->n++] = (struct sim_version){ .at_ns = at_ns, .text = o->text, .hand = *hand };
    if (l->n > 1)
        return;
    l->gone_ns = -1;
    l->uid = o->meta.uid;
    t->namespace = o->meta.namespace;
    t->name = o->meta.name;
}

/* ---- whose Pods ---- */

bool sim_had(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    for (size_t i = 0; i < j->n_pods; i++) {
        if (j->pods[i] == p)
            return true;
    }
    return false;
}

struct sim_seen_pod *sim_pod_of(const struct sim_seen_job *job, struct jr_str uid)
{
    for (size_t i = 0; i < job->n_pods; i++) {
        if (jr_str_eq(job->pods[i]->thing.life.uid, uid))
            return job->pods[i];
    }
    return NULL;
}

bool sim_controls(const struct sim_seen_job *job, const struct sim_seen_pod *pod)
{
    return pod->now->controller.set &&
           jr_str_eq(jr_pod_str(pod->now, pod->now->controller.uid), job->thing.life.uid);
}

static bool concerns(const struct sim_seen_job *j, const struct sim_seen_pod *p)
{
    if (sim_controls(j, p))
        return true;
    return !p->now->controller.set && sim_thing_stands(&j->thing) &&
           jr_str_eq(p->thing.namespace, j->thing.namespace) &&
           jr_selector_matches_pod(&j->now->spec.selector, p->now);
}

static void link_pod(struct sim_seen_job *j, struct sim_seen_pod *p)
{
    if (!concerns(j, p) || sim_had(j, p))
        return;
    if (j->n_pods == j->cap_pods) {
        j->cap_pods = j->cap_pods == 0 ? 16 : j->cap_pods * 2;
        j->pods = need(reallocarray(j->pods, j->cap_pods, sizeof(struct sim_seen_pod *)));
    }
    j->pods[j->n_pods++] = p;
}

/* ---- writes ---- */

struct sim_seen_job *sim_book_job(const struct sim_book *b, struct jr_str uid)
{
    for (size_t i = 0; i < b->n_jobs; i++) {
        if (jr_str_eq(b->jobs[i]->thing.life.uid, uid))
            return b->jobs[i];
    }
    return NULL;
}

struct sim_seen_job *sim_book_controller(const struct sim_book *b, const struct jr_pod *pod)
{
    return pod->controller.set ? sim_book_job(b, jr_pod_str(pod, pod->controller.uid)) : NULL;
}

struct sim_seen_job *sim_book_named(const struct sim_book *b, const char *namespace,
                                    const char *name)
{
    for (size_t i = 0; i < b->n_jobs; i++) {
        struct sim_seen_job *j = b->jobs[i];

        if (sim_thing_stands(&j->thing) && jr_str_is(j->thing.name, name) &&
            jr_str_is(j->thing.namespace, namespace))
            return j;
    }
    return NULL;
}

struct sim_seen_job *sim_book_at(const struct sim_book *b, const char *path)
{
    struct jr_str p = jr_str(path);

    if (jr_str_ends(p, JR_S("/status")))
        p = jr_str_head(p, p.n - 7);
    for (size_t i = b->n_jobs; i-- > 0;) {
        const struct sim_thing *t = &b->jobs[i]->thing;
        char want[320];

        (void)snprintf(want, sizeof(want), "/apis/batch/v1/namespaces/%.*s/jobs/%.*s",
                       JR_P(t->namespace), JR_P(t->name));
        if (jr_str_is(p, want))
            return b->jobs[i];
    }
    return NULL;
}

struct sim_seen_pod *sim_book_pod_at(const struct sim_book *b, const char *path)
{
    for (size_t i = b->n_pods; i-- > 0;) {
        const struct sim_thing *t = &b->pods[i]->thing;
        char want[320];

        (void)snprintf(want, sizeof(want), "/api/v1/namespaces/%.*s/pods/%.*s", JR_P(t->namespace),
                       JR_P(t->name));
        if (sim_thing_stands(t) && strcmp(path, want) == 0)
            return b->pods[i];
    }
    return NULL;
}

static const struct sim_job *plan_of(const struct sim_book *b, const struct jr_dev_object *o)
{
    for (size_t i = 0; i < b->plan->n_jobs; i++) {
        if (jr_str_is(o->meta.name, b->plan->jobs[i].name) &&
            jr_str_is(o->meta.namespace, b->plan->jobs[i].namespace))
            return &b->plan->jobs[i];
    }
    return NULL;
}

static void add_wish(struct sim_seen_job *j, int64_t at_ns)
{
    const struct jr_job_spec *spec = &j->now->spec;

    j->wishes = need(reallocarray(j->wishes, j->n_wishes + 1, sizeof(*j->wishes)));
    j->wishes[j->n_wishes++] = (struct sim_wish){ .from_ns = at_ns,
                                                  .rv = sim_rv(j->now->meta.resource_version),
                                                  .parallelism = jr_i32_or(spec->parallelism, 1),
                                                  .completions = jr_i32_or(spec->completions, -1),
                                                  .suspended = jr_bool_or(spec->suspend, false) };
}

static struct sim_seen_job *take_job(struct sim_book *b, struct jr_dev_object *o, int64_t at_ns,
                                     const struct sim_hand *hand)
{
    struct sim_seen_job *j = sim_book_job(b, o->meta.uid);

    if (j == NULL) {
        j = need(calloc(1, sizeof(*j)));
        j->plan = plan_of(b, o);
        b->jobs = need(reallocarray(b->jobs, b->n_jobs + 1, sizeof(struct sim_seen_job *)));
        b->jobs[b->n_jobs++] = j;
    }
    thing_add(&j->thing, o, at_ns, hand);
    if (j->before != NULL)
        jr_job_unref(j->before);
    j->before = j->now;
    j->now = NULL;
    if (jr_job_decode(o->text, &j->now, NULL) != JR_OK)
        abort();
    if (j->before == NULL || j->before->meta.generation != j->now->meta.generation) {
        add_wish(j, at_ns);
        for (size_t i = 0; i < b->n_pods; i++) {
            if (sim_thing_stands(&b->pods[i]->thing))
                link_pod(j, b->pods[i]);
        }
    }
    return j;
}

static struct sim_seen_pod *find_pod(const struct sim_book *b, struct jr_str uid)
{
    for (size_t i = b->n_pods; i-- > 0;) {
        if (jr_str_eq(b->pods[i]->thing.life.uid, uid))
            return b->pods[i];
    }
    return NULL;
}

static struct sim_seen_pod *take_pod(struct sim_book *b, struct jr_dev_object *o, int64_t at_ns,
                                     const struct sim_hand *hand)
{
    struct sim_seen_pod *p = find_pod(b, o->meta.uid);

    if (p == NULL) {
        p = need(calloc(1, sizeof(*p)));
        b->pods = need(reallocarray(b->pods, b->n_pods + 1, sizeof(struct sim_seen_pod *)));
        b->pods[b->n_pods++] = p;
    }
    thing_add(&p->thing, o, at_ns, hand);
    if (p->before != NULL)
        jr_pod_unref(p->before);
    p->before = p->now;
    p->now = NULL;
    if (jr_pod_decode(o->text, &p->now, NULL) != JR_OK)
        abort();
    if (p->ended_ns == 0 && !jr_pod_active(p->now))
        p->ended_ns = at_ns;
    if (p->succeeded_ns == 0 && p->now->phase == JR_POD_SUCCEEDED)
        p->succeeded_ns = at_ns;
    if (p->dead_ns == 0 && p->now->phase == JR_POD_FAILED)
        p->dead_ns = at_ns;
    if (p->failed_ns == 0 && p->now->phase == JR_POD_FAILED && sim_bears(p->now))
        p->failed_ns = at_ns;
    for (size_t i = 0; i < b->n_jobs; i++)
        link_pod(b->jobs[i], p);
    return p;
}

static void take_gone(struct sim_life *l, int64_t at_ns, const struct sim_hand *hand)
{
    l->gone_ns = at_ns;
    l->gone_by = *hand;
}

void sim_book_take(struct sim_book *b, const struct jr_dev_event *e, int64_t at_ns,
                   const struct sim_hand *hand, struct sim_seen_job **ret_job,
                   struct sim_seen_pod **ret_pod)
{
    struct jr_dev_object *o = e->object != NULL ? e->object : e->before;

    *ret_job = NULL;
    *ret_pod = NULL;
    if (o->res->id == JR_DEV_JOBS) {
        *ret_job = e->object != NULL ? take_job(b, o, at_ns, hand) : sim_book_job(b, o->meta.uid);
        if (e->object == NULL)
            take_gone(&(*ret_job)->thing.life, at_ns, hand);
    } else if (o->res->id == JR_DEV_PODS) {
        *ret_pod = e->object != NULL ? take_pod(b, o, at_ns, hand) : find_pod(b, o->meta.uid);
        if (e->object == NULL)
            take_gone(&(*ret_pod)->thing.life, at_ns, hand);
    }
}

const struct sim_life *sim_book_pods(struct sim_book *b, const struct sim_seen_job *job)
{
    struct sim_life *v;

    jr_arena_reset(&b->scratch);
    v = need(jr_arena_calloc(&b->scratch, job->n_pods, sizeof(*v)));
    for (size_t i = 0; i < job->n_pods; i++)
        v[i] = job->pods[i]->thing.life;
    return v;
}
