/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spec.limits: fields, labels and annotations. */
#include "common/policy/evaluation.h"

#include <stdio.h>

#define LIMIT_RULE "limits.%s"
/* An annotation may be long, and the memory for findings is reserved before it is known. */
#define VALUE_SHOWN ((size_t)128)

/* ---- words ---- */

static void add_quoted(struct jr_buf *out, struct jr_str s)
{
    if (jr_field_quote(s, out) != JR_OK)
        return; /* out->failed says it */
}

static void add_allowed(struct jr_buf *out, const struct jr_strs *values)
{
    (void)jr_buf_adds(out, ", allowed: ");
    for (size_t i = 0; i < values->n; i++) {
        (void)jr_buf_adds(out, i > 0 ? ", " : "");
        add_quoted(out, values->v[i]);
    }
}

/** Names the policy that may have put the value there. */
static void add_setter(const struct jr_evaluation *e, enum jr_limited_field field,
                       struct jr_buf *out)
{
    const struct jr_job_policy *setter = jr_policy_default_of(
        e->r->context, e->policy, e->r->job.labels, field, e->is.v[field].v, e->is.v[field].text);

    if (setter != NULL)
        (void)jr_buf_addf(out, ", the default of policy \"%.*s\"", JR_P(setter->name));
}

/* ---- fields ---- */

void jr_limit_rule_write(const struct jr_limit *l, struct jr_buf *out)
{
    (void)jr_buf_addf(out, LIMIT_RULE, jr_limited_fields[l->field].name);
}

static void add_limit(struct jr_evaluation *e, const struct jr_limit *l, bool no_worse,
                      const struct jr_buf *message)
{
    struct jr_field_path room[3];
    char rule[64];

    (void)snprintf(rule, sizeof(rule), LIMIT_RULE, jr_limited_fields[l->field].name);
    jr_evaluation_add(e, &(struct jr_policy_finding){ .rule = jr_str(rule), .of = l },
                      jr_limited_path(l->field, e->r->spec, room), no_worse, message);
}

static void check_required(struct jr_evaluation *e, const struct jr_limit *l)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    if (jr_bool_or(l->required, false) && !e->is.v[l->field].set) {
        (void)jr_buf_adds(&message, "must be set");
        add_limit(e, l, !e->was.v[l->field].set, &message);
    } else if (l->forbidden && e->is.v[l->field].set) {
        (void)jr_buf_adds(&message, "must not be true");
        add_limit(e, l, e->was.v[l->field].set, &message);
    }
}

static void check_range(struct jr_evaluation *e, const struct jr_limit *l)
{
    const int64_t is = e->is.v[l->field].v, was = e->was.v[l->field].v;
    const bool was_set = e->was.v[l->field].set, less = l->min.set && is < l->min.v;
    JR_BUF message = { 0 };

    if (!less && !(l->max.set && is > l->max.v))
        return;
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    (void)jr_buf_addf(&message, "is %lld", (long long)is);
    add_setter(e, l->field, &message);
    (void)jr_buf_addf(&message, ", at %s %lld allowed", less ? "least" : "most",
                      (long long)(less ? l->min.v : l->max.v));
    add_limit(e, l, was_set && (less ? is >= was : is <= was), &message);
}

static void check_values(struct jr_evaluation *e, const struct jr_limit *l)
{
    const struct jr_str is = e->is.v[l->field].text, was = e->was.v[l->field].text;
    JR_BUF message = { 0 };

    if (l->values.n == 0 || jr_strs_has(&l->values, is))
        return;
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    (void)jr_buf_adds(&message, "is ");
    add_quoted(&message, is);
    add_setter(e, l->field, &message);
    add_allowed(&message, &l->values);
    add_limit(e, l, jr_str_eq(is, was), &message);
}

void jr_evaluation_limit(struct jr_evaluation *e, const struct jr_limit *l)
{
    check_required(e, l);
    if (!e->is.v[l->field].set)
        return;
    if (jr_limited_fields[l->field].kind == JR_LIMITED_INT)
        check_range(e, l);
    else if (jr_limited_fields[l->field].kind == JR_LIMITED_TEXT)
        check_values(e, l);
}

/* ---- labels and annotations ---- */

const char *jr_limited_map_name(enum jr_limited_map map)
{
    static const char *const names[] = { "labels", "annotations", "template.labels" };

    return names[map];
}

void jr_key_limit_rule_write(const struct jr_key_limit *l, struct jr_buf *out)
{
    (void)jr_buf_addf(out, LIMIT_RULE "[%.*s]", jr_limited_map_name(l->map), JR_P(l->key));
}

/** Finds the value of the limit's key; n = 0: absent or empty. */
static struct jr_str value_of(const struct jr_key_limit *l, const struct jr_policy_job *job)
{
    static const char *const maps[] = { "metadata.labels", "metadata.annotations",
                                        "spec.template.metadata.labels" };

    return jr_node_str(jr_getn(jr_path(job->root, maps[l->map]), l->key));
}

static void add_key(struct jr_evaluation *e, const struct jr_key_limit *l, bool no_worse,
                    const struct jr_buf *message)
{
    const bool of_template = l->map == JR_LIMITED_TEMPLATE_LABELS;
    const struct jr_field_path template = JR_FIELD(e->r->spec, "template");
    const struct jr_field_path metadata =
        JR_FIELD(of_template ? &template : e->r->spec->parent, "metadata");
    const struct jr_field_path map =
        JR_FIELD(&metadata, l->map == JR_LIMITED_ANNOTATIONS ? "annotations" : "labels");
    JR_BUF rule = { 0 };

    jr_buf_init(&rule, JR_EVALUATION_TEXT_MAX);
    jr_key_limit_rule_write(l, &rule);
    if (rule.failed != JR_OK)
        e->failed = JR_NOMEM;
    else
        jr_evaluation_add(e, &(struct jr_policy_finding){ .rule = jr_buf_str(&rule), .of = l },
                          &JR_FIELD_KEY(&map, l->key), no_worse, message);
}

void jr_evaluation_key(struct jr_evaluation *e, const struct jr_key_limit *l)
{
    const struct jr_str is = value_of(l, &e->r->job);
    const struct jr_str was = e->compares ? value_of(l, &e->r->old) : (struct jr_str){ NULL, 0 };
    JR_BUF message = { 0 };

    if (l->map == JR_LIMITED_TEMPLATE_LABELS && e->extent != JR_EXTENT_ALL)
        return;
    if (is.n == 0 ? !l->required : l->values.n == 0 || jr_globs_match(&l->values, is))
        return;
    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    if (is.n == 0) {
        (void)jr_buf_adds(&message, "must be set");
    } else {
        (void)jr_buf_adds(&message, "is ");
        add_quoted(&message, jr_field_shown(is, VALUE_SHOWN));
    }
    if (l->values.n > 0)
        add_allowed(&message, &l->values);
    add_key(e, l, jr_str_eq(is, was), &message);
}
