/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spec.limits: each value that a limit's path leads to. */
#include "common/policy/evaluation.h"

#include "common/schema/equal.h"

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

/* ---- values ---- */

int jr_limit_bound_cmp(const struct jr_limit_bound *a, const struct jr_limit_bound *b)
{
    if (a->kind == JR_BOUND_NONE || a->kind != b->kind)
        return 0;
    if (a->kind == JR_BOUND_QUANTITY)
        return a->q == NULL || b->q == NULL ? 0 : jr_quantity_cmp(a->q, b->q);
    return a->v < b->v ? -1 : a->v > b->v;
}

/** Reads a value as what the bound is; room: for a quantity. */
static bool read_as(enum jr_limit_bound_kind kind, const struct jr_node *node,
                    struct jr_limit_bound *ret, struct jr_quantity *room)
{
    *ret = (struct jr_limit_bound){ .kind = kind, .q = room };
    switch (kind) {
    case JR_BOUND_NUMBER:
        return jr_node_i64(node, &ret->v) == JR_OK;
    case JR_BOUND_QUANTITY:
        return jr_quantity_of(node, room) == JR_OK;
    case JR_BOUND_DURATION:
        return jr_parse_duration_ms(jr_node_str(node), &ret->v) == JR_OK;
    case JR_BOUND_NONE:
        break;
    }
    return false;
}

/** Returns a text, number or bool as JSON has it, a text without its quotes. */
static struct jr_str text_of(const struct jr_node *node)
{
    const enum jr_kind kind = jr_node_kind(node);

    if (kind == JR_TRUE || kind == JR_FALSE)
        return kind == JR_TRUE ? JR_S("true") : JR_S("false");
    return kind == JR_NUMBER ? jr_node_number(node) : jr_node_str(node);
}

/** Whether a value is there: not what an API server would leave out, nor an empty text. */
static bool is_set(const struct jr_limit *l, const struct jr_node *node)
{
    if (node == NULL || (jr_node_kind(node) == JR_STRING && jr_node_str(node).n == 0))
        return false;
    return l->of.field == NULL || l->of.steps[l->of.n - 1].kind != JR_STEP_FIELD ||
           !jr_schema_is_zero(l->of.field, node);
}

static enum fault fault_of_bound(const struct jr_limit_bound *bound, enum fault beyond,
                                 const struct jr_node *node)
{
    struct jr_quantity room;
    struct jr_limit_bound is;
    int order;

    if (bound->kind == JR_BOUND_NONE)
        return FAULT_NONE;
    if (!read_as(bound->kind, node, &is, &room))
        return FAULT_UNREADABLE;
    order = jr_limit_bound_cmp(&is, bound);
    return (beyond == FAULT_LESS ? order < 0 : order > 0) ? beyond : FAULT_NONE;
}

static enum fault fault_of(const struct jr_limit *l, const struct jr_node *node)
{
    enum fault fault;

    if (!is_set(l, node))
        return jr_bool_or(l->required, false) ? FAULT_ABSENT : FAULT_NONE;
    if (l->forbidden)
        return l->of.kind == JR_SCHEMA_BOOL && !jr_node_bool_or(node, false) ? FAULT_NONE
                                                                             : FAULT_FORBIDDEN;
    if (l->values.n > 0 && !jr_globs_match(&l->values, text_of(node)))
        return FAULT_OTHER;
    if (l->excluded.n > 0 && jr_globs_match(&l->excluded, text_of(node)))
        return FAULT_EXCLUDED;
    fault = fault_of_bound(&l->min, FAULT_LESS, node);
    return fault != FAULT_NONE ? fault : fault_of_bound(&l->max, FAULT_MORE, node);
}

/* ---- words ---- */

static void add_quoted(struct jr_buf *out, struct jr_str s)
{
    if (jr_field_quote(jr_field_shown(s, VALUE_SHOWN), out) != JR_OK)
        return; /* out->failed says it */
}

