/* SPDX-License-Identifier: Apache-2.0 */
/* Some Jobs in each turn of the loop, from a list of keys. */
#include "controller/status_dump.h"

#include "controller/explain.h"
#include "controller/reconcile/sync.h"

#define TEXT_MAX ((size_t)64 << 10)

struct jr_status_dump {
    struct jr_loop *loop;
    struct jr_state *state;
    const struct jr_runner *runner;
    struct jr_log *log;
    struct jr_timer *timer;
    struct jr_buf keys; /* each with a newline behind it */
    size_t at;
    size_t told;
};

struct jr_status_dump *jr_status_dump_new(struct jr_loop *loop, struct jr_state *state,
                                          struct jr_log *log)
{
    struct jr_status_dump *t = jr_xcalloc(1, sizeof(*t));

    t->loop = loop;
    t->state = state;
    t->log = log;
    jr_buf_init(&t->keys, JR_BUF_BY_INPUT);
    return t;
}

void jr_status_dump_stop(struct jr_status_dump *t)
{
    jr_timer_cancel(t->loop, &t->timer);
    jr_buf_done(&t->keys);
    t->runner = NULL;
}

void jr_status_dump_free(struct jr_status_dump *t)
{
    if (t == NULL)
        return;
    jr_status_dump_stop(t);
    free(t);
}

/** What /debug/jobs says of it, and the sentences of that on their own. */
static void log_job(struct jr_status_dump *t, struct jr_str key)
{
    struct jr_now now = jr_now_of(t->loop);
    JR_BUF state = { 0 };
    JR_BUF why = { 0 };

    jr_buf_init(&state, TEXT_MAX);
    jr_buf_init(&why, TEXT_MAX);
    jr_explain_why(t->state, t->runner, key, now, &why);
    jr_explain_job(t->state, t->runner, key, now, &state);
    if (why.failed != JR_OK || state.failed != JR_OK)
        return;
    jr_answer(t->log, "why a job waits", JR_JOB(key), JR_STR("why", jr_buf_str(&why)),
              JR_STR("state", jr_buf_str(&state)));
    t->told++;
}

static void on_turn(void *ctx)
{
    struct jr_status_dump *t = ctx;
    struct jr_str rest = jr_str_from(jr_buf_str(&t->keys), t->at), key;
    struct jr_deadline turn = jr_loop_deadline(t->loop);

    t->timer = NULL;
    while (jr_str_cut(&rest, '\n', &key)) {
        log_job(t, key);
        if (jr_deadline_over(&turn))
            break;
    }
    t->at = t->keys.n - rest.n;
    if (rest.n > 0) {
        jr_xloop_after(t->loop, 0, on_turn, t, &t->timer);
        return;
    }
    jr_answer(t->log, "that was why jobs wait", JR_INT("jobs", t->told));
    jr_status_dump_stop(t);
}

void jr_status_dump_start(struct jr_status_dump *t, const struct jr_runner *runner)
{
    const struct jr_cache *jobs = jr_store_cache(t->state->store, JR_STORE_JOBS);

    jr_status_dump_stop(t);
    t->runner = runner;
    t->at = 0;
    t->told = 0;
    for (const struct jr_cache_entry *e = jr_cache_next(jobs, NULL); e != NULL;
         e = jr_cache_next(jobs, e)) {
        const struct jr_job *job = e->object;

        if (jr_job_is_ours(job, &t->state->options) && !jr_job_finished(&job->status))
            jr_must(jr_buf_addf(&t->keys, "%.*s/%.*s\n", JR_P(job->meta.namespace),
                                JR_P(job->meta.name)));
    }
    jr_xloop_after(t->loop, 0, on_turn, t, &t->timer);
}
