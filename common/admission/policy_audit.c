/* SPDX-License-Identifier: Apache-2.0 */
/* Tallies of findings, by policy, with the worst object of each. */
#include "common/admission/policy_audit.h"

#include <stdlib.h>

#include "common/admission/policies.h"
#include "common/base/utf8.h"

#define EXCLUDED " (the webhook is not asked in this namespace)"

enum jr_status jr_policy_audit_init(struct jr_policy_audit *a, const struct jr_policy_set *set)
{
    *a = (struct jr_policy_audit){ set, calloc(set->n > 0 ? set->n : 1, sizeof(*a->v)), 0 };
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

static enum jr_status add_violating(struct jr_policy_tally *t, const struct violations *found,
                                    const struct jr_policy_audited *object, struct jr_arena *arena)
{
    const struct jr_node *meta = jr_get(object->root, "metadata");
    const char *message =
        jr_arena_printf(arena, "%.*s: %.*s%s", JR_P(found->v->field), JR_P(found->v->message),
                        object->excluded ? EXCLUDED : "");
    const struct jr_policy_worst w = {
        .kind = jr_str(object->kind->kind),
        .namespace = jr_get_str(meta, "namespace"),
        .name = jr_get_str(meta, "name"),
        .rule = found->v->rule,
        .message = jr_str(message),
        .violations = found->n,
    };

    t->violating++;
    return message == NULL ? JR_NOMEM : keep_worst(t, &w);
}

static enum jr_status add_findings(struct jr_policy_audit *a,
                                   const struct jr_policy_audited *object,
                                   const struct jr_policy_findings *f)
{
    enum jr_status st = JR_OK;
    size_t from = 0;

    for (size_t i = 0; i < f->n_matches && st == JR_OK; i++) {
        const struct jr_policy_match *m = &f->matches[i];
        struct jr_policy_tally *t = &a->v[m->at];
        const struct violations found = { f->v + from, jr_policy_findings_of(f, from, m->policy) };

        from += found.n;
        t->checked++;
        if (found.n > 0)
            st = add_violating(t, &found, object, f->arena);
    }
    return st;
}

void jr_policy_audit_skip(struct jr_policy_audit *a)
{
    a->unreadable++;
    for (size_t i = 0; i < a->set->n; i++)
        a->v[i].skipped++;
}

enum jr_status jr_policy_audit_add(struct jr_policy_audit *a,
                                   const struct jr_policy_audited *object,
                                   const struct jr_policy_context *context,
                                   const struct jr_profile *profile)
{
    const struct jr_admission_request r = { .kind = object->kind,
                                            .operation = JR_ADMISSION_CREATE,
                                            .source = JR_ADMISSION_SERVED,
                                            .profile = profile,
                                            .object = object->root,
                                            .policies = context };
    struct jr_error why = { .status = JR_OK };
    struct jr_admission_result result;
    JR_OBJECT_OPEN opened = { .root = NULL };
    JR_ARENA arena = { 0 };
    enum jr_status st = jr_object_open(object->kind->schema, object->root, 0, &opened, &why);

    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK) {
        jr_policy_audit_skip(a);
        return JR_OK;
    }
    jr_arena_init(&arena, 0);
    jr_admission_result_init(&result, &arena);
    st = jr_admission_evaluate_policies(&r, &opened, NULL, &result);
    if (st == JR_NOMEM)
        return st;
    if (st != JR_OK) { /* the Job that a CronJob would make is none */
        jr_policy_audit_skip(a);
        return JR_OK;
    }
    for (size_t i = 0; i < result.policies.n_undecided; i++)
        a->v[result.policies.undecided[i]].skipped++;
    return add_findings(a, object, &result.policies);
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
    jr_w_ki64(w, "skipped", (int64_t)t->skipped);
    jr_w_karray(w, "worst");
    for (size_t i = 0; i < t->n_worst; i++)
        write_worst(t->worst[i], message_max, w);
    jr_w_array_end(w);
}
