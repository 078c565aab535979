/* SPDX-License-Identifier: Apache-2.0 */
/* Earlier states of a resource: the current one with the history's events undone. */
#include "devcluster/apiserver/snapshot.h"

bool jr_dev_in_scope(const struct jr_dev_op *op, const struct jr_dev_object *o)
{
    return op->namespace.n == 0 || jr_str_eq(o->meta.namespace, op->namespace);
}

static void undo_event(struct jr_dev_objects *past, const struct jr_dev_event *e)
{
    size_t i = jr_dev_objects_at(past, (e->object != NULL ? e->object : e->before)->key);

    if (e->before == NULL)
        jr_dev_objects_remove(past, i);
    else if (e->object == NULL)
        jr_dev_objects_insert(past, i, e->before);
    else
        past->v[i] = e->before;
}

bool jr_dev_snapshot_take(const struct jr_dev_op *op, const struct jr_dev_selector *sel,
                          uint64_t revision, struct jr_dev_objects *ret)
{
    const struct jr_dev_store *s = op->store;
    const struct jr_dev_objects *now = &s->lists[op->res->id];
    size_t from = revision == 0 ? s->n_events : jr_dev_event_after(s, revision), n = 0;
    struct jr_dev_objects past = { .n = now->n, .cap = now->n + 1 };

    if (revision != 0 && revision < s->compacted)
        return false;
    past.v = jr_xcalloc(past.cap, sizeof(*past.v));
    if (now->n > 0)
        memcpy(past.v, now->v, now->n * sizeof(*past.v));
    for (size_t i = s->n_events; i > from; i--) {
        const struct jr_dev_event *e = jr_dev_event_at(s, i - 1);

        if ((e->object != NULL ? e->object : e->before)->res == op->res)
            undo_event(&past, e);
    }
    for (size_t i = 0; i < past.n; i++) {
        if (jr_dev_in_scope(op, past.v[i]) && jr_dev_selector_matches(sel, past.v[i]))
            past.v[n++] = jr_dev_object_ref(past.v[i]);
    }
    past.n = n;
    *ret = past;
    return true;
}
