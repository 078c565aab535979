/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spec.limits: each value that a limit's path leads to. */
#include "common/policy/limit_values.h"

/* An annotation may be long, and the memory for findings is reserved before it is known. */
#define VALUE_SHOWN ((size_t)128)
/* Findings of one rule: those that deny, and those that are no worse than what was. */
static const size_t findings_max[] = { 4, 2 };
/* Values that are looked at for all rules together. */
#define VALUES_MAX 1000000
/* Values of the old object that are looked at for all findings of a request together: of a list
 * without keys each may be the one that was there. */
#define OLD_VALUES_MAX 100000

/** Ways not to meet a limit. */
enum fault {
    FAULT_NONE,
    FAULT_ABSENT,
    FAULT_FORBIDDEN,
    FAULT_OTHER, /* than those allowed */
    FAULT_EXCLUDED,
    FAULT_UNREADABLE, /* as what the bound is */
    FAULT_LESS,
    FAULT_MORE,
    FAULT_TOO_MANY, /* values to look at */
};

static enum fault beyond_bound(const struct jr_limit_bound *bound, enum fault beyond,
                               const struct jr_limit_value *v, struct jr_quantity *room)
{
    struct jr_limit_bound is;
    int order;

    if (!jr_limit_value_read(bound->kind, v, &is, room))
        return FAULT_UNREADABLE;
    order = jr_limit_bound_cmp(&is, bound);
    return (beyond == FAULT_LESS ? order < 0 : order > 0) ? beyond : FAULT_NONE;
}

/** A quantity is large, and cleared by the compiler, so that there is one only where it is read. */
JR_APART static enum fault beyond_quantity(const struct jr_limit_bound *bound, enum fault beyond,
                                           const struct jr_limit_value *v)
{
    struct jr_quantity room;

    return beyond_bound(bound, beyond, v, &room);
}

static enum fault fault_of_bound(const struct jr_limit_bound *bound, enum fault beyond,
                                 const struct jr_limit_value *v)
{
    if (bound->kind == JR_BOUND_NONE || (v->node == NULL && !v->is_fact))
        return FAULT_NONE;
    return bound->kind == JR_BOUND_QUANTITY && v->quantity == NULL
               ? beyond_quantity(bound, beyond, v)
               : beyond_bound(bound, beyond, v, NULL);
}

/** Whether the value is one of those excluded: an image also without its digest. */
static bool is_excluded(const struct jr_limit *l, struct jr_str text)
{
    const ptrdiff_t digest = l->as == JR_LIMIT_AS_IMAGE ? jr_str_find(text, '@') : -1;

    return jr_globs_match(&l->excluded, text) ||
           (digest >= 0 && jr_globs_match(&l->excluded, jr_str_head(text, (size_t)digest)));
}

static enum fault fault_of(const struct jr_limit *l, const struct jr_limit_value *v)
{
    enum fault fault;

    if (!v->set)
        return jr_bool_or(l->required, false) && !jr_limit_is_of_pod(l) ? FAULT_ABSENT : FAULT_NONE;
    if (l->forbidden)
        return l->of.kind == JR_SCHEMA_BOOL && !jr_node_bool_or(v->node, false) ? FAULT_NONE
                                                                                : FAULT_FORBIDDEN;
    if (l->values.n > 0 && !jr_globs_match(&l->values, v->text))
        return FAULT_OTHER;
    if (l->excluded.n > 0 && is_excluded(l, v->text))
        return FAULT_EXCLUDED;
    fault = fault_of_bound(&l->min, FAULT_LESS, v);
    return fault != FAULT_NONE ? fault : fault_of_bound(&l->max, FAULT_MORE, v);
}

/** Whether all that the limit looks at meets it, by what is known. False: it has to be looked at.
 * Where nothing is set, the limit itself isn't read: most are met that way. */
static bool meets(struct jr_evaluation *e, const struct jr_limit *l,
                  const struct jr_known_values *known)
{
    const bool reads = known->is_set || jr_bool_or(known->of->required, false);

    if (known->n > JR_LIMIT_KNOWN_MAX || e->looked_at + known->n > VALUES_MAX)
        return false;
    for (size_t i = 0; reads && i < known->n; i++) {
        if (fault_of(l, &known->v[i]) != FAULT_NONE)
            return false;
    }
    e->looked_at += known->n;
    return true;
}

