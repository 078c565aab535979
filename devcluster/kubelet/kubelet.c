/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated kubelet: its Node, and Pods by what the informer tells. */
#include "devcluster/kubelet/kubelet.h"

#include <stdio.h>

#include "common/base/hash.h"
#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/kube/informer.h"
#include "common/kube/request.h"
#include "devcluster/kubelet/attempts.h"
#include "devcluster/kubelet/plan.h"
#include "devcluster/kubelet/pod.h"
#include "devcluster/kubelet/status.h"

#define RETRY_NS (500 * JR_MSEC)
#define REQUEST_TIMEOUT_MS 30000
#define PATH_MAX_BYTES 1024

struct sim_pod {
    struct jr_link link;
    struct jr_dev_kubelet *kubelet;
    struct jr_doc *doc; /* as last seen */
    bool seen;          /* in the list under way */
    bool bound;         /* by us; the watch shows the node's name sooner or later */
    bool planned;
    bool started;
    bool ended;
    bool ended_by_another;     /* and not by us: so it was seen */
    enum jr_dev_sim_phase end; /* how */
    bool dying;                /* the deletion was noticed and the time to die runs */
    bool removed;              /* the last DELETE was sent and answered */
    unsigned restarts;
    struct jr_dev_pod_plan plan;
    struct jr_time started_at;
    struct jr_timer *timer;
    struct jr_kube_call *call;
    char *namespace;
    char *name;
    char *uid;
};

struct jr_dev_kubelet {
    struct jr_env env;
    struct jr_dev_kubelet_options options;
    struct jr_log *log;
    struct jr_informer *informer;
    struct jr_map pods; /* by uid */
    struct jr_map attempts;
    bool registered;
    bool lease_made;
    struct jr_timer *node_timer;
    struct jr_kube_call *node_call;
};

static void advance_pod(struct sim_pod *p);

static void pod_forget(struct sim_pod *p)
{
    jr_map_remove(&p->kubelet->pods, &p->link);
    jr_timer_cancel(p->kubelet->env.loop, &p->timer);
    jr_kube_cancel(&p->call);
    jr_doc_free(p->doc);
    free(p->namespace);
    free(p->name);
    free(p->uid);
    free(p);
}

static void on_pod_timer(void *ctx)
{
    struct sim_pod *p = ctx;

    p->timer = NULL;
    advance_pod(p);
}

static void pod_wait(struct sim_pod *p, int64_t ns)
{
    jr_timer_cancel(p->kubelet->env.loop, &p->timer);
    jr_xloop_after(p->kubelet->env.loop, ns, on_pod_timer, p, &p->timer);
}

/* Sends a request about the Pod; done gets the Pod as its context. */
static void pod_send(struct sim_pod *p, const char *method, const char *sub, const char *type,
                     struct jr_str body, void (*done)(void *ctx, const struct jr_kube_result *r))
{
    char path[PATH_MAX_BYTES];

    (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%s/pods/%s%s", p->namespace, p->name,
                   sub);
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = path,
                  .content_type = type,
                  .body = body,
                  .timeout_ms = REQUEST_TIMEOUT_MS },
        .max_retries = 3,
    };
    p->call = jr_kube_send(&p->kubelet->env, &req, done, p);
}

/* What every answer has in common: the call is over, a Pod that is gone is forgotten, an error is
 * tried again later. True: go on. */
static bool take_answer(struct sim_pod *p, const struct jr_kube_result *r, const char *what)
{
    p->call = NULL;
    if (r->kind == JR_RESULT_OK)
        return true;
    /* Gone or changed: the watch says which. */
    if (r->http != 404 && r->http != 409)
        jr_warn(p->kubelet->log, "request failed", JR_CSTR("request", what),
                JR_OBJECT("Pod", jr_str(p->namespace), jr_str(p->name)), JR_ERR(&r->error));
    pod_wait(p, RETRY_NS);
    return false;
}

