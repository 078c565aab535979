/* SPDX-License-Identifier: Apache-2.0 */
/* From a JobPolicy's document to what is evaluated: what it matches and does. */
#include "common/policy/compile.h"

#include <stdlib.h>

#include "common/pod/selector.h"
#include "common/policy/limit_values.h"
#include "common/rules/selector.h"
#include "common/rules/selector_plan.h"
#include "common/schema/decode_tree.h"

#define MINOR 36 /* of Kubernetes: the types that a policy has from it are old */
#define UNUSABLE_MAX 1024
#define GLOB_MAX 63
#define SELECTOR_MAX 5000 /* what the definition allows, and more than anybody needs */
#define NAMESPACES_MAX 256
#define REQUESTS_MAX 32
#define MESSAGE_MAX 1024

/* ---- spec.match ---- */

static bool is_glob(struct jr_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        const char ch = s.p[i];

        if (!(ch >= 'a' && ch <= 'z') && !(ch >= '0' && ch <= '9') && ch != '-' && ch != '*' &&
            ch != '?')
            return false;
    }
    return s.n > 0 && s.n <= GLOB_MAX;
}

void jr_policy_check_count(struct jr_policy_compiler *c, const struct jr_node *node, size_t most,
                           const struct jr_field_path *path)
{
    if (jr_size(node) > most)
        JR_POLICY_FAULT(c, TOO_MANY, path, jr_errlist_int(c->errs, (int64_t)jr_size(node)),
                        "must have at most %zu items", most);
}

static void check_globs(struct jr_policy_compiler *c, const struct jr_node *globs,
                        const struct jr_field_path *path)
{
    jr_policy_check_count(c, globs, NAMESPACES_MAX, path);
    JR_EACH_AT(g, globs, path, c->errs) {
        if (!is_glob(jr_node_str(g.node)))
            JR_POLICY_FAULT(c, INVALID, &g.path, jr_errlist_quote(c->errs, jr_node_str(g.node)),
                            "must be the name of a namespace, in which '*' stands for any "
                            "characters and '?' for one");
    }
}

/** How many labels, expressions and values it has. */
static size_t length_of(const struct jr_node *selector)
{
    const struct jr_node *expressions = jr_get(selector, "matchExpressions");
    size_t n = jr_size(jr_get(selector, "matchLabels")) + jr_size(expressions);

    for (const struct jr_node *e = jr_first(expressions); e != NULL; e = jr_next(e))
        n += jr_size(jr_get(e, "values"));
    return n;
}

static struct jr_selector compile_selector(struct jr_policy_compiler *c, const struct jr_node *node,
                                           const struct jr_field_path *path)
{
    struct jr_selector s = { .set = false };

    if (length_of(node) > SELECTOR_MAX)
        JR_POLICY_FAULT(c, INVALID, path, JR_S("{...}"),
                        "must have at most %d labels, expressions and values", SELECTOR_MAX);
    else
        s = jr_policy_copy_selector(c, node);
    if (!s.set)
        return s;
    jr_pod_check_selector(node, false, path, c->errs);
    if (jr_selector_prepare(&s, &c->policy->arena) != JR_OK)
        c->errs->failed = JR_NOMEM;
    return s;
}

/** Reads a list of two words, whose bits are 1 and 2. Without any it is both. */
static unsigned compile_words(struct jr_policy_compiler *c, const struct jr_node *list,
                              const struct jr_field_path *path, const char *const words[2])
{
    unsigned all = 0;

    JR_EACH_AT(w, list, path, c->errs) {
        const struct jr_str s = jr_node_str(w.node);

        if (!jr_str_is(s, words[0]) && !jr_str_is(s, words[1]))
            JR_POLICY_FAULT(c, NOT_SUPPORTED, &w.path, jr_errlist_quote(c->errs, s),
                            "supported values: \"%s\", \"%s\"", words[0], words[1]);
        else
            all |= jr_str_is(s, words[0]) ? 1 : 2;
    }
    return all != 0 ? all : 3;
}

static void compile_requests(struct jr_policy_compiler *c, const struct jr_node *list,
                             const struct jr_field_path *path)
{
    jr_policy_check_count(c, list, REQUESTS_MAX, path);
    c->policy->match.requests = jr_policy_copy_strs(c, list);
    JR_EACH_AT(r, list, path, c->errs) {
        if (!jr_policy_is_resource(c, jr_node_str(r.node)))
            JR_POLICY_FAULT(c, INVALID, &r.path, jr_errlist_quote(c->errs, jr_node_str(r.node)),
                            "must be a resource that a container can request: cpu, memory, "
                            "ephemeral-storage, hugepages-SIZE or DOMAIN/NAME; it may end with * "
                            "behind hugepages- or DOMAIN/");
    }
    jr_policy_warn_of_devices(c, list, path);
}