/* ---- words ---- */

/** Appends one of a limit's values, and "..." if that isn't all of it: texts in quotes. */
static void add_value(const struct jr_limit *l, struct jr_str text, struct jr_buf *out)
{
    const struct jr_str shown = jr_field_shown(text, VALUE_SHOWN);

    if (l->of.kind != JR_SCHEMA_STRING && l->of.kind != JR_SCHEMA_TIME)
        (void)jr_buf_add(out, shown);
    else if (jr_field_quote(shown, out) != JR_OK)
        return; /* out->failed says it */
    if (shown.n < text.n)
        (void)jr_buf_adds(out, "...");
}

static void add_list(const struct jr_limit *l, const char *words, const struct jr_strs *list,
                     struct jr_buf *out)
{
    (void)jr_buf_adds(out, words);
    for (size_t i = 0; i < list->n; i++) {
        (void)jr_buf_adds(out, i > 0 ? ", " : "");
        add_value(l, list->v[i], out);
    }
}

/** Names the policy that may have put the value there. */
static void add_setter(const struct jr_evaluation *e, const struct jr_limit *l,
                       const struct jr_node *node, struct jr_buf *out)
{
    const struct jr_job_policy *setter = NULL;

    if (l->field != JR_LIMITED_FIELDS)
        setter = jr_policy_default_of(e->r->context, e->policy, &e->r->job, l->field,
                                      jr_node_i64_or(node, 0), jr_node_str(node));
    if (setter != NULL)
        (void)jr_buf_addf(out, ", the default of policy \"%.*s\"", JR_P(setter->name));
}

static void add_bound(const struct jr_limit *l, enum fault fault, struct jr_buf *out)
{
    const struct jr_limit_bound *bound = l->min.kind != JR_BOUND_NONE ? &l->min : &l->max;

    if (fault == FAULT_UNREADABLE)
        (void)jr_buf_adds(out, bound->kind == JR_BOUND_DURATION ? ", which is no duration"
                                                                : ", which is no quantity");
    if (fault == FAULT_LESS || fault == FAULT_MORE)
        bound = fault == FAULT_LESS ? &l->min : &l->max;
    (void)jr_buf_addf(out, ", at %s %.*s allowed", bound == &l->min ? "least" : "most",
                      JR_P(bound->text));
}

/** Appends the value as it is written; of an image also what is meant. */
static void add_own_value(const struct jr_evaluation *e, const struct jr_limit *l,
                          const struct jr_limit_value *v, struct jr_buf *out)
{
    const bool is_image = l->as == JR_LIMIT_AS_IMAGE;

    (void)jr_buf_adds(out, "is ");
    add_value(l, is_image ? jr_limit_text_of(v->node) : v->text, out);
    if (is_image && !jr_str_eq(jr_limit_text_of(v->node), v->text))
        (void)jr_buf_addf(out, " (%.*s)", JR_P(jr_field_shown(v->text, VALUE_SHOWN)));
    add_setter(e, l, v->node, out);
}

/** Appends the words for a fault that doesn't tell of the value. False: it does. */
static bool add_words(const struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                      struct jr_buf *out)
{
    static const char *const words[] = {
        [FAULT_ABSENT] = "must be set",
        [FAULT_FORBIDDEN] = "must not be set",
        [FAULT_TOO_MANY] = "the object has more values than policies look at",
    };

    if (fault == FAULT_ABSENT && l->as == JR_LIMIT_AS_TOLERATION)
        (void)jr_buf_addf(out, "must have a toleration of the taint \"%.*s\"", JR_P(l->key));
    else if (fault == FAULT_ABSENT && l->as == JR_LIMIT_AS_SUSPEND)
        (void)jr_buf_addf(out, "must be true when the Job is made%s",
                          e->r->context->offline ? " (a queue's webhook may set it)" : "");
    else if (fault == FAULT_FORBIDDEN && l->of.kind == JR_SCHEMA_BOOL)
        (void)jr_buf_adds(out, "must not be true");
    else if (fault < JR_ARRAY_SIZE(words) && words[fault] != NULL)
        (void)jr_buf_adds(out, words[fault]);
    else
        return false;
    return true;
}

