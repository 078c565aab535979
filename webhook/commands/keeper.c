/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper's process: its loop, signals and listeners around what looks after certificates and
 * webhook configurations. */
#include "webhook/commands/keeper.h"

#include <signal.h>

#include "common/base/file_watch.h"
#include "common/base/memory.h"
#include "common/base/signals.h"
#include "common/http/service.h"
#include "webhook/api.h"
#include "webhook/certs/ca_file.h"
#include "webhook/certs/cert_keeper.h"
#include "webhook/metrics.h"

#define N_SERVICE_NAMES 4
#define HANDSHAKE_NS (5 * JR_SEC)

struct keeper {
    const struct jr_webhook_options *options;
    struct jr_service s;
    struct jr_arena arena;
    struct jr_webhook_api api;
    const char *server_name; /* what callers call a replica */
    struct jr_tls_asker *asker;
    struct jr_replicas *replicas;
    struct jr_cert_keeper *certs; /* NULL: certificates are not ours */
    struct jr_ca_file *ca_file;   /* NULL: they are */
    struct jr_files *files;
};

static void keeper_done(struct keeper *k)
{
    jr_files_free(k->files);
    jr_cert_keeper_free(k->certs);
    jr_ca_file_free(k->ca_file);
    jr_replicas_free(k->replicas);
    jr_tls_asker_free(k->asker);
    jr_webhook_api_done(&k->api);
    jr_service_done(&k->s);
    jr_arena_done(&k->arena);
}

/* ---- what is told ---- */

static void on_reconciled(void *ctx, const struct jr_cert_keeper_seen *seen,
                          const struct jr_error *err)
{
    struct keeper *k = ctx;

    jr_webhook_metrics_kept(k->s.metrics, seen, err == NULL);
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
    return jr_service_metrics(&k->s, body, ret_content_type);
}

static void on_file(void *ctx)
{
    struct keeper *k = ctx;
    struct jr_error err = { .status = JR_OK };
    bool changed = false;

    if (jr_ca_file_reload(k->ca_file, &changed, &err) != JR_OK)
        jr_warn(k->s.log, "not reloaded, the old one stays", JR_CSTR("what", "CA"), JR_ERR(&err));
    else if (changed)
        jr_info(k->s.log, "reloaded", JR_CSTR("what", "CA"));
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

    jr_info(k->s.log, "stopping", JR_CSTR("signal", jr_signal_text(signo)));
    jr_loop_stop(k->s.loop);
}

/* ---- starting ---- */

/** The Service in all the forms in which callers name it, and what else was asked for. */
static void set_names(struct keeper *k, struct jr_certs_options *ret)
{
    const struct jr_webhook_options *w = k->options;
    const char *namespace = k->api.namespace;
    const size_t n = N_SERVICE_NAMES + w->tls_names.n;
    const char **names = jr_xarena_calloc(&k->arena, n, sizeof(*names));

    names[0] = w->service_name;
    names[1] = jr_xarena_text(&k->arena, "%s.%s", w->service_name, namespace).p;
    names[2] = k->server_name;
    names[3] = jr_xarena_text(&k->arena, "%s.cluster.local", k->server_name).p;
    for (size_t i = 0; i < w->tls_names.n; i++)
        names[N_SERVICE_NAMES + i] = jr_xarena_str(&k->arena, w->tls_names.v[i]).p;
    ret->names = names;
    ret->n_names = n;
}

static void keep_certs(struct keeper *k, const struct jr_registration_options *registration)
{
    const struct jr_webhook_options *w = k->options;
    const struct jr_cert_keeper_handler handler = { on_reconciled, k };
    struct jr_cert_keeper_options options = {
        .certs = { .common_name = "jobreeve webhook CA",
                   .ca_days = (unsigned)w->ca_days,
                   .serving_days = (unsigned)w->cert_days },
        .namespace = k->api.namespace,
        .secret = w->tls_secret,
        .registration = *registration,
        .poll_ms = w->tls_poll_ms,
        .propagation_ms = w->tls_propagation_ms,
    };

    set_names(k, &options.certs);
    k->certs = jr_cert_keeper_start(&k->api.env, &options, &handler, k->s.log);
}

static enum jr_status keep_registration(struct keeper *k,
                                        const struct jr_registration_options *registration,
                                        struct jr_error *err)
{
    const struct jr_webhook_options *w = k->options;
    const char *const names[] = { w->tls_ca_file };
    enum jr_status st = jr_ca_file_start(&k->api.env, w->tls_ca_file, registration, w->tls_poll_ms,
                                         k->s.log, &k->ca_file, err);

    if (st == JR_OK && w->tls_ca_file != NULL)
        k->files = jr_files_new(k->s.loop, names, JR_ARRAY_SIZE(names), on_file, k);
    return st;
}

static enum jr_status start_keeping(struct keeper *k, struct jr_error *err)
{
    const struct jr_webhook_options *w = k->options;
    struct jr_registration_options registration = { .configuration = w->webhook_configuration };
    struct jr_handshaker shaker;
    enum jr_status st = jr_webhook_api_open(&k->api, k->s.loop, &w->api, k->s.metrics, err);

    if (st != JR_OK)
        return st;
    jr_curl_set_log(k->api.curl, k->s.log);
    registration.namespace = k->api.namespace;
    k->server_name = jr_xarena_text(&k->arena, "%s.%s.svc", w->service_name, k->api.namespace).p;
    registration.server_name = k->server_name;
    k->asker = jr_tls_asker_new(k->s.loop, k->server_name, HANDSHAKE_NS);
    shaker = jr_tls_asker_handshaker(k->asker);
    k->replicas = jr_replicas_new(&k->api.env, &shaker, k->api.namespace, w->service_name);
    registration.replicas = k->replicas;
    if (w->tls_secret == NULL)
        return keep_registration(k, &registration, err);
    keep_certs(k, &registration);
    return JR_OK;
}

static enum jr_status start_process(struct keeper *k, struct jr_log *log, struct jr_error *err)
{
    const struct jr_webhook_options *o = k->options;
    enum jr_status st = jr_service_open(&k->s, log, on_terminate, k, err);

    jr_arena_init(&k->arena, 0);
    if (st == JR_OK)
        st = jr_loop_signal(k->s.loop, SIGHUP, on_hangup, k, err);
    if (st != JR_OK)
        return st;
    jr_metrics_process(k->s.metrics);
    st = start_keeping(k, err);
    return st == JR_OK
               ? jr_service_listen(&k->s, &o->health, on_probe, &o->metrics, on_metrics, k, err)
               : st;
}

int jr_webhook_keep(const struct jr_webhook_options *options, struct jr_log *log)
{
    JR_CLEANUP(keeper_done) struct keeper k = { .options = options };
    struct jr_error err = { .status = JR_OK };
    int code;

    code = jr_service_run(&k.s, start_process(&k, log, &err), &err);
    if (code == 0)
        jr_info(log, "stopped", JR_NONE);
    return code;
}
