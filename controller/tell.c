#include "controller/tell.h"

#include "controller/explain.h"
#include "controller/reconcile/sync.h"

#define KEYS_MAX ((size_t)1 << 30)
#define TEXT_MAX ((size_t)64 << 10)

struct jr_teller {
    struct jr_loop *loop;
    const struct jr_state *state;
    const struct jr_runner *runner;
    struct jr_log *log;
    struct jr_timer *timer;
    struct jr_buf keys; /* each with a newline behind it */
    size_t at;
    size_t told;
};

enum jr_status jr_teller_new(struct jr_loop *loop, const struct jr_state *state, struct jr_log *log,
                             struct jr_teller **ret)
{
    struct jr_teller *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return JR_NOMEM;
    t->loop = loop;
    t->state = state;
    t->log = log;
    jr_buf_init(&t->keys, KEYS_MAX);
    *ret = t;
    return JR_OK;
}

void jr_teller_stop(struct jr_teller *t)
{
    jr_timer_cancel(t->loop, &t->timer);
    jr_buf_done(&t->keys);
    jr_buf_init(&t->keys, KEYS_MAX);
    t->runner = NULL;
}

void jr_teller_free(struct jr_teller *t)
{
    if (t == NULL)
        return;
    jr_teller_stop(t);
    free(t);
}

static enum jr_status note(void *ctx, const struct jr_job *job)
{
    struct jr_teller *t = ctx;

    if (!jr_job_is_ours(job, &t->state->options) || jr_job_finished(&job->status))
        return JR_OK;
    return jr_buf_addf(&t->keys, "%.*s/%.*s\n", JR_P(job->meta.namespace), JR_P(job->meta.name));
}

/** What /debug/jobs says of it, and the sentences of that on their own. */
static void tell(struct jr_teller *t, struct jr_str key)
{
    struct jr_now now = jr_now_of(t->loop);
    JR_BUF state = { 0 };
    JR_BUF why = { 0 };

    jr_buf_init(&state, TEXT_MAX);
    jr_buf_init(&why, TEXT_MAX);
    if (jr_explain_why(t->state, t->runner, key, now, &why) != JR_OK ||
        jr_explain_job(t->state, t->runner, key, now, &state) != JR_OK)
        return;
    jr_answer(t->log, "why a job waits", JR_JOB(key), JR_STR("why", jr_buf_str(&why)),
              JR_STR("state", jr_buf_str(&state)));
    t->told++;
}

static void on_turn(void *ctx)
{
    struct jr_teller *t = ctx;
    struct jr_str rest = jr_str_from(jr_buf_str(&t->keys), t->at), key;
    struct jr_deadline turn = jr_loop_deadline(t->loop);

    t->timer = NULL;
    while (jr_str_cut(&rest, '\n', &key)) {
        if (key.n > 0)
            tell(t, key);
        if (jr_deadline_over(&turn))
            break;
    }
    t->at = t->keys.n - rest.n;
    if (rest.n > 0 && jr_loop_after(t->loop, 0, on_turn, t, &t->timer) == JR_OK)
        return;
    jr_answer(t->log, "that was why jobs wait", JR_INT("jobs", t->told));
    jr_teller_stop(t);
}

enum jr_status jr_teller_start(struct jr_teller *t, const struct jr_runner *runner)
{
    enum jr_status st;

    jr_teller_stop(t);
    t->runner = runner;
    t->at = 0;
    t->told = 0;
    st = jr_store_each_job(t->state->store, note, t);
    if (st == JR_OK)
        st = jr_loop_after(t->loop, 0, on_turn, t, &t->timer);
    if (st != JR_OK)
        jr_teller_stop(t);
    return st;
}
