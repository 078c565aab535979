/* SPDX-License-Identifier: Apache-2.0 */
/* Informers of JobPolicies and Namespaces, which feed the store and the table. */
#include "common/policy/watch/watch.h"

#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/kube/informer.h"
#include "common/kube/object_id.h"
#include "common/policy/watch/lookup.h"
#include "common/rules/names.h"

#define FAULTS_MAX ((size_t)1 << 20)

static const struct jr_metric_desc policies_gauge = JR_METRIC(
    GAUGE, "jobreeve_policies",
    "JobPolicies that the API server has, as far as is known; those of files don't count.", NULL);

struct jr_policy_watch {
    struct jr_env env;
    struct jr_policy_watch_options o;
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_informer *policies, *namespaces;
    struct jr_time policies_at, namespaces_at; /* when they were known to be new */
};

static struct jr_time now(const struct jr_policy_watch *w)
{
    return jr_loop_wall(w->env.loop);
}

/* ---- JobPolicies ---- */

static void say_in_force(const struct jr_policy_watch *w, const struct jr_job_policy *p)
{
    if (p->unusable.n > 0)
        jr_err(w->log, "a JobPolicy has faults",
               JR_CSTR("effect", p->fail_open ? "nothing" : "denies all that it matches"),
               JR_STR("policy", p->name), JR_INT("generation", p->generation),
               JR_STR("fault", p->unusable));
    else
        jr_info(w->log, "JobPolicy in force", JR_STR("policy", p->name),
                JR_INT("generation", p->generation));
    if (jr_policy_store_find(w->o.store, JR_POLICY_OF_FILE, p->name) != NULL)
        jr_warn(w->log, "a file's policy of the same name is in force instead",
                JR_STR("policy", p->name));
}

static void compile(struct jr_policy_watch *w, const struct jr_node *object)
{
    struct jr_job_policy *p = NULL;
    struct jr_warnings warnings = { 0 };
    struct jr_errlist errs;
    JR_ARENA arena = { 0 };

    jr_arena_init(&arena, 0);
    jr_errlist_init(&errs, &arena);
    errs.max_bytes = FAULTS_MAX;
    warnings.arena = &arena;
    jr_must(jr_job_policy_compile(object, now(w), &errs, &warnings, &p));
    say_in_force(w, p);
    jr_policy_store_put(w->o.store, JR_POLICY_OF_API, p);
}

/** Keeps it: it is there, whatever it says; without a name it may be any of them. */
static void keep(struct jr_policy_watch *w, struct jr_str name, const struct jr_error *why)
{
    jr_err(w->log, "a JobPolicy can't be read: what was in force of it stays",
           JR_STR("policy", name), JR_ERR(why));
    jr_policy_store_see(w->o.store, JR_POLICY_OF_API, name);
}

/** Errors: why it can't be read. */
static enum jr_status read_policy(struct jr_str text, struct jr_doc **ret, struct jr_error *err)
{
    enum jr_status st = jr_need(jr_doc_parse(text, &JR_READER_LENIENT, ret, err));
    struct jr_str name;

    if (st != JR_OK)
        return st;
    name = jr_get_str(jr_get(jr_doc_root_const(*ret), "metadata"), "name");
    if (name.n == 0)
        return jr_fail(err, JR_INVALID, "metadata.name", "is missing");
    /* No API server has such an object, and what is known of policies goes by their names. */
    if (jr_name_subdomain(name).n > 0)
        return jr_fail(err, JR_INVALID, "metadata.name", "is not the name of an object");
    return JR_OK;
}

/** Takes in an object that was told of. */
static void on_policies_item(void *ctx, struct jr_str text)
{
    struct jr_policy_watch *w = ctx;
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    const struct jr_job_policy *known;
    const struct jr_node *meta;
    struct jr_str name;

    if (read_policy(text, &doc, &err) != JR_OK) {
        keep(w, jr_object_identify(text).name, &err);
        return;
    }
    meta = jr_get(jr_doc_root_const(doc), "metadata");
    name = jr_get_str(meta, "name");
    known = jr_policy_store_find(w->o.store, JR_POLICY_OF_API, name);
    if (known != NULL && jr_str_eq(known->uid, jr_get_str(meta, "uid")) &&
        known->generation == jr_node_i64_or(jr_get(meta, "generation"), 0))
        jr_policy_store_see(w->o.store, JR_POLICY_OF_API, name); /* only its status changed */
    else
        compile(w, jr_doc_root_const(doc));
}

/** Puts in force what was told of, once all of it was. */
static void publish(struct jr_policy_watch *w)
{
    if (!jr_informer_synced(w->policies))
        return;
    jr_policy_store_publish(w->o.store);
    jr_metrics_set(w->metrics, &policies_gauge, NULL,
                   (double)jr_policy_store_count(w->o.store, JR_POLICY_OF_API));
}

