/* SPDX-License-Identifier: Apache-2.0 */
/* What an API server says of these fields depends on how it was started (--allow-privileged). */
#include "common/pod/unvalidated.h"

#define PRIVILEGED                      \
    {                                   \
        "securityContext", "privileged" \
    }
#define HOST_PROCESS                                       \
    {                                                      \
        "securityContext", "windowsOptions", "hostProcess" \
    }

static const struct {
    const char *list;     /* of the Pod's spec; NULL: the spec itself */
    const char *names[4]; /* from there, ended by NULL */
} fields[] = {
    { "containers", PRIVILEGED },   { "initContainers", PRIVILEGED },   { NULL, HOST_PROCESS },
    { "containers", HOST_PROCESS }, { "initContainers", HOST_PROCESS },
};

struct visit {
    void (*fn)(void *ctx, const struct jr_field_path *path);
    void *ctx;
};

static void follow_names(const struct visit *v, const struct jr_node *at,
                         const struct jr_field_path *path, const char *const *names)
{
    if (jr_unset(at))
        return;
    if (*names == NULL)
        v->fn(v->ctx, path);
    else
        follow_names(v, jr_get(at, *names), &JR_FIELD(path, *names), names + 1);
}

void jr_pod_each_unvalidated(const struct jr_node *template, const struct jr_field_path *path,
                             void (*fn)(void *ctx, const struct jr_field_path *path), void *ctx)
{
    const struct jr_node *pod = jr_get(template, "spec");
    const struct jr_field_path spec = JR_FIELD(path, "spec");
    const struct visit v = { fn, ctx };

    for (size_t i = 0; i < JR_ARRAY_SIZE(fields); i++) {
        const struct jr_node *list = fields[i].list == NULL ? NULL : jr_get(pod, fields[i].list);
        size_t k = 0;

        if (fields[i].list == NULL)
            follow_names(&v, pod, &spec, fields[i].names);
        if (jr_node_kind(list) != JR_ARRAY)
            continue;
        for (const struct jr_node *c = jr_first(list); c != NULL; c = jr_next(c), k++) {
            const struct jr_field_path containers = JR_FIELD(&spec, fields[i].list);

            follow_names(&v, c, &JR_FIELD_AT(&containers, k), fields[i].names);
        }
    }
}
