#include "webhook/errand.h"

#include <signal.h>

#include "webhook/remove.h"

/* ---- the process ---- */

static void on_signal(void *ctx, int signo)
{
    struct jr_errand *e = ctx;

    jr_err(e->log, "broken off", JR_INT("signal", signo), JR_ERR(&e->late));
    jr_errand_end(e, 1);
}

static void on_deadline(void *ctx)
{
    struct jr_errand *e = ctx;

    e->deadline = NULL;
    jr_err(e->log, "not done in time, given up", JR_ERR(&e->late));
    jr_errand_end(e, 1);
}

enum jr_status jr_errand_begin(struct jr_errand *e, const struct jr_webhook_options *options,
                               int64_t timeout_ms, struct jr_log *log, struct jr_error *err)
{
    enum jr_status st;

    e->log = log;
    e->code = 1;
    (void)jr_fail(&e->late, JR_TIMEOUT, NULL, "the API server has not answered yet");
    st = jr_loop_new(&jr_clock_system, &e->loop, err);
    if (st == JR_OK)
        st = jr_loop_signal(e->loop, SIGTERM, on_signal, e, err);
    if (st == JR_OK)
        st = jr_loop_signal(e->loop, SIGINT, on_signal, e, err);
    if (st == JR_OK)
        st = jr_webhook_api_open(&e->api, e->loop, options, err);
    if (st != JR_OK)
        return st;
    st = jr_loop_after(e->loop, timeout_ms * JR_MSEC, on_deadline, e, &e->deadline);
    return st == JR_OK ? st : jr_fail(err, st, NULL, "timer");
}

void jr_errand_waits(struct jr_errand *e, const struct jr_error *why)
{
    e->late = *why;
}

void jr_errand_end(struct jr_errand *e, int code)
{
    e->code = code;
    jr_loop_stop(e->loop);
}

int jr_errand_run(struct jr_errand *e)
{
    struct jr_error err = { .status = JR_OK };

    if (jr_loop_run(e->loop, &err) == JR_OK)
        return e->code;
    jr_err(e->log, "failed", JR_ERR(&err));
    return 1;
}

void jr_errand_done(struct jr_errand *e)
{
    if (e->loop != NULL)
        jr_timer_cancel(e->loop, &e->deadline);
    jr_webhook_api_done(&e->api);
    jr_loop_free(e->loop);
}

int jr_errand_not_begun(struct jr_log *log, enum jr_status st, const struct jr_error *err)
{
    jr_err(log, "not begun", JR_ERR(err));
    return st == JR_NOMEM ? 1 : 2;
}

/* ---- removing ---- */

static void on_removed(void *ctx)
{
    struct jr_errand *e = ctx;

    jr_info(e->log, "all is removed", JR_NONE);
    jr_errand_end(e, 0);
}

static void on_waiting(void *ctx, const struct jr_error *why)
{
    jr_errand_waits(ctx, why);
}

int jr_webhook_remove(const struct jr_webhook_options *options, struct jr_log *log)
{
    JR_CLEANUP(jr_errand_done) struct jr_errand e = { .code = 1 };
    struct jr_error err = { .status = JR_OK };
    struct jr_remover *remover = NULL;
    enum jr_status st = jr_errand_begin(&e, options, options->remove_timeout_ms, log, &err);
    const struct jr_remover_options what = { options->webhook_configuration, e.api.namespace,
                                             options->deployment, options->tls_secret };
    const struct jr_remover_handler handler = { on_removed, on_waiting, &e };

    if (st == JR_OK)
        st = jr_remover_new(&e.api.env, &what, &handler, log, &remover);
    if (st == JR_OK)
        st = jr_remover_start(remover);
    e.code = st == JR_OK ? jr_errand_run(&e) : jr_errand_not_begun(log, st, &err);
    jr_remover_free(remover);
    return e.code;
}