static const struct jr_node *pod_node(const struct sim_pod *p)
{
    return jr_doc_root_const(p->doc);
}

static void plan_run(struct sim_pod *p)
{
    p->plan =
        jr_dev_pod_plan_of(pod_node(p), jr_dev_attempt_next(&p->kubelet->attempts, pod_node(p)),
                           p->kubelet->options.default_run_ms * JR_MSEC);
    p->planned = true;
}

static void send_status(struct sim_pod *p, enum jr_dev_sim_phase phase, int exit_code,
                        void (*done)(void *ctx, const struct jr_kube_result *r))
{
    JR_BUF body = { 0 };
    const struct jr_dev_sim_status st = {
        .phase = phase,
        .ready = p->plan.ready,
        .exit_code = exit_code,
        .disrupted = p->plan.disrupted && phase == JR_DEV_SIM_FAILED,
        .restarts = p->restarts,
        .started = p->started_at,
        .now = jr_loop_wall(p->kubelet->env.loop),
    };

    jr_buf_init(&body, JR_BUF_BY_INPUT);
    jr_dev_sim_status_write(pod_node(p), &st, &body);
    pod_send(p, "PATCH", "/status", "application/merge-patch+json", jr_buf_str(&body), done);
}

static void on_started(void *ctx, const struct jr_kube_result *r)
{
    struct sim_pod *p = ctx;

    if (!take_answer(p, r, "start"))
        return;
    p->started = true;
    if (p->plan.run_ns >= 0 && !p->ended)
        pod_wait(p, p->plan.run_ns);
    else
        advance_pod(p);
}

static void start_pod(struct sim_pod *p)
{
    struct jr_str phase = jr_get_str(jr_get(pod_node(p), "status"), "phase");

    if (!p->planned)
        plan_run(p);
    if (!jr_time_set(p->started_at))
        p->started_at = jr_loop_wall(p->kubelet->env.loop);
    if (jr_str_is(phase, "Running") && p->restarts == 0) {
        /* Found running after a restart of ours: it runs its time from now on. */
        p->started = true;
        if (p->plan.run_ns >= 0)
            pod_wait(p, p->plan.run_ns);
        return;
    }
    send_status(p, JR_DEV_SIM_RUNNING, 0, on_started);
}

static void on_ended(void *ctx, const struct jr_kube_result *r)
{
    struct sim_pod *p = ctx;

    if (!take_answer(p, r, "end"))
        return;
    p->ended = true;
    p->ended_by_another = false;
    advance_pod(p);
}

static void finish_pod(struct sim_pod *p)
{
    if (p->plan.restart && !p->dying) {
        p->restarts++;
        p->started = false;
        plan_run(p);
        pod_wait(p, p->plan.restart_ns);
        return;
    }
    if (p->dying)
        send_status(p, JR_DEV_SIM_FAILED, 143, on_ended);
    else
        send_status(p, p->plan.exit_code == 0 ? JR_DEV_SIM_SUCCEEDED : JR_DEV_SIM_FAILED,
                    p->plan.exit_code, on_ended);
}

static void on_removed(void *ctx, const struct jr_kube_result *r)
{
    struct sim_pod *p = ctx;

    if (r->http == 404) {
        p->call = NULL;
        p->removed = true;
        return;
    }
    if (!take_answer(p, r, "remove"))
        return;
    p->removed = true;
    /* Something else's finalizer may hold it, and its status have changed meanwhile. */
    advance_pod(p);
}

static void remove_pod(struct sim_pod *p)
{
    char body[256];

    (void)snprintf(body, sizeof(body),
                   "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"gracePeriodSeconds\":0,"
                   "\"preconditions\":{\"uid\":\"%s\"}}",
                   p->uid);
    pod_send(p, "DELETE", "", "application/json", jr_str(body), on_removed);
}

