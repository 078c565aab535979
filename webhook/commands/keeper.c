#include "webhook/commands/keeper.h"

#include <signal.h>

#include "common/base/arena.h"
#include "common/base/flags_show.h"
#include "common/base/signals.h"
#include "common/http/listener.h"
#include "webhook/api.h"
#include "webhook/certs/ca_file.h"
#include "webhook/certs/cert_keeper.h"
#include "webhook/certs/files.h"
#include "webhook/metrics.h"

#define N_SERVICE_NAMES 4
#define HANDSHAKE_NS (5 * JR_SEC)
#define ARENA_MAX_BYTES ((size_t)1 << 20)
#define SETTINGS_MAX ((size_t)16 << 10)

struct keeper {
    const struct jr_webhook_options *options;
    struct jr_log *log;
    struct jr_loop *loop;
    struct jr_metrics *metrics;
    struct jr_arena arena;
    struct jr_webhook_api api;
    struct jr_tls_asker *asker;
    struct jr_replicas *replicas;
    struct jr_cert_keeper *certs; /* NULL: certificates are not ours */
    struct jr_ca_file *ca_file;   /* NULL: they are */
    struct jr_files *files;
    struct jr_listener *health;
    struct jr_listener *metrics_listener;
};

static void keeper_done(struct keeper *k)
{
    jr_listener_free(k->health);
    jr_listener_free(k->metrics_listener);
    jr_files_free(k->files);
    jr_cert_keeper_free(k->certs);
    jr_ca_file_free(k->ca_file);
    jr_replicas_free(k->replicas);
    jr_tls_asker_free(k->asker);
    jr_webhook_api_done(&k->api);
    jr_loop_free(k->loop);
    jr_metrics_free(k->metrics);
    jr_arena_done(&k->arena);
}

/* ---- what is told ---- */

static void on_round(void *ctx, const struct jr_cert_keeper_seen *seen, const struct jr_error *err)
{
    struct keeper *k = ctx;

    jr_webhook_metrics_kept(k->metrics, seen, err == NULL);
}

static int on_probe(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                    const char **ret_content_type)
{
    (void)ctx;
    (void)query;
    *ret_content_type = "text/plain; charset=utf-8";
    if (!jr_str_is(path, "/readyz") && !jr_str_is(path, "/healthz") && !jr_str_is(path, "/livez"))
        return 404;
    return jr_buf_adds(body, "ok\n") == JR_OK ? 200 : 500;
}

static int on_metrics(void *ctx, struct jr_str path, struct jr_str query, struct jr_buf *body,
                      const char **ret_content_type)
{
    struct keeper *k = ctx;

    (void)query;
    if (!jr_str_is(path, "/metrics"))
        return 404;
    *ret_content_type = "text/plain; version=0.0.4; charset=utf-8";
    return jr_metrics_render(k->metrics, body) == JR_OK ? 200 : 500;
}

static void on_file(void *ctx)
{
    struct keeper *k = ctx;
    struct jr_error err = { .status = JR_OK };
    bool changed = false;

    if (jr_ca_file_reload(k->ca_file, &changed, &err) != JR_OK)
        jr_warn(k->log, "not reloaded, the old one stays", JR_CSTR("what", "CA"), JR_ERR(&err));
    else if (changed)
        jr_info(k->log, "reloaded", JR_CSTR("what", "CA"));
}

static void on_hangup(void *ctx, int signo)
{
    struct keeper *k = ctx;

    (void)signo;
    if (k->files != NULL)
        jr_files_hurry(k->files);
}

static void on_terminate(void *ctx, int signo)
{
    struct keeper *k = ctx;

    jr_info(k->log, "stopping", JR_CSTR("signal", jr_signal_text(signo)));
    jr_loop_stop(k->loop);
}

/* ---- starting ---- */

/** The Service in all the forms in which callers name it, and what else was asked for. */
static enum jr_status names_of(struct keeper *k, struct jr_certs_options *ret)
{
    const struct jr_webhook_options *w = k->options;
    const char *namespace = k->api.namespace;
    const size_t n = N_SERVICE_NAMES + w->tls_names.n;
    const char **names = jr_arena_calloc(&k->arena, n, sizeof(*names));

    if (names == NULL)
        return JR_NOMEM;
    names[0] = jr_arena_printf(&k->arena, "%s", w->service_name);
    names[1] = jr_arena_printf(&k->arena, "%s.%s", w->service_name, namespace);
    names[2] = jr_arena_printf(&k->arena, "%s.%s.svc", w->service_name, namespace);
    names[3] = jr_arena_printf(&k->arena, "%s.%s.svc.cluster.local", w->service_name, namespace);
    for (size_t i = 0; i < w->tls_names.n; i++)
        names[N_SERVICE_NAMES + i] = jr_arena_printf(&k->arena, "%.*s", JR_P(w->tls_names.v[i]));
    for (size_t i = 0; i < n; i++) {
        if (names[i] == NULL)
            return JR_NOMEM;
    }
    ret->names = names;
    ret->n_names = n;
    return JR_OK;
}

static enum jr_status keep_certs(struct keeper *k,
                                 const struct jr_registration_options *registration,
                                 struct jr_error *err)
{
    const struct jr_webhook_options *w = k->options;
    const struct jr_cert_keeper_handler handler = { on_round, k };
    struct jr_cert_keeper_options options = {
        .certs = { .common_name = "jobreeve webhook CA",
                   .ca_days = (unsigned)w->ca_days,
                   .serving_days = (unsigned)w->cert_days },
        .namespace = k->api.namespace,
        .secret = w->tls_secret,
        .registration = *registration,
        .poll_ms = w->tls_poll_ms,
        .settle_ms = w->tls_settle_ms,
    };
    enum jr_status st = names_of(k, &options.certs);

