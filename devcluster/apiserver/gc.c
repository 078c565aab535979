/* SPDX-License-Identifier: Apache-2.0 */
/* What an API server and the generic controllers do by themselves: garbage collection by owner
 * references, namespaces that go, events that expire. */
#include "devcluster/apiserver/delete.h"

#define EVENT_LIFE_NS (3600 * JR_SEC)
#define EXPIRY_NS (60 * JR_SEC)

/* Counted references to all that passes the filter: what is done with one may end others. */
static struct jr_dev_objects
gather_objects(const struct jr_dev_store *s,
               bool (*filter)(const struct jr_dev_object *o, const void *arg), const void *arg)
{
    struct jr_dev_objects all = { .n = 0 };

    for (size_t r = 0; r < JR_DEV_RESOURCE_COUNT; r++) {
        for (size_t i = 0; i < s->lists[r].n; i++) {
            if (filter(s->lists[r].v[i], arg))
                jr_dev_objects_insert(&all, all.n, jr_dev_object_ref(s->lists[r].v[i]));
        }
    }
    return all;
}
#define GATHERED JR_CLEANUP(jr_dev_objects_done) struct jr_dev_objects

/* ---- owners ---- */

/* Takes the references to owners away that are gone or waiting. */
static void drop_owners(struct jr_dev_store *s, struct jr_dev_object *o, struct jr_time now)
{
    JR_FREE struct jr_str *uids = jr_xcalloc(o->meta.owner_refs.n, sizeof(*uids));
    struct jr_strs drop = { .v = uids };

    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        const struct jr_owner_ref *ref = &o->meta.owner_refs.v[i];

        if (jr_dev_owner_state(s, o, ref) != JR_DEV_OWNER_SOLID)
            uids[drop.n++] = ref->uid;
    }
    jr_dev_release(s, o, NULL, &drop, now);
}

/* An object whose owners may be gone. */
static void check_dependent(struct jr_dev_store *s, struct jr_dev_object *o, struct jr_time now)
{
    size_t owners[JR_DEV_OWNER_WAITING + 1] = { 0 };
    struct jr_dev_delete_options options = { .policy = JR_S("Background") };
    bool wait;

    for (size_t i = 0; i < o->meta.owner_refs.n; i++)
        owners[jr_dev_owner_state(s, o, &o->meta.owner_refs.v[i])]++;
    if ((jr_dev_object_dying(o) && !jr_dev_waits_foreground(o)) ||
        owners[JR_DEV_OWNER_WAITING] + owners[JR_DEV_OWNER_GONE] == 0)
        return;
    if (owners[JR_DEV_OWNER_SOLID] > 0) {
        drop_owners(s, o, now);
        return;
    }
    wait = owners[JR_DEV_OWNER_WAITING] > 0 && jr_dev_owned_by(s, o->meta.uid) != NULL;
    if (!wait && jr_dev_object_has_finalizer(o, JR_DEV_FINALIZER_ORPHAN))
        options.policy = JR_S("Orphan");
    else if (wait || jr_dev_object_has_finalizer(o, JR_DEV_FINALIZER_FOREGROUND))
        options.policy = JR_S("Foreground");
    struct jr_dev_deleted d = jr_dev_delete_object(s, o, &options, false, now);
    jr_dev_deleted_done(&d);
}

/* ---- dependents ---- */

static bool depends_on(const struct jr_dev_object *o, const void *uid)
{
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        if (jr_str_eq(o->meta.owner_refs.v[i].uid, *(const struct jr_str *)uid))
            return true;
    }
    return false;
}

/* Strips the owner off its dependents, then lets it go. */
static void orphan_dependents(struct jr_dev_store *s, struct jr_dev_object *owner,
                              struct jr_time now)
{
    struct jr_str uid = owner->meta.uid;
    const struct jr_strs owners = { &uid, 1 };
    GATHERED b = gather_objects(s, depends_on, &uid);

