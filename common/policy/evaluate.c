/* SPDX-License-Identifier: Apache-2.0 */
/* Matches a Job with policies, checks limits, ceilings and budgets, and collects findings. */
#include "common/policy/evaluate.h"

#include <stdio.h>

#include "common/job/facts.h"

#define MESSAGE_MAX ((size_t)64 << 10)

/** The facts of the new or the old Job with so many suspensions, as asked for so far. */
struct known_facts {
    struct known_facts *next;
    struct known_resource *resources;
    bool old;
    struct jr_job_facts facts;
};
struct known_resource {
    struct known_resource *next;
    enum jr_ceiling_kind kind;
    struct jr_str name;
    struct jr_resource_fact fact;
};

struct evaluation {
    const struct jr_policy_request *r;
    const struct jr_job_policy *policy; /* at present */
    struct jr_policy_findings *out;
    struct jr_limited_values is, was;
    bool compares; /* with the old object */
    bool suspended;
    struct known_facts *facts;
    enum jr_status failed;
};

/* ---- findings ---- */

static struct jr_policy_finding *new_finding(struct evaluation *e)
{
    struct jr_policy_findings *out = e->out;
    struct jr_policy_finding *v = jr_arena_room(out->arena, out->v, out->n, &out->cap, sizeof(*v));

    if (v == NULL)
        return NULL;
    out->v = v;
    return &out->v[out->n++];
}

static bool render(struct evaluation *e, const struct jr_field_path *path,
                   struct jr_policy_finding *f)
{
    f->field = jr_field_path_text(path, e->out->arena);
    return f->field.p != NULL && jr_field_path_keep(path, NULL, e->out->arena, &f->path);
}

/** Into the result's arena. One that is longer than its bound is cut: what it says is denied all
 * the same. */
static bool keep_message(struct evaluation *e, const struct jr_buf *message, struct jr_str *ret)
{
    const char *text;

    if (message->failed != JR_LIMIT)
        return message->failed == JR_OK && jr_arena_str(e->out->arena, jr_buf_str(message), ret);
    text = jr_arena_printf(e->out->arena, "%.*s...", JR_P(jr_buf_str(message)));
    *ret = jr_str(text);
    return text != NULL;
}

/** rule: says which, and its name, which is copied; so is the message. */
static void add(struct evaluation *e, const struct jr_policy_finding *rule,
                const struct jr_field_path *path, bool no_worse, const struct jr_buf *message)
{
    const unsigned actions = e->policy->actions;
    struct jr_policy_finding f = { .policy = e->policy,
                                   .limit = rule->limit,
                                   .ceiling = rule->ceiling };
    struct jr_policy_finding *at;

    if (e->suspended)
        f.leniency = JR_LENIENCY_SUSPENDED;
    else if (e->compares && no_worse)
        f.leniency = JR_LENIENCY_NO_WORSE;
    f.denies = (actions & JR_ACTION_DENY) != 0 && f.leniency == JR_LENIENCY_NONE;
    f.warns = (actions & JR_ACTION_WARN) != 0 ||
              ((actions & JR_ACTION_DENY) != 0 && f.leniency != JR_LENIENCY_NONE);
    f.audits = (actions & JR_ACTION_AUDIT) != 0;
    if (!render(e, path, &f) || !jr_arena_str(e->out->arena, rule->rule, &f.rule) ||
        !keep_message(e, message, &f.message) || (at = new_finding(e)) == NULL)
        e->failed = JR_NOMEM;
    else
        *at = f;
}

/* ---- limits ---- */

#define LIMIT_RULE "limits.%s"

void jr_limit_rule_write(const struct jr_limit *l, struct jr_buf *out)
{
    (void)jr_buf_addf(out, LIMIT_RULE, jr_limited_fields[l->field].name);
}

