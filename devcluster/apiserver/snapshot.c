#include "devcluster/apiserver/snapshot.h"

void jr_dev_snapshot_done(struct jr_dev_snapshot *s)
{
    for (size_t i = 0; i < s->n; i++)
        jr_dev_object_unref(s->v[i]);
    free(s->v);
    *s = (struct jr_dev_snapshot){ NULL, 0 };
}

bool jr_dev_in_scope(const struct jr_dev_op *op, const struct jr_dev_object *o)
{
    return op->namespace.n == 0 || jr_str_eq(o->meta.namespace, op->namespace);
}

/* A state that is being wound back: sorted by key, borrowed. */
struct past {
    struct jr_dev_object **v;
    size_t n;
};

static size_t at_key(const struct past *p, struct jr_str key)
{
    const struct jr_dev_list l = { p->v, p->n, p->n };

    return jr_dev_list_at(&l, key);
}

static void undo(struct past *p, const struct jr_dev_event *e)
{
    const struct jr_dev_object *o = e->object != NULL ? e->object : e->before;
    size_t i = at_key(p, o->key);

    switch (e->type) {
    case JR_DEV_ADDED:
        memmove(p->v + i, p->v + i + 1, (p->n - i - 1) * sizeof(struct jr_dev_object *));
        p->n--;
        break;
    case JR_DEV_MODIFIED:
        p->v[i] = e->before;
        break;
    case JR_DEV_DELETED:
        memmove(p->v + i + 1, p->v + i, (p->n - i) * sizeof(struct jr_dev_object *));
        p->v[i] = e->before;
        p->n++;
        break;
    }
}

enum jr_status jr_dev_snapshot_take(const struct jr_dev_op *op, const struct jr_dev_selector *sel,
                                    uint64_t revision, struct jr_dev_snapshot *ret)
{
    const struct jr_dev_store *s = op->store;
    const struct jr_dev_list *now = &s->lists[op->res->id];
    size_t from = revision == 0 ? s->n_events : jr_dev_event_after(s, revision);
    struct past past = { .n = now->n };
    struct jr_dev_snapshot snap = { NULL, 0 };

    if (revision != 0 && revision < s->compacted)
        return JR_EXPIRED;
    past.v = calloc(now->n + (s->n_events - from) + 1, sizeof(struct jr_dev_object *));
    if (past.v == NULL)
        return JR_NOMEM;
    if (now->n > 0)
        memcpy(past.v, now->v, now->n * sizeof(struct jr_dev_object *));
    for (size_t i = s->n_events; i > from; i--) {
        const struct jr_dev_event *e = jr_dev_event_at(s, i - 1);
        const struct jr_dev_object *o = e->object != NULL ? e->object : e->before;

        if (o->res == op->res)
            undo(&past, e);
    }
    snap.v = past.v;
    for (size_t i = 0; i < past.n; i++) {
        if (jr_dev_in_scope(op, past.v[i]) && jr_dev_selector_matches(sel, past.v[i]))
            snap.v[snap.n++] = jr_dev_object_ref(past.v[i]);
    }
    *ret = snap;
    return JR_OK;
}
