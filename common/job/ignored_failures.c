/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the exit codes that Ignore rules name with those that earlier rules name. */
#include "common/job/ignored_failures.h"

#include <stdlib.h>

/* Of validation: what is below it is looked at in full. */
#define RULES_MAX 20
#define PATTERNS_MAX 20
#define CODES_MAX 255

/* ---- sets of exit codes ---- */

/** Ascending; all_but: every other code. */
struct codes {
    bool all_but;
    const int32_t *v;
    size_t n;
};

static bool has(const struct codes *s, int32_t code)
{
    size_t lo = 0, hi = s->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (s->v[mid] < code)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (lo < s->n && s->v[lo] == code) != s->all_but;
}

/** Whether all of a's codes are in b. */
static bool is_within(const struct codes *a, const struct codes *b)
{
    if (a->all_but && !b->all_but)
        return false; /* there are more codes than a policy can list */
    if (!a->all_but) {
        for (size_t i = 0; i < a->n; i++) {
            if (!has(b, a->v[i]))
                return false;
        }
        return true;
    }
    for (size_t i = 0; i < b->n; i++) {
        if (has(a, b->v[i]))
            return false;
    }
    return true;
}

/** Copies those listed in s that are, or are not, among the codes of `of`. */
static size_t pick(const struct codes *s, const struct codes *of, bool are, int32_t *out)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        if (has(of, s->v[i]) == are)
            out[n++] = s->v[i];
    }
    return n;
}

static size_t merge(const struct codes *a, const struct codes *b, int32_t *out)
{
    size_t n = 0;

    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        if (j == b->n || (i < a->n && a->v[i] <= b->v[j])) {
            j += j < b->n && a->v[i] == b->v[j];
            out[n++] = a->v[i++];
        } else {
            out[n++] = b->v[j++];
        }
    }
    return n;
}

/** out has room for both. */
static struct codes join(const struct codes *a, const struct codes *b, int32_t *out)
{
    struct codes sum = { .all_but = a->all_but || b->all_but, .v = out };

    /* What is left out is left out by both. */
    if (!sum.all_but)
        sum.n = merge(a, b, out);
    else if (a->all_but)
        sum.n = pick(a, b, false, out);
    else
        sum.n = pick(b, a, false, out);
    return sum;
}

/* ---- rules about exit codes ---- */

struct analysis {
    const struct jr_job_spec *spec;
    bool disruptions_aside;
    size_t n_rules;
    struct codes *codes; /* by rule */
    int32_t *room[2];
};

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

static bool is_ignore(const struct jr_failure_rule *r)
{
    return jr_str_is(r->action, "Ignore");
}

static enum jr_status sort_codes(const struct jr_failure_rule *r, struct jr_arena *a,
                                 struct codes *ret)
{
    const struct jr_i32s *values = &r->on_exit_codes.values;
    int32_t *v = jr_arena_calloc(a, values->n, sizeof(*v));
    size_t n = 0;

    if (v == NULL)
        return JR_NOMEM;
    if (values->n > 0)
        memcpy(v, values->v, values->n * sizeof(*v));
    qsort(v, values->n, sizeof(*v), ascending);
    for (size_t i = 0; i < values->n; i++) {
        if (n == 0 || v[i] != v[n - 1])
            v[n++] = v[i];
    }
    *ret = (struct codes){ jr_str_is(r->on_exit_codes.op, "NotIn"), v, n };
    return JR_OK;
}

/** container {NULL, 0}: one that no rule names. */
static bool is_about(const struct jr_failure_rule *r, struct jr_str container)
{
    const struct jr_str name = r->on_exit_codes.container_name;

    return r->on_exit_codes.set &&
           (name.p == NULL || (container.p != NULL && jr_str_eq(name, container)));
}

/** Of the first `end` rules the first that ignores a code with which the container alone fails. */
static size_t first_for_container(const struct analysis *an, struct jr_str container, size_t end)
{
    static const int32_t success = 0; /* which no rule matches */
    struct codes before = { false, &success, 1 };

    for (size_t i = 0; i < end; i++) {
        const struct jr_failure_rule *r = &an->spec->pod_failure_policy.rules.v[i];

        if (!is_about(r, container))
            continue;
        if (is_ignore(r) && !is_within(&an->codes[i], &before))
            return i;
        before = join(&before, &an->codes[i], before.v == an->room[0] ? an->room[1] : an->room[0]);
    }
    return end;
}

static bool is_named(const struct jr_job_spec *spec, struct jr_str container)
{
    for (size_t i = 0; i < spec->pod_failure_policy.rules.n; i++) {
        if (jr_str_eq(spec->pod_failure_policy.rules.v[i].on_exit_codes.container_name, container))
            return true;
    }
    return false;
}

