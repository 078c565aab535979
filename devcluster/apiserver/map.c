#include "devcluster/apiserver/map.h"

#include "common/base/hash.h"

static struct jr_dev_map_slot *slot_of(struct jr_link *link)
{
    return link == NULL ? NULL : jr_of(link, struct jr_dev_map_slot, link);
}

void jr_dev_map_done(struct jr_dev_map *m)
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(&m->slots, NULL); l != NULL; l = next) {
        next = jr_map_next(&m->slots, l);
        free(slot_of(l));
    }
    jr_map_done(&m->slots);
}

struct jr_dev_map_slot *jr_dev_map_get(const struct jr_dev_map *m, struct jr_str key)
{
    struct jr_dev_map_slot *s = slot_of(jr_map_first(&m->slots, jr_hash(key)));

    while (s != NULL && !jr_str_eq((struct jr_str){ s->key, s->key_n }, key))
        s = slot_of(jr_map_again(&s->link));
    return s;
}

struct jr_dev_map_slot *jr_dev_map_put(struct jr_dev_map *m, struct jr_str key)
{
    struct jr_dev_map_slot *s = jr_dev_map_get(m, key);

    if (s != NULL)
        return s;
    s = calloc(1, sizeof(*s) + key.n + 1);
    if (s == NULL)
        return NULL;
    s->key_n = key.n;
    memcpy(s->key, key.p, key.n);
    if (jr_map_add(&m->slots, &s->link, jr_hash(key)) == JR_OK)
        return s;
    free(s);
    return NULL;
}

void jr_dev_map_drop(struct jr_dev_map *m, struct jr_str key)
{
    struct jr_dev_map_slot *s = jr_dev_map_get(m, key);

    if (s == NULL)
        return;
    jr_map_remove(&m->slots, &s->link);
    free(s);
}