static void add_limit(struct evaluation *e, const struct jr_limit *l, bool no_worse,
                      const struct jr_buf *message)
{
    struct jr_field_path room[3];
    char rule[64];

    (void)snprintf(rule, sizeof(rule), LIMIT_RULE, jr_limited_fields[l->field].name);
    add(e, &(struct jr_policy_finding){ .rule = jr_str(rule), .limit = l },
        jr_limited_path(l->field, e->r->spec, room), no_worse, message);
}

static void check_required(struct evaluation *e, const struct jr_limit *l)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, MESSAGE_MAX);
    if (jr_bool_or(l->required, false) && !e->is.v[l->field].set) {
        (void)jr_buf_adds(&message, "must be set");
        add_limit(e, l, !e->was.v[l->field].set, &message);
    } else if (l->forbidden && e->is.v[l->field].set) {
        (void)jr_buf_adds(&message, "must not be true");
        add_limit(e, l, e->was.v[l->field].set, &message);
    }
}

static void check_range(struct evaluation *e, const struct jr_limit *l)
{
    const int64_t is = e->is.v[l->field].v, was = e->was.v[l->field].v;
    const bool was_set = e->was.v[l->field].set;
    JR_BUF message = { 0 };

    jr_buf_init(&message, MESSAGE_MAX);
    if (l->min.set && is < l->min.v) {
        (void)jr_buf_addf(&message, "is %lld, at least %lld allowed", (long long)is,
                          (long long)l->min.v);
        add_limit(e, l, was_set && is >= was, &message);
    } else if (l->max.set && is > l->max.v) {
        (void)jr_buf_addf(&message, "is %lld, at most %lld allowed", (long long)is,
                          (long long)l->max.v);
        add_limit(e, l, was_set && is <= was, &message);
    }
}

static void add_quoted(struct jr_buf *out, struct jr_str s)
{
    if (jr_field_quote(s, out) != JR_OK)
        return; /* out->failed says it */
}

static void check_values(struct evaluation *e, const struct jr_limit *l)
{
    const struct jr_str is = e->is.v[l->field].text, was = e->was.v[l->field].text;
    JR_BUF message = { 0 };

    if (l->values.n == 0 || jr_strs_has(&l->values, is))
        return;
    jr_buf_init(&message, MESSAGE_MAX);
    (void)jr_buf_adds(&message, "is ");
    add_quoted(&message, is);
    (void)jr_buf_adds(&message, ", allowed: ");
    for (size_t i = 0; i < l->values.n; i++) {
        (void)jr_buf_adds(&message, i > 0 ? ", " : "");
        add_quoted(&message, l->values.v[i]);
    }
    add_limit(e, l, jr_str_eq(is, was), &message);
}

static void check_limit(struct evaluation *e, const struct jr_limit *l)
{
    check_required(e, l);
    if (!e->is.v[l->field].set)
        return;
    if (jr_limited_fields[l->field].kind == JR_LIMITED_INT)
        check_range(e, l);
    else if (jr_limited_fields[l->field].kind == JR_LIMITED_TEXT)
        check_values(e, l);
}

/* ---- facts ---- */

static struct known_facts *facts_of(struct evaluation *e, bool old, int64_t suspensions)
{
    const struct jr_policy_job *job = old ? &e->r->old : &e->r->job;
    const struct jr_facts_options o = { suspensions, e->r->context->controller };
    struct known_facts *k = e->facts;

    while (k != NULL && (k->old != old || k->facts.suspensions != suspensions))
        k = k->next;
    if (k != NULL)
        return k;
    k = jr_arena_alloc(e->out->arena, sizeof(*k));
    if (k == NULL ||
        jr_job_facts_init(&k->facts, job->spec, jr_path(job->root, "spec.template.spec"), &o,
                          e->out->arena) != JR_OK) {
        e->failed = JR_NOMEM;
        return NULL;
    }
    k->old = old;
    k->next = e->facts;
    e->facts = k;
    return k;
}

