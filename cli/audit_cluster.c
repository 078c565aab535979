/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cluster's Namespaces and policies, then audits its objects, in one event loop with a
 * deadline. */
#include "cli/audit_cluster.h"

#include "common/audit/audit_pass.h"
#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/curl/curl.h"
#include "common/kube/requester.h"
#include "common/policy/watch/watch.h"

#define LOOK_NS (20 * JR_MSEC)
#define RETRY_CAP_NS (10 * JR_SEC)

/** The lists that an audit reads, the last one only without --policy. Each is asked for beforehand,
 * since informers retry whatever happens. */
static const char *const lists[] = { "/api/v1/namespaces?limit=1", "/apis/batch/v1/jobs?limit=1",
                                     "/apis/batch/v1/cronjobs?limit=1", JR_POLICY_PATH "?limit=1" };

struct audit {
    const struct jr_audit_cluster_options *o;
    struct jr_loop *loop;
    struct jr_kube_config kube;
    struct jr_curl *curl;
    struct jr_env env;
    struct jr_policy_store *store;
    struct jr_namespaces *namespaces;
    struct jr_policy_watch *watch;
    struct jr_audit_pass *pass;
    struct jr_timer *look, *deadline;
    struct jr_requester q;
    size_t asked;        /* of lists */
    unsigned failures;   /* of the next one */
    struct jr_error err; /* why there is no result */
    bool done;
};

static void audit_done(struct audit *a)
{
    jr_audit_pass_free(a->pass);
    jr_requester_done(&a->q);
    jr_policy_watch_free(a->watch);
    if (a->loop != NULL) {
        jr_timer_cancel(a->loop, &a->look);
        jr_timer_cancel(a->loop, &a->deadline);
    }
    jr_curl_free(a->curl);
    jr_kube_config_done(&a->kube);
    jr_policy_store_free(a->store);
    jr_namespaces_free(a->namespaces);
    jr_loop_free(a->loop);
}

static void end(struct audit *a, bool done)
{
    a->done = done;
    jr_loop_stop(a->loop);
}

static void on_audited(void *ctx, const struct jr_policy_audit *audit, size_t objects)
{
    struct audit *a = ctx;

    end(a, a->o->on_audited(a->o->ctx, audit, objects, &a->err) == JR_OK);
}

static void on_failed(void *ctx, const struct jr_error *why)
{
    struct audit *a = ctx;

    a->err = *why;
    end(a, false);
}

static void on_late(void *ctx)
{
    struct audit *a = ctx;
    const struct jr_error before = a->err;
    const struct jr_error *last = jr_curl_last_error(a->curl);

    if (last == NULL && a->failures > 0)
        last = &before;
    a->deadline = NULL;
    (void)jr_fail(&a->err, JR_TIMEOUT, "--timeout",
                  a->pass != NULL ? "the audit was not over in time%s%s"
                                  : "Namespaces and JobPolicies could not be read in time%s%s",
                  last == NULL ? "" : ": ", last == NULL ? "" : last->msg);
    end(a, false);
}

/** Begins once Namespaces and policies are known. */
static void on_look(void *ctx)
{
    struct audit *a = ctx;
    const struct jr_audit_pass_handler handler = { on_audited, on_failed, a };
    struct jr_audit_pass_options options = { .namespaces = a->namespaces,
                                             .webhook_configuration = NULL,
                                             .profile = a->o->profile,
                                             .controller = JR_S(JR_CLI_CONTROLLER) };

    a->look = NULL;
    if (!jr_policy_watch_synced(a->watch)) {
        jr_xloop_after(a->loop, LOOK_NS, on_look, a, &a->look);
        return;
    }
    options.snapshot = jr_policy_store_get(a->store);
    if (options.snapshot->set.n == 0) {
        (void)jr_fail(&a->err, JR_INVALID, NULL, "there is no JobPolicy in the cluster");
        end(a, false);
    } else {
        a->pass = jr_audit_pass_start(&a->env, &options, &handler, NULL);
    }
    jr_policy_snapshot_unref(options.snapshot);
}

static void ask(void *ctx);

/** Ends the audit by a fault that can't heal by itself, and says another one once. */
static void on_asked(void *ctx, const struct jr_kube_result *r)
{
    struct audit *a = ctx;

    if (r->kind == JR_RESULT_OK) {
        a->failures = 0;
        a->asked++;
        ask(a);
        return;
    }
    (void)jr_fail_http(&a->err, r->error.status, r->http, "%s: %s", lists[a->asked], r->error.msg);
    if (r->kind == JR_RESULT_NOT_SENT || (r->http >= 400 && r->http < 500 && r->http != 429)) {
        end(a, false);
        return;
    }
    if (a->failures == 0)
        jr_show_error("jobreeve audit: %s; trying again", a->err.msg);
    jr_requester_retry(&a->q, a->failures++, RETRY_CAP_NS, 0.5, ask);
}

static void ask(void *ctx)
{
    struct audit *a = ctx;
    struct jr_policy_watch_options what = { .namespaces = a->namespaces };

    if (!a->o->policies->given)
        what.store = a->store;
    if (a->asked < JR_ARRAY_SIZE(lists) - a->o->policies->given) {
        jr_requester_get(&a->q, lists[a->asked], on_asked);
    } else {
        a->watch = jr_policy_watch_start(&a->env, &what, NULL, NULL);
        on_look(a);
    }
}

static enum jr_status begin(struct audit *a, struct jr_error *err)
{
    enum jr_status st = jr_loop_new(&jr_clock_system, &a->loop, err);

    if (st == JR_OK)
        st = jr_kube_config_load(a->o->kubeconfig, a->o->context, &a->kube, err);
    if (st == JR_OK)
        st = jr_curl_new(a->loop, &a->kube, "jobreeve/" JR_VERSION, &a->curl, err);
    if (st != JR_OK)
        return st;
    a->env = (struct jr_env){ a->loop, jr_rand_system, jr_curl_transport(a->curl) };
    a->store = jr_policy_store_new();
    a->namespaces = jr_namespaces_new();
    for (size_t i = 0; a->o->policies->given && i < a->o->policies->loading.n; i++)
        jr_policy_store_put(a->store, JR_POLICY_OF_FILE,
                            jr_policy_loading_take(&a->o->policies->loading, i));
    jr_policy_store_publish(a->store);
    jr_xloop_after(a->loop, a->o->timeout_ms * JR_MSEC, on_late, a, &a->deadline);
    a->q = (struct jr_requester){ .env = a->env, .ctx = a };
    jr_requester_after(&a->q, 0, ask);
    return JR_OK;
}

enum jr_status jr_audit_cluster(const struct jr_audit_cluster_options *options,
                                struct jr_error *err)
{
    JR_CLEANUP(audit_done) struct audit a = { .o = options };
    enum jr_status st = begin(&a, err);

    if (st == JR_OK)
        st = jr_loop_run(a.loop, err);
    if (st != JR_OK || a.done)
        return st;
    *err = a.err;
    return err->status == JR_OK ? JR_REMOTE : err->status;
}