static void on_bound(void *ctx, const struct jr_kube_result *r)
{
    struct sim_pod *p = ctx;

    if (!take_answer(p, r, "bind"))
        return;
    p->bound = true;
    /* The watch may have been faster than the answer. */
    advance_pod(p);
}

static void bind(struct sim_pod *p)
{
    JR_BUF body = { 0 };

    jr_buf_init(&body, JR_BUF_BY_INPUT);
    jr_must(jr_buf_addf(&body,
                        "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"%s\","
                        "\"uid\":\"%s\"},\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                        "\"name\":\"%s\"}}",
                        p->name, p->uid, p->kubelet->options.node));
    pod_send(p, "POST", "/binding", "application/json", jr_buf_str(&body), on_bound);
}

/* Whether a status of ours has come after another's that ended the Pod: then the phase is set back,
 * as kubelets do. */
static bool set_back(struct sim_pod *p, struct jr_str phase)
{
    if (!p->ended_by_another || !jr_str_is(phase, "Running"))
        return false;
    send_status(p, p->end, p->end == JR_DEV_SIM_SUCCEEDED ? 0 : 137, on_ended);
    return true;
}

/* Every Pod that is deleted comes to a terminal phase before it goes, as kubelets have seen to
 * since 1.27, and the Pod collector for those that no node has: Jobs that wait for it rely on that.
 */
static void advance_deleted(struct sim_pod *p, struct jr_str phase)
{
    if (!p->ended && !p->dying) {
        p->dying = true;
        pod_wait(p, p->started ? p->plan.die_ns : 0);
    } else if (!p->ended) {
        finish_pod(p);
    } else if (!set_back(p, phase) && !p->removed) {
        remove_pod(p);
    }
}

/* A terminal phase is the last one, whoever has set it. */
static void note_end(struct sim_pod *p, struct jr_str phase)
{
    bool succeeded = jr_str_is(phase, "Succeeded");

    if (p->ended || (!succeeded && !jr_str_is(phase, "Failed")))
        return;
    p->ended = p->ended_by_another = true;
    p->end = succeeded ? JR_DEV_SIM_SUCCEEDED : JR_DEV_SIM_FAILED;
}

/* One step towards where the Pod should be; called again after each event, answer and timer. */
static void advance_pod(struct sim_pod *p)
{
    const struct jr_node *pod = pod_node(p);
    struct jr_str node = jr_get_str(jr_get(pod, "spec"), "nodeName");
    struct jr_str phase = jr_get_str(jr_get(pod, "status"), "phase");
    bool deleted = !jr_unset(jr_path(pod, "metadata.deletionTimestamp"));

    /* Also while a status of ours is under way, which may come over it. */
    note_end(p, phase);
    if (p->call != NULL || p->timer != NULL)
        return;
    if (node.n > 0 && !jr_str_is(node, p->kubelet->options.node))
        return;
    if (deleted) {
        advance_deleted(p, phase);
        return;
    }
    if (node.n == 0) {
        if (!p->ended && !p->bound && jr_size(jr_path(pod, "spec.schedulingGates")) == 0)
            bind(p);
        return;
    }
    if (p->ended)
        (void)set_back(p, phase);
    else if (!p->started)
        start_pod(p);
    else if (p->plan.run_ns >= 0)
        finish_pod(p);
}

/* The informer's side. */

static struct sim_pod *pod_find(struct jr_dev_kubelet *k, struct jr_str uid)
{
    struct jr_link *l = jr_map_first(&k->pods, jr_hash(uid));

    while (l != NULL && !jr_str_is(uid, jr_of(l, struct sim_pod, link)->uid))
        l = jr_map_again(l);
    return l == NULL ? NULL : jr_of(l, struct sim_pod, link);
}

static struct sim_pod *pod_new(struct jr_dev_kubelet *k, const struct jr_node *meta)
{
    struct jr_str uid = jr_get_str(meta, "uid");
    struct sim_pod *p = jr_xcalloc(1, sizeof(*p));

