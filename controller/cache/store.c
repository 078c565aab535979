/* SPDX-License-Identifier: Apache-2.0 */
/* The store as a whole: the cache of each kind, and how new each stream's part is. Each kind's
 * indexes are in store_jobs.c, store_pods.c and store_gangs.c. */
#include "controller/cache/store_parts.h"

/* ---- namespaces ---- */

struct jr_space *jr_store_find_space(const struct jr_store *s, struct jr_str name)
{
    const struct jr_object_key key = jr_object_key_of_text(name);

    return jr_keyed_find(&s->spaces, &key);
}

struct jr_space *jr_store_need_space(struct jr_store *s, struct jr_str name)
{
    const struct jr_object_key key = jr_object_key_of_text(name);
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

/* ---- the whole ---- */

struct jr_store *jr_store_new(struct jr_str finalizer)
{
    static const struct jr_cache_kind *const kinds[JR_STORE_KINDS] = {
        [JR_STORE_JOBS] = &jr_store_jobs_kind,
        [JR_STORE_PODS] = &jr_store_pods_kind,
        [JR_STORE_WORKLOADS] = &jr_store_workloads_kind,
        [JR_STORE_POD_GROUPS] = &jr_store_pod_groups_kind,
    };
    struct jr_store *s = jr_xcalloc(1, sizeof(*s));

    s->finalizer = finalizer;
    s->job_bytes_max = SIZE_MAX;
    for (size_t i = 0; i < JR_ARRAY_SIZE(s->sizes); i++)
        TAILQ_INIT(&s->sizes[i]);
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

size_t jr_store_job_bytes(const struct jr_store *s)
{
    return s->job_bytes;
}

size_t jr_store_job_bytes_max(const struct jr_store *s)
{
    return s->job_bytes_max;
}

void jr_store_bound_jobs(struct jr_store *s, size_t bytes_max)
{
    s->job_bytes_max = bytes_max;
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
