#include "controller/feed.h"

#include "common/rules/selector.h"
#include "controller/reconcile/sync.h"
#include "controller/run.h"

/* As the API server names our writes in metadata.managedFields: by our User-Agent. */
#define JR_FIELD_MANAGER "jobreeve-controller"

/** What a handler returned: NOMEM is the end, and stops the stream. */
static enum jr_status told(struct jr_feed *f, enum jr_status st, struct jr_error *err)
{
    if (st == JR_OK) {
        f->on_told(f->ctx);
        return JR_OK;
    }
    (void)jr_fail(err, st, NULL, "the cache");
    f->on_broken(f->ctx, &(struct jr_error){ .status = st, .msg = "the cache" });
    return st;
}

static const char *resource_of(const struct jr_feed *f)
{
    return f->kind == JR_STORE_JOBS ? "jobs" : "pods";
}

static struct jr_str uid_in_cache(const struct jr_feed *f, const struct jr_object_id *id)
{
    const struct jr_store *s = f->state->store;
    const struct jr_job *job = NULL;
    const struct jr_pod *pod = NULL;

    if (f->kind == JR_STORE_JOBS)
        job = jr_store_job(s, id->namespace, id->name);
    else
        pod = jr_store_pod(s, id->namespace, id->name);
    return job != NULL ? job->meta.uid : pod != NULL ? pod->uid : (struct jr_str){ NULL, 0 };
}

/** What the cache has under that name is gone. */
static enum jr_status gone_by_name(struct jr_feed *f, const struct jr_object_id *id)
{
    const struct jr_store *s = f->state->store;
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct jr_now now = jr_now_of(f->loop);

    if (f->kind == JR_STORE_JOBS) {
        job = jr_job_ref(jr_store_job(s, id->namespace, id->name));
        return job == NULL ? JR_OK : jr_handle_job_gone(f->state, job, now);
    }
    pod = jr_pod_ref(jr_store_pod(s, id->namespace, id->name));
    return pod == NULL ? JR_OK : jr_handle_pod_gone(f->state, pod, now);
}

/** Whoever had to wait for it need not any more. */
static enum jr_status released(void *ctx, const struct jr_unreadable *x)
{
    const struct jr_feed *f = ctx;

    return x->id.controller_name.n == 0
               ? JR_OK
               : jr_state_enqueue(f->state, x->id.namespace, x->id.controller_name, 0,
                                  jr_loop_mono(f->loop));
}

/** It can be read, or is gone. */
static enum jr_status forget(struct jr_feed *f, struct jr_str namespace, struct jr_str name)
{
    struct jr_unreadables *u = f->state->unreadables;
    const struct jr_unreadable *x = jr_unreadables_get(u, resource_of(f), namespace, name);
    enum jr_status st;

    if (x == NULL)
        return JR_OK;
    st = released(f, x);
    jr_unreadables_remove(u, resource_of(f), namespace, name);
    return st;
}

/** An object that can't be read costs only itself: the stream goes on. What the cache has of it
 * stays as it was last, as if nothing had come since: a Pod that were taken for gone would be
 * counted, or another made in its place; a Job that were taken for gone would lose its Pods. A
 * Job that can't be read isn't synced (jr_unreadables_hold): what it was may not be what it is.
 * One whose name can't be read either is none that the cache has: all that was ever stored has a
 * name, and keeps it. */
static enum jr_status unread(struct jr_feed *f, const struct jr_object_id *id, bool gone,
                             const struct jr_error *why, struct jr_error *err)
{
    struct jr_str had;
    enum jr_status st = JR_OK;
    bool known = false;

    if (why->status == JR_NOMEM)
        return told(f, JR_NOMEM, err);
    had = uid_in_cache(f, id);
    if (gone || (had.n > 0 && id->uid.n > 0 && !jr_str_eq(had, id->uid)))
        st = gone_by_name(f, id);
    else
        known = jr_store_see(f->state->store, f->kind, id->namespace, id->name);
    if (gone && st == JR_OK)
        st = forget(f, id->namespace, id->name);
    if (!gone)
        jr_unreadables_add(f->state->unreadables, resource_of(f), id, why, !known, f->log);
    return told(f, st, err);
}

/** Finds out whether another has written the status of a Job that is ours. object: its new text. To
 * be called while the store still has the old one. */
static enum jr_status watch_writers(const struct jr_feed *f, const struct jr_job *job,
                                    struct jr_str object)
{
    const struct jr_state *s = f->state;
    const struct jr_job *old = jr_store_job(s->store, job->meta.namespace, job->meta.name);
    struct jr_job_key key = jr_job_key_of(job);
    struct jr_record rec;
    JR_ARENA arena = { 0 };
    struct jr_str manager;
    uint64_t sum;
    bool foreign;

