/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cluster's Namespaces and policies, then audits its objects, in one event loop with a
 * deadline. */
#include "cli/audit_cluster.h"

#include <stdio.h>

#include "common/audit/audit_pass.h"
#include "common/base/memory.h"
#include "common/base/show.h"
#include "common/kube/requester.h"
#include "common/policy/watch/lookup.h"
#include "common/policy/watch/watch.h"

#define LOOK_NS (20 * JR_MSEC)
#define PROGRESS_NS (500 * JR_MSEC)
#define RETRY_CAP_NS (10 * JR_SEC)
#define ASKS_MAX 4

struct audit {
    const struct jr_audit_cluster_options *o;
    struct jr_cluster cluster;
    struct jr_policy_store *store;
    struct jr_namespaces *namespaces;
    struct jr_policy_watch *watch;
    struct jr_audit_pass *pass;
    struct jr_timer *look, *deadline, *progress;
    struct jr_requester q;
    /* Paths that are asked for beforehand, one by one, since informers retry whatever happens. */
    char *asks[ASKS_MAX];
    size_t n_asks, asked;
    unsigned failures;   /* of the next one */
    struct jr_error err; /* why there is no result */
    bool shown;          /* a line of progress stands */
    bool done;
};

static void audit_done(struct audit *a)
{
    jr_audit_pass_free(a->pass);
    jr_requester_done(&a->q);
    jr_policy_watch_free(a->watch);
    if (a->cluster.loop != NULL) {
        jr_timer_cancel(a->cluster.loop, &a->look);
        jr_timer_cancel(a->cluster.loop, &a->deadline);
        jr_timer_cancel(a->cluster.loop, &a->progress);
    }
    jr_cluster_close(&a->cluster);
    jr_policy_store_free(a->store);
    jr_namespaces_free(a->namespaces);
    for (size_t i = 0; i < a->n_asks; i++)
        free(a->asks[i]);
}

static void hide_progress(struct audit *a)
{
    if (a->shown)
        (void)fputs("\r\x1b[K", stderr);
    a->shown = false;
}

static void end(struct audit *a, bool done)
{
    a->done = done;
    hide_progress(a);
    jr_loop_stop(a->cluster.loop);
}

static void on_progress(void *ctx)
{
    struct audit *a = ctx;

    a->progress = NULL;
    hide_progress(a);
    if (a->pass == NULL)
        (void)fputs("reading Namespaces and JobPolicies", stderr);
    else
        (void)fprintf(stderr, "%zu Jobs and CronJobs", jr_audit_pass_objects(a->pass));
    (void)fflush(stderr);
    a->shown = true;
    jr_xloop_after(a->cluster.loop, PROGRESS_NS, on_progress, a, &a->progress);
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
    const struct jr_error *last = jr_curl_last_error(a->cluster.curl);

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
                                             .namespace = jr_str(a->o->namespace),
                                             .controller = JR_S(JR_CLI_CONTROLLER),
                                             .trusted = a->o->trusted,
                                             .keeps = true };

    a->look = NULL;
    if (!jr_policy_watch_synced(a->watch)) {
        jr_xloop_after(a->cluster.loop, LOOK_NS, on_look, a, &a->look);
        return;
    }
    options.snapshot = jr_policy_store_get(a->store);
    if (options.snapshot->set.n == 0) {
        (void)jr_fail(&a->err, JR_INVALID, NULL, "there is no JobPolicy in the cluster");
        end(a, false);
    } else {
        a->pass = jr_audit_pass_start(&a->cluster.env, &options, &handler, NULL);
    }
    jr_policy_snapshot_unref(options.snapshot);
}

static void ask(void *ctx);

static bool wants_namespace(const struct audit *a)
{
    return a->o->namespace != NULL && a->o->namespace[0] != '\0' && a->asked == 0;
}

/** Takes in the one Namespace; false: the audit can't go on without it. */
static bool take_namespace(struct audit *a, const struct jr_kube_result *r)
{
    if (r->kind == JR_RESULT_OK)
        return jr_namespaces_read(a->namespaces, r->body, &a->err) == JR_OK;
    if (r->http != 403)
        return false;
    jr_show_error("jobreeve audit: Namespace %s can't be read: what policies select by its labels "
                  "is skipped",
                  a->o->namespace);
    return true;
}

