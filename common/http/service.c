/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a program that runs until it is told to stop. */
#include "common/http/service.h"

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "common/base/flags_show.h"
#include "common/base/memory.h"

#define SETTINGS_MAX ((size_t)16 << 10)

struct jr_log *jr_service_log(int level, int format, const char *component)
{
    struct jr_log *log;

    (void)signal(SIGPIPE, SIG_IGN);
    jr_must(jr_log_new(STDERR_FILENO, (enum jr_log_level)level, (enum jr_log_format)format,
                       component, &jr_clock_system, &log));
    return log;
}

static void stop(void *ctx, int signo)
{
    (void)signo;
    jr_loop_stop(ctx);
}

#define MAPPED_FROM (128 * 1024)

/** Has free memory given back early: great bodies are mapped and unmapped at their end, and a heap
 * (each thread has one) keeps no more than this above what is in use. Left alone, the C library
 * raises both limits with what it sees. No other thread runs yet. */
static void tune_malloc(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_FROM); /* NOLINT(concurrency-mt-unsafe) */
    (void)mallopt(M_TRIM_THRESHOLD, MAPPED_FROM); /* NOLINT(concurrency-mt-unsafe) */
}

enum jr_status jr_service_open(struct jr_service *s, struct jr_log *log,
                               void (*on_terminate)(void *ctx, int signo), void *ctx,
                               struct jr_error *err)
{
    static const int signals[] = { SIGTERM, SIGINT };
    enum jr_status st;

    tune_malloc();
    st = jr_loop_new(&jr_clock_system, &s->loop, err);
    s->log = log;
    for (size_t i = 0; i < JR_ARRAY_SIZE(signals) && st == JR_OK; i++)
        st = jr_loop_signal(s->loop, signals[i], on_terminate != NULL ? on_terminate : stop,
                            on_terminate != NULL ? ctx : s->loop, err);
    if (st == JR_OK && jr_metrics_new(&s->metrics) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "metrics");
    return st;
}

enum jr_status jr_service_listen(struct jr_service *s, const struct jr_flag_addr *health,
                                 jr_listener_fn *on_probe, const struct jr_flag_addr *metrics,
                                 jr_listener_fn *on_metrics, void *ctx, struct jr_error *err)
{
    const struct jr_listener_service probes = {
        .loop = s->loop,
        .log = s->log,
        .flag = "--health-probe-bind-address",
        .name = "health",
        .fn = on_probe,
        .ctx = ctx,
    };
    const struct jr_listener_service counts = {
        .loop = s->loop,
        .log = s->log,
        .flag = "--metrics-bind-address",
        .name = "metrics",
        .fn = on_metrics,
        .ctx = ctx,
        .tls = s->metrics_tls,
    };
    enum jr_status st = jr_listener_serve(&probes, health, &s->health, err);

    return st == JR_OK ? jr_listener_serve(&counts, metrics, &s->metrics_listener, err) : st;
}

int jr_service_metrics(const struct jr_service *s, struct jr_buf *body,
                       const char **ret_content_type)
{
    *ret_content_type = "text/plain; version=0.0.4; charset=utf-8";
    return jr_metrics_render(s->metrics, body) == JR_OK ? 200 : 500;
}

void jr_service_settings(const struct jr_flags *flags, const void *config, struct jr_buf *out)
{
    jr_buf_init(out, SETTINGS_MAX);
    if (jr_flags_show(flags, config, out) != JR_OK)
        (void)jr_buf_adds(out, "...");
}

void jr_service_starting(struct jr_log *log, const struct jr_flags *flags, const void *config)
{
    JR_BUF settings = { 0 };

    jr_service_settings(flags, config, &settings);
    jr_info(log, "starting", JR_CSTR("version", JR_VERSION),
            JR_STR("settings", jr_buf_str(&settings)));
}

int jr_service_run(struct jr_service *s, enum jr_status started, struct jr_error *err)
{
    enum jr_status st;

    if (started != JR_OK) {
        jr_err(s->log, "not started", JR_ERR(err));
        return started == JR_NOMEM ? 1 : 2;
    }
    st = jr_loop_run(s->loop, err);
    if (st == JR_OK && s->failed == JR_OK)
        return 0;
    jr_err(s->log, "failed", JR_ERR(err));
    return 1;
}

void jr_service_fail(struct jr_service *s, enum jr_status why)
{
    s->failed = why;
    jr_loop_stop(s->loop);
}

void jr_service_done(struct jr_service *s)
{
    jr_listener_free(s->health);
    jr_listener_free(s->metrics_listener);
    jr_loop_free(s->loop);
    jr_metrics_free(s->metrics);
}
