/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of an update of a Job's status. */
#include "common/base/string_set.h"
#include "common/job/indexes.h"
#include "common/job/validate_parts.h"

/** What a status says, taken together. */
struct phase {
    bool complete;
    bool failed;
    bool failure_target;
    bool criteria_met;
    bool finished;
};

/** Both objects, their phases and what has changed: the conditions of the rules. */
struct change {
    const struct jr_node *root;
    const struct jr_job *job;
    const struct jr_job_status *now;
    const struct jr_job_status *was;
    struct phase p;
    struct phase old;
    bool strict;   /* rules that came with managedBy */
    bool replaces; /* podReplacementPolicy is known: all Jobs may meet their success criteria */
    struct jr_field_path status;
    struct jr_field_path conditions;
    struct jr_errlist *errs;
};

static struct phase phase_of(const struct jr_job_status *s)
{
    struct phase p = {
        .complete = jr_job_condition_true(&s->conditions, "Complete"),
        .failed = jr_job_condition_true(&s->conditions, "Failed"),
        .failure_target = jr_job_condition_true(&s->conditions, "FailureTarget"),
        .criteria_met = jr_job_condition_true(&s->conditions, "SuccessCriteriaMet"),
    };

    p.finished = p.complete || p.failed;
    return p;
}

static bool times_differ(struct jr_time a, struct jr_time b)
{
    return jr_time_cmp(a, b) != 0;
}

static bool opts_differ(struct jr_opt_i32 a, struct jr_opt_i32 b)
{
    return a.set != b.set || (a.set && a.v != b.v);
}

static bool pointers_differ(struct jr_str a, struct jr_str b)
{
    if (a.p == NULL || b.p == NULL)
        return a.p != b.p;
    return !jr_str_eq(a, b);
}

static bool lists_differ(const struct jr_strs *a, const struct jr_strs *b)
{
    if (a->n != b->n)
        return true;
    for (size_t i = 0; i < a->n; i++) {
        if (!jr_str_eq(a->v[i], b->v[i]))
            return true;
    }
    return false;
}

static bool uncounted_differ(const struct jr_job_status *a, const struct jr_job_status *b)
{
    return a->uncounted.set != b->uncounted.set ||
           lists_differ(&a->uncounted.succeeded, &b->uncounted.succeeded) ||
           lists_differ(&a->uncounted.failed, &b->uncounted.failed);
}

static struct jr_str int_value(struct change *c, int64_t v)
{
    return jr_errlist_int(c->errs, v);
}

/** Adds the rule's error at status.NAME. */
static void member_violated(struct change *c, enum jr_rule rule, const char *name,
                            struct jr_str value)
{
    jr_rule_violated(c->errs, rule, &JR_FIELD(&c->status, name), value);
}

static void condition_violated(struct change *c, enum jr_rule rule)
{
    jr_violation(c->errs, rule, &c->conditions);
}

/* ---- rows 1 and 2: plain values ---- */

static void check_counters(struct change *c)
{
    const struct jr_job_status *s = c->now;
    const struct {
        const char *name;
        enum jr_rule rule;
        int32_t v;
    } rows[] = {
        { "active", JR_RULE_STATUS_ACTIVE, s->active },
        { "succeeded", JR_RULE_STATUS_SUCCEEDED, s->succeeded },
        { "failed", JR_RULE_STATUS_FAILED, s->failed },
        { "ready", JR_RULE_STATUS_READY, jr_i32_or(s->ready, 0) },
        { "terminating", JR_RULE_STATUS_TERMINATING, jr_i32_or(s->terminating, 0) },
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(rows); i++) {
        if (rows[i].v < 0)
            member_violated(c, rows[i].rule, rows[i].name, int_value(c, rows[i].v));
    }
}

static void check_uncounted(struct change *c)
{
    const struct jr_field_path path = JR_FIELD(&c->status, "uncountedTerminatedPods");
    const struct {
        const char *name;
        const struct jr_strs *uids;
    } lists[] = { { "succeeded", &c->now->uncounted.succeeded },
                  { "failed", &c->now->uncounted.failed } };
    struct jr_string_set seen = JR_STRING_SET(c->errs);

    for (size_t k = 0; k < JR_ARRAY_SIZE(lists); k++) {
        const struct jr_field_path list = JR_FIELD(&path, lists[k].name);

        for (size_t i = 0; i < lists[k].uids->n && jr_errlist_going(c->errs); i++) {
            const struct jr_str uid = lists[k].uids->v[i];
            const struct jr_field_path at = JR_FIELD_AT(&list, i);

            if (uid.n == 0)
                jr_rule_violated(c->errs, JR_RULE_STATUS_UNCOUNTED_EMPTY, &at, JR_S("\"\""));
            else if (!jr_string_set_add(&seen, uid))
                jr_violation_enum(c->errs, JR_RULE_STATUS_UNCOUNTED_TWICE, &at, uid);
        }
    }
}