    if (st == JR_OK)
        st = jr_cert_keeper_new(&k->api.env, &options, &handler, k->log, &k->certs);
    if (st == JR_OK)
        st = jr_cert_keeper_start(k->certs);
    return st == JR_OK ? st : jr_fail(err, st, NULL, "certificates");
}

static enum jr_status keep_registration(struct keeper *k,
                                        const struct jr_registration_options *registration,
                                        struct jr_error *err)
{
    const struct jr_webhook_options *w = k->options;
    const char *const names[] = { w->tls_ca_file };
    enum jr_status st = jr_ca_file_start(&k->api.env, w->tls_ca_file, registration, w->tls_poll_ms,
                                         k->log, &k->ca_file, err);

    if (st == JR_OK && w->tls_ca_file != NULL &&
        jr_files_new(k->loop, names, JR_ARRAY_SIZE(names), on_file, k, &k->files) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "files");
    return st;
}

static enum jr_status keep(struct keeper *k, struct jr_error *err)
{
    const struct jr_webhook_options *w = k->options;
    struct jr_registration_options registration = { .configuration = w->webhook_configuration };
    struct jr_handshaker shaker;
    enum jr_status st = jr_webhook_api_open(&k->api, k->loop, w, err);

    if (st != JR_OK)
        return st;
    jr_curl_set_log(k->api.curl, k->log);
    registration.namespace = k->api.namespace;
    registration.server_name =
        jr_arena_printf(&k->arena, "%s.%s.svc", w->service_name, k->api.namespace);
    if (registration.server_name == NULL)
        return jr_fail(err, JR_NOMEM, NULL, "certificates");
    st = jr_tls_asker_new(k->loop, registration.server_name, HANDSHAKE_NS, &k->asker, err);
    if (st != JR_OK)
        return st;
    shaker = jr_tls_asker_handshaker(k->asker);
    if (jr_replicas_new(&k->api.env, &shaker, k->api.namespace, w->service_name, &k->replicas) !=
        JR_OK)
        return jr_fail(err, JR_NOMEM, NULL, "certificates");
    registration.replicas = k->replicas;
    return w->tls_secret != NULL ? keep_certs(k, &registration, err)
                                 : keep_registration(k, &registration, err);
}

static enum jr_status handle_signals(struct keeper *k, struct jr_error *err)
{
    enum jr_status st = jr_loop_signal(k->loop, SIGTERM, on_terminate, k, err);

    if (st == JR_OK)
        st = jr_loop_signal(k->loop, SIGINT, on_terminate, k, err);
    if (st == JR_OK)
        st = jr_loop_signal(k->loop, SIGHUP, on_hangup, k, err);
    return st;
}

static enum jr_status serve(struct keeper *k, const char *flag, const struct jr_flag_addr *at,
                            const char *name, jr_listener_fn *fn, struct jr_listener **ret,
                            struct jr_error *err)
{
    const struct jr_listener_service service = { k->loop, k->log, flag, name, fn, k };

    return jr_listener_serve(&service, at, ret, err);
}

static enum jr_status start(struct keeper *k, struct jr_error *err)
{
    const struct jr_webhook_options *o = k->options;
    enum jr_status st = jr_loop_new(&jr_clock_system, &k->loop, err);

    jr_arena_init(&k->arena, ARENA_MAX_BYTES);
    if (st == JR_OK)
        st = handle_signals(k, err);
    if (st == JR_OK && jr_metrics_new(&k->metrics) != JR_OK)
        st = jr_fail(err, JR_NOMEM, NULL, "metrics");
    if (st != JR_OK)
        return st;
    jr_metrics_process(k->metrics);
    st = keep(k, err);
    if (st == JR_OK)
        st = serve(k, "--health-probe-bind-address", &o->health, "health", on_probe, &k->health,
                   err);
    if (st == JR_OK)
        st = serve(k, "--metrics-bind-address", &o->metrics, "metrics", on_metrics,
                   &k->metrics_listener, err);
    return st;
}

static void say_start(const struct jr_webhook_options *options, struct jr_log *log)
{
    JR_BUF settings = { 0 };

    jr_buf_init(&settings, SETTINGS_MAX);
    if (jr_flags_show(&jr_webhook_flags, options, &settings) != JR_OK)
        (void)jr_buf_adds(&settings, "...");
    jr_info(log, "starting", JR_CSTR("version", JR_VERSION),
            JR_STR("settings", jr_buf_str(&settings)));
}

int jr_webhook_keep(const struct jr_webhook_options *options, struct jr_log *log)
{
    JR_CLEANUP(keeper_done) struct keeper k = { .options = options, .log = log };
    struct jr_error err = { .status = JR_OK };
    enum jr_status st;

    say_start(options, log);
    st = start(&k, &err);

    if (st != JR_OK) {
        jr_err(log, "not started", JR_ERR(&err));
        return st == JR_NOMEM ? 1 : 2;
    }
    if (jr_loop_run(k.loop, &err) != JR_OK) {
        jr_err(log, "failed", JR_ERR(&err));
        return 1;
    }
    jr_info(log, "stopped", JR_NONE);
    return 0;
}