    p->kubelet = k;
    p->namespace = jr_xstrndup(jr_get_str(meta, "namespace"));
    p->name = jr_xstrndup(jr_get_str(meta, "name"));
    p->uid = jr_xstrndup(uid);
    jr_xmap_add(&k->pods, &p->link, jr_hash(uid));
    return p;
}

static bool is_deleted(const struct jr_doc *pod)
{
    return pod != NULL && !jr_unset(jr_path(jr_doc_root_const(pod), "metadata.deletionTimestamp"));
}

static void on_object(void *ctx, struct jr_str object)
{
    struct jr_dev_kubelet *k = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_kubelet_pod_parse(object, k->log);
    const struct jr_node *meta = doc == NULL ? NULL : jr_get(jr_doc_root(doc), "metadata");
    struct sim_pod *p;

    if (jr_get_str(meta, "uid").n == 0)
        return;
    p = pod_find(k, jr_get_str(meta, "uid"));
    if (p == NULL)
        p = pod_new(k, meta);
    /* Deletion ends whatever the Pod was waiting for. */
    if (is_deleted(doc) && !is_deleted(p->doc))
        jr_timer_cancel(k->env.loop, &p->timer);
    jr_doc_free(p->doc);
    p->doc = jr_steal(&doc);
    p->seen = true;
    advance_pod(p);
}

static void on_replace_begin(void *ctx)
{
    struct jr_dev_kubelet *k = ctx;

    for (struct jr_link *l = NULL; (l = jr_map_next(&k->pods, l)) != NULL;)
        jr_of(l, struct sim_pod, link)->seen = false;
}

/* Forgets the Pods that weren't seen; all: any. */
static void forget_pods(struct jr_dev_kubelet *k, bool all)
{
    struct jr_link *next;

    for (struct jr_link *l = jr_map_next(&k->pods, NULL); l != NULL; l = next) {
        struct sim_pod *p = jr_of(l, struct sim_pod, link);

        next = jr_map_next(&k->pods, l);
        if (all || !p->seen)
            pod_forget(p);
    }
}

static void on_replace_end(void *ctx, struct jr_str resource_version)
{
    (void)resource_version;
    forget_pods(ctx, false);
}

static void on_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct jr_dev_kubelet *k = ctx;
    struct sim_pod *p;

    if (type != JR_EV_DELETED) {
        on_object(k, object);
        return;
    }
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = jr_dev_kubelet_pod_parse(object, k->log);
    if (doc == NULL)
        return;
    p = pod_find(k, jr_get_str(jr_path(jr_doc_root(doc), "metadata"), "uid"));
    if (p != NULL)
        pod_forget(p);
}

/* The Node and its Lease. */

static void node_tick(void *ctx);

static void node_wait(struct jr_dev_kubelet *k, int64_t ns)
{
    jr_xloop_after(k->env.loop, ns, node_tick, k, &k->node_timer);
}

static void node_send(struct jr_dev_kubelet *k, const char *method, const char *path,
                      const char *type, const struct jr_buf *body,
                      void (*done)(void *ctx, const struct jr_kube_result *r))
{
    const struct jr_kube_request req = {
        .http = { .method = method,
                  .path = path,
                  .content_type = type,
                  .body = jr_buf_str(body),
                  .timeout_ms = REQUEST_TIMEOUT_MS },
        .max_retries = 0,
    };

    k->node_call = jr_kube_send(&k->env, &req, done, k);
}

static void on_lease(void *ctx, const struct jr_kube_result *r)
{
    struct jr_dev_kubelet *k = ctx;

    k->node_call = NULL;
    if (r->kind == JR_RESULT_OK || r->http == 409) {
        bool first = !k->lease_made;
        k->lease_made = true;
        node_wait(k, first ? 0 : k->options.lease_ms * JR_MSEC);
        return;
    }
    /* The namespace comes with the controllers of the cluster, perhaps a little later. */
    if (r->http == 404)
        k->lease_made = false;
    else
        jr_warn(k->log, "lease not renewed", JR_ERR(&r->error));
    node_wait(k, RETRY_NS);
}

