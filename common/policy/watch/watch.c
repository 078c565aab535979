/* SPDX-License-Identifier: Apache-2.0 */
#include "common/policy/watch/watch.h"

#include "common/base/memory.h"
#include "common/json/doc.h"
#include "common/kube/informer.h"
#include "common/kube/object_id.h"
#include "common/policy/watch/crd.h"
#include "common/policy/watch/lookup.h"
#include "common/rules/names.h"

#define CRD_NAME JR_POLICY_RESOURCE "." JR_POLICY_GROUP
/* How long after its CustomResourceDefinition was lost JobPolicies are listed again. */
#define LOST_NS (5 * JR_SEC)
#define FAULTS_MAX ((size_t)1 << 20)

/** A JobPolicy that was told of. */
struct known {
    struct jr_link link; /* seen: in which list */
    int64_t generation;
    uint64_t gone; /* deleted, if the definition is there at this question; 0: it is there */
    char *uid;
    char name[];
};

struct jr_policy_watch {
    struct jr_env env;
    struct jr_policy_watch_options o;
    struct jr_log *log;
    struct jr_informer *policies, *namespaces;
    struct jr_time policies_at, namespaces_at; /* when they were known to be new */
    struct jr_crd *crd;
    struct jr_map known;
    unsigned list;
    bool lost;        /* the definition: nothing goes before a list of the one that is there */
    uint64_t back;    /* with lost: the first list that was begun when it was there; 0: it isn't */
    uint64_t decides; /* with lost: the question behind that list; 0: that isn't complete */
    struct jr_timer *relist;
};

static struct jr_time now(const struct jr_policy_watch *w)
{
    return jr_loop_wall(w->env.loop);
}

/* ---- JobPolicies: what is known ---- */

static struct known *find_known(const struct jr_policy_watch *w, struct jr_str name)
{
    for (struct jr_link *l = jr_map_first(&w->known, jr_map_hash2(name, JR_S(""))); l != NULL;
         l = jr_map_again(l)) {
        struct known *k = jr_of(l, struct known, link);

        if (jr_str_eq(jr_str(k->name), name))
            return k;
    }
    return NULL;
}

static struct known *next_known(const struct jr_policy_watch *w, const struct known *after)
{
    struct jr_link *l = jr_map_next(&w->known, after == NULL ? NULL : &after->link);

    return l == NULL ? NULL : jr_of(l, struct known, link);
}

static struct known *need_known(struct jr_policy_watch *w, struct jr_str name)
{
    struct known *k = find_known(w, name);

    if (k != NULL)
        return k;
    k = jr_xcalloc(1, sizeof(*k) + name.n + 1);
    memcpy(k->name, name.p, name.n);
    k->generation = -1;
    jr_xmap_add(&w->known, &k->link, jr_map_hash2(name, JR_S("")));
    return k;
}

static void forget(struct jr_policy_watch *w, struct known *k)
{
    jr_map_remove(&w->known, &k->link);
    free(k->uid);
    free(k);
}

/* ---- JobPolicies: what is told ---- */

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

