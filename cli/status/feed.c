/* SPDX-License-Identifier: Apache-2.0 */
/* Two informers and their caches, and what they come to as evidence. */
#include "cli/status/feed.h"

#include "cli/wait/stuck.h"
#include "common/base/memory.h"
#include "common/kube/informer.h"
#include "common/kube/object_cache.h"
#include "common/kube/requester.h"

#define EVENTS_NS (10 * JR_SEC)
#define EVENTS_MAX "5000"
#define EVENTS_TIMEOUT_MS 60000
#define EVENTS_BYTES_MAX ((size_t)64 << 20)

/** The objects of a kind, as an informer tells of them. */
struct watched {
    struct jr_status_feed *feed;
    struct jr_informer *informer;
    struct jr_cache cache;
    struct jr_cache_round round;
    bool known; /* they were listed, or may not be */
    bool denied;
};

struct jr_status_feed {
    struct jr_env env;
    struct jr_status_feed_options o;
    struct watched jobs, pods;
    struct jr_requester events;
    bool events_known, events_denied;
    struct jr_evidence *evidence;
};

/* ---- kinds ---- */

JR_CACHE_TYPE(job)
JR_CACHE_TYPE(pod_view)

static struct jr_object_key job_key(const void *object)
{
    return jr_object_key_of(&((const struct jr_job *)object)->meta);
}

static struct jr_object_key pod_key(const void *object)
{
    return jr_object_key_of(&((const struct jr_pod_view *)object)->meta);
}

static const struct jr_cache_kind job_kind = { .resource = "jobs",
                                               JR_CACHE_FUNCTIONS(job),
                                               .key = job_key,
                                               .entry_size = sizeof(struct jr_cache_entry) };
static const struct jr_cache_kind pod_kind = { .resource = "pods",
                                               JR_CACHE_FUNCTIONS(pod_view),
                                               .key = pod_key,
                                               .entry_size = sizeof(struct jr_cache_entry) };

/* ---- what the informers tell ---- */

static void tell(struct jr_status_feed *feed)
{
    if (feed->jobs.known && feed->pods.known && feed->events_known)
        feed->o.changed(feed->o.ctx);
}

static void on_begin(void *ctx)
{
    struct watched *w = ctx;

    w->round = jr_cache_begin(&w->cache, (struct jr_str){ NULL, 0 });
}

static void take(struct watched *w, enum jr_event_type type, struct jr_str text)
{
    void *object = NULL;

    if (w->cache.kind->decode(text, &object, NULL) != JR_OK)
        return; /* one that can't be read isn't shown */
    if (type == JR_EV_DELETED)
        jr_cache_remove(&w->cache, object, NULL, NULL);
    else
        jr_cache_apply(&w->cache, object, NULL, NULL);
    w->cache.kind->unref(object);
}

static void on_item(void *ctx, struct jr_str text)
{
    take(ctx, JR_EV_ADDED, text);
}

static void on_end(void *ctx, struct jr_str resource_version)
{
    struct watched *w = ctx;

    (void)resource_version;
    jr_cache_sweep(&w->cache, &w->round, NULL, NULL);
    w->known = true;
    tell(w->feed);
}

static void on_event(void *ctx, enum jr_event_type type, struct jr_str text)
{
    struct watched *w = ctx;

    take(w, type, text);
    tell(w->feed);
}

static void watch(struct watched *w, const char *api, const char *labels, const char *fields)
{
    const struct jr_status_feed *feed = w->feed;
    const struct jr_informer_handler handler = { .on_replace_begin = on_begin,
                                                 .on_replace_item = on_item,
                                                 .on_replace_end = on_end,
                                                 .on_event = on_event,
                                                 .ctx = w };
    struct jr_informer_options options = { .name = w->cache.kind->resource,
                                           .label_selector = labels,
                                           .field_selector = fields };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_resource_path(api, jr_str(feed->o.namespace), w->cache.kind->resource, &path);
    jr_must(path.failed);
    options.path = path.p;
    w->informer = jr_informer_new(&feed->env, &options, &handler, NULL, NULL);
    jr_informer_start(w->informer);
}

/* ---- events ---- */

static void ask_events(void *ctx);

static void take_event(void *ctx, struct jr_str text)
{
    /* One that can't be decoded says nothing. */
    (void)jr_need(jr_evidence_add(ctx, "Event", text, NULL));
}

