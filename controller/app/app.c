#include "controller/app/app.h"

#include <signal.h>
#include <stdio.h>

#include "common/base/flags_show.h"
#include "common/base/signals.h"
#include "common/curl/curl.h"
#include "common/http/listener.h"
#include "common/kube/deployment_check.h"
#include "common/kube/request.h"
#include "common/kube/rest.h"
#include "common/kube/scale_down.h"
#include "controller/controller.h"
#include "controller/key.h"

#define LOG_TICK_NS (10 * JR_SEC)
#define SETTINGS_MAX ((size_t)16 << 10)

struct app {
    const struct jr_controller_config *config;
    struct jr_log *log;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_kube_config kube;
    struct jr_curl *curl;
    struct jr_rest *rest; /* over curl */
    struct jr_controller *controller;
    struct jr_listener *health;
    struct jr_listener *metrics_listener;
    struct jr_deployment_check *check; /* with --release; then scale_down */
    struct jr_scale_down *scale_down;
    struct jr_timer *deadline; /* with --release */
    struct jr_timer *tick;
    struct jr_error scaling; /* what that waits for */
    char identity[128];
    bool stopping;
    int code;
};

static const char *const turn_labels[] = { "clock", NULL };
static const struct jr_metric_desc longest_turn = {
    .name = "jobreeve_loop_longest_turn_seconds",
    .help = "The longest turn of the event loop since the start, for which all else had to wait.",
    .kind = JR_GAUGE,
    .labels = turn_labels,
};

static void app_done(struct app *a)
{
    jr_listener_free(a->health);
    jr_listener_free(a->metrics_listener);
    jr_deployment_check_free(a->check);
    jr_scale_down_free(a->scale_down);
    if (a->loop != NULL) {
        jr_timer_cancel(a->loop, &a->deadline);
        jr_timer_cancel(a->loop, &a->tick);
    }
    jr_controller_free(a->controller);
    jr_rest_free(a->rest);
    jr_curl_free(a->curl);
    jr_kube_config_done(&a->kube);
    jr_loop_free(a->loop);
    jr_metrics_free(a->metrics);
    jr_log_free(a->log);
}

/* ---- what it is asked ---- */

/** query: "key=NAMESPACE/NAME", the slash perhaps escaped. */
static int explain(const struct app *a, struct jr_str query, struct jr_buf *body,
                   const char **ret_content_type)
{
    JR_BUF key = { 0 };

    jr_buf_init(&key, JR_KEY_MAX);
    if (!jr_str_starts(query, JR_S("key=")) ||
        jr_url_unescape(jr_str_from(query, 4), &key) != JR_OK ||
        jr_str_find(jr_buf_str(&key), '/') <= 0) {
        (void)jr_buf_adds(body, "expected ?key=NAMESPACE/NAME\n");
        return 400;
    }
    *ret_content_type = "application/json";
    jr_controller_explain(a->controller, jr_buf_str(&key), body);
    if (body->failed != JR_OK)
        return 500;
    (void)jr_buf_adds(body, "\n");
    return 200;
}

/** In words, also about the API server, without which nothing else comes right. */
static int ready(const struct app *a, struct jr_buf *body)
{
    const struct jr_error *trouble = jr_curl_trouble(a->curl);
    struct jr_error why = { 0 };

    if (jr_controller_ready(a->controller, &why)) {
        (void)jr_buf_adds(body, "ok");
        return 200;
    }
    (void)jr_buf_addf(body, "not ready: %s", why.msg);
    if (trouble != NULL && strstr(why.msg, trouble->msg) == NULL)
        (void)jr_buf_addf(body, "; %s", trouble->msg);
    return 503;
}

static int on_probe(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                    const char **ret_content_type)
{
    const struct app *a = ctx;

    if (a->config->debug_jobs && jr_str_is(path, "/debug/jobs"))
        return explain(a, query, body, ret_content_type);
    if (jr_str_is(path, "/readyz"))
        return ready(a, body);
    if (jr_str_is(path, "/healthz") || jr_str_is(path, "/livez")) {
        (void)jr_buf_adds(body, "ok");
        return 200;
    }
    (void)jr_buf_adds(body, "not found");
    return 404;
}

static void measure_loop(const struct app *a)
{
    struct jr_turn_longest longest = jr_loop_longest(a->loop);
    const char *const wall = "wall", *const cpu = "cpu";

    jr_metrics_set(a->metrics, &longest_turn, &wall, (double)longest.ns / (double)JR_SEC);
    jr_metrics_set(a->metrics, &longest_turn, &cpu, (double)longest.cpu_ns / (double)JR_SEC);
}

static int on_metrics(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                      const char **ret_content_type)
{
    const struct app *a = ctx;

    (void)query;
    if (!jr_str_is(path, "/metrics")) {
        (void)jr_buf_adds(body, "not found");
        return 404;
    }
    measure_loop(a);
    jr_controller_measure(a->controller);
    *ret_content_type = "text/plain; version=0.0.4; charset=utf-8";
    return jr_metrics_render(a->metrics, body) == JR_OK ? 200 : 500;
}