static const struct jr_resource_fact *resource_of(struct evaluation *e, struct known_facts *k,
                                                  const struct jr_ceiling *c)
{
    struct known_resource *known = k->resources;
    enum jr_status st = JR_NOMEM;

    while (known != NULL && (known->kind != c->kind || !jr_str_eq(known->name, c->resource)))
        known = known->next;
    if (known != NULL)
        return &known->fact;
    known = jr_arena_alloc(e->out->arena, sizeof(*known));
    if (known != NULL)
        st = (c->kind == JR_CEILING_RESOURCE_HOURS
                  ? jr_job_resource_seconds
                  : jr_job_requests_at_once)(&k->facts, c->resource, e->out->arena, &known->fact);
    if (st != JR_OK) {
        e->failed = JR_NOMEM;
        return NULL;
    }
    known->kind = c->kind;
    known->name = c->resource;
    known->next = k->resources;
    k->resources = known;
    return &known->fact;
}

/* ---- ceilings on facts ---- */

/** How messages tell of a fact: "HEAD BOUND TAIL (WORDS), at most", or "NAME unbounded". Of a
 * resource: write_resource(). */
static const struct wording {
    const char *head;
    const char *tail;
    const char *name;
} wordings[] = {
    [JR_CEILING_PODS_AT_ONCE] = { "up to ", " at once", "the number of Pods at once is" },
    [JR_CEILING_PODS_EVER] = { "up to ", " ever", "the number of Pods ever is" },
    [JR_CEILING_RUNTIME] = { "a runtime of up to ", "", "the longest runtime is" },
};

static bool is_of_resource(const struct jr_ceiling *c)
{
    return c->kind == JR_CEILING_REQUESTS_AT_ONCE || c->kind == JR_CEILING_RESOURCE_HOURS;
}

static void write_at_most(const struct jr_ceiling *c, struct jr_buf *out)
{
    (void)jr_buf_adds(out, ", at most ");
    (void)jr_buf_add(out, c->text);
    (void)jr_buf_adds(out, " allowed");
}

void jr_ceiling_rule_write(const struct jr_ceiling *c, struct jr_buf *out)
{
    (void)jr_buf_addf(out, "budget.%s", jr_ceiling_name(c->kind));
    if (is_of_resource(c))
        (void)jr_buf_addf(out, "[%.*s]", JR_P(c->resource));
}

static void add_ceiling(struct evaluation *e, const struct jr_ceiling *c, bool no_worse,
                        const struct jr_buf *message)
{
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, MESSAGE_MAX);
    jr_ceiling_rule_write(c, &rule);
    if (rule.failed != JR_OK)
        e->failed = JR_NOMEM;
    else
        add(e, &(struct jr_policy_finding){ .rule = jr_buf_str(&rule), .ceiling = c }, e->r->spec,
            no_worse, message);
}

static const struct jr_fact *fact_of(const struct jr_job_facts *f, enum jr_ceiling_kind kind)
{
    if (kind == JR_CEILING_PODS_AT_ONCE)
        return &f->pods_at_once;
    return kind == JR_CEILING_PODS_EVER ? &f->pods_ever : &f->runtime_s;
}

static void check_fact(struct evaluation *e, const struct jr_ceiling *c,
                       const struct jr_job_facts *f, const struct jr_job_facts *old)
{
    const struct jr_fact *is = fact_of(f, c->kind),
                         *was = old == NULL ? NULL : fact_of(old, c->kind);
    const struct wording *w = &wordings[c->kind];
    bool no_worse = was != NULL && (was->reasons != 0 || (is->reasons == 0 && is->v <= was->v));
    JR_BUF message = { 0 };

    if (is->reasons == 0 && is->v <= c->v)
        return;
    jr_buf_init(&message, MESSAGE_MAX);
    if (is->reasons != 0) {
        (void)jr_buf_addf(&message, "%s unbounded", w->name);
        write_at_most(c, &message);
        (void)jr_buf_adds(&message, ": ");
        jr_fact_explain(f, is, &message);
    } else {
        (void)jr_buf_adds(&message, w->head);
        if (c->kind == JR_CEILING_RUNTIME)
            jr_seconds_write(is->v, &message);
        else
            (void)jr_buf_addf(&message, "%lld Pod%s", (long long)is->v, is->v == 1 ? "" : "s");
        (void)jr_buf_addf(&message, "%s (", w->tail);
        jr_fact_explain(f, is, &message);
        (void)jr_buf_addc(&message, ')');
        write_at_most(c, &message);
    }
    add_ceiling(e, c, no_worse, &message);
}

