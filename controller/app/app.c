/* SPDX-License-Identifier: Apache-2.0 */
/* The controller's process: connection, probes, signals, and with decommission the end of the
 * Deployment. */
#include "controller/app/app.h"

#include <signal.h>
#include <stdio.h>

#include "common/base/file_watch.h"
#include "common/base/memory.h"
#include "common/base/signals.h"
#include "common/curl/curl.h"
#include "common/http/service.h"
#include "common/http/tls_conn.h"
#include "common/kube/deployment_check.h"
#include "common/kube/object_key.h"
#include "common/kube/request.h"
#include "common/kube/rest.h"
#include "common/kube/scale_down.h"
#include "common/kube/version_watch.h"
#include "controller/controller.h"
#include "controller/policy/reporter.h"

#define LOG_TICK_NS (10 * JR_SEC)

struct app {
    const struct jr_controller_config *config;
    struct jr_service s;
    struct jr_kube_config kube;
    struct jr_curl *curl;
    struct jr_rest *rest;              /* over curl */
    struct jr_profiles profiles;       /* of the API servers */
    struct jr_version_watch *versions; /* with --kubernetes-version=auto */
    struct jr_controller *controller;
    struct jr_policy_reporter *reporter; /* with --policies */
    struct jr_deployment_check *check;   /* with decommission; then scale_down */
    struct jr_scale_down *scale_down;
    struct jr_timer *deadline; /* with decommission */
    struct jr_timer *tick;
    struct jr_tls_store *certs; /* of the metrics, as the next two; NULL: they go by plain HTTP */
    struct jr_tls_terms tls;
    struct jr_files *files;
    struct jr_error scaling; /* what that waits for */
    char identity[128];
    bool stopping;
    bool gates_noted; /* note_idle_gates */
    int code;
};

static const struct jr_metric_desc longest_turn =
    JR_METRIC(GAUGE, "jobreeve_loop_longest_turn_seconds",
              "The longest turn of the event loop since the start, for which all else had to wait.",
              "clock", NULL);

static const struct jr_metric_desc not_after =
    JR_METRIC(GAUGE, "jobreeve_controller_certificate_not_after_timestamp_seconds",
              "When the certificate of --metrics-tls-cert-file expires, in Unix time.", NULL);
static const struct jr_metric_desc reloads = JR_METRIC(
    COUNTER, "jobreeve_controller_certificate_reloads_total",
    "Reloads of the metrics' certificate that changed it, and that failed.", "result", NULL);

static void app_done(struct app *a)
{
    jr_deployment_check_free(a->check);
    jr_scale_down_free(a->scale_down);
    if (a->s.loop != NULL) {
        jr_timer_cancel(a->s.loop, &a->deadline);
        jr_timer_cancel(a->s.loop, &a->tick);
    }
    jr_version_watch_free(a->versions);
    jr_policy_reporter_free(a->reporter);
    jr_controller_free(a->controller);
    jr_rest_free(a->rest);
    jr_curl_free(a->curl);
    jr_kube_config_done(&a->kube);
    jr_files_free(a->files);
    jr_service_done(&a->s);
    jr_tls_store_free(a->certs);
}

/* ---- what it is asked ---- */

/** query: "key=NAMESPACE/NAME", the slash perhaps escaped. */
static int explain(const struct app *a, struct jr_str query, struct jr_buf *body,
                   const char **ret_content_type)
{
    JR_BUF key = { 0 };

    jr_buf_init(&key, JR_OBJECT_KEY_MAX);
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
    const struct jr_error *last_error = jr_curl_last_error(a->curl);
    struct jr_error why = { 0 };

    if (jr_controller_ready(a->controller, &why)) {
        (void)jr_buf_adds(body, "ok");
        return 200;
    }
    (void)jr_buf_addf(body, "not ready: %s", why.msg);
    if (last_error != NULL && strstr(why.msg, last_error->msg) == NULL)
        (void)jr_buf_addf(body, "; %s", last_error->msg);
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
    struct jr_turn_longest longest = jr_loop_longest(a->s.loop);
    const char *const wall = "wall", *const cpu = "cpu";

    jr_metrics_set(a->s.metrics, &longest_turn, &wall, (double)longest.ns / (double)JR_SEC);
    jr_metrics_set(a->s.metrics, &longest_turn, &cpu, (double)longest.cpu_ns / (double)JR_SEC);
}

