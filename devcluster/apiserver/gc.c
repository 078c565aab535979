/* What an API server and the generic controllers do by themselves: garbage collection by owner
 * references, namespaces that go, events that expire. */
#include "common/base/vec.h"
#include "devcluster/apiserver/delete.h"

#define EVENT_LIFE_NS (3600 * JR_SEC)
#define EXPIRY_NS (60 * JR_SEC)

#define ORPHAN "orphan"
#define FOREGROUND "foregroundDeletion"

/* Counted references to objects. */
struct batch {
    struct jr_dev_object **v;
    size_t n;
    size_t cap;
};

static void batch_done(struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        jr_dev_object_unref(b->v[i]);
    free(b->v);
}

static enum jr_status batch_add(struct batch *b, struct jr_dev_object *o)
{
    struct jr_dev_object **v = jr_vec_room(b->v, b->n, &b->cap, sizeof(struct jr_dev_object *));

    if (v == NULL)
        return JR_NOMEM;
    b->v = v;
    b->v[b->n++] = jr_dev_object_ref(o);
    return JR_OK;
}

static bool is_current(const struct jr_dev_store *s, const struct jr_dev_object *o)
{
    return jr_dev_find_uid(s, o->meta.uid) == o;
}

static const struct jr_owner_ref *ref_to(const struct jr_dev_object *o, struct jr_str uid)
{
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        if (jr_str_eq(o->meta.owner_refs.v[i].uid, uid))
            return &o->meta.owner_refs.v[i];
    }
    return NULL;
}

/* Everything that passes the filter. */
static enum jr_status gather(const struct jr_dev_store *s, struct batch *b,
                             bool (*filter)(const struct jr_dev_object *o, const void *arg),
                             const void *arg)
{
    enum jr_status st = JR_OK;

    for (size_t r = 0; r < JR_DEV_RESOURCE_COUNT; r++) {
        for (size_t i = 0; i < s->lists[r].n && st == JR_OK; i++) {
            if (filter(s->lists[r].v[i], arg))
                st = batch_add(b, s->lists[r].v[i]);
        }
    }
    return st;
}

/* ---- owners ---- */

struct owners {
    size_t solid;
    size_t waiting;
    struct jr_strs drop; /* uids of those that are gone or waiting */
};

static enum jr_status classify(const struct jr_dev_store *s, const struct jr_dev_object *o,
                               struct jr_arena *arena, struct owners *ret)
{
    *ret = (struct owners){ .solid = 0 };
    ret->drop.v = jr_arena_calloc(arena, o->meta.owner_refs.n, sizeof(*ret->drop.v));
    if (ret->drop.v == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        enum jr_dev_owner state = jr_dev_owner_state(s, o, &o->meta.owner_refs.v[i]);

        ret->solid += state == JR_DEV_OWNER_SOLID ? 1 : 0;
        ret->waiting += state == JR_DEV_OWNER_WAITING ? 1 : 0;
        if (state != JR_DEV_OWNER_SOLID)
            ret->drop.v[ret->drop.n++] = o->meta.owner_refs.v[i].uid;
    }
    return JR_OK;
}

static bool has_dependents(const struct jr_dev_store *s, const struct jr_dev_object *o)
{
    const struct jr_dev_map_slot *slot = jr_dev_map_get(&s->owned, o->meta.uid);

    return slot != NULL && slot->count > 0;
}

static bool all_solid(const struct jr_dev_store *s, const struct jr_dev_object *o)
{
    for (size_t i = 0; i < o->meta.owner_refs.n; i++) {
        if (jr_dev_owner_state(s, o, &o->meta.owner_refs.v[i]) != JR_DEV_OWNER_SOLID)
            return false;
    }
    return true;
}

/* An object whose owners may be gone. */
static enum jr_status judge_dependent(struct jr_dev_store *s, struct jr_dev_object *o,
                                      struct jr_time now)
{
    JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };
    JR_ARENA arena = { 0 };
    struct jr_dev_delete_options options = { .policy = JR_S("Background") };
    struct owners owners;
    enum jr_status st;
    bool wait;

    if ((jr_dev_object_dying(o) && !jr_dev_waits_foreground(o)) || all_solid(s, o))
        return JR_OK;
    jr_arena_init(&arena, 0);
    st = classify(s, o, &arena, &owners);
    if (st != JR_OK || owners.drop.n == 0)
        return st;
    if (owners.solid > 0)
        return jr_dev_release(s, o, NULL, &owners.drop, now);
    wait = owners.waiting > 0 && has_dependents(s, o);
    if (!wait && jr_dev_object_has_finalizer(o, ORPHAN))
        options.policy = JR_S("Orphan");
    else if (wait || jr_dev_object_has_finalizer(o, FOREGROUND))
        options.policy = JR_S("Foreground");
    return jr_dev_delete_object(s, o, &options, false, now, &d);
}

/* ---- dependents ---- */

static bool depends_on(const struct jr_dev_object *o, const void *uid)
{
    return ref_to(o, *(const struct jr_str *)uid) != NULL;
}

