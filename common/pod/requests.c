/* SPDX-License-Identifier: Apache-2.0 */
/* Sums requests and limits of containers as the scheduler does (KEP-753, KEP-2837). */
#include "common/pod/requests.h"

#include <stdlib.h>

#include "common/pod/walk.h"

/* ---- what the containers have ---- */

struct gathering {
    const char *side;
    bool fill;
    struct jr_pod_amount *v;
    size_t n;
};

static void add(struct gathering *g, const struct jr_node *quantity, enum jr_pod_role role)
{
    g->v[g->n] = (struct jr_pod_amount){
        .name = jr_key(quantity), .quantity = quantity, .role = role, .order = g->n
    };
    g->n++;
}

static void gather_container(struct gathering *g, const struct jr_node *container,
                             enum jr_pod_role role)
{
    const struct jr_node *resources = jr_get(container, "resources");
    const struct jr_node *own = jr_get(resources, g->side), *m;
    JR_MEMBERS members = { 0 };

    for (m = jr_first(own); m != NULL; m = jr_next(m))
        add(g, m, role);
    if (!g->fill)
        return;
    jr_members_init(&members, own, NULL, NULL);
    for (m = jr_first(jr_get(resources, "limits")); m != NULL; m = jr_next(m)) {
        if (jr_members_get(&members, jr_key(m)) == NULL)
            add(g, m, role);
    }
}

static void gather_containers(struct gathering *g, const struct jr_node *containers, bool init)
{
    for (const struct jr_node *c = jr_first(containers); c != NULL; c = jr_next(c)) {
        bool sidecar = init && jr_container_is_sidecar(c);

        gather_container(g, c, sidecar ? JR_POD_SIDECAR : init ? JR_POD_INIT : JR_POD_MAIN);
    }
}

static size_t count(const struct jr_node *containers, const struct gathering *g)
{
    size_t n = 0;

    for (const struct jr_node *c = jr_first(containers); c != NULL; c = jr_next(c)) {
        n += jr_size(jr_get(jr_get(c, "resources"), g->side));
        if (g->fill)
            n += jr_size(jr_get(jr_get(c, "resources"), "limits"));
    }
    return n;
}

