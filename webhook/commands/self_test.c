/* SPDX-License-Identifier: Apache-2.0 */
/* What an installed webhook is asked from outside: its probes, then the API server, which must ask
 * both of its sides. One check after the other; each is tried again until it holds. */
#include <stdio.h>

#include "common/base/memory.h"
#include "common/kube/requester.h"
#include "webhook/commands/one_shot.h"
#include "webhook/review/self_test_refusal.h"

#define AGAIN_NS JR_SEC
#define DENIED_BY(SIDE) "admission webhook \"" SIDE ".job.jobreeve.dev\" denied the request: "

struct self_test;

struct check {
    const char *name;
    const char *side;   /* the annotation's value; NULL: none */
    const char *denied; /* what the refusal's text begins with; NULL: it has to be admitted */
    const char *shows;  /* what is in the answer */
    bool probe;         /* asked of the webhook itself, not of the API server */
};
enum { READY, METRICS, MUTATES, VALIDATES, ADMITS, N_CHECKS };
static const struct check checks[N_CHECKS] = {
    [READY] = { .name = "the webhook is ready", .probe = true },
    [METRICS] = { .name = "it serves metrics",
                  .probe = true,
                  .shows = "controller_runtime_webhook_requests_total" },
    [MUTATES] = { .name = "the API server asks mutate.job.jobreeve.dev",
                  .side = JR_SELF_TEST_MUTATE,
                  .denied = DENIED_BY("mutate") JR_SELF_TEST_MESSAGE },
    [VALIDATES] = { .name = "the API server asks validate.job.jobreeve.dev",
                    .side = JR_SELF_TEST_VALIDATE,
                    .denied = DENIED_BY("validate") JR_SELF_TEST_MESSAGE },
    [ADMITS] = { .name = "a good Job is admitted", .shows = "\"Job\"" },
};

struct self_test {
    struct jr_one_shot e;
    char *jobs; /* path */
    const struct jr_flag_list *sides;
    struct {
        const char *path; /* NULL: not asked for */
        struct jr_curl *curl;
        struct jr_env env;
    } probes[METRICS + 1];
    size_t at;
    struct jr_requester q; /* its env: that of the check */
};

static void ask_next(void *ctx);

/* ---- what came of it ---- */

/** At the deadline the last reason is told. */
static void ask_later(struct self_test *t, struct jr_error *why)
{
    (void)snprintf(why->path, sizeof(why->path), "%s", checks[t->at].name);
    jr_info(t->e.log, "not yet", JR_ERR(why));
    jr_one_shot_waits(&t->e, why);
    jr_requester_after(&t->q, AGAIN_NS, ask_next);
}

static bool shows(struct jr_str body, const char *text)
{
    return text == NULL || memmem(body.p, body.n, text, strlen(text)) != NULL;
}

/** Whether the check holds; else why not. */
static bool check_answer(const struct check *c, const struct jr_kube_result *r,
                         struct jr_error *why)
{
    *why = r->error;
    if (c->denied != NULL && r->kind == JR_RESULT_OK)
        (void)jr_fail(why, JR_INVALID, NULL, "it has admitted what that webhook refuses");
    else if (c->denied != NULL)
        return r->kind == JR_RESULT_REFUSED && jr_str_starts(r->status.message, jr_str(c->denied));
    else if (r->kind == JR_RESULT_OK && !shows(r->body, c->shows))
        (void)jr_fail(why, JR_INVALID, NULL, "expected %s in the answer", c->shows);
    else
        return r->kind == JR_RESULT_OK;
    return false;
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct self_test *t = ctx;
    struct jr_error why;

    if (!check_answer(&checks[t->at], r, &why)) {
        ask_later(t, &why);
        return;
    }
    jr_info(t->e.log, "ok", JR_CSTR("check", checks[t->at].name));
    t->at++;
    ask_next(t);
}

/* ---- asking ---- */

