/* SPDX-License-Identifier: Apache-2.0 */
/* A small copy under a lock: no request waits for longer than that takes. */
#include "webhook/net/version_in_force.h"

#include <pthread.h>

#include "common/base/memory.h"

struct jr_versions {
    pthread_mutex_t lock;
    struct jr_profiles in_force;
};

struct jr_versions *jr_versions_new(const struct jr_profiles *profiles)
{
    struct jr_versions *v = jr_xcalloc(1, sizeof(*v));

    (void)pthread_mutex_init(&v->lock, NULL); /* of the default kind: it can't fail */
    v->in_force = *profiles;
    return v;
}

void jr_versions_free(struct jr_versions *v)
{
    if (v == NULL)
        return;
    (void)pthread_mutex_destroy(&v->lock);
    free(v);
}

void jr_versions_put(struct jr_versions *v, const struct jr_profiles *profiles)
{
    (void)pthread_mutex_lock(&v->lock);
    v->in_force = *profiles;
    (void)pthread_mutex_unlock(&v->lock);
}

void jr_versions_get(struct jr_versions *v, struct jr_profiles *ret)
{
    (void)pthread_mutex_lock(&v->lock);
    *ret = v->in_force;
    (void)pthread_mutex_unlock(&v->lock);
}