static void write_resource(const struct jr_ceiling *c, const struct jr_job_facts *f,
                           const struct jr_resource_fact *is, struct jr_buf *out)
{
    const bool hours = c->kind == JR_CEILING_RESOURCE_HOURS;
    bool is_one;
    size_t from;

    if (is->reasons != 0) {
        (void)jr_buf_addf(out, "the %s of %.*s%s are unbounded", hours ? "hours" : "requests",
                          JR_P(c->resource), hours ? "" : " at once");
        write_at_most(c, out);
        (void)jr_buf_adds(out, ": ");
        jr_resource_fact_explain(f, is, out);
        return;
    }
    (void)jr_buf_adds(out, "up to ");
    from = out->n;
    if (hours)
        jr_hours_write(&is->v, out);
    else if (jr_quantity_write(&is->v, out) != JR_OK)
        return; /* out->failed says it */
    is_one = jr_str_is(jr_str_from(jr_buf_str(out), from), "1");
    (void)jr_buf_addf(out, "%s of %.*s%s (",
                      !hours   ? ""
                      : is_one ? " hour"
                               : " hours",
                      JR_P(c->resource), hours ? "" : " at once");
    jr_resource_fact_explain(f, is, out);
    (void)jr_buf_addc(out, ')');
    write_at_most(c, out);
}

static void check_resource(struct evaluation *e, const struct jr_ceiling *c,
                           struct known_facts *facts, struct known_facts *old)
{
    const struct jr_resource_fact *is = resource_of(e, facts, c), *was;
    bool no_worse = false;
    JR_BUF message = { 0 };

    if (is == NULL || (is->reasons == 0 && jr_quantity_cmp(&is->v, &c->q) <= 0))
        return;
    if (old != NULL) {
        was = resource_of(e, old, c);
        if (was == NULL)
            return;
        no_worse = was->reasons != 0 || (is->reasons == 0 && jr_quantity_cmp(&is->v, &was->v) <= 0);
    }
    jr_buf_init(&message, MESSAGE_MAX);
    write_resource(c, &facts->facts, is, &message);
    add_ceiling(e, c, no_worse, &message);
}

static void check_ceiling(struct evaluation *e, const struct jr_ceiling *c, int64_t suspensions)
{
    struct known_facts *is = facts_of(e, false, suspensions), *was = NULL;

    if (is != NULL && e->compares)
        was = facts_of(e, true, suspensions);
    if (e->failed != JR_OK)
        return;
    if (is_of_resource(c))
        check_resource(e, c, is, was);
    else
        check_fact(e, c, &is->facts, was == NULL ? NULL : &was->facts);
}

/* ---- a policy ---- */

/** It was made when nobody could refuse it: nothing is known of what it would allow. */
static void refuse_all(struct evaluation *e)
{
    struct jr_policy_finding *f;
    JR_BUF message = { 0 };
    const size_t n = e->out->n;

    if (e->policy->fail_open)
        return;
    jr_buf_init(&message, MESSAGE_MAX);
    (void)jr_buf_addf(&message, "the policy can't be used: %.*s", JR_P(e->policy->unusable));
    add(e, &(struct jr_policy_finding){ .rule = JR_S("failurePolicy") }, e->r->spec, false,
        &message);
    if (e->out->n == n)
        return;
    f = &e->out->v[n];
    f->denies = f->leniency == JR_LENIENCY_NONE;
    f->warns = !f->denies;
}