static void write_fault(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                        const struct jr_limit_value *v, struct jr_buf *out)
{
    if (v->is_fact)
        jr_evaluation_cron_fact_write(e, l->as, out);
    else if (!add_words(e, l, fault, out))
        add_own_value(e, l, v, out);
    if (fault == FAULT_EXCLUDED)
        add_list(l, ", not allowed: ", &l->excluded, out);
    else if (fault == FAULT_LESS || fault == FAULT_MORE || fault == FAULT_UNREADABLE)
        add_bound(l, fault, out);
    else if (fault == FAULT_OTHER || (fault == FAULT_ABSENT && l->values.n > 0))
        add_list(l, ", allowed: ", &l->values, out);
}

/* ---- beside the old object ---- */

/** Whether the new value is no worse than that one was. */
static bool is_no_worse(const struct jr_limit *l, enum fault fault, const struct jr_limit_value *is,
                        const struct jr_limit_value *was)
{
    const bool less = fault == FAULT_LESS;
    struct jr_limit_bound a, b;
    struct jr_quantity rooms[2];
    int order;

    if (fault == FAULT_ABSENT)
        return !was->set;
    if (!was->set)
        return false;
    if (fault == FAULT_FORBIDDEN)
        return l->of.kind == JR_SCHEMA_BOOL ? jr_node_bool_or(was->node, false)
                                            : jr_node_equal(is->node, was->node);
    if (!less && fault != FAULT_MORE)
        return jr_str_eq(is->text, was->text);
    if (!jr_limit_value_read(less ? l->min.kind : l->max.kind, is, &a, &rooms[0]) ||
        !jr_limit_value_read(less ? l->min.kind : l->max.kind, was, &b, &rooms[1]))
        return false;
    order = jr_limit_bound_cmp(&a, &b);
    return less ? order >= 0 : order <= 0;
}

/** Looks for such a value from where `old` is to the end. */
static bool find_no_better(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                           const struct jr_limit_walk *at, const struct jr_limit_value *is,
                           struct jr_limit_walk *old)
{
    JR_BUF room = { 0 };

    jr_buf_init(&room, JR_BUF_BY_INPUT);
    for (; e->old_looked_at < OLD_VALUES_MAX && jr_limit_walk_next(old); e->old_looked_at++) {
        struct jr_limit_value was;

        if (!jr_limit_walk_same(at, old))
            continue;
        jr_buf_reset(&room);
        was = jr_limit_value_at(e, l, old, true, &room);
        if (room.failed != JR_OK)
            e->failed = JR_NOMEM;
        if (is_no_worse(l, fault, is, &was))
            return true;
    }
    return false;
}

/** Whether the old object has such a value that is no better. It lies mostly where the one before
 * was found, which is where `old` stands, so that this looks there first. */
static bool was_no_better(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                          const struct jr_limit_walk *at, const struct jr_limit_value *is,
                          struct jr_limit_walk *old)
{
    if (!e->compares)
        return false;
    if (old->path != NULL && find_no_better(e, l, fault, at, is, old))
        return true;
    jr_limit_walk_begin(old, &l->of, jr_limit_root_of(l, &e->r->old));
    return find_no_better(e, l, fault, at, is, old);
}

/* ---- the check ---- */

/** Returns the path of where the limit's path begins; room: for what it lies in. A CronJob's Jobs
 * have their names from its own. */
static const struct jr_field_path *root_path(const struct jr_evaluation *e,
                                             const struct jr_limit *l, struct jr_field_path *room)
{
    if (l->of.root == JR_LIMIT_OF_SPEC)
        return e->r->spec;
    *room = l->of.root == JR_LIMIT_OF_CRON_JOB
                ? JR_FIELD(NULL, "spec")
                : JR_FIELD(l->as == JR_LIMIT_AS_NAME ? NULL : e->r->spec->parent, "metadata");
    return room;
}

static void add_finding(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                        bool no_worse, const struct jr_limit_walk *at,
                        const struct jr_limit_value *v)
{
    struct jr_field_path root, room[JR_LIMIT_STEPS_MAX];
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    write_fault(e, l, fault, v, &message);
    jr_evaluation_add(e, &l->rule, jr_limit_walk_path(at, root_path(e, l, &root), room), no_worse,
                      &message);
}

