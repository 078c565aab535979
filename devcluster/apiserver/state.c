/* SPDX-License-Identifier: Apache-2.0 */
/* The API server's state, and its one writer. */
#include "devcluster/apiserver/state.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/base/hash.h"

#define DEFAULT_HISTORY 10000

/* ---- reading ---- */

struct jr_dev_object *jr_dev_find(const struct jr_dev_store *s, const struct jr_dev_resource *res,
                                  struct jr_str namespace, struct jr_str name)
{
    char key[1024];
    int n = res->namespaced ? snprintf(key, sizeof(key), "%.*s/%.*s", JR_P(namespace), JR_P(name))
                            : snprintf(key, sizeof(key), "%.*s", JR_P(name));
    const struct jr_dev_objects *l = &s->lists[res->id];
    size_t i = n < 0 || (size_t)n >= sizeof(key) ? l->n : jr_dev_objects_at(l, jr_str(key));

    return i < l->n && jr_str_is(l->v[i]->key, key) ? l->v[i] : NULL;
}

struct jr_dev_object *jr_dev_find_uid(const struct jr_dev_store *s, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&s->by_uid, jr_hash(uid));

    while (l != NULL && !jr_str_eq(jr_of(l, struct jr_dev_object, by_uid)->meta.uid, uid))
        l = jr_map_again(l);
    return l == NULL ? NULL : jr_of(l, struct jr_dev_object, by_uid);
}

struct jr_dev_owned *jr_dev_owned_by(const struct jr_dev_store *s, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&s->owned, jr_hash(uid));

    for (; l != NULL; l = jr_map_again(l)) {
        struct jr_dev_owned *o = jr_of(l, struct jr_dev_owned, link);

        if (jr_str_eq((struct jr_str){ o->uid, o->uid_n }, uid))
            return o;
    }
    return NULL;
}

const struct jr_dev_event *jr_dev_event_at(const struct jr_dev_store *s, size_t i)
{
    return &s->events[(s->first + i) & (s->events_cap - 1)];
}

size_t jr_dev_event_after(const struct jr_dev_store *s, uint64_t revision)
{
    size_t low = 0, high = s->n_events;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (jr_dev_event_at(s, mid)->revision <= revision)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* ---- history ---- */

static void forget_first(struct jr_dev_store *s)
{
    struct jr_dev_event *e = &s->events[s->first];

    s->compacted = e->revision;
    jr_dev_object_unref(e->object);
    jr_dev_object_unref(e->before);
    s->first = (s->first + 1) & (s->events_cap - 1);
    s->n_events--;
}

void jr_dev_compact(struct jr_dev_store *s, uint64_t revision)
{
    while (s->n_events > 0 && s->events[s->first].revision <= revision)
        forget_first(s);
    if (s->compacted < revision)
        s->compacted = revision < s->revision ? revision : s->revision;
}

static void make_room(struct jr_dev_store *s)
{
    size_t cap = s->events_cap == 0 ? 64 : s->events_cap * 2;
    struct jr_dev_event *v;

    if (s->n_events >= s->history)
        forget_first(s);
    if (s->n_events < s->events_cap)
        return;
    v = jr_xcalloc(cap, sizeof(*v));
    for (size_t i = 0; i < s->n_events; i++)
        v[i] = *jr_dev_event_at(s, i);
    free(s->events);
    s->events = v;
    s->events_cap = cap;
    s->first = 0;
}

static void remember_event(struct jr_dev_store *s, struct jr_dev_object *object,
                           struct jr_dev_object *before)
{
    make_room(s);
    s->events[(s->first + s->n_events++) & (s->events_cap - 1)] = (struct jr_dev_event){
        .revision = s->revision,
        .object = jr_dev_object_ref(object),
        .before = jr_dev_object_ref(before),
    };
}

/* ---- what the collector wants to know ---- */

bool jr_dev_waits_foreground(const struct jr_dev_object *o)
{
    return jr_dev_object_dying(o) && jr_dev_object_has_finalizer(o, "foregroundDeletion");
}

bool jr_dev_waits_orphan(const struct jr_dev_object *o)
{
    return jr_dev_object_dying(o) && jr_dev_object_has_finalizer(o, "orphan");
}

enum jr_dev_owner jr_dev_owner_state(const struct jr_dev_store *s, const struct jr_dev_object *o,
                                     const struct jr_owner_ref *ref)
{
    const struct jr_dev_object *owner = jr_dev_find_uid(s, ref->uid);

    if (owner == NULL || !jr_str_is(ref->kind, owner->res->kind) ||
        !jr_dev_resource_is_version(owner->res, ref->api_version))
        return jr_dev_resource_of_kind(&s->profile, ref->api_version, ref->kind) == NULL
                   ? JR_DEV_OWNER_SOLID
                   : JR_DEV_OWNER_GONE;
    if (!jr_str_eq(owner->meta.name, ref->name) ||
        (owner->res->namespaced && !jr_str_eq(owner->meta.namespace, o->meta.namespace)))
        return JR_DEV_OWNER_GONE;
    return jr_dev_waits_foreground(owner) ? JR_DEV_OWNER_WAITING : JR_DEV_OWNER_SOLID;
}

static bool is_leaving(const struct jr_dev_object *o)
{
    return o->res->id == JR_DEV_NAMESPACES && jr_dev_object_dying(o);
}

static size_t blocks(const struct jr_owner_ref *ref)
{
    return jr_bool_or(ref->block_owner_deletion, false) ? 1 : 0;
}

static void count_out(struct jr_dev_store *s, const struct jr_dev_object *o)
{
    s->n_leaving -= is_leaving(o) ? 1 : 0;
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        const struct jr_owner_ref *ref = &o->meta.owner_refs.v[i];
        struct jr_dev_owned *owned = jr_dev_owned_by(s, ref->uid);

        owned->blocking -= blocks(ref);
        if (owned->blocking == 0 && jr_dev_owner_state(s, o, ref) == JR_DEV_OWNER_WAITING)
            s->gc_due = true;
        if (--owned->count == 0) {
            jr_map_remove(&s->owned, &owned->link);
            free(owned);
        }
    }
}

