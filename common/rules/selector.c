/* SPDX-License-Identifier: Apache-2.0 */
/* Matches label selectors. */
#include "common/rules/selector.h"

#include "common/api/meta.h"
#include "common/rules/names.h"
#include "common/rules/selector_plan.h"

#define FEW 16 /* requirements and values that are looked through as they are */

enum op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST, OP_UNKNOWN };

static enum op parse_op(struct jr_str s)
{
    static const char *const names[] = { "In", "NotIn", "Exists", "DoesNotExist" };
    static const enum op ops[] = { OP_IN, OP_NOT_IN, OP_EXISTS, OP_DOES_NOT_EXIST };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_str_is(s, names[i]))
            return ops[i];
    }
    return OP_UNKNOWN;
}

static bool valid_req(const struct jr_selector_req *r)
{
    enum op op = parse_op(r->op);

    if (op == OP_UNKNOWN || jr_name_key(r->key).n > 0)
        return false;
    if ((op == OP_IN || op == OP_NOT_IN) != (r->values.n > 0))
        return false;
    for (size_t i = 0; i < r->values.n; i++) {
        if (jr_name_label_value(r->values.v[i]).n > 0)
            return false;
    }
    return true;
}

static bool is_valid(const struct jr_selector *s)
{
    for (size_t i = 0; i < s->match_labels.n; i++) {
        if (jr_name_key(s->match_labels.v[i].key).n > 0 ||
            jr_name_label_value(s->match_labels.v[i].value).n > 0)
            return false;
    }
    for (size_t i = 0; i < s->match_expressions.n; i++) {
        if (!valid_req(&s->match_expressions.v[i]))
            return false;
    }
    return true;
}

bool jr_selector_valid(const struct jr_selector *s)
{
    return s->validity == JR_SELECTOR_UNKNOWN ? is_valid(s) : s->validity == JR_SELECTOR_VALID;
}

enum jr_status jr_selector_prepare(struct jr_selector *s, struct jr_arena *arena)
{
    if (!s->set)
        return JR_OK;
    s->validity = is_valid(s) ? JR_SELECTOR_VALID : JR_SELECTOR_INVALID;
    return jr_selector_length(s) <= FEW ? JR_OK : jr_selector_plan_make(s, arena, &s->plan);
}

/* ---- matching ---- */

/** Labels to look up: as they are, or, where many meet many, sorted by key. */
struct lookup {
    const struct jr_pod *pod; /* its labels; NULL: these */
    const struct jr_labels *labels;
    const struct jr_label **sorted; /* NULL: not sorted */
};

static void lookup_done(struct lookup *l)
{
    free(l->sorted);
}

/** By key, equal keys in the order of the list. */
static int by_key(const void *a, const void *b)
{
    const struct jr_label *x = *(const struct jr_label *const *)a;
    const struct jr_label *y = *(const struct jr_label *const *)b;
    int c = jr_str_cmp(x->key, y->key);

    return c != 0 ? c : (x > y) - (x < y);
}

/** Sorting pays off (and keeps hostile objects from taking quadratic time) once there is enough to
 * look up. Without memory the list is searched as it is. */
static void lookup_init(struct lookup *l, const struct jr_labels *labels, size_t lookups)
{
    *l = (struct lookup){ .labels = labels };
    if (labels->n < 32 || lookups < 32)
        return;
    l->sorted = reallocarray(NULL, labels->n, sizeof(const struct jr_label *));
    if (l->sorted == NULL)
        return;
    for (size_t i = 0; i < labels->n; i++)
        l->sorted[i] = &labels->v[i];
    qsort(l->sorted, labels->n, sizeof(const struct jr_label *), by_key);
}

static struct jr_str lookup_get(const struct lookup *l, struct jr_str key)
{
    size_t lo = 0, hi;

    if (l->pod != NULL)
        return jr_pod_label(l->pod, key);
    hi = l->labels->n;
    if (l->sorted == NULL)
        return jr_labels_get(l->labels, key);
    while (lo < hi) { /* the first key above */
        size_t mid = lo + (hi - lo) / 2;

        if (jr_str_cmp(l->sorted[mid]->key, key) <= 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == 0 || !jr_str_eq(l->sorted[lo - 1]->key, key))
        return (struct jr_str){ NULL, 0 };
    return l->sorted[lo - 1]->value;
}

static bool req_matches(const struct jr_selector_req *r, const struct lookup *labels)
{
    const struct jr_str value = lookup_get(labels, r->key);

    switch (parse_op(r->op)) {
    case OP_IN:
        return value.p != NULL && jr_strs_has(&r->values, value);
    case OP_NOT_IN:
        return value.p == NULL || !jr_strs_has(&r->values, value);
    case OP_EXISTS:
        return value.p != NULL;
    case OP_DOES_NOT_EXIST:
        return value.p == NULL;
    case OP_UNKNOWN:
        break;
    }
    return false;
}

/** Whether the labels are as the selector says, which may say nonsense. */
static bool matches(const struct jr_selector *s, const struct lookup *l)
{
    for (size_t i = 0; i < s->match_labels.n; i++) {
        const struct jr_label *want = &s->match_labels.v[i];
        const struct jr_str have = lookup_get(l, want->key);

        if (have.p == NULL || !jr_str_eq(have, want->value))
            return false;
    }
    for (size_t i = 0; i < s->match_expressions.n; i++) {
        if (!req_matches(&s->match_expressions.v[i], l))
            return false;
    }
    return true;
}

bool jr_selector_matches(const struct jr_selector *s, const struct jr_labels *labels)
{
    JR_CLEANUP(lookup_done) struct lookup l = { 0 };

    if (!s->set)
        return false;
    lookup_init(&l, labels, s->match_labels.n + s->match_expressions.n);
    return matches(s, &l) && jr_selector_valid(s);
}

bool jr_selector_matches_pod(const struct jr_selector *s, const struct jr_pod *pod)
{
    if (s->plan != NULL)
        return s->set && jr_selector_plan_matches(s->plan, pod);
    return s->set && matches(s, &(struct lookup){ .pod = pod });
}