static void measure_certificate(const struct app *a)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = jr_tls_store_get(a->certs);

    jr_metrics_set(a->s.metrics, &not_after, NULL,
                   (double)jr_tls_cred_not_after(c).ns / (double)JR_SEC);
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
    if (a->certs != NULL)
        measure_certificate(a);
    jr_controller_measure(a->controller);
    return jr_service_metrics(&a->s, body, ret_content_type);
}

/* ---- what it is told ---- */

static void on_end(void *ctx, int code)
{
    struct app *a = ctx;

    a->code = a->config->decommission && a->stopping ? 1 : code; /* broken off */
    jr_loop_stop(a->s.loop);
}

/** The second signal does not wait any more. */
static void on_signal(void *ctx, int signo)
{
    struct app *a = ctx;

    jr_info(a->s.log, "signal", JR_CSTR("signal", jr_signal_text(signo)));
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
    jr_controller_dump_status(a->controller);
}

/* ---- the metrics' certificate ---- */

static void on_files(void *ctx)
{
    const struct app *a = ctx;
    struct jr_error err = { .status = JR_OK };
    bool changed = false;
    const enum jr_status st = jr_tls_store_reload(a->certs, &changed, &err);
    const char *const result = st == JR_OK ? "success" : "error";

    if (st == JR_OK && !changed)
        return;
    jr_metrics_add(a->s.metrics, &reloads, &result, 1);
    if (st == JR_OK)
        jr_info(a->s.log, "reloaded", JR_CSTR("what", "certificate"));
    else
        jr_warn(a->s.log, "not reloaded, the old one stays", JR_CSTR("what", "certificate"),
                JR_ERR(&err));
}

static void on_hangup(void *ctx, int signo)
{
    const struct app *a = ctx;

    (void)signo;
    jr_files_hurry(a->files);
}

/** Reads the files, and watches them. */
static enum jr_status secure_metrics(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_tls_files files = { c->metrics_cert_file, c->metrics_key_file,
                                        "--metrics-tls-cert-file",
                                        "--metrics-tls-private-key-file" };
    const char *const names[] = { files.cert, files.key };
    const char *const results[] = { "success", "error" };
    enum jr_status st = jr_tls_store_new(&files, &a->certs, err);

    if (st != JR_OK)
        return st;
    for (size_t i = 0; i < JR_ARRAY_SIZE(results); i++)
        jr_metrics_declare(a->s.metrics, &reloads, &results[i]);
    a->tls.store = a->certs;
    a->s.metrics_tls = &a->tls;
    a->files = jr_files_new(a->s.loop, names, JR_ARRAY_SIZE(names), on_files, a);
    return jr_loop_signal(a->s.loop, SIGHUP, on_hangup, a, err);
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
    const struct jr_env env = { a->s.loop, jr_rand_system, jr_rest_transport(a->rest) };
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
        .job_cache_bytes = (size_t)c->job_cache_bytes,
        .ttl_after_finished = c->ttl_after_finished && !c->decommission,
        .await_gates = c->version_auto,
        .decommission = c->decommission,
    };

    make_identity(a);
    return jr_controller_new(&env, &o, &handler, a->s.log, a->s.metrics, &a->controller, err);
}

static enum jr_status connect_api(struct app *a, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    struct jr_rest_options rest = { .qps = c->api_qps, .burst = c->api_burst };
    struct jr_transport below;
    enum jr_status st =
        jr_kube_config_load(c->kubeconfig, c->context, JR_CONFIG_SERVER, &a->kube, err);

    if (st == JR_OK)
        st = jr_curl_new(a->s.loop, &a->kube, "jobreeve-controller/" JR_VERSION, &a->curl, err);
    if (st != JR_OK)
        return st;
    jr_curl_set_log(a->curl, a->s.log);
    rest.host = jr_rest_host(jr_str(a->kube.server));
    below = jr_curl_transport(a->curl);
    a->rest = jr_rest_new(a->s.loop, &below, &rest, a->s.metrics);
    return JR_OK;
}