static struct jr_dev_owned *owned_of(struct jr_dev_store *s, struct jr_str uid)
{
    struct jr_dev_owned *owned = jr_dev_owned_by(s, uid);

    if (owned != NULL)
        return owned;
    owned = jr_xcalloc(1, sizeof(*owned) + uid.n + 1);
    owned->uid_n = uid.n;
    if (uid.n > 0)
        memcpy(owned->uid, uid.p, uid.n);
    jr_xmap_add(&s->owned, &owned->link, jr_hash(uid));
    return owned;
}

static void count_in(struct jr_dev_store *s, const struct jr_dev_object *o)
{
    bool waits = jr_dev_waits_foreground(o) || jr_dev_waits_orphan(o);

    s->n_leaving += is_leaving(o) ? 1 : 0;
    if (waits)
        s->gc_due = true;
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        const struct jr_owner_ref *ref = &o->meta.owner_refs.v[i];
        struct jr_dev_owned *owned = owned_of(s, ref->uid);

        owned->count++;
        owned->blocking += blocks(ref);
        /* What is being deleted is let go by its finalizers, not by the collector. */
        if (!jr_dev_object_dying(o) && jr_dev_owner_state(s, o, ref) != JR_DEV_OWNER_SOLID)
            s->gc_due = true;
    }
}

/* ---- writing ---- */

struct jr_dev_object *jr_dev_insert(struct jr_dev_store *s, const struct jr_dev_resource *res,
                                    const struct jr_node *root, struct jr_time now)
{
    struct jr_dev_objects *l = &s->lists[res->id];
    struct jr_dev_object *o = jr_dev_object_new(res, root, s->revision + 1, now);

    jr_dev_objects_insert(l, jr_dev_objects_at(l, o->key), o);
    jr_xmap_add(&s->by_uid, &o->by_uid, jr_hash(o->meta.uid));
    s->revision++;
    count_in(s, o);
    remember_event(s, o, NULL);
    return o;
}