/* ---- rows 3 to 12: how a Job ends ---- */

static void check_end(struct change *c)
{
    const struct jr_job_status *s = c->now;
    bool complete_changed = c->p.complete != c->old.complete;
    bool failed_changed = c->p.failed != c->old.failed;
    bool time_changed = times_differ(s->completion_time, c->was->completion_time);
    bool start_changed = times_differ(s->start_time, c->was->start_time);
    bool has_time = jr_time_set(s->completion_time);

    if ((complete_changed || failed_changed) && c->p.complete && c->p.failed)
        condition_violated(c, JR_RULE_STATUS_COMPLETE_FAILED);
    if ((complete_changed || c->p.failure_target != c->old.failure_target) && c->p.complete &&
        c->p.failure_target)
        condition_violated(c, JR_RULE_STATUS_COMPLETE_TARGET);
    if ((complete_changed || time_changed) && has_time && !c->p.complete)
        member_violated(c, JR_RULE_STATUS_TIME_NOT_COMPLETE, "completionTime",
                        jr_rule_time(c->errs, s->completion_time));
    if ((complete_changed || time_changed) && !has_time && c->p.complete)
        member_violated(c, JR_RULE_STATUS_COMPLETE_NO_TIME, "completionTime", JR_NO_VALUE);
    if ((start_changed || time_changed) && has_time && jr_time_set(s->start_time) &&
        jr_time_cmp(s->completion_time, s->start_time) < 0)
        member_violated(c, JR_RULE_STATUS_TIMES, "completionTime",
                        jr_rule_time(c->errs, s->completion_time));
    if ((failed_changed || pointers_differ(s->failed_indexes, c->was->failed_indexes)) &&
        c->p.failed && !c->p.failure_target)
        condition_violated(c, JR_RULE_STATUS_FAILED_NO_TARGET);
    if ((complete_changed || c->p.criteria_met != c->old.criteria_met) && c->p.complete &&
        !c->p.criteria_met)
        condition_violated(c, JR_RULE_STATUS_COMPLETE_NO_CRITERIA);
}

/** Suspended with nothing to complete: such a Job ends without having started. */
static bool may_finish_unstarted(const struct change *c)
{
    const struct jr_job_spec *spec = &c->job->spec;

    return jr_kube_has(c->errs->version, JR_CHANGE_FINISHES_UNSTARTED) &&
           jr_bool_or(spec->suspend, false) && spec->completions.set && spec->completions.v == 0;
}

static void check_finished(struct change *c)
{
    const struct jr_job_status *s = c->now;
    bool finished_changed = c->p.finished != c->old.finished;

    if (!c->p.finished)
        return;
    if ((finished_changed || s->active != c->was->active) && s->active > 0)
        member_violated(c, JR_RULE_STATUS_FINISHED_ACTIVE, "active", int_value(c, s->active));
    if ((finished_changed || times_differ(s->start_time, c->was->start_time)) &&
        !may_finish_unstarted(c) && !jr_time_set(s->start_time))
        member_violated(c, JR_RULE_STATUS_FINISHED_NO_START, "startTime", JR_NO_VALUE);
    if ((finished_changed || uncounted_differ(s, c->was)) &&
        s->uncounted.succeeded.n + s->uncounted.failed.n > 0)
        member_violated(c, JR_RULE_STATUS_FINISHED_UNCOUNTED, "uncountedTerminatedPods",
                        jr_rule_shown(c->errs, &jr_schema_job_status, "uncountedTerminatedPods",
                                      jr_path(c->root, "status.uncountedTerminatedPods")));
}

/* ---- rows 13 to 17: indexes ---- */

static void check_index_text(struct change *c, struct jr_str text, enum jr_rule rule,
                             const char *name, struct jr_str value)
{
    JR_BUF why = jr_errlist_words(c->errs);
    enum jr_status st;

    st = jr_indexes_check(text, c->job->spec.completions.v, NULL, &why);
    if (st == JR_INVALID)
        jr_rule_violatedf(c->errs, rule, &JR_FIELD(&c->status, name), value,
                          "error parsing %s: %.*s", name, JR_P(jr_buf_str(&why)));
    else if (st != JR_OK)
        c->errs->failed = st;
}

