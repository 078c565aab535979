/* SPDX-License-Identifier: Apache-2.0 */
/* The webhook's process: certificates, listeners, signals, and its end in good order. */
#include "webhook/app/app.h"

#include <signal.h>

#include "common/base/file_watch.h"
#include "common/base/memory.h"
#include "common/base/signals.h"
#include "common/http/service.h"
#include "common/http/tls_conn.h"
#include "webhook/api.h"
#include "webhook/app/flags.h"
#include "webhook/app/policy_sources.h"
#include "webhook/app/version_source.h"
#include "webhook/commands/keeper.h"
#include "webhook/metrics.h"
#include "webhook/net/allowed_suites.h"
#include "webhook/net/own_certs.h"
#include "webhook/net/server.h"

/* How often an ending server looks whether its last request is answered. */
#define DRAIN_NS (10 * JR_MSEC)

struct app {
    const struct jr_webhook_options *options;
    struct jr_service s;
    struct jr_webhook_api api; /* zeroed where nothing needs it */
    bool api_open;
    struct jr_app_policies policies;
    struct jr_app_versions versions;
    struct jr_own_certs *own_certs; /* NULL: from files */
    int64_t skew_ns;                /* by how much our clock is ahead of the API server's */
    struct jr_tls_store *certs;     /* empty until there is a certificate */
    struct jr_cipher_suites suites;
    struct jr_tls_terms tls;  /* of the webhook, and with --metrics-secure of the metrics */
    struct jr_server *server; /* NULL until then, and until the policies are known */
    struct jr_timer *reap;
    struct jr_files *files;
    struct jr_client_auth *clients;
    struct jr_timer *drain;
    bool stopping;
    struct jr_mono give_up; /* when requests in flight are given up */
};

static void app_done(struct app *a)
{
    jr_app_policies_stop(&a->policies);
    jr_app_versions_stop(&a->versions);
    jr_server_free(a->server); /* joins the threads that use the rest */
    jr_app_policies_done(&a->policies);
    jr_app_versions_done(&a->versions);
    jr_own_certs_free(a->own_certs);
    jr_webhook_api_done(&a->api);
    jr_files_free(a->files);
    jr_client_auth_free(a->clients);
    jr_service_done(&a->s); /* the metrics' handshakes use the rest */
    jr_tls_store_free(a->certs);
    jr_cipher_suites_done(&a->suites);
}

/** Sets a timer again; without memory for it the program can't go on as promised. */
static void set_timer(struct app *a, int64_t ns, void (*fn)(void *ctx), struct jr_timer **t)
{
    jr_timer_cancel(a->s.loop, t);
    if (jr_loop_after(a->s.loop, ns, fn, a, t) != JR_OK)
        jr_service_fail(&a->s, JR_NOMEM);
}

/* ---- probes ---- */

/** Why we are not ready; NULL: we are. */
static const char *not_ready(struct app *a)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = NULL;
    struct jr_time now;

    if (a->stopping)
        return "stopping";
    c = jr_tls_store_get(a->certs);
    if (c == NULL)
        return "there is no serving certificate yet";
    /* It is the API server's clock that counts. */
    now = jr_time_later(jr_loop_wall(a->s.loop), -a->skew_ns);
    if (jr_time_cmp(now, jr_tls_cred_not_after(c)) >= 0)
        return "the serving certificate has expired";
    if (!jr_app_policies_ready(&a->policies))
        return "the JobPolicies and Namespaces are not known yet";
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
    if (a->server != NULL) {
        jr_server_gauges(a->server, &g);
        jr_webhook_metrics_gauges(a->s.metrics, &g);
    }
    jr_app_policies_gauges(&a->policies, jr_loop_wall(a->s.loop), a->s.metrics);
    return jr_service_metrics(&a->s, body, ret_content_type);
}

/* ---- timers and signals ---- */

static void on_reap(void *ctx)
{
    struct app *a = ctx;
    int64_t wait_ns;

    a->reap = NULL;
    jr_server_reap(a->server, &wait_ns);
    jr_log_tick(a->s.log);
    set_timer(a, wait_ns, on_reap, &a->reap);
}

static void note_reload(struct app *a, const char *what, enum jr_status st, bool changed,
                        const struct jr_error *err)
{
    if (st != JR_OK) {
        jr_webhook_metrics_reload(a->s.metrics, false);
        jr_warn(a->s.log, "not reloaded, the old one stays", JR_CSTR("what", what), JR_ERR(err));
    } else if (changed) {
        jr_webhook_metrics_reload(a->s.metrics, true);
        jr_info(a->s.log, "reloaded", JR_CSTR("what", what));
    }
}

