/* SPDX-License-Identifier: Apache-2.0 */
#include "common/policy/watch/namespaces.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/memory.h"

struct row {
    struct jr_link link; /* seen: in which list */
    struct jr_namespace *namespace;
};

struct jr_namespaces {
    pthread_mutex_t lock; /* of rows, and which namespace each has */
    struct jr_map rows;
    unsigned list;
};

void jr_namespace_unref(struct jr_namespace *n)
{
    if (n != NULL && atomic_fetch_sub(&n->refs, 1) == 1)
        free(n);
}

/** All in one piece. */
static struct jr_namespace *make(struct jr_str name, const struct jr_labels *labels)
{
    size_t texts = name.n;
    struct jr_namespace *n;
    char *to;

    for (size_t i = 0; i < labels->n; i++)
        texts += labels->v[i].key.n + labels->v[i].value.n;
    n = jr_xcalloc(1, sizeof(*n) + labels->n * sizeof(struct jr_label) + texts);
    n->labels.v = (struct jr_label *)(void *)(n + 1);
    n->labels.n = labels->n;
    to = (char *)(n->labels.v + labels->n);
    atomic_init(&n->refs, 1);
    n->name = jr_str_put(&to, name);
    for (size_t i = 0; i < labels->n; i++) {
        n->labels.v[i].key = jr_str_put(&to, labels->v[i].key);
        n->labels.v[i].value = jr_str_put(&to, labels->v[i].value);
    }
    return n;
}

static struct row *find_row(const struct jr_namespaces *t, struct jr_str name)
{
    for (struct jr_link *l = jr_map_first(&t->rows, jr_map_hash2(name, JR_S(""))); l != NULL;
         l = jr_map_again(l)) {
        struct row *r = jr_of(l, struct row, link);

        if (jr_str_eq(r->namespace->name, name))
            return r;
    }
    return NULL;
}

void jr_namespaces_put(struct jr_namespaces *t, struct jr_str name, const struct jr_labels *labels)
{
    struct jr_namespace *n = make(name, labels), *old = NULL;
    struct row *r;

    (void)pthread_mutex_lock(&t->lock);
    r = find_row(t, name);
    if (r == NULL) {
        r = jr_xcalloc(1, sizeof(*r));
        jr_xmap_add(&t->rows, &r->link, jr_map_hash2(name, JR_S("")));
    }
    old = r->namespace;
    r->namespace = n;
    r->link.seen = t->list;
    (void)pthread_mutex_unlock(&t->lock);
    jr_namespace_unref(old);
}

/** Under the lock. */
static void remove_row(struct jr_namespaces *t, struct row *r)
{
    jr_map_remove(&t->rows, &r->link);
    jr_namespace_unref(r->namespace);
    free(r);
}

void jr_namespaces_remove(struct jr_namespaces *t, struct jr_str name)
{
    struct row *r;

    (void)pthread_mutex_lock(&t->lock);
    r = find_row(t, name);
    if (r != NULL)
        remove_row(t, r);
    (void)pthread_mutex_unlock(&t->lock);
}

void jr_namespaces_begin(struct jr_namespaces *t)
{
    t->list++;
}

/** Removes all, or all but what the list has shown. */
static void remove_rows(struct jr_namespaces *t, bool all)
{
    struct jr_link *next;

    (void)pthread_mutex_lock(&t->lock);
    for (struct jr_link *l = jr_map_next(&t->rows, NULL); l != NULL; l = next) {
        next = jr_map_next(&t->rows, l);
        if (all || l->seen != t->list)
            remove_row(t, jr_of(l, struct row, link));
    }
    (void)pthread_mutex_unlock(&t->lock);
}

void jr_namespaces_sweep(struct jr_namespaces *t)
{
    remove_rows(t, false);
}

struct jr_namespace *jr_namespaces_get(struct jr_namespaces *t, struct jr_str name)
{
    struct jr_namespace *n = NULL;
    struct row *r;

    (void)pthread_mutex_lock(&t->lock);
    r = find_row(t, name);
    if (r != NULL) {
        n = r->namespace;
        (void)atomic_fetch_add(&n->refs, 1);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return n;
}

struct jr_namespaces *jr_namespaces_new(void)
{
    struct jr_namespaces *t = jr_xcalloc(1, sizeof(*t));

    (void)pthread_mutex_init(&t->lock, NULL);
    return t;
}

void jr_namespaces_free(struct jr_namespaces *t)
{
    if (t == NULL)
        return;
    remove_rows(t, true);
    jr_map_done(&t->rows);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}
