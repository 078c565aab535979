/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a one-shot command, and the command that removes the webhook. */
#include "webhook/commands/one_shot.h"

#include <signal.h>

#include "common/base/memory.h"
#include "common/base/signals.h"
#include "common/kube/deployment_check.h"
#include "webhook/commands/remove.h"

/* ---- the process ---- */

static void on_signal(void *ctx, int signo)
{
    struct jr_one_shot *e = ctx;

    jr_err(e->log, "broken off", JR_CSTR("signal", jr_signal_text(signo)), JR_ERR(&e->late));
    jr_one_shot_end(e, 1);
}

static void on_deadline(void *ctx)
{
    struct jr_one_shot *e = ctx;

    e->deadline = NULL;
    jr_err(e->log, "not done in time, given up", JR_ERR(&e->late));
    jr_one_shot_end(e, 1);
}

enum jr_status jr_one_shot_begin(struct jr_one_shot *e, const struct jr_webhook_api_options *where,
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
        st = jr_webhook_api_open(&e->api, e->loop, where, NULL, err);
    if (st == JR_OK)
        jr_xloop_after(e->loop, timeout_ms * JR_MSEC, on_deadline, e, &e->deadline);
    return jr_need(st);
}

void jr_one_shot_waits(struct jr_one_shot *e, const struct jr_error *why)
{
    e->late = *why;
}

void jr_one_shot_end(struct jr_one_shot *e, int code)
{
    e->code = code;
    jr_loop_stop(e->loop);
}

int jr_one_shot_run(struct jr_one_shot *e)
{
    struct jr_error err = { .status = JR_OK };

    if (jr_loop_run(e->loop, &err) == JR_OK)
        return e->code;
    jr_err(e->log, "failed", JR_ERR(&err));
    return 1;
}

void jr_one_shot_done(struct jr_one_shot *e)
{
    if (e->loop != NULL)
        jr_timer_cancel(e->loop, &e->deadline);
    jr_webhook_api_done(&e->api);
    jr_loop_free(e->loop);
}

int jr_one_shot_failed(struct jr_log *log, const struct jr_error *err)
{
    jr_err(log, "not begun", JR_ERR(err));
    return 2;
}

/* ---- removing ---- */

struct removal {
    struct jr_one_shot e;
    struct jr_deployment_check *check; /* NULL: none is asked for */
    struct jr_remover *remover;
};

static void removal_done(struct removal *r)
{
    jr_deployment_check_free(r->check);
    jr_remover_free(r->remover);
    jr_one_shot_done(&r->e);
}

static void on_removed(void *ctx)
{
    struct removal *r = ctx;

    jr_info(r->e.log, "all is removed", JR_NONE);
    jr_one_shot_end(&r->e, 0);
}

static void on_waiting(void *ctx, const struct jr_error *why)
{
    struct removal *r = ctx;

    jr_one_shot_waits(&r->e, why);
}

static void on_ours(void *ctx)
{
    struct removal *r = ctx;

    jr_remover_start(r->remover);
}

static void on_not_ours(void *ctx, const struct jr_error *why)
{
    struct removal *r = ctx;

    jr_err(r->e.log, "refused, nothing is removed", JR_ERR(why));
    jr_one_shot_end(&r->e, 1);
}

/** First it is asked whether this may be. */
static void begin_removal(struct removal *r, const struct jr_webhook_remove_options *o)
{
    struct jr_log *log = r->e.log;
    const struct jr_remover_options what = { .configuration = o->webhook_configuration,
                                             .namespace = r->e.api.namespace,
                                             .deployment = o->deployment,
                                             .keeper_deployment = o->keeper_deployment,
                                             .secret = o->tls_secret };
    const struct jr_remover_handler handler = { on_removed, on_waiting, r };
    const struct jr_deployment_check_handler asked = { on_ours, on_not_ours, on_waiting, r };

    r->remover = jr_remover_new(&r->e.api.env, &what, &handler, log);
    if (o->deployment_annotation == NULL)
        jr_remover_start(r->remover);
    else
        r->check = jr_deployment_check_start(&r->e.api.env, r->e.api.namespace, o->deployment,
                                             o->deployment_annotation, &asked, log);
}

int jr_webhook_remove(const struct jr_webhook_remove_options *options, struct jr_log *log)
{
    JR_CLEANUP(removal_done) struct removal r = { .e = { .code = 1 } };
    struct jr_error err = { .status = JR_OK };

    if (jr_one_shot_begin(&r.e, &options->api, options->timeout_ms, log, &err) != JR_OK)
        return jr_one_shot_failed(log, &err);
    begin_removal(&r, options);
    return jr_one_shot_run(&r.e);
}
