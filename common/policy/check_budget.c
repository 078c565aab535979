/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spec.budget: ceilings on the facts of a Job, and changes while it runs. */
#include "common/policy/evaluation.h"

#include "common/job/facts.h"

struct known_resource {
    struct known_resource *next;
    enum jr_ceiling_kind kind;
    struct jr_str name;
    struct jr_resource_fact fact;
};

/** The facts of the new or the old Job, as asked for so far. */
struct jr_known_facts {
    struct jr_known_facts *next;
    struct known_resource *resources;
    bool old;
    bool widest;
    bool disruptions_aside;
    struct jr_job_spec spec; /* of the widest */
    struct jr_job_facts facts;
};

/* ---- facts ---- */

/** widest: as if parallelism bounded nothing. */
static struct jr_known_facts *find_facts(struct jr_evaluation *e, bool old, bool widest,
                                         bool disruptions_aside)
{
    const struct jr_policy_job *job = old ? &e->r->old : &e->r->job;
    const struct jr_facts_options o = { e->r->context->controller, e->r->context->trusted,
                                        disruptions_aside };
    struct jr_known_facts *k = e->facts;

    while (k != NULL &&
           (k->old != old || k->widest != widest || k->disruptions_aside != disruptions_aside))
        k = k->next;
    if (k != NULL)
        return k;
    k = jr_arena_alloc(e->out->arena, sizeof(*k));
    if (k != NULL && widest) {
        k->spec = *job->spec;
        k->spec.parallelism = (struct jr_opt_i32){ true, INT32_MAX };
    }
    if (k == NULL ||
        jr_job_facts_init(&k->facts, widest ? &k->spec : job->spec,
                          jr_path(job->root, "spec.template.spec"), &o, e->out->arena) != JR_OK) {
        e->failed = JR_NOMEM;
        return NULL;
    }
    k->resources = NULL;
    k->old = old;
    k->widest = widest;
    k->disruptions_aside = disruptions_aside;
    k->next = e->facts;
    e->facts = k;
    return k;
}

static struct jr_known_facts *facts_of(struct jr_evaluation *e, bool old, bool disruptions_aside)
{
    return find_facts(e, old, false, disruptions_aside);
}

const struct jr_job_facts *jr_evaluation_facts(struct jr_evaluation *e, bool old)
{
    const struct jr_known_facts *k = facts_of(e, old, false);

    return k == NULL ? NULL : &k->facts;
}