/* Strips the owner off its dependents, then lets it go. */
static enum jr_status orphan_dependents(struct jr_dev_store *s, struct jr_dev_object *owner,
                                        struct jr_time now)
{
    JR_CLEANUP(batch_done) struct batch b = { NULL, 0, 0 };
    struct jr_str uid = owner->meta.uid;
    const struct jr_strs owners = { &uid, 1 };
    enum jr_status st = gather(s, &b, depends_on, &uid);

    for (size_t i = 0; i < b.n && st == JR_OK; i++)
        st = jr_dev_release(s, b.v[i], NULL, &owners, now);
    return st == JR_OK ? jr_dev_release(s, owner, ORPHAN, NULL, now) : st;
}

/* Lets the owner go when nothing is left that blocks it. */
static enum jr_status finish_foreground(struct jr_dev_store *s, struct jr_dev_object *owner,
                                        struct jr_time now)
{
    const struct jr_dev_map_slot *slot = jr_dev_map_get(&s->owned, owner->meta.uid);

    if (slot != NULL && slot->blocking > 0)
        return JR_OK;
    return jr_dev_release(s, owner, FOREGROUND, NULL, now);
}

static bool concerns_collector(const struct jr_dev_object *o, const void *arg)
{
    (void)arg;
    return o->meta.owner_refs.n > 0 || jr_dev_waits_orphan(o) || jr_dev_waits_foreground(o);
}

static enum jr_status collect_one(struct jr_dev_store *s, struct jr_dev_object *o,
                                  struct jr_time now)
{
    if (jr_dev_waits_orphan(o))
        return orphan_dependents(s, o, now);
    if (jr_dev_waits_foreground(o)) {
        enum jr_status st = finish_foreground(s, o, now);
        if (st != JR_OK || !is_current(s, o))
            return st;
    }
    return o->meta.owner_refs.n > 0 ? judge_dependent(s, o, now) : JR_OK;
}

/* One pass over all that has owners or waits for dependents. */
static enum jr_status collect(struct jr_dev_store *s, struct jr_time now)
{
    JR_CLEANUP(batch_done) struct batch b = { NULL, 0, 0 };
    enum jr_status st;

    s->gc_due = false;
    st = gather(s, &b, concerns_collector, NULL);
    for (size_t i = 0; i < b.n && st == JR_OK; i++) {
        if (is_current(s, b.v[i]))
            st = collect_one(s, b.v[i], now);
    }
    if (st != JR_OK)
        s->gc_due = true;
    return st;
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

static enum jr_status empty_namespace(struct jr_dev_store *s, struct jr_dev_object *ns,
                                      struct jr_time now)
{
    JR_CLEANUP(batch_done) struct batch b = { NULL, 0, 0 };
    const struct jr_dev_delete_options options = { .policy = JR_S("Background") };
    struct jr_str name = ns->meta.name;
    enum jr_status st = gather(s, &b, lies_in, &name);
    size_t left = b.n;

    for (size_t i = 0; i < b.n && st == JR_OK; i++) {
        JR_CLEANUP(jr_dev_deleted_done) struct jr_dev_deleted d = { .removed = false };

        if (jr_dev_object_dying(b.v[i]))
            continue;
        st = jr_dev_delete_object(s, b.v[i], &options, false, now, &d);
        left -= d.removed ? 1 : 0;
    }
    if (st != JR_OK || left > 0 || ns->meta.finalizers.n > 0)
        return st;
    return jr_dev_erase(s, ns, NULL);
}

static enum jr_status leave_namespaces(struct jr_dev_store *s, struct jr_time now)
{
    JR_CLEANUP(batch_done) struct batch b = { NULL, 0, 0 };
    enum jr_status st = gather(s, &b, leaving_namespace, NULL);

    for (size_t i = 0; i < b.n && st == JR_OK; i++)
        st = empty_namespace(s, b.v[i], now);
    return st;
}

/* ---- events ---- */

static enum jr_status expire_events(struct jr_dev_store *s, struct jr_time now)
{
    struct jr_dev_list *l = &s->lists[JR_DEV_EVENTS];
    enum jr_status st = JR_OK;
    size_t i = 0;

    if (jr_time_cmp(now, s->next_expiry) < 0)
        return JR_OK;
    s->next_expiry = (struct jr_time){ now.ns + EXPIRY_NS };
    while (i < l->n && st == JR_OK) {
        if (now.ns - l->v[i]->written.ns < EVENT_LIFE_NS)
            i++;
        else
            st = jr_dev_erase(s, l->v[i], NULL);
    }
    return st;
}

enum jr_status jr_dev_tick(struct jr_dev_store *s, struct jr_time now, int64_t *ret_next_ns)
{
    uint64_t before;
    enum jr_status st = expire_events(s, now);

    /* What one pass does may be work for the next one. */
    do {
        before = s->revision;
        if (st == JR_OK && s->n_leaving > 0)
            st = leave_namespaces(s, now);
        if (st == JR_OK && s->gc_due)
            st = collect(s, now);
    } while (st == JR_OK && s->revision != before);
    *ret_next_ns = s->lists[JR_DEV_EVENTS].n > 0 ? s->next_expiry.ns - now.ns : INT64_MAX;
    return st == JR_OK ? JR_OK : JR_NOMEM;
}
