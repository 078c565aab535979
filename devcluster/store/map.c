#include "devcluster/store/map.h"

#include "common/base/hash.h"

#define FIRST_CAP 64

void jr_dev_map_done(struct dev_map *m)
{
    for (size_t i = 0; i < m->cap; i++)
        free(m->slots[i].key);
    free(m->slots);
    *m = (struct dev_map){ NULL, 0, 0 };
}

static size_t home(const struct dev_map *m, struct jr_str key)
{
    return (size_t)jr_hash(key) & (m->cap - 1);
}

static struct jr_str key_of(const struct dev_map_slot *s)
{
    return (struct jr_str){ s->key, s->key_n };
}

/* Where key is, or the free slot where it would be; there always is a free one. */
static size_t find(const struct dev_map *m, struct jr_str key)
{
    size_t i = home(m, key);

    while (m->slots[i].key != NULL && !jr_str_eq(key_of(&m->slots[i]), key))
        i = (i + 1) & (m->cap - 1);
    return i;
}

static bool grow(struct dev_map *m)
{
    struct dev_map bigger = { .cap = m->cap == 0 ? FIRST_CAP : m->cap * 2, .n = m->n };

    bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < m->cap; i++) {
        if (m->slots[i].key != NULL)
            bigger.slots[find(&bigger, key_of(&m->slots[i]))] = m->slots[i];
    }
    free(m->slots);
    *m = bigger;
    return true;
}

struct dev_map_slot *jr_dev_map_get(const struct dev_map *m, struct jr_str key)
{
    size_t i;

    if (m->cap == 0)
        return NULL;
    i = find(m, key);
    return m->slots[i].key == NULL ? NULL : &m->slots[i];
}

struct dev_map_slot *jr_dev_map_put(struct dev_map *m, struct jr_str key)
{
    struct dev_map_slot *s = jr_dev_map_get(m, key);

    if (s != NULL)
        return s;
    if (m->n + 1 > m->cap / 2 && !grow(m))
        return NULL;
    s = &m->slots[find(m, key)];
    s->key = jr_str_dup(key);
    if (s->key == NULL)
        return NULL;
    s->key_n = key.n;
    s->value = NULL;
    s->count = 0;
    s->blocking = 0;
    m->n++;
    return s;
}

void jr_dev_map_drop(struct dev_map *m, struct jr_str key)
{
    struct dev_map_slot *s = jr_dev_map_get(m, key);
    size_t hole;

    if (s == NULL)
        return;
    free(s->key);
    hole = (size_t)(s - m->slots);
    m->slots[hole].key = NULL;
    m->n--;
    /* Close the gap: what follows may have been pushed past it. */
    for (size_t i = (hole + 1) & (m->cap - 1); m->slots[i].key != NULL;
         i = (i + 1) & (m->cap - 1)) {
        size_t at = home(m, key_of(&m->slots[i]));

        if (((i - at) & (m->cap - 1)) < ((i - hole) & (m->cap - 1)))
            continue;
        m->slots[hole] = m->slots[i];
        m->slots[i].key = NULL;
        hole = i;
    }
}