/** A Job that any namespace should admit. */
static void write_job(const char *side, struct jr_buf *out)
{
    (void)jr_buf_adds(out, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{"
                           "\"name\":\"jobreeve-self-test\"");
    if (side != NULL)
        (void)jr_buf_addf(out, ",\"annotations\":{\"" JR_SELF_TEST_ANNOTATION "\":\"%s\"}", side);
    (void)jr_buf_adds(
        out, "},\"spec\":{\"suspend\":true,\"template\":{\"spec\":{\"restartPolicy\":\"Never\","
             "\"securityContext\":{\"runAsNonRoot\":true,\"seccompProfile\":{\"type\":"
             "\"RuntimeDefault\"}},\"containers\":[{\"name\":\"main\",\"image\":"
             "\"registry.invalid/never-run:1\",\"resources\":{\"requests\":{\"cpu\":\"1m\","
             "\"memory\":\"1Mi\"},\"limits\":{\"cpu\":\"1m\",\"memory\":\"1Mi\"}},"
             "\"securityContext\":{\"allowPrivilegeEscalation\":false,\"capabilities\":{\"drop\":"
             "[\"ALL\"]}}}]}}}}");
}

static void send_check(struct self_test *t, const struct check *c)
{
    struct jr_http_request req = { .method = "GET", .path = t->jobs };
    JR_BUF body = { 0 };

    jr_buf_init(&body, JR_BUF_BY_INPUT);
    if (c->probe) {
        req.path = t->probes[t->at].path;
        req.accept = "*/*";
    } else {
        write_job(c->side, &body);
        jr_must(body.failed);
        req.method = "POST";
        req.body = jr_buf_str(&body);
    }
    t->q.env = c->probe ? t->probes[t->at].env : t->e.api.env;
    jr_requester_send(&t->q, &req, on_answer);
}

static bool left_out(const struct self_test *t, size_t at)
{
    const struct check *c = &checks[at];
    bool wanted = c->side == NULL;

    if (c->probe)
        return t->probes[at].path == NULL;
    for (size_t i = 0; i < t->sides->n; i++)
        wanted = wanted || jr_str_is(t->sides->v[i], c->side);
    return !wanted;
}

static void ask_next(void *ctx)
{
    struct self_test *t = ctx;

    while (t->at < N_CHECKS && left_out(t, t->at))
        t->at++;
    if (t->at == N_CHECKS) {
        jr_info(t->e.log, "all is well", JR_NONE);
        jr_one_shot_end(&t->e, 0);
    } else {
        send_check(t, &checks[t->at]);
    }
}

/* ---- its life ---- */

/** A connection of its own to the URL's host, without our credentials. ca_file and name: as
 * jr_kube_config_of_server. */
static enum jr_status open_probe(struct self_test *t, size_t i, const char *url,
                                 const char *ca_file, const char *name, struct jr_error *err)
{
    JR_CLEANUP(jr_kube_config_done) struct jr_kube_config config = { .server = NULL };
    JR_FREE char *server = NULL;
    enum jr_status st;

    if (url == NULL)
        return JR_OK;
    t->probes[i].path = url + jr_self_test_path(url);
    server = jr_xstrndup((struct jr_str){ url, jr_self_test_path(url) });
    st = jr_kube_config_of_server(server, ca_file, name, &config, err);
    if (st == JR_OK)
        st = jr_curl_new(t->e.loop, &config, "jobreeve-webhook/" JR_VERSION, &t->probes[i].curl,
                         err);
    if (st == JR_OK)
        t->probes[i].env =
            (struct jr_env){ t->e.loop, jr_rand_system, jr_curl_transport(t->probes[i].curl) };
    return st;
}

static enum jr_status begin_test(struct self_test *t, const struct jr_webhook_self_test_options *o,
                                 struct jr_log *log, struct jr_error *err)
{
    enum jr_status st = jr_one_shot_begin(&t->e, &o->api, o->timeout_ms, log, err);

    t->sides = &o->sides;
    if (st == JR_OK)
        st = open_probe(t, READY, o->readyz_url, NULL, NULL, err);
    if (st == JR_OK)
        st =
            open_probe(t, METRICS, o->metrics_url, o->metrics_ca_file, o->metrics_server_name, err);
    if (st != JR_OK)
        return st;
    t->jobs = jr_xasprintf("/apis/batch/v1/namespaces/%s/jobs?dryRun=All", o->namespace);
    t->q = (struct jr_requester){ .env = t->e.api.env, .ctx = t };
    jr_requester_after(&t->q, 0, ask_next);
    return JR_OK;
}

static void test_done(struct self_test *t)
{
    jr_requester_done(&t->q);
    for (size_t i = 0; i <= METRICS; i++)
        jr_curl_free(t->probes[i].curl);
    free(t->jobs);
    jr_one_shot_done(&t->e);
}

int jr_webhook_self_test(const struct jr_webhook_self_test_options *options, struct jr_log *log)
{
    JR_CLEANUP(test_done) struct self_test t = { .at = 0 };
    struct jr_error err = { .status = JR_OK };

    return begin_test(&t, options, log, &err) == JR_OK ? jr_one_shot_run(&t.e)
                                                       : jr_one_shot_failed(log, &err);
}
