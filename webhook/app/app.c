#include "webhook/app/app.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>

#include "common/base/flags_show.h"
#include "common/base/log.h"
#include "common/base/loop.h"
#include "common/base/signals.h"
#include "common/http/listener.h"
#include "webhook/certs/files.h"
#include "webhook/commands/errand.h"
#include "webhook/commands/keeper.h"
#include "webhook/metrics.h"
#include "webhook/net/own_certs.h"
#include "webhook/net/server.h"
#include "webhook/net/tls.h"

/* How often an ending server looks whether its last request is answered. */
#define DRAIN_NS (10 * JR_MSEC)
#define SETTINGS_MAX ((size_t)16 << 10)

struct app {
    const struct jr_webhook_options *options;
    struct jr_log *log;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_own_certs *own_certs; /* NULL: from files */
    int64_t skew_ns;                /* by how much our clock is ahead of the API server's */
    struct jr_tls_store *tls;       /* NULL until there is a certificate */
    struct jr_server *server;       /* the same */
    struct jr_listener *health;
    struct jr_listener *metrics_listener;
    struct jr_timer *reap;
    struct jr_files *files;
    struct jr_client_auth *clients;
    struct jr_timer *drain;
    bool stopping;
    struct jr_mono give_up; /* when requests in flight are given up */
    enum jr_status failed;
};

static void app_done(struct app *a)
{
    jr_server_free(a->server); /* joins the threads that use the rest */
    jr_listener_free(a->health);
    jr_listener_free(a->metrics_listener);
    jr_own_certs_free(a->own_certs);
    jr_files_free(a->files);
    jr_loop_free(a->loop);
    jr_tls_store_free(a->tls);
    jr_client_auth_free(a->clients);
    jr_metrics_free(a->metrics);
    jr_log_free(a->log);
}

/** Sets a timer again; without memory for it the program can't go on as promised. */
static void after(struct app *a, int64_t ns, void (*fn)(void *ctx), struct jr_timer **t)
{
    enum jr_status st;

    jr_timer_cancel(a->loop, t);
    st = jr_loop_after(a->loop, ns, fn, a, t);
    if (st != JR_OK) {
        a->failed = st;
        jr_loop_stop(a->loop);
    }
}

/* ---- probes ---- */

/** Why we are not ready; NULL: we are. */
static const char *not_ready(struct app *a)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = NULL;
    struct jr_time now;

    if (a->stopping)
        return "stopping";
    if (a->server == NULL)
        return "there is no serving certificate yet";
    c = jr_tls_store_get(a->tls);
    now.ns = jr_loop_wall(a->loop).ns - a->skew_ns; /* it is the API server's that counts */
    if (jr_time_cmp(now, jr_tls_cred_not_after(c)) >= 0)
        return "the serving certificate has expired";
    return NULL;
}

static int on_probe(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                    const char **ret_content_type)
{
    const char *why = NULL;

    (void)query;
    *ret_content_type = "text/plain; charset=utf-8";
    if (jr_str_is(path, "/readyz"))
        why = not_ready(ctx);
    else if (!jr_str_is(path, "/healthz") && !jr_str_is(path, "/livez"))
        return 404;
    if (jr_buf_addf(body, "%s\n", why == NULL ? "ok" : why) != JR_OK)
        return 500;
    return why == NULL ? 200 : 503;
}

static int on_metrics(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                      const char **ret_content_type)
{
    struct app *a = ctx;
    struct jr_webhook_gauges g;

    (void)query;
    if (!jr_str_is(path, "/metrics"))
        return 404;
    *ret_content_type = "text/plain; version=0.0.4; charset=utf-8";
    if (a->server != NULL) {
        jr_server_gauges(a->server, &g);
        jr_webhook_metrics_gauges(a->metrics, &g);
    }
    return jr_metrics_render(a->metrics, body) == JR_OK ? 200 : 500;
}

/* ---- timers and signals ---- */

static void on_reap(void *ctx)
{
    struct app *a = ctx;
    int64_t wait_ns;

    a->reap = NULL;
    jr_server_reap(a->server, &wait_ns);
    jr_log_tick(a->log);
    after(a, wait_ns, on_reap, &a->reap);
}

static void note_reload(struct app *a, const char *what, enum jr_status st, bool changed,
                        const struct jr_error *err)
{
    if (st != JR_OK) {
        jr_webhook_metrics_reload(a->metrics, false);
        jr_warn(a->log, "not reloaded, the old one stays", JR_CSTR("what", what), JR_ERR(err));
    } else if (changed) {
        jr_webhook_metrics_reload(a->metrics, true);
        jr_info(a->log, "reloaded", JR_CSTR("what", what));
    }
}