/** The next interval that can be parsed; false at the end of the text. */
static bool next_interval(struct jr_str *text, bool *more, int32_t completions,
                          struct jr_interval *ret)
{
    while (*more) {
        ptrdiff_t comma = jr_str_find(*text, ',');
        struct jr_str part = comma < 0 ? *text : jr_str_head(*text, (size_t)comma);

        *more = comma >= 0;
        *text = jr_str_from(*text, (size_t)comma + 1);
        if (jr_interval_parse(part, completions, ret, NULL) == JR_OK)
            return true;
    }
    return false;
}

/** The first index that upstream's walk over both lists finds in both; -1: none. */
static int32_t find_overlap(struct jr_str completed, struct jr_str failed, int32_t completions)
{
    bool more_c = completed.n > 0, more_f = failed.n > 0;
    struct jr_interval a, b;
    bool have_a = next_interval(&completed, &more_c, completions, &a);
    bool have_b = next_interval(&failed, &more_f, completions, &b);

    while (have_a && have_b) {
        if (a.first <= b.last && b.first <= a.last)
            return a.first > b.first ? a.first : b.first;
        if (a.first <= b.first)
            have_a = next_interval(&completed, &more_c, completions, &a);
        else
            have_b = next_interval(&failed, &more_f, completions, &b);
    }
    return -1;
}

static void check_indexes(struct change *c)
{
    const struct jr_job_status *s = c->now;
    const struct jr_job_spec *spec = &c->job->spec;
    const struct jr_str completed = jr_errlist_quote(c->errs, s->completed_indexes);
    const struct jr_str failed = jr_errlist_quote(c->errs, s->failed_indexes);
    bool completed_changed = !jr_str_eq(s->completed_indexes, c->was->completed_indexes);
    bool failed_changed = pointers_differ(s->failed_indexes, c->was->failed_indexes);
    bool has_failed = s->failed_indexes.p != NULL;
    int32_t overlap;

    if (completed_changed && spec->completions.set)
        check_index_text(c, s->completed_indexes, JR_RULE_STATUS_COMPLETED_INDEXES,
                         "completedIndexes", completed);
    if (failed_changed && spec->completions.set && spec->backoff_limit_per_index.set && has_failed)
        check_index_text(c, s->failed_indexes, JR_RULE_STATUS_FAILED_INDEXES, "failedIndexes",
                         failed);
    if (completed_changed && s->completed_indexes.n > 0 &&
        !jr_str_is(spec->completion_mode, "Indexed"))
        member_violated(c, JR_RULE_STATUS_COMPLETED_MODE, "completedIndexes", completed);
    if (failed_changed && !spec->backoff_limit_per_index.set && has_failed)
        member_violated(c, JR_RULE_STATUS_FAILED_MODE, "failedIndexes", failed);
    if (!(completed_changed || failed_changed) || !spec->completions.set || !has_failed)
        return;
    overlap = find_overlap(s->completed_indexes, s->failed_indexes, spec->completions.v);
    if (overlap >= 0)
        jr_rule_violatedf(c->errs, JR_RULE_STATUS_OVERLAP, &JR_FIELD(&c->status, "failedIndexes"),
                          failed, "failedIndexes and completedIndexes overlap at index: %d",
                          (int)overlap);
}

/* ---- rows 18 to 22 ---- */

static void check_pods(struct change *c)
{
    const struct jr_job_status *s = c->now;
    bool finished_changed = c->p.finished != c->old.finished;

    if ((finished_changed || opts_differ(s->terminating, c->was->terminating)) && c->p.finished &&
        jr_i32_or(s->terminating, 0) > 0)
        member_violated(c, JR_RULE_STATUS_FINISHED_TERMINATING, "terminating",
                        int_value(c, s->terminating.v));
    if ((opts_differ(s->ready, c->was->ready) || s->active != c->was->active) && s->ready.set &&
        s->ready.v > s->active)
        member_violated(c, JR_RULE_STATUS_READY_ACTIVE, "ready", int_value(c, s->ready.v));
}