static void on_node_ready(void *ctx, const struct jr_kube_result *r)
{
    struct jr_dev_kubelet *k = ctx;

    k->node_call = NULL;
    if (r->kind == JR_RESULT_OK) {
        k->registered = true;
        jr_info(k->log, "node registered", JR_NAMED("Node", jr_str(k->options.node)));
        node_wait(k, 0);
        return;
    }
    jr_warn(k->log, "node not ready yet", JR_ERR(&r->error));
    node_wait(k, RETRY_NS);
}

static void on_node_made(void *ctx, const struct jr_kube_result *r)
{
    struct jr_dev_kubelet *k = ctx;
    char path[PATH_MAX_BYTES];
    JR_BUF body = { 0 };

    k->node_call = NULL;
    if (r->kind != JR_RESULT_OK && r->http != 409) {
        jr_warn(k->log, "node not registered yet", JR_ERR(&r->error));
        node_wait(k, RETRY_NS);
        return;
    }
    jr_buf_init(&body, 16384);
    (void)snprintf(path, sizeof(path), "/api/v1/nodes/%s/status", k->options.node);
    jr_dev_sim_node_status_write(jr_loop_wall(k->env.loop), &body);
    node_send(k, "PATCH", path, "application/merge-patch+json", &body, on_node_ready);
}

static void node_tick(void *ctx)
{
    struct jr_dev_kubelet *k = ctx;
    struct jr_time now = jr_loop_wall(k->env.loop);
    char path[PATH_MAX_BYTES];
    JR_BUF body = { 0 };

    k->node_timer = NULL;
    jr_buf_init(&body, 16384);
    if (!k->registered) {
        jr_dev_sim_node_write(k->options.node, now, &body);
        node_send(k, "POST", "/api/v1/nodes", "application/json", &body, on_node_made);
        return;
    }
    jr_dev_sim_lease_write(k->options.node, now, &body);
    (void)snprintf(path, sizeof(path),
                   "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases%s%s",
                   k->lease_made ? "/" : "", k->lease_made ? k->options.node : "");
    node_send(k, k->lease_made ? "PATCH" : "POST", path,
              k->lease_made ? "application/merge-patch+json" : "application/json", &body, on_lease);
}

struct jr_dev_kubelet *jr_dev_kubelet_new(const struct jr_env *env,
                                          const struct jr_dev_kubelet_options *options,
                                          struct jr_log *log)
{
    struct jr_dev_kubelet *k = jr_xcalloc(1, sizeof(*k));

    k->env = *env;
    k->options = *options;
    k->log = log;
    if (k->options.lease_ms == 0)
        k->options.lease_ms = 10000;
    const struct jr_informer_options informer = {
        .path = "/api/v1/pods",
        .name = "pods",
        .watch_list = true,
    };
    const struct jr_informer_handler handler = {
        .on_replace_begin = on_replace_begin,
        .on_replace_item = on_object,
        .on_replace_end = on_replace_end,
        .on_event = on_event,
        .ctx = k,
    };
    k->informer = jr_informer_new(&k->env, &informer, &handler, log, NULL);
    return k;
}

void jr_dev_kubelet_start(struct jr_dev_kubelet *k)
{
    node_wait(k, 0);
    jr_informer_start(k->informer);
}

void jr_dev_kubelet_free(struct jr_dev_kubelet *k)
{
    if (k == NULL)
        return;
    jr_informer_free(k->informer);
    forget_pods(k, true);
    jr_map_done(&k->pods);
    jr_dev_attempts_done(&k->attempts);
    jr_timer_cancel(k->env.loop, &k->node_timer);
    jr_kube_cancel(&k->node_call);
    free(k);
}