static bool has_unnamed(const struct jr_job_spec *spec, const struct jr_strs *containers)
{
    for (size_t i = 0; i < containers->n; i++) {
        if (!is_named(spec, containers->v[i]))
            return true;
    }
    return false;
}

static size_t first_by_codes(const struct analysis *an)
{
    const struct jr_job_spec *spec = an->spec;
    size_t first = an->n_rules;

    for (size_t i = 0; i < an->n_rules; i++) {
        const struct jr_str name = spec->pod_failure_policy.rules.v[i].on_exit_codes.container_name;

        if (name.p != NULL)
            first = first_for_container(an, name, first);
    }
    if (has_unnamed(spec, &spec->template.containers) ||
        has_unnamed(spec, &spec->template.init_containers))
        first = first_for_container(an, (struct jr_str){ NULL, 0 }, first);
    return first;
}

/* ---- rules about conditions ---- */

static bool has_pattern(const struct jr_failure_rule *r,
                        const struct jr_failure_on_condition *pattern)
{
    for (size_t i = 0; i < r->on_pod_conditions.n; i++) {
        if (jr_str_eq(r->on_pod_conditions.v[i].type, pattern->type) &&
            jr_str_eq(r->on_pod_conditions.v[i].status, pattern->status))
            return true;
    }
    return false;
}

/** Whether a Pod of which that condition alone is known comes to the rule. */
static bool comes_to(const struct jr_job_spec *spec, size_t rule,
                     const struct jr_failure_on_condition *pattern)
{
    for (size_t i = 0; i < rule; i++) {
        if (has_pattern(&spec->pod_failure_policy.rules.v[i], pattern))
            return false;
    }
    return true;
}

static bool is_disruption(const struct jr_failure_on_condition *c)
{
    return jr_str_is(c->type, "DisruptionTarget") && jr_str_is(c->status, "True");
}

static size_t first_by_conditions(const struct analysis *an)
{
    for (size_t i = 0; i < an->n_rules; i++) {
        const struct jr_failure_rule *r = &an->spec->pod_failure_policy.rules.v[i];

        for (size_t k = 0; is_ignore(r) && k < r->on_pod_conditions.n; k++) {
            const struct jr_failure_on_condition *c = &r->on_pod_conditions.v[k];

            if (!(an->disruptions_aside && is_disruption(c)) && comes_to(an->spec, i, c))
                return i;
        }
    }
    return an->n_rules;
}

/* ---- both ---- */

/** The first rule that ignores, whatever comes before it. False: the policy has more than may be
 * looked at. */
static bool look(const struct jr_job_spec *spec, ptrdiff_t *ret, size_t *ret_codes)
{
    const size_t n = spec->pod_failure_policy.rules.n;
    bool small = n <= RULES_MAX;

    *ret = -1;
    *ret_codes = 1;
    for (size_t i = 0; i < n; i++) {
        const struct jr_failure_rule *r = &spec->pod_failure_policy.rules.v[i];

        if (*ret < 0 && is_ignore(r))
            *ret = (ptrdiff_t)i;
        small = small && r->on_exit_codes.values.n <= CODES_MAX &&
                r->on_pod_conditions.n <= PATTERNS_MAX;
        *ret_codes += r->on_exit_codes.values.n;
    }
    return small;
}

enum jr_status jr_job_ignoring_rule(const struct jr_job_spec *spec, bool disruptions_aside,
                                    struct jr_arena *a, ptrdiff_t *ret)
{
    struct analysis an = { .spec = spec,
                           .disruptions_aside = disruptions_aside,
                           .n_rules = spec->pod_failure_policy.rules.n };
    size_t codes, by_codes, by_conditions, first;

    if (!look(spec, ret, &codes) || *ret < 0)
        return JR_OK;
    an.codes = jr_arena_calloc(a, an.n_rules, sizeof(*an.codes));
    an.room[0] = jr_arena_calloc(a, codes, sizeof(**an.room));
    an.room[1] = jr_arena_calloc(a, codes, sizeof(**an.room));
    if (an.codes == NULL || an.room[0] == NULL || an.room[1] == NULL)
        return JR_NOMEM;
    for (size_t i = 0; i < an.n_rules; i++) {
        if (sort_codes(&spec->pod_failure_policy.rules.v[i], a, &an.codes[i]) != JR_OK)
            return JR_NOMEM;
    }
    by_codes = first_by_codes(&an);
    by_conditions = first_by_conditions(&an);
    first = by_codes < by_conditions ? by_codes : by_conditions;
    *ret = first < an.n_rules ? (ptrdiff_t)first : -1;
    return JR_OK;
}