/** Refuses exclusions that leave nothing: one that matches a glob as a text, its '*' included,
 * leaves nothing of what that matches. */
static void check_excluded(struct jr_policy_compiler *c, const struct jr_field_path *path)
{
    const struct jr_strs *in = &c->policy->match.namespaces,
                         *out = &c->policy->match.exclude_namespaces;
    bool all = in->n > 0 || jr_globs_match(out, JR_S("*"));

    for (size_t i = 0; i < in->n; i++)
        all = all && jr_globs_match(out, in->v[i]);
    if (all)
        JR_POLICY_FAULT(c, INVALID, &JR_FIELD(path, "excludeNamespaces"), JR_NO_VALUE,
                        "leaves no namespace, so that the policy matches nothing");
}

static void compile_match(struct jr_policy_compiler *c, const struct jr_node *match,
                          const struct jr_field_path *path)
{
    static const char *const operations[] = { "CREATE", "UPDATE" }, *const kinds[] = { "Job",
                                                                                       "CronJob" };
    struct jr_job_policy *p = c->policy;

    check_globs(c, jr_get(match, "namespaces"), &JR_FIELD(path, "namespaces"));
    check_globs(c, jr_get(match, "excludeNamespaces"), &JR_FIELD(path, "excludeNamespaces"));
    p->match.namespaces = jr_policy_copy_strs(c, jr_get(match, "namespaces"));
    p->match.exclude_namespaces = jr_policy_copy_strs(c, jr_get(match, "excludeNamespaces"));
    p->match.namespace_selector = compile_selector(c, jr_get(match, "namespaceSelector"),
                                                   &JR_FIELD(path, "namespaceSelector"));
    p->match.object_selector =
        compile_selector(c, jr_get(match, "objectSelector"), &JR_FIELD(path, "objectSelector"));
    p->match.operations =
        compile_words(c, jr_get(match, "operations"), &JR_FIELD(path, "operations"), operations);
    p->match.kinds = compile_words(c, jr_get(match, "kinds"), &JR_FIELD(path, "kinds"), kinds);
    compile_requests(c, jr_get(match, "requests"), &JR_FIELD(path, "requests"));
}

static void check_satisfiable(struct jr_policy_compiler *c, const struct jr_selector *s,
                              const struct jr_field_path *path)
{
    const struct jr_selector_plan *plan = s->plan;

    if (!s->set)
        return;
    if (plan == NULL && jr_selector_plan_make(s, c->errs->arena, &plan) != JR_OK)
        c->errs->failed = JR_NOMEM;
    else if (plan->never)
        JR_POLICY_FAULT(c, INVALID, path, JR_NO_VALUE,
                        "is met by no labels, so that the policy matches nothing");
}

/** Refuses a match that is right and matches nothing: nor does the policy where nobody refused it.
 */
static void check_matches_some(struct jr_policy_compiler *c, const struct jr_field_path *path)
{
    check_excluded(c, path);
    check_satisfiable(c, &c->policy->match.namespace_selector,
                      &JR_FIELD(path, "namespaceSelector"));
    check_satisfiable(c, &c->policy->match.object_selector, &JR_FIELD(path, "objectSelector"));
}

/* ---- what is done ---- */

const struct jr_policy_action jr_policy_actions[JR_POLICY_ACTIONS] = {
    { "Deny", JR_ACTION_DENY },
    { "Warn", JR_ACTION_WARN },
    { "Audit", JR_ACTION_AUDIT },
};

unsigned jr_policy_action_of(struct jr_str name)
{
    for (size_t i = 0; i < JR_POLICY_ACTIONS; i++) {
        if (jr_str_is(name, jr_policy_actions[i].name))
            return jr_policy_actions[i].bit;
    }
    return 0;
}

static void compile_actions(struct jr_policy_compiler *c, const struct jr_node *actions,
                            const struct jr_field_path *path)
{
    unsigned all = 0;

    JR_EACH_AT(a, actions, path, c->errs) {
        const struct jr_str s = jr_node_str(a.node);
        const unsigned action = jr_policy_action_of(s);

        if (action == 0)
            JR_POLICY_FAULT(c, NOT_SUPPORTED, &a.path, jr_errlist_quote(c->errs, s),
                            "supported values: \"Audit\", \"Deny\", \"Warn\"");
        else if ((all & action) != 0)
            JR_POLICY_FAULT(c, DUPLICATE, &a.path, jr_errlist_quote(c->errs, s), "%s", "");
        all |= action;
    }
    if ((all & JR_ACTION_DENY) != 0 && (all & JR_ACTION_WARN) != 0)
        JR_POLICY_FAULT(c, INVALID, path, jr_rule_json(c->errs, actions),
                        "must not contain both Deny and Warn: what is denied warns of nothing");
    c->policy->actions = all != 0 ? all : JR_ACTION_DENY;
}

