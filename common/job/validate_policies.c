/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of managedBy, podFailurePolicy and successPolicy. */
#include "common/base/string_set.h"
#include "common/job/indexes.h"
#include "common/job/validate_parts.h"

#define MANAGED_BY_MAX 63
#define RULES_MAX 20
#define EXIT_CODES_MAX 255
#define POD_CONDITIONS_MAX 20
#define SUCCEEDED_INDEXES_MAX ((size_t)64 << 10)

void jr_validate_managed_by(struct jr_str managed_by, const struct jr_field_path *path,
                            struct jr_errlist *errs)
{
    ptrdiff_t slash = jr_str_find(managed_by, '/');

    if (managed_by.n == 0) {
        jr_violation(errs, JR_RULE_MANAGED_BY_EMPTY, path);
    } else if (slash <= 0 || (size_t)slash + 1 == managed_by.n) {
        jr_violation_text(errs, JR_RULE_MANAGED_BY_FORM, path, managed_by);
    } else {
        const struct jr_str host = jr_str_head(managed_by, (size_t)slash);
        const struct jr_str rest = jr_str_from(managed_by, (size_t)slash + 1);

        jr_validate_name(errs, JR_RULE_MANAGED_BY_HOST, path, host, jr_name_subdomain);
        if (!jr_name_is_http_path(rest))
            jr_violation_text(errs, JR_RULE_MANAGED_BY_PATH, path, rest);
    }
    if (managed_by.n > MANAGED_BY_MAX)
        jr_violation(errs, JR_RULE_MANAGED_BY_LENGTH, path);
}

/** More than max items. */
static void check_count(size_t n, size_t max, enum jr_rule rule, const struct jr_field_path *path,
                        struct jr_errlist *errs)
{
    if (n > max)
        jr_violation_int(errs, rule, path, (int64_t)n);
}

/* ---- podFailurePolicy ---- */

static void check_action(const struct jr_job_spec *s, struct jr_str action,
                         const struct jr_field_path *path, struct jr_errlist *errs)
{
    if (action.n == 0) {
        jr_violation(errs, JR_RULE_FAILURE_ACTION_REQUIRED, path);
    } else if (jr_str_is(action, "FailIndex")) {
        if (!s->backoff_limit_per_index.set)
            jr_violation_enum(errs, JR_RULE_FAILURE_FAIL_INDEX, path, action);
    } else if (!jr_str_is(action, "Count") && !jr_str_is(action, "FailJob") &&
               !jr_str_is(action, "Ignore")) {
        jr_violation_enum(errs, JR_RULE_FAILURE_ACTION, path, action);
    }
}

/** The list as JSON: "[1,2]", "null" where there is none. */
static struct jr_str list_value(const struct jr_i32s *values, struct jr_errlist *errs)
{
    JR_BUF b = { 0 };
    struct jr_str kept = { NULL, 0 };

    if (values->v == NULL)
        return JR_S("null");
    jr_buf_init(&b, (size_t)64 << 20);
    (void)jr_buf_addc(&b, '[');
    for (size_t i = 0; i < values->n; i++) {
        if (i > 0)
            (void)jr_buf_addc(&b, ',');
        (void)jr_buf_add_i64(&b, values->v[i]);
    }
    if (jr_buf_addc(&b, ']') != JR_OK)
        errs->failed = b.failed;
    else if (!jr_arena_str(errs->arena, jr_buf_str(&b), &kept))
        errs->failed = JR_NOMEM;
    return kept;
}

static void check_exit_values(const struct jr_i32s *values, bool in,
                              const struct jr_field_path *path, struct jr_errlist *errs)
{
    struct jr_string_set seen = JR_STRING_SET(errs);
    bool ordered = true;

    if (values->n == 0)
        jr_rule_violated(errs, JR_RULE_EXIT_VALUES_NONE, path, list_value(values, errs));
    check_count(values->n, EXIT_CODES_MAX, JR_RULE_EXIT_VALUES_LIMIT, path, errs);
    for (size_t i = 0; i < values->n && jr_errlist_going(errs); i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_str text = jr_errlist_int(errs, values->v[i]);

        if (in && values->v[i] == 0)
            jr_rule_violated(errs, JR_RULE_EXIT_VALUE_ZERO, &at, text);
        if (!jr_string_set_add(&seen, text))
            jr_rule_violated(errs, JR_RULE_EXIT_VALUE_TWICE, &at, text);
        if (i > 0 && values->v[i - 1] > values->v[i])
            ordered = false;
    }
    if (!ordered)
        jr_rule_violated(errs, JR_RULE_EXIT_VALUES_ORDER, path, list_value(values, errs));
}