struct jr_dev_object *jr_dev_replace(struct jr_dev_store *s, struct jr_dev_object *old,
                                     const struct jr_node *root, struct jr_time now)
{
    struct jr_dev_objects *l = &s->lists[old->res->id];
    struct jr_dev_object *o = jr_dev_object_new(old->res, root, s->revision + 1, now);

    l->v[jr_dev_objects_at(l, old->key)] = o;
    jr_map_remove(&s->by_uid, &old->by_uid);
    jr_xmap_add(&s->by_uid, &o->by_uid, jr_hash(o->meta.uid));
    s->revision++;
    count_in(s, o);
    count_out(s, old);
    remember_event(s, o, old);
    jr_dev_object_unref(old);
    return o;
}

uint64_t jr_dev_erase(struct jr_dev_store *s, struct jr_dev_object *old)
{
    struct jr_dev_objects *l = &s->lists[old->res->id];
    bool owns = jr_dev_owned_by(s, old->meta.uid) != NULL;

    jr_dev_objects_remove(l, jr_dev_objects_at(l, old->key));
    jr_map_remove(&s->by_uid, &old->by_uid);
    s->revision++;
    count_out(s, old);
    if (owns)
        s->gc_due = true;
    remember_event(s, NULL, old);
    jr_dev_object_unref(old);
    return s->revision;
}

void jr_dev_uid(const struct jr_dev_store *s, char out[JR_DEV_UID_MAX])
{
    uint64_t a = s->rand.next(s->rand.self);
    uint64_t b = s->rand.next(s->rand.self);

    (void)snprintf(out, JR_DEV_UID_MAX,
                   "%08" PRIx64 "-%04" PRIx64 "-4%03" PRIx64 "-%04" PRIx64 "-%012" PRIx64, a >> 32,
                   (a >> 16) & 0xffff, a & 0xfff, 0x8000 | ((b >> 48) & 0x3fff),
                   b & UINT64_C(0xffffffffffff));
}

/* ---- the store ---- */

static void make_namespace(struct jr_dev_store *s, const char *name, struct jr_time now)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    char uid[JR_DEV_UID_MAX], when[JR_TIME_MAX], text[512];

    jr_dev_uid(s, uid);
    (void)snprintf(text, sizeof(text),
                   "{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"creationTimestamp\":\"%s\","
                   "\"labels\":{\"kubernetes.io/metadata.name\":\"%s\"}},"
                   "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{\"phase\":\"Active\"}}",
                   name, uid, jr_time_format(now, when), name);
    jr_must(jr_doc_parse(jr_str(text), &JR_READER_STRICT, &doc, NULL));
    (void)jr_dev_insert(s, &jr_dev_resources[JR_DEV_NAMESPACES], jr_doc_root(doc), now);
}

struct jr_dev_store *jr_dev_store_new(const struct jr_dev_store_options *options,
                                      struct jr_time now)
{
    static const char *const namespaces[] = { "default", "kube-system", "kube-public",
                                              "kube-node-lease", "jobreeve-system" };
    struct jr_dev_store *s = jr_xcalloc(1, sizeof(*s));

    s->rand = options->rand;
    s->profile = options->profile;
    s->revision = 1; /* as an empty etcd has it */
    s->history = options->history == 0 ? DEFAULT_HISTORY : options->history;
    s->max_body_bytes = options->max_body_bytes == 0 ? (size_t)3 << 20 : options->max_body_bytes;
    for (size_t i = 0; i < JR_ARRAY_SIZE(namespaces); i++)
        make_namespace(s, namespaces[i], now);
    return s;
}

void jr_dev_store_free(struct jr_dev_store *s)
{
    struct jr_link *link;

    if (s == NULL)
        return;
    while (s->n_events > 0)
        forget_first(s);
    free(s->events);
    for (size_t r = 0; r < JR_DEV_RESOURCE_COUNT; r++)
        jr_dev_objects_done(&s->lists[r]);
    while ((link = jr_map_next(&s->owned, NULL)) != NULL) {
        jr_map_remove(&s->owned, link);
        free(jr_of(link, struct jr_dev_owned, link));
    }
    jr_map_done(&s->by_uid);
    jr_map_done(&s->owned);
    free(s);
}

uint64_t jr_dev_revision(const struct jr_dev_store *s)
{
    return s->revision;
}