static void log_listed(const struct jr_policy_watch *w)
{
    if (w->o.on_listed != NULL && jr_policy_watch_synced(w))
        w->o.on_listed(w->o.ctx);
}

static void on_policies_begin(void *ctx)
{
    struct jr_policy_watch *w = ctx;

    jr_policy_store_begin(w->o.store, JR_POLICY_OF_API);
}

static void on_policies_end(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->policies_at = now(w);
    jr_policy_store_sweep(w->o.store, JR_POLICY_OF_API, w->log);
    publish(w);
    log_listed(w);
}

static void on_policies_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct jr_policy_watch *w = ctx;
    const struct jr_str name = jr_object_identify(object).name;

    if (type != JR_EV_DELETED)
        on_policies_item(w, object);
    else if (jr_policy_store_remove(w->o.store, JR_POLICY_OF_API, name))
        jr_info(w->log, "JobPolicy deleted", JR_STR("policy", name));
    publish(w);
}

static void on_policies_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    keep(ctx, jr_event_identify(line).name, why);
}

static void on_policies_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->policies_at = now(w);
}

/* ---- Namespaces ---- */

static void on_namespaces_item(void *ctx, struct jr_str object)
{
    struct jr_policy_watch *w = ctx;
    struct jr_error err = { .status = JR_OK };

    if (jr_namespaces_read(w->o.namespaces, object, &err) != JR_OK)
        jr_err(w->log, "a Namespace can't be read",
               JR_STR("namespace", jr_object_identify(object).name), JR_ERR(&err));
}

static void on_namespaces_begin(void *ctx)
{
    struct jr_policy_watch *w = ctx;

    jr_namespaces_begin(w->o.namespaces);
}

static void on_namespaces_end(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->namespaces_at = now(w);
    jr_namespaces_sweep(w->o.namespaces);
    log_listed(w);
}

static void on_namespaces_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct jr_policy_watch *w = ctx;

    if (type == JR_EV_DELETED)
        jr_namespaces_remove(w->o.namespaces, jr_object_identify(object).name);
    else
        on_namespaces_item(w, object);
}

static void on_namespaces_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->namespaces_at = now(w);
}

/* ---- all of it ---- */

static void watch_policies(struct jr_policy_watch *w)
{
    const struct jr_informer_options options = {
        .path = JR_POLICY_PATH,
        .name = JR_POLICY_RESOURCE,
        .watch_list = true,
        .may_vanish = true, /* with their CustomResourceDefinition */
    };
    const struct jr_informer_handler handler = {
        .on_replace_begin = on_policies_begin,
        .on_replace_item = on_policies_item,
        .on_replace_end = on_policies_end,
        .on_event = on_policies_event,
        .on_unread = on_policies_unread,
        .on_progress = on_policies_progress,
        .ctx = w,
    };

    w->policies = jr_informer_new(&w->env, &options, &handler, w->log, w->metrics);
    jr_informer_start(w->policies);
}

static void watch_namespaces(struct jr_policy_watch *w)
{
    const struct jr_informer_options options = {
        .path = "/api/v1/namespaces",
        .name = "namespaces",
        .watch_list = true,
        .metadata_only = true,
    };
    const struct jr_informer_handler handler = {
        .on_replace_begin = on_namespaces_begin,
        .on_replace_item = on_namespaces_item,
        .on_replace_end = on_namespaces_end,
        .on_event = on_namespaces_event,
        .on_progress = on_namespaces_progress,
        .ctx = w,
    };

    w->namespaces = jr_informer_new(&w->env, &options, &handler, w->log, w->metrics);
    jr_informer_start(w->namespaces);
}

struct jr_policy_watch *jr_policy_watch_start(const struct jr_env *env,
                                              const struct jr_policy_watch_options *options,
                                              struct jr_log *log, struct jr_metrics *metrics)
{
    struct jr_policy_watch *w = jr_xcalloc(1, sizeof(*w));

    w->env = *env;
    w->o = *options;
    w->log = log;
    w->metrics = metrics;
    if (w->o.store != NULL)
        watch_policies(w);
    if (w->o.namespaces != NULL)
        watch_namespaces(w);
    return w;
}

bool jr_policy_watch_synced(const struct jr_policy_watch *w)
{
    return (w->namespaces == NULL || jr_informer_synced(w->namespaces)) &&
           (w->policies == NULL || jr_informer_synced(w->policies));
}

struct jr_time jr_policy_watch_known_until(const struct jr_policy_watch *w)
{
    if (w->policies == NULL ||
        (w->namespaces != NULL && jr_time_cmp(w->namespaces_at, w->policies_at) < 0))
        return w->namespaces_at;
    return w->policies_at;
}

void jr_policy_watch_free(struct jr_policy_watch *w)
{
    if (w == NULL)
        return;
    jr_informer_free(w->policies);
    jr_informer_free(w->namespaces);
    free(w);
}
