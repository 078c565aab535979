/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over an object for fields whose gate is off. */
#include "common/schema/drop_disabled.h"

#define GATED_MAX 64 /* rows with a gate, in all tables */

struct dropping {
    bool deep;
    /* What is known of old: whether it has a gated field anywhere. */
    const struct jr_profile *profile;
    const struct jr_schema_type *type; /* of old */
    const struct jr_node *old;
    struct {
        const struct jr_schema_field *field;
        bool used;
    } known[GATED_MAX];
    size_t n;
};

static bool is_used(const struct jr_schema_field *f, const struct jr_node *n)
{
    bool list = f->kind == JR_SCHEMA_LIST || f->kind == JR_SCHEMA_STRINGS;

    return list ? jr_size(n) > 0 : !jr_unset(n);
}

static bool has(const struct jr_schema_type *type, const struct jr_node *object,
                const struct jr_schema_field *wanted)
{
    if (jr_node_kind(object) != JR_OBJECT)
        return false;
    for (const struct jr_node *m = jr_first(object); m != NULL; m = jr_next(m)) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(m), NULL);

        if (f != NULL && f == wanted && is_used(f, m))
            return true;
        if (f != NULL && f->kind == JR_SCHEMA_STRUCT && has(f->of, m, wanted))
            return true;
        if (f == NULL || f->kind != JR_SCHEMA_LIST || jr_node_kind(m) != JR_ARRAY)
            continue;
        for (const struct jr_node *e = jr_first(m); e != NULL; e = jr_next(e)) {
            if (has(f->of, e, wanted))
                return true;
        }
    }
    return false;
}

/* Looks through old once a field, however often the new object has it. */
static bool stays_behind_gate(struct dropping *d, const struct jr_schema_field *f)
{
    bool used;

    if (!f->gated || d->profile->gates[f->gate])
        return true;
    if (d->old == NULL)
        return false;
    if (f->gated_on_create)
        return true;
    for (size_t i = 0; i < d->n; i++) {
        if (d->known[i].field == f)
            return d->known[i].used;
    }
    used = has(d->type, d->old, f);
    if (d->n < GATED_MAX) {
        d->known[d->n].field = f;
        d->known[d->n++].used = used;
    }
    return used;
}

static void drop_members(struct dropping *d, const struct jr_schema_type *type,
                         struct jr_node *object)
{
    struct jr_node *next;

    if (jr_node_kind(object) != JR_OBJECT)
        return;
    for (struct jr_node *m = jr_first(object); m != NULL; m = next) {
        const struct jr_schema_field *f = jr_schema_find(type, jr_key(m), NULL);

        next = jr_next(m);
        if (f != NULL && !stays_behind_gate(d, f))
            jr_remove_child(object, m);
        else if (f == NULL || !d->deep)
            continue;
        else if (f->kind == JR_SCHEMA_STRUCT)
            drop_members(d, f->of, m);
        else if (f->kind == JR_SCHEMA_LIST && jr_node_kind(m) == JR_ARRAY)
            for (struct jr_node *e = jr_first(m); e != NULL; e = jr_next(e))
                drop_members(d, f->of, e);
    }
}

void jr_schema_drop_gated(const struct jr_schema_type *type, struct jr_node *object,
                          const struct jr_node *old, const struct jr_profile *profile)
{
    struct dropping d = { .deep = true, .profile = profile, .type = type, .old = old };

    drop_members(&d, type, object);
}

void jr_schema_drop_gated_members(const struct jr_schema_type *type, struct jr_node *object,
                                  const struct jr_node *old, const struct jr_profile *profile)
{
    struct dropping d = { .profile = profile, .type = type, .old = old };

    drop_members(&d, type, object);
}
