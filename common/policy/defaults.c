/* SPDX-License-Identifier: Apache-2.0 */
/* spec.defaults of policies, set in Jobs that are made. */
#include "common/base/string_set.h"
#include "common/job/defaults.h"
#include "common/pod/defaults.h"
#include "common/policy/evaluation.h"

struct setting {
    const struct jr_policy_context *c;
    struct jr_node *job;
    struct jr_node *spec;
    struct jr_policy_defaulted *out;
    /* Whose default each field has. */
    const struct jr_job_policy *by[JR_LIMITED_FIELDS];
    bool was_absent[JR_LIMITED_FIELDS];
    struct jr_string_set keys[2]; /* labels that were set: of the Job, of the template */
    enum jr_status failed;
};

/* ---- notes ---- */

/** first: who had set the field; NULL: p has. */
static void note(struct setting *s, const struct jr_job_policy *p,
                 const struct jr_job_policy *first, struct jr_str field)
{
    struct jr_policy_defaulted *out = s->out;
    struct jr_policy_default_note *v =
        jr_arena_room(out->arena, out->notes, out->n, &out->cap, sizeof(*v));

    if (v == NULL) {
        s->failed = JR_NOMEM;
        return;
    }
    out->notes = v;
    out->notes[out->n++] = (struct jr_policy_default_note){ p, first, field };
    out->n_set += first == NULL;
}

static void note_label(struct setting *s, const struct jr_job_policy *p,
                       const struct jr_job_policy *first, struct jr_str key, bool of_template)
{
    const char *field =
        jr_arena_printf(s->out->arena, "%slabels[%.*s]", of_template ? "template." : "", JR_P(key));

    if (field == NULL)
        s->failed = JR_NOMEM;
    else
        note(s, p, first, jr_str(field));
}

/* ---- numbers and texts ---- */

/** Whether the field has what an API server gives it where the author says nothing. */
static bool has_server_default(const struct jr_node *spec, enum jr_limited_field f,
                               const struct jr_node *node)
{
    const bool per_index = !jr_unset(jr_get(spec, "backoffLimitPerIndex"));
    int64_t v = 0;

    if (f == JR_LIMITED_POD_REPLACEMENT_POLICY) /* with a podFailurePolicy nothing else is valid */
        return jr_unset(jr_get(spec, "podFailurePolicy")) &&
               jr_str_is(jr_node_str(node), "TerminatingOrFailed");
    if (jr_node_i64(node, &v) != JR_OK)
        return false;
    if (f == JR_LIMITED_BACKOFF_LIMIT)
        return v == jr_default_backoff_limit(per_index);
    return f == JR_LIMITED_POD_GRACE && v == JR_DEFAULT_GRACE_S;
}

static bool is_open(const struct setting *s, const struct jr_policy_default *d,
                    const struct jr_node *node)
{
    if (jr_unset(node))
        return true;
    if (jr_limited_fields[d->field].kind == JR_LIMITED_TEXT && jr_node_str(node).n == 0)
        return true;
    return d->overrides && has_server_default(s->spec, d->field, node);
}

static bool has_value(const struct jr_policy_default *d, const struct jr_node *node)
{
    int64_t v;

    if (jr_limited_fields[d->field].kind == JR_LIMITED_TEXT)
        return jr_str_eq(jr_node_str(node), d->text);
    return jr_node_i64(node, &v) == JR_OK && v == d->v;
}

enum jr_status jr_policy_default_write(const struct jr_policy_default *d, struct jr_node *spec)
{
    const struct jr_limited_field_info *info = &jr_limited_fields[d->field];
    struct jr_node *parent = spec;
    enum jr_status st = JR_OK;

    if (info->of_template)
        st = jr_ensure_object(spec, "template", &parent);
    if (st == JR_OK && info->of_template)
        st = jr_ensure_object(parent, "spec", &parent);
    if (st != JR_OK)
        return st;
    return info->kind == JR_LIMITED_TEXT ? jr_set_str(parent, info->leaf, d->text)
                                         : jr_set_i64(parent, info->leaf, d->v);
}

static void set_field(struct setting *s, const struct jr_job_policy *p,
                      const struct jr_policy_default *d)
{
    const struct jr_node *node = jr_limited_node(d->field, s->spec);

    if (s->by[d->field] != NULL) {
        if (!has_value(d, node) && (d->overrides || s->was_absent[d->field]))
            note(s, p, s->by[d->field], jr_str(jr_limited_fields[d->field].name));
        return;
    }
    if (!is_open(s, d, node))
        return;
    s->by[d->field] = p;
    s->was_absent[d->field] = jr_unset(node);
    if (has_value(d, node))
        return;
    s->failed = jr_policy_default_write(d, s->spec);
    if (s->failed == JR_OK)
        note(s, p, NULL, jr_str(jr_limited_fields[d->field].name));
}

/* ---- labels ---- */