/* ---- what it is told ---- */

static void on_end(void *ctx, int code)
{
    struct app *a = ctx;

    a->code = a->config->release && a->stopping ? 1 : code; /* broken off */
    jr_loop_stop(a->loop);
}

/** The second signal does not wait any more. */
static void on_signal(void *ctx, int signo)
{
    struct app *a = ctx;

    jr_info(a->log, "signal", JR_CSTR("signal", jr_signal_text(signo)));
    if (a->stopping || a->scale_down != NULL) {
        on_end(a, 1);
        return;
    }
    a->stopping = true;
    jr_controller_stop(a->controller);
}

static void on_ask(void *ctx, int signo)
{
    const struct app *a = ctx;

    (void)signo;
    jr_controller_tell(a->controller);
}

/* ---- making ---- */

/** <hostname>_<uuid>, as client-go has it. */
static void make_identity(struct app *a)
{
    char host[65] = "";
    uint64_t hi = jr_rand_system.next(jr_rand_system.self);
    uint64_t lo = jr_rand_system.next(jr_rand_system.self);

    (void)gethostname(host, sizeof(host) - 1);
    (void)snprintf(a->identity, sizeof(a->identity), "%s_%08x-%04x-4%03x-%04x-%012llx", host,
                   (unsigned)(hi >> 32), (unsigned)(hi >> 16 & 0xffff), (unsigned)(hi & 0xfff),
                   (unsigned)(lo >> 48 & 0x3fff) | 0x8000,
                   (unsigned long long)(lo & 0xffffffffffff));
}

static const char *lease_namespace(const struct app *a)
{
    if (a->config->lease_namespace != NULL)
        return a->config->lease_namespace;
    if (a->kube.namespace != NULL && strcmp(a->kube.source, "in-cluster") == 0)
        return a->kube.namespace;
    return "jobreeve-system";
}

static enum jr_status make_controller(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_env env = { a->loop, jr_rand_system, jr_rest_transport(a->rest) };
    const struct jr_controller_handler handler = { on_end, a };
    const struct jr_controller_options o = {
        .reconcile = c->reconcile,
        .namespaces = c->namespaces.v,
        .n_namespaces = c->namespaces.n,
        .leader_elect = c->leader_elect,
        .election = { .namespace = lease_namespace(a),
                      .name = c->lease_name,
                      .identity = a->identity,
                      .lease_duration_ms = c->lease_duration_ms,
                      .renew_deadline_ms = c->renew_deadline_ms,
                      .retry_period_ms = c->retry_period_ms,
                      .release_on_stop = true },
        .concurrent_syncs = (size_t)c->concurrent_syncs,
        .max_inflight = (size_t)c->max_inflight,
        .ttl_after_finished = c->ttl_after_finished && !c->release,
        .leave = c->release,
    };

    make_identity(a);
    return jr_controller_new(&env, &o, &handler, a->log, a->metrics, &a->controller, err);
}

static enum jr_status connect_api(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    struct jr_str host;
    struct jr_transport below;
    char name[256];
    enum jr_status st = jr_kube_config_load(c->kubeconfig, c->context, &a->kube, err);

    if (st == JR_OK)
        st = jr_curl_new(a->loop, &a->kube, "jobreeve-controller/" JR_VERSION, &a->curl, err);
    if (st != JR_OK)
        return st;
    jr_curl_set_log(a->curl, a->log);
    host = jr_rest_host(jr_str(a->kube.server));
    (void)snprintf(name, sizeof(name), "%.*s", JR_P(host));
    below = jr_curl_transport(a->curl);
    a->rest = jr_rest_new(a->loop, &below,
                          &(struct jr_rest_options){ name, c->api_qps, c->api_burst }, a->metrics);
    return JR_OK;
}

static enum jr_status serve(struct app *a, const char *flag, const struct jr_flag_addr *at,
                            const char *name, jr_listener_fn *fn, struct jr_listener **ret,
                            struct jr_error *err)
{
    const struct jr_listener_service service = { a->loop, a->log, flag, name, fn, a };

    return jr_listener_serve(&service, at, ret, err);
}

/** A service is asked how it does and what it counts. */
static enum jr_status serve_all(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    enum jr_status st =
        serve(a, "--health-probe-bind-address", &c->health, "health", on_probe, &a->health, err);

    if (st == JR_OK)
        st = serve(a, "--metrics-bind-address", &c->metrics, "metrics", on_metrics,
                   &a->metrics_listener, err);
    return st;
}

/* ---- releasing ---- */

static void on_late(void *ctx)
{
    struct app *a = ctx;
    struct jr_error why = a->scaling;

    a->deadline = NULL;
    if (a->scale_down == NULL)
        jr_controller_left(a->controller, &why);
    jr_err(a->log, "not released in time, given up: run it again", JR_ERR(&why));
    on_end(a, 1);
}

