#include "controller/gang_watch.h"

#include "common/kube/request.h"
#include "common/schema/decode.h"
#include "common/schema/macros.h"

#define ASK_AGAIN_NS (5 * JR_SEC)
#define ASK_TIMEOUT_MS 30000
#define PATH_MAX_BYTES 1024

/** One stream. */
struct source {
    struct jr_gang_feed feed;
    struct jr_informer *informer;
};

struct jr_gang_watch {
    struct jr_env env;
    struct jr_sources_options opt;
    struct jr_unreadables *unreadables;
    struct jr_gang_watch_sink sink;
    struct jr_log *log;
    struct jr_metrics *metrics;
    struct jr_gangs *gangs;
    struct source *sources; /* for each namespace one of each kind */
    size_t n_sources;
    struct jr_kube_call *call;
    struct jr_timer *again;
    bool settled;
};

static const char *const resources[] = {
    [JR_GANG_WORKLOAD] = "workloads", [JR_GANG_POD_GROUP] = "podgroups"
};

enum jr_status jr_gang_watch_new(const struct jr_env *env, const struct jr_sources_options *options,
                                 struct jr_unreadables *unreadables,
                                 const struct jr_gang_watch_sink *sink, struct jr_log *log,
                                 struct jr_metrics *metrics, struct jr_gang_watch **ret)
{
    struct jr_gang_watch *w = calloc(1, sizeof(*w));

    if (w == NULL)
        return JR_NOMEM;
    *w = (struct jr_gang_watch){ .env = *env,
                                 .opt = *options,
                                 .unreadables = unreadables,
                                 .sink = *sink,
                                 .log = log,
                                 .metrics = metrics };
    w->n_sources = (options->n_namespaces == 0 ? 1 : options->n_namespaces) * 2;
    w->sources = calloc(w->n_sources, sizeof(*w->sources));
    if (w->sources == NULL || jr_gangs_new(&w->gangs) != JR_OK) {
        free(w->sources);
        free(w);
        return JR_NOMEM;
    }
    *ret = w;
    return JR_OK;
}

void jr_gang_watch_free(struct jr_gang_watch *w)
{
    if (w == NULL)
        return;
    jr_kube_cancel(&w->call);
    jr_timer_cancel(w->env.loop, &w->again);
    for (size_t i = 0; i < w->n_sources; i++)
        jr_informer_free(w->sources[i].informer);
    free(w->sources);
    jr_gangs_free(w->gangs);
    free(w);
}

static void settle(struct jr_gang_watch *w, struct jr_gangs *gangs)
{
    if (w->settled)
        return;
    w->settled = true;
    w->sink.settled(w->sink.ctx, gangs);
}

static void on_listed(void *ctx)
{
    struct jr_gang_watch *w = ctx;

    for (size_t i = 0; i < w->n_sources; i++) {
        if (w->sources[i].informer == NULL || !jr_informer_synced(w->sources[i].informer))
            return;
    }
    settle(w, w->gangs);
}

static void on_broken(void *ctx, const struct jr_error *err)
{
    const struct jr_gang_watch *w = ctx;

    w->sink.broken(w->sink.ctx, err);
}

static enum jr_status start_source(struct jr_gang_watch *w, struct source *s,
                                   enum jr_gang_kind kind, struct jr_str namespace)
{
    struct jr_informer_options o = { .name = resources[kind], .watch_list = !w->opt.paged_lists };
    struct jr_informer_handler h;
    enum jr_status st;
    JR_BUF path = { 0 };

    jr_buf_init(&path, PATH_MAX_BYTES);
    jr_informer_path("/apis/" JR_SCHEDULING_API, namespace, resources[kind], &path);
    if (path.failed != JR_OK)
        return path.failed;
    o.path = path.p;
    s->feed = (struct jr_gang_feed){ .gangs = w->gangs,
                                     .kind = kind,
                                     .namespace = namespace,
                                     .unreadables = w->unreadables,
                                     .log = w->log,
                                     .on_listed = on_listed,
                                     .on_broken = on_broken,
                                     .ctx = w };
    h = jr_gang_feed_handler(&s->feed);
    jr_unreadables_declare(w->unreadables, resources[kind]);
    st = jr_informer_new(&w->env, &o, &h, w->log, w->metrics, &s->informer);
    if (st == JR_OK)
        jr_informer_start(s->informer);
    return st;
}

static enum jr_status start_sources(struct jr_gang_watch *w)
{
    enum jr_status st = JR_OK;

    for (size_t i = 0; st == JR_OK && i < w->n_sources; i++) {
        struct jr_str namespace =
            w->opt.n_namespaces == 0 ? (struct jr_str){ NULL, 0 } : w->opt.namespaces[i / 2];

        st = start_source(w, &w->sources[i], i % 2 == 0 ? JR_GANG_WORKLOAD : JR_GANG_POD_GROUP,
                          namespace);
    }
    return st;
}

/* ---- discovery ---- */

TYPE_WITH(resource, "APIResource", DECODED(struct jr_str), STRING("name", ALONE(struct jr_str)));

TYPE(resource_list, "APIResourceList", LIST("resources", resource, ALONE(struct jr_strs)));

/** Whether the APIResourceList names both. */
static bool serves_both(struct jr_str text)
{
    struct jr_strs list = { NULL, 0 };
    JR_ARENA arena = { 0 };
    unsigned seen = 0;

    jr_arena_init(&arena, 0);
    if (jr_decode_lenient(text, &arena, false, jr_schema_decode, &resource_list, &list, NULL) !=
        JR_OK)
        return false;
    for (size_t i = 0; i < list.n; i++) {
        for (unsigned k = 0; k < JR_ARRAY_SIZE(resources); k++) {
            if (jr_str_is(list.v[i], resources[k]))
                seen |= 1U << k;
        }
    }
    return seen == 3;
}

static void on_again(void *ctx)
{
    struct jr_gang_watch *w = ctx;

    w->again = NULL;
    if (jr_gang_watch_start(w) != JR_OK)
        on_broken(w, &(struct jr_error){ .status = JR_NOMEM, .msg = "discovery" });
}

static void on_answer(void *ctx, const struct jr_kube_result *r)
{
    struct jr_gang_watch *w = ctx;
    bool absent = r->kind == JR_RESULT_REFUSED && r->http == 404;
    enum jr_status st;

    w->call = NULL;
    if (absent || (r->kind == JR_RESULT_OK && !serves_both(r->body))) {
        jr_warn(w->log, "no gang scheduling: the server does not serve it",
                JR_CSTR("api", JR_SCHEDULING_API));
        settle(w, NULL);
        return;
    }
    if (r->kind != JR_RESULT_OK) {
        jr_warn(w->log, "discovery failed", JR_CSTR("api", JR_SCHEDULING_API), JR_ERR(&r->error));
        if (jr_loop_after(w->env.loop, ASK_AGAIN_NS, on_again, w, &w->again) != JR_OK)
            on_broken(w, &(struct jr_error){ .status = JR_NOMEM, .msg = "discovery" });
        return;
    }
    st = start_sources(w);
    if (st != JR_OK)
        on_broken(w, &(struct jr_error){ .status = st, .msg = "starting an informer" });
}

enum jr_status jr_gang_watch_start(struct jr_gang_watch *w)
{
    const struct jr_kube_request req = { .http = { .method = "GET",
                                                   .path = "/apis/" JR_SCHEDULING_API,
                                                   .timeout_ms = ASK_TIMEOUT_MS },
                                         .max_retries = 2 };

    return jr_kube_send(&w->env, &req, on_answer, w, &w->call, NULL);
}
