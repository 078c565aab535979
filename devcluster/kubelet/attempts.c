#include "devcluster/kubelet/attempts.h"

#include <stdio.h>

#include "common/base/table.h"

struct jr_dev_attempts {
    UT_hash_handle hh;
    unsigned n;
    char key[]; /* owner's uid "/" index */
};

void jr_dev_attempts_free(struct jr_dev_attempts **all)
{
    struct jr_dev_attempts *a, *next;

    HASH_ITER(hh, *all, a, next)
    {
        HASH_DEL(*all, a);
        free(a);
    }
}

unsigned jr_dev_attempt_next(struct jr_dev_attempts **all, const struct jr_node *pod)
{
    char key[256];
    struct jr_dev_attempts *a = NULL;
    struct jr_str owner = jr_get_str(jr_first(jr_path(pod, "metadata.ownerReferences")), "uid");
    struct jr_str index = jr_get_str(jr_path(pod, "metadata.annotations"),
                                     "batch.kubernetes.io/job-completion-index");

    if (owner.n == 0)
        return 0;
    (void)snprintf(key, sizeof(key), "%.*s/%.*s", JR_P(owner), JR_P(index));
    HASH_FIND_STR(*all, key, a);
    if (a == NULL) {
        a = calloc(1, sizeof(*a) + strlen(key) + 1);
        if (a == NULL)
            return 0;
        memcpy(a->key, key, strlen(key) + 1);
        HASH_ADD_STR(*all, key, a);
    }
    return a->n++;
}