static void check_criteria(struct change *c)
{
    const bool extended = c->strict || c->replaces || c->old.criteria_met;
    const struct jr_job_spec *spec = &c->job->spec;

    if (!extended && c->p.criteria_met && !jr_str_is(spec->completion_mode, "Indexed"))
        condition_violated(c, JR_RULE_STATUS_CRITERIA_MODE);
    if (c->p.criteria_met && c->p.failed)
        condition_violated(c, JR_RULE_STATUS_CRITERIA_FAILED);
    if (c->p.criteria_met && c->p.failure_target)
        condition_violated(c, JR_RULE_STATUS_CRITERIA_TARGET);
    if (!extended && c->p.criteria_met && !spec->success_policy.set)
        condition_violated(c, JR_RULE_STATUS_CRITERIA_NO_POLICY);
    if (spec->success_policy.set && c->p.complete && !c->p.criteria_met)
        condition_violated(c, JR_RULE_STATUS_POLICY_NO_CRITERIA);
}

/* ---- rows 23 to 29: what may not be taken back ---- */

/** As the Job is resumed. */
static bool may_replace_start_time(const struct change *c)
{
    bool now_false = false;

    if (!jr_kube_has(c->errs->version, JR_CHANGE_RESUME_REPLACES_START_TIME))
        return false;
    for (size_t i = 0; i < c->now->conditions.n; i++) {
        const struct jr_job_condition *k = &c->now->conditions.v[i];

        now_false = now_false || (jr_str_is(k->type, "Suspended") && jr_str_is(k->status, "False"));
    }
    return now_false && jr_job_condition_true(&c->was->conditions, "Suspended");
}

static void check_terminal(struct change *c)
{
    if (c->old.failed && !c->p.failed)
        condition_violated(c, JR_RULE_STATUS_TERMINAL_FAILED);
    if (c->old.complete && !c->p.complete)
        condition_violated(c, JR_RULE_STATUS_TERMINAL_COMPLETE);
    if (c->old.failure_target && !c->p.failure_target)
        condition_violated(c, JR_RULE_STATUS_TERMINAL_TARGET);
}

static void check_taken_back(struct change *c)
{
    const struct jr_job_status *s = c->now, *was = c->was;
    const struct jr_job_spec *spec = &c->job->spec;
    bool elastic = jr_str_is(spec->completion_mode, "Indexed") &&
                   !opts_differ(spec->completions, spec->parallelism);

    check_terminal(c);
    if (s->failed < was->failed)
        member_violated(c, JR_RULE_STATUS_FAILED_LOWER, "failed", int_value(c, s->failed));
    if (s->succeeded < was->succeeded && !elastic)
        member_violated(c, JR_RULE_STATUS_SUCCEEDED_LOWER, "succeeded", int_value(c, s->succeeded));
    if (jr_time_set(s->completion_time) && jr_time_set(was->completion_time) &&
        times_differ(s->completion_time, was->completion_time))
        member_violated(c, JR_RULE_STATUS_COMPLETION_TIME, "completionTime",
                        jr_rule_time(c->errs, s->completion_time));
    if (times_differ(s->start_time, was->start_time) && jr_time_set(was->start_time) &&
        !jr_bool_or(spec->suspend, false) && !may_replace_start_time(c))
        member_violated(c, JR_RULE_STATUS_START_TIME, "startTime",
                        jr_rule_time(c->errs, s->start_time));
}

void jr_job_validate_status_update(const struct jr_object *job, const struct jr_object *old,
                                   const struct jr_profile *profile, struct jr_errlist *errs)
{
    struct change c = {
        .root = job->root,
        .job = job->job,
        .now = &job->job->status,
        .was = &old->job->status,
        .p = phase_of(&job->job->status),
        .old = phase_of(&old->job->status),
        .strict = profile->gates[JR_GATE_JobManagedBy],
        .replaces = profile->gates[JR_GATE_JobPodReplacementPolicy],
        .status = JR_FIELD(NULL, "status"),
        .errs = errs,
    };

    errs->version = profile->version;
    c.conditions = JR_FIELD(&c.status, "conditions");
    jr_validate_meta_any_update(&job->job->meta, &old->job->meta, errs);
    jr_validate_meta_update(&job->job->meta, &old->job->meta, errs);
    check_counters(&c);
    check_uncounted(&c);
    if (c.strict) {
        check_end(&c);
        check_finished(&c);
        check_indexes(&c);
        check_pods(&c);
    }
    check_criteria(&c);
    if (c.strict)
        check_taken_back(&c);
    if (c.old.criteria_met && !c.p.criteria_met)
        condition_violated(&c, JR_RULE_STATUS_CRITERIA_LOST);
    if (c.old.complete && !c.old.criteria_met && c.p.criteria_met)
        condition_violated(&c, JR_RULE_STATUS_CRITERIA_LATE);
    if (jr_kube_has(profile->version, JR_CHANGE_ERRORS_ONCE))
        jr_errlist_once(errs);
}
