#include "controller/gangs.h"

#include "common/base/map.h"
#include "common/base/num.h"
#include "common/base/vec.h"

struct entry {
    struct jr_link by_name;
    struct jr_link by_ref;
    struct jr_gang_object *o;
    enum jr_gang_kind kind;
    bool seen;
};

struct jr_gangs {
    struct jr_map names[2]; /* by kind: namespace and name */
    struct jr_map refs[2];  /* namespace and what they refer to */
};

void jr_gang_list_done(struct jr_gang_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        jr_gang_object_unref(l->v[i]);
    free(l->v);
    *l = (struct jr_gang_list){ 0 };
}

enum jr_status jr_gangs_new(struct jr_gangs **ret)
{
    *ret = calloc(1, sizeof(**ret));
    return *ret == NULL ? JR_NOMEM : JR_OK;
}

static struct jr_str ref_of(enum jr_gang_kind kind, const struct jr_gang_object *o)
{
    return kind == JR_GANG_WORKLOAD ? o->controller_ref.name : o->workload_name;
}

static void drop(struct jr_gangs *g, struct entry *e)
{
    jr_map_remove(&g->names[e->kind], &e->by_name);
    jr_map_remove(&g->refs[e->kind], &e->by_ref);
    jr_gang_object_unref(e->o);
    free(e);
}

static bool within(const struct entry *e, struct jr_str namespace)
{
    return namespace.p == NULL || jr_str_eq(e->o->meta.namespace, namespace);
}

void jr_gangs_sweep(struct jr_gangs *g, enum jr_gang_kind kind, struct jr_str namespace)
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(&g->names[kind], NULL); l != NULL; l = next) {
        struct entry *e = jr_of(l, struct entry, by_name);

        next = jr_map_next(&g->names[kind], l);
        if (!e->seen && within(e, namespace))
            drop(g, e);
    }
}

void jr_gangs_free(struct jr_gangs *g)
{
    if (g == NULL)
        return;
    for (unsigned kind = JR_GANG_WORKLOAD; kind <= JR_GANG_POD_GROUP; kind++) {
        jr_gangs_begin(g, (enum jr_gang_kind)kind, (struct jr_str){ NULL, 0 });
        jr_gangs_sweep(g, (enum jr_gang_kind)kind, (struct jr_str){ NULL, 0 });
        jr_map_done(&g->names[kind]);
        jr_map_done(&g->refs[kind]);
    }
    free(g);
}

static struct entry *find_named(const struct jr_gangs *g, enum jr_gang_kind kind,
                                struct jr_str namespace, struct jr_str name)
{
    struct jr_link *l = jr_map_first(&g->names[kind], jr_map_hash2(namespace, name));

    for (; l != NULL; l = jr_map_again(l)) {
        struct entry *e = jr_of(l, struct entry, by_name);

        if (jr_str_eq(e->o->meta.namespace, namespace) && jr_str_eq(e->o->meta.name, name))
            return e;
    }
    return NULL;
}

static struct entry *find(const struct jr_gangs *g, enum jr_gang_kind kind,
                          const struct jr_gang_object *o)
{
    return find_named(g, kind, o->meta.namespace, o->meta.name);
}

static uint64_t version(const struct jr_gang_object *o)
{
    uint64_t v = 0;

    return jr_parse_u64(o->meta.resource_version, &v) == JR_OK ? v : 0;
}

enum jr_status jr_gangs_put(struct jr_gangs *g, enum jr_gang_kind kind,
                            const struct jr_gang_object *o)
{
    struct entry *old = find(g, kind, o), *e;

    if (old != NULL && version(old->o) > version(o)) {
        old->seen = true;
        return JR_OK;
    }
    if (old != NULL)
        drop(g, old);
    e = calloc(1, sizeof(*e));
    if (e == NULL)
        return JR_NOMEM;
    *e = (struct entry){ .o = jr_gang_object_ref(o), .kind = kind, .seen = true };
    if (jr_map_add(&g->names[kind], &e->by_name, jr_map_hash2(o->meta.namespace, o->meta.name)) !=
        JR_OK) {
        jr_gang_object_unref(e->o);
        free(e);
        return JR_NOMEM;
    }
    if (jr_map_add(&g->refs[kind], &e->by_ref, jr_map_hash2(o->meta.namespace, ref_of(kind, o))) !=
        JR_OK) {
        jr_map_remove(&g->names[kind], &e->by_name);
        jr_gang_object_unref(e->o);
        free(e);
        return JR_NOMEM;
    }
    return JR_OK;
}

void jr_gangs_remove(struct jr_gangs *g, enum jr_gang_kind kind, const struct jr_gang_object *o)
{
    struct entry *e = find(g, kind, o);

    if (e != NULL)
        drop(g, e);
}

