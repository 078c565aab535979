/* SPDX-License-Identifier: Apache-2.0 */
/* Informers, each with its feed. */
#include "controller/intake/sources.h"

#include "common/kube/request.h"
#include "controller/intake/feed.h"

struct source {
    struct jr_feed feed;
    struct jr_informer *informer;
};

struct jr_sources {
    struct jr_env env;
    struct jr_state *state;
    struct jr_sources_sink sink;
    const struct jr_str *namespaces;
    size_t n_namespaces;
    bool paged_lists;
    struct jr_log *log;
    struct jr_metrics *metrics;
    size_t n;
    struct source v[]; /* with room for each kind in each namespace: feeds don't move */
};

struct jr_sources *jr_sources_new(const struct jr_env *env, struct jr_state *state,
                                  const struct jr_sources_options *options,
                                  const struct jr_sources_sink *sink, struct jr_log *log,
                                  struct jr_metrics *metrics)
{
    static const struct jr_str all = { NULL, 0 };
    const size_t n = options->n_namespaces == 0 ? 1 : options->n_namespaces;
    struct jr_sources *s = jr_xcalloc(1, sizeof(*s) + n * JR_STORE_KINDS * sizeof(s->v[0]));

    *s = (struct jr_sources){ .env = *env,
                              .state = state,
                              .sink = *sink,
                              .namespaces = options->n_namespaces == 0 ? &all : options->namespaces,
                              .n_namespaces = n,
                              .paged_lists = options->paged_lists,
                              .log = log,
                              .metrics = metrics };
    jr_store_split(state->store, s->namespaces, n);
    return s;
}

static void add_source(struct jr_sources *s, enum jr_store_kind kind, const char *api,
                       struct jr_str namespace)
{
    const struct jr_cache_kind *k = jr_store_cache(s->state->store, kind)->kind;
    struct source *x = &s->v[s->n++];
    struct jr_informer_options o = { .watch_list = !s->paged_lists };
    struct jr_informer_handler h;
    JR_BUF name = { .max = JR_BUF_BY_INPUT };
    JR_BUF path = { .max = JR_BUF_BY_INPUT };

    x->feed = (struct jr_feed){ .kind = kind,
                                .namespace = namespace,
                                .state = s->state,
                                .loop = s->env.loop,
                                .log = s->log,
                                .on_changed = s->sink.changed,
                                .on_listed = s->sink.listed,
                                .ctx = s->sink.ctx };
    jr_unreadables_declare(s->state->unreadables, k->resource);
    if (namespace.p != NULL && kind <= JR_STORE_PODS)
        (void)jr_buf_addf(&name, "%.*s/", JR_P(namespace));
    jr_must(jr_buf_adds(&name, k->resource));
    jr_resource_path(api, namespace, k->resource, &path);
    jr_must(path.failed);
    o.name = name.p;
    o.path = path.p;
    h = jr_feed_handler(&x->feed);
    x->informer = jr_informer_new(&s->env, &o, &h, s->log, s->metrics);
}

void jr_sources_add_jobs(struct jr_sources *s)
{
    for (size_t i = 0; i < s->n_namespaces; i++) {
        add_source(s, JR_STORE_JOBS, "/apis/batch/v1", s->namespaces[i]);
        add_source(s, JR_STORE_PODS, "/api/v1", s->namespaces[i]);
    }
}

/** The cache is as if nothing had ever been told. */
static void empty_cache(struct jr_sources *s, enum jr_store_kind kind)
{
    static const struct jr_str all = { NULL, 0 };
    struct jr_cache *cache = jr_store_cache(s->state->store, kind);
    const struct jr_cache_round round = jr_cache_begin(cache, all);

    jr_cache_sweep(cache, &round, NULL, NULL);
}

/** Gangs come last. */
static void remove_gangs(struct jr_sources *s)
{
    while (s->n > 0 && s->v[s->n - 1].feed.kind >= JR_STORE_WORKLOADS)
        jr_informer_free(s->v[--s->n].informer);
    empty_cache(s, JR_STORE_WORKLOADS);
    empty_cache(s, JR_STORE_POD_GROUPS);
}

void jr_sources_set_gangs(struct jr_sources *s, enum jr_scheduling_api api)
{
    remove_gangs(s);
    for (size_t i = 0; api != JR_SCHEDULING_NONE && i < s->n_namespaces; i++) {
        add_source(s, JR_STORE_WORKLOADS, jr_scheduling_api_path(api), s->namespaces[i]);
        add_source(s, JR_STORE_POD_GROUPS, jr_scheduling_api_path(api), s->namespaces[i]);
    }
}

void jr_sources_free(struct jr_sources *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->n; i++)
        jr_informer_free(s->v[i].informer);
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