/** It is there, whatever it says; without a name it may be any of them. */
static void keep(struct jr_policy_watch *w, struct jr_str name, const struct jr_error *why)
{
    jr_err(w->log, "a JobPolicy can't be read: what was in force of it stays",
           JR_STR("policy", name), JR_ERR(why));
    for (struct known *k = next_known(w, NULL); k != NULL; k = next_known(w, k)) {
        if (name.n > 0 && !jr_str_eq(jr_str(k->name), name))
            continue;
        k->link.seen = w->list;
        if (name.n > 0)
            k->gone = 0;
    }
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

/** An object that was told of. */
static void tell(struct jr_policy_watch *w, struct jr_str text)
{
    JR_CLEANUP(jr_doc_freep) struct jr_doc *doc = NULL;
    struct jr_error err = { .status = JR_OK };
    const struct jr_node *meta;
    struct jr_str name, uid;
    int64_t generation;
    struct known *k;

    if (read_policy(text, &doc, &err) != JR_OK) {
        keep(w, jr_object_identify(text).name, &err);
        return;
    }
    meta = jr_get(jr_doc_root_const(doc), "metadata");
    name = jr_get_str(meta, "name");
    uid = jr_get_str(meta, "uid");
    generation = jr_node_i64_or(jr_get(meta, "generation"), 0);
    k = need_known(w, name);
    k->gone = 0;
    k->link.seen = w->list;
    if (k->uid != NULL && k->generation == generation && jr_str_eq(jr_str(k->uid), uid))
        return; /* its status has changed, or its metadata */
    free(k->uid);
    k->uid = jr_xstrndup(uid);
    k->generation = generation;
    compile(w, jr_doc_root_const(doc));
}

static void say_listed(const struct jr_policy_watch *w)
{
    if (w->o.on_listed != NULL && jr_policy_watch_synced(w))
        w->o.on_listed(w->o.ctx);
}

static void on_policies_begin(void *ctx)
{
    struct jr_policy_watch *w = ctx;

    w->list++;
}

static void on_policies_item(void *ctx, struct jr_str object)
{
    tell(ctx, object);
}

/** What the list hasn't shown is gone. */
static void on_policies_end(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;
    uint64_t question;

    (void)resource_version;
    w->policies_at = now(w);
    jr_policy_store_publish(w->o.store);
    if (w->lost && w->back == 0)
        jr_crd_forget(w->crd);
    question = jr_crd_ask(w->crd);
    if (w->back > 0 && w->decides == 0 && jr_informer_list(w->policies) >= w->back)
        w->decides = question;
    for (struct known *k = next_known(w, NULL); k != NULL; k = next_known(w, k)) {
        if (k->link.seen != w->list)
            k->gone = question;
    }
    say_listed(w);
}

static void on_policies_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct jr_policy_watch *w = ctx;
    struct known *k;

    if (type != JR_EV_DELETED) {
        tell(w, object);
        jr_policy_store_publish(w->o.store);
        return;
    }
    k = find_known(w, jr_object_identify(object).name);
    if (k != NULL)
        k->gone = jr_crd_ask(w->crd);
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

/* ---- the definition ---- */

/** Once it was lost, a list that lies between two answers that it is there shows its policies: one
 * before that may be of the definition that is gone. */
static bool is_found(struct jr_policy_watch *w, uint64_t number)
{
    if (w->back == 0)
        w->back = jr_informer_relist(w->policies);
    if (w->decides == 0 || number < w->decides)
        return false;
    jr_info(w->log, "the CustomResourceDefinition is there again", JR_CSTR("name", CRD_NAME));
    w->lost = false;
    w->back = w->decides = 0;
    return true;
}

static void on_there(void *ctx, uint64_t number)
{
    struct jr_policy_watch *w = ctx;
    struct known *next;

    if (w->lost && !is_found(w, number))
        return;
    for (struct known *k = next_known(w, NULL); k != NULL; k = next) {
        next = next_known(w, k);
        if (k->gone == 0 || k->gone > number)
            continue;
        jr_info(w->log, "JobPolicy deleted", JR_CSTR("policy", k->name));
        jr_policy_store_remove(w->o.store, JR_POLICY_OF_API, jr_str(k->name));
        forget(w, k);
    }
    jr_policy_store_publish(w->o.store);
}

static void on_relist(void *ctx)
{
    struct jr_policy_watch *w = ctx;

    w->relist = NULL;
    (void)jr_informer_relist(w->policies);
}

static void on_lost(void *ctx)
{
    struct jr_policy_watch *w = ctx;

    if (!w->lost)
        jr_err(w->log,
               "the CustomResourceDefinition is gone or being deleted: the policies stay in force",
               JR_CSTR("name", CRD_NAME));
    w->lost = true;
    w->back = w->decides = 0;
    jr_timer_cancel(w->env.loop, &w->relist);
    jr_xloop_after(w->env.loop, LOST_NS, on_relist, w, &w->relist);
}

/* ---- Namespaces ---- */

static void read_namespace(struct jr_policy_watch *w, struct jr_str object)
{
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

static void on_namespaces_item(void *ctx, struct jr_str object)
{
    read_namespace(ctx, object);
}

static void on_namespaces_end(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->namespaces_at = now(w);
    jr_namespaces_sweep(w->o.namespaces);
    say_listed(w);
}

static void on_namespaces_event(void *ctx, enum jr_event_type type, struct jr_str object)
{
    struct jr_policy_watch *w = ctx;

    if (type == JR_EV_DELETED)
        jr_namespaces_remove(w->o.namespaces, jr_object_identify(object).name);
    else
        read_namespace(w, object);
}

static void on_namespaces_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_policy_watch *w = ctx;

    (void)resource_version;
    w->namespaces_at = now(w);
}

/* ---- all of it ---- */

static void watch_policies(struct jr_policy_watch *w, struct jr_metrics *metrics)
{
    const struct jr_informer_options options = {
        .path = JR_POLICY_PATH,
        .name = JR_POLICY_RESOURCE,
        .watch_list = true,
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
    const struct jr_crd_handler asked = { on_there, on_lost, w };

    w->crd = jr_crd_new(&w->env, CRD_NAME, &asked, w->log);
    w->policies = jr_informer_new(&w->env, &options, &handler, w->log, metrics);
    jr_informer_start(w->policies);
}

static void watch_namespaces(struct jr_policy_watch *w, struct jr_metrics *metrics)
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

    w->namespaces = jr_informer_new(&w->env, &options, &handler, w->log, metrics);
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
    if (w->o.store != NULL)
        watch_policies(w, metrics);
    watch_namespaces(w, metrics);
    return w;
}

bool jr_policy_watch_synced(const struct jr_policy_watch *w)
{
    return jr_informer_synced(w->namespaces) &&
           (w->policies == NULL || jr_informer_synced(w->policies));
}

struct jr_time jr_policy_watch_known_until(const struct jr_policy_watch *w)
{
    if (w->policies == NULL || jr_time_cmp(w->namespaces_at, w->policies_at) < 0)
        return w->namespaces_at;
    return w->policies_at;
}

size_t jr_policy_watch_held(const struct jr_policy_watch *w)
{
    size_t n = 0;

    for (const struct known *k = next_known(w, NULL); k != NULL; k = next_known(w, k))
        n += k->gone > 0;
    return n;
}

void jr_policy_watch_free(struct jr_policy_watch *w)
{
    struct known *next;

    if (w == NULL)
        return;
    jr_timer_cancel(w->env.loop, &w->relist);
    jr_informer_free(w->policies);
    jr_informer_free(w->namespaces);
    jr_crd_free(w->crd);
    for (struct known *k = next_known(w, NULL); k != NULL; k = next) {
        next = next_known(w, k);
        forget(w, k);
    }
    jr_map_done(&w->known);
    free(w);
}
