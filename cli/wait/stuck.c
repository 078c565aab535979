/* SPDX-License-Identifier: Apache-2.0 */
/* A Job's diagnosis, for one who waits for the Job. */
#include "cli/wait/stuck.h"

struct jr_evidence *jr_wait_evidence_new(bool events)
{
    static const char *const kinds[] = {
        "Node",     "PersistentVolumeClaim",        "Workload",
        "PodGroup", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"
    };
    struct jr_evidence *ev = jr_evidence_new();

    for (size_t i = 0; i < JR_ARRAY_SIZE(kinds); i++)
        jr_evidence_note_unseen(ev, kinds[i], JR_S("not asked for"));
    if (!events)
        jr_evidence_note_unseen(ev, "Event", JR_S("not listed yet"));
    return ev;
}

static bool has_running(const struct jr_diagnosis *d)
{
    for (size_t i = 0; i < d->n_causes; i++) {
        if (strcmp(d->causes[i].id, "running") == 0)
            return true;
    }
    return false;
}

bool jr_wait_is_stuck(const struct jr_evidence *ev, const struct jr_job *job, struct jr_time now,
                      struct jr_buf *why)
{
    JR_CLEANUP(jr_diagnosis_freep)
    struct jr_diagnosis *d = jr_diagnose(ev, "Job", job->meta.namespace, job->meta.name, now);

    if (d == NULL || (d->verdict != JR_VERDICT_HAND && d->verdict != JR_VERDICT_NEVER) ||
        has_running(d))
        return false;
    (void)jr_buf_add(why, d->causes[0].text);
    if (d->n_next > 0)
        (void)jr_buf_addf(why, " Next: %.*s", JR_P(d->next[0].command));
    return true;
}
