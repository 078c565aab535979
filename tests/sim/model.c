/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/model.h"

#include "tests/sim/model_parts.h"

/* Another's Job: no Pod of it is ours, and its status is as it was made. */
static bool is_untouched(const struct sim_view *v)
{
    const struct jr_job_status *st = &sim_last(v)->status;

    if (st->conditions.n > 0 || jr_time_set(st->start_time) || st->active != 0 ||
        st->uncounted.set || st->ready.set || st->terminating.set)
        return sim_wrong(v->why, "another's Job has a status");
    for (size_t i = 0; i < v->n_pods; i++) {
        for (size_t k = 0; k < v->pods[i].n; k++)
            if (sim_owned(sim_last(v), v->pods[i].v[k]))
                return sim_wrong(v->why, "another's Job has Pod %.*s", JR_P(v->pods[i].life->uid));
    }
    return true;
}

bool sim_model_agrees(const struct sim_history *h, struct jr_buf *why)
{
    static bool (*const checks[])(struct sim_view *) = {
        sim_check_counting, sim_check_removals, sim_check_indexes,    sim_check_creations,
        sim_check_finish,   sim_check_delays,   sim_check_promptness, sim_check_rest,
    };
    struct sim_view v;
    bool right = sim_view_init(&v, h, why);

    if (right && h->external)
        right = is_untouched(&v);
    for (size_t i = 0; right && !h->external && i < JR_ARRAY_SIZE(checks); i++)
        right = checks[i](&v);
    sim_view_done(&v);
    return right;
}
