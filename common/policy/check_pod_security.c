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

/** Whether the old template violates the check by as much, at the same places. */
static bool was_no_better(const struct jr_pod_security_faults *was,
                          const struct jr_pod_security_fault *f)
{
    for (size_t i = 0; was != NULL && i < was->n; i++) {
        if (was->v[i].check == f->check)
            return jr_pod_security_is_part_of(f, &was->v[i]);
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