/** Which of the policies before has set the label. */
static const struct jr_job_policy *setter_of(const struct setting *s, const struct jr_job_policy *p,
                                             struct jr_str key, bool of_template)
{
    for (size_t i = 0; i < s->c->set->n && s->c->set->v[i] != p; i++) {
        const struct jr_job_policy *at = s->c->set->v[i];
        const struct jr_labels *labels =
            of_template ? &at->defaults.template_labels : &at->defaults.labels;

        if (jr_labels_get(labels, key).p != NULL)
            return at;
    }
    return p;
}

static void set_label(struct setting *s, const struct jr_job_policy *p, struct jr_node *labels,
                      const struct jr_label *l, bool of_template)
{
    const struct jr_node *node = jr_getn(labels, l->key);

    if (node == NULL) {
        s->failed = jr_set_strn(labels, l->key, l->value);
        if (s->failed == JR_OK)
            (void)jr_string_set_add(&s->keys[of_template], l->key);
        if (s->failed == JR_OK)
            note_label(s, p, NULL, l->key, of_template);
        return;
    }
    if (!jr_string_set_has(&s->keys[of_template], l->key) || jr_str_eq(jr_node_str(node), l->value))
        return;
    note_label(s, p, setter_of(s, p, l->key, of_template), l->key, of_template);
}

enum jr_status jr_policy_default_labels(struct jr_node *job, bool of_template, struct jr_node **ret)
{
    static const char *const path[] = { "spec", "template", "metadata", "labels" };
    enum jr_status st = JR_OK;

    *ret = job;
    for (size_t i = of_template ? 0 : 2; st == JR_OK && i < JR_ARRAY_SIZE(path); i++)
        st = jr_ensure_object(*ret, path[i], ret);
    return st;
}

static void set_labels(struct setting *s, const struct jr_job_policy *p,
                       const struct jr_labels *defaults, bool of_template)
{
    struct jr_node *labels;

    if (defaults->n == 0)
        return;
    s->failed = jr_policy_default_labels(s->job, of_template, &labels);
    for (size_t i = 0; s->failed == JR_OK && i < defaults->n; i++)
        set_label(s, p, labels, &defaults->v[i], of_template);
}

/* ---- all policies ---- */

static void apply(struct setting *s, const struct jr_job_policy *p)
{
    for (size_t i = 0; s->failed == JR_OK && i < p->defaults.n; i++)
        set_field(s, p, &p->defaults.v[i]);
    if (s->failed == JR_OK)
        set_labels(s, p, &p->defaults.labels, false);
    if (s->failed == JR_OK)
        set_labels(s, p, &p->defaults.template_labels, true);
}

/** Whether all that defaults are set in is an object, or absent. Decoding refuses other Jobs. */
static bool can_be_set(const struct jr_node *job)
{
    static const char *const paths[] = {
        "metadata",           "metadata.labels",
        "spec.template",      "spec.template.metadata",
        "spec.template.spec", "spec.template.metadata.labels",
    };

    for (size_t i = 0; i < JR_ARRAY_SIZE(paths); i++) {
        const struct jr_node *node = jr_path(job, paths[i]);

        if (!jr_unset(node) && jr_node_kind(node) != JR_OBJECT)
            return false;
    }
    return jr_node_kind(jr_get(job, "spec")) == JR_OBJECT;
}

enum jr_status jr_policy_set_defaults(const struct jr_policy_context *c, struct jr_node *job,
                                      struct jr_arena *arena, struct jr_policy_defaulted *ret)
{
    struct setting s = { .c = c, .job = job, .spec = jr_get(job, "spec"), .out = ret };
    struct jr_errlist errs;
    struct jr_labels labels;
    const struct jr_policy_job subject = { .root = job, .labels = &labels };
    bool *matches;

    *ret = (struct jr_policy_defaulted){ .arena = arena };
    if (c->set->n == 0 || !can_be_set(job))
        return JR_OK;
    for (size_t i = 0; i < JR_ARRAY_SIZE(s.keys); i++)
        s.keys[i] = (struct jr_string_set){ .arena = arena, .status = &s.failed };
    matches = jr_arena_calloc(arena, c->set->n, sizeof(*matches));
    jr_errlist_init(&errs, arena);
    labels = jr_string_map(jr_path(job, "metadata.labels"), &errs);
    if (matches == NULL || errs.failed != JR_OK)
        return JR_NOMEM;
    /* All before any default: what is set mustn't decide what matches. */
    for (size_t i = 0; i < c->set->n; i++) {
        bool needed = false;

        matches[i] = c->set->v[i]->unusable.n == 0 &&
                     jr_policy_matches(c->set->v[i], c, JR_OPERATION_CREATE, &subject, &needed);
        ret->n_undecided += needed;
    }
    for (size_t i = 0; s.failed == JR_OK && i < c->set->n; i++) {
        if (matches[i])
            apply(&s, c->set->v[i]);
    }
    return s.failed;
}
