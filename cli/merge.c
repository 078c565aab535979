/* SPDX-License-Identifier: Apache-2.0 */
/* What several versions find in one object, as one list. */
#include "cli/report.h"
#include "common/base/memory.h"

/** By all that is told of it but its versions. */
static int compare(const struct jr_finding *a, const struct jr_finding *b)
{
    const struct jr_str texts[][2] = { { a->type, b->type },       { a->rule, b->rule },
                                       { a->field, b->field },     { a->value, b->value },
                                       { a->message, b->message }, { a->hint, b->hint } };
    int order = 0;

    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->level != b->level || a->refuses != b->refuses)
        return a->level < b->level || (a->level == b->level && !a->refuses) ? -1 : 1;
    for (size_t i = 0; i < JR_ARRAY_SIZE(texts) && order == 0; i++)
        order = jr_str_cmp(texts[i][0], texts[i][1]);
    return order;
}

/** Equal ones stay in their order. */
static int compare_places(const void *a, const void *b)
{
    const struct jr_finding *left = *(const struct jr_finding *const *)a;
    const struct jr_finding *right = *(const struct jr_finding *const *)b;
    const int order = compare(left, right);

    if (order != 0)
        return order;
    return left < right ? -1 : left > right;
}

/** The first finding that is equal to each. To be freed. */
static size_t *find_firsts(const struct jr_finding *v, size_t n)
{
    JR_FREE const struct jr_finding **sorted = jr_xcalloc(n, sizeof(*sorted));
    size_t *firsts = jr_xcalloc(n, sizeof(*firsts));
    const struct jr_finding *first = NULL;

    for (size_t i = 0; i < n; i++)
        sorted[i] = &v[i];
    qsort(sorted, n, sizeof(*sorted), compare_places);
    for (size_t i = 0; i < n; i++) {
        if (first == NULL || compare(first, sorted[i]) != 0)
            first = sorted[i];
        firsts[sorted[i] - v] = (size_t)(first - v);
    }
    return firsts;
}

/** Chains the first ones: what a version alone finds goes behind what it found before. next has an
 * element for each and, behind these, the head, where the chain ends, too. */
static void chain(struct jr_report *r, struct jr_checked *o, const size_t *firsts, size_t *next)
{
    size_t at = o->n;

    next[o->n] = o->n;
    for (size_t i = 0; i < o->n; i++) {
        const struct jr_finding *f = &o->v[i];

        if (i > 0 && f->versions != f[-1].versions)
            at = o->n;
        if (firsts[i] == i) {
            next[i] = next[at];
            next[at] = i;
        } else {
            r->errors -= f->level == JR_LEVEL_ERROR;
            r->warnings -= f->level == JR_LEVEL_WARNING;
        }
        at = firsts[i];
    }
}

static void join(struct jr_report *r, struct jr_checked *o)
{
    JR_FREE size_t *firsts = find_firsts(o->v, o->n);
    JR_FREE size_t *next = jr_xcalloc(o->n + 1, sizeof(*next));
    JR_FREE struct jr_finding *all = jr_xcalloc(o->n, sizeof(*all));
    size_t n = 0;

    chain(r, o, firsts, next);
    for (size_t i = 0; i < o->n; i++)
        o->v[firsts[i]].versions |= o->v[i].versions;
    memcpy(all, o->v, o->n * sizeof(*all));
    for (size_t i = next[o->n]; i != o->n; i = next[i])
        o->v[n++] = all[i];
    o->n = n;
}

/** Policies are no version's; they weren't evaluated where the version's own rules refused. */
static bool is_of_policies(const struct jr_finding *f)
{
    return jr_str_is(f->type, JR_POLICY_VIOLATION) || jr_str_is(f->type, JR_UNDECIDED);
}

static void say_versions(struct jr_report *r, struct jr_finding *f)
{
    JR_BUF text = { 0 };

    jr_buf_init(&text, JR_BUF_BY_INPUT);
    jr_versions_write(&r->versions, f->versions, &text);
    jr_must(text.failed);
    f->only = jr_report_keep(r, jr_buf_str(&text));
}

void jr_report_merge(struct jr_report *r)
{
    struct jr_checked *o = &r->objects.v[r->objects.n - 1];
    const unsigned all = jr_versions_all(&r->versions);
    unsigned refusing = 0;

    if (r->versions.n == 1 || o->n == 0)
        return;
    join(r, o);
    for (size_t i = 0; i < o->n; i++) {
        if (o->v[i].refuses && !is_of_policies(&o->v[i]))
            refusing |= o->v[i].versions;
    }
    for (size_t i = 0; i < o->n; i++) {
        if (is_of_policies(&o->v[i]))
            o->v[i].versions |= refusing;
        if (o->v[i].versions != all)
            say_versions(r, &o->v[i]);
    }
}