/** Nobody makes Pods any more. */
static void on_scaled_down(void *ctx)
{
    struct app *a = ctx;

    jr_scale_down_free(a->scale_down);
    a->scale_down = NULL;
    jr_controller_start(a->controller);
}

static void on_scaling(void *ctx, const struct jr_error *why)
{
    struct app *a = ctx;

    a->scaling = *why;
}

static void on_ours(void *ctx)
{
    struct app *a = ctx;

    jr_deployment_check_free(a->check);
    a->check = NULL;
    jr_scale_down_start(a->scale_down);
}

static void on_not_ours(void *ctx, const struct jr_error *why)
{
    struct app *a = ctx;

    jr_err(a->log, "refused, nothing is released", JR_ERR(why));
    on_end(a, 1);
}

/** Is it the Deployment's uninstall (--deployment-annotation)? Then down with it. */
static void end_deployment(struct app *a)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_env env = { a->loop, jr_rand_system, jr_rest_transport(a->rest) };
    const struct jr_scale_down_handler h = { on_scaled_down, on_scaling, a };
    const struct jr_deployment_check_handler asked = { on_ours, on_not_ours, on_scaling, a };
    const char *namespace =
        c->deployment_namespace != NULL ? c->deployment_namespace : lease_namespace(a);

    a->scale_down = jr_scale_down_new(&env, namespace, c->deployment, &h, a->log);
    if (c->deployment_annotation == NULL)
        jr_scale_down_start(a->scale_down);
    else
        a->check = jr_deployment_check_start(&env, namespace, c->deployment,
                                             c->deployment_annotation, &asked, a->log);
}

static enum jr_status release(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    enum jr_status st =
        jr_loop_after(a->loop, c->release_timeout_ms * JR_MSEC, on_late, a, &a->deadline);

    if (st != JR_OK)
        return jr_fail(err, st, NULL, "timer");
    if (c->deployment == NULL) {
        jr_controller_start(a->controller);
        return JR_OK;
    }
    (void)jr_fail(&a->scaling, JR_TIMEOUT, NULL, "the API server has not answered yet");
    end_deployment(a);
    return JR_OK;
}

/* ---- starting ---- */

/** What was folded in the log is told, also where no further line comes. */
static void on_tick(void *ctx)
{
    struct app *a = ctx;

    a->tick = NULL;
    jr_log_tick(a->log);
    if (jr_loop_after(a->loop, LOG_TICK_NS, on_tick, a, &a->tick) != JR_OK)
        jr_err(a->log, "out of memory, folded lines are told late", JR_NONE);
}

static void say_start(const struct app *a)
{
    const struct jr_controller_config *c = a->config;
    JR_BUF settings = { 0 };

    jr_buf_init(&settings, SETTINGS_MAX);
    if (jr_flags_show(&jr_controller_flags, c, &settings) != JR_OK)
        (void)jr_buf_adds(&settings, "...");
    jr_info(a->log, c->release ? "releasing" : "starting", JR_CSTR("version", JR_VERSION),
            JR_CSTR("server", a->kube.server), JR_CSTR("controllerName", c->controller_name),
            JR_FLAG("replaceBuiltin", c->replace_builtin), JR_FLAG("leaderElect", c->leader_elect),
            JR_STR("settings", jr_buf_str(&settings)));
}

static enum jr_status start(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    enum jr_status st = jr_loop_new(&jr_clock_system, &a->loop, err);

    if (st == JR_OK)
        st = jr_loop_signal(a->loop, SIGTERM, on_signal, a, err);
    if (st == JR_OK)
        st = jr_loop_signal(a->loop, SIGINT, on_signal, a, err);
    if (st == JR_OK)
        st = jr_loop_signal(a->loop, SIGUSR1, on_ask, a, err);
    if (st == JR_OK && jr_metrics_new(&a->metrics) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "metrics");
    if (st == JR_OK)
        st = connect_api(a, err);
    if (st != JR_OK)
        return st;
    jr_metrics_process(a->metrics);
    st = make_controller(a, err);
    if (st == JR_OK && !c->release)
        st = serve_all(a, err);
    if (st != JR_OK)
        return st;
    say_start(a);
    on_tick(a);
    if (c->release)
        return release(a, err);
    jr_controller_start(a->controller);
    return JR_OK;
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
    if (st != JR_OK) {
        jr_err(a->log, "failed", JR_ERR(&err));
        return 1;
    }
    jr_info(a->log, "stopped", JR_INT("code", a->code));
    return a->code;
}

int jr_controller_run(const struct jr_controller_config *config)
{
    JR_CLEANUP(app_done) struct app a = { .config = config, .code = 1 };

    (void)signal(SIGPIPE, SIG_IGN);
    if (jr_log_new(STDERR_FILENO, (enum jr_log_level)config->log_level,
                   (enum jr_log_format)config->log_format, "controller", &jr_clock_system,
                   &a.log) != JR_OK) {
        (void)fprintf(stderr, "%s: out of memory\n", jr_controller_flags.program);
        return 1;
    }
    return run(&a);
}
