/* SPDX-License-Identifier: Apache-2.0 */
/* Checks spec.podSecurity: each level and version once for a request. */
#include "common/policy/evaluation.h"

/** The violations of a level by the new or the old template. */
struct jr_known_pod_security {
    struct jr_known_pod_security *next;
    struct jr_pod_security standard;
    bool old;
    struct jr_pod_security_faults faults;
};

static const struct jr_pod_security_faults *faults_of(struct jr_evaluation *e,
                                                      const struct jr_pod_security *s, bool old)
{
    const struct jr_policy_job *job = old ? &e->r->old : &e->r->job;
    struct jr_known_pod_security *k = e->pod_security;

    while (k != NULL &&
           (k->old != old || k->standard.level != s->level || k->standard.minor != s->minor))
        k = k->next;
    if (k != NULL)
        return &k->faults;
    k = jr_arena_alloc(e->out->arena, sizeof(*k));
    if (k == NULL || jr_pod_security_check(s, jr_path(job->root, "spec.template"), e->out->arena,
                                           &k->faults) != JR_OK) {
        e->failed = JR_NOMEM;
        return NULL;
    }
    k->standard = *s;
    k->old = old;
    k->next = e->pod_security;
    e->pod_security = k;
    return &k->faults;
}

/** Takes the next name or setting off the front of a detail: what stands in quotes, with them, or a
 * word with '='. False: there is none. */
static bool next_part(struct jr_str *detail, struct jr_str *ret)
{
    struct jr_str word;

    while (detail->n > 0) {
        if (detail->p[0] == '"') {
            const ptrdiff_t end = jr_str_find(jr_str_from(*detail, 1), '"');

            *ret = jr_str_head(*detail, end < 0 ? detail->n : (size_t)end + 2);
            *detail = jr_str_from(*detail, ret->n);
            return true;
        }
        word = *detail;
        for (word.n = 0; word.n < detail->n && strchr(" ,;()\"", detail->p[word.n]) == NULL;)
            word.n++;
        *detail = jr_str_from(*detail, word.n > 0 ? word.n : 1);
        *ret = word;
        if (jr_str_find(word, '=') >= 0)
            return true;
    }
    return false;
}

/** Whether each container, volume and setting that the detail names is in the other, too. */
static bool is_part_of(struct jr_str detail, struct jr_str other)
{
    struct jr_str part, known;

    while (next_part(&detail, &part)) {
        struct jr_str rest = other;
        bool found = false;

        while (!found && next_part(&rest, &known))
            found = jr_str_eq(part, known);
        if (!found)
            return false;
    }
    return true;
}

/** Whether the old template violates the check by as much. A detail may have been cut. */
static bool was_no_better(const struct jr_pod_security_faults *was,
                          const struct jr_pod_security_fault *f)
{
    for (size_t i = 0; was != NULL && i < was->n; i++) {
        if (was->v[i].check == f->check)
            return jr_str_eq(f->detail, was->v[i].detail) ||
                   (f->detail.n < JR_POD_SECURITY_DETAIL_MAX &&
                    is_part_of(f->detail, was->v[i].detail));
    }
    return false;
}

static void add_fault(struct jr_evaluation *e, const struct jr_policy_pod_security *p,
                      const struct jr_pod_security *s, const struct jr_pod_security_fault *f,
                      bool no_worse)
{
    JR_BUF message = { 0 };

    jr_buf_init(&message, JR_EVALUATION_TEXT_MAX);
    (void)jr_buf_adds(&message, "violates PodSecurity \"");
    jr_pod_security_write(s, &message);
    (void)jr_buf_adds(&message, "\"");
    if (s->minor == JR_POD_SECURITY_LATEST)
        (void)jr_buf_addf(&message, " (v1.%u)", JR_POD_SECURITY_NEWEST);
    (void)jr_buf_addf(&message, ": %.*s (%.*s)", JR_P(f->reason), JR_P(f->detail));
    jr_evaluation_add(e, &p->rule, &JR_FIELD(e->r->spec, "template"), no_worse, &message);
}

void jr_evaluation_pod_security(struct jr_evaluation *e, const struct jr_policy_pod_security *p)
{
    const struct jr_pod_security s =
        p->of_namespace ? jr_pod_security_of_namespace(&e->r->context->namespace_labels)
                        : p->standard;
    const struct jr_pod_security_faults *is = faults_of(e, &s, false), *was = NULL;

    if (is != NULL && e->compares)
        was = faults_of(e, &s, true);
    for (size_t i = 0; is != NULL && e->failed == JR_OK && i < is->n; i++)
        add_fault(e, p, &s, &is->v[i], was_no_better(was, &is->v[i]));
}
