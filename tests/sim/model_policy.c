/* SPDX-License-Identifier: Apache-2.0 */
/* podFailurePolicy and successPolicy (9), checked once more. */
#include "tests/sim/model_parts.h"

static bool has_value(const struct jr_i32s *l, int32_t v)
{
    for (size_t i = 0; i < l->n; i++) {
        if (l->v[i] == v)
            return true;
    }
    return false;
}

/* The container whose exit the rule names, NULL: none. */
static const struct jr_container_status *exit_matches(const struct jr_failure_rule *r,
                                                      const struct jr_pod *p)
{
    for (size_t i = 0; i < p->containers.n; i++) {
        const struct jr_container_status *c = &p->containers.v[i];
        int32_t code = c->terminated.exit_code;
        bool in = has_value(&r->on_exit_codes.values, code);

        if (!c->terminated.set || code == 0)
            continue;
        if (r->on_exit_codes.container_name.p != NULL &&
            !jr_str_eq(r->on_exit_codes.container_name, jr_pod_str(p, c->name)))
            continue;
        if ((jr_str_is(r->on_exit_codes.op, "In") && in) ||
            (jr_str_is(r->on_exit_codes.op, "NotIn") && !in))
            return c;
    }
    return NULL;
}

static const struct jr_pod_condition *condition_matches(const struct jr_failure_rule *r,
                                                        const struct jr_pod *p)
{
    for (size_t k = 0; k < r->on_pod_conditions.n; k++) {
        for (size_t i = 0; i < p->conditions.n; i++) {
            if (jr_str_eq(jr_pod_str(p, p->conditions.v[i].type), r->on_pod_conditions.v[k].type) &&
                jr_str_eq(jr_pod_str(p, p->conditions.v[i].status),
                          r->on_pod_conditions.v[k].status))
                return &p->conditions.v[i];
        }
    }
    return NULL;
}

static bool known_action(const struct jr_job *job, struct jr_str action,
                         enum sim_pod_effect_kind *ret)
{
    static const struct {
        const char *action;
        enum sim_pod_effect_kind result;
    } actions[] = { { "FailJob", SIM_FAILS_JOB },
                    { "Ignore", SIM_IGNORED },
                    { "FailIndex", SIM_FAILS_INDEX },
                    { "Count", SIM_COUNTED } };

    for (size_t i = 0; i < JR_ARRAY_SIZE(actions); i++) {
        if (jr_str_is(action, actions[i].action)) {
            *ret = actions[i].result;
            return *ret != SIM_FAILS_INDEX || job->spec.backoff_limit_per_index.set;
        }
    }
    return false;
}

enum sim_pod_effect_kind sim_match_rules(const struct jr_job *job, const struct jr_pod *p,
                                         struct jr_buf *message)
{
    enum sim_pod_effect_kind result = SIM_COUNTED;

    for (size_t i = 0; job->spec.pod_failure_policy.set && i < job->spec.pod_failure_policy.rules.n;
         i++) {
        const struct jr_failure_rule *r = &job->spec.pod_failure_policy.rules.v[i];
        const struct jr_container_status *c = NULL;
        const struct jr_pod_condition *on = NULL;

        if (r->on_exit_codes.set)
            c = exit_matches(r, p);
        else
            on = condition_matches(r, p);
        if ((c == NULL && on == NULL) || !known_action(job, r->action, &result))
            continue;
        if (message != NULL && c != NULL)
            (void)jr_buf_addf(message,
                              "Container %.*s for pod %.*s/%.*s failed with exit code %d matching "
                              "FailJob rule at index %zu",
                              JR_P(jr_pod_str(p, c->name)), JR_P(p->namespace), JR_P(p->name),
                              c->terminated.exit_code, i);
        else if (message != NULL)
            (void)jr_buf_addf(message,
                              "Pod %.*s/%.*s has condition %.*s matching FailJob rule at index %zu",
                              JR_P(p->namespace), JR_P(p->name), JR_P(jr_pod_str(p, on->type)), i);
        return result;
    }
    return SIM_COUNTED;
}

enum sim_pod_effect_kind sim_pod_effect(const struct jr_job *job, const struct jr_pod *p,
                                        struct jr_buf *message)
{
    return p->phase == JR_POD_FAILED ? sim_match_rules(job, p, message) : SIM_COUNTED;
}

bool sim_exceeds(const struct jr_job *job, const struct jr_pod *p)
{
    enum sim_pod_effect_kind result = sim_pod_effect(job, p, NULL);

    if (!job->spec.backoff_limit_per_index.set || !sim_failed(job, p) || result == SIM_IGNORED)
        return false;
    return result == SIM_FAILS_INDEX || sim_failure_count(p) >= job->spec.backoff_limit_per_index.v;
}

/* How many of the rule's indexes are completed. */
static int64_t common(const struct jr_indexes *a, const struct jr_indexes *b)
{
    int64_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        for (int32_t k = a->v[i].first; k <= a->v[i].last; k++)
            n += jr_indexes_has(b, k);
    }
    return n;
}

static bool rule_is_met(const struct jr_job *job, const struct jr_success_rule *r,
                        const struct jr_indexes *completed)
{
    SIM_INDEXES named = { 0 };

    if (r->succeeded_indexes.p == NULL)
        return r->succeeded_count.set && jr_indexes_count(completed) >= r->succeeded_count.v;
    if (jr_indexes_read(r->succeeded_indexes, jr_i32_or(job->spec.completions, 0), &named) !=
            JR_OK ||
        named.n == 0)
        return false;
    int64_t n = common(&named, completed);
    return n == jr_indexes_count(&named) || (r->succeeded_count.set && n >= r->succeeded_count.v);
}

int sim_success_rule(const struct jr_job *job, const struct jr_indexes *completed)
{
    for (size_t i = 0;
         job->spec.success_policy.set && completed->n > 0 && i < job->spec.success_policy.rules.n;
         i++) {
        if (rule_is_met(job, &job->spec.success_policy.rules.v[i], completed))
            return (int)i;
    }
    return -1;
}
