/* SPDX-License-Identifier: Apache-2.0 */
/* A history, decoded, in the order of the store's versions. */
#include "tests/sim/model_parts.h"

static uint64_t version_of(struct jr_str text)
{
    uint64_t rv = 0;

    return jr_parse_u64(text, &rv) == JR_OK ? rv : 0;
}

static bool decode_jobs(struct sim_view *v)
{
    const struct sim_life *life = &v->h->job;

    v->jobs = jr_arena_calloc(&v->arena, life->n, sizeof(struct jr_job *));
    v->rv = jr_arena_calloc(&v->arena, life->n, sizeof(*v->rv));
    if (v->jobs == NULL || v->rv == NULL)
        return sim_wrong(v->why, "no memory");
    for (; v->n < life->n; v->n++) {
        if (jr_job_decode(life->versions[v->n].text, &v->jobs[v->n], NULL) != JR_OK)
            return sim_wrong(v->why, "a Job that can't be read");
        v->rv[v->n] = version_of(v->jobs[v->n]->meta.resource_version);
    }
    return v->n > 0 || sim_wrong(v->why, "a Job without a version");
}

static bool decode_pod(struct sim_view *v, struct sim_pod_view *p)
{
    p->v = jr_arena_calloc(&v->arena, p->life->n, sizeof(struct jr_pod *));
    p->rv = jr_arena_calloc(&v->arena, p->life->n, sizeof(*p->rv));
    if (p->v == NULL || p->rv == NULL)
        return sim_wrong(v->why, "no memory");
    for (; p->n < p->life->n; p->n++) {
        if (jr_pod_decode(p->life->versions[p->n].text, &p->v[p->n], NULL) != JR_OK)
            return sim_wrong(v->why, "a Pod that can't be read");
        p->rv[p->n] = version_of(jr_pod_str(p->v[p->n], p->v[p->n]->resource_version));
    }
    return p->n > 0 || sim_wrong(v->why, "a Pod without a version");
}

bool sim_view_init(struct sim_view *v, const struct sim_history *h, struct jr_buf *why)
{
    *v = (struct sim_view){ .h = h, .why = why };
    jr_arena_init(&v->arena, 0);
    if (!decode_jobs(v))
        return false;
    v->pods = jr_arena_calloc(&v->arena, h->n_pods, sizeof(*v->pods));
    if (v->pods == NULL)
        return sim_wrong(why, "no memory");
    for (size_t i = 0; i < h->n_pods; i++) {
        v->n_pods++;
        v->pods[i].life = &h->pods[i];
        if (!decode_pod(v, &v->pods[i]))
            return false;
    }
    return true;
}

void sim_view_done(struct sim_view *v)
{
    for (size_t i = 0; i < v->n; i++)
        jr_job_unref(v->jobs[i]);
    for (size_t i = 0; i < v->n_pods; i++)
        for (size_t k = 0; k < v->pods[i].n; k++)
            jr_pod_unref(v->pods[i].v[k]);
    jr_arena_done(&v->arena);
}

const struct jr_pod *sim_pod_at(const struct sim_pod_view *p, uint64_t rv, int64_t at_ns)
{
    size_t i = p->n;

    if (p->life->gone_ns >= 0 && p->life->gone_ns <= at_ns)
        return NULL;
    while (i > 0 && p->rv[i - 1] > rv)
        i--;
    return i > 0 ? p->v[i - 1] : NULL;
}

size_t sim_job_at(const struct sim_view *v, uint64_t rv)
{
    size_t i = v->n;

    while (i > 1 && v->rv[i - 1] > rv)
        i--;
    return i - 1;
}

size_t sim_job_seen(const struct sim_view *v, int64_t at_ns)
{
    size_t i = 0;

    if (!v->h->undisturbed)
        return 0;
    while (i + 1 < v->n && v->h->job.versions[i + 1].at_ns < at_ns - SIM_PROMPT_NS)
        i++;
    return i;
}

size_t sim_first_true(const struct sim_view *v, const char *type)
{
    size_t i = 0;

    while (i < v->n && sim_true(v->jobs[i], type) == NULL)
        i++;
    return i;
}

size_t sim_first_finishing(const struct sim_view *v)
{
    size_t a = sim_first_true(v, "FailureTarget"), b = sim_first_true(v, "SuccessCriteriaMet");

    return a < b ? a : b;
}

size_t sim_newest_until(const struct sim_pod_view *p, uint64_t rv, size_t most)
{
    size_t i = 0;

    while (i + 1 <= most && p->rv[i + 1] <= rv)
        i++;
    return i;
}

/* Whether who made the version i, not the first one, may have known the Pod as one that had not
 * ended. */
static bool may_have_run_for(const struct sim_pod_view *p, size_t i)
{
    for (size_t k = sim_newest_until(p, p->life->versions[i].hand.pods, i - 1); k < i; k++) {
        if (!jr_pod_terminal(p->v[k]))
            return true;
    }
    return false;
}

/* A removal takes the finalizer off first. Where the deletion fails then, the Pod is there still,
 * and counts by its end (upstream loses it: defect 8), unless a restart has forgotten it. Of
 * one that somebody had stripped the patch changes nothing, and its sender can't tell. */
static bool is_let_go(const struct sim_pod_view *p, size_t i, bool before)
{
    if (i == 0 || sim_tracked(p->v[i]) || jr_time_set(p->v[i]->deletion_timestamp))
        return false;
    if (p->life->stripped)
        return p->life->let_go > 0 && p->rv[i] >= p->life->let_go;
    return before || (sim_tracked(p->v[i - 1]) && may_have_run_for(p, i));
}

bool sim_was_let_go(const struct sim_pod_view *p, uint64_t rv)
{
    bool let_go = false;

    for (size_t i = 0; i < p->n && p->rv[i] <= rv; i++)
        let_go = is_let_go(p, i, let_go);
    return let_go;
}

bool sim_ever(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv,
              sim_pod_test *test)
{
    const struct jr_job *job = sim_last(v);
    bool let_go = false;

    for (size_t i = 0; i < p->n && p->rv[i] <= rv; i++) {
        let_go = is_let_go(p, i, let_go);
        if (sim_claimed(job, p->v[i]) && (sim_tracked(p->v[i]) || let_go) && test(job, p->v[i]))
            return true;
    }
    return false;
}

bool sim_has_succeeded(const struct jr_job *job, const struct jr_pod *p)
{
    (void)job;
    return p->phase == JR_POD_SUCCEEDED;
}

bool sim_has_failed(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_failed(job, p) && sim_pod_effect(job, p, NULL) != SIM_IGNORED;
}

bool sim_has_failed_ignored(const struct jr_job *job, const struct jr_pod *p)
{
    return sim_failed(job, p) && sim_pod_effect(job, p, NULL) == SIM_IGNORED;
}

bool sim_is_success(const struct sim_view *v, const struct sim_pod_view *p, uint64_t rv)
{
    return p->entries > 0 && !p->as_failed && v->rv[p->entered] <= rv;
}

int64_t sim_failures(const struct sim_view *v, uint64_t rv)
{
    int64_t n = 0;

    for (size_t i = 0; i < v->n_pods; i++)
        n += !sim_is_success(v, &v->pods[i], rv) && sim_ever(v, &v->pods[i], rv, sim_has_failed);
    return n;
}
