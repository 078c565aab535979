/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "common/api/job.h"
#include "common/api/pod.h"
#include "common/curl/curl.h"
#include "common/kube/informer.h"
#include "common/kube/request.h"
#include "tests/bench/controller/bench.h"

#define CREATES_MAX 20 /* in flight */
#define PATCHES_MAX 64
#define RETRIES 5

/** Pods of which the end is still to be written, by name: a queue. */
struct names {
    char **v;
    size_t n, cap, first;
};

struct load {
    const struct bench_options *o;
    struct jr_kube_config config;
    struct jr_env env;
    struct jr_curl *curl;
    struct jr_informer *pods, *jobs;
    struct names to_end;
    size_t creates, patches; /* in flight */
    size_t created, ended;   /* Jobs, Pods */
    size_t complete;         /* Jobs */
    bool wrong;
    struct jr_mono began, over;
};

static void fail(struct load *l, const char *what, const struct jr_error *err)
{
    if (!l->wrong)
        (void)fprintf(stderr, "bench-controller: %s: %s\n", what, err->msg);
    l->wrong = true;
    jr_loop_stop(l->env.loop);
}

static enum jr_status names_add(struct names *q, struct jr_str name)
{
    if (q->n == q->cap) {
        size_t cap = q->cap == 0 ? 256 : q->cap * 2;
        char **v = reallocarray(q->v, cap, sizeof(char *));

        if (v == NULL)
            return JR_NOMEM;
        q->v = v;
        q->cap = cap;
    }
    q->v[q->n] = jr_str_dup(name);
    return q->v[q->n++] == NULL ? JR_NOMEM : JR_OK;
}

static void names_done(struct names *q)
{
    for (size_t i = 0; i < q->n; i++)
        free(q->v[i]);
    free(q->v);
}

/* ---- writes ---- */

static void pump(struct load *l);

static void on_created(void *ctx, const struct jr_kube_result *r)
{
    struct load *l = ctx;

    l->creates--;
    if (r->kind != JR_RESULT_OK)
        fail(l, "creating a Job", &r->error);
    else
        pump(l);
}

static void create_job(struct load *l)
{
    struct jr_kube_request q = { .http = { .method = "POST", .timeout_ms = 60000 },
                                 .max_retries = RETRIES };
    char path[512], body[1024];
    int n;

    (void)snprintf(path, sizeof(path), "/apis/batch/v1/namespaces/%s/jobs", l->o->namespace);
    n = snprintf(
        body, sizeof(body),
        "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"bench-%zu\"},"
        "\"spec\":{\"parallelism\":%" PRIi64 ",\"completions\":%" PRIi64 ",\"template\":{\"spec\":{"
        "\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"main\",\"image\":\"busybox:"
        "1.36\",\"command\":[\"sh\",\"-c\",\"exit 0\"]}]}}}}",
        l->created, l->o->pods_each, l->o->pods_each);
    q.http.path = path;
    q.http.body = (struct jr_str){ body, (size_t)n };
    l->created++;
    l->creates++;
    (void)jr_kube_send(&l->env, &q, on_created, l);
}

static void on_ended(void *ctx, const struct jr_kube_result *r)
{
    struct load *l = ctx;

    l->patches--;
    l->ended++;
    if (r->kind != JR_RESULT_OK)
        fail(l, "ending a Pod", &r->error);
    else
        pump(l);
}

static void end_pod(struct load *l)
{
    struct jr_kube_request q = {
        .http = { .method = "PATCH",
                  .content_type = "application/strategic-merge-patch+json",
                  .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                  .body = JR_S("{\"status\":{\"phase\":\"Succeeded\"}}"),
                  .timeout_ms = 60000 },
        .max_retries = RETRIES
    };
    char path[1024];

    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s/status", l->o->namespace,
                   l->to_end.v[l->to_end.first++]);
    q.http.path = path;
    l->patches++;
    (void)jr_kube_send(&l->env, &q, on_ended, l);
}

static void pump(struct load *l)
{
    if (!jr_informer_synced(l->pods) || !jr_informer_synced(l->jobs))
        return;
    if (l->began.ns == 0)
        l->began = jr_loop_mono(l->env.loop);
    while (!l->wrong && l->creates < CREATES_MAX && l->created < (size_t)l->o->jobs)
        create_job(l);
    while (!l->wrong && l->patches < PATCHES_MAX && l->to_end.first < l->to_end.n)
        end_pod(l);
}

/* ---- what the API server tells ---- */

