/* SPDX-License-Identifier: Apache-2.0 */
/* Writes policy findings and defaults as audit annotations. */
#include "webhook/review/policy_annotations.h"

#include "common/json/write.h"

/* As much as of what was defaulted. */
#define NOTE_MAX ((size_t)10 << 10)
#define MORE_MAX 40 /* of the last element, which counts the others */

const struct jr_policy_context *jr_review_policy_context(const struct jr_admission_review *r,
                                                         const struct jr_review_settings *settings,
                                                         struct jr_policy_context *ret)
{
    const struct jr_review_policies *p = settings->policies;

    if (p == NULL)
        return NULL;
    *ret = (struct jr_policy_context){
        .set = p->set,
        .namespace = r->request.namespace,
        .namespace_known = p->namespace_labels != NULL,
        .by_queue = jr_strs_has(&settings->queues, r->request.username),
        .now = settings->now,
        .controller = jr_str(settings->controller_name),
        .trusted = settings->trusted_controllers,
    };
    if (p->namespace_labels != NULL)
        ret->namespace_labels = *p->namespace_labels;
    return ret;
}

const struct jr_policy_finding *jr_review_policy_denial(const struct jr_policy_findings *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->v[i].denies)
            return &f->v[i];
    }
    return NULL;
}

/* ---- annotations ---- */

/** Writes element i; false: it is none. */
typedef bool write_fn(const struct jr_admission_result *result, size_t i, struct jr_writer *w);

static void write_actions(const struct jr_job_policy *p, struct jr_writer *w)
{
    jr_w_karray(w, "validationActions");
    for (size_t i = 0; i < JR_POLICY_ACTIONS; i++) {
        if ((p->actions & jr_policy_actions[i].bit) != 0)
            jr_w_str(w, jr_str(jr_policy_actions[i].name));
    }
    jr_w_array_end(w);
}

static bool write_violation(const struct jr_admission_result *result, size_t i, struct jr_writer *w)
{
    const struct jr_policy_finding *f = &result->policies.v[i];

    if (!f->audits)
        return false;
    jr_w_object(w);
    jr_w_kstr(w, "policy", f->policy->name);
    jr_w_kstr(w, "rule", f->rule);
    jr_w_kstr(w, "field", f->field);
    jr_w_kstr(w, "message", f->message);
    write_actions(f->policy, w);
    jr_w_kbool(w, "denied", f->denies);
    jr_w_object_end(w);
    return true;
}

static bool write_default(const struct jr_admission_result *result, size_t i, struct jr_writer *w)
{
    const struct jr_policy_default_note *n = &result->policy_defaults.notes[i];

    jr_w_object(w);
    jr_w_kstr(w, "policy", n->policy->name);
    jr_w_kstr(w, "field", n->field);
    if (n->first != NULL)
        jr_w_kstr(w, "setBy", n->first->name);
    jr_w_object_end(w);
    return true;
}

static bool write_exception(const struct jr_admission_result *result, size_t i, struct jr_writer *w)
{
    const struct jr_policy_match *m = &result->policies.matches[i];
    char until[JR_TIME_MAX];

    if (m->exception == NULL)
        return false;
    jr_w_object(w);
    jr_w_kstr(w, "policy", m->policy->name);
    jr_w_kstr(w, "until", jr_str(jr_time_format(m->exception->until, until)));
    jr_w_kstr(w, "reason", m->exception->reason);
    jr_w_object_end(w);
    return true;
}

/** A list of elements, as many as there is room for, then how many more there are. *ret: n = 0
 * where there is none. */
static enum jr_status write_note(const struct jr_admission_result *result, size_t n, write_fn *fn,
                                 struct jr_str *ret)
{
    JR_BUF all = { 0 };
    size_t n_written = 0, more = 0;

    jr_buf_init(&all, NOTE_MAX + MORE_MAX);
    for (size_t i = 0; i < n; i++) {
        JR_BUF one = { 0 };
        struct jr_writer w = jr_writer_on(&one);

        jr_buf_init(&one, NOTE_MAX);
        if (!fn(result, i, &w))
            continue;
        if (one.failed == JR_NOMEM)
            return JR_NOMEM;
        if (one.failed != JR_OK || all.n + one.n + 2 > NOTE_MAX) {
            more++;
            continue;
        }
        (void)jr_buf_addc(&all, n_written++ == 0 ? '[' : ',');
        (void)jr_buf_add(&all, jr_buf_str(&one));
    }
    *ret = (struct jr_str){ NULL, 0 };
    if (n_written + more == 0)
        return JR_OK;
    if (more > 0)
        (void)jr_buf_addf(&all, "%c{\"more\":%zu}", n_written == 0 ? '[' : ',', more);
    (void)jr_buf_addc(&all, ']');
    if (all.failed != JR_OK || !jr_arena_str(result->arena, jr_buf_str(&all), ret))
        return JR_NOMEM;
    return JR_OK;
}

enum jr_status jr_review_policy_notes(const struct jr_admission_result *result,
                                      struct jr_label notes[JR_REVIEW_POLICY_NOTES], size_t *ret_n)
{
    struct jr_str text;
    enum jr_status st = write_note(result, result->policies.n, write_violation, &text);

    *ret_n = 0;
    if (st == JR_OK && text.n > 0)
        notes[(*ret_n)++] = (struct jr_label){ JR_S("policy-violations"), text };
    if (st == JR_OK)
        st = write_note(result, result->policies.n_matches, write_exception, &text);
    if (st == JR_OK && text.n > 0)
        notes[(*ret_n)++] = (struct jr_label){ JR_S("policy-exceptions"), text };
    if (st == JR_OK)
        st = write_note(result, result->policy_defaults.n, write_default, &text);
    if (st == JR_OK && text.n > 0)
        notes[(*ret_n)++] = (struct jr_label){ JR_S("policy-defaults"), text };
    return st;
}