static void evaluate_policy(struct evaluation *e)
{
    const struct jr_policy_rules *rules = jr_policy_rules_for(e->policy, e->r->context);

    if (e->policy->unusable.n > 0) {
        refuse_all(e);
        return;
    }
    for (size_t i = 0; i < rules->limits.n && e->failed == JR_OK; i++)
        check_limit(e, &rules->limits.v[i]);
    for (size_t i = 0; i < rules->budget.n && e->failed == JR_OK; i++)
        check_ceiling(e, &rules->budget.v[i], rules->suspensions);
}

/** An update of metadata alone, and one of what goes anyway, can't make anything worse. */
static bool is_evaluated(const struct jr_policy_request *r)
{
    if (!jr_unset(jr_path(r->job.root, "metadata.deletionTimestamp")))
        return false;
    return !r->update || !jr_node_equal(jr_get(r->job.root, "spec"), jr_get(r->old.root, "spec"));
}

/** An update is matched as what it was, too: nobody gets out of a policy by dropping a label. */
static bool matches(struct evaluation *e, unsigned operations)
{
    const struct jr_policy_request *r = e->r;
    bool *needed = &e->out->namespace_needed;

    return jr_policy_matches(e->policy, r->context, operations, r->job.labels, needed) ||
           (r->update &&
            jr_policy_matches(e->policy, r->context, operations, r->old.labels, needed));
}

enum jr_status jr_policy_evaluate(const struct jr_policy_request *r, struct jr_arena *arena,
                                  struct jr_policy_findings *ret)
{
    const struct jr_policy_set *set = r->context->set;
    struct evaluation e = { .r = r, .out = ret };
    unsigned operations = r->update ? JR_OPERATION_UPDATE : JR_OPERATION_CREATE;

    *ret = (struct jr_policy_findings){ .arena = arena };
    if (set->n == 0 || !is_evaluated(r))
        return JR_OK;
    e.suspended = jr_bool_or(r->job.spec->suspend, false);
    /* As if it were made: nobody stockpiles suspended Jobs for a day with other rules. */
    if (r->update && !e.suspended && jr_bool_or(r->old.spec->suspend, false))
        operations |= JR_OPERATION_CREATE;
    e.compares = operations == JR_OPERATION_UPDATE;
    ret->matched_at = jr_arena_calloc(arena, set->n, sizeof(*ret->matched_at));
    if (ret->matched_at == NULL)
        return JR_NOMEM;
    jr_limited_values_read(jr_get(r->job.root, "spec"), &e.is);
    if (e.compares)
        jr_limited_values_read(jr_get(r->old.root, "spec"), &e.was);
    for (size_t i = 0; i < set->n && e.failed == JR_OK; i++) {
        e.policy = set->v[i];
        if (!matches(&e, operations))
            continue;
        ret->matched_at[ret->matched++] = (uint32_t)i;
        evaluate_policy(&e);
    }
    return e.failed;
}

size_t jr_policy_findings_of(const struct jr_policy_findings *f, size_t from,
                             const struct jr_job_policy *p)
{
    size_t n = 0;

    while (from + n < f->n && f->v[from + n].policy == p)
        n++;
    return n;
}

bool jr_policy_rule_met(const struct jr_policy_findings *f, const struct jr_limit *limit,
                        const struct jr_ceiling *ceiling)
{
    for (size_t i = 0; i < f->n; i++) {
        if (limit != NULL ? f->v[i].limit == limit : f->v[i].ceiling == ceiling)
            return false;
    }
    return true;
}

enum jr_status jr_policy_finding_text(const struct jr_policy_finding *f, struct jr_arena *arena,
                                      struct jr_str *ret)
{
    static const char *const why[] = {
        [JR_LENIENCY_NONE] = "",
        [JR_LENIENCY_NO_WORSE] = " (no worse than before)",
        [JR_LENIENCY_SUSPENDED] = " (decided when the Job is resumed)",
    };
    const char *text =
        jr_arena_printf(arena, "policy \"%.*s\": %.*s: %.*s%s", JR_P(f->policy->name),
                        JR_P(f->field), JR_P(f->message), f->denies ? "" : why[f->leniency]);

    *ret = jr_str(text);
    return text == NULL ? JR_NOMEM : JR_OK;
}
