/* SPDX-License-Identifier: Apache-2.0 */
/* Attempts, counted by owner and completion index. */
#include "devcluster/kubelet/attempts.h"

#include "common/base/hash.h"
#include "common/base/memory.h"

struct attempts {
    struct jr_link link;
    unsigned n;
    char *key; /* owner's uid "/" index */
};

void jr_dev_attempts_done(struct jr_map *attempts)
{
    struct jr_link *link;

    while ((link = jr_map_next(attempts, NULL)) != NULL) {
        struct attempts *a = jr_of(link, struct attempts, link);

        jr_map_remove(attempts, link);
        free(a->key);
        free(a);
    }
    jr_map_done(attempts);
}

static struct attempts *find_key(const struct jr_map *attempts, const char *key)
{
    struct jr_link *l = jr_map_first(attempts, jr_hash(jr_str(key)));

    while (l != NULL && strcmp(jr_of(l, struct attempts, link)->key, key) != 0)
        l = jr_map_again(l);
    return l == NULL ? NULL : jr_of(l, struct attempts, link);
}

unsigned jr_dev_attempt_next(struct jr_map *attempts, const struct jr_node *pod)
{
    struct jr_str owner = jr_get_str(jr_first(jr_path(pod, "metadata.ownerReferences")), "uid");
    struct jr_str index = jr_get_str(jr_path(pod, "metadata.annotations"),
                                     "batch.kubernetes.io/job-completion-index");
    struct attempts *a;

    if (owner.n == 0)
        return 0;
    JR_FREE char *key = jr_xasprintf("%.*s/%.*s", JR_P(owner), JR_P(index));
    a = find_key(attempts, key);
    if (a == NULL) {
        a = jr_xcalloc(1, sizeof(*a));
        jr_xmap_add(attempts, &a->link, jr_hash(jr_str(key)));
        a->key = jr_steal(&key);
    }
    return a->n++;
}