static void check_exit_codes(const struct jr_failure_rule *rule,
                             const struct jr_string_set *containers,
                             const struct jr_field_path *path, struct jr_errlist *errs)
{
    const struct jr_str op = rule->on_exit_codes.op;
    const struct jr_str container = rule->on_exit_codes.container_name;
    bool in = jr_str_is(op, "In");

    if (op.n == 0)
        jr_violation(errs, JR_RULE_EXIT_OPERATOR_REQUIRED, &JR_FIELD(path, "operator"));
    else if (!in && !jr_str_is(op, "NotIn"))
        jr_violation_enum(errs, JR_RULE_EXIT_OPERATOR, &JR_FIELD(path, "operator"), op);
    if (container.p != NULL && !jr_string_set_has(containers, container))
        jr_violation_text(errs, JR_RULE_EXIT_CONTAINER, &JR_FIELD(path, "containerName"),
                          container);
    check_exit_values(&rule->on_exit_codes.values, in, &JR_FIELD(path, "values"), errs);
}

static void check_pod_conditions(const struct jr_failure_rule *rule,
                                 const struct jr_field_path *path, struct jr_errlist *errs)
{
    check_count(rule->on_pod_conditions.n, POD_CONDITIONS_MAX, JR_RULE_POD_CONDITIONS_LIMIT, path,
                errs);
    for (size_t i = 0; i < rule->on_pod_conditions.n; i++) {
        const struct jr_field_path at = JR_FIELD_AT(path, i);
        const struct jr_field_path status_path = JR_FIELD(&at, "status");
        const struct jr_str type = rule->on_pod_conditions.v[i].type;
        const struct jr_str status = rule->on_pod_conditions.v[i].status;

        jr_validate_name(errs, JR_RULE_POD_CONDITION_TYPE, &JR_FIELD(&at, "type"), type,
                         jr_name_key);
        if (status.n == 0)
            jr_violation(errs, JR_RULE_POD_CONDITION_STATUS_REQUIRED, &status_path);
        else if (!jr_str_is(status, "False") && !jr_str_is(status, "True") &&
                 !jr_str_is(status, "Unknown"))
            jr_violation_enum(errs, JR_RULE_POD_CONDITION_STATUS, &status_path, status);
    }
}

static void check_failure_rule(const struct jr_job_spec *s, const struct jr_failure_rule *rule,
                               const struct jr_string_set *containers,
                               const struct jr_field_path *path, struct jr_errlist *errs)
{
    bool codes = rule->on_exit_codes.set, conditions = rule->on_pod_conditions.n > 0;

    check_action(s, rule->action, &JR_FIELD(path, "action"), errs);
    if (codes)
        check_exit_codes(rule, containers, &JR_FIELD(path, "onExitCodes"), errs);
    if (conditions)
        check_pod_conditions(rule, &JR_FIELD(path, "onPodConditions"), errs);
    if (codes && conditions)
        jr_violation(errs, JR_RULE_FAILURE_RULE_BOTH, path);
    if (!codes && !conditions)
        jr_violation(errs, JR_RULE_FAILURE_RULE_NEITHER, path);
}