static void on_pod(void *ctx, enum jr_event_type type, struct jr_str object)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct load *l = ctx;
    struct jr_error err = { 0 };
    enum jr_status st;

    if (type != JR_EV_ADDED)
        return;
    st = jr_pod_decode(object, &pod, &err);
    if (st == JR_OK && !jr_pod_terminal(pod))
        st = names_add(&l->to_end, pod->name);
    if (st != JR_OK)
        fail(l, "a Pod", &err);
    pump(l);
}

static void on_job(void *ctx, enum jr_event_type type, struct jr_str object)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct load *l = ctx;
    struct jr_error err = { 0 };

    if (type != JR_EV_MODIFIED)
        return;
    if (jr_job_decode(object, &job, &err) != JR_OK) {
        fail(l, "a Job", &err);
        return;
    }
    if (!jr_job_finished(&job->status))
        return;
    if (job->status.succeeded != l->o->pods_each)
        fail(l, "a Job", &(struct jr_error){ .msg = "ended without all of its Pods" });
    if (++l->complete < (size_t)l->o->jobs)
        return;
    l->over = jr_loop_mono(l->env.loop);
    jr_loop_stop(l->env.loop);
}

static void on_known(void *ctx, struct jr_str object)
{
    (void)object;
    fail(ctx, "the namespace", &(struct jr_error){ .msg = "is not empty" });
}

static void on_begin(void *ctx)
{
    (void)ctx;
}

static void on_listed(void *ctx, struct jr_str version)
{
    (void)version;
    pump(ctx);
}

static void on_late(void *ctx)
{
    struct load *l = ctx;
    char words[160];
    struct jr_error err = { 0 };

    (void)snprintf(words, sizeof(words), "%zu of %" PRIi64 " Jobs complete, %zu Pods ended",
                   l->complete, l->o->jobs, l->ended);
    (void)jr_fail(&err, JR_TIMEOUT, NULL, "%s", words);
    fail(l, "no more time", &err);
}

/* ---- begin and end ---- */

static struct jr_informer *watch(struct load *l, const char *api, const char *name,
                                 void (*on_event)(void *ctx, enum jr_event_type type,
                                                  struct jr_str object))
{
    struct jr_informer *inf;
    char path[512];
    const struct jr_informer_options o = { .path = path, .name = name, .watch_list = true };
    const struct jr_informer_handler h = { .on_replace_begin = on_begin,
                                           .on_replace_item = on_known,
                                           .on_replace_end = on_listed,
                                           .on_event = on_event,
                                           .ctx = l };

    (void)snprintf(path, sizeof(path), "%s/namespaces/%s/%s", api, l->o->namespace, name);
    inf = jr_informer_new(&l->env, &o, &h, NULL, NULL);
    jr_informer_start(inf);
    return inf;
}

static void load_done(struct load *l)
{
    jr_informer_free(l->pods);
    jr_informer_free(l->jobs);
    jr_curl_free(l->curl);
    jr_loop_free(l->env.loop);
    jr_kube_config_done(&l->config);
    names_done(&l->to_end);
}

static enum jr_status begin(struct load *l, struct jr_error *err)
{
    enum jr_status st = jr_loop_new(&jr_clock_system, &l->env.loop, err);

    l->env.rand = jr_rand_system;
    if (st == JR_OK)
        st = jr_kube_config_load(l->o->kubeconfig, NULL, JR_CONFIG_SERVER, &l->config, err);
    if (st == JR_OK)
        st = jr_curl_new(l->env.loop, &l->config, "bench-controller", &l->curl, err);
    if (st != JR_OK)
        return st;
    l->env.transport = jr_curl_transport(l->curl);
    l->jobs = watch(l, "/apis/batch/v1", "jobs", on_job);
    l->pods = watch(l, "/api/v1", "pods", on_pod);
    st = jr_loop_after(l->env.loop, l->o->timeout_ms * JR_MSEC, on_late, l, NULL);
    return st == JR_OK ? st : jr_fail(err, st, NULL, "watching");
}

int bench_load(const struct bench_options *o)
{
    JR_CLEANUP(load_done) struct load l = { .o = o };
    struct jr_error err = { 0 };

    if (begin(&l, &err) != JR_OK || jr_loop_run(l.env.loop, &err) != JR_OK) {
        (void)fprintf(stderr, "bench-controller: %s: %s\n", err.path, err.msg);
        return 2;
    }
    (void)printf("load jobs %zu pods %zu us %" PRIi64 "\n", l.complete, l.ended,
                 (l.over.ns - l.began.ns) / 1000);
    return l.wrong ? 1 : 0;
}
