/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies of findings, by policy, with the worst object of each. */
#include "common/admission/policy_audit.h"

#include <stdlib.h>

#include "common/admission/policies.h"
#include "common/base/utf8.h"

#define KEPT_MAX ((size_t)2 << 30) /* bytes of entries */
#define EXCLUDED " (the webhook is not asked in this namespace)"

enum jr_status jr_policy_audit_init(struct jr_policy_audit *a, const struct jr_policy_set *set,
                                    bool keeps)
{
    *a = (struct jr_policy_audit){ .set = set,
                                   .v = calloc(set->n > 0 ? set->n : 1, sizeof(*a->v)),
                                   .keeps = keeps };
    jr_arena_init(&a->arena, KEPT_MAX);
    return a->v == NULL ? JR_NOMEM : JR_OK;
}

void jr_policy_audit_done(struct jr_policy_audit *a)
{
    for (size_t i = 0; a->v != NULL && i < a->set->n; i++) {
        for (size_t k = 0; k < a->v[i].n_worst; k++)
            free(a->v[i].worst[k]);
    }
    free(a->v);
    a->v = NULL;
    jr_arena_done(&a->arena);
    a->first = a->last = NULL;
}

/* ---- entries ---- */

/** Keeps a copy, if the audit keeps any. */
static enum jr_status keep_entry(struct jr_policy_audit *a, struct jr_policy_audit_entry e)
{
    struct jr_policy_audit_entry *copy;

    if (!a->keeps)
        return JR_OK;
    copy = jr_arena_calloc(&a->arena, 1, sizeof(*copy));
    if (copy == NULL || !jr_arena_str(&a->arena, e.where, &e.where) ||
        !jr_arena_str(&a->arena, e.kind, &e.kind) ||
        !jr_arena_str(&a->arena, e.namespace, &e.namespace) ||
        !jr_arena_str(&a->arena, e.name, &e.name) || !jr_arena_str(&a->arena, e.rule, &e.rule) ||
        !jr_arena_str(&a->arena, e.message, &e.message))
        return JR_NOMEM;
    *copy = e;
    *(a->last == NULL ? &a->first : &a->last->next) = copy;
    a->last = copy;
    return JR_OK;
}

/** Whose entry it is. One that has no name yet goes by what its name begins with. */
static enum jr_status init_entry(struct jr_policy_audit_entry *e,
                                 const struct jr_policy_audited *object, struct jr_arena *arena)
{
    const struct jr_node *meta = jr_get(object->root, "metadata");

    *e = (struct jr_policy_audit_entry){ .where = object->where,
                                         .kind = jr_str(object->kind->kind),
                                         .namespace = jr_get_str(meta, "namespace"),
                                         .name = jr_get_str(meta, "name") };
    if (e->namespace.n == 0)
        e->namespace = JR_S("default");
    if (e->name.n == 0)
        e->name = jr_str(jr_arena_printf(arena, "%.*s*", JR_P(jr_get_str(meta, "generateName"))));
    return e->name.p == NULL ? JR_NOMEM : JR_OK;
}

/* ---- the worst ---- */

/** All in one piece. */
static struct jr_policy_worst *copy_worst(const struct jr_policy_worst *w)
{
    struct jr_policy_worst *copy =
        malloc(sizeof(*copy) + w->kind.n + w->namespace.n + w->name.n + w->rule.n + w->message.n);
    char *to;

    if (copy == NULL)
        return NULL;
    to = (char *)(copy + 1);
    copy->kind = jr_str_put(&to, w->kind);
    copy->namespace = jr_str_put(&to, w->namespace);
    copy->name = jr_str_put(&to, w->name);
    copy->rule = jr_str_put(&to, w->rule);
    copy->message = jr_str_put(&to, w->message);
    copy->violations = w->violations;
    return copy;
}

static bool is_before(const struct jr_policy_worst *a, const struct jr_policy_worst *b)
{
    int c;

    if (a->violations != b->violations)
        return a->violations > b->violations;
    c = jr_str_cmp(a->namespace, b->namespace);
    if (c == 0)
        c = jr_str_cmp(a->name, b->name);
    return (c == 0 ? jr_str_cmp(a->kind, b->kind) : c) < 0;
}

static enum jr_status keep_worst(struct jr_policy_tally *t, const struct jr_policy_worst *w)
{
    struct jr_policy_worst *copy;
    size_t at = t->n_worst;

    while (at > 0 && is_before(w, t->worst[at - 1]))
        at--;
    if (at == JR_POLICY_WORST_MAX)
        return JR_OK;
    copy = copy_worst(w);
    if (copy == NULL)
        return JR_NOMEM;
    if (t->n_worst == JR_POLICY_WORST_MAX)
        free(t->worst[--t->n_worst]);
    memmove(t->worst + at + 1, t->worst + at, (t->n_worst - at) * sizeof(struct jr_policy_worst *));
    t->worst[at] = copy;
    t->n_worst++;
    return JR_OK;
}

/* ---- an object ---- */

/** The findings of one policy. */
struct violations {
    const struct jr_policy_finding *v;
    size_t n;
};

/** Writes what is told of one. */
static enum jr_status message_of(const struct jr_policy_finding *f, bool excluded,
                                 struct jr_arena *arena, struct jr_str *ret)
{
    const char *text = jr_arena_printf(arena, "%.*s: %.*s%s", JR_P(f->field), JR_P(f->message),
                                       excluded ? EXCLUDED : "");

    *ret = jr_str(text);
    return text == NULL ? JR_NOMEM : JR_OK;
}