    if (old == NULL || !jr_str_eq(old->meta.uid, job->meta.uid) ||
        !jr_job_is_ours(job, &s->options) ||
        jr_str_eq(old->meta.resource_version, job->meta.resource_version))
        return JR_OK;
    sum = jr_status_sum(object);
    if (sum == jr_status_sum(old->raw))
        return JR_OK;
    rec = jr_records_get(s->records, &key);
    foreign = jr_status_changed(&rec.status_writes, sum);
    if (!foreign)
        return jr_records_put(s->records, &key, &rec);
    jr_arena_init(&arena, 0);
    manager = jr_status_manager(object, JR_FIELD_MANAGER, &arena);
    jr_status_foreign(s->metrics, f->log, &key, 1, JR_STR(manager.n > 0 ? "manager" : "", manager));
    return JR_OK;
}

static bool is_named(struct jr_str name, struct jr_error *err)
{
    if (name.n == 0)
        (void)jr_fail(err, JR_INVALID, "metadata.name", "expected a name");
    return name.n > 0;
}

static enum jr_status take_job(struct jr_feed *f, struct jr_str object, bool gone,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_job_unrefp) struct jr_job *job = NULL;
    struct jr_now now = jr_now_of(f->loop);
    struct jr_error why = { 0 };

    if (jr_job_decode(object, &job, &why) != JR_OK || !is_named(job->meta.name, &why)) {
        const struct jr_object_id id = jr_object_identify(object);

        return unread(f, &id, gone, &why, err);
    }
    if (jr_selector_prepare(&job->spec.selector, &job->arena) != JR_OK ||
        forget(f, job->meta.namespace, job->meta.name) != JR_OK)
        return told(f, JR_NOMEM, err);
    if (!gone && watch_writers(f, job, object) != JR_OK)
        return told(f, JR_NOMEM, err);
    return told(
        f, gone ? jr_handle_job_gone(f->state, job, now) : jr_handle_job(f->state, job, now), err);
}

static enum jr_status take_pod(struct jr_feed *f, struct jr_str object, bool gone,
                               struct jr_error *err)
{
    JR_CLEANUP(jr_pod_unrefp) struct jr_pod *pod = NULL;
    struct jr_now now = jr_now_of(f->loop);
    struct jr_error why = { 0 };

    if (jr_pod_decode(object, &pod, &why) != JR_OK || !is_named(pod->name, &why)) {
        const struct jr_object_id id = jr_object_identify(object);

        return unread(f, &id, gone, &why, err);
    }
    if (forget(f, pod->namespace, pod->name) != JR_OK)
        return told(f, JR_NOMEM, err);
    return told(
        f, gone ? jr_handle_pod_gone(f->state, pod, now) : jr_handle_pod(f->state, pod, now), err);
}

static enum jr_status take(struct jr_feed *f, struct jr_str object, bool gone, struct jr_error *err)
{
    return f->kind == JR_STORE_JOBS ? take_job(f, object, gone, err)
                                    : take_pod(f, object, gone, err);
}

static void on_begin(void *ctx)
{
    struct jr_feed *f = ctx;

    f->round = jr_store_begin(f->state->store, f->namespace);
    jr_unreadables_begin(f->state->unreadables, resource_of(f), f->namespace);
}

static enum jr_status on_item(void *ctx, struct jr_str object, struct jr_error *err)
{
    return take(ctx, object, false, err);
}

static void on_end(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;
    enum jr_status st;

    jr_store_progress(f->state->store, f->kind, f->namespace, resource_version);
    st = jr_handle_sweep(f->state, f->kind, &f->round, jr_now_of(f->loop));
    if (st == JR_OK)
        st = jr_unreadables_sweep(f->state->unreadables, resource_of(f), f->namespace, released, f);
    if (told(f, st, NULL) != JR_OK)
        return;
    f->on_listed(f->ctx, f->kind, f->namespace);
}

static enum jr_status on_event(void *ctx, enum jr_event_type type, struct jr_str object,
                               struct jr_error *err)
{
    return take(ctx, object, type == JR_EV_DELETED, err);
}

/** What is no event may be a deletion, of which nothing but the next list can tell. */
static void on_unread(void *ctx, struct jr_str line, const struct jr_error *why)
{
    const struct jr_object_id id = jr_event_identify(line);

    (void)unread(ctx, &id, false, why, NULL);
}

static void on_progress(void *ctx, struct jr_str resource_version)
{
    struct jr_feed *f = ctx;

    jr_store_progress(f->state->store, f->kind, f->namespace, resource_version);
}

static void on_broken(void *ctx, const struct jr_error *err)
{
    const struct jr_feed *f = ctx;

    f->on_broken(f->ctx, err);
}

struct jr_informer_handler jr_feed_handler(struct jr_feed *f)
{
    return (struct jr_informer_handler){ .on_replace_begin = on_begin,
                                         .on_replace_item = on_item,
                                         .on_replace_end = on_end,
                                         .on_event = on_event,
                                         .on_unread = on_unread,
                                         .on_progress = on_progress,
                                         .on_broken = on_broken,
                                         .ctx = f };
}