static int by_name(const void *a, const void *b)
{
    const struct jr_pod_amount *x = a, *y = b;
    int c = jr_str_cmp(x->name, y->name);

    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

enum jr_status jr_pod_amounts_gather(const struct jr_node *spec, const char *side, bool fill,
                                     struct jr_arena *a, struct jr_pod_amounts *ret)
{
    const struct jr_node *mains = jr_get(spec, "containers");
    const struct jr_node *inits = jr_get(spec, "initContainers");
    struct gathering g = { .side = side, .fill = fill };

    g.v = jr_arena_calloc(a, count(mains, &g) + count(inits, &g), sizeof(*g.v));
    if (g.v == NULL)
        return JR_NOMEM;
    gather_containers(&g, mains, false);
    gather_containers(&g, inits, true);
    qsort(g.v, g.n, sizeof(*g.v), by_name);
    *ret = (struct jr_pod_amounts){ g.v, g.n };
    return JR_OK;
}

/** The first one whose name isn't before it; after: whose name is after it. */
static size_t bound_of(const struct jr_pod_amounts *all, struct jr_str name, bool after)
{
    size_t lo = 0, hi = all->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = jr_str_cmp(all->v[mid].name, name);

        if (c < 0 || (after && c == 0))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

struct jr_pod_amounts jr_pod_amounts_of(const struct jr_pod_amounts *all, struct jr_str name)
{
    size_t from = bound_of(all, name, false), to = bound_of(all, name, true);

    return (struct jr_pod_amounts){ all->v == NULL ? NULL : all->v + from, to - from };
}

/* ---- their sum ---- */

/** A sum of none is not zero: there is nothing to compare then. */
struct sum {
    bool set;
    struct jr_quantity q;
};

static bool add_to_sum(struct sum *s, const struct jr_quantity *q)
{
    if (s->set)
        return jr_quantity_add(&s->q, q);
    s->set = true;
    s->q = *q;
    return true;
}

static void raise_to(struct sum *s, const struct sum *to)
{
    if (to->set && (!s->set || jr_quantity_cmp(&to->q, &s->q) > 0))
        *s = *to;
}

bool jr_pod_amounts_sum(const struct jr_pod_amounts *of, struct jr_quantity *ret)
{
    struct sum total = { 0 }, sidecars = { 0 }, most = { 0 };

    for (size_t i = 0; i < of->n; i++) {
        const enum jr_pod_role role = of->v[i].role;
        struct sum now = { .set = true };

        if (jr_quantity_of(of->v[i].quantity, &now.q) != JR_OK)
            return false;
        if (role != JR_POD_INIT && !add_to_sum(&total, &now.q))
            return false;
        if (role == JR_POD_SIDECAR && !add_to_sum(&sidecars, &now.q))
            return false;
        if (role == JR_POD_SIDECAR)
            now = sidecars;
        else if (role == JR_POD_INIT && sidecars.set && !add_to_sum(&now, &sidecars.q))
            return false;
        if (role != JR_POD_MAIN)
            raise_to(&most, &now);
    }
    raise_to(&total, &most);
    *ret = total.q;
    return true;
}

/* ---- a Pod's effective requests ---- */

enum jr_status jr_pod_requests_init(struct jr_pod_requests *r, const struct jr_node *spec,
                                    struct jr_arena *a)
{
    const struct jr_node *own = jr_get(spec, "resources");
    enum jr_status st = JR_OK;

    *r = (struct jr_pod_requests){ .spec = spec };
    jr_members_init(&r->requests, jr_get(own, "requests"), a, &st);
    jr_members_init(&r->limits, jr_get(own, "limits"), a, &st);
    jr_members_init(&r->overhead, jr_get(spec, "overhead"), a, &st);
    return st == JR_OK ? jr_pod_amounts_gather(spec, "requests", true, a, &r->containers) : st;
}

static bool is_huge_pages(struct jr_str name)
{
    return jr_str_starts(name, JR_S("hugepages-"));
}

/** Resources that a Pod can have of its own. */
static bool can_be_own(struct jr_str name)
{
    return jr_str_is(name, "cpu") || jr_str_is(name, "memory") || is_huge_pages(name);
}

/** The Pod's own request, as a Pod is defaulted: where it has limits, an absent one is what its
 * containers ask for, then the limit; huge pages can't be shared, and are the limit. NULL: what the
 * containers ask for it is. */
static const struct jr_node *own_request(const struct jr_pod_requests *r, struct jr_str name,
                                         bool of_containers)
{
    const struct jr_node *request;

    if (!can_be_own(name))
        return NULL;
    request = jr_members_get(&r->requests, name);
    if (request != NULL || (of_containers && !is_huge_pages(name)))
        return request;
    return jr_members_get(&r->limits, name);
}

bool jr_pod_requests_get(const struct jr_pod_requests *r, struct jr_str name,
                         struct jr_quantity *ret)
{
    struct jr_pod_amounts of = jr_pod_amounts_of(&r->containers, name);
    const struct jr_node *own = own_request(r, name, of.n > 0);
    struct jr_quantity overhead;

    if (own != NULL ? jr_quantity_of(own, ret) != JR_OK : !jr_pod_amounts_sum(&of, ret))
        return false;
    return jr_quantity_of(jr_members_get(&r->overhead, name), &overhead) == JR_OK &&
           jr_quantity_add(ret, &overhead);
}

static void add_names(struct jr_strs *names, const struct jr_node *quantities, bool own)
{
    for (const struct jr_node *m = jr_first(quantities); m != NULL; m = jr_next(m)) {
        if (!own || can_be_own(jr_key(m)))
            names->v[names->n++] = jr_key(m);
    }
}

enum jr_status jr_pod_requests_names(const struct jr_pod_requests *r, struct jr_arena *a,
                                     struct jr_strs *ret)
{
    const struct jr_node *own = jr_get(r->spec, "resources");
    const struct jr_node *requests = jr_get(own, "requests"), *limits = jr_get(own, "limits");
    const struct jr_node *overhead = jr_get(r->spec, "overhead");
    struct jr_strs names = { NULL, 0 };
    size_t n = 0;

    names.v = jr_arena_calloc(
        a, r->containers.n + jr_size(requests) + jr_size(limits) + jr_size(overhead),
        sizeof(*names.v));
    if (names.v == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < r->containers.n; i++) {
        if (i == 0 || !jr_str_eq(r->containers.v[i].name, r->containers.v[i - 1].name))
            names.v[names.n++] = r->containers.v[i].name;
    }
    add_names(&names, requests, true);
    add_names(&names, limits, true);
    add_names(&names, overhead, false);
    qsort(names.v, names.n, sizeof(*names.v), jr_str_order);
    for (size_t i = 0; i < names.n; i++) {
        if (n == 0 || !jr_str_eq(names.v[i], names.v[n - 1]))
            names.v[n++] = names.v[i];
    }
    *ret = (struct jr_strs){ names.v, n };
    return JR_OK;
}