    for (size_t i = 0; i < b.n; i++)
        jr_dev_release(s, b.v[i], NULL, &owners, now);
    jr_dev_release(s, owner, JR_DEV_FINALIZER_ORPHAN, NULL, now);
}

static bool concerns_collector(const struct jr_dev_object *o, const void *arg)
{
    (void)arg;
    return o->meta.owner_refs.n > 0 || jr_dev_waits_orphan(o) || jr_dev_waits_foreground(o);
}

static void collect_one(struct jr_dev_store *s, struct jr_dev_object *o, struct jr_time now)
{
    if (jr_dev_waits_orphan(o)) {
        orphan_dependents(s, o, now);
        return;
    }
    if (jr_dev_waits_foreground(o)) {
        const struct jr_dev_owned *owned = jr_dev_owned_by(s, o->meta.uid);

        /* The owner goes when nothing is left that blocks it. */
        if (owned == NULL || owned->blocking == 0) {
            jr_dev_release(s, o, JR_DEV_FINALIZER_FOREGROUND, NULL, now);
            return;
        }
    }
    if (o->meta.owner_refs.n > 0)
        check_dependent(s, o, now);
}

/* One pass over all that has owners or waits for dependents. */
static void collect(struct jr_dev_store *s, struct jr_time now)
{
    GATHERED b = gather_objects(s, concerns_collector, NULL);

    s->gc_due = false;
    for (size_t i = 0; i < b.n; i++) {
        if (jr_dev_is_current(s, b.v[i]))
            collect_one(s, b.v[i], now);
    }
}

/* ---- namespaces ---- */

static bool lies_in(const struct jr_dev_object *o, const void *namespace)
{
    return o->res->namespaced && jr_str_eq(o->meta.namespace, *(const struct jr_str *)namespace);
}

static bool leaving_namespace(const struct jr_dev_object *o, const void *arg)
{
    (void)arg;
    return o->res->id == JR_DEV_NAMESPACES && jr_dev_object_dying(o);
}

static void empty_namespace(struct jr_dev_store *s, struct jr_dev_object *ns, struct jr_time now)
{
    const struct jr_dev_delete_options options = { .policy = JR_S("Background") };
    GATHERED b = gather_objects(s, lies_in, &ns->meta.name);
    size_t left = b.n;

    for (size_t i = 0; i < b.n; i++) {
        JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };

        if (!jr_dev_object_dying(b.v[i]))
            d = jr_dev_delete_object(s, b.v[i], &options, false, now);
        left -= d.removed ? 1 : 0;
    }
    if (left == 0 && ns->meta.finalizers.n == 0)
        (void)jr_dev_erase(s, ns);
}

static void leave_namespaces(struct jr_dev_store *s, struct jr_time now)
{
    GATHERED b = gather_objects(s, leaving_namespace, NULL);

    for (size_t i = 0; i < b.n; i++)
        empty_namespace(s, b.v[i], now);
}

/* ---- events ---- */

static void expire_events(struct jr_dev_store *s, struct jr_time now)
{
    struct jr_dev_objects *l = &s->lists[JR_DEV_EVENTS];
    size_t i = 0;

    if (jr_time_cmp(now, s->next_expiry) < 0)
        return;
    s->next_expiry = (struct jr_time){ now.ns + EXPIRY_NS };
    while (i < l->n) {
        if (now.ns - l->v[i]->written.ns < EVENT_LIFE_NS)
            i++;
        else
            (void)jr_dev_erase(s, l->v[i]);
    }
}

int64_t jr_dev_tick(struct jr_dev_store *s, struct jr_time now)
{
    uint64_t before;

    expire_events(s, now);
    /* What one pass does may be work for the next one. */
    do {
        before = s->revision;
        if (s->n_leaving > 0)
            leave_namespaces(s, now);
        if (s->gc_due)
            collect(s, now);
    } while (s->revision != before);
    return s->lists[JR_DEV_EVENTS].n > 0 ? s->next_expiry.ns - now.ns : INT64_MAX;
}
