/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, watches and reloads the policies that requests are evaluated by. */
#include "webhook/app/policy_sources.h"

#include <malloc.h>

#include "common/policy/watch/lookup.h"

#define FLAG "--policy-file"

/** Reading leaves pages free between the policies, which the C library would keep. */
static enum jr_status load_files(struct jr_app_policies *p, struct jr_time now, bool *ret_changed,
                                 struct jr_error *err)
{
    enum jr_status st = jr_policy_files_load(p->files, now, ret_changed, err);

    if (*ret_changed)
        (void)malloc_trim(0);
    return st;
}

enum jr_status jr_app_policies_load(struct jr_app_policies *p, const struct jr_webhook_options *o,
                                    struct jr_time now, struct jr_log *log, struct jr_error *err)
{
    bool changed;

    if (!o->policies && o->policy_files.n == 0)
        return JR_OK;
    p->sources.store = jr_policy_store_new();
    if (o->policy_files.n == 0)
        return JR_OK;
    p->files = jr_policy_files_new(&o->policy_files, p->sources.store, log);
    if (load_files(p, now, &changed, err) != JR_OK)
        return jr_wrap(err, JR_USAGE, FLAG);
    return JR_OK;
}

static bool files_need_api(const struct jr_app_policies *p)
{
    return p->files != NULL && jr_policy_files_select_namespaces(p->files);
}

bool jr_app_policies_need_api(const struct jr_app_policies *p, const struct jr_webhook_options *o)
{
    return o->policies || files_need_api(p);
}

void jr_app_policies_watch(struct jr_app_policies *p, const struct jr_webhook_options *o,
                           const struct jr_env *env, void (*on_listed)(void *ctx), void *ctx,
                           struct jr_log *log, struct jr_metrics *metrics)
{
    struct jr_policy_watch_options what;

    if (env == NULL || !jr_app_policies_need_api(p, o))
        return;
    p->sources.namespaces = jr_namespaces_new();
    p->sources.lookups = jr_namespace_lookups_new(env, p->sources.namespaces, log);
    what.store = o->policies ? p->sources.store : NULL;
    what.namespaces = p->sources.namespaces;
    what.on_listed = on_listed;
    what.ctx = ctx;
    p->watch = jr_policy_watch_start(env, &what, log, metrics);
}

enum jr_status jr_app_policies_reload(struct jr_app_policies *p, struct jr_time now,
                                      bool *ret_changed, struct jr_error *err)
{
    enum jr_status st;

    *ret_changed = false;
    if (p->files == NULL)
        return JR_OK;
    st = load_files(p, now, ret_changed, err);
    if (st == JR_OK && *ret_changed && p->watch == NULL && files_need_api(p))
        return jr_fail(err, JR_INVALID, FLAG,
                       "a policy selects Namespaces by labels now, and these are not watched: what "
                       "it matches is refused until the process is started again");
    return st;
}

bool jr_app_policies_ready(const struct jr_app_policies *p)
{
    return p->watch == NULL || jr_policy_watch_synced(p->watch);
}

void jr_app_policies_gauges(const struct jr_app_policies *p, struct jr_time now,
                            struct jr_metrics *metrics)
{
    if (p->sources.store == NULL)
        return;
    jr_policy_store_metrics(p->sources.store, now, metrics);
    if (p->watch != NULL)
        jr_webhook_metrics_policies_known(metrics, jr_policy_watch_known_until(p->watch));
}

void jr_app_policies_stop(struct jr_app_policies *p)
{
    jr_policy_watch_free(p->watch);
    p->watch = NULL;
    jr_namespace_lookups_free(p->sources.lookups);
    p->sources.lookups = NULL;
}

void jr_app_policies_done(struct jr_app_policies *p)
{
    jr_policy_files_free(p->files);
    jr_policy_store_free(p->sources.store);
    jr_namespaces_free(p->sources.namespaces);
}