/** Ends the audit by a fault that can't heal by itself, and says another one once. */
static void on_asked(void *ctx, const struct jr_kube_result *r)
{
    struct audit *a = ctx;

    if ((wants_namespace(a) && take_namespace(a, r)) || r->kind == JR_RESULT_OK) {
        a->failures = 0;
        a->asked++;
        ask(a);
        return;
    }
    if (a->cluster.err.status != JR_OK) /* which ends it, in better words */
        return;
    (void)jr_fail_http(&a->err, r->error.status, r->http, "%s: %s", a->asks[a->asked],
                       r->error.msg);
    if (r->http >= 400 && r->http < 500 && r->http != 429) {
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
    const bool one = a->o->namespace != NULL && a->o->namespace[0] != '\0';
    const struct jr_policy_watch_options what = {
        .namespaces = one ? NULL : a->namespaces,
        .store = a->o->policies->given ? NULL : a->store,
    };

    if (a->asked < a->n_asks) {
        jr_requester_get(&a->q, a->asks[a->asked], on_asked);
    } else {
        a->watch = jr_policy_watch_start(&a->cluster.env, &what, NULL, NULL);
        on_look(a);
    }
}

/** Lists what is to be asked for: the Namespace, or all, comes first. */
static void list_asks(struct audit *a)
{
    static const char *const batch[] = { "jobs", "cronjobs" };
    const struct jr_str namespace = jr_str(a->o->namespace);
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    if (namespace.n > 0)
        jr_object_path("/api/v1", (struct jr_str){ NULL, 0 }, "namespaces", namespace, &path);
    else
        (void)jr_buf_adds(&path, "/api/v1/namespaces?limit=1");
    jr_must(path.failed);
    a->asks[a->n_asks++] = jr_xstrndup(jr_buf_str(&path));
    for (size_t i = 0; i < JR_ARRAY_SIZE(batch); i++) {
        jr_buf_reset(&path);
        jr_resource_path("/apis/batch/v1", namespace, batch[i], &path);
        (void)jr_buf_adds(&path, "?limit=1");
        jr_must(path.failed);
        a->asks[a->n_asks++] = jr_xstrndup(jr_buf_str(&path));
    }
    if (!a->o->policies->given)
        a->asks[a->n_asks++] = jr_xstrdup(JR_POLICY_PATH "?limit=1");
}

/** A tenant may see the Jobs of a Namespace, and not the Namespace. */
static bool is_namespace(void *ctx, const char *path)
{
    (void)ctx;
    return jr_str_starts(jr_str(path), JR_S("/api/v1/namespaces/"));
}

static enum jr_status begin(struct audit *a, struct jr_error *err)
{
    const enum jr_status st = jr_cluster_open(&a->cluster, &a->o->cluster, "jobreeve audit", err);

    if (st != JR_OK)
        return st;
    a->cluster.can_do_without = is_namespace;
    a->store = jr_policy_store_new();
    a->namespaces = jr_namespaces_new();
    for (size_t i = 0; a->o->policies->given && i < a->o->policies->loading.n; i++)
        jr_policy_store_put(a->store, JR_POLICY_OF_FILE,
                            jr_policy_loading_take(&a->o->policies->loading, i));
    jr_policy_store_publish(a->store);
    jr_xloop_after(a->cluster.loop, a->o->timeout_ms * JR_MSEC, on_late, a, &a->deadline);
    if (a->o->progress)
        jr_xloop_after(a->cluster.loop, PROGRESS_NS, on_progress, a, &a->progress);
    list_asks(a);
    a->q = (struct jr_requester){ .env = a->cluster.env, .ctx = a };
    jr_requester_after(&a->q, 0, ask);
    return JR_OK;
}

enum jr_status jr_audit_cluster(const struct jr_audit_cluster_options *options,
                                struct jr_error *err)
{
    JR_CLEANUP(audit_done) struct audit a = { .o = options };
    enum jr_status st = begin(&a, err);

    if (st == JR_OK)
        st = jr_cluster_run(&a.cluster, err);
    hide_progress(&a);
    *options->signal = a.cluster.signal;
    if (st != JR_OK || a.done || a.cluster.signal != 0)
        return st;
    *err = a.err;
    return err->status == JR_OK ? JR_REMOTE : err->status;
}