static void on_files(void *ctx)
{
    struct app *a = ctx;
    struct jr_error err = { .status = JR_OK };
    bool changed = false;
    enum jr_status st;

    if (a->own_certs == NULL) {
        st = jr_tls_store_reload(a->tls, &changed, &err);
        note_reload(a, "certificate", st, changed, &err);
    }
    changed = false;
    if (a->clients != NULL) {
        st = jr_client_auth_reload(a->clients, &changed, &err);
        if (changed && a->server != NULL)
            jr_server_distrust(a->server);
        note_reload(a, "client CA", st, changed, &err);
    }
}

static void on_hangup(void *ctx, int signo)
{
    struct app *a = ctx;

    (void)signo;
    jr_files_hurry(a->files);
}

static void on_drained(void *ctx)
{
    struct app *a = ctx;
    size_t left = jr_server_in_flight(a->server);

    a->drain = NULL;
    if (left > 0 && jr_loop_mono(a->loop).ns < a->give_up.ns) {
        after(a, DRAIN_NS, on_drained, &a->drain);
        return;
    }
    if (left > 0)
        jr_warn(a->log, "requests given up", JR_INT("requests", left));
    jr_loop_stop(a->loop);
}

static void on_drain(void *ctx)
{
    struct app *a = ctx;

    a->drain = NULL;
    jr_info(a->log, "no longer accepting", JR_INT("inFlight", jr_server_in_flight(a->server)));
    jr_server_stop_accepting(a->server);
    a->give_up.ns = jr_loop_mono(a->loop).ns + a->options->request_timeout_ms * JR_MSEC;
    on_drained(a);
}

/** Not ready at once; the endpoints' controllers and the clients need a while to learn it, so we
 * serve on. A second signal ends that while. */
static void on_terminate(void *ctx, int signo)
{
    struct app *a = ctx;

    if (a->stopping && a->give_up.ns != 0)
        return;
    if (a->server == NULL) {
        jr_loop_stop(a->loop);
        return;
    }
    jr_info(a->log, a->stopping ? "stopping now" : "stopping",
            JR_CSTR("signal", jr_signal_text(signo)),
            JR_INT("delayMs", a->stopping ? 0 : a->options->shutdown_delay_ms));
    jr_server_close_after_answers(a->server);
    after(a, a->stopping ? 0 : a->options->shutdown_delay_ms * JR_MSEC, on_drain, &a->drain);
    a->stopping = true;
}

/* ---- starting ---- */

static enum jr_status serve(struct app *a, const char *flag, const struct jr_flag_addr *at,
                            const char *name, jr_listener_fn *fn, struct jr_listener **ret,
                            struct jr_error *err)
{
    const struct jr_listener_service service = { a->loop, a->log, flag, name, fn, a };

    return jr_listener_serve(&service, at, ret, err);
}

static enum jr_status handle_signals(struct app *a, struct jr_error *err)
{
    enum jr_status st = jr_loop_signal(a->loop, SIGTERM, on_terminate, a, err);

    if (st == JR_OK)
        st = jr_loop_signal(a->loop, SIGINT, on_terminate, a, err);
    if (st == JR_OK)
        st = jr_loop_signal(a->loop, SIGHUP, on_hangup, a, err);
    return st;
}

/** Serves by the certificate that there is now. */
static enum jr_status serve_webhook(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    enum jr_status st =
        jr_server_start(a->loop, o, a->tls, a->clients, a->metrics, a->log, &a->server, err);

    if (st != JR_OK)
        return st;
    jr_info(a->log, "serving", JR_CSTR("listener", "webhook"),
            JR_CSTR("address", jr_server_address(a->server)), JR_INT("threads", o->threads));
    on_reap(a);
    return a->failed;
}

static void on_cred(void *ctx, struct jr_tls_cred *cred)
{
    struct app *a = ctx;
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    if (a->tls != NULL) {
        jr_tls_store_put(a->tls, cred);
        jr_webhook_metrics_reload(a->metrics, true);
        jr_info(a->log, "certificate replaced", JR_NONE);
        return;
    }
    st = jr_tls_store_of(cred, &a->tls);
    if (st != JR_OK)
        jr_tls_cred_unref(cred);
    else
        st = serve_webhook(a, &err);
    if (st == JR_OK)
        return;
    jr_err(a->log, "not started", JR_ERR(&err));
    a->failed = st;
    jr_loop_stop(a->loop);
}

