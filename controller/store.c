/* The store: its caches, the Jobs' indexes, and how new each stream's part is. */
#include "common/base/hash.h"
#include "common/rules/selector.h"
#include "controller/store_parts.h"

struct jr_job_entry {
    struct jr_cache_entry entry;
    struct jr_link by_uid;
    bool irregular;                     /* its selector is not the generated one */
    TAILQ_ENTRY(jr_job_entry) in_space; /* of the irregular ones */
};

/* ---- namespaces ---- */

struct jr_space *jr_store_find_space(const struct jr_store *s, struct jr_str name)
{
    const struct jr_job_key key = jr_key_of_text(name);

    return jr_keyed_find(&s->spaces, &key);
}

struct jr_space *jr_store_need_space(struct jr_store *s, struct jr_str name)
{
    const struct jr_job_key key = jr_key_of_text(name);
    struct jr_space *sp = jr_store_find_space(s, name);

    if (sp != NULL)
        return sp;
    sp = jr_keyed_need(&s->spaces, sizeof(*sp), &key);
    TAILQ_INIT(&sp->irregular);
    TAILQ_INIT(&sp->orphans);
    return sp;
}

void jr_store_drop_space(struct jr_store *s, struct jr_space *sp)
{
    if (TAILQ_EMPTY(&sp->irregular) && TAILQ_EMPTY(&sp->orphans))
        jr_keyed_drop(&s->spaces, sp);
}

struct jr_str jr_store_generated_uid(const struct jr_selector *sel)
{
    if (!sel->set || sel->match_expressions.n != 0 || sel->match_labels.n != 1 ||
        !jr_str_is(sel->match_labels.v[0].key, JR_LABEL_CONTROLLER_UID) ||
        sel->match_labels.v[0].value.n == 0)
        return (struct jr_str){ NULL, 0 };
    return sel->match_labels.v[0].value;
}

/* ---- Jobs ---- */

JR_CACHE_TYPE(job)

static enum jr_status decode_job(struct jr_str text, void **ret, struct jr_error *err)
{
    enum jr_status st = job_decode(text, ret, err);
    struct jr_job *job = *ret;

    if (st == JR_OK)
        jr_must(jr_selector_prepare(&job->spec.selector, &job->arena));
    return st;
}

static struct jr_job_key job_key(const void *job)
{
    return jr_job_key_of(job);
}

static void unindex_job(struct jr_store *s, struct jr_job_entry *e, const struct jr_job *job)
{
    jr_map_remove(&s->job_uids, &e->by_uid);
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
    if (!jr_str_eq(jr_store_generated_uid(&job->spec.selector), job->meta.uid)) {
        TAILQ_INSERT_TAIL(&jr_store_need_space(s, job->meta.namespace)->irregular, e, in_space);
        e->irregular = true;
    }
    jr_xmap_add(&s->job_uids, &e->by_uid, jr_hash(job->meta.uid));
}

static const struct jr_cache_kind jobs_kind = { .api = "/apis/batch/v1",
                                                .resource = "jobs",
                                                .decode = decode_job,
                                                .key = job_key,
                                                .ref = job_ref,
                                                .unref = job_unref,
                                                .entry_size = sizeof(struct jr_job_entry),
                                                .index = index_job };

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
    job = jr_store_job(s, pod->namespace, pod->controller.name);
    return job != NULL && jr_str_eq(job->meta.uid, pod->controller.uid) ? job : NULL;
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

        if (jr_selector_matches_pod(&job->spec.selector, pod) &&
            jr_selector_valid(&job->spec.selector))
            fn(ctx, job);
    }
}

/* ---- the whole ---- */

struct jr_store *jr_store_new(struct jr_str finalizer)
{
    static const struct jr_cache_kind *const kinds[JR_STORE_KINDS] = {
        [JR_STORE_JOBS] = &jobs_kind,
        [JR_STORE_PODS] = &jr_store_pods_kind,
        [JR_STORE_WORKLOADS] = &jr_store_workloads_kind,
        [JR_STORE_POD_GROUPS] = &jr_store_pod_groups_kind,
    };
    struct jr_store *s = jr_xcalloc(1, sizeof(*s));

    s->finalizer = finalizer;
    for (size_t i = 0; i < JR_STORE_KINDS; i++)
        s->caches[i] = (struct jr_cache){ .kind = kinds[i], .owner = s };
    jr_store_split(s, &(struct jr_str){ NULL, 0 }, 1);
    return s;
}

void jr_store_free(struct jr_store *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < JR_STORE_KINDS; i++) {
        jr_cache_done(&s->caches[i]);
        jr_map_done(&s->refs[i]);
    }
    jr_map_done(&s->job_uids);
    jr_map_done(&s->owners);
    jr_map_done(&s->spaces);
    free(s->parts);
    free(s);
}

struct jr_cache *jr_store_cache(struct jr_store *s, enum jr_store_kind kind)
{
    return &s->caches[kind];
}

size_t jr_store_count(const struct jr_store *s, enum jr_store_kind kind)
{
    return s->caches[kind].map.n;
}

/* ---- how new it is ---- */

void jr_store_split(struct jr_store *s, const struct jr_str *namespaces, size_t n)
{
    free(s->parts);
    s->parts = jr_xcalloc(n, sizeof(*s->parts));
    for (size_t i = 0; i < n; i++)
        s->parts[i].namespace = namespaces[i];
    s->n_parts = n;
}

/** NULL: a namespace that nobody watches. */
static struct jr_store_part *part_of(const struct jr_store *s, struct jr_str namespace)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        if (s->parts[i].namespace.p == NULL || jr_str_eq(s->parts[i].namespace, namespace))
            return &s->parts[i];
    }
    return NULL;
}

void jr_store_progress(struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                       struct jr_str resource_version)
{
    struct jr_store_part *part = part_of(s, namespace);

    if (part != NULL && jr_parse_u64(resource_version, &part->version[kind]) != JR_OK)
        part->version[kind] = 0;
}

uint64_t jr_store_version(const struct jr_store *s, enum jr_store_kind kind,
                          struct jr_str namespace)
{
    const struct jr_store_part *part = part_of(s, namespace);

    return part == NULL ? 0 : part->version[kind];
}