static void compile_failure_policy(struct jr_policy_compiler *c, const struct jr_node *node,
                                   const struct jr_field_path *path)
{
    const struct jr_str s = jr_node_str(node);

    c->policy->fail_open = jr_str_is(s, "Ignore");
    if (!jr_unset(node) && !c->policy->fail_open && !jr_str_is(s, "Fail"))
        JR_POLICY_FAULT(c, NOT_SUPPORTED, path, jr_errlist_quote(c->errs, s),
                        "supported values: \"Fail\", \"Ignore\"");
}

static void compile_message(struct jr_policy_compiler *c, const struct jr_node *node,
                            const struct jr_field_path *path)
{
    const struct jr_str s = jr_node_str(node);

    if (s.n > MESSAGE_MAX) /* nor does it stand behind the denials of what can't be used */
        JR_POLICY_FAULT(c, TOO_LONG, path, JR_NO_VALUE, "may not be more than %d bytes",
                        MESSAGE_MAX);
    else
        c->policy->message = jr_policy_copy(c, s);
}

static void refuse_expressions(struct jr_policy_compiler *c, const struct jr_node *spec,
                               const struct jr_field_path *path)
{
    static const char *const names[] = { "matchConditions", "variables", "validations" };

    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (jr_size(jr_get(spec, names[i])) > 0)
            JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(path, names[i]), JR_NO_VALUE,
                            "this version doesn't evaluate expressions");
    }
}

/** Refuses what is about objects of a kind or about an operation that the policy doesn't match. */
static void check_matched(struct jr_policy_compiler *c, enum jr_policy_kind kind,
                          unsigned operations, const struct jr_field_path *path, const char *is_of)
{
    const bool of_kind = (c->policy->match.kinds & kind) != 0;

    if (!of_kind || (c->policy->match.operations & operations) == 0)
        JR_POLICY_FAULT(c, FORBIDDEN, path, JR_NO_VALUE, "%s, which match.%s leaves out", is_of,
                        of_kind ? "operations" : "kinds");
}

static void check_all_matched(struct jr_policy_compiler *c, const struct jr_node *spec,
                              const struct jr_field_path *path)
{
    const struct jr_policy_rules *rules = &c->policy->rules;
    const struct jr_field_path budget = JR_FIELD(path, "budget");

    if (!jr_unset(jr_get(spec, "defaults")))
        check_matched(c, JR_POLICY_OF_JOBS, JR_OPERATION_CREATE, &JR_FIELD(path, "defaults"),
                      "are of new Jobs");
    for (size_t i = 0; i < rules->limits.n; i++) {
        const struct jr_limit *l = rules->limits.v[i];

        if (l->of.root == JR_LIMIT_OF_CRON_JOB)
            check_matched(c, JR_POLICY_OF_CRON_JOBS, JR_OPERATION_CREATE | JR_OPERATION_UPDATE,
                          l->rule.path, "is of CronJobs");
        else if (l->as == JR_LIMIT_AS_SUSPEND)
            check_matched(c, JR_POLICY_OF_JOBS, JR_OPERATION_CREATE, l->rule.path,
                          "is of new Jobs");
    }
    if (rules->refuses_changes)
        check_matched(c, JR_POLICY_OF_JOBS, JR_OPERATION_UPDATE, &JR_FIELD(&budget, "changes"),
                      "is of updates of Jobs");
}

static bool is_empty(const struct jr_job_policy *p)
{
    return p->rules.limits.n + p->rules.budget.n + p->defaults.n + p->defaults.labels.n +
                   p->defaults.template_labels.n ==
               0 &&
           !p->rules.refuses_changes && !p->rules.pod_security.set;
}

/** One that can't be told what it is about is about everything. */
static void match_all(struct jr_job_policy *p)
{
    memset(&p->match, 0, sizeof(p->match));
    p->match.kinds = JR_POLICY_OF_JOBS | JR_POLICY_OF_CRON_JOBS;
    p->match.operations = JR_OPERATION_CREATE | JR_OPERATION_UPDATE;
}

