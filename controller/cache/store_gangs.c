/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and PodGroups in the store, and what they refer to. */
#include "common/base/num.h"
#include "controller/cache/store_parts.h"

struct gang_entry {
    struct jr_cache_entry entry;
    struct jr_link by_ref;
};

JR_CACHE_TYPE(gang_object)

static struct jr_object_key gang_key(const void *object)
{
    const struct jr_gang_object *o = object;

    return (struct jr_object_key){ .namespace = o->meta.namespace, .name = o->meta.name };
}

static uint64_t version(const struct jr_gang_object *o)
{
    uint64_t v = 0;

    return jr_parse_u64(o->meta.resource_version, &v) == JR_OK ? v : 0;
}

static const void *choose_gang(const struct jr_cache *c, const void *known, const void *new)
{
    (void)c;
    return known != NULL && version(known) > version(new) ? known : new;
}

/** What the object refers to: a Workload to a Job, a PodGroup to a Workload. */
static struct jr_str ref_of(const struct jr_cache_kind *kind, const struct jr_gang_object *o)
{
    return kind == &jr_store_workloads_kind ? o->controller_ref.name : o->workload_name;
}

static void index_gang(struct jr_cache *c, struct jr_cache_entry *entry, const void *old)
{
    struct gang_entry *e = jr_of(entry, struct gang_entry, entry);
    const struct jr_gang_object *o = entry->object;
    struct jr_store *s = c->owner;
    struct jr_map *refs = &s->refs[c - s->caches];

    if (old != NULL)
        jr_map_remove(refs, &e->by_ref);
    if (o != NULL)
        jr_xmap_add(refs, &e->by_ref, jr_map_hash2(o->meta.namespace, ref_of(c->kind, o)));
}

#define GANG_KIND(RESOURCE)                                                                 \
    {                                                                                       \
        .resource = (RESOURCE), JR_CACHE_FUNCTIONS(gang_object), .key = gang_key,           \
        .entry_size = sizeof(struct gang_entry), .choose = choose_gang, .index = index_gang \
    }
const struct jr_cache_kind jr_store_workloads_kind = GANG_KIND("workloads");
const struct jr_cache_kind jr_store_pod_groups_kind = GANG_KIND("podgroups");

void jr_store_gang(const struct jr_store *s, enum jr_store_kind kind, struct jr_str namespace,
                   struct jr_str to, struct jr_gang_list *out)
{
    for (struct jr_link *l = jr_map_first(&s->refs[kind], jr_map_hash2(namespace, to)); l != NULL;
         l = jr_map_again(l)) {
        const struct jr_gang_object *o = jr_of(l, struct gang_entry, by_ref)->entry.object;

        if (jr_str_eq(o->meta.namespace, namespace) &&
            jr_str_eq(ref_of(s->caches[kind].kind, o), to)) {
            out->v = jr_xvec_room(out->v, out->n, &out->cap, sizeof(struct jr_gang_object *));
            out->v[out->n++] = jr_gang_object_ref(o);
        }
    }
}

void jr_gang_list_done(struct jr_gang_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        jr_gang_object_unref(l->v[i]);
    free(l->v);
    *l = (struct jr_gang_list){ 0 };
}