/** Appends a value: texts in quotes. */
static void add_value(const struct jr_limit *l, struct jr_str text, struct jr_buf *out)
{
    if (l->of.kind == JR_SCHEMA_STRING || l->of.kind == JR_SCHEMA_TIME)
        add_quoted(out, text);
    else
        (void)jr_buf_add(out, jr_field_shown(text, VALUE_SHOWN));
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
        setter = jr_policy_default_of(e->r->context, e->policy, e->r->job.labels, l->field,
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

static void write_fault(const struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                        const struct jr_node *node, struct jr_buf *out)
{
    static const char *const words[] = {
        [FAULT_ABSENT] = "must be set",
        [FAULT_FORBIDDEN] = "must not be set",
        [FAULT_TOO_MANY] = "the object has more values than policies look at",
        [FAULT_MORE] = NULL,
    };

    if (fault == FAULT_FORBIDDEN && l->of.kind == JR_SCHEMA_BOOL) {
        (void)jr_buf_adds(out, "must not be true");
    } else if (words[fault] != NULL) {
        (void)jr_buf_adds(out, words[fault]);
    } else {
        (void)jr_buf_adds(out, "is ");
        add_value(l, text_of(node), out);
        add_setter(e, l, node, out);
    }
    if (fault == FAULT_EXCLUDED)
        add_list(l, ", not allowed: ", &l->excluded, out);
    else if (fault == FAULT_LESS || fault == FAULT_MORE || fault == FAULT_UNREADABLE)
        add_bound(l, fault, out);
    else if (fault == FAULT_OTHER || (fault == FAULT_ABSENT && l->values.n > 0))
        add_list(l, ", allowed: ", &l->values, out);
}

/* ---- beside the old object ---- */

/** Whether the new value is no worse than that one was. */
static bool is_no_worse(const struct jr_limit *l, enum fault fault, const struct jr_node *is,
                        const struct jr_node *was)
{
    const bool less = fault == FAULT_LESS;
    struct jr_limit_bound a, b;
    struct jr_quantity rooms[2];
    int order;

    if (fault == FAULT_ABSENT)
        return !is_set(l, was);
    if (!is_set(l, was))
        return false;
    if (fault == FAULT_FORBIDDEN)
        return l->of.kind != JR_SCHEMA_BOOL || jr_node_bool_or(was, false);
    if (!less && fault != FAULT_MORE)
        return jr_str_eq(text_of(is), text_of(was));
    if (!read_as(less ? l->min.kind : l->max.kind, is, &a, &rooms[0]) ||
        !read_as(less ? l->min.kind : l->max.kind, was, &b, &rooms[1]))
        return false;
    order = jr_limit_bound_cmp(&a, &b);
    return less ? order >= 0 : order <= 0;
}

static bool was_no_better(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                          const struct jr_limit_walk *at)
{
    struct jr_limit_walk old;

    if (!e->compares)
        return false;
    old = jr_limit_walk_begin(&l->of, jr_evaluation_head(e, &l->of, true));
    for (; e->old_values < OLD_VALUES_MAX && jr_limit_walk_next(&old); e->old_values++) {
        if (jr_limit_walk_same(at, &old) &&
            is_no_worse(l, fault, at->at[l->of.n], old.at[l->of.n]))
            return true;
    }
    return false;
}

/* ---- the check ---- */

/** Returns the path of where the limit's path begins; room: for what it lies in. */
static const struct jr_field_path *root_path(const struct jr_evaluation *e,
                                             const struct jr_limit *l, struct jr_field_path *room)
{
    if (l->of.root == JR_LIMIT_OF_SPEC)
        return e->r->spec;
    *room = JR_FIELD(e->r->spec->parent, "metadata");
    return room;
}

static void add_finding(struct jr_evaluation *e, const struct jr_limit *l, enum fault fault,
                        bool no_worse, const struct jr_limit_walk *at)
{
    struct jr_field_path root, room[JR_LIMIT_STEPS_MAX];
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    write_fault(e, l, fault, at->at[l->of.n], &message);
    jr_evaluation_add(e, &l->rule, jr_limit_walk_path(at, root_path(e, l, &root), room), no_worse,
                      &message);
}

size_t jr_limit_findings_max(const struct jr_limit *l)
{
    return l->of.n_head == l->of.n ? 1 : findings_max[false] + findings_max[true];
}

void jr_evaluation_limit(struct jr_evaluation *e, const struct jr_limit *l)
{
    struct jr_limit_walk at = jr_limit_walk_begin(&l->of, jr_evaluation_head(e, &l->of, false));
    size_t n[2] = { 0, 0 };

    while (e->failed == JR_OK && n[false] < findings_max[false] && jr_limit_walk_next(&at)) {
        const bool is_over = e->values++ >= VALUES_MAX;
        const enum fault fault = is_over ? FAULT_TOO_MANY : fault_of(l, at.at[l->of.n]);
        bool no_worse;

        if (fault == FAULT_NONE)
            continue;
        no_worse = !is_over && was_no_better(e, l, fault, &at);
        if (n[no_worse]++ < findings_max[no_worse])
            add_finding(e, l, fault, no_worse, &at);
        if (is_over)
            return;
    }
}
