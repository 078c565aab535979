/* SPDX-License-Identifier: Apache-2.0 */
/* The table of Namespaces: an object cache behind a lock. */
#include "common/policy/watch/namespaces.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/memory.h"
#include "common/kube/object_cache.h"

struct jr_namespaces {
    pthread_mutex_t lock; /* of the cache */
    struct jr_cache cache;
    struct jr_cache_round list;
};

static struct jr_namespace *ref_namespace(const struct jr_namespace *n)
{
    struct jr_namespace *mine = (struct jr_namespace *)(uintptr_t)n; /* only the count changes */

    (void)atomic_fetch_add(&mine->refs, 1);
    return mine;
}

void jr_namespace_unref(struct jr_namespace *n)
{
    if (n != NULL && atomic_fetch_sub(&n->refs, 1) == 1)
        free(n);
}

static struct jr_object_key key_of(const void *object)
{
    return jr_object_key_of_text(((const struct jr_namespace *)object)->name);
}

static void *ref(const void *object)
{
    return ref_namespace(object);
}

static void unref(void *object)
{
    jr_namespace_unref(object);
}

static const struct jr_cache_kind kind = {
    .key = key_of,
    .ref = ref,
    .unref = unref,
    .entry_size = sizeof(struct jr_cache_entry),
};

/** Returns a Namespace in one piece of memory, the caller's reference. */
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

void jr_namespaces_put(struct jr_namespaces *t, struct jr_str name, const struct jr_labels *labels)
{
    struct jr_namespace *n = make(name, labels);

    (void)pthread_mutex_lock(&t->lock);
    jr_cache_apply(&t->cache, n, NULL, NULL);
    (void)pthread_mutex_unlock(&t->lock);
    jr_namespace_unref(n);
}

void jr_namespaces_remove(struct jr_namespaces *t, struct jr_str name)
{
    (void)pthread_mutex_lock(&t->lock);
    jr_cache_remove(&t->cache, &(struct jr_namespace){ .name = name }, NULL, NULL);
    (void)pthread_mutex_unlock(&t->lock);
}

void jr_namespaces_begin(struct jr_namespaces *t)
{
    t->list = jr_cache_begin(&t->cache, (struct jr_str){ NULL, 0 });
}

void jr_namespaces_sweep(struct jr_namespaces *t)
{
    (void)pthread_mutex_lock(&t->lock);
    jr_cache_sweep(&t->cache, &t->list, NULL, NULL);
    (void)pthread_mutex_unlock(&t->lock);
}

struct jr_namespace *jr_namespaces_get(struct jr_namespaces *t, struct jr_str name)
{
    const struct jr_namespace *n;
    struct jr_namespace *mine = NULL;

    (void)pthread_mutex_lock(&t->lock);
    n = jr_cache_get(&t->cache, (struct jr_str){ NULL, 0 }, name);
    if (n != NULL)
        mine = ref_namespace(n);
    (void)pthread_mutex_unlock(&t->lock);
    return mine;
}

struct jr_namespaces *jr_namespaces_new(void)
{
    struct jr_namespaces *t = jr_xcalloc(1, sizeof(*t));

    (void)pthread_mutex_init(&t->lock, NULL);
    t->cache.kind = &kind;
    return t;
}

void jr_namespaces_free(struct jr_namespaces *t)
{
    if (t == NULL)
        return;
    jr_cache_done(&t->cache);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}