static void on_cred_failure(void *ctx)
{
    struct app *a = ctx;

    jr_webhook_metrics_reload(a->metrics, false);
}

static void on_skew(void *ctx, int64_t skew_ns)
{
    struct app *a = ctx;

    a->skew_ns = skew_ns;
    jr_webhook_metrics_skew(a->metrics, skew_ns);
}

/** What is read from files, and watched. */
static enum jr_status watch_files(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    const char *const names[] = { o->cert_file, o->key_file, o->client_ca_file };
    enum jr_status st = JR_OK;

    if (o->client_ca_file != NULL)
        st = jr_client_auth_new(o->client_ca_file, &o->client_names, &a->clients, err);
    if (st == JR_OK &&
        jr_files_new(a->loop, names, JR_ARRAY_SIZE(names), on_files, a, &a->files) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "files");
    return st;
}

/** Finds the certificate; where it is in a Secret, serving begins when it is there. */
static enum jr_status begin_serving(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    const struct jr_own_certs_handler handler = { on_cred, on_cred_failure, on_skew, a };
    enum jr_status st;

    if (o->tls_secret != NULL)
        return jr_own_certs_start(a->loop, o, &handler, a->log, &a->own_certs, err);
    st = jr_tls_store_new(o->cert_file, o->key_file, &a->tls, err);
    return st == JR_OK ? serve_webhook(a, err) : st;
}

static void say_start(const struct app *a)
{
    JR_BUF settings = { 0 };

    jr_buf_init(&settings, SETTINGS_MAX);
    if (jr_flags_show(&jr_webhook_flags, a->options, &settings) != JR_OK)
        (void)jr_buf_adds(&settings, "...");
    jr_info(a->log, "starting", JR_CSTR("version", JR_VERSION),
            JR_STR("settings", jr_buf_str(&settings)));
}

/** Loads, listens, and says where. Signals come first: the server's threads must inherit the mask.
 */
static enum jr_status start(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    enum jr_status st = jr_loop_new(&jr_clock_system, &a->loop, err);

    if (st == JR_OK)
        st = handle_signals(a, err);
    if (st == JR_OK && jr_metrics_new(&a->metrics) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "metrics");
    if (st != JR_OK)
        return st;
    say_start(a);
    jr_webhook_metrics_init(a->metrics);
    st = watch_files(a, err);
    if (st == JR_OK)
        st = begin_serving(a, err);
    if (st == JR_OK)
        st = serve(a, "--health-probe-bind-address", &o->health, "health", on_probe, &a->health,
                   err);
    if (st == JR_OK)
        st = serve(a, "--metrics-bind-address", &o->metrics, "metrics", on_metrics,
                   &a->metrics_listener, err);
    return st == JR_OK ? a->failed : st;
}

#define MAPPED_FROM (128 * 1024)

/** What is free is given back early: great bodies are mapped and unmapped at their end, and a heap
 * (each thread has one) keeps no more than this above what is in use. Left alone, the C library
 * raises both limits with what it sees. No other thread runs yet. */
static void tune_malloc(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_FROM); /* NOLINT(concurrency-mt-unsafe) */
    (void)mallopt(M_TRIM_THRESHOLD, MAPPED_FROM); /* NOLINT(concurrency-mt-unsafe) */
}

static int run(struct app *a)
{
    struct jr_error err = { .status = JR_OK };
    enum jr_status st = start(a, &err);

    if (st != JR_OK) {
        jr_err(a->log, "not started", JR_ERR(&err));
        return st == JR_NOMEM ? 1 : 2;
    }
    st = jr_loop_run(a->loop, &err);
    if (st == JR_OK)
        st = a->failed;
    if (st != JR_OK) {
        jr_err(a->log, "failed", JR_ERR(&err));
        return 1;
    }
    jr_info(a->log, "stopped", JR_NONE);
    return 0;
}

int jr_webhook_run(struct jr_webhook_options *options)
{
    JR_CLEANUP(app_done) struct app a = { .options = options };

    (void)signal(SIGPIPE, SIG_IGN);
    tune_malloc();
    if (jr_log_new(STDERR_FILENO, (enum jr_log_level)options->log_level,
                   (enum jr_log_format)options->log_format, "webhook", &jr_clock_system,
                   &a.log) != JR_OK) {
        (void)fprintf(stderr, "%s: out of memory\n", jr_webhook_flags.program);
        return 1;
    }
    if (options->remove)
        return jr_webhook_remove(options, a.log);
    if (options->keeper)
        return jr_webhook_keep(options, a.log);
    return options->self_test ? jr_webhook_self_test(options, a.log) : run(&a);
}
