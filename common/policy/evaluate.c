/* SPDX-License-Identifier: Apache-2.0 */
/* Matches a Job with policies, and collects what their rules find. */
#include "common/policy/evaluation.h"

#include "common/rules/selector.h"

/* ---- findings ---- */

static struct jr_policy_finding *new_finding(struct jr_evaluation *e)
{
    struct jr_policy_findings *out = e->out;
    struct jr_policy_finding *v = jr_arena_room(out->arena, out->v, out->n, &out->cap, sizeof(*v));

    if (v == NULL)
        return NULL;
    out->v = v;
    return &out->v[out->n++];
}

static bool render(struct jr_evaluation *e, const struct jr_field_path *path,
                   struct jr_policy_finding *f)
{
    f->field = jr_field_path_text(path, e->out->arena);
    return f->field.p != NULL && jr_field_path_keep(path, NULL, e->out->arena, &f->path);
}

/** Into the result's arena. A message that is longer than its bound, or than what is left for all
 * of them, is cut: what it says is denied all the same. */
static bool keep_message(struct jr_evaluation *e, const struct jr_buf *message, struct jr_str *ret)
{
    const size_t used = e->message_bytes;
    const size_t left = used < JR_POLICY_MESSAGES_MAX ? JR_POLICY_MESSAGES_MAX - used : 0;
    const struct jr_str all = jr_buf_str(message),
                        shown =
                            jr_field_shown(all, left > JR_POLICY_SHORT ? left : JR_POLICY_SHORT);

    if (message->failed == JR_NOMEM)
        return false;
    e->message_bytes += shown.n;
    if (message->failed == JR_OK && shown.n == all.n)
        return jr_arena_str(e->out->arena, all, ret);
    *ret = jr_str(jr_arena_printf(e->out->arena, "%.*s...", JR_P(shown)));
    return ret->p != NULL;
}

/** Whether the policy has a finding of that kind, one that denies or one that doesn't. */
static bool has_finding(const struct jr_evaluation *e, bool denies)
{
    for (size_t i = e->out->n; i > 0 && e->out->v[i - 1].policy == e->policy; i--) {
        if (e->out->v[i - 1].denies == denies)
            return true;
    }
    return false;
}

/** Whether the path leads to what a queue sets when it starts a Job: `suspend`, or in the Pod
 * template where the Pods run (KEP-2926). */
static bool is_set_by_start(const struct jr_evaluation *e, const struct jr_field_path *path)
{
    for (; path != NULL; path = path->parent) {
        if (path->parent == e->r->spec)
            return jr_str_is(path->name, "template") || jr_str_is(path->name, "suspend");
    }
    return false;
}

void jr_evaluation_add(struct jr_evaluation *e, const struct jr_policy_rule *rule,
                       const struct jr_field_path *path, bool no_worse,
                       const struct jr_buf *message)
{
    const unsigned actions = e->policy->actions;
    const bool is_no_worse = e->compares && no_worse;
    struct jr_policy_finding f = { .policy = e->policy, .rule = rule->name };
    struct jr_policy_finding *at;

    if (rule->path != NULL)
        f.of = rule;
    if (e->by_queue || (!is_no_worse && e->by_queue_start && is_set_by_start(e, path)))
        f.leniency = JR_LENIENCY_QUEUE;
    else if (is_no_worse)
        f.leniency = JR_LENIENCY_NO_WORSE;
    f.denies = (actions & JR_ACTION_DENY) != 0 && f.leniency == JR_LENIENCY_NONE;
    f.warns = (actions & JR_ACTION_WARN) != 0 ||
              ((actions & JR_ACTION_DENY) != 0 && f.leniency != JR_LENIENCY_NONE);
    f.audits = (actions & JR_ACTION_AUDIT) != 0;
    if (e->out->n >= JR_POLICY_FINDINGS_MAX && has_finding(e, f.denies))
        return;
    if (!render(e, path, &f) || !keep_message(e, message, &f.message) ||
        (at = new_finding(e)) == NULL)
        e->failed = JR_NOMEM;
    else
        *at = f;
}