static void compile_spec(struct jr_policy_compiler *c, const struct jr_node *object)
{
    const struct jr_field_path path = JR_FIELD(NULL, "spec");
    const struct jr_node *spec = jr_get(object, "spec");
    const size_t faults = c->errs->n;

    compile_match(c, jr_get(spec, "match"), &JR_FIELD(&path, "match"));
    if (c->errs->n > faults)
        match_all(c->policy);
    else
        check_matches_some(c, &JR_FIELD(&path, "match"));
    compile_actions(c, jr_get(spec, "validationActions"), &JR_FIELD(&path, "validationActions"));
    compile_failure_policy(c, jr_get(spec, "failurePolicy"), &JR_FIELD(&path, "failurePolicy"));
    compile_message(c, jr_get(spec, "message"), &JR_FIELD(&path, "message"));
    jr_policy_compile_limits(c, jr_get(spec, "limits"), &JR_FIELD(&path, "limits"),
                             &c->policy->rules);
    jr_policy_compile_pod_security(c, jr_get(spec, "podSecurity"), &JR_FIELD(&path, "podSecurity"));
    jr_policy_compile_budget(c, jr_get(spec, "budget"), &JR_FIELD(&path, "budget"),
                             &c->policy->rules);
    jr_policy_compile_exceptions(c, jr_get(spec, "exceptions"), &JR_FIELD(&path, "exceptions"));
    jr_policy_compile_defaults(c, jr_get(spec, "defaults"), &JR_FIELD(&path, "defaults"));
    check_all_matched(c, spec, &path);
    refuse_expressions(c, spec, &path);
    if (c->errs->n == faults && is_empty(c->policy))
        JR_POLICY_FAULT(c, REQUIRED, &path, JR_NO_VALUE,
                        "a policy needs defaults, limits, podSecurity or a budget");
    if (c->errs->n == faults && c->errs->failed == JR_OK)
        jr_policy_warn_of_sense(c, &path);
}

/* ---- the whole ---- */

/** False: nothing of it can be read. */
static bool check_types(struct jr_policy_compiler *c, const struct jr_node *object)
{
    struct jr_type_error wrong = { .why = NULL };

    if (jr_schema_type_error(&jr_schema_job_policy, object, MINOR, c->errs->arena, &wrong) != JR_OK)
        c->errs->failed = JR_NOMEM;
    else if (wrong.why != NULL)
        JR_POLICY_FAULT(c, TYPE_INVALID, wrong.path, JR_NO_VALUE, "must be %s",
                        jr_schema_type_words(wrong.type));
    return c->errs->failed == JR_OK && wrong.why == NULL;
}

static void check_name(struct jr_policy_compiler *c, const struct jr_node *meta)
{
    const struct jr_field_path path = JR_FIELD(NULL, "metadata"), name = JR_FIELD(&path, "name");
    const struct jr_name_errors faults = jr_name_subdomain(c->policy->name);

    if (c->policy->name.n == 0)
        JR_POLICY_FAULT(c, REQUIRED, &name, JR_NO_VALUE, "a policy needs a name");
    else if (faults.n > 0)
        JR_POLICY_FAULT(c, INVALID, &name, jr_errlist_quote(c->errs, c->policy->name), "%s",
                        faults.v[0]);
    if (jr_get_str(meta, "namespace").n > 0)
        JR_POLICY_FAULT(c, FORBIDDEN, &JR_FIELD(&path, "namespace"), JR_NO_VALUE,
                        "a policy is of no namespace: spec.match.namespaces says where it counts");
}

/** The first fault since there were so many, for those whom the policy would have told of more. */
static void note_unusable(struct jr_policy_compiler *c, size_t faults)
{
    const struct jr_field_error *first;
    struct jr_str head;
    JR_BUF text = { 0 };

    if (c->errs->n == faults)
        return;
    first = &c->errs->v[faults];
    jr_buf_init(&text, JR_BUF_BY_INPUT);
    (void)jr_buf_addf(&text, "%.*s: %.*s", JR_P(first->field), JR_P(first->detail));
    if (text.failed != JR_OK)
        c->errs->failed = JR_NOMEM;
    head = jr_field_shown(jr_buf_str(&text), UNUSABLE_MAX); /* keys have no bound in the schema */
    c->policy->unusable = jr_policy_copy(c, head);
}

/** Notes what each limit reads, which evaluations go by. */
static void note_readings(struct jr_policy_compiler *c, struct jr_policy_rules *rules)
{
    uint64_t *v = jr_policy_calloc(c, rules->limits.n, sizeof(*v));

    for (size_t i = 0; v != NULL && i < rules->limits.n; i++)
        v[i] = jr_limit_reading(rules->limits.v[i]);
    rules->readings = v;
}