static void on_files(void *ctx)
{
    struct app *a = ctx;
    struct jr_error err = { .status = JR_OK };
    bool changed = false;
    enum jr_status st;

    if (a->own_certs == NULL) {
        st = jr_tls_store_reload(a->certs, &changed, &err);
        note_reload(a, "certificate", st, changed, &err);
    }
    changed = false;
    if (a->clients != NULL) {
        st = jr_client_auth_reload(a->clients, &changed, &err);
        if (changed && a->server != NULL)
            jr_server_distrust(a->server);
        note_reload(a, "client CA", st, changed, &err);
    }
    st = jr_app_policies_reload(&a->policies, jr_loop_wall(a->s.loop), &changed, &err);
    if (st != JR_OK)
        jr_err(a->s.log, "policies not reloaded", JR_ERR(&err));
    else if (changed)
        jr_info(a->s.log, "reloaded", JR_CSTR("what", "policies"));
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
    if (left > 0 && jr_loop_mono(a->s.loop).ns < a->give_up.ns) {
        set_timer(a, DRAIN_NS, on_drained, &a->drain);
        return;
    }
    if (left > 0)
        jr_warn(a->s.log, "requests given up", JR_INT("requests", left));
    jr_loop_stop(a->s.loop);
}

static void on_drain(void *ctx)
{
    struct app *a = ctx;

    a->drain = NULL;
    jr_info(a->s.log, "no longer accepting", JR_INT("inFlight", jr_server_in_flight(a->server)));
    jr_server_stop_accepting(a->server);
    a->give_up.ns = jr_loop_mono(a->s.loop).ns + a->options->request_timeout_ms * JR_MSEC;
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
        jr_loop_stop(a->s.loop);
        return;
    }
    jr_info(a->s.log, a->stopping ? "stopping now" : "stopping",
            JR_CSTR("signal", jr_signal_text(signo)),
            JR_INT("delayMs", a->stopping ? 0 : a->options->shutdown_delay_ms));
    jr_server_close_after_answers(a->server);
    set_timer(a, a->stopping ? 0 : a->options->shutdown_delay_ms * JR_MSEC, on_drain, &a->drain);
    a->stopping = true;
}

/* ---- starting ---- */

/** Serves by the certificate that there is now. */
static enum jr_status serve_webhook(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    const struct jr_server_deps deps = {
        .tls = &a->tls,
        .clients = a->clients,
        .policies = a->policies.sources,
        .versions = a->versions.in_force,
        .metrics = a->s.metrics,
        .log = a->s.log,
    };
    enum jr_status st = jr_server_start(a->s.loop, o, &deps, &a->server, err);

    if (st != JR_OK)
        return st;
    jr_info(a->s.log, "serving", JR_CSTR("listener", "webhook"),
            JR_CSTR("address", jr_server_address(a->server)), JR_INT("threads", o->threads));
    on_reap(a);
    return a->s.failed;
}

/** Serves if nothing is missing. Nothing listens before: what is refused a connection goes to a
 * replica that knows the policies, or fails as failurePolicy says. */
static enum jr_status serve_if_ready(struct app *a, struct jr_error *err)
{
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *c = jr_tls_store_get(a->certs);

    if (a->server != NULL || c == NULL || !jr_app_policies_ready(&a->policies))
        return JR_OK;
    return serve_webhook(a, err);
}

static void note_start(struct app *a, enum jr_status st, const struct jr_error *err)
{
    if (st == JR_OK)
        return;
    jr_err(a->s.log, "not started", JR_ERR(err));
    jr_service_fail(&a->s, st);
}

static void on_policies_listed(void *ctx)
{
    struct app *a = ctx;
    struct jr_error err = { .status = JR_OK };

    note_start(a, serve_if_ready(a, &err), &err);
}

static void on_cred(void *ctx, struct jr_tls_cred *cred)
{
    struct app *a = ctx;
    JR_CLEANUP(jr_tls_cred_unrefp) struct jr_tls_cred *former = jr_tls_store_get(a->certs);
    struct jr_error err = { .status = JR_OK };

    jr_tls_store_put(a->certs, cred);
    if (former == NULL) {
        note_start(a, serve_if_ready(a, &err), &err);
        return;
    }
    jr_webhook_metrics_reload(a->s.metrics, true);
    jr_info(a->s.log, "certificate replaced", JR_NONE);
}

static void on_cred_failure(void *ctx)
{
    struct app *a = ctx;

    jr_webhook_metrics_reload(a->s.metrics, false);
}

static void on_skew(void *ctx, int64_t skew_ns)
{
    struct app *a = ctx;

    a->skew_ns = skew_ns;
    jr_webhook_metrics_skew(a->s.metrics, skew_ns);
}

/** What is read from files, and watched. */
static enum jr_status watch_files(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    const char *names[3 + JR_FLAG_LIST_MAX] = { o->cert_file, o->key_file, o->client_ca_file };
    size_t n = 3;
    enum jr_status st = JR_OK;

    if (o->client_ca_file != NULL)
        st = jr_client_auth_new(o->client_ca_file, &o->client_names, &a->clients, err);
    if (st != JR_OK)
        return st;
    for (size_t i = 0; i < o->policy_files.n; i++)
        names[n++] = jr_policy_files_paths(a->policies.files)[i];
    a->files = jr_files_new(a->s.loop, names, n, on_files, a);
    return JR_OK;
}