/* ---- a policy ---- */

/** It was made when nobody could refuse it: nothing is known of what it would allow. */
static void refuse_all(struct jr_evaluation *e)
{
    static const struct jr_policy_rule rule = { { "failurePolicy", 13 }, NULL };
    struct jr_policy_finding *f;
    JR_BUF message = { 0 };
    const size_t n = e->out->n;

    if (e->policy->fail_open)
        return;
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    (void)jr_buf_addf(&message, "the policy can't be used: %.*s", JR_P(e->policy->unusable));
    jr_evaluation_add(e, &rule, e->r->spec, false, &message);
    if (e->out->n == n)
        return;
    f = &e->out->v[n];
    f->denies = f->leniency == JR_LENIENCY_NONE;
    f->warns = !f->denies;
}

static void evaluate_policy(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    if (e->policy->unusable.n > 0) {
        refuse_all(e);
        return;
    }
    jr_evaluation_limits(e, rules);
    if ((e->extent & JR_EXTENT_SPEC) == 0)
        return;
    if (e->failed == JR_OK && rules->pod_security.set)
        jr_evaluation_pod_security(e, &rules->pod_security);
    if (e->failed == JR_OK)
        jr_evaluation_budget(e, rules);
}

bool jr_evaluation_is_deleted(const struct jr_policy_job *job)
{
    return !jr_unset(jr_path(job->root, "metadata.deletionTimestamp"));
}

static bool is_metadata_equal(const struct jr_policy_request *r, const char *map)
{
    const struct jr_node *is = jr_get(jr_get(r->job.root, "metadata"), map),
                         *was = jr_get(jr_get(r->old.root, "metadata"), map);

    return (jr_size(is) == 0 && jr_size(was) == 0) || jr_node_equal(is, was);
}

static bool is_spec_equal(const struct jr_node *is, const struct jr_node *was)
{
    return jr_node_equal(jr_get(is, "spec"), jr_get(was, "spec"));
}

/** Tells which parts of the request policies are about: all where the Job's spec changed, else a
 * CronJob's own fields, and labels and annotations, where these changed. An object that is being
 * deleted counts, too, since its Pods may go on; but for annotations, which no policy matches by.
 */
static unsigned extent_of(const struct jr_policy_request *r)
{
    unsigned extent = 0;

    if (!r->update || !is_spec_equal(r->job.root, r->old.root))
        return JR_EXTENT_ALL;
    if (r->job.cron_job != NULL && !is_spec_equal(r->job.cron_job, r->old.cron_job))
        extent |= JR_EXTENT_CRON_JOB;
    if (!is_metadata_equal(r, "labels") ||
        (!jr_evaluation_is_deleted(&r->job) && !is_metadata_equal(r, "annotations")))
        extent |= JR_EXTENT_METADATA;
    return extent;
}

/** An update is matched as what it was, too: nobody gets out of a policy by dropping a label. What
 * the policy didn't match before it never let pass, so that this is no measure of "no worse", and
 * all rules count, also where labels alone changed; but a queue has reserved quota, which a refusal
 * would hold for nothing. */
static bool matches(struct jr_evaluation *e, unsigned operations, bool *ret_needed)
{
    const struct jr_policy_request *r = e->r;
    const bool did =
        r->update && jr_policy_matches(e->policy, r->context, operations, &r->old, ret_needed);
    const bool is =
        did || jr_policy_matches(e->policy, r->context, operations, &r->job, ret_needed);

    e->compares = operations == JR_OPERATION_UPDATE && (did || r->context->by_queue);
    if (r->update && is && !did && !r->context->by_queue)
        e->extent = JR_EXTENT_ALL;
    return is;
}

/** Whether the new labels select the Job, and the old ones didn't. */
static bool joins(const struct jr_evaluation *e)
{
    const struct jr_selector *s = &e->policy->match.object_selector;

    return s->set && jr_selector_matches(s, e->r->job.labels) &&
           !jr_selector_matches(s, e->r->old.labels);
}