void jr_gangs_begin(struct jr_gangs *g, enum jr_gang_kind kind, struct jr_str namespace)
{
    for (struct jr_link *l = jr_map_next(&g->names[kind], NULL); l != NULL;
         l = jr_map_next(&g->names[kind], l)) {
        struct entry *e = jr_of(l, struct entry, by_name);

        e->seen = e->seen && !within(e, namespace);
    }
}

static enum jr_status append(struct jr_gang_list *l, const struct jr_gang_object *o)
{
    struct jr_gang_object **v = jr_vec_room(l->v, l->n, &l->cap, sizeof(struct jr_gang_object *));

    if (v == NULL)
        return JR_NOMEM;
    l->v = v;
    l->v[l->n++] = jr_gang_object_ref(o);
    return JR_OK;
}

enum jr_status jr_gangs_find(const struct jr_gangs *g, enum jr_gang_kind kind,
                             struct jr_str namespace, struct jr_str to, struct jr_gang_list *out)
{
    enum jr_status st = JR_OK;

    for (struct jr_link *l = jr_map_first(&g->refs[kind], jr_map_hash2(namespace, to));
         l != NULL && st == JR_OK; l = jr_map_again(l)) {
        const struct entry *e = jr_of(l, struct entry, by_ref);

        if (jr_str_eq(e->o->meta.namespace, namespace) && jr_str_eq(ref_of(kind, e->o), to))
            st = append(out, e->o);
    }
    return st;
}

/* ---- the informers' side ---- */

static const char *resource_of(const struct jr_gang_feed *f)
{
    return f->kind == JR_GANG_WORKLOAD ? "workloads" : "podgroups";
}

static void unread(struct jr_gang_feed *f, const struct jr_object_id *id, bool gone,
                   const struct jr_error *why)
{
    struct entry *e = find_named(f->gangs, f->kind, id->namespace, id->name);

    if (gone) {
        if (e != NULL)
            drop(f->gangs, e);
        jr_unreadables_remove(f->unreadables, resource_of(f), id->namespace, id->name);
        return;
    }
    if (e != NULL)
        e->seen = true; /* what is known of it stays */
    jr_unreadables_add(f->unreadables, resource_of(f), id, why, e == NULL, f->log);
}

static enum jr_status take(struct jr_gang_feed *f, struct jr_str object, bool gone,
                           struct jr_error *err)
{
    JR_CLEANUP(jr_gang_object_unrefp) struct jr_gang_object *o = NULL;
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = jr_gang_object_decode(object, &o, &why);

    if (st == JR_OK && o->meta.name.n == 0)
        st = jr_fail(&why, JR_INVALID, "metadata.name", "expected a name");
    if (st != JR_OK && st != JR_NOMEM) {
        const struct jr_object_id id = jr_object_identify(object);

        unread(f, &id, gone, &why);
        return JR_OK;
    }
    if (st == JR_OK) {
        jr_unreadables_remove(f->unreadables, resource_of(f), o->meta.namespace, o->meta.name);
        if (gone)
            jr_gangs_remove(f->gangs, f->kind, o);
        else
            st = jr_gangs_put(f->gangs, f->kind, o);
    }
    if (st == JR_OK)
        return JR_OK;
    f->on_broken(f->ctx, &(struct jr_error){ .status = st, .msg = "the cache" });
    return jr_fail(err, st, NULL, "the cache");
}

static void on_begin(void *ctx)
{
    struct jr_gang_feed *f = ctx;

    jr_gangs_begin(f->gangs, f->kind, f->namespace);
    jr_unreadables_begin(f->unreadables, resource_of(f), f->namespace);
}

static enum jr_status on_item(void *ctx, struct jr_str object, struct jr_error *err)
{
    return take(ctx, object, false, err);
}

static void on_end(void *ctx, struct jr_str resource_version)
{
    struct jr_gang_feed *f = ctx;

    (void)resource_version;
    jr_gangs_sweep(f->gangs, f->kind, f->namespace);
    if (jr_unreadables_sweep(f->unreadables, resource_of(f), f->namespace, NULL, NULL) == JR_OK)
        f->on_listed(f->ctx);
}

static enum jr_status on_event(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    return take(ctx, object, type == JR_EV_DELETED, err);
}

static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    const struct jr_object_id id = jr_event_identify(line);

    unread(ctx, &id, false, why);
}

static void on_broken(void *ctx, const struct jr_error *err)
{
    const struct jr_gang_feed *f = ctx;

    f->on_broken(f->ctx, err);
}

struct jr_informer_handler jr_gang_feed_handler(struct jr_gang_feed *f)
{
    return (struct jr_informer_handler){ .on_replace_begin = on_begin,
                                         .on_replace_item = on_item,
                                         .on_replace_end = on_end,
                                         .on_event = on_event,
                                         .on_unread = on_unread,
                                         .on_broken = on_broken,
                                         .ctx = f };
}