static void on_events(void *ctx, const struct jr_kube_result *r)
{
    struct jr_status_feed *feed = ctx;
    JR_CLEANUP(jr_evidence_freep) struct jr_evidence *ev = NULL;
    struct jr_list_page page = { .remaining = 0 };

    if (r->kind == JR_RESULT_OK) {
        ev = jr_wait_evidence_new(true);
        if (jr_list_read(r->body, take_event, ev, &page, NULL) == JR_OK) {
            if (page.continue_token.n > 0)
                jr_evidence_note_unseen(ev, "Event", JR_S("reading stopped at 5,000 of them"));
            jr_evidence_free(feed->evidence);
            feed->evidence = jr_steal(&ev);
        }
    }
    feed->events_denied |= r->http == 403;
    feed->events_known = true;
    if (!feed->events_denied)
        jr_requester_after(&feed->events, EVENTS_NS, ask_events);
    tell(feed);
}

static void ask_events(void *ctx)
{
    struct jr_status_feed *feed = ctx;
    struct jr_http_request http = { .method = "GET",
                                    .timeout_ms = EVENTS_TIMEOUT_MS,
                                    .body_max = EVENTS_BYTES_MAX };
    JR_BUF path = { 0 };

    jr_buf_init(&path, JR_BUF_BY_INPUT);
    jr_resource_path("/api/v1", jr_str(feed->o.namespace), "events", &path);
    (void)jr_buf_adds(&path, "?limit=" EVENTS_MAX);
    jr_must(path.failed);
    http.path = path.p;
    jr_requester_send(&feed->events, &http, on_events);
}

/* ---- all ---- */

struct jr_status_feed *jr_status_feed_new(const struct jr_env *env,
                                          const struct jr_status_feed_options *options)
{
    struct jr_status_feed *feed = jr_xcalloc(1, sizeof(*feed));
    JR_FREE char *field = NULL, *label = NULL;

    feed->env = *env;
    feed->o = *options;
    feed->evidence = jr_wait_evidence_new(false);
    feed->events.env = *env;
    feed->events.ctx = feed;
    feed->jobs = (struct watched){ .feed = feed, .cache = { .kind = &job_kind } };
    feed->pods = (struct watched){ .feed = feed, .cache = { .kind = &pod_kind } };
    if (options->name.n > 0) {
        field = jr_xasprintf("metadata.name=%.*s", JR_P(options->name));
        label = jr_xasprintf(JR_LABEL_JOB_NAME "=%.*s", JR_P(options->name));
    }
    watch(&feed->jobs, "/apis/batch/v1", options->selector, field);
    watch(&feed->pods, "/api/v1", label != NULL ? label : JR_LABEL_JOB_NAME, NULL);
    ask_events(feed);
    return feed;
}

void jr_status_feed_free(struct jr_status_feed *feed)
{
    if (feed == NULL)
        return;
    jr_requester_done(&feed->events);
    jr_informer_free(feed->jobs.informer);
    jr_informer_free(feed->pods.informer);
    jr_evidence_free(feed->evidence);
    jr_cache_done(&feed->jobs.cache);
    jr_cache_done(&feed->pods.cache);
    free(feed);
}

bool jr_status_feed_does_without(struct jr_status_feed *feed, const char *path)
{
    const bool pods = strstr(path, "/pods") != NULL, events = strstr(path, "/events") != NULL;

    if (jr_str_starts(jr_str(path), JR_S("/apis/batch/")))
        return false;
    if (pods)
        feed->pods.denied = feed->pods.known = true;
    tell(feed);
    return pods || events;
}

struct jr_evidence *jr_status_feed_evidence(struct jr_status_feed *feed)
{
    struct jr_evidence *ev = feed->evidence;

    jr_evidence_forget_jobs(ev);
    jr_evidence_forget_pods(ev);
    jr_evidence_forget_unseen(ev, "Pod");
    if (feed->pods.denied)
        jr_evidence_note_unseen(ev, "Pod", JR_S("the right to list them is lacking"));
    for (struct jr_cache_entry *e = NULL; (e = jr_cache_next(&feed->jobs.cache, e)) != NULL;)
        jr_evidence_put_job(ev, e->object);
    for (struct jr_cache_entry *e = NULL; (e = jr_cache_next(&feed->pods.cache, e)) != NULL;)
        jr_evidence_put_pod(ev, e->object);
    jr_evidence_seal(ev);
    return ev;
}