static bool leads(void *ctx)
{
    const struct app *a = ctx;

    return jr_controller_working(a->controller);
}

static void report_policies(struct app *a)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_env env = { a->s.loop, jr_rand_system, jr_rest_transport(a->rest) };
    const struct jr_policy_reporter_options o = {
        .audit_interval_ms = c->audit_interval_ms,
        .webhook_configuration = c->webhook_configuration,
        .controller_name = c->controller_name,
        .trusted_controllers = c->trusted,
        .profile = &a->profiles.common,
        .leads = leads,
        .ctx = a,
    };

    a->reporter = jr_policy_reporter_start(&env, &o, a->s.log, a->s.metrics);
}

/* ---- the API servers' versions ---- */

/** told: the server has said its version. Else a Job that names another controller isn't ours,
 * though the oldest one runs it. */
static void use_lowest(struct app *a, bool told)
{
    struct jr_reconcile_options o = a->config->reconcile;

    jr_controller_gates(a->config, &a->profiles.v[0], &o);
    o.managed_by_others |= !told;
    jr_controller_set_gates(a->controller, &o);
}

/** Says once which gates of the flag change nothing: the API server alone goes by them. */
static void note_idle_gates(struct app *a)
{
    const struct jr_profile *p = &a->profiles.v[0];
    JR_BUF names = { 0 };

    jr_buf_init(&names, JR_BUF_BY_INPUT);
    for (size_t i = 0; i < JR_GATE_COUNT && !a->gates_noted && !a->config->policies; i++) {
        if (p->sources[i] == JR_GATE_BY_FLAG && !jr_reconcile_has_gate((enum jr_gate_id)i))
            (void)jr_buf_addf(&names, "%s%s", names.n == 0 ? "" : ", ",
                              jr_gate_name((enum jr_gate_id)i));
    }
    a->gates_noted = true;
    if (names.n > 0)
        jr_warn(a->s.log, "gates that change nothing in the controller",
                JR_CSTR("flag", "--" JR_GATES_FLAG), JR_STR("gates", jr_buf_str(&names)));
}

static void on_versions(void *ctx, const struct jr_profiles *profiles)
{
    struct app *a = ctx;

    a->profiles = *profiles;
    note_idle_gates(a);
    use_lowest(a, true);
}

/** As the oldest one, then. */
static void on_untold(void *ctx)
{
    struct app *a = ctx;
    char version[JR_KUBE_TEXT_MAX];

    jr_warn(a->s.log, "the API server doesn't say its version: the oldest known one is assumed",
            JR_CSTR("version", jr_kube_version_text(a->profiles.v[0].version, version)),
            JR_CSTR("flag", "--" JR_VERSION_FLAG));
    use_lowest(a, false);
}

/** Before that no Job is synced, unless the version was given. */
static void find_versions(struct app *a)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_env env = { a->s.loop, jr_rand_system, jr_rest_transport(a->rest) };
    const struct jr_version_watch_handler h = { on_versions, on_untold, a };

    a->profiles = c->profiles;
    if (c->version_auto)
        a->versions = jr_version_watch_start(&env, &c->feature_gates, &h, a->s.log, a->s.metrics);
    else {
        jr_version_metrics(a->s.metrics, &a->profiles);
        note_idle_gates(a);
    }
}

/* ---- releasing ---- */

static void on_late(void *ctx)
{
    struct app *a = ctx;
    struct jr_error why = a->scaling;

    a->deadline = NULL;
    if (a->scale_down == NULL)
        jr_controller_decommission_left(a->controller, &why);
    jr_err(a->s.log, "not released in time, given up: run it again", JR_ERR(&why));
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

    jr_err(a->s.log, "refused, nothing is released", JR_ERR(why));
    on_end(a, 1);
}

