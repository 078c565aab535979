/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and matches selector plans. */
#include "common/rules/selector_plan.h"

/** A requirement, a label of matchLabels being `key In (value)`. */
struct req {
    struct jr_str key;
    struct jr_str op;
    const struct jr_str *values;
    size_t n;
};

static int by_key(const void *a, const void *b)
{
    return jr_str_cmp(((const struct req *)a)->key, ((const struct req *)b)->key);
}

static bool has(const struct jr_strs *sorted, struct jr_str v)
{
    return sorted->n > 0 && bsearch(&v, sorted->v, sorted->n, sizeof(v), jr_str_order) != NULL;
}

/* ---- making ---- */

static struct req *gather_requirements(const struct jr_selector *s, struct jr_arena *arena,
                                       size_t *ret_n)
{
    struct req *v = jr_arena_calloc(arena, s->match_labels.n + s->match_expressions.n, sizeof(*v));
    size_t n = 0;

    if (v == NULL)
        return NULL;
    for (size_t i = 0; i < s->match_labels.n; i++)
        v[n++] =
            (struct req){ s->match_labels.v[i].key, JR_S("In"), &s->match_labels.v[i].value, 1 };
    for (size_t i = 0; i < s->match_expressions.n; i++) {
        const struct jr_selector_req *r = &s->match_expressions.v[i];

        v[n++] = (struct req){ r->key, r->op, r->values.v, r->values.n };
    }
    qsort(v, n, sizeof(*v), by_key);
    *ret_n = n;
    return v;
}

/** Keeps of term->in what is among the values as well, or isn't; both sorted. */
static void keep(struct jr_selector_term *t, const struct jr_strs *values, bool are)
{
    size_t n = 0;

    for (size_t i = 0; i < t->in.n; i++) {
        if (has(values, t->in.v[i]) == are)
            t->in.v[n++] = t->in.v[i];
    }
    t->in.n = n;
}

static enum jr_status take_in(struct jr_selector_term *t, const struct req *r,
                              struct jr_arena *arena)
{
    struct jr_strs values = { jr_arena_calloc(arena, r->n, sizeof(struct jr_str)), r->n };

    if (values.v == NULL)
        return JR_NOMEM;
    if (r->n > 0)
        memcpy(values.v, r->values, r->n * sizeof(*values.v));
    qsort(values.v, values.n, sizeof(*values.v), jr_str_order);
    if (t->some)
        keep(t, &values, true);
    else
        t->in = values;
    t->some = true;
    t->must = true;
    return JR_OK;
}

/** Gathers the values that n requirements on one key exclude. */
static enum jr_status take_not_in(struct jr_selector_term *t, const struct req *r, size_t n,
                                  struct jr_arena *arena)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += jr_str_is(r[i].op, "NotIn") ? r[i].n : 0;
    if (sum == 0)
        return JR_OK;
    t->not_in.v = jr_arena_calloc(arena, sum, sizeof(*t->not_in.v));
    if (t->not_in.v == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; jr_str_is(r[i].op, "NotIn") && k < r[i].n; k++)
            t->not_in.v[t->not_in.n++] = r[i].values[k];
    }
    qsort(t->not_in.v, t->not_in.n, sizeof(*t->not_in.v), jr_str_order);
    return JR_OK;
}

/** The term of n requirements on one key. */
static enum jr_status make_term(const struct req *r, size_t n, struct jr_arena *arena,
                                struct jr_selector_plan *p, struct jr_selector_term *t)
{
    enum jr_status st = JR_OK;

    t->key = r[0].key;
    for (size_t i = 0; i < n && st == JR_OK; i++) {
        if (jr_str_is(r[i].op, "In"))
            st = take_in(t, &r[i], arena);
        else if (jr_str_is(r[i].op, "Exists"))
            t->must = true;
        else if (jr_str_is(r[i].op, "DoesNotExist"))
            t->must_not = true;
        else if (!jr_str_is(r[i].op, "NotIn"))
            p->never = true;
    }
    if (st == JR_OK)
        st = take_not_in(t, r, n, arena);
    keep(t, &t->not_in, false);
    if (t->must && (t->must_not || (t->some && t->in.n == 0)))
        p->never = true;
    return st;
}

enum jr_status jr_selector_plan_make(const struct jr_selector *s, struct jr_arena *arena,
                                     const struct jr_selector_plan **ret)
{
    struct jr_selector_plan *p = jr_arena_calloc(arena, 1, sizeof(*p));
    size_t n = 0, same;
    struct req *reqs = gather_requirements(s, arena, &n);

    if (p == NULL || reqs == NULL)
        return JR_NOMEM;
    p->must = jr_arena_calloc(arena, n, sizeof(*p->must));
    p->may = jr_arena_calloc(arena, n, sizeof(*p->may));
    if (p->must == NULL || p->may == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < n; i += same) {
        struct jr_selector_term t = { .must = false };

        for (same = 1; i + same < n && jr_str_eq(reqs[i].key, reqs[i + same].key);)
            same++;
        if (make_term(&reqs[i], same, arena, p, &t) != JR_OK)
            return JR_NOMEM;
        if (t.must)
            p->must[p->n_must++] = t;
        else
            p->may[p->n_may++] = t;
    }
    *ret = p;
    return JR_OK;
}

/* ---- matching ---- */

static bool excluded(const struct jr_selector_term *t, struct jr_str value)
{
    return t->must_not || has(&t->not_in, value);
}

static const struct jr_selector_term *find_term(const struct jr_selector_plan *p, struct jr_str key)
{
    size_t lo = 0, hi = p->n_may;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = jr_str_cmp(p->may[mid].key, key);

        if (c == 0)
            return &p->may[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/** Whether one of the Pod's labels is excluded: whichever there are fewer of are gone through. */
static bool any_excluded(const struct jr_selector_plan *p, const struct jr_pod *pod)
{
    for (size_t i = 0; p->n_may <= pod->labels.n && i < p->n_may; i++) {
        const struct jr_str value = jr_pod_label(pod, p->may[i].key);

        if (value.p != NULL && excluded(&p->may[i], value))
            return true;
    }
    for (size_t i = 0; p->n_may > pod->labels.n && i < pod->labels.n; i++) {
        const struct jr_selector_term *t = find_term(p, jr_pod_str(pod, pod->labels.v[i].key));

        if (t != NULL && excluded(t, jr_pod_str(pod, pod->labels.v[i].value)))
            return true;
    }
    return false;
}

bool jr_selector_plan_matches(const struct jr_selector_plan *p, const struct jr_pod *pod)
{
    if (p->never || p->n_must > pod->labels.n)
        return false;
    for (size_t i = 0; i < p->n_must; i++) {
        const struct jr_selector_term *t = &p->must[i];
        const struct jr_str value = jr_pod_label(pod, t->key);

        if (value.p == NULL || (t->some && !has(&t->in, value)) || has(&t->not_in, value))
            return false;
    }
    return !any_excluded(p, pod);
}
