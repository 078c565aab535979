#include "controller/sources.h"

#include "controller/feed.h"

#define PATH_MAX_BYTES 1024

static const struct {
    const char *api, *resource;
} kinds[] = {
    [JR_STORE_JOBS] = { "/apis/batch/v1", "jobs" },
    [JR_STORE_PODS] = { "/api/v1", "pods" },
};
#define N_KINDS JR_ARRAY_SIZE(kinds)

struct source {
    struct jr_feed feed;
    struct jr_informer *informer;
};

struct jr_sources {
    struct jr_env env;
    struct source *v; /* for each namespace one of each kind */
    size_t n;
};

static enum jr_status make_source(struct jr_sources *s, struct source *x, const char *name,
                                  bool watch_list, struct jr_log *log, struct jr_metrics *metrics)
{
    struct jr_informer_options o = { .name = name, .watch_list = watch_list };
    struct jr_informer_handler h = jr_feed_handler(&x->feed);
    JR_BUF path = { 0 };

    jr_buf_init(&path, PATH_MAX_BYTES);
    jr_informer_path(kinds[x->feed.kind].api, x->feed.namespace, kinds[x->feed.kind].resource,
                     &path);
    if (path.failed != JR_OK)
        return path.failed;
    o.path = path.p;
    return jr_informer_new(&s->env, &o, &h, log, metrics, &x->informer);
}

/** What its informer is called in logs and metrics. */
static enum jr_status name_of(const struct jr_feed *feed, struct jr_buf *out)
{
    if (feed->namespace.p != NULL)
        (void)jr_buf_addf(out, "%.*s/", JR_P(feed->namespace));
    return jr_buf_adds(out, kinds[feed->kind].resource);
}

enum jr_status jr_sources_new(const struct jr_env *env, struct jr_state *state,
                              const struct jr_sources_options *options,
                              const struct jr_sources_sink *sink, struct jr_log *log,
                              struct jr_metrics *metrics, struct jr_sources **ret)
{
    JR_CLEANUP(jr_sources_freep) struct jr_sources *s = calloc(1, sizeof(*s));
    const struct jr_str all = { NULL, 0 };
    const struct jr_str *namespaces = options->n_namespaces == 0 ? &all : options->namespaces;
    size_t n = options->n_namespaces == 0 ? 1 : options->n_namespaces;
    enum jr_status st = s == NULL ? JR_NOMEM : jr_store_split(state->store, namespaces, n);

    if (st != JR_OK)
        return st;
    s->env = *env;
    s->v = calloc(n * N_KINDS, sizeof(*s->v));
    if (s->v == NULL)
        return JR_NOMEM;
    for (s->n = 0; st == JR_OK && s->n < n * N_KINDS; s->n++) {
        struct source *x = &s->v[s->n];
        JR_BUF name = { 0 };

        jr_buf_init(&name, PATH_MAX_BYTES);
        x->feed = (struct jr_feed){ .kind = s->n % 2 == 0 ? JR_STORE_JOBS : JR_STORE_PODS,
                                    .namespace = namespaces[s->n / N_KINDS],
                                    .state = state,
                                    .loop = env->loop,
                                    .log = log,
                                    .on_told = sink->told,
                                    .on_listed = sink->listed,
                                    .on_broken = sink->broken,
                                    .ctx = sink->ctx };
        jr_unreadables_declare(state->unreadables, kinds[x->feed.kind].resource);
        st = name_of(&x->feed, &name);
        if (st == JR_OK)
            st = make_source(s, x, name.p, !options->paged_lists, log, metrics);
    }
    if (st == JR_OK)
        *ret = jr_steal(&s);
    return st;
}

void jr_sources_free(struct jr_sources *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n; i++)
        jr_informer_free(s->v[i].informer);
    free(s->v);
    free(s);
}

void jr_sources_start(struct jr_sources *s)
{
    for (size_t i = 0; i < s->n; i++)
        jr_informer_start(s->v[i].informer);
}

bool jr_sources_synced(const struct jr_sources *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (!jr_informer_synced(s->v[i].informer))
            return false;
    }
    return true;
}

/** The informer of the Pods of a namespace, of its own or of all. */
static struct jr_informer *pods_of(const struct jr_sources *s, struct jr_str namespace)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct jr_feed *f = &s->v[i].feed;

        if (f->kind == JR_STORE_PODS &&
            (f->namespace.p == NULL || jr_str_eq(f->namespace, namespace)))
            return s->v[i].informer;
    }
    return NULL;
}

uint64_t jr_sources_relist_pods(struct jr_sources *s, struct jr_str namespace)
{
    struct jr_informer *pods = pods_of(s, namespace);

    return pods == NULL ? 0 : jr_informer_relist(pods);
}

uint64_t jr_sources_pods_list(const struct jr_sources *s, struct jr_str namespace)
{
    const struct jr_informer *pods = pods_of(s, namespace);

    return pods == NULL ? 0 : jr_informer_list(pods);
}
