/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to a cluster, and says what keeps it from being used. */
#include "cli/cluster.h"

#include <signal.h>
#include <stdio.h>

#include "common/api/meta.h"
#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/kube/rest.h"

#define LASTS_NS (30 * JR_SEC)

/* ---- words ---- */

/** Fills c->err: "FILE: clusters[a].cluster.server: WORDS (context "a")". */
static void fail_at(struct jr_cluster *c, const char *place, const char *field, const char *words)
{
    const struct jr_kube_config *k = &c->kube;
    char where[sizeof(c->err.path)];

    if (place == NULL)
        place = k->source;
    (void)snprintf(where, sizeof(where), "%s%s%s", place, field == NULL ? "" : ".",
                   field == NULL ? "" : field);
    if (k->context == NULL)
        (void)jr_fail(&c->err, JR_REMOTE, where, "%s", words);
    else
        (void)jr_fail(&c->err, JR_REMOTE, where, "%s (context \"%s\")", words, k->context);
}

/** The field that says who we are; NULL: none does. */
static const char *credential_field(const struct jr_kube_config *k)
{
    if (k->token_file != NULL)
        return "tokenFile";
    if (k->token != NULL)
        return "token";
    if (k->username != NULL)
        return "username";
    if (k->exec != NULL)
        return "exec";
    if (k->client_cert_pem != NULL)
        return k->client_cert_file != NULL ? "client-certificate" : "client-certificate-data";
    return NULL;
}

static void fail_unauthorized(struct jr_cluster *c)
{
    const struct jr_kube_config *k = &c->kube;
    const char *field = credential_field(k);

    if (k->cluster == NULL)
        fail_at(c, NULL, NULL, "the server doesn't take our token (401)");
    else if (field == NULL)
        fail_at(c, k->user != NULL ? k->user : k->cluster, NULL,
                "there are no credentials, and the server asks for some (401)");
    else
        fail_at(c, k->user, field, "the server doesn't take this credential (401)");
}

/** Fills c->err with the answer's own words and code. A 403 is about who we are. */
static void fail_refused(struct jr_cluster *c, const struct jr_http_answer *a)
{
    struct jr_api_status status = { 0 };
    JR_ARENA arena = { 0 };
    JR_FREE char *words = NULL;

    jr_arena_init(&arena, 0);
    if (jr_need(jr_api_status_decode(a->body, &arena, &status, NULL)) != JR_OK ||
        status.message.n == 0)
        status.message = JR_S("the server refuses it");
    words = jr_xasprintf("%.*s (%d)", JR_P(jr_str_head(status.message, 300)), a->status);
    fail_at(c, a->status == 403 ? c->kube.user : c->kube.cluster, NULL, words);
    if (a->status == 403)
        c->err.status = JR_DENIED;
}

/** Whether the words are of a proxy that the environment names: they name another host. */
static bool is_by_environment(const struct jr_kube_config *k, const char *words)
{
    static const char *const names[] = { "https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy",
                                         "ALL_PROXY" };
    struct jr_str rest = jr_rest_host(jr_str(k->server)), host = rest;
    const char *said = strstr(words, "connect to ");

    (void)jr_str_cut(&rest, ':', &host);
    if (said == NULL || k->proxy_url != NULL ||
        jr_str_starts(jr_str(said + strlen("connect to ")), host))
        return false;
    for (size_t i = 0; i < JR_ARRAY_SIZE(names); i++) {
        if (secure_getenv(names[i]) != NULL)
            return true;
    }
    return false;
}

static void fail_connection(struct jr_cluster *c, enum jr_curl_fault fault, const char *words)
{
    const struct jr_kube_config *k = &c->kube;
    const char *field = "server", *place = k->cluster;

    if (fault == JR_CURL_FAULT_AUTHORITY)
        field = k->ca_file != NULL ? "certificate-authority" : "certificate-authority-data";
    else if (fault == JR_CURL_FAULT_NAME)
        field = k->tls_server_name != NULL ? "tls-server-name" : "server";
    else if (fault == JR_CURL_FAULT_PROXY && k->proxy_url != NULL)
        field = "proxy-url";
    else if (fault == JR_CURL_FAULT_CERTIFICATE && k->user != NULL && credential_field(k) != NULL) {
        place = k->user;
        field = credential_field(k);
    }
    if (is_by_environment(k, words) || (fault == JR_CURL_FAULT_PROXY && k->proxy_url == NULL))
        fail_at(c, "HTTPS_PROXY", NULL, words);
    else
        fail_at(c, place, k->cluster == NULL ? NULL : field, words);
}

/* ---- answers ---- */

/** A server error to a command that waits for one that is away: for minutes, and not forever. */
static bool is_away(const struct jr_cluster *c, const struct jr_http_answer *a)
{
    return c->patience_ns > 0 &&
           (a->outcome == JR_HTTP_DONE ? a->status >= 500
                                       : jr_curl_last_fault(c->curl) == JR_CURL_FAULT_SERVER);
}

static bool is_batch(const char *path)
{
    return jr_str_starts(jr_str(path), JR_S("/apis/batch/"));
}

/** Whether asking again can't help: a right is missing, or something in the request is wrong, as a
 * selector. */
static bool is_refused(const struct jr_cluster *c, const char *path, int status)
{
    if (status != 403 && !((status == 400 || status == 404) && is_batch(path)))
        return false;
    return c->can_do_without == NULL || !c->can_do_without(c->ctx, path);
}