static enum jr_status keep_all(struct jr_policy_audit *a, const struct violations *found,
                               struct jr_policy_audit_entry e, bool excluded,
                               struct jr_arena *arena)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; a->keeps && i < found->n && st == JR_OK; i++) {
        e.rule = found->v[i].rule;
        st = message_of(&found->v[i], excluded, arena, &e.message);
        if (st == JR_OK)
            st = keep_entry(a, e);
    }
    return st;
}

/** e: whose they are, and of which policy. */
static enum jr_status add_violating(struct jr_policy_audit *a, const struct violations *found,
                                    const struct jr_policy_audit_entry *e, bool excluded,
                                    struct jr_arena *arena)
{
    struct jr_policy_tally *t = &a->v[e->policy];
    struct jr_policy_worst w = {
        .kind = e->kind,
        .namespace = e->namespace,
        .name = e->name,
        .rule = found->v->rule,
        .violations = found->n,
    };
    enum jr_status st = keep_all(a, found, *e, excluded, arena);

    if (st == JR_OK)
        st = message_of(found->v, excluded, arena, &w.message);
    if (st != JR_OK)
        return st;
    if (e->finished) {
        t->finished_violating++;
        return JR_OK;
    }
    t->violating++;
    return keep_worst(t, &w);
}

static enum jr_status add_findings(struct jr_policy_audit *a, struct jr_policy_audit_entry e,
                                   const struct jr_policy_findings *f, bool excluded)
{
    enum jr_status st = JR_OK;
    size_t from = 0;

    for (size_t i = 0; i < f->n_matches && st == JR_OK; i++) {
        const struct jr_policy_match *m = &f->matches[i];
        const struct violations found = { f->v + from, jr_policy_findings_of(f, from, m->policy) };

        e.policy = m->at;
        from += found.n;
        *(e.finished ? &a->v[m->at].finished : &a->v[m->at].checked) += 1;
        if (found.n > 0)
            st = add_violating(a, &found, &e, excluded, f->arena);
    }
    return st;
}

/** Counts the policies that can't be decided on an object. */
static enum jr_status add_undecided(struct jr_policy_audit *a, struct jr_policy_audit_entry e,
                                    const struct jr_policy_findings *f)
{
    enum jr_status st = JR_OK;

    e.skipped = true;
    e.message = JR_S("the labels of its namespace are not known");
    for (size_t i = 0; i < f->n_undecided && st == JR_OK; i++) {
        e.policy = f->undecided[i];
        a->v[e.policy].skipped++;
        st = keep_entry(a, e);
    }
    return st;
}

enum jr_status jr_policy_audit_skip(struct jr_policy_audit *a,
                                    const struct jr_policy_audited *object, const char *why)
{
    struct jr_policy_audit_entry e;
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    a->unreadable++;
    for (size_t i = 0; i < a->set->n; i++)
        a->v[i].skipped++;
    if (init_entry(&e, object, &arena) != JR_OK)
        return JR_NOMEM;
    e.policy = JR_POLICY_ALL;
    e.skipped = true;
    e.message = jr_str(why);
    return keep_entry(a, e);
}

enum jr_status jr_policy_audit_add(struct jr_policy_audit *a,
                                   const struct jr_policy_audited *object,
                                   const struct jr_policy_context *context,
                                   const struct jr_profile *profile)
{
    struct jr_policy_context stored = *context;
    const struct jr_admission_request r = { .kind = object->kind,
                                            .operation = JR_ADMISSION_CREATE,
                                            .source = JR_ADMISSION_SERVED,
                                            .profile = profile,
                                            .object = object->root,
                                            .policies = &stored };
    struct jr_error why = { .status = JR_OK };
    struct jr_admission_result result;
    struct jr_policy_audit_entry e;
    JR_OBJECT_OPEN opened = { .root = NULL };
    JR_ARENA arena = { 0 };
    enum jr_status st = jr_object_open(object->kind->schema, object->root, 0, &opened, &why);

    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return jr_policy_audit_skip(a, object, why.msg);
    stored.stored = true;
    jr_arena_init(&arena, 0);
    jr_admission_result_init(&result, &arena);
    st = jr_admission_evaluate_policies(&r, &opened, NULL, &result);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK)
        return jr_policy_audit_skip(a, object, "the Job that it would make is none");
    st = init_entry(&e, object, &arena);
    e.finished = object->kind == &jr_admission_job && jr_job_finished(&opened.job->status);
    if (st == JR_OK)
        st = add_undecided(a, e, &result.policies);
    return st == JR_OK ? add_findings(a, e, &result.policies, object->excluded) : st;
}

/* ---- what is written ---- */

static void write_worst(const struct jr_policy_worst *worst, size_t message_max,
                        struct jr_writer *w)
{
    jr_w_object(w);
    jr_w_kstr(w, "kind", worst->kind);
    jr_w_kstr(w, "namespace", worst->namespace);
    jr_w_kstr(w, "name", worst->name);
    jr_w_kstr(w, "rule", worst->rule);
    jr_w_kstr(w, "message", jr_utf8_head(worst->message, message_max));
    jr_w_object_end(w);
}

void jr_policy_tally_write(const struct jr_policy_tally *t, size_t message_max, struct jr_writer *w)
{
    jr_w_ki64(w, "checked", (int64_t)t->checked);
    jr_w_ki64(w, "violating", (int64_t)t->violating);
    jr_w_kobject(w, "finished");
    jr_w_ki64(w, "checked", (int64_t)t->finished);
    jr_w_ki64(w, "violating", (int64_t)t->finished_violating);
    jr_w_object_end(w);
    jr_w_ki64(w, "skipped", (int64_t)t->skipped);
    jr_w_karray(w, "worst");
    for (size_t i = 0; i < t->n_worst; i++)
        write_worst(t->worst[i], message_max, w);
    jr_w_array_end(w);
}