/** Whether it depends on the labels of a namespace that aren't known. */
static bool is_undecided(const struct jr_evaluation *e, const struct jr_policy_exception *exception)
{
    const struct jr_policy_rules *rules = exception == NULL ? &e->policy->rules : &exception->rules;

    return (e->extent & JR_EXTENT_SPEC) != 0 && rules->pod_security.of_namespace &&
           !e->r->context->namespace_known && e->policy->unusable.n == 0;
}

static void evaluate_matching(struct jr_evaluation *e, size_t at, unsigned operations,
                              unsigned extent)
{
    struct jr_policy_findings *out = e->out;
    const struct jr_policy_exception *exception;
    bool needed = false;

    e->policy = e->r->context->set->v[at];
    e->extent = extent;
    if (extent == JR_EXTENT_METADATA && !e->policy->rules.reads_metadata && !joins(e))
        return;
    if (!matches(e, operations, &needed)) {
        if (needed)
            out->undecided[out->n_undecided++] = at;
        else
            out->n_unmatched++;
        return;
    }
    exception = jr_policy_exception_for(e->policy, e->r->context);
    if (is_undecided(e, exception)) {
        out->undecided[out->n_undecided++] = at;
        return;
    }
    out->matches[out->n_matches++] = (struct jr_policy_match){ e->policy, at, exception };
    evaluate_policy(e, exception == NULL ? &e->policy->rules : &exception->rules);
}

/** Whether the Job is stopped, by what its spec says. */
static bool is_suspended(const struct jr_policy_job *job)
{
    return jr_bool_or(job->spec->suspend, false);
}

enum jr_status jr_policy_evaluate(const struct jr_policy_request *r, struct jr_arena *arena,
                                  struct jr_policy_findings *ret)
{
    const size_t n = r->context->set->n;
    const bool by_queue = r->update && r->context->by_queue;
    struct jr_evaluation e = { .r = r, .out = ret };
    const unsigned extent = extent_of(r);
    unsigned operations = r->update ? JR_OPERATION_UPDATE : JR_OPERATION_CREATE;

    *ret = (struct jr_policy_findings){ .arena = arena };
    if (n == 0 || extent == 0)
        return JR_OK;
    e.by_queue = by_queue && is_suspended(&r->job);
    e.by_queue_start = by_queue && !e.by_queue && is_suspended(&r->old);
    /* A resume counts as a create: nobody stockpiles suspended Jobs for a day with other rules. A
     * queue has reserved quota by then, which a refusal would hold for nothing. */
    if (r->update && !by_queue && !is_suspended(&r->job) && is_suspended(&r->old))
        operations |= JR_OPERATION_CREATE;
    ret->matches = jr_arena_calloc(arena, n, sizeof(*ret->matches));
    ret->undecided = jr_arena_calloc(arena, n, sizeof(*ret->undecided));
    if (ret->matches == NULL || ret->undecided == NULL)
        return JR_NOMEM;
    jr_arena_init(&e.known, 0);
    for (size_t i = 0; i < n && e.failed == JR_OK; i++)
        evaluate_matching(&e, i, operations, extent);
    jr_arena_done(&e.known);
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

bool jr_policy_rule_met(const struct jr_policy_findings *f, const struct jr_policy_rule *rule)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->v[i].of != NULL && f->v[i].of->name.p == rule->name.p)
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
        [JR_LENIENCY_QUEUE] = " (changed by a queue)",
    };
    const struct jr_str more = f->policy->message;
    const char *text = jr_arena_printf(
        arena, "policy \"%.*s\": %.*s: %.*s%s%s%.*s", JR_P(f->policy->name), JR_P(f->field),
        JR_P(f->message), f->denies ? "" : why[f->leniency], more.n > 0 ? ": " : "", JR_P(more));

    *ret = jr_str(text);
    return text == NULL ? JR_NOMEM : JR_OK;
}