static void note_all_readings(struct jr_policy_compiler *c)
{
    note_readings(c, &c->policy->rules);
    for (size_t i = 0; i < c->policy->exceptions.n; i++)
        note_readings(c, &c->policy->exceptions.v[i].rules);
}

enum jr_status jr_job_policy_compile(const struct jr_node *object, struct jr_time now,
                                     struct jr_errlist *errs, struct jr_warnings *warnings,
                                     struct jr_job_policy **ret)
{
    struct jr_policy_compiler c = {
        .object = object, .now = now, .errs = errs, .warnings = warnings
    };
    const struct jr_node *meta = jr_get(object, "metadata");
    const size_t faults = errs->n;

    c.policy = calloc(1, sizeof(*c.policy));
    if (c.policy == NULL)
        return JR_NOMEM;
    jr_arena_init_kept(&c.policy->arena, 0, 512);
    match_all(c.policy);
    c.policy->actions = JR_ACTION_DENY;
    c.policy->name = jr_policy_copy(&c, jr_get_str(meta, "name"));
    c.policy->uid = jr_policy_copy(&c, jr_get_str(meta, "uid"));
    c.policy->generation = jr_node_i64_or(jr_get(meta, "generation"), 0);
    if (check_types(&c, object)) {
        check_name(&c, meta);
        compile_spec(&c, object);
    }
    note_unusable(&c, faults);
    if (errs->n == faults)
        note_all_readings(&c);
    if (errs->failed == JR_NOMEM || warnings->failed == JR_NOMEM) {
        jr_job_policy_free(c.policy);
        return JR_NOMEM;
    }
    *ret = c.policy;
    return JR_OK;
}

void jr_job_policy_free(struct jr_job_policy *p)
{
    if (p == NULL)
        return;
    jr_arena_done(&p->arena);
    free(p);
}

const char *jr_ceiling_name(enum jr_ceiling_kind kind)
{
    static const char *const names[] = {
#define X(name, text) [JR_CEILING_##name] = (text),
        JR_CEILING_MAP(X)
#undef X
    };

    return names[kind];
}

/* ---- sets ---- */

static int by_name(const void *a, const void *b)
{
    const struct jr_job_policy *const *x = a, *const *y = b;

    return jr_str_cmp((*x)->name, (*y)->name);
}

void jr_policy_set_sort(struct jr_policy_set *set)
{
    if (set->n > 1)
        qsort(set->v, set->n, sizeof(struct jr_job_policy *), by_name);
}

bool jr_policy_selects_on(const struct jr_selector *s, struct jr_str key)
{
    if (jr_labels_get(&s->match_labels, key).p != NULL)
        return true;
    for (size_t i = 0; i < s->match_expressions.n; i++) {
        if (jr_str_eq(s->match_expressions.v[i].key, key))
            return true;
    }
    return false;
}

static size_t labels_of(const struct jr_job_policy *p)
{
    return p->defaults.labels.n + p->defaults.template_labels.n;
}

static void check_sum(const struct jr_job_policy *p, const struct jr_policy_set *others,
                      const struct jr_field_path *path, struct jr_errlist *errs)
{
    size_t n = labels_of(p);

    for (size_t k = 0; k < others->n; k++)
        n += jr_str_eq(others->v[k]->name, p->name) ? 0 : labels_of(others->v[k]);
    if (labels_of(p) > 0 && n > JR_POLICIES_LABELS_MAX)
        jr_errlist_add(errs, JR_FE_FORBIDDEN, path, JR_NO_VALUE,
                       "all policies together would set %zu labels, at most %d allowed", n,
                       JR_POLICIES_LABELS_MAX);
}

void jr_job_policy_check_others(const struct jr_job_policy *p, const struct jr_policy_set *others,
                                struct jr_errlist *errs)
{
    const struct jr_field_path spec = JR_FIELD(NULL, "spec"),
                               defaults = JR_FIELD(&spec, "defaults");
    const struct jr_field_path labels = JR_FIELD(&defaults, "labels");

    check_sum(p, others, &defaults, errs);
    for (size_t i = 0; i < p->defaults.labels.n; i++) {
        const struct jr_str key = p->defaults.labels.v[i].key;

        for (size_t k = 0; k < others->n; k++) {
            if (!jr_str_eq(others->v[k]->name, p->name) &&
                jr_policy_selects_on(&others->v[k]->match.object_selector, key))
                jr_errlist_add(errs, JR_FE_FORBIDDEN, &JR_FIELD_KEY(&labels, key), JR_NO_VALUE,
                               "policy \"%.*s\" selects Jobs by this label",
                               JR_P(others->v[k]->name));
        }
    }
}