/** Finds the API server. needed: we can't do without; else a version is all that it is for, and
 * where no API server is named there is none. */
static enum jr_status open_api(struct app *a, bool needed, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    struct jr_error why = { .status = JR_OK };
    enum jr_status st = jr_webhook_api_open(&a->api, a->s.loop, &o->api, a->s.metrics, &why);

    a->api_open = st == JR_OK;
    if (a->api_open) {
        jr_curl_set_log(a->api.curl, a->s.log);
        return JR_OK;
    }
    if (needed || o->api.kubeconfig != NULL || o->api.context != NULL) {
        if (err != NULL)
            *err = why;
        return st;
    }
    jr_webhook_api_done(&a->api);
    a->api = (struct jr_webhook_api){ .curl = NULL };
    jr_info(a->s.log, "there is no API server to ask", JR_ERR(&why));
    return JR_OK;
}

/** Reads the policies' files, and begins to watch what is to be known of the cluster. */
static enum jr_status begin_watching(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    enum jr_status st =
        jr_app_policies_load(&a->policies, o, jr_loop_wall(a->s.loop), a->s.log, err);
    const bool needed = o->tls_secret != NULL || jr_app_policies_need_api(&a->policies, o);
    const struct jr_env *env;

    if (st == JR_OK && (needed || o->version_auto))
        st = open_api(a, needed, err);
    if (st != JR_OK)
        return st;
    if (a->policies.sources.store != NULL)
        jr_webhook_metrics_policies_init(a->s.metrics);
    env = a->api_open ? &a->api.env : NULL;
    jr_app_policies_watch(&a->policies, o, env, on_policies_listed, a, a->s.log, a->s.metrics);
    jr_app_versions_begin(&a->versions, o, env, a->s.log, a->s.metrics);
    return JR_OK;
}

static int limit_suites(const void *suites, gnutls_session_t session, struct jr_tls_cred *cred)
{
    return jr_cipher_suites_limit(suites, session, cred);
}

/** How TLS is spoken, with the certificate of the files if it comes from files. */
static enum jr_status prepare_tls(struct app *a, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    const struct jr_tls_files files = { o->cert_file, o->key_file, "--tls-cert-file",
                                        "--tls-private-key-file" };
    enum jr_status st = o->tls_secret != NULL ? jr_tls_store_new_empty(&a->certs, err)
                                              : jr_tls_store_new(&files, &a->certs, err);

    if (st == JR_OK)
        st = jr_cipher_suites_init(&a->suites, &o->tls_cipher_suites, err);
    a->tls = (struct jr_tls_terms){ .store = a->certs,
                                    .only_1_3 = o->tls_min_version != 0,
                                    .limit = a->suites.limited ? limit_suites : NULL,
                                    .ctx = &a->suites };
    a->s.metrics_tls = o->metrics_secure ? &a->tls : NULL;
    return st;
}

/** Finds the certificate; serving begins when it is there, and the policies are known. */
static enum jr_status begin_serving(struct app *a, struct jr_error *err)
{
    const struct jr_own_certs_handler handler = { on_cred, on_cred_failure, on_skew, a };
    enum jr_status st = prepare_tls(a, err);

    if (st != JR_OK || a->options->tls_secret == NULL)
        return st == JR_OK ? serve_if_ready(a, err) : st;
    a->own_certs = jr_own_certs_start(&a->api, a->options, &handler, a->s.log);
    return JR_OK;
}

/** Loads, listens, and says where. */
static enum jr_status start_app(struct app *a, struct jr_log *log, struct jr_error *err)
{
    const struct jr_webhook_options *o = a->options;
    enum jr_status st = jr_service_open(&a->s, log, on_terminate, a, err);

    if (st == JR_OK)
        st = jr_loop_signal(a->s.loop, SIGHUP, on_hangup, a, err);
    if (st != JR_OK)
        return st;
    jr_service_starting(log, &jr_webhook_flags, o);
    jr_webhook_metrics_init(a->s.metrics);
    st = begin_watching(a, err);
    if (st == JR_OK)
        st = watch_files(a, err);
    if (st == JR_OK)
        st = begin_serving(a, err);
    if (st == JR_OK)
        st = jr_service_listen(&a->s, &o->health, on_probe, &o->metrics, on_metrics, a, err);
    return st == JR_OK ? a->s.failed : st;
}

static int serve(const struct jr_webhook_options *options, struct jr_log *log)
{
    JR_CLEANUP(app_done) struct app a = { .options = options };
    struct jr_error err = { .status = JR_OK };
    int code = jr_service_run(&a.s, start_app(&a, log, &err), &err);

    if (code == 0)
        jr_info(log, "stopped", JR_NONE);
    return code;
}

int jr_webhook_run(struct jr_webhook_options *options)
{
    JR_CLEANUP(jr_log_freep)
    struct jr_log *log = jr_service_log(options->log_level, options->log_format, "webhook");

    if (!options->keeper)
        return serve(options, log);
    jr_service_starting(log, &jr_webhook_flags, options);
    return jr_webhook_keep(options, log);
}
