/* Validation of a Pod's own resources. */
#include "common/pod/parts.h"
#include "common/json/members.h"

/* ---- what the containers ask for together ---- */

enum role { ROLE_MAIN, ROLE_SIDECAR, ROLE_INIT };

/** A container's request or limit of something of which the Pod itself has one too. */
struct entry {
    const struct jr_node *own; /* the Pod's */
    const struct jr_node *quantity;
    enum role role;
    size_t order;
};

/** All of them, by the Pod's, in the order of containers. */
struct entries {
    struct jr_pod_check *p;
    const char *side; /* "requests" or "limits" */
    struct jr_members own;
    struct entry *v;
    size_t n;
};

static size_t count(const struct jr_node *containers, const char *side)
{
    size_t n = 0;

    JR_EACH(c, containers)
        n += jr_size(jr_get(jr_get(c, "resources"), side));
    return n;
}

static void gather_entries(struct entries *e, const struct jr_node *containers, bool init)
{
    JR_EACH(c, containers) {
        const struct jr_node *list = jr_get(jr_get(c, "resources"), e->side);
        bool sidecar = init && jr_str_is(jr_get_str(c, "restartPolicy"), "Always");

        JR_EACH(m, list) {
            const struct jr_node *own = jr_members_get(&e->own, jr_key(m));

            if (own == NULL)
                continue;
            e->v[e->n] = (struct entry){ .own = own, .quantity = m, .order = e->n };
            e->v[e->n++].role = sidecar ? ROLE_SIDECAR : init ? ROLE_INIT : ROLE_MAIN;
        }
    }
}

static int by_own(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    uintptr_t ox = (uintptr_t)x->own, oy = (uintptr_t)y->own;

    if (ox != oy)
        return ox < oy ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool entries_init(struct entries *e, struct jr_pod_check *p, const char *side)
{
    const struct jr_node *own = jr_get(jr_get(p->spec, "resources"), side);
    const struct jr_node *mains = jr_get(p->spec, "containers");
    const struct jr_node *inits = jr_get(p->spec, "initContainers");

    *e = (struct entries){ .p = p, .side = side };
    e->v = jr_arena_calloc(p->errs->arena, count(mains, side) + count(inits, side), sizeof(*e->v));
    jr_members_init(&e->own, own, p->errs->arena, &p->errs->failed);
    if (e->v == NULL) {
        p->errs->failed = JR_NOMEM;
        return false;
    }
    gather_entries(e, mains, false);
    gather_entries(e, inits, true);
    qsort(e->v, e->n, sizeof(*e->v), by_own);
    return true;
}

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

/** The most that the containers need at any time: the main ones and sidecars together, or an init
 * container beside the sidecars before it. False: beyond what we compute with, or no quantities. */
static bool add_up(const struct entry *v, size_t n, struct sum *ret)
{
    struct sum total = { 0 }, sidecars = { 0 }, most = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct sum now = { .set = true };

        if (jr_quantity_of(v[i].quantity, &now.q) != JR_OK)
            return false;
        if (v[i].role != ROLE_INIT && !add_to_sum(&total, &now.q))
            return false;
        if (v[i].role == ROLE_SIDECAR && !add_to_sum(&sidecars, &now.q))
            return false;
        if (v[i].role == ROLE_SIDECAR)
            now = sidecars;
        else if (v[i].role == ROLE_INIT && sidecars.set && !add_to_sum(&now, &sidecars.q))
            return false;
        if (v[i].role != ROLE_MAIN)
            raise_to(&most, &now);
    }
    raise_to(&total, &most);
    *ret = total;
    return true;
}

/** prefix: of the names that count, "" for all. */
static void check_sums(struct jr_pod_check *p, const char *side, struct jr_str prefix,
                       enum jr_rule rule, const struct jr_field_path *path)
{
    const struct jr_field_path side_path = JR_FIELD(path, side);
    struct jr_errlist *errs = p->errs;
    struct entries e;

    if (!entries_init(&e, p, side))
        return;
    for (size_t i = 0, n; i < e.n && jr_errlist_going(errs); i += n) {
        const struct jr_node *own = e.v[i].own;
        struct jr_quantity q;
        struct sum sum;

        for (n = 1; i + n < e.n && e.v[i + n].own == own;)
            n++;
        if (!jr_str_starts(jr_key(own), prefix) || jr_quantity_of(own, &q) != JR_OK ||
            !add_up(&e.v[i], n, &sum) || jr_quantity_cmp(&sum.q, &q) <= 0)
            continue;
        jr_rule_violatedf(errs, rule, &JR_FIELD_KEY(&side_path, jr_key(own)),
                          jr_errlist_quote(errs, jr_pod_quantity_text(&q, errs)),
                          "must be greater than or equal to aggregate container %s of %.*s", side,
                          JR_P(jr_pod_quantity_text(&sum.q, errs)));
    }
}

/* ---- one container's limits ---- */

static void check_limit(const struct jr_node *limit, const struct jr_members *own,
                        const struct jr_field_path *container, struct jr_errlist *errs)
{
    const struct jr_field_path at = JR_FIELD_KEY(container, jr_key(limit));
    const struct jr_node *bound = jr_members_get(own, jr_key(limit));
    struct jr_quantity q, max;

    if (bound == NULL || jr_quantity_of(limit, &q) != JR_OK ||
        jr_quantity_of(bound, &max) != JR_OK || jr_quantity_cmp(&q, &max) <= 0)
        return;
    jr_rule_violatedf(errs, JR_RULE_POD_LIMIT_TOO_LOW, &JR_FIELD(&at, "limits"),
                      jr_errlist_quote(errs, jr_pod_quantity_text(&q, errs)),
                      "must be less than or equal to pod limits of %.*s",
                      JR_P(jr_pod_quantity_text(&max, errs)));
}

static void check_limits(struct jr_pod_check *p, const struct jr_node *own,
                         const struct jr_field_path *path)
{
    const struct jr_field_path list = JR_FIELD(path, "containers"); /* below resources: sic */
    struct jr_members limits;

    jr_members_init(&limits, own, p->errs->arena, &p->errs->failed);
    JR_EACH_AT(c, jr_get(p->spec, "containers"), &list, p->errs) {
        const struct jr_node *m = jr_first(jr_get(jr_get(c.node, "resources"), "limits"));

        for (; m != NULL && jr_errlist_going(p->errs); m = jr_next(m))
            check_limit(m, &limits, &c.path, p->errs);
    }
}

/* ---- the whole ---- */

void jr_pod_check_own_resources(struct jr_pod_check *p, const struct jr_field_path *path)
{
    const struct jr_node *resources = jr_get(p->spec, "resources");
    const struct jr_field_path at = JR_FIELD(path, "resources");

    if (!p->opts->pod_level_resources || jr_unset(resources))
        return;
    if (jr_str_is(jr_get_str(jr_get(p->spec, "os"), "name"), "windows")) {
        jr_violation(p->errs, JR_RULE_POD_RESOURCES_WINDOWS, &at);
        return;
    }
    if (!jr_unset(jr_get(resources, "claims")))
        jr_violation(p->errs, JR_RULE_POD_RESOURCES_CLAIMS, &JR_FIELD(&at, "claims"));
    jr_pod_check_pod_requirements(p, resources, &at);
    check_sums(p, "requests", JR_S(""), JR_RULE_POD_REQUEST_TOO_LOW, &at);
    check_sums(p, "limits", JR_S("hugepages-"), JR_RULE_POD_HUGE_PAGES_TOO_LOW, &at);
    check_limits(p, jr_get(resources, "limits"), &at);
}