size_t jr_limit_findings_max(const struct jr_limit *l)
{
    return l->of.n_head == l->of.n ? 1 : findings_max[false] + findings_max[true];
}

/** Whether the limit counts for this request at all. */
static bool counts(const struct jr_evaluation *e, const struct jr_limit *l)
{
    if (l->of.root == JR_LIMIT_OF_CRON_JOB)
        return (e->extent & JR_EXTENT_CRON_JOB) != 0 && e->r->job.cron_job != NULL;
    if ((e->extent & (jr_limit_reads_metadata(l) ? JR_EXTENT_METADATA : JR_EXTENT_SPEC)) == 0)
        return false;
    return l->as != JR_LIMIT_AS_SUSPEND ||
           (!e->r->update && !e->r->context->stored && e->r->job.cron_job == NULL);
}

/** Looks at each value. */
JR_APART static void check_each(struct jr_evaluation *e, const struct jr_limit *l)
{
    struct jr_limit_walk *at = &e->walk;
    size_t n[2] = { 0, 0 };
    JR_BUF room = { 0 };

    e->old_walk.path = NULL;
    jr_buf_init(&room, JR_BUF_BY_INPUT);
    jr_limit_walk_begin(at, &l->of, jr_limit_root_of(l, &e->r->job));
    while (e->failed == JR_OK && n[false] < findings_max[false] && jr_limit_walk_next(at)) {
        const bool is_over = e->looked_at++ >= VALUES_MAX;
        enum fault fault = FAULT_TOO_MANY;
        bool no_worse = false;
        struct jr_limit_value v;

        if (jr_limit_passes_over(l, at))
            continue;
        jr_buf_reset(&room);
        v = jr_limit_value_at(e, l, at, false, &room);
        if (room.failed != JR_OK)
            e->failed = JR_NOMEM;
        if (!is_over)
            fault = fault_of(l, &v);
        if (fault == FAULT_NONE)
            continue;
        if (!is_over)
            no_worse = was_no_better(e, l, fault, at, &v, &e->old_walk);
        if (n[no_worse]++ < findings_max[no_worse])
            add_finding(e, l, fault, no_worse, at, &v);
        if (is_over)
            return;
    }
}

static void check_limit(struct jr_evaluation *e, const struct jr_limit *l, uint64_t reading)
{
    struct jr_known_values *known = jr_limit_slot(e, reading);

    if (!counts(e, known == NULL || known->of == NULL ? l : known->of))
        return;
    if (known != NULL && known->of == NULL)
        jr_limit_read(e, l, reading, known);
    if (e->failed == JR_OK && (known == NULL || !meets(e, l, known)))
        check_each(e, l);
}

void jr_evaluation_limits(struct jr_evaluation *e, const struct jr_policy_rules *rules)
{
    for (size_t i = 0; i < rules->limits.n && e->failed == JR_OK; i++)
        check_limit(e, rules->limits.v[i], rules->readings[i]);
}

struct jr_limit_trial jr_limit_try(const struct jr_limit *l, const struct jr_node *job)
{
    const struct jr_policy_job of = { .root = job };
    struct jr_limit_trial ret = { .reads = false };
    struct jr_limit_walk at;

    if (l->as != JR_LIMIT_AS_IS || l->of.root == JR_LIMIT_OF_CRON_JOB)
        return ret;
    jr_limit_walk_begin(&at, &l->of, jr_limit_root_of(l, &of));
    while (jr_limit_walk_next(&at)) {
        const struct jr_node *node = at.at[l->of.n];
        const struct jr_limit_value v = { .node = node,
                                          .text = jr_limit_text_of(node),
                                          .set = jr_limit_is_set(l, node) };
        const enum fault fault = v.set ? fault_of(l, &v) : FAULT_NONE;

        ret.reads |= v.set;
        ret.refuses |= fault != FAULT_NONE;
        ret.forbids |= fault == FAULT_FORBIDDEN;
    }
    return ret;
}

bool jr_limit_reads_metadata(const struct jr_limit *l)
{
    return l->of.root == JR_LIMIT_OF_METADATA && l->as == JR_LIMIT_AS_IS;
}