/** Is it the Deployment's uninstall (--deployment-annotation)? Then down with it. */
static void end_deployment(struct app *a)
{
    const struct jr_controller_config *c = a->config;
    const struct jr_env env = { a->s.loop, jr_rand_system, jr_rest_transport(a->rest) };
    const struct jr_scale_down_handler h = { on_scaled_down, on_scaling, a };
    const struct jr_deployment_check_handler asked = { on_ours, on_not_ours, on_scaling, a };
    const char *namespace =
        c->deployment_namespace != NULL ? c->deployment_namespace : lease_namespace(a);

    a->scale_down = jr_scale_down_new(&env, namespace, c->deployment, &h, a->s.log);
    if (c->deployment_annotation == NULL)
        jr_scale_down_start(a->scale_down);
    else
        a->check = jr_deployment_check_start(&env, namespace, c->deployment,
                                             c->deployment_annotation, &asked, a->s.log);
}

static void release(struct app *a)
{
    const struct jr_controller_config *c = a->config;

    jr_xloop_after(a->s.loop, c->decommission_timeout_ms * JR_MSEC, on_late, a, &a->deadline);
    if (c->deployment == NULL) {
        jr_controller_start(a->controller);
        return;
    }
    (void)jr_fail(&a->scaling, JR_TIMEOUT, NULL, "the API server has not answered yet");
    end_deployment(a);
}

/* ---- starting ---- */

/** What was folded in the log is told, also where no further line comes. */
static void on_tick(void *ctx)
{
    struct app *a = ctx;

    a->tick = NULL;
    jr_log_tick(a->s.log);
    jr_xloop_after(a->s.loop, LOG_TICK_NS, on_tick, a, &a->tick);
}

static void log_start(const struct app *a)
{
    const struct jr_controller_config *c = a->config;
    JR_BUF settings = { 0 };

    jr_service_settings(jr_controller_flags_of(c), c, &settings);
    jr_info(a->s.log, c->decommission ? "releasing" : "starting", JR_CSTR("version", JR_VERSION),
            JR_CSTR("server", a->kube.server), JR_CSTR("controllerName", c->controller_name),
            JR_FLAG("replaceBuiltin", c->replace_builtin), JR_FLAG("leaderElect", c->leader_elect),
            JR_STR("settings", jr_buf_str(&settings)));
}

static enum jr_status start_app(struct app *a, struct jr_log *log, struct jr_error *err)
{
    const struct jr_controller_config *c = a->config;
    enum jr_status st = jr_service_open(&a->s, log, on_signal, a, err);

    if (st == JR_OK)
        st = jr_loop_signal(a->s.loop, SIGUSR1, on_ask, a, err);
    if (st == JR_OK && c->metrics_cert_file != NULL && !c->decommission)
        st = secure_metrics(a, err);
    if (st == JR_OK)
        st = connect_api(a, err);
    if (st != JR_OK)
        return st;
    jr_metrics_process(a->s.metrics);
    st = make_controller(a, err);
    if (st == JR_OK && !c->decommission)
        st = jr_service_listen(&a->s, &c->health, on_probe, &c->metrics, on_metrics, a, err);
    if (st != JR_OK)
        return st;
    log_start(a);
    on_tick(a);
    find_versions(a);
    if (c->decommission) {
        release(a);
        return JR_OK;
    }
    if (c->policies)
        report_policies(a);
    jr_controller_start(a->controller);
    return JR_OK;
}

int jr_controller_run(const struct jr_controller_config *config)
{
    JR_CLEANUP(jr_log_freep)
    struct jr_log *log = jr_service_log(config->log_level, config->log_format, "controller");
    JR_CLEANUP(app_done) struct app a = { .config = config, .code = 1 };
    struct jr_error err = { .status = JR_OK };
    int code = jr_service_run(&a.s, start_app(&a, log, &err), &err);

    if (code != 0)
        return code;
    jr_info(log, "stopped", JR_INT("code", a.code));
    return a.code;
}