static const struct jr_resource_fact *resource_of(struct jr_evaluation *e, struct jr_known_facts *k,
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

static const struct jr_fact *fact_of(const struct jr_job_facts *f, enum jr_ceiling_kind kind)
{
    if (kind == JR_CEILING_PODS_AT_ONCE)
        return &f->pods_at_once;
    return kind == JR_CEILING_PODS_EVER ? &f->pods_ever : &f->runtime_s;
}

/** Says what lets a rule pass that ignores disruptions alone. */
static void add_way_out(struct jr_evaluation *e, unsigned reasons, struct jr_buf *out)
{
    const struct jr_known_facts *aside =
        (reasons & JR_UNBOUNDED_IGNORED) == 0 ? NULL : facts_of(e, false, true);

    if (aside != NULL && aside->facts.ignoring_rule < 0)
        (void)jr_buf_adds(out, "; with budget.disruptions: Ignored the policy lets a rule about "
                               "disruptions alone pass");
}

static bool is_fact_no_worse(const struct jr_fact *is, const struct jr_fact *was)
{
    return was->reasons != 0 || (is->reasons == 0 && is->v <= was->v);
}

static void check_fact(struct jr_evaluation *e, const struct jr_ceiling *c,
                       const struct jr_job_facts *f, const struct jr_job_facts *old)
{
    const struct jr_fact *is = fact_of(f, c->kind),
                         *was = old == NULL ? NULL : fact_of(old, c->kind);
    const struct wording *w = &wordings[c->kind];
    const bool no_worse = was != NULL && is_fact_no_worse(is, was);
    JR_BUF message = { 0 };

    if (is->reasons == 0 && is->v <= c->v)
        return;
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    if (is->reasons != 0) {
        (void)jr_buf_addf(&message, "%s unbounded", w->name);
        write_at_most(c, &message);
        (void)jr_buf_adds(&message, ": ");
        jr_fact_explain(f, is, &message);
        add_way_out(e, is->reasons, &message);
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
    jr_evaluation_add(e, &c->rule, e->r->spec, no_worse, &message);
}

/** Says what to set where Pods that terminate beside new ones are all that is too much. */
static void add_hint(const struct jr_ceiling *c, const struct jr_job_facts *f,
                     const struct jr_resource_fact *is, struct jr_buf *out)
{
    struct jr_quantity v = is->each;

    if (c->kind != JR_CEILING_REQUESTS_AT_ONCE || f->pods_held.v <= f->width ||
        !jr_quantity_multiply(&v, (uint64_t)f->width) || jr_quantity_cmp(&v, c->q) > 0)
        return;
    (void)jr_buf_adds(out, "; with podReplacementPolicy Failed it is ");
    if (jr_quantity_write(&v, out) != JR_OK)
        return; /* out->failed says it */
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
    add_hint(c, f, is, out);
}

static bool is_resource_no_worse(const struct jr_resource_fact *is,
                                 const struct jr_resource_fact *was)
{
    return was->reasons != 0 || (is->reasons == 0 && jr_quantity_cmp(&is->v, &was->v) <= 0);
}

static void check_resource(struct jr_evaluation *e, const struct jr_ceiling *c,
                           struct jr_known_facts *facts, struct jr_known_facts *old)
{
    const struct jr_resource_fact *is = resource_of(e, facts, c), *was;
    bool no_worse = false;
    JR_BUF message = { 0 };

    if (is == NULL || (is->reasons == 0 && jr_quantity_cmp(&is->v, c->q) <= 0))
        return;
    if (old != NULL) {
        was = resource_of(e, old, c);
        if (was == NULL)
            return;
        no_worse = is_resource_no_worse(is, was);
    }
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    write_resource(c, &facts->facts, is, &message);
    add_way_out(e, is->reasons, &message);
    jr_evaluation_add(e, &c->rule, e->r->spec, no_worse, &message);
}

static void check_ceiling(struct jr_evaluation *e, const struct jr_ceiling *c,
                          bool disruptions_aside)
{
    struct jr_known_facts *is = facts_of(e, false, disruptions_aside), *was = NULL;

    if (is != NULL && e->compares)
        was = facts_of(e, true, disruptions_aside);
    if (e->failed != JR_OK)
        return;
    if (is_of_resource(c))
        check_resource(e, c, is, was);
    else
        check_fact(e, c, &is->facts, was == NULL ? NULL : &was->facts);
}

/* ---- what a queue gives back ---- */

/** Whether the widest Job that this may become is within the ceiling, or comes to no more than what
 * it could be before. */
static bool is_within(struct jr_evaluation *e, const struct jr_ceiling *c, bool disruptions_aside)
{
    struct jr_known_facts *is = find_facts(e, false, true, disruptions_aside),
                          *was = find_facts(e, true, true, disruptions_aside);
    const struct jr_resource_fact *is_r, *was_r;
    const struct jr_fact *is_f;

    if (e->failed != JR_OK)
        return true;
    if (!is_of_resource(c)) {
        is_f = fact_of(&is->facts, c->kind);
        return (is_f->reasons == 0 && is_f->v <= c->v) ||
               is_fact_no_worse(is_f, fact_of(&was->facts, c->kind));
    }
    is_r = resource_of(e, is, c);
    was_r = resource_of(e, was, c);
    return is_r == NULL || was_r == NULL ||
           (is_r->reasons == 0 && jr_quantity_cmp(&is_r->v, c->q) <= 0) ||
           is_resource_no_worse(is_r, was_r);
}

/** Whether the ceiling is exceeded already by what the Job is. */
static bool is_denied(const struct jr_evaluation *e, const struct jr_ceiling *c)
{
    for (size_t i = 0; i < e->out->n; i++) {
        if (e->out->v[i].of == &c->rule && e->out->v[i].leniency == JR_LENIENCY_NONE)
            return true;
    }
    return false;
}

/** A queue that has stopped a Job gives back its size by a later update, and is refused neither
 * then nor at the start: what the author changes until then must not pass since the Job is narrow.
 */
static void check_widest(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    const bool counts = rules->refuses_changes && e->compares && !e->r->context->by_queue &&
                        e->r->job.cron_job == NULL && jr_bool_or(e->r->job.spec->suspend, false) &&
                        jr_bool_or(e->r->old.spec->suspend, false);

    for (size_t i = 0; counts && i < rules->budget.n && e->failed == JR_OK; i++) {
        const struct jr_ceiling *c = &rules->budget.v[i];
        JR_BUF message = { 0 };

        if (is_denied(e, c) || is_within(e, c, rules->disruptions_aside))
            continue;
        jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
        (void)jr_buf_addf(
            &message,
            "while the Job is suspended, %s must not grow, whatever parallelism is: a "
            "queue may give back the Job's size",
            jr_ceiling_name(c->kind));
        write_at_most(c, &message);
        jr_evaluation_add(e, &c->rule, e->r->spec, false, &message);
    }
}

/* ---- changes ---- */

static const struct jr_policy_rule changes = { { "budget.changes", 14 }, NULL };

static void add_change(struct jr_evaluation *e, const struct jr_policy_rule *rule,
                       const char *field, const char *words)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    (void)jr_buf_adds(&message, words);
    jr_evaluation_add(e, rule, &JR_FIELD(e->r->spec, field), false, &message);
}

static bool is_other(struct jr_opt_i32 a, struct jr_opt_i32 b)
{
    return a.set != b.set || (a.set && a.v != b.v);
}

/** Refuses what begins a run anew, or makes Pods beyond those that the facts count. */
static void check_run(struct jr_evaluation *e)
{
    static const char running[] = "must not change while the Job runs: delete the Job to stop it";
    const struct jr_job_spec *is = e->r->job.spec, *was = e->r->old.spec;
    const bool suspended = jr_bool_or(is->suspend, false);

    if (jr_bool_or(was->suspend, false)) {
        if (!suspended)
            add_change(e, &changes, "suspend", "must stay true: only a queue starts the Job");
        return;
    }
    if (suspended)
        add_change(e, &changes, "suspend", running);
    if (is_other(is->parallelism, was->parallelism))
        add_change(e, &changes, "parallelism", running);
    if (is_other(is->completions, was->completions))
        add_change(e, &changes, "completions", running);
}

/** Returns the rule that bounds the time of a run: of the budget, whose name is then that of its
 * changes, or a limit on the Job's deadline. NULL: there is none. */
static const struct jr_policy_rule *rule_of_time(const struct jr_policy_rules *rules)
{
    for (size_t i = 0; i < rules->budget.n; i++) {
        if (rules->budget.v[i].kind == JR_CEILING_RUNTIME ||
            rules->budget.v[i].kind == JR_CEILING_RESOURCE_HOURS)
            return &changes;
    }
    for (size_t i = 0; i < rules->limits.n; i++) {
        const struct jr_limit *l = rules->limits.v[i];

        if (l->of.root == JR_LIMIT_OF_SPEC && jr_str_is(l->of.text, "activeDeadlineSeconds") &&
            (l->max.kind != JR_BOUND_NONE || l->values.n > 0))
            return &l->rule;
    }
    return NULL;
}

/** Refuses that a Job is suspended while it is being deleted: the controller doesn't delete its
 * Pods then, nor does it count its time (upstream's syncJob). */
static void check_end(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    const struct jr_policy_rule *rule;

    if (!jr_evaluation_is_deleted(&e->r->job) || !jr_bool_or(e->r->job.spec->suspend, false) ||
        jr_bool_or(e->r->old.spec->suspend, false))
        return;
    rule = rule_of_time(rules);
    if (rule != NULL)
        add_change(e, rule, "suspend",
                   "must not change while the Job is being deleted: its Pods would run on without "
                   "a deadline");
}

/** Checks what others than queues change. A CronJob has no run. */
static void check_changes(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    if (!e->r->update || e->r->context->by_queue || e->r->job.cron_job != NULL)
        return;
    if (rules->refuses_changes)
        check_run(e);
    else
        check_end(e, rules);
}

void jr_evaluation_budget(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    for (size_t i = 0; i < rules->budget.n && e->failed == JR_OK; i++)
        check_ceiling(e, &rules->budget.v[i], rules->disruptions_aside);
    if (e->failed == JR_OK)
        check_widest(e, rules);
    if (e->failed == JR_OK)
        check_changes(e, rules);
}