/** Fills c->err with the refusal, if the answer is one. */
static bool is_refusal(struct jr_cluster *c, const char *path, const struct jr_http_answer *a)
{
    const enum jr_curl_fault fault = jr_curl_last_fault(c->curl);

    if (a->outcome == JR_HTTP_DONE) {
        if (a->status == 401)
            fail_unauthorized(c);
        else if (is_refused(c, path, a->status) || (is_away(c, a) && is_batch(path)))
            fail_refused(c, a);
        return c->err.status != JR_OK;
    }
    if (a->error.status == JR_DENIED)
        fail_at(c, c->kube.user, "exec", a->error.msg);
    else if (fault != JR_CURL_FAULT_NONE)
        fail_connection(c, fault, a->error.msg);
    else
        return false;
    return true;
}

/** How long a refusal may last, once there was an answer. */
static int64_t patience(const struct jr_cluster *c, const struct jr_http_answer *a)
{
    return is_away(c, a) ? c->patience_ns : LASTS_NS;
}

static void on_lasted(void *ctx)
{
    struct jr_cluster *c = ctx;

    c->lasts = NULL;
    c->err = c->refusal;
    jr_loop_stop(c->loop);
}

static struct jr_str without_query(const char *path)
{
    return (struct jr_str){ path, strcspn(path, "?") };
}

/** Whether an answer shows that the refusals are over: after a 403 only one to the same path does,
 * as other resources may be allowed all the time. */
static bool ends_refusals(const struct jr_cluster *c, const char *path)
{
    return c->forbidden == NULL || jr_str_is(without_query(path), c->forbidden);
}

static void note_refusal(struct jr_cluster *c, const char *path, const struct jr_http_answer *a)
{
    if (c->lasts == NULL)
        jr_xloop_after(c->loop, patience(c, a), on_lasted, c, &c->lasts);
    c->refusal = c->err;
    c->err = (struct jr_error){ 0 };
    free(c->forbidden);
    c->forbidden =
        a->outcome == JR_HTTP_DONE && a->status == 403 ? jr_xstrndup(without_query(path)) : NULL;
}

static void on_answer(void *ctx, const char *path, const struct jr_http_answer *a)
{
    struct jr_cluster *c = ctx;
    char text[sizeof(c->err.path) + sizeof(c->err.msg) + 8];

    if (c->err.status != JR_OK)
        return;
    if (!is_refusal(c, path, a)) {
        c->answered |= a->outcome == JR_HTTP_DONE && a->status < 500;
        if (a->outcome == JR_HTTP_DONE && ends_refusals(c, path))
            jr_timer_cancel(c->loop, &c->lasts);
        return;
    }
    /* A server that is being started answers 503. */
    if (!c->answered && !(a->outcome == JR_HTTP_DONE && a->status >= 500)) {
        jr_loop_stop(c->loop);
        return;
    }
    if (!c->said)
        jr_show_error("%s: %s; trying again", c->program,
                      jr_error_text(&c->err, text, sizeof(text)));
    c->said = true;
    note_refusal(c, path, a);
}

static void on_signal(void *ctx, int signo)
{
    struct jr_cluster *c = ctx;

    c->signal = signo;
    jr_loop_stop(c->loop);
}

static void on_slow(void *ctx)
{
    const struct jr_cluster *c = ctx;

    jr_show_error("%s: %s.exec: %s has not ended for 10 s; waiting for it", c->program,
                  c->kube.user, c->kube.exec->command);
}

/* ---- opening ---- */

enum jr_status jr_cluster_open(struct jr_cluster *c, const struct jr_cluster_flags *flags,
                               const char *program, struct jr_error *err)
{
    const struct jr_login_observer observer = { on_answer, on_slow, c };
    static const int signals[] = { SIGINT, SIGTERM };
    enum jr_status st =
        jr_kube_config_load(flags->kubeconfig, flags->context, JR_CONFIG_PERSON, &c->kube, err);

    c->program = program;
    if (st == JR_OK)
        st = jr_loop_new(&jr_clock_system, &c->loop, err);
    for (size_t i = 0; i < JR_ARRAY_SIZE(signals) && st == JR_OK; i++)
        st = jr_loop_signal(c->loop, signals[i], on_signal, c, err);
    if (st == JR_OK)
        st = jr_curl_new(c->loop, &c->kube, "jobreeve/" JR_VERSION, &c->curl, err);
    if (st != JR_OK)
        return st;
    /* A credential that stands in the file comes first, as with kubectl. */
    c->login =
        jr_login_new(c->loop, c->curl,
                     c->kube.token == NULL && c->kube.token_file == NULL && c->kube.username == NULL
                         ? c->kube.exec
                         : NULL,
                     &observer);
    c->env = (struct jr_env){ c->loop, jr_rand_system, jr_login_transport(c->login) };
    return JR_OK;
}

const char *jr_cluster_namespace(const struct jr_cluster *c, const char *flag)
{
    if (flag != NULL && flag[0] != '\0')
        return flag;
    return c->kube.namespace != NULL ? c->kube.namespace : "default";
}

enum jr_status jr_cluster_run(struct jr_cluster *c, struct jr_error *err)
{
    const enum jr_status st = jr_loop_run(c->loop, err);

    if (st != JR_OK || c->err.status == JR_OK)
        return st;
    *err = c->err;
    return err->status;
}

void jr_cluster_close(struct jr_cluster *c)
{
    jr_login_free(c->login);
    jr_curl_free(c->curl);
    if (c->loop != NULL)
        jr_timer_cancel(c->loop, &c->lasts);
    free(c->forbidden);
    jr_kube_config_done(&c->kube);
    jr_loop_free(c->loop);
    *c = (struct jr_cluster){ 0 };
}
