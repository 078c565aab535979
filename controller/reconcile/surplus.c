/* SPDX-License-Identifier: Apache-2.0 */
/* Which active Pods go first where there are too many. */
#include "controller/reconcile/internal.h"

static int phase_rank(enum jr_pod_phase phase)
{
    switch (phase) {
    case JR_POD_PENDING:
        return 0;
    case JR_POD_UNKNOWN:
        return 1;
    case JR_POD_RUNNING:
    case JR_POD_SUCCEEDED:
    case JR_POD_FAILED:
        break;
    }
    return 2;
}

/** Restarts of the container with most of them, and of the sidecar. */
static void max_restarts(const struct jr_pod *pod, int32_t *ret_containers, int32_t *ret_sidecars)
{
    *ret_containers = 0;
    *ret_sidecars = 0;
    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_status *c = &pod->containers.v[i];
        int32_t *max = c->sidecar ? ret_sidecars : ret_containers;

        if ((!c->init || c->sidecar) && c->restart_count > *max)
            *max = c->restart_count;
    }
}

static int compare_restarts(const struct jr_pod *a, const struct jr_pod *b)
{
    int32_t ca, cb, sa, sb;

    max_restarts(a, &ca, &sa);
    max_restarts(b, &cb, &sb);
    if (ca != cb)
        return ca > cb ? -1 : 1;
    return (sb > sa) - (sb < sa);
}

/** No time first, then the later one. */
static int compare_times(struct jr_time a, struct jr_time b)
{
    if (jr_time_set(a) != jr_time_set(b))
        return jr_time_set(a) ? 1 : -1;
    return jr_time_cmp(b, a);
}

static bool has_node(const struct jr_pod *pod)
{
    return jr_pod_str(pod, pod->node_name).n > 0;
}

/** Pod ranks, deletion cost and logarithmic ages, which ReplicaSets know, are not used for Jobs. */
static int compare_worth(const void *x, const void *y)
{
    const struct jr_rpod *const *px = x, *const *py = y;
    const struct jr_pod *a = (*px)->pod, *b = (*py)->pod;
    int c;

    if (has_node(a) != has_node(b))
        return has_node(a) ? 1 : -1;
    c = phase_rank(a->phase) - phase_rank(b->phase);
    if (c != 0)
        return c;
    if (jr_pod_ready(a) != jr_pod_ready(b))
        return jr_pod_ready(a) ? 1 : -1;
    if (jr_pod_ready(a)) {
        c = compare_times(a->ready_since, b->ready_since);
        if (c != 0)
            return c;
    }
    c = compare_restarts(a, b);
    if (c == 0)
        c = compare_times(a->creation_timestamp, b->creation_timestamp);
    return c != 0 ? c : ((*px)->at > (*py)->at) - ((*px)->at < (*py)->at);
}

static void sort_worth(struct jr_rpod **v, size_t n)
{
    if (n > 1)
        qsort(v, n, sizeof(*v), compare_worth);
}

/** Pods to remove and Pods that may stay. */
struct picked {
    struct jr_rpod **rm;
    size_t n_rm;
    struct jr_rpod **left;
    size_t n_left;
};

/** Of the Pods of one index all but the last to go are surplus; all of those without an index. */
static void pick_group(struct picked *p, struct jr_rpod **group, size_t n)
{
    if (n == 0)
        return;
    if (group[0]->index < 0) {
        memcpy(p->rm + p->n_rm, group, n * sizeof(*group));
        p->n_rm += n;
        return;
    }
    sort_worth(group, n);
    memcpy(p->rm + p->n_rm, group, (n - 1) * sizeof(*group));
    p->n_rm += n - 1;
    p->left[p->n_left++] = group[n - 1];
}

/** v is ordered by index. */
static void pick_indexed(const struct jr_sync *s, struct picked *p, struct jr_rpod **v, size_t n)
{
    size_t from = 0, in_range = n;

    while (in_range > 0 && v[in_range - 1]->index >= s->completions)
        in_range--;
    /* Upstream's order, which the bound on one sync makes visible: the Pods beyond the range come
     * before the surplus of the last index. */
    for (size_t i = 1; i < in_range; i++) {
        if (v[i]->index != v[from]->index) {
            pick_group(p, v + from, i - from);
            from = i;
        }
    }
    if (n > in_range) {
        memcpy(p->rm + p->n_rm, v + in_range, (n - in_range) * sizeof(*v));
        p->n_rm += n - in_range;
    }
    pick_group(p, v + from, in_range - from);
}

struct jr_rpod **jr_surplus_pick(struct jr_sync *s, size_t at_least, size_t *ret_n)
{
    struct jr_rpod **v = jr_xarena_calloc(&s->keep, s->n_pods, sizeof(*v));
    struct picked p = { .rm = jr_xarena_calloc(&s->keep, s->n_pods, sizeof(*v)) };
    size_t n = 0, more;

    for (size_t i = 0; i < s->n_pods; i++) {
        if (s->pods[i].active)
            v[n++] = &s->pods[i];
    }
    if (s->indexed) {
        p.left = jr_xarena_calloc(&s->keep, n, sizeof(*v));
        pick_indexed(s, &p, v, n);
    } else {
        p.left = v;
        p.n_left = n;
    }
    if (p.n_rm < at_least) {
        more = at_least - p.n_rm < p.n_left ? at_least - p.n_rm : p.n_left;
        sort_worth(p.left, p.n_left);
        if (more > 0)
            memcpy(p.rm + p.n_rm, p.left, more * sizeof(*v));
        p.n_rm += more;
    }
    *ret_n = p.n_rm;
    return p.rm;
}
