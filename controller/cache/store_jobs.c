/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs in the store: by name, by uid, and by what their selectors match. */
#include "common/base/hash.h"
#include "common/rules/selector.h"
#include "controller/cache/store_parts.h"

struct jr_job_entry {
    struct jr_cache_entry entry;
    struct jr_link by_uid;
    bool irregular;                     /* its selector is not the generated one */
    TAILQ_ENTRY(jr_job_entry) in_space; /* of the irregular ones */
    TAILQ_ENTRY(jr_job_entry) in_sizes; /* of those that could be less */
};

struct jr_str jr_store_generated_uid(const struct jr_selector *sel)
{
    if (!sel->set || sel->match_expressions.n != 0 || sel->match_labels.n != 1 ||
        !jr_str_is(sel->match_labels.v[0].key, JR_LABEL_CONTROLLER_UID) ||
        sel->match_labels.v[0].value.n == 0)
        return (struct jr_str){ NULL, 0 };
    return sel->match_labels.v[0].value;
}

JR_CACHE_TYPE(job)

static enum jr_status decode_job(struct jr_str text, void **ret, struct jr_error *err)
{
    enum jr_status st = job_decode(text, ret, err);
    struct jr_job *job = *ret;

    if (st == JR_OK)
        jr_must(jr_selector_prepare(&job->spec.selector, &job->arena));
    return st;
}

struct jr_job *jr_store_slim(const struct jr_job *job, bool unused)
{
    struct jr_job *slim = NULL;

    jr_must(jr_job_slim(job, unused, &slim));
    jr_must(jr_selector_prepare(&slim->spec.selector, &slim->arena));
    return slim;
}

static struct jr_object_key job_key(const void *job)
{
    return jr_object_key_of(&((const struct jr_job *)job)->meta);
}

/** The list of Jobs of that size: there are four to each power of two. */
static struct jr_job_entries *of_size(struct jr_store *s, size_t bytes)
{
    const size_t log2 = (size_t)(63 - __builtin_clzll(bytes | 4));

    return &s->sizes[log2 * 4 + (bytes >> (log2 - 2)) % 4];
}

/** Whether its selector could be read again when it is needed. Of a Job that is being deleted it is
 * held against Pods between syncs, too: no sync sees to those that it doesn't match. */
static bool can_drop_selector(const struct jr_job *job)
{
    return jr_job_has_long_selector(job) && !jr_time_set(job->meta.deletion_timestamp);
}

/** Whether something of it could be read again. */
static bool has_more(const struct jr_job *job)
{
    return !job->template_dropped || can_drop_selector(job);
}

static void unindex_job(struct jr_store *s, struct jr_job_entry *e, const struct jr_job *job)
{
    jr_map_remove(&s->job_uids, &e->by_uid);
    s->job_bytes -= job->arena.used;
    if (has_more(job))
        TAILQ_REMOVE(of_size(s, job->arena.used), e, in_sizes);
    if (e->irregular) {
        struct jr_space *sp = jr_store_find_space(s, job->meta.namespace);

        TAILQ_REMOVE(&sp->irregular, e, in_space);
        jr_store_drop_space(s, sp);
    }
    e->irregular = false;
}

static void index_job(struct jr_cache *c, struct jr_cache_entry *entry, const void *old)
{
    struct jr_job_entry *e = jr_of(entry, struct jr_job_entry, entry);
    struct jr_store *s = c->owner;
    const struct jr_job *job = entry->object;

    if (old != NULL)
        unindex_job(s, e, old);
    if (job == NULL)
        return;
    s->job_bytes += job->arena.used;
    if (has_more(job))
        TAILQ_INSERT_TAIL(of_size(s, job->arena.used), e, in_sizes);
    if (!jr_str_eq(jr_store_generated_uid(&job->spec.selector), job->meta.uid)) {
        TAILQ_INSERT_TAIL(&jr_store_need_space(s, job->meta.namespace)->irregular, e, in_space);
        e->irregular = true;
    }
    jr_xmap_add(&s->job_uids, &e->by_uid, jr_hash(job->meta.uid));
}

const struct jr_cache_kind jr_store_jobs_kind = { .resource = "jobs",
                                                  .decode = decode_job,
                                                  .key = job_key,
                                                  .ref = job_ref,
                                                  .unref = job_unref,
                                                  .entry_size = sizeof(struct jr_job_entry),
                                                  .index = index_job };

static struct jr_job_entry *largest(const struct jr_store *s)
{
    for (size_t i = JR_ARRAY_SIZE(s->sizes); i-- > 0;) {
        if (!TAILQ_EMPTY(&s->sizes[i]))
            return TAILQ_FIRST(&s->sizes[i]);
    }
    return NULL;
}

void jr_store_shed_templates(struct jr_store *s)
{
    /* The rest is for the whole Jobs that syncs hold, which the cache has no more. */
    const size_t most = s->job_bytes_max - s->job_bytes_max / 32;
    struct jr_job_entry *e;

    while (s->job_bytes > most && (e = largest(s)) != NULL) {
        const struct jr_job *job = e->entry.object;
        JR_CLEANUP(jr_job_unrefp)
        struct jr_job *slim = jr_store_slim(job, can_drop_selector(job));

        jr_cache_replace(&s->caches[JR_STORE_JOBS], &e->entry, slim);
    }
}

static const struct jr_job *job_of_uid(const struct jr_store *s, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&s->job_uids, jr_hash(uid));

    for (; l != NULL; l = jr_map_again(l)) {
        const struct jr_job *job = jr_of(l, struct jr_job_entry, by_uid)->entry.object;

        if (jr_str_eq(job->meta.uid, uid))
            return job;
    }
    return NULL;
}

const struct jr_job *jr_store_job(const struct jr_store *s, struct jr_str namespace,
                                  struct jr_str name)
{
    return jr_cache_get(&s->caches[JR_STORE_JOBS], namespace, name);
}

const struct jr_job *jr_store_owner(const struct jr_store *s, const struct jr_pod *pod)
{
    const struct jr_job *job;

    if (!jr_pod_controller_is(pod, "Job"))
        return NULL;
    job = jr_store_job(s, pod->namespace, jr_pod_str(pod, pod->controller.name));
    if (job == NULL || !jr_str_eq(job->meta.uid, jr_pod_str(pod, pod->controller.uid)))
        return NULL;
    return job;
}

void jr_store_each_match(const struct jr_store *s, const struct jr_pod *pod,
                         void (*fn)(void *ctx, const struct jr_job *job), void *ctx)
{
    struct jr_str uid = jr_pod_label(pod, JR_S(JR_LABEL_CONTROLLER_UID));
    const struct jr_job *regular = uid.n == 0 ? NULL : job_of_uid(s, uid);
    const struct jr_space *sp = jr_store_find_space(s, pod->namespace);
    const struct jr_job_entry *e;

    if (pod->labels.n == 0)
        return;
    if (regular != NULL && jr_str_eq(regular->meta.namespace, pod->namespace) &&
        jr_str_eq(jr_store_generated_uid(&regular->spec.selector), uid))
        fn(ctx, regular);
    if (sp == NULL)
        return;
    TAILQ_FOREACH(e, &sp->irregular, in_space)
    {
        const struct jr_job *job = e->entry.object;

        if (job->selector_dropped ? !jr_job_finished(&job->status)
                                  : (jr_selector_matches_pod(&job->spec.selector, pod) &&
                                     jr_selector_valid(&job->spec.selector)))
            fn(ctx, job);
    }
}