void jr_validate_failure_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_field_path rules = JR_FIELD(path, "rules");
    const struct jr_strs *const names[] = { &spec->template.containers,
                                            &spec->template.init_containers };
    struct jr_string_set containers = JR_STRING_SET(errs);

    for (size_t k = 0; k < JR_ARRAY_SIZE(names); k++) {
        for (size_t i = 0; i < names[k]->n; i++)
            (void)jr_string_set_add(&containers, names[k]->v[i]);
    }
    check_count(spec->pod_failure_policy.rules.n, RULES_MAX, JR_RULE_FAILURE_RULES, &rules, errs);
    for (size_t i = 0; i < spec->pod_failure_policy.rules.n && jr_errlist_going(errs); i++)
        check_failure_rule(spec, &spec->pod_failure_policy.rules.v[i], &containers,
                           &JR_FIELD_AT(&rules, i), errs);
}

/* ---- successPolicy ---- */

/** How many indexes the list has, 0 if it can't be parsed. */
static int64_t check_succeeded_indexes(struct jr_str text, struct jr_opt_i32 completions,
                                       const struct jr_field_path *path, struct jr_errlist *errs)
{
    JR_BUF why = jr_errlist_words(errs);
    int64_t count = 0;
    enum jr_status st;

    if (text.n > SUCCEEDED_INDEXES_MAX)
        jr_violation(errs, JR_RULE_SUCCESS_INDEXES_LENGTH, path);
    if (!completions.set)
        return 0;
    st = jr_indexes_check(text, completions.v, &count, &why);
    if (st == JR_INVALID)
        jr_rule_violatedf(errs, JR_RULE_SUCCESS_INDEXES, path, jr_errlist_quote(errs, text),
                          "error parsing succeededIndexes: %.*s", JR_P(jr_buf_str(&why)));
    else if (st != JR_OK)
        errs->failed = st;
    return st == JR_OK ? count : 0;
}

static void check_succeeded_count(const struct jr_success_rule *rule, struct jr_opt_i32 completions,
                                  int64_t listed, const struct jr_field_path *path,
                                  struct jr_errlist *errs)
{
    const int32_t count = rule->succeeded_count.v;

    if (count < 0)
        jr_violation_int(errs, JR_RULE_SUCCESS_COUNT_NEGATIVE, path, count);
    if (completions.set && count > completions.v)
        jr_rule_violatedf(errs, JR_RULE_SUCCESS_COUNT_COMPLETIONS, path,
                          jr_errlist_int(errs, count),
                          "must be less than or equal to %d (the number of specified completions)",
                          (int)completions.v);
    if (completions.set && rule->succeeded_indexes.p != NULL && count > listed)
        jr_rule_violatedf(errs, JR_RULE_SUCCESS_COUNT_INDEXES, path, jr_errlist_int(errs, count),
                          "must be less than or equal to %lld (the number of indexes in the "
                          "specified succeededIndexes field)",
                          (long long)listed);
}

/** Without completions, which is an error of its own (upstream crashes), only what needs none of
 * them is checked. */
static void check_success_rule(const struct jr_job_spec *s, const struct jr_success_rule *rule,
                               const struct jr_field_path *path, struct jr_errlist *errs)
{
    int64_t listed = 0;

    if (!rule->succeeded_count.set && rule->succeeded_indexes.p == NULL)
        jr_violation(errs, JR_RULE_SUCCESS_RULE_EMPTY, path);
    if (rule->succeeded_indexes.p != NULL)
        listed = check_succeeded_indexes(rule->succeeded_indexes, s->completions,
                                         &JR_FIELD(path, "succeededIndexes"), errs);
    if (rule->succeeded_count.set)
        check_succeeded_count(rule, s->completions, listed, &JR_FIELD(path, "succeededCount"),
                              errs);
}

void jr_validate_success_policy(const struct jr_job_spec *spec, const struct jr_field_path *path,
                                struct jr_errlist *errs)
{
    const struct jr_field_path rules = JR_FIELD(path, "rules");

    if (spec->success_policy.rules.n == 0)
        jr_violation(errs, JR_RULE_SUCCESS_RULES_NONE, &rules);
    check_count(spec->success_policy.rules.n, RULES_MAX, JR_RULE_SUCCESS_RULES_LIMIT, &rules, errs);
    for (size_t i = 0; i < spec->success_policy.rules.n && jr_errlist_going(errs); i++)
        check_success_rule(spec, &spec->success_policy.rules.v[i], &JR_FIELD_AT(&rules, i), errs);
}
