/* SPDX-License-Identifier: Apache-2.0 */
/* Matches policies with Jobs, and finds whose rules and defaults count. */
#include "common/policy/evaluate.h"

#include "common/job/facts.h"
#include "common/rules/each.h"
#include "common/rules/selector.h"

/** Whether it selects whatever there is. */
static bool is_open(const struct jr_selector *s)
{
    return !s->set || (s->match_labels.n == 0 && s->match_expressions.n == 0);
}

bool jr_policy_selects_namespaces(const struct jr_job_policy *p)
{
    return !is_open(&p->match.namespace_selector) || p->rules.pod_security.of_namespace;
}

static bool has_amount(const struct jr_node *amounts, const struct jr_strs *globs)
{
    JR_EACH(amount, amounts) {
        if (jr_globs_match(globs, jr_key(amount)))
            return true;
    }
    return false;
}

/** Whether resources, of a container or a Pod, ask for one that a glob matches. */
static bool asks(const struct jr_node *resources, const struct jr_strs *globs)
{
    return has_amount(jr_get(resources, "requests"), globs) ||
           has_amount(jr_get(resources, "limits"), globs);
}

/** Whether one of the globs is of devices, which a Pod's resourceClaims ask for as well. */
static bool is_of_devices(const struct jr_strs *globs)
{
    for (size_t i = 0; i < globs->n; i++) {
        if (jr_resource_is_device(globs->v[i]))
            return true;
    }
    return false;
}

/** Whether the Job's Pods ask for one of the resources. Nobody knows which devices a claim is for:
 * it counts as any. */
static bool requests(const struct jr_policy_job *job, const struct jr_strs *globs)
{
    static const char *const lists[] = { "containers", "initContainers" };
    const struct jr_node *pod = jr_path(job->root, "spec.template.spec");

    for (size_t i = 0; i < JR_ARRAY_SIZE(lists); i++) {
        JR_EACH(container, jr_get(pod, lists[i])) {
            if (asks(jr_get(container, "resources"), globs))
                return true;
        }
    }
    return asks(jr_get(pod, "resources"), globs) || has_amount(jr_get(pod, "overhead"), globs) ||
           (jr_size(jr_get(pod, "resourceClaims")) > 0 && is_of_devices(globs));
}

bool jr_policy_names_namespace(const struct jr_job_policy *p, struct jr_str name)
{
    return (p->match.namespaces.n == 0 || jr_globs_match(&p->match.namespaces, name)) &&
           !jr_globs_match(&p->match.exclude_namespaces, name);
}

bool jr_policy_matches(const struct jr_job_policy *p, const struct jr_policy_context *c,
                       unsigned operations, const struct jr_policy_job *job,
                       bool *ret_namespace_needed)
{
    if ((p->match.operations & operations) == 0)
        return false;
    if (!jr_policy_names_namespace(p, c->namespace))
        return false;
    if (p->match.object_selector.set &&
        !jr_selector_matches(&p->match.object_selector, job->labels))
        return false;
    if ((p->match.kinds & (job->cron_job != NULL ? JR_POLICY_OF_CRON_JOBS : JR_POLICY_OF_JOBS)) ==
        0)
        return false;
    if (p->match.requests.n > 0 && !requests(job, &p->match.requests))
        return false;
    if (is_open(&p->match.namespace_selector))
        return true;
    if (!c->namespace_known) {
        *ret_namespace_needed = true;
        return false;
    }
    return jr_selector_matches(&p->match.namespace_selector, &c->namespace_labels);
}

const struct jr_policy_exception *jr_policy_exception_for(const struct jr_job_policy *p,
                                                          const struct jr_policy_context *c)
{
    for (size_t i = 0; i < p->exceptions.n; i++) {
        const struct jr_policy_exception *e = &p->exceptions.v[i];

        if (jr_time_cmp(c->now, e->until) < 0 && jr_strs_has(&e->namespaces, c->namespace))
            return e;
    }
    return NULL;
}

struct jr_time jr_policy_next_end(const struct jr_job_policy *p, struct jr_time now)
{
    struct jr_time next = { 0 };

    for (size_t i = 0; i < p->exceptions.n; i++) {
        const struct jr_time until = p->exceptions.v[i].until;

        if (jr_time_cmp(now, until) < 0 && (!jr_time_set(next) || jr_time_cmp(until, next) < 0))
            next = until;
    }
    return next;
}

const struct jr_policy_rules *jr_policy_rules_for(const struct jr_job_policy *p,
                                                  const struct jr_policy_context *c)
{
    const struct jr_policy_exception *e = jr_policy_exception_for(p, c);

    return e == NULL ? &p->rules : &e->rules;
}

static bool sets(const struct jr_job_policy *p, enum jr_limited_field field, int64_t v,
                 struct jr_str text)
{
    for (size_t i = 0; i < p->defaults.n; i++) {
        const struct jr_policy_default *d = &p->defaults.v[i];

        if (d->field == field)
            return jr_limited_fields[field].kind == JR_LIMITED_TEXT ? jr_str_eq(d->text, text)
                                                                    : d->v == v;
    }
    return false;
}

const struct jr_job_policy *jr_policy_default_of(const struct jr_policy_context *c,
                                                 const struct jr_job_policy *p,
                                                 const struct jr_policy_job *job,
                                                 enum jr_limited_field field, int64_t v,
                                                 struct jr_str text)
{
    struct jr_policy_job made = *job;
    bool needed = false;

    made.cron_job = NULL; /* a Job gets the defaults */
    for (size_t i = 0; i < c->set->n; i++) {
        const struct jr_job_policy *other = c->set->v[i];

        if (other != p && other->unusable.n == 0 && sets(other, field, v, text) &&
            jr_policy_matches(other, c, JR_OPERATION_CREATE, &made, &needed))
            return other;
    }
    return NULL;
}
