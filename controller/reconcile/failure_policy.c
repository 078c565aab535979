/* SPDX-License-Identifier: Apache-2.0 */
/* spec.podFailurePolicy: what a failed Pod means to its Job (KEP-3329). */
#include "controller/reconcile/internal.h"

static const struct {
    enum jr_failure_action action;
    const char *text;
} actions[] = {
    { JR_FAILURE_FAIL_JOB, "FailJob" },
    { JR_FAILURE_FAIL_INDEX, "FailIndex" },
    { JR_FAILURE_IGNORE, "Ignore" },
    { JR_FAILURE_COUNT, "Count" },
};

const char *jr_failure_action_text(enum jr_failure_action a)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(actions); i++) {
        if (actions[i].action == a)
            return actions[i].text;
    }
    return "";
}

static enum jr_failure_action action_of(struct jr_str text)
{
    for (size_t i = 0; i < JR_ARRAY_SIZE(actions); i++) {
        if (jr_str_is(text, actions[i].text))
            return actions[i].action;
    }
    return JR_FAILURE_NONE;
}

static bool exit_code_matches(const struct jr_failure_rule *rule, int32_t code)
{
    bool in = false;

    if (code == 0)
        return false;
    for (size_t i = 0; i < rule->on_exit_codes.values.n; i++)
        in = in || rule->on_exit_codes.values.v[i] == code;
    if (jr_str_is(rule->on_exit_codes.op, "In"))
        return in;
    return jr_str_is(rule->on_exit_codes.op, "NotIn") && !in;
}

static const struct jr_container_status *match_exit_codes(const struct jr_failure_rule *rule,
                                                          const struct jr_pod *pod)
{
    for (size_t i = 0; i < pod->containers.n; i++) {
        const struct jr_container_status *c = &pod->containers.v[i];

        if (!c->terminated.set)
            continue;
        if (rule->on_exit_codes.container_name.p != NULL &&
            !jr_str_eq(rule->on_exit_codes.container_name, jr_pod_str(pod, c->name)))
            continue;
        if (exit_code_matches(rule, c->terminated.exit_code))
            return c;
    }
    return NULL;
}

static bool match_conditions(const struct jr_failure_rule *rule, const struct jr_pod *pod,
                             struct jr_str *ret)
{
    for (size_t i = 0; i < pod->conditions.n; i++) {
        const struct jr_pod_condition *c = &pod->conditions.v[i];
        struct jr_str type = jr_pod_str(pod, c->type), status = jr_pod_str(pod, c->status);

        for (size_t j = 0; j < rule->on_pod_conditions.n; j++) {
            if (jr_str_eq(rule->on_pod_conditions.v[j].type, type) &&
                jr_str_eq(rule->on_pod_conditions.v[j].status, status)) {
                *ret = type;
                return true;
            }
        }
    }
    return false;
}

struct jr_failure_match jr_failure_policy_match(const struct jr_reconcile_options *options,
                                                const struct jr_job *job, const struct jr_pod *pod)
{
    struct jr_failure_match m = { .action = JR_FAILURE_NONE };

    for (size_t i = 0; i < job->spec.pod_failure_policy.rules.n; i++) {
        const struct jr_failure_rule *rule = &job->spec.pod_failure_policy.rules.v[i];
        bool match;

        m = (struct jr_failure_match){ .action = action_of(rule->action), .rule = i };
        if (m.action == JR_FAILURE_NONE ||
            (m.action == JR_FAILURE_FAIL_INDEX && !options->backoff_limit_per_index))
            continue;
        if (rule->on_exit_codes.set) {
            m.container = match_exit_codes(rule, pod);
            match = m.container != NULL;
        } else {
            match = match_conditions(rule, pod, &m.condition);
        }
        if (match)
            return m;
    }
    return (struct jr_failure_match){ .action = JR_FAILURE_NONE };
}

bool jr_failure_counts(const struct jr_sync *s, const struct jr_pod *pod)
{
    return jr_failure_policy_match(s->snap.options, s->job, pod).action != JR_FAILURE_IGNORE;
}

struct jr_str jr_failure_policy_words(struct jr_arena *a, const struct jr_failure_match *m,
                                      const struct jr_pod *pod)
{
    const char *action = jr_failure_action_text(m->action);
    struct jr_str container = m->container == NULL ? JR_S("") : jr_pod_str(pod, m->container->name);

    if (m->container != NULL)
        return jr_xarena_text(a,
                              "Container %.*s for pod %.*s/%.*s failed with exit code %d matching "
                              "%s rule at index %zu",
                              JR_P(container), JR_P(pod->namespace), JR_P(pod->name),
                              (int)m->container->terminated.exit_code, action, m->rule);
    return jr_xarena_text(a, "Pod %.*s/%.*s has condition %.*s matching %s rule at index %zu",
                          JR_P(pod->namespace), JR_P(pod->name), JR_P(m->condition), action,
                          m->rule);
}
